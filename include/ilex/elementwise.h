/* SPDX-License-Identifier: MIT
 *
 * Element-wise operators, a row of ops.def each. This file is written by
 * lib/ops/elementwise.sh of the sources.
 *
 * Each returns a new array whose element is the operator applied to the
 * operands' elements, after broadcasting (by axis name where axes are named,
 * else by position from the right) and conversion to one dtype, as NumPy does.
 * Literals take the other operand's dtype within their kind.
 *
 * Errors: ILEX_E_DTYPE where the operator is not defined for the dtypes;
 * ILEX_E_SHAPE, ILEX_E_UNDECIDED from broadcasting. Operands stay the
 * caller's; the result belongs to the current scope. Context thread.
 */
#ifndef ILEX_ELEMENTWISE_H
#define ILEX_ELEMENTWISE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arithmetic ---- */

/* x + y. Integers wrap; for bool it is `or`. Any dtypes; the result has the
 * promoted dtype. */
ILEX_API ilex_array *ilex_add(ilex_array *x, ilex_array *y);

/* x - y. Integers wrap. Any dtypes but bool alone; the result has the
 * promoted dtype. */
ILEX_API ilex_array *ilex_subtract(ilex_array *x, ilex_array *y);

/* x * y. Integers wrap; for bool it is `and`; complex by the plain formula.
 * Any dtypes; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_multiply(ilex_array *x, ilex_array *y);

/* x / y, for integers too. Any dtypes; the result has the promoted dtype,
 * f64 for bool and integers. */
ILEX_API ilex_array *ilex_true_divide(ilex_array *x, ilex_array *y);

/* x / y rounded to minus infinity. Integers: 0 where y is 0. Not for
 * complex; the result has the promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_floor_divide(ilex_array *x, ilex_array *y);

/* x - y * floor(x / y), with the sign of y. Integers: 0 where y is 0. Not
 * for complex; the result has the promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_remainder(ilex_array *x, ilex_array *y);

/* x - y * trunc(x / y), with the sign of x. Integers: 0 where y is 0. Not
 * for complex; the result has the promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_fmod(ilex_array *x, ilex_array *y);

/* x to the power y. An integer to a negative power is exact for 1 and -1,
 * else 0. Any dtypes; the result has the promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_power(ilex_array *x, ilex_array *y);

/* -x. Integers wrap. Any dtypes but bool alone; the result has the promoted
 * dtype. */
ILEX_API ilex_array *ilex_negative(ilex_array *x);

/* x. Any dtypes but bool alone; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_positive(ilex_array *x);

/* |x|. The smallest signed integer stays itself; complex: the modulus,
 * real. Any dtype; the result has the same dtype, that of the parts for
 * complex. */
ILEX_API ilex_array *ilex_absolute(ilex_array *x);

/* -1, 0 or 1; NaN for NaN; complex: x / |x|, and 0 for 0. Any dtypes but
 * bool alone; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_sign(ilex_array *x);

/* 1 / x. Integers: x for 1 and -1, else 0. Any dtypes; the result has the
 * promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_reciprocal(ilex_array *x);

/* x * x. Integers wrap. Any dtypes; the result has the promoted dtype, i8
 * for bool. */
ILEX_API ilex_array *ilex_square(ilex_array *x);

/* Greatest common divisor, >= 0; gcd(0, 0) is 0. Integers only; the result
 * has the promoted dtype. */
ILEX_API ilex_array *ilex_gcd(ilex_array *x, ilex_array *y);

/* Least common multiple, >= 0; 0 if an operand is 0. Wraps. Integers only;
 * the result has the promoted dtype. */
ILEX_API ilex_array *ilex_lcm(ilex_array *x, ilex_array *y);

/* ---- extrema: one formula, also of the reductions max and min ---- */

/* The larger operand; NaN if either is NaN; equal: x. Complex: real part
 * first. Any dtypes; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_maximum(ilex_array *x, ilex_array *y);

/* The smaller operand; NaN if either is NaN; equal: x. Complex: real part
 * first. Any dtypes; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_minimum(ilex_array *x, ilex_array *y);

/* The larger operand; a NaN loses against a number; equal: x. Any dtypes;
 * the result has the promoted dtype. */
ILEX_API ilex_array *ilex_fmax(ilex_array *x, ilex_array *y);

/* The smaller operand; a NaN loses against a number; equal: x. Any dtypes;
 * the result has the promoted dtype. */
ILEX_API ilex_array *ilex_fmin(ilex_array *x, ilex_array *y);

/* ---- comparisons: the result is bool ---- */

/* Whether x = y; false if either is NaN. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_equal(ilex_array *x, ilex_array *y);

/* Whether x and y differ; true if either is NaN. Any dtypes; the result is
 * bool. */
ILEX_API ilex_array *ilex_not_equal(ilex_array *x, ilex_array *y);

