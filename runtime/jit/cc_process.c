/* SPDX-License-Identifier: MIT
 *
 * A compiler process (see cc_process.h). It is the leader of a process group
 * of its own, so that one signal ends it together with what it started. The
 * end is seen by the pipe of its messages closing, then by waitpid; no signal
 * handler is needed.
 */
#define _GNU_SOURCE
#include "runtime/jit/cc_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/descriptor.h"

int64_t
ix_process_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A pipe whose ends are closed on exec and are no standard streams. */
static bool
open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    ends[0] = ix_fd_high(ends[0]);
    ends[1] = ix_fd_high(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return false;
}

/* Streams and directory of the child: nothing to read, messages to "out". */
static int
set_actions(posix_spawn_file_actions_t *a, const char *dir, int out)
{
    int rc = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(a, out, 1);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(a, out, 2);
    if (!rc)
        rc = posix_spawn_file_actions_addchdir_np(a, dir);
    return rc;
}

/* Own process group, no signal blocked, every signal at its default. */
static int
set_attributes(posix_spawnattr_t *a)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawnattr_setpgroup(a, 0);
    if (!rc)
        rc = posix_spawnattr_setsigmask(a, &none);
    if (!rc)
        rc = posix_spawnattr_setsigdefault(a, &all);
    if (!rc)
        rc = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP |
                                             POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    return rc;
}

/* posix_spawn with the settings above; 0 or an errno value. */
static int
spawn(const ix_process *p, int out, pid_t *pid)
{
    char tmpdir[512];
    int n = snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", p->dir);
    if (n < 0 || (size_t)n >= sizeof tmpdir)
        return ENAMETOOLONG;
    char *environment[] = {(char[]){"LC_ALL=C"},
                           (char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
                           tmpdir, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (!rc) {
        rc = set_actions(&actions, p->dir, out);
        if (!rc)
            rc = set_attributes(&attributes);
        if (!rc)
            rc = posix_spawn(pid, p->argv[0], &actions, &attributes, p->argv,
                             environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* Lowers limits of the child: processor time, size of a file, core dumps. It
 * has started already; what it did before is bounded by the deadline. */
static void
limit(pid_t pid, int64_t ms)
{
    const struct {
        unsigned what;
        rlim_t value;
    } rows[] = {{RLIMIT_CPU, (rlim_t)(ms / 1000 + 2)},
                {RLIMIT_FSIZE, (rlim_t)1 << 28},
                {RLIMIT_CORE, 0}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        struct rlimit r;
        if (prlimit(pid, rows[i].what, NULL, &r) != 0)
            continue;
        if (r.rlim_max > rows[i].value)
            r.rlim_max = rows[i].value;
        if (r.rlim_cur > r.rlim_max)
            r.rlim_cur = r.rlim_max;
        prlimit(pid, rows[i].what, &r, NULL);
    }
}

/* Keeps the start of the messages in "log", control and foreign bytes as '?';
 * "*length" counts what is kept. */
static void
keep(char *log, size_t *length, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && *length < IX_PROCESS_LOG - 1; i++) {
        char c = bytes[i];
        bool plain = (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
        log[(*length)++] = plain ? c : '?';
    }
    log[*length] = '\0';
}

/* Is the time over, or is it to stop? */
static bool
is_over(const ix_process *p)
{
    return ix_process_clock() >= p->deadline ||
           (p->stop && atomic_load(p->stop));
}

/* Has the process ended? Its status stays there to be taken. */
static bool
has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    int rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc != 0 || info.si_pid == pid;
}

/* Reads the messages until the last writer closes. Where the process has ended
 * before, others are not waited for: what it started ends too, and a child that
 * the host forked meanwhile may hold the pipe for ever. False when it is over
 * before. */
static bool
drain(ix_process *p, pid_t pid, int in)
{
    enum { NAP_MS = 5 };
    size_t length = 0;
    bool ended = false;
    p->log[0] = '\0';
    while (!is_over(p)) {
        struct pollfd f = {.fd = in, .events = POLLIN};
        int ready = poll(&f, 1, ended ? 0 : NAP_MS);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready == 0 && ended) {
            kill(-pid, SIGKILL); /* its status is not taken: the number is its
                                    own still */
            return true;
        }
        if (ready <= 0) {
            ended = has_ended(pid);
            continue;
        }
        char bytes[4096];
        ssize_t n = read(in, bytes, sizeof bytes);
        if (n == 0)
            return true;
        if (n > 0)
            keep(p->log, &length, bytes, (size_t)n);
        else if (errno != EINTR)
            return false;
    }
    return false;
}

/* Waits for "pid". 1: ended, with "*status"; 0: the host took the status; -1:
 * it is over before. */
static int
reap(const ix_process *p, pid_t pid, int *status)
{
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return 1;
        if (got < 0 && errno != EINTR)
            return 0;
        if (is_over(p))
            return -1;
        struct timespec nap = {0, 500000};
        nanosleep(&nap, NULL);
    }
}

/* Ends the group of "pid" and removes the zombie. */
static void
kill_group(pid_t pid)
{
    int status;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

static ilex_status
judge(const ix_process *p, int status, ix_error *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ILEX_OK;
    if (WIFEXITED(status))
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "the compiler '%s' failed with status %d:\n%s",
                       p->argv[0], WEXITSTATUS(status), p->log);
    return ix_fail(err, ILEX_E_TOOLCHAIN,
                   "the compiler '%s' was ended by signal %d:\n%s", p->argv[0],
                   WTERMSIG(status), p->log);
}

ilex_status
ix_process_run(ix_process *p, ix_error *err)
{
    int ends[2];
    pid_t pid = 0;
    p->log[0] = '\0';
    int64_t start = ix_process_clock();
    if (!open_pipe(ends))
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "no pipe to the compiler '%s': %s", p->argv[0],
                       strerror(errno));
    int rc = spawn(p, ends[1], &pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "the compiler '%s' does not start: %s; name another by "
                       "its absolute path (for example cc=/usr/bin/gcc) or "
                       "use jit=tcc",
                       p->argv[0], strerror(rc));
    }
    limit(pid, p->deadline - start);
    int status = 0;
    int end = drain(p, pid, ends[0]) ? reap(p, pid, &status) : -1;
    close(ends[0]);
    if (end > 0)
        return judge(p, status, err);
    if (end == 0)
        return ILEX_OK;
    kill_group(pid);
    if (p->stop && atomic_load(p->stop))
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "the compiler '%s' was stopped: nobody needs its result "
                       "any more",
                       p->argv[0]);
    return ix_fail(err, ILEX_E_TOOLCHAIN,
                   "the compiler '%s' was stopped: the program's time limit of "
                   "%.3g s is over; allow more (option cc_timeout, in seconds; "
                   "0: no limit) or use jit=tcc, which compiles in "
                   "milliseconds\n%s",
                   p->argv[0], 1e-3 * (double)p->limit_ms, p->log);
}
