/* SPDX-License-Identifier: MIT
 *
 * Evaluation of operators, conversions and reduction steps on single values:
 * the cells of operators.def and casts.def and the helper functions, compiled
 * for each of the dtypes. The code is in lib/ops/eval_dtype.inc; below are
 * the dtypes, kind by kind, then the functions that choose among them.
 *
 * To be compiled without contraction of a * b + c into one rounding.
 */
#include "lib/ops/eval.h"

#include "lib/ops/dtype.h"
#include "lib/ops/functions.h"

#include "lib/ops/eval_types.h"

#define KIND_BOOL 'b'
#define KIND_SIGNED 'i'
#define KIND_UNSIGNED 'u'
#define KIND_REAL 'f'
#define KIND_COMPLEX 'c'

#define LOAD_BOOL IX_UNUSED u64 x = v->u;
#define LOAD_SIGNED IX_UNUSED i64 x = v->i;
#define LOAD_UNSIGNED IX_UNUSED u64 x = v->u;
#define LOAD_REAL IX_UNUSED f64 x = v->f;
#define LOAD_COMPLEX IX_UNUSED f64 xr = v->f, xi = v->im;

/* the order of includes counts */
/* clang-format off */

/* ---- bool and integers ---- */

#define OPERAND(x, v) IX_UNUSED T x = (T)(v).FIELD

#define COLUMN(b, i, u, f, c) b
#define FIELD u
#define OTHER f
#define D b8
#include "lib/ops/eval_dtype.inc"
#undef COLUMN
#undef FIELD

#define COLUMN(b, i, u, f, c) i
#define FIELD i
#define D i8
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_signed.inc"
#include "lib/ops/eval_dtype.inc"
#define D i16
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_signed.inc"
#include "lib/ops/eval_dtype.inc"
#define D i32
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_signed.inc"
#include "lib/ops/eval_dtype.inc"
#define D i64
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_signed.inc"
#include "lib/ops/eval_dtype.inc"
#undef COLUMN
#undef FIELD

#define COLUMN(b, i, u, f, c) u
#define FIELD u
#define D u8
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_unsigned.inc"
#include "lib/ops/eval_dtype.inc"
#define D u16
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_unsigned.inc"
#include "lib/ops/eval_dtype.inc"
#define D u32
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_unsigned.inc"
#include "lib/ops/eval_dtype.inc"
#define D u64
#include "lib/ops/functions_int.inc"
#include "lib/ops/functions_unsigned.inc"
#include "lib/ops/eval_dtype.inc"
#undef COLUMN
#undef FIELD

/* ---- real and complex ---- */

#define COLUMN(b, i, u, f, c) f
#undef OTHER
#define FIELD f
#define OTHER u
#define D f64
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_exp.inc"
#include "lib/ops/elementary_log.inc"
#include "lib/ops/elementary_power.inc"
#include "lib/ops/elementary_trig.inc"
#include "lib/ops/elementary_arc.inc"
#include "lib/ops/elementary_gamma.inc"
#include "lib/ops/eval_dtype.inc"
#define D f32
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_f32.inc"
#include "lib/ops/eval_dtype.inc"
#undef COLUMN
#undef OPERAND
#define D f16
#include "lib/ops/functions_half.inc"
#include "lib/ops/eval_half.inc"
#define D bf16
#include "lib/ops/functions_half.inc"
#include "lib/ops/eval_half.inc"

#define COLUMN(b, i, u, f, c) c
#define OPERAND(x, v)                                                          \
    IX_UNUSED T x##r = (T)(v).f, x##i = (T)(v).im;                             \
    IX_UNUSED T x = 0
#define D c128
#include "lib/ops/functions_complex.inc"
#include "lib/ops/functions_root.inc"
#include "lib/ops/functions_c128.inc"
#include "lib/ops/functions_power.inc"
#include "lib/ops/eval_dtype.inc"
#define D c64
#include "lib/ops/functions_complex.inc"
#include "lib/ops/functions_c64.inc"
#include "lib/ops/eval_dtype.inc"

/* ---- elementary functions by name ---- */

#undef IX_FUNCTION
#undef IX_FUNCTION_APART
#define IX_FUNCTION(name, ...) {#name "_f64", (void (*)(void))name##_f64},
#define IX_FUNCTION_APART IX_FUNCTION
const ix_function_symbol ix_function_symbols[] = {
#include "lib/ops/elementary_exp.inc"
#include "lib/ops/elementary_log.inc"
#include "lib/ops/elementary_power.inc"
#include "lib/ops/elementary_trig.inc"
#include "lib/ops/elementary_arc.inc"
#include "lib/ops/elementary_gamma.inc"
#undef IX_FUNCTION
#define IX_FUNCTION(name, ...) {#name "_f32", (void (*)(void))name##_f32},
#include "lib/ops/elementary_f32.inc"
    {NULL, NULL}};

/* clang-format on */

/* ---- choosing the dtype ---- */

typedef struct evaluator {
    void (*eval)(ix_op op, const ix_value *a, ix_value *result);
    void (*cast)(char from, const ix_value *v, ix_value *result);
} evaluator;

static const evaluator evaluators[ILEX_NDTYPES] = {
#define IX_SCALAR(ENUM, name, part, wide, real, bits, min, max, end)           \
    {eval_##name, cast_to_##name},
#include "lib/ops/scalars.def"
};

void
ix_cast_eval(ilex_dtype from, ilex_dtype to, const ix_value *x,
             ix_value *result)
{
    evaluators[to].cast(ix_dtype_kind(from), x, result);
}

void
ix_op_eval(ix_op op, ilex_dtype loop, const ix_value *args, ix_value *result)
{
    ix_value value;
    evaluators[loop].eval(op, args, &value);
    if (op == IX_OP_FROM_BITS && ix_op_result(op, loop) == ILEX_F16)
        value.f = number_of_f16((u16)value.f);
    if (ix_op_changes_kind(op))
        *result = value;
    else
        ix_cast_eval(loop, ix_op_result(op, loop), &value, result);
}

double
ix_half_number(ilex_dtype dtype, uint16_t bits)
{
    return dtype == ILEX_F16 ? number_of_f16(bits) : number_of_bf16(bits);
}

uint16_t
ix_half_bits(ilex_dtype dtype, double x)
{
    return dtype == ILEX_F16 ? bits_of_f16(x) : bits_of_bf16(x);
}

bool
ix_reduction_better(ix_reduction r, ilex_dtype dtype, ix_value candidate,
                    ix_value best)
{
    ix_value args[2] = {candidate, best}, is;
    ix_op_eval(ix_reduction_op(r), dtype, args, &is);
    return is.u != 0;
}
