/* SPDX-License-Identifier: MIT
 *
 * Products of matrices with blocks, ahead of time (blocks.sh), and without: the
 * bits are the same, inside of blocks and at their edges.
 */
#include <stdio.h>
#include <string.h>

#include "none_f32s.h"
#include "none_f64s.h"
#include "of_f32s.h"
#include "of_f64s.h"

enum { N = 13, M = 35, K = 4200 };

#define SET(x, to)                                                             \
    x.n = n;                                                                   \
    x.m = m;                                                                   \
    x.k = k;                                                                   \
    x.a.data = a;                                                              \
    x.b.data = b;                                                              \
    x.c.data = to;

#define TEST(dtype, type)                                                      \
    static int test_##dtype(int64_t n, int64_t m, int64_t k)                   \
    {                                                                          \
        static type a[N * K], b[K * M], c[N * M], want[N * M];                 \
        of_##dtype##s_args x;                                                  \
        none_##dtype##s_args y;                                                \
        of_##dtype##s_args_init(&x);                                           \
        none_##dtype##s_args_init(&y);                                         \
        for (int i = 0; i < N * K; i++)                                        \
            a[i] = (type)(i * 37 % 101 - 50) / 7;                              \
        for (int i = 0; i < K * M; i++)                                        \
            b[i] = (type)(i * 53 % 97 - 48) / 3;                               \
        memset(c, 255, sizeof c);                                              \
        memset(want, 255, sizeof want);                                        \
        SET(x, c)                                                              \
        SET(y, want)                                                           \
        int rc = of_##dtype##s(&x), other = none_##dtype##s(&y);               \
        int good = rc == 0 && other == 0 && memcmp(c, want, sizeof c) == 0;    \
        if (!good)                                                             \
            printf("%s, %d by %d by %d: returns %d and %d\n", #dtype, (int)n,  \
                   (int)m, (int)k, rc, other);                                 \
        return !good;                                                          \
    }
TEST(f64, double)
TEST(f32, float)

int
main(void)
{
    static const int64_t rows[] = {3, 6, 13}, columns[] = {1, 16, 32, 35},
                         elements[] = {0, 1, 3, 128, 129, 4096, 4200};
    int bad = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
            for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
                bad += test_f64(rows[i], columns[j], elements[k]);
                bad += test_f32(rows[i], columns[j], elements[k]);
            }
    return bad > 0;
}
