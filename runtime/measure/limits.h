/* SPDX-License-Identifier: MIT
 *
 * What the machine can do at most, measured each time: memory bandwidth with
 * arrays in memory and in the caches of a core, and multiply-adds, by one
 * thread and by one on each processor.
 */
#ifndef ILEX_MEASURE_LIMITS_H
#define ILEX_MEASURE_LIMITS_H

#include "runtime/measure/bench_util.h"

/* Where the arrays of a loop are. */
typedef enum bench_set { SET_MEMORY, SET_CACHE, SET_REGISTERS } bench_set;

enum { LIMITS = 14 };

typedef struct bench_limit {
    const char *name; /* "read", "copy", "triad", "multiply-add" */
    bench_set set;
    int threads;
    bench_samples samples; /* bytes or operations a second */
} bench_limit;

typedef struct bench_limits {
    int threads;         /* processors that this process may use */
    int64_t cache_bytes; /* what counts as in the caches of a core */
    bench_limit limit[LIMITS];
} bench_limits;

/* Measures all of them in turn, "rounds" times, each for at least "least"
 * seconds; 0 and a message without memory or threads. */
int bench_limits_measure(bench_limits *l, int rounds, double least);

/* Seconds that "bytes" of traffic and "operations" take at the limits for one
 * thread or (threads not 1) for all: the larger of both. Bandwidth is the best
 * of read, copy and triad where "bytes" are. */
double bench_limits_seconds(const bench_limits *l, int threads, double bytes,
                            double operations);

/* "memory", "cache" or "registers". */
const char *bench_set_name(bench_set set);

#endif
