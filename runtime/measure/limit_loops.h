/* SPDX-License-Identifier: MIT
 *
 * The loops that measure what the machine can do. "b" are arrays of "n"
 * elements, the one that is written last.
 */
#ifndef ILEX_MEASURE_LIMIT_LOOPS_H
#define ILEX_MEASURE_LIMIT_LOOPS_H

#include <stdint.h>

/* The sum of b[0]. */
double loop_read(int64_t n, double *const *b);

/* b[1] = b[0]; 0. */
double loop_copy(int64_t n, double *const *b);

/* b[2] = b[0] + 3 b[1]; 0. */
double loop_triad(int64_t n, double *const *b);

/* x = m x + c, "n" times on each of loop_multiply_add_width independent x;
 * their sum. "b" is not used. */
double loop_multiply_add(int64_t n, double *const *b);
extern const int loop_multiply_add_width;

#endif
