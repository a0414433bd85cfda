/* SPDX-License-Identifier: MIT
 *
 * A file, or a part of one, on a back end, and running many of them.
 */
#ifndef ILEX_TESTS_GOLDEN_JOBS_H
#define ILEX_TESTS_GOLDEN_JOBS_H

#include <sys/types.h>

#include "tests/golden/golden.h"

typedef struct golden_totals {
    size_t passed, failed, skipped;
} golden_totals;

typedef struct golden_job {
    golden_table table; /* some or all rows of a file */
    const char *jit;    /* NULL: none is needed */
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

/* ---- golden_files.c ---- */

enum { GOLDEN_BACKENDS = 8 };

typedef struct golden_options {
    const char *file; /* NULL: all */
    bool kernels;     /* only files whose rows run */
    int processes;
    int backends;
    const char *jit[GOLDEN_BACKENDS];
    char jits[64];   /* what `jit` points into */
    const char *dir; /* set by golden_files_run() */
} golden_options;

/* Takes the back ends of a comma-separated list; false if one is unknown. */
bool golden_options_backends(golden_options *o, const char *list);

/* Reads the files of ILEX_GOLDEN_DIR, by default of the copy beside the
 * sources, runs them and prints the totals. A file that cannot be read is a
 * failure. */
golden_totals golden_files_run(const golden_options *options);

#endif
