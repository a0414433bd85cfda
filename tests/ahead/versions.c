/* SPDX-License-Identifier: MIT
 *
 * Versions of a kernel (versions.sh), ahead of time: with sizes and strides on
 * both sides of each condition one of them runs, and results are the bits of
 * the program without. versions.sh has each count in ilex_taken.
 */
#include <stdio.h>
#include <string.h>

#include "none.h"
#include "p.h"

enum { N = 3, M = 5, K = 4100 };

int ilex_taken[4]; /* calls of kernels 0, 1, ... */

static double a[N * K], b[2 * K * M], c[N * M], want[N * M];

/* Elements of a row of b are "stride" apart, or lie below each other. */
static int
run(int64_t k, int64_t stride, int expected)
{
    p_args x;
    none_args y;
    p_args_init(&x);
    none_args_init(&y);
    memset(ilex_taken, 0, sizeof ilex_taken);
    memset(c, 255, sizeof c);
#define FILL(args, to)                                                         \
    args.n = N;                                                                \
    args.m = M;                                                                \
    args.k = k;                                                                \
    args.a.data = a;                                                           \
    args.b.data = b;                                                           \
    args.b.shape[0] = k;                                                       \
    args.b.shape[1] = M;                                                       \
    args.b.stride[0] = stride ? M * stride : 1;                                \
    args.b.stride[1] = stride ? stride : k;                                    \
    args.c.data = to;
    FILL(x, c)
    FILL(y, want)
    int rc = p(&x), other = none(&y), good = rc == 0 && other == 0;
    for (int i = 0; i < 4; i++)
        good = good && (ilex_taken[i] > 0) == (i == expected);
    good = good && memcmp(c, want, sizeof c) == 0;
    if (!good)
        printf("k = %d, stride %d: returns %d and %d; ran %d %d %d %d\n",
               (int)k, (int)stride, rc, other, ilex_taken[0], ilex_taken[1],
               ilex_taken[2], ilex_taken[3]);
    return !good;
}

int
main(void)
{
    for (int i = 0; i < N * K; i++)
        a[i] = (double)(i * 37 % 101) / 7.0;
    for (int i = 0; i < 2 * K * M; i++)
        b[i] = (double)(i * 53 % 97) / 3.0;
    return run(8, 1, 0) + run(8, 2, 0) + run(9, 1, 1) + run(9, 2, 3) +
           run(9, 0, 2) + run(4097, 1, 1) + run(K, 2, 3) + run(K, 0, 2);
}
