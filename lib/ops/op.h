/* SPDX-License-Identifier: MIT
 *
 * Element-wise operators and reductions: what ops.def and reductions.def say,
 * as functions. Types here, values in lib/ops/eval.h, helper functions of
 * generated source in lib/ops/functions.h.
 */
#ifndef ILEX_LIB_OP_H
#define ILEX_LIB_OP_H

#include "lib/base/prelude.h"
#include "lib/base/suggest.h"

/* Operators, one per row of operators.def: those of programs, IX_NOPS of them,
 * then those of statements alone. */
typedef enum ix_op {
#define IX_OPERATOR(ENUM, ...) IX_OP_##ENUM,
#include "lib/ops/operators.def"
    IX_NOPERATORS,
    IX_NOPS = IX_OP_ABOVE
} ix_op;

/* Laws: equations that hold bit for bit, apart from sign and payload of NaN.
 * "f" is the operator; the laws of one operand hold where f keeps the dtype.
 */
enum {
    IX_LAW_COMMUTES = 1,       /* f(x, y) = f(y, x) in every dtype */
    IX_LAW_COMMUTES_INT = 2,   /* the same for bool and integers only */
    IX_LAW_ASSOCIATES_INT = 4, /* f(f(x, y), z) = f(x, f(y, z)), the same */
    IX_LAW_IDEMPOTENT = 8,     /* f(x, x) = x */
    IX_LAW_INVOLUTION = 16,    /* f(f(x)) = x */
    IX_LAW_PROJECTION = 32     /* f(f(x)) = f(x) */
};

/* From that many ulp on an operation is an elementary function. */
enum { IX_ULP_ELEMENTARY = 1 };

typedef struct ix_op_info {
    const char *name; /* "add": its name in text and, after ilex_, in C */
    const char *doc;
    int arity;
    unsigned laws;     /* IX_LAW_* */
    int ulp;           /* 0: the same bits on every back end */
    const char *infix; /* spelling in text; NULL: a call by name */
    int precedence;    /* 1 (loosest) to 11 (prefix); 0 for calls */
} ix_op_info;

const ix_op_info *ix_op_info_of(ix_op op);

/* By name or alias ("min", "max", "abs", "select", "pow", ...). */
bool ix_op_find(const char *name, size_t length, ix_op *op);

/* By spelling between operands (arity 2) or before one (arity 1): "+". */
bool ix_op_find_infix(const char *infix, size_t length, int arity, ix_op *op);

/* cost.c: how many additions it takes, by the operations of its text and
 * of the functions that this calls. */
int ix_op_cost(ix_op op, ilex_dtype loop);

/* The dtype "loop" to which the operands are converted and the dtype of the
 * result, to which that of ix_op_result() is converted if it is f16 or bf16.
 * For `where`, args[0] is the condition, of any dtype, converted to bool;
 * "loop" is that of the others. False: not defined for these dtypes. */
bool ix_op_type(ix_op op, const ilex_dtype *args, ilex_dtype *loop,
                ilex_dtype *result);

/* The second of these alone, from the first. */
ilex_dtype ix_op_result(ix_op op, ilex_dtype loop);

/* Whether f16 and bf16 are loop dtypes of the operator, which is about bits. */
bool ix_op_takes_half(ix_op op);

/* Whether the result is no number of the loop dtype: bits and from_bits. */
bool ix_op_changes_kind(ix_op op);

/* How generated source computes a result, with the tokens of ops.def:
 * EXPR: "re" is one expression; PAIR: "re" and "im" are the parts of a complex
 * result; CALL_PAIR: "re" is a call that stores the parts to `re` and `im`,
 * tokens for the variables that take them. ix_code_write() of
 * lib/ops/functions.h replaces the tokens. */
typedef enum ix_code_kind {
    IX_CODE_NONE,
    IX_CODE_EXPR,
    IX_CODE_PAIR,
    IX_CODE_CALL_PAIR
} ix_code_kind;

typedef struct ix_code_template {
    ix_code_kind kind;
    const char *re, *im;
} ix_code_template;

ix_code_template ix_op_template(ix_op op, ilex_dtype loop);

/* Conversion of x; in the text, T is a part of "to", A a part of "from", and
 * F an instance for "to" (pass "to" as loop dtype to lib/ops/functions.h). */
ix_code_template ix_cast_template(ilex_dtype from, ilex_dtype to);

/* Reductions, one per row of reductions.def. */
typedef enum ix_reduction {
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    IX_REDUCTION_##ENUM,
#include "ilex/reductions.def"
    IX_NREDUCTIONS
} ix_reduction;

typedef struct ix_reduction_info {
    const char *name; /* "sum" */
    const char *doc;
    bool by_index; /* argmax, argmin: the result is a position */
    bool empty;    /* whether there is a value for an empty range */
} ix_reduction_info;

const ix_reduction_info *ix_reduction_info_of(ix_reduction r);

/* For messages about a name (may be NULL) that is none of an operator, of a
 * reduction: those there are, and the one that may be meant. */
void ix_op_suggest(ix_suggestion *s);
void ix_reduction_suggest(ix_suggestion *s);
ix_suggestion_text ix_op_hint(const char *name);
ix_suggestion_text ix_reduction_hint(const char *name);
bool ix_reduction_find(const char *name, size_t length, ix_reduction *r);

/* The dtype "acc" to which elements are converted and in which they are
 * combined, and that of the result. For argmax and argmin "acc" is the dtype
 * of the elements that are compared. */
bool ix_reduction_type(ix_reduction r, ilex_dtype in, ilex_dtype *acc,
                       ilex_dtype *result);

/* The operator that combines two partial results; for argmax and argmin the one
 * that says whether candidate x replaces y, the best so far. `mean` adds, then
 * divides by the count. */
ix_op ix_reduction_op(ix_reduction r);

#endif
