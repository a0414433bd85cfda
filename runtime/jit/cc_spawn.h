/* SPDX-License-Identifier: MIT
 *
 * Starting a process: no shell, no inherited environment, signals as by
 * default, in a process group with a supervisor.
 */
#ifndef ILEX_RUNTIME_CC_SPAWN_H
#define ILEX_RUNTIME_CC_SPAWN_H

#include <sys/types.h>

#include "lib/base/prelude.h"

/* A pipe whose ends are closed on exec and are no standard streams; false with
 * errno. */
bool ix_pipe_open(int ends[2]);

/* Ends its process group as soon as this process is there no longer, however it
 * ends: whatever is started in the group outlives nobody. */
typedef struct ix_supervisor {
    pid_t pid; /* and that of the group; 0: there is none */
    int pipe;  /* closing it ends the group */
} ix_supervisor;

/* Where no shell can be started there is none. */
void ix_supervisor_start(ix_supervisor *s);
/* Removes it: the group may go on. */
void ix_supervisor_end(ix_supervisor *s);

typedef struct ix_spawn {
    char *const *argv; /* argv[0] is an absolute path */
    const char *dir;   /* working directory and TMPDIR */
    int in, out;       /* standard input; output and messages; -1: none */
    pid_t group;       /* 0: a group of its own */
} ix_spawn;

/* 0, or an errno value. */
int ix_spawn_start(const ix_spawn *s, pid_t *pid);

#endif
