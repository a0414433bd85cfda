/* SPDX-License-Identifier: MIT
 *
 * The spelling of operators.def, casts.def and functions_*.inc as C for this
 * compiler: short type names, what the tokens T A U R BITS MIN MAX END M() F()
 * FC() FR() FS() stand for while the macro D is a loop dtype's short name, and
 * the cells E() V() P() C() N as statements that set `re` and `im`, V() the
 * result itself, in that member of ix_value that D does not use. Included by
 * lib/ops/eval.c only, after every other header, since the names are short.
 */
#ifndef ILEX_LIB_EVAL_TYPES_H
#define ILEX_LIB_EVAL_TYPES_H

#include <math.h>
#include <stdint.h>

/* What gcc 12 makes two numbers of f32 of at once it does not round to f32
 * (ROUND in compiler/emit/heads.def). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

#define IX_UNUSED __attribute__((unused))

#define IX_SCALAR(ENUM, name, part, wide, real, bits, min, max, end)           \
    typedef part part_##name;                                                  \
    typedef wide wide_##name;                                                  \
    typedef real real_##name;                                                  \
    enum { width_##name = bits };                                              \
    IX_UNUSED static const part min_##name = min;                              \
    IX_UNUSED static const part max_##name = max;                              \
    IX_UNUSED static const double end_##name = end;
#include "lib/ops/scalars.def"

#define IX_GLUE_(a, b) a##b
#define IX_GLUE(a, b) IX_GLUE_(a, b)

#define T IX_GLUE(part_, D)
#define A IX_GLUE(part_, D)
#define U IX_GLUE(wide_, D)
#define R IX_GLUE(real_, D)
#define BITS IX_GLUE(width_, D)
#define MIN IX_GLUE(min_, D)
#define MAX IX_GLUE(max_, D)
#define END IX_GLUE(end_, D)

/* The enum constant of lib/ops/functions.h: a function without a row in
 * math.def, which generated source could not call, is an error here. */
#define IX_MATH_f32(name) ((void)IX_MATH_##name, name##f)
#define IX_MATH_f64(name) ((void)IX_MATH_##name, name)
#define IX_MATH_c64(name) IX_MATH_f32(name)
#define IX_MATH_c128(name) IX_MATH_f64(name)
#define M(name) IX_GLUE(IX_MATH_, D)(name)
#define F(name) IX_GLUE(name##_, D)
#define FC(name) IX_GLUE(name##_, IX_GLUE(IX_DOUBLE_, D))
#define FR(name) name##_f64
#define FS(name) name##_f32
#define IX_DOUBLE_f32 f64
#define IX_DOUBLE_c64 c128

#define E(expression) re = (T)(expression);
#define V(expression)                                                          \
    result->OTHER = expression;                                                \
    return;
#define P(real_part, imag_part)                                                \
    re = (T)(real_part);                                                       \
    im = (T)(imag_part);
#define C(call) call;
#define N

/* A helper function, defined for the dtype D. */
#define IX_FUNCTION(name, result, parameters, doc, ...)                        \
    IX_UNUSED static result F(name)                                            \
    parameters __VA_ARGS__
#define IX_FUNCTION_APART IX_FUNCTION

#endif
