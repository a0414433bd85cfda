/* SPDX-License-Identifier: MIT
 *
 * Runs over ranks: the bits of one process.
 */
#include "tests/unit/ranks_fixture.h"

#define N(value) .size = {{"n", value}}, .nsizes = 1
#define NM(first, second) .size = {{"n", first}, {"m", second}}, .nsizes = 2

#define LAPLACE                                                                \
    "ilex 1\nprogram laplace\nsize n, m\n"                                     \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "out y = u[I-1] + u[I+1] + u[J-1] + u[J+1] - 4.0*u\n"
#define CORNERS                                                                \
    "ilex 1\nprogram corners\nsize n, m\n"                                     \
    "in u : f64[I:n, J:m] halo(I:2:1, J:1:2)\n"                                \
    "out y = u[I-2, J-1]*3.0 + u[I+1, J+2] - u[I-2, J+2] + u[I+1, J-1]\n"

/* Outputs on other ranges: parts may have points of some only. */
#define RANGES                                                                 \
    "ilex 1\nprogram ranges\nsize n, m\nassume n >= 4\n"                       \
    "in u : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "let c = u[I-1] * u[I+1] + u[J-1]\n"                                       \
    "out a = c - u\n"                                                          \
    "out b : f64[I:1:n-1, J:m] = c[I=1:n-1]\n"                                 \
    "out d : f64[I:2:4, J:m] = u[I=2:4] + c[I=2:4]\n"
#define STAGGERED                                                              \
    "ilex 1\nprogram staggered\nsize n, m\n"                                  \
    "in h : f64[I:n, J:m] halo(I:1:1, J:1:1)\n"                                \
    "in v : f64[I+1/2:n, J:m] halo(I+1/2:1:1, J:1:1)\n"                        \
    "out x = v + h[I+1/2] - h[I-1/2]\n"                                        \
    "out y = h + v[I-1/2] * v[I+1/2]\n"
/* Indices and random numbers are those of the whole. */
#define GLOBAL                                                                 \
    "ilex 1\nprogram global\nsize n, m\n"                                     \
    "in u : f32[I:n, J:m, K:3] halo(I:1:1, K:1:1)\n"                           \
    "in w : f64[J:m]\n"                                                        \
    "in s : f64[]\n"                                                           \
    "out y = where(index(I) == 0 || index(J) == m - 1, w*s, "                  \
    "f64(u[I-1, K+1] + u[I+1, K-1]))\n"                                        \
    "out z = index(I)*index(J) + i64(u)\n"
#define PIPELINE                                                               \
    "ilex 1\nprogram pipeline\nsize n, m\n"                                   \
    "in u : f64[I:n, J:m] halo(I:4:4, J:4:4)\n"                                \
    "let a = u[I-1] + u[I+1] + u[J-1] + u[J+1]\n"                              \
    "let b = a[I-1] * a[I+1] + a[J-1] - a[J+1]\n"                              \
    "let c = b[I-1] + b[I+1] + b[J-1] + b[J+1]\n"                              \
    "out y = c[I-1] - c[I+1] + c[J-1] + c[J+1]\n"                              \
    "out z = a - b\n"

static const ranks_case cases[] = {
    {LAPLACE, "I:2", "I:10", NULL, 1, NM(10, 7)},
    {LAPLACE, "I:2, J:2", "I:10, J:7", NULL, 1, NM(10, 7)},
    {LAPLACE, "J:3", "J:7", NULL, 1, NM(10, 7)},
    {LAPLACE, "I:3, J:2", "I:10, J:7", "I, J", 1, NM(10, 7)},
    {LAPLACE, "I:1, J:2", "I:10, J:7", "I", 1, NM(10, 7)},
    {LAPLACE, "I:8", "I:5", NULL, 1, NM(5, 4)},
    {LAPLACE, "I:4, J:2", "I:3, J:1", "I, J", 1, NM(3, 1)},
    {CORNERS, "I:2, J:2", "I:6, J:8", NULL, 2, NM(6, 8)},
    {CORNERS, "I:2, J:3", "I:6, J:8", "J", 2, NM(6, 8)},
    {CORNERS, "I:6, J:1", "I:4, J:8", "I", 3, NM(4, 8)},
    {RANGES, "I:2, J:2", "I:9, J:4", NULL, 2, NM(9, 4)},
    {RANGES, "I:8", "I:9", NULL, 2, NM(9, 4)},
    {RANGES, "I:6", "I:4", NULL, 2, NM(4, 4)},
    {STAGGERED, "I:3, J:2", "I:7, J:4", NULL, 2, NM(7, 4)},
    {STAGGERED, "I:4", "I:8", "I", 2, NM(8, 4)},
    {GLOBAL, "I:2, J:2", "I:5, J:4", NULL, 2, NM(5, 4)},
    {GLOBAL, "J:3, I:2", "I:5, J:4", "I", 1, NM(5, 4)},
    {PIPELINE, "I:2, J:2", "I:20, J:30", NULL, 4, NM(20, 30)},
    {PIPELINE, "I:4, J:2", "I:9, J:9", "I", 4, NM(9, 9)},
};

START_TEST(same_bits)
{
    ranks_world w;
    ranks_open(&w, &cases[_i], 5);
    ranks_compare(&w);
    ranks_close(&w);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ranks");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, same_bits, 0, (int)IX_COUNT(cases));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