/* Whether x < y; false with NaN. Complex: real part first. Any dtypes; the
 * result is bool. */
ILEX_API ilex_array *ilex_less(ilex_array *x, ilex_array *y);

/* Whether x <= y; false with NaN. Complex: real part first. Any dtypes; the
 * result is bool. */
ILEX_API ilex_array *ilex_less_equal(ilex_array *x, ilex_array *y);

/* Whether x > y; false with NaN. Complex: real part first. Any dtypes; the
 * result is bool. */
ILEX_API ilex_array *ilex_greater(ilex_array *x, ilex_array *y);

/* Whether x >= y; false with NaN. Complex: real part first. Any dtypes; the
 * result is bool. */
ILEX_API ilex_array *ilex_greater_equal(ilex_array *x, ilex_array *y);

/* ---- logic: operands are tested against zero, NaN is true ---- */

/* Whether both operands are nonzero. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_logical_and(ilex_array *x, ilex_array *y);

/* Whether an operand is nonzero. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_logical_or(ilex_array *x, ilex_array *y);

/* Whether exactly one operand is nonzero. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_logical_xor(ilex_array *x, ilex_array *y);

/* Whether x is zero. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_logical_not(ilex_array *x);

/* ---- bits ---- */

/* x & y, bit by bit. bool and integers only; the result has the promoted
 * dtype. */
ILEX_API ilex_array *ilex_bitwise_and(ilex_array *x, ilex_array *y);

/* x | y, bit by bit. bool and integers only; the result has the promoted
 * dtype. */
ILEX_API ilex_array *ilex_bitwise_or(ilex_array *x, ilex_array *y);

/* x ^ y, bit by bit. bool and integers only; the result has the promoted
 * dtype. */
ILEX_API ilex_array *ilex_bitwise_xor(ilex_array *x, ilex_array *y);

/* ~x, bit by bit; for bool it is `not`. bool and integers only; the result
 * has the promoted dtype. */
ILEX_API ilex_array *ilex_invert(ilex_array *x);

/* x << y; 0 where y is negative or at least the width. bool and integers
 * only; the result has the promoted dtype, i8 for bool. */
ILEX_API ilex_array *ilex_left_shift(ilex_array *x, ilex_array *y);

/* x >> y, arithmetic; 0 (-1 for negative x) where y is negative or at least
 * the width. bool and integers only; the result has the promoted dtype, i8
 * for bool. */
ILEX_API ilex_array *ilex_right_shift(ilex_array *x, ilex_array *y);

/* The bits of x as an unsigned integer; those of the positive quiet NaN for
 * every NaN. f16, bf16, f32 and f64 only; the result is u16, u32 or u64. */
ILEX_API ilex_array *ilex_bits(ilex_array *x);

/* The number whose bits are those of x; integers of 8 bits are widened to
 * 32. Integers only; the result is f16 for those of 16 bits, f64 for those
 * of 64, else f32. */
ILEX_API ilex_array *ilex_from_bits(ilex_array *x);

/* 64 random bits, the first two words of Philox 4x32-10: the counter is the
 * halves of x and y, low ones first, the key those of z. Integers only,
 * each converted to u64; the result is u64. */
ILEX_API ilex_array *ilex_philox(ilex_array *x, ilex_array *y, ilex_array *z);

/* ---- rounding ---- */

/* The largest integer <= x. Not for complex; the result has the same dtype. */
ILEX_API ilex_array *ilex_floor(ilex_array *x);

/* The smallest integer >= x. Not for complex; the result has the same
 * dtype. */
ILEX_API ilex_array *ilex_ceil(ilex_array *x);

/* x rounded to zero. Not for complex; the result has the same dtype. */
ILEX_API ilex_array *ilex_trunc(ilex_array *x);

/* The nearest integer; halves to even. Floating for integers, too. Any
 * dtypes; the result is floating: f32 for bool and integers of up to 16
 * bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_rint(ilex_array *x);

/* The nearest integer; halves to even. Integers stay what they are. Any
 * dtype; the result has the same dtype, f32 for bool. */
ILEX_API ilex_array *ilex_round(ilex_array *x);

/* ---- powers, exponentials, logarithms ---- */

/* Square root; NaN for a negative real; complex: cut below the negative
 * real axis. Any dtypes; the result is floating: f32 for bool and integers
 * of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_sqrt(ilex_array *x);

/* Cube root. Not for complex; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_cbrt(ilex_array *x);

/* e to the power x. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_exp(ilex_array *x);

/* 2 to the power x. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_exp2(ilex_array *x);

/* exp(x) - 1, accurate near 0. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_expm1(ilex_array *x);

/* Natural logarithm. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_log(ilex_array *x);

/* Logarithm to base 2. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_log2(ilex_array *x);

/* Logarithm to base 10. Any dtypes; the result is floating: f32 for bool
 * and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_log10(ilex_array *x);

/* log(1 + x), accurate near 0. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_log1p(ilex_array *x);

/* log(exp(x) + exp(y)) without overflow; near 0 as accurate as x and y. Not
 * for complex; the result is floating: f32 for bool and integers of up to
 * 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_logaddexp(ilex_array *x, ilex_array *y);

/* ---- trigonometric and hyperbolic functions ---- */

