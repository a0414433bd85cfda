/* SPDX-License-Identifier: MIT
 *
 * Values of scalars: what ops.def computes, evaluated in C for constant
 * folding and the reference back end. It compiles the same cells from which
 * generated source is printed.
 */
#ifndef ILEX_LIB_EVAL_H
#define ILEX_LIB_EVAL_H

#include "lib/ops/op.h"

/* A scalar; its dtype is kept beside it. bool is 0 or 1 in "i"; integers are
 * sign- or zero-extended in "i" or "u"; f32, f16 and bf16 are the double of
 * equal value;
 * complex numbers are (f, im). Unused members are 0. */
typedef struct ix_value {
    union {
        int64_t i;
        uint64_t u;
        double f;
    };
    double im;
} ix_value;

/* "args" are of dtype "loop" as ix_op_type() gave it (for `where`, args[0] is
 * bool). "result" may be one of them. The pair must be defined. */
void ix_op_eval(ix_op op, ilex_dtype loop, const ix_value *args,
                ix_value *result);

/* Conversion. Integers wrap; floats to integers saturate, NaN gives 0; to
 * bool: whether nonzero; complex to real keeps the real part. */
void ix_cast_eval(ilex_dtype from, ilex_dtype to, const ix_value *x,
                  ix_value *result);

/* f16 and bf16: the bits of x, rounded, and the number that they are. */
uint16_t ix_half_bits(ilex_dtype dtype, double x);
double ix_half_number(ilex_dtype dtype, uint16_t bits);

/* Part "acc" of an accumulator becomes fma(part a, part b, part acc), the first
 * one negated if "minus"; 1 is the imaginary part. */
typedef struct ix_product_step {
    bool a, b, acc, minus;
} ix_product_step;
/* The step of acc + a*b behind "step", of NULL the first one; NULL: none. */
const ix_product_step *ix_product_next(ilex_dtype a, ilex_dtype b,
                                       const ix_product_step *step);
/* sum + x[0]*x[1] by these steps; sum is real or complex, of dtype "acc", "a"
 * and "b" are that or the dtype of its parts. */
ix_value ix_product_add(ilex_dtype a, ilex_dtype b, ilex_dtype acc,
                        const ix_value *x, ix_value sum);

/* Elementary functions on f64 and f32, "exp_f64", for code that calls them by
 * name; the last one has none. */
typedef struct ix_function_symbol {
    const char *name;
    void (*address)(void);
} ix_function_symbol;
extern const ix_function_symbol ix_function_symbols[];

/* Reads and writes memory of any alignment; bool is read as != 0. */
ix_value ix_value_load(ilex_dtype dtype, const void *p);
void ix_value_store(ilex_dtype dtype, void *p, ix_value v);

/* Bit equality apart from sign and payload of NaN. */
bool ix_value_same(ilex_dtype dtype, ix_value a, ix_value b);

/* The partial result of nothing, in dtype "acc": combining it with x gives x
 * (see reductions.def for complex products). */
ix_value ix_reduction_identity(ix_reduction r, ilex_dtype acc);

/* The result over an empty range, in dtype "result"; false where that is an
 * error. */
bool ix_reduction_empty(ix_reduction r, ilex_dtype result, ix_value *value);

/* argmax and argmin: whether "candidate" replaces "best", which comes before
 * it. */
bool ix_reduction_better(ix_reduction r, ilex_dtype dtype, ix_value candidate,
                         ix_value best);

#endif
