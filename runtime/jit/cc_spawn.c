/* SPDX-License-Identifier: MIT
 *
 * The supervisor is a shell that reads from a pipe to which nobody writes: the
 * end comes when no process has the other end any more, by exit, a signal, or
 * exec. It is the leader of the group, so the group's number stays taken.
 */
#define _GNU_SOURCE
#include "runtime/jit/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/descriptor.h"

bool
ix_pipe_open(int ends[2])
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

/* ---- starting ---- */

/* The stream "to" of the child is "from", or nothing. */
static int
set_stream(posix_spawn_file_actions_t *a, int from, int to)
{
    return from < 0
               ? posix_spawn_file_actions_addopen(a, to, "/dev/null", O_RDWR, 0)
               : posix_spawn_file_actions_adddup2(a, from, to);
}

static int
set_actions(posix_spawn_file_actions_t *a, const ix_spawn *s)
{
    int rc = set_stream(a, s->in, 0);
    if (!rc)
        rc = set_stream(a, s->out, 1);
    if (!rc)
        rc = set_stream(a, s->out, 2);
    if (!rc)
        rc = posix_spawn_file_actions_addchdir_np(a, s->dir);
    return rc;
}

/* The process group, no signal blocked, every signal at its default. */
static int
set_attributes(posix_spawnattr_t *a, pid_t group)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawnattr_setpgroup(a, group);
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

int
ix_spawn_start(const ix_spawn *s, pid_t *pid)
{
    char tmpdir[512];
    int n = snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", s->dir);
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
        rc = set_actions(&actions, s);
        if (!rc)
            rc = set_attributes(&attributes, s->group);
        if (!rc)
            rc = posix_spawn(pid, s->argv[0], &actions, &attributes, s->argv,
                             environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* ---- the supervisor ---- */

void
ix_supervisor_start(ix_supervisor *s)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"},
                    (char[]){"read nothing; kill -KILL 0"}, NULL};
    ix_spawn shell = {.argv = argv, .dir = "/", .out = -1};
    int ends[2];
    *s = (ix_supervisor){0, -1};
    if (!ix_pipe_open(ends))
        return;
    shell.in = ends[0];
    if (ix_spawn_start(&shell, &s->pid) == 0) {
        s->pipe = ends[1];
    } else {
        s->pid = 0;
        close(ends[1]);
    }
    close(ends[0]);
}

void
ix_supervisor_end(ix_supervisor *s)
{
    int status;
    if (s->pid == 0)
        return;
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(s->pipe);
    *s = (ix_supervisor){0, -1};
}
