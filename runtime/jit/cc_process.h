/* SPDX-License-Identifier: MIT
 *
 * Running a compiler as a process, or several side by side: no shell, no
 * inherited environment, a time limit for it and everything it starts, which
 * end with this process, its messages captured.
 */
#ifndef ILEX_RUNTIME_CC_PROCESS_H
#define ILEX_RUNTIME_CC_PROCESS_H

#include <stdatomic.h>

#include "runtime/jit/cc_spawn.h"

enum { IX_PROCESS_LOG = 3072 };

typedef struct ix_process {
    char *const *argv;        /* argv[0] is an absolute path; NULL-terminated */
    const char *dir;          /* working directory and TMPDIR, absolute */
    const char *input;        /* what it reads; NULL: nothing */
    int64_t deadline;         /* ix_process_clock() at which it is killed */
    int64_t limit_ms;         /* that led to the deadline, for the message */
    const atomic_bool *stop;  /* set: it is killed at once; NULL: never set */
    char log[IX_PROCESS_LOG]; /* out: start of what it printed, made printable;
                                 whole lines where they fit */
    /* of cc_process.c */
    int state, in;
    pid_t pid;
    ix_supervisor supervisor;
    size_t length; /* of the log */
} ix_process;

/* Milliseconds of a clock that only goes forward. */
int64_t ix_process_clock(void);

/* Runs the processes, zeroed but for what is above the log, at most "most" at
 * the same time, and waits for them and their children. ILEX_OK when each ended
 * with status 0, or when the host took a status away (it ignores or reaps its
 * children): the result then shows. Else ILEX_E_TOOLCHAIN in "err" with the log
 * of one that failed; the groups of the others are killed, and so are all at
 * the deadline, or when one is to stop. */
ilex_status ix_process_run(ix_process *p, size_t n, size_t most, ix_error *err);

#endif
