/* SPDX-License-Identifier: MIT
 *
 * Four programs that were compiled ahead of time, over made-up numbers: one
 * checksum of all that they compute. ways.sh builds it in many ways; ways.f90
 * and ways.py are the same.
 */
#include <stdint.h>

#include "alone.h"
#include "ways_hdiff.h"
#include "ways_matmul.h"
#include "ways_norms.h"
#include "ways_peaks.h"

enum { NI = 12, NJ = 10, NK = 8, N = 23, M = 37, K = 50 };
static double u[(NI + 4) * (NJ + 4) * NK], coeff[NK], v[NI * NJ * NK];
static double x[N * M], largest[N], square;
static double h[N * M], height[N * M];
static int64_t row[N * M], column[N * M], counted;
static float p[N * K], q[K * M], c[N * M];

/* Machines without a C library have no other memory. */
static char room[1 << 20] __attribute__((aligned(64))), error[300];

/* The next of numbers that every dtype holds exactly. */
static double
next(void)
{
    static int64_t state = 1;
    state = state * 16807 % 2147483647;
    return (double)(state % 2001 - 1000) / 64;
}

static void
fill(double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = next();
}

static void
fill_single(float *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)next();
}

/* ---- the checksum ---- */

static uint64_t sum = 1;

static void
take(const void *number)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    for (int i = 0; i < 4; i++)
        sum = (sum * 65536 + (bits >> 16 * i) % 65536) % 2147483647;
}

static void
take_all(const double *number, size_t n)
{
    for (size_t i = 0; i < n; i++)
        take(&number[i]);
}

/* ---- the programs ---- */

#define RUN(name)                                                              \
    (a.error = error, a.error_bytes = sizeof error, a.workspace = room,        \
     a.workspace_bytes = sizeof room, name(&a))

static int
run_hdiff(void)
{
    ways_hdiff_args a;
    ways_hdiff_args_init(&a);
    a.ni = NI;
    a.nj = NJ;
    a.nk = NK;
    a.u.data = u;
    a.coeff.data = coeff;
    a.v.data = v;
    return RUN(ways_hdiff);
}

static int
run_norms(void)
{
    ways_norms_args a;
    ways_norms_args_init(&a);
    a.n = N;
    a.m = M;
    a.a.data = x;
    a.largest.data = largest;
    a.square.data = &square;
    return RUN(ways_norms);
}

static int
run_peaks(void)
{
    ways_peaks_args a;
    ways_peaks_args_init(&a);
    a.n = N;
    a.m = M;
    a.h.data = h;
    a.level = 3;
    a.row.data = row;
    a.column.data = column;
    a.height.data = height;
    a.c = &counted;
    return RUN(ways_peaks);
}

static int
run_matmul(void)
{
    ways_matmul_args a;
    ways_matmul_args_init(&a);
    a.n = N;
    a.m = M;
    a.k = K;
    a.a.data = p;
    a.b.data = q;
    a.c.data = c;
    return RUN(ways_matmul);
}

static void
take_results(void)
{
    take_all(v, NI * NJ * NK);
    take_all(largest, N);
    take_all(&square, 1);
    take(&counted);
    for (size_t i = 0; i < (size_t)counted; i++) {
        take(&row[i]);
        take(&column[i]);
        take(&height[i]);
    }
    for (size_t i = 0; i < N * M; i++) {
        double single = (double)c[i];
        take(&single);
    }
}

int
main(void)
{
    char digits[11] = {0};
    fill(u, sizeof u / sizeof *u);
    fill(coeff, NK);
    fill(x, N * M);
    fill(h, N * M);
    fill_single(p, N * K);
    fill_single(q, K * M);
    if (run_hdiff() || run_norms() || run_peaks() || run_matmul()) {
        print(error);
        return 1;
    }
    take_results();
    for (int i = 10; i-- > 0; sum /= 10)
        digits[i] = (char)('0' + sum % 10);
    print(digits);
    return 0;
}
