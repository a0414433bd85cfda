/* SPDX-License-Identifier: MIT
 *
 * Arguments of elementary functions, the same on every machine: uniform in a
 * range, of all sizes up to its ends, close to 1 and other small integers, and
 * any bits at all.
 */
#ifndef ILEX_TESTS_ARGUMENTS_H
#define ILEX_TESTS_ARGUMENTS_H

#include <stdint.h>
#include <string.h>

typedef struct math_random {
    uint64_t state;
} math_random;

/* The next random number (xorshift). */
static inline uint64_t
math_next(math_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state * 0x2545f4914f6cdd1du;
}

static inline double
math_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* From 0 to 1. */
static inline double
math_unit(math_random *r)
{
    return (double)(int64_t)(math_next(r) >> 11) * 0x1p-53;
}

/* From 2^(-n) to 1, all exponents alike. */
static inline double
math_size(math_random *r, int n)
{
    uint64_t exponent = 1023 - 1 - math_next(r) % (unsigned)n;
    return math_of_bits(exponent << 52 | math_next(r) >> 12);
}

/* Any number; of those of f32 if "single". */
static inline double
math_any(math_random *r, int single)
{
    uint64_t bits = math_next(r);
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return single ? x : math_of_bits(bits);
}

/* The next argument, for a function that is of interest on [low, high]. */
static inline double
math_argument(math_random *r, double low, double high, int single)
{
    uint64_t way = math_next(r);
    double end = way & 16 && low != 0 ? low : high, whole;
    switch (way & 7) {
    case 0:
        return math_any(r, single);
    case 1:
        whole = (double)(int64_t)(way >> 8 & 3);
        return whole + (way & 16 ? -math_size(r, 53) : math_size(r, 53));
    case 2:
    case 3:
    case 4:
        return end * math_size(r, way & 32 ? 1000 : 30);
    default:
        return low + (high - low) * math_unit(r);
    }
}

/* A second argument: one of its own, or of a size that y times the logarithm of
 * x is not too large for pow. */
static inline double
math_second(math_random *r, double x, double low, double high, int single)
{
    uint64_t bits;
    double y = math_argument(r, low, high, single);
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    double most = (single ? 150.0 : 1100.0) * (2 * math_unit(r) - 1);
    if (math_next(r) & 1 && exponent != 0 && exponent < 1024)
        y = most / exponent;
    return y;
}

/* Adds the bits of a result to a hash; all NaNs are one. */
static inline uint64_t
math_hash(uint64_t hash, double result)
{
    uint64_t bits;
    double y = result == result ? result : 0.125;
    memcpy(&bits, &y, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Where every function's arguments begin. */
static inline math_random
math_start(void)
{
    return (math_random){0x1234567887654321u};
}

#endif
