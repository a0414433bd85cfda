/* SPDX-License-Identifier: MIT
 *
 * A compiler process (see cc_process.h). It has a process group for itself and
 * its supervisor, so that one signal ends it together with what it started. The
 * end is seen by the pipe of its messages closing, then by waitpid; no signal
 * handler is needed.
 */
#define _GNU_SOURCE
#include "runtime/jit/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
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

/* An unnamed file with what is to be read, -1 with errno. */
static int
open_input(const char *text)
{
    int fd = ix_fd_high(memfd_create("ilex-source", MFD_CLOEXEC));
    if (fd < 0 ||
        (ix_fd_write(fd, text, strlen(text)) && lseek(fd, 0, SEEK_SET) == 0))
        return fd;
    close(fd);
    return -1;
}

static ilex_status
start(ix_process *p, ix_error *err)
{
    int ends[2], in = p->input ? open_input(p->input) : -1;
    int64_t left = p->deadline - ix_process_clock();
    if ((p->input && in < 0) || !ix_pipe_open(ends)) {
        ix_fail(err, ILEX_E_TOOLCHAIN, "no pipe to the compiler '%s': %s",
                p->argv[0], strerror(errno));
        if (in >= 0)
            close(in);
        return ILEX_E_TOOLCHAIN;
    }
    ix_supervisor_start(&p->supervisor);
    ix_spawn s = {p->argv, p->dir, in, ends[1], p->supervisor.pid};
    int rc = ix_spawn_start(&s, &p->pid);
    close(ends[1]);
    if (in >= 0)
        close(in);
    if (rc) {
        ix_supervisor_end(&p->supervisor);
        close(ends[0]);
        return ix_fail(err, ILEX_E_TOOLCHAIN,
                       "the compiler '%s' does not start: %s; name another by "
                       "its absolute path (for example cc=/usr/bin/gcc) or "
                       "use jit=tcc",
                       p->argv[0], strerror(rc));
    }
    limit(p->pid, left);
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

/* Ends its group, whose number is its own: the leader is not waited for yet. */
static void
end_group(const ix_process *p)
{
    kill(-(p->supervisor.pid ? p->supervisor.pid : p->pid), SIGKILL);
}

static void
finish(ix_process *p)
{
    ix_supervisor_end(&p->supervisor);
    close(p->in);
    p->state = DONE;
}

/* Takes its status, if it has one already. */
static ilex_status
take_status(ix_process *p, ix_error *err)
{
    int status = 0;
    pid_t got = waitpid(p->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return ILEX_OK;
    finish(p);
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
        end_group(p);
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
    end_group(p);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    finish(p);
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
