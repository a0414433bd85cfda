/* SPDX-License-Identifier: MIT
 *
 * Running a compiler as a process: no shell, no inherited environment, a time
 * limit for it and everything it starts, its messages captured.
 */
#ifndef ILEX_RUNTIME_CC_PROCESS_H
#define ILEX_RUNTIME_CC_PROCESS_H

#include <stdatomic.h>

#include "lib/base/prelude.h"

enum { IX_PROCESS_LOG = 3072 };

typedef struct ix_process {
    char *const *argv;        /* argv[0] is an absolute path; NULL-terminated */
    const char *dir;          /* working directory and TMPDIR, absolute */
    int64_t deadline;         /* ix_process_clock() at which it is killed */
    int64_t limit_ms;         /* that led to the deadline, for the message */
    const atomic_bool *stop;  /* set: it is killed at once; NULL: never set */
    char log[IX_PROCESS_LOG]; /* out: start of what it printed, made printable;
                                 whole lines where they fit */
} ix_process;

/* Milliseconds of a clock that only goes forward. */
int64_t ix_process_clock(void);

/* Starts the process and waits for it and its children. ILEX_OK when it ended
 * with status 0, or when the host took the status away (it ignores or reaps
 * its children): the result then shows. Else ILEX_E_TOOLCHAIN in "err" with
 * the log; at the deadline, or when it is to stop, the whole process group is
 * killed. */
ilex_status ix_process_run(ix_process *process, ix_error *err);

#endif