/* Sine; x in radians. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_sin(ilex_array *x);

/* Cosine; x in radians. Any dtypes; the result is floating: f32 for bool
 * and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_cos(ilex_array *x);

/* Tangent; x in radians. Any dtypes; the result is floating: f32 for bool
 * and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_tan(ilex_array *x);

/* Inverse sine, in radians. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arcsin(ilex_array *x);

/* Inverse cosine, in radians. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arccos(ilex_array *x);

/* Inverse tangent, in radians. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arctan(ilex_array *x);

/* Angle of the point (y, x), in (-pi, pi]. Not for complex; the result is
 * floating: f32 for bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arctan2(ilex_array *x, ilex_array *y);

/* Hyperbolic sine. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_sinh(ilex_array *x);

/* Hyperbolic cosine. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_cosh(ilex_array *x);

/* Hyperbolic tangent. Any dtypes; the result is floating: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_tanh(ilex_array *x);

/* Inverse hyperbolic sine. Any dtypes; the result is floating: f32 for bool
 * and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arcsinh(ilex_array *x);

/* Inverse hyperbolic cosine. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arccosh(ilex_array *x);

/* Inverse hyperbolic tangent. Any dtypes; the result is floating: f32 for
 * bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_arctanh(ilex_array *x);

/* sqrt(x * x + y * y) without overflow. Not for complex; the result is
 * floating: f32 for bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_hypot(ilex_array *x, ilex_array *y);

/* x * y + z, rounded once. f16, bf16, f32 and f64, and what is promoted to
 * them; the result has the promoted dtype. */
ILEX_API ilex_array *ilex_fma(ilex_array *x, ilex_array *y, ilex_array *z);

/* ---- error function and gamma function ---- */

/* Error function, 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to
 * x. Not for complex; the result is floating: f32 for bool and integers of
 * up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_erf(ilex_array *x);

/* 1 - erf(x), accurate where that is small. Not for complex; the result is
 * floating: f32 for bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_erfc(ilex_array *x);

/* Gamma function, (x - 1)! for whole x > 0; NaN at -1, -2, .... Not for
 * complex; the result is floating: f32 for bool and integers of up to 16
 * bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_gamma(ilex_array *x);

/* log(abs(gamma(x))); infinite at 0, -1, -2, .... Not for complex; the
 * result is floating: f32 for bool and integers of up to 16 bits, f64 for
 * wider ones. */
ILEX_API ilex_array *ilex_lgamma(ilex_array *x);

/* ---- parts and classes of numbers ---- */

/* |x| with the sign of y; NaN has no sign. Not for complex; the result is
 * floating: f32 for bool and integers of up to 16 bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_copysign(ilex_array *x, ilex_array *y);

/* The number next to x on the way to y; y if they are equal. Not for
 * complex; the result is floating: f32 for bool and integers of up to 16
 * bits, f64 for wider ones. */
ILEX_API ilex_array *ilex_nextafter(ilex_array *x, ilex_array *y);

/* Whether x is negative or -0; false for NaN. Not for complex; the result
 * is bool. */
ILEX_API ilex_array *ilex_signbit(ilex_array *x);

/* Real part. Any dtype; the result has the same dtype, that of the parts
 * for complex. */
ILEX_API ilex_array *ilex_real(ilex_array *x);

/* Imaginary part; 0 for a number that is not complex. Any dtype; the result
 * has the same dtype, that of the parts for complex. */
ILEX_API ilex_array *ilex_imag(ilex_array *x);

/* Complex conjugate. Any dtypes; the result has the promoted dtype, i8 for
 * bool. */
ILEX_API ilex_array *ilex_conjugate(ilex_array *x);

/* Angle of x in the complex plane, in (-pi, pi]. Any dtype; the result is
 * real. */
ILEX_API ilex_array *ilex_angle(ilex_array *x);

/* Whether x (a part of x) is NaN. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_isnan(ilex_array *x);

/* Whether x (a part of x) is infinite. Any dtypes; the result is bool. */
ILEX_API ilex_array *ilex_isinf(ilex_array *x);

/* Whether x (both parts of x) is neither infinite nor NaN. Any dtypes; the
 * result is bool. */
ILEX_API ilex_array *ilex_isfinite(ilex_array *x);

/* ---- choice ---- */

/* y where x is nonzero, else z. x of any dtype; the result has the promoted
 * dtype of y and z. */
ILEX_API ilex_array *ilex_where(ilex_array *x, ilex_array *y, ilex_array *z);

#ifdef __cplusplus
}
#endif
#endif
