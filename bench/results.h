/* SPDX-License-Identifier: MIT
 *
 * Results as JSON, in the form that bench/README describes.
 */
#ifndef ILEX_BENCH_RESULTS_H
#define ILEX_BENCH_RESULTS_H

#include <stdio.h>

#include "bench/job.h"
#include "runtime/measure/limits.h"

/* A file that is written; NULL everywhere: none. */
typedef struct bench_results {
    FILE *file;
    const char *comma; /* before the next kernel */
} bench_results;

/* Creates the file and writes machine and limits; "path" NULL: none. 0 and a
 * message if it cannot be written. */
int bench_results_open(bench_results *r, const char *path,
                       const bench_limits *l, int rounds);

/* Adds a job with its timings. */
void bench_results_add(bench_results *r, const bench_job *j);

/* Ends the file; 0 and a message if not all of it could be written. */
int bench_results_close(bench_results *r, const char *path);

#endif
