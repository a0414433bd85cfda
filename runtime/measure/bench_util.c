/* SPDX-License-Identifier: MIT
 *
 * What benchmarks share: a clock, medians of samples, reproducible contents.
 */
#define _GNU_SOURCE
#include "runtime/measure/bench_util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double
bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
bench_add(bench_samples *samples, double seconds)
{
    if (samples->count < BENCH_SAMPLES)
        samples->value[samples->count++] = seconds;
}

/* Order of two samples, for qsort. */
static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_summary
bench_summarize(bench_samples *samples)
{
    size_t n = samples->count;
    if (n == 0)
        return (bench_summary){0, 0, 0};
    qsort(samples->value, n, sizeof *samples->value, compare);
    return (bench_summary){samples->value[0], samples->value[n / 2],
                           samples->value[n - 1]};
}

void
bench_fill(double *x, int64_t count, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int64_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = 0.1 + 0.9 * ((double)(state >> 11) * 0x1p-53);
    }
}

double
bench_difference(const double *x, const double *y, int64_t count)
{
    double most = 0, scale = 0;
    for (int64_t i = 0; i < count; i++) {
        double difference = fabs(x[i] - y[i]);
        if (isnan(x[i]) != isnan(y[i]))
            return INFINITY;
        most = difference > most ? difference : most;
        scale = fabs(y[i]) > scale ? fabs(y[i]) : scale;
    }
    return most > 0 ? most / scale : 0;
}

int
bench_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && memcmp(p, word, n) == 0)
            return 1;
    return list == NULL;
}
