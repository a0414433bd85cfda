/* SPDX-License-Identifier: MIT
 *
 * Operands of complex functions, the same on every machine: uniform in a
 * range, near the unit circle and the branch points 0, 1, -1, i, -i, with parts
 * of all sizes, of any bits at all, and all pairs of some special values.
 */
#ifndef ILEX_TESTS_COMPLEX_H
#define ILEX_TESTS_COMPLEX_H

#include "tests/math/arguments.h"

enum { COMPLEX_OPERANDS = 20000 };

/* A number or a special value of either sign. */
static inline double
math_end(math_random *r, int single)
{
    static const double ends[] = {0, 0.5, 1, 2, 3};
    uint64_t k = math_next(r) >> 8, e = k & 7;
    double x = e < 5    ? ends[e]
               : e == 5 ? math_of_bits(0x7ff8ull << 48)
                        : math_of_bits(0x7ffull << 52);
    if (e == 7)
        x = single ? 0x1.fffffep127 : math_of_bits(0x7fefffffffffffff);
    return k & 8 && x == x ? -x : x;
}

/* A part, up to "high" or of all sizes. */
static inline double
math_part(math_random *r, double high, int single)
{
    uint64_t way = math_next(r) >> 16;
    double x = math_size(r, single ? 140 : 1060);
    x = way & 2 ? 1 / x : x;
    x = way & 1 ? high * math_unit(r) : x;
    return way & 4 ? -x : x;
}

/* The next operand, its real part up to "re", its imaginary part up to "im". */
static inline void
math_complex(math_random *r, double re, double im, int single, double *x)
{
    uint64_t way = math_next(r) >> 20;
    double t = 2 * math_unit(r) - 1, s = 1 + t * t;
    double near = 1 + (way & 16 ? math_size(r, 60) : -math_size(r, 60));
    x[0] = (way & 32 ? -1 : 1) * math_size(r, way & 64 ? 60 : 600);
    x[1] = (way & 128 ? -1 : 1) * math_size(r, way & 256 ? 60 : 600);
    switch (way & 7) {
    case 0:
        x[0] = math_any(r, single);
        x[1] = math_any(r, single);
        break;
    case 1:
        x[way >> 9 & 1] = near * (1 - t * t) / s;
        x[~way >> 9 & 1] = near * 2 * t / s;
        break;
    case 2:
        x[way >> 9 & 1] += way >> 10 & 1 ? 1 : way >> 11 & 1 ? -1 : 0;
        break;
    case 3:
        x[0] = math_end(r, single);
        x[1] = math_end(r, single);
        break;
    case 4:
        x[0] = math_part(r, re, single);
        x[1] = math_part(r, im, single);
        break;
    default:
        x[0] = re * t;
        x[1] = im * (2 * math_unit(r) - 1);
    }
    x[0] = single ? (double)(float)x[0] : x[0];
    x[1] = single ? (double)(float)x[1] : x[1];
}

#endif
