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

/* Keeps the start of the messages, control and foreign bytes as '?'. */
static void
keep(ix_process *p, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && p->length < IX_PROCESS_LOG - 1; i++) {
        char c = bytes[i];
        bool plain = (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
        p->log[p->length++] = plain ? c : '?';
    }
    p->log[p->length] = '\0';
}

/* ---- one process, from state to state ---- */

enum {
    WAITING, /* to be started */
    TALKING, /* its messages are read */
    ENDED,   /* the same, but it has ended: what is there is read */
    SILENT,  /* nobody has the pipe: its status is to be taken */
    DONE
};

static bool
is_at_work(const ix_process *p)
{
    return p->state == TALKING || p->state == ENDED || p->state == SILENT;
}

static ilex_status
start(ix_process *p, ix_error *err)
{
    int ends[2];
    pid_t pid = 0;
    int64_t left = p->deadline - ix_process_clock();
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
    limit(pid, left);
    p->pid = pid;
    p->in = ends[0];
    p->state = TALKING;
    return ILEX_OK;
}

/* Has it ended? Its status stays there to be taken. */
static bool
has_ended(const ix_process *p)
{
    siginfo_t info = {.si_pid = 0};
    int rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc != 0 || info.si_pid == p->pid;
}

static void
read_messages(ix_process *p)
{
    char bytes[4096];
    ssize_t n = read(p->in, bytes, sizeof bytes);
    if (n > 0)
        keep(p, bytes, (size_t)n);
    else if (n == 0 || errno != EINTR)
        p->state = SILENT;
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

/* Takes its status, if it has one already. */
static ilex_status
take_status(ix_process *p, ix_error *err)
{
    int status = 0;
    pid_t got = waitpid(p->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return ILEX_OK;
    close(p->in);
    p->state = DONE;
    return got == p->pid ? judge(p, status, err) : ILEX_OK;
}

/* Goes on with one that is at work; there is something to read or not. Where it
 * has ended, others that have the pipe are not waited for: what it started ends
 * too (its status is not taken yet, so its number is its own still), and a
 * child that the host forked meanwhile may hold the pipe for ever. */
static ilex_status
advance(ix_process *p, bool readable, ix_error *err)
{
    if (p->state != SILENT && readable) {
        read_messages(p);
    } else if (p->state == TALKING && has_ended(p)) {
        p->state = ENDED;
    } else if (p->state == ENDED) {
        kill(-p->pid, SIGKILL);
        p->state = SILENT;
    }
    return p->state == SILENT ? take_status(p, err) : ILEX_OK;
}

/* Ends its group and removes the zombie. */
static void
kill_group(ix_process *p)
{
    int status;
    if (!is_at_work(p))
        return;
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(p->in);
    p->state = DONE;
}

/* ---- all of them ---- */

/* Is the time over, or is it to stop? */
static ilex_status
check_over(const ix_process *p, ix_error *err)
{
    if (p->stop && atomic_load(p->stop))
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "the compiler '%s' was stopped: nobody needs its result "
                       "any more",
                       p->argv[0]);
    if (ix_process_clock() < p->deadline)
        return ILEX_OK;
    return ix_fail(err, ILEX_E_TOOLCHAIN,
                   "the compiler '%s' was stopped: the program's time limit of "
                   "%.3g s is over; allow more (option cc_timeout, in seconds; "
                   "0: no limit) or use jit=tcc, which compiles in "
                   "milliseconds\n%s",
                   p->argv[0], 1e-3 * (double)p->limit_ms, p->log);
}

enum { MOST = 64 };

/* Starts as many as may be at work. */
static ilex_status
start_some(ix_process *p, size_t n, size_t most, ix_error *err)
{
    size_t at_work = 0;
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; i < n; i++)
        at_work += is_at_work(&p[i]);
    for (size_t i = 0; !rc && i < n && at_work < most && at_work < MOST; i++)
        if (p[i].state == WAITING) {
            rc = start(&p[i], err);
            at_work++;
        }
    return rc;
}

/* Waits for news of those at work, a moment at most, and goes on with each. */
static ilex_status
go_on(ix_process *p, size_t n, ix_error *err)
{
    enum { NAP_MS = 5 };
    struct pollfd f[MOST];
    ix_process *of[MOST];
    size_t count = 0;
    int nap = NAP_MS;
    for (size_t i = 0; i < n; i++)
        if (is_at_work(&p[i])) {
            of[count] = &p[i];
            bool silent = p[i].state == SILENT;
            f[count++] = (struct pollfd){silent ? -1 : p[i].in, POLLIN, 0};
            nap = p[i].state == TALKING ? nap : silent ? 1 : 0;
        }
    if (poll(f, count, nap) < 0 && errno != EINTR)
        return ix_fail(err, ILEX_E_TOOLCHAIN, "no news of the compiler: %s",
                       strerror(errno));
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        rc = advance(of[i], f[i].revents != 0, err);
        if (!rc && is_at_work(of[i]))
            rc = check_over(of[i], err);
    }
    return rc;
}

ilex_status
ix_process_run(ix_process *p, size_t n, size_t most, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    for (size_t done = 0; !rc && done < n;) {
        rc = start_some(p, n, most, err);
        rc = rc ? rc : go_on(p, n, err);
        done = 0;
        for (size_t i = 0; i < n; i++)
            done += p[i].state == DONE;
    }
    for (size_t i = 0; rc && i < n; i++)
        kill_group(&p[i]);
    return rc;
}
