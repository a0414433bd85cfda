/* SPDX-License-Identifier: MIT
 *
 * A file on a back end, and running many of them.
 */
#ifndef ILEX_TESTS_GOLDEN_JOBS_H
#define ILEX_TESTS_GOLDEN_JOBS_H

#include <sys/types.h>

#include "tests/golden/golden.h"

typedef struct golden_totals {
    size_t passed, failed, skipped;
} golden_totals;

typedef struct golden_job {
    const golden_table *table;
    const char *jit; /* NULL: none is needed */
    void (*judge)(const golden_table *t, golden_report *r);
    golden_totals *sum; /* this and the rest: set by golden_jobs_run() */
    bool done;
    int status;
    pid_t pid;
    FILE *output;
} golden_job;

/* Runs the jobs in at most "processes" processes at a time, 0: in this one.
 * Prints their reports in order and returns the sum of their counts. */
golden_totals golden_jobs_run(golden_job *jobs, size_t count, int processes);

#endif
