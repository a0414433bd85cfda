/* SPDX-License-Identifier: MIT
 *
 * What benchmarks share: a clock, medians of samples, reproducible contents.
 */
#ifndef ILEX_MEASURE_UTIL_H
#define ILEX_MEASURE_UTIL_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_SAMPLES = 1024 };

/* Timings of one thing, in seconds, one for each round. */
typedef struct bench_samples {
    size_t count;
    double value[BENCH_SAMPLES];
} bench_samples;

/* What is reported of them. */
typedef struct bench_summary {
    double low, median, high;
} bench_summary;

/* Seconds of a clock that never goes back. */
double bench_now(void);

/* Adds one sample; those beyond BENCH_SAMPLES are dropped. */
void bench_add(bench_samples *samples, double seconds);

/* Sorts the samples; all 0 when there are none. */
bench_summary bench_summarize(bench_samples *samples);

/* Writes "count" numbers in [0.1, 1), the same for the same "seed". */
void bench_fill(double *x, int64_t count, uint64_t seed);

/* The largest difference of "x" from "y", relative to the largest value of
 * "y"; infinite where one is NaN and the other is not. */
double bench_difference(const double *x, const double *y, int64_t count);

/* Whether "word" is an item of the comma-separated "list"; NULL holds all. */
int bench_listed(const char *list, const char *word);

#endif
