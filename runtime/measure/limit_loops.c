/* SPDX-License-Identifier: MIT
 *
 * The loops of limit_loops.h, compiled for this processor; multiplications
 * and additions are contracted where it can (see Makefile.am).
 */
#include "runtime/measure/limit_loops.h"

/* Elements of a vector register, and as many registers of chains as hide the
 * latency of a multiply-add and leave registers for its operands. */
#if defined __AVX512F__
enum { WIDTH = 8, CHAINS = 16 };
#elif defined __AVX__
enum { WIDTH = 4, CHAINS = 12 };
#else
enum { WIDTH = 2, CHAINS = 12 };
#endif

typedef double vector __attribute__((vector_size(WIDTH * sizeof(double))));

enum { LANES = 64 };

const int loop_multiply_add_width = WIDTH * CHAINS;

double
loop_read(int64_t n, double *const *b)
{
    const double *x = b[0];
    double lane[LANES] = {0}, s = 0;
    for (int64_t i = 0; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    for (int k = 0; k < LANES; k++)
        s += lane[k];
    return s;
}

double
loop_copy(int64_t n, double *const *b)
{
    const double *x = b[0];
    double *restrict r = b[1];
    for (int64_t i = 0; i < n; i++)
        r[i] = x[i];
    return 0;
}

double
loop_triad(int64_t n, double *const *b)
{
    const double *x = b[0], *y = b[1];
    double *restrict r = b[2];
    for (int64_t i = 0; i < n; i++)
        r[i] = x[i] + 3.0 * y[i];
    return 0;
}

double
loop_multiply_add(int64_t n, double *const *b)
{
    vector x[CHAINS], s = {0};
    volatile double factor = 0.999, term = 0.001; /* known only when run */
    const vector m = (vector){0} + factor, c = (vector){0} + term;
    (void)b;
    for (int k = 0; k < CHAINS; k++)
        x[k] = (vector){0} + (double)k;
    for (int64_t i = 0; i < n; i++)
#pragma GCC unroll 16
        for (int k = 0; k < CHAINS; k++)
            x[k] = x[k] * m + c;
    for (int k = 0; k < CHAINS; k++)
        s += x[k];
    return s[0];
}
