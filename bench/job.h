/* SPDX-License-Identifier: MIT
 *
 * A kernel of kernels.def at one of its sizes: its arrays, its program by each
 * back end, and the timings of all variants.
 */
#ifndef ILEX_BENCH_JOB_H
#define ILEX_BENCH_JOB_H

#include <ilex.h>

#include "runtime/measure/bench_util.h"
#include "runtime/measure/counts.h"

enum { ARRAYS = 8, SIZES = 3, VARIANTS = 7 };

typedef struct bench_kernel {
    const char *name, *arguments;
    double tolerance;
    const char *program;
    void (*plain)(const int64_t *n, double *const *b);
} bench_kernel;

typedef struct bench_size {
    const char *kernel, *label;
    int64_t value[SIZES];
} bench_size;

extern const bench_size bench_sizes[];
extern const size_t bench_size_count;

/* How a kernel can be run. */
typedef struct bench_variant {
    const char *name; /* "C" is the plain function */
    const char *jit;  /* option jit; NULL: the default */
    int threads;      /* 0: option threads=auto */
} bench_variant;

extern const bench_variant bench_variants[VARIANTS];

typedef struct bench_job {
    const bench_kernel *kernel;
    const bench_size *size;
    int arrays;
    const char *name[ARRAYS];
    ilex_binding binding[ARRAYS];
    double *base[ARRAYS];
    ilex_program *program[VARIANTS]; /* NULL: plain C, or not to be had */
    int64_t repeats[VARIANTS];
    bench_samples seconds[VARIANTS], ratio[VARIANTS]; /* of time to C's */
    bench_counts counts;
} bench_job;

/* A kernel at a size, with its programs compiled, its arrays filled and its
 * results compared; NULL and a message on failure. A back end that this build
 * or machine lacks leaves its variants without a program. */
bench_job *bench_job_new(const bench_size *size);

void bench_job_free(bench_job *j);

/* Whether the variant can run. */
int bench_job_has(const bench_job *j, int variant);

/* Times all variants in turn, "rounds" times, each for at least "least"
 * seconds. */
void bench_job_measure(bench_job *j, int rounds, double least);

/* What the program moves, in bytes: reads and writes of the counts. */
double bench_job_bytes(const bench_job *j);

#endif
