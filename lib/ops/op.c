/* SPDX-License-Identifier: MIT
 *
 * Operator and reduction tables: names, laws, type rules. Values are computed
 * in lib/ops/eval.c, source text comes from lib/ops/template.c.
 */
#include "lib/ops/op.h"

#include "lib/ops/dtype.h"

/* ---- facts and names of operators ---- */

enum {
    NO_LAW = 0,
    COMMUTES = IX_LAW_COMMUTES,
    COMMUTES_INT = IX_LAW_COMMUTES_INT,
    ASSOCIATES_INT = IX_LAW_ASSOCIATES_INT,
    IDEMPOTENT = IX_LAW_IDEMPOTENT,
    INVOLUTION = IX_LAW_INVOLUTION,
    PROJECTION = IX_LAW_PROJECTION
};

static const ix_op_info infos[IX_NOPERATORS] = {
#define IX_OPERATOR(ENUM, name, arity, infix, precedence, rule, laws, ulp,     \
                    on_bool, on_int, on_real, on_complex, doc)                 \
    {#name, doc, arity, (unsigned)(laws), ulp, infix, precedence},
#include "lib/ops/operators.def"
};

static const struct {
    const char *name;
    ix_op op;
} aliases[] = {
    {"abs", IX_OP_ABSOLUTE},       {"acos", IX_OP_ARCCOS},
    {"acosh", IX_OP_ARCCOSH},      {"asin", IX_OP_ARCSIN},
    {"asinh", IX_OP_ARCSINH},      {"atan", IX_OP_ARCTAN},
    {"atan2", IX_OP_ARCTAN2},      {"atanh", IX_OP_ARCTANH},
    {"conj", IX_OP_CONJUGATE},     {"div", IX_OP_TRUE_DIVIDE},
    {"divide", IX_OP_TRUE_DIVIDE}, {"max", IX_OP_MAXIMUM},
    {"min", IX_OP_MINIMUM},        {"mod", IX_OP_REMAINDER},
    {"mul", IX_OP_MULTIPLY},       {"neg", IX_OP_NEGATIVE},
    {"pow", IX_OP_POWER},          {"select", IX_OP_WHERE},
    {"sub", IX_OP_SUBTRACT},
};

const ix_op_info *
ix_op_info_of(ix_op op)
{
    assert((unsigned)op < IX_NOPERATORS);
    return &infos[op];
}

/* Whether the "length" characters at "name" are the string "text". */
static bool
same_text(const char *name, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

bool
ix_op_find(const char *name, size_t length, ix_op *op)
{
    for (unsigned k = 0; k < IX_NOPS; k++)
        if (same_text(name, length, infos[k].name)) {
            *op = (ix_op)k;
            return true;
        }
    for (size_t k = 0; k < IX_COUNT(aliases); k++)
        if (same_text(name, length, aliases[k].name)) {
            *op = aliases[k].op;
            return true;
        }
    return false;
}

bool
ix_op_find_infix(const char *infix, size_t length, int arity, ix_op *op)
{
    for (unsigned k = 0; k < IX_NOPS; k++)
        if (infos[k].infix && infos[k].arity == arity &&
            same_text(infix, length, infos[k].infix)) {
            *op = (ix_op)k;
            return true;
        }
    return false;
}

/* ---- type rules of operators ---- */

typedef enum int_rule { KEEP, AS_I8, AS_U64, AS_FLOAT, AS_F64, NEVER } int_rule;

typedef enum result_rule { LOOP, BOOL, PART, WORD, FLOATING } result_rule;

typedef struct type_rule {
    int_rule bools, integers;
    bool real, complex;
    result_rule result;
} type_rule;

enum {
#define IX_RULE(NAME, bools, integers, real, complex, result, doc) RULE_##NAME,
#include "lib/ops/rules.def"
    NRULES
};

static const type_rule rules[NRULES] = {
#define IX_RULE(NAME, bools, integers, real, complex, result, doc)             \
    {bools, integers, real, complex, result},
#include "lib/ops/rules.def"
};

static const unsigned char rule_of[IX_NOPERATORS] = {
#define IX_OPERATOR(ENUM, name, arity, infix, precedence, rule, ...)           \
    RULE_##rule,
#include "lib/ops/operators.def"
};

/* A row of operators.def has those cells that its rule asks for: a missing one
 * would be found only where source that uses it is compiled. */
#define CELLS(on_bool, on_int, on_real, on_complex)                            \
    ((on_bool) + 2 * (on_int) + 4 * (on_real) + 8 * (on_complex))
enum {
#define IX_RULE(NAME, bools, integers, real, complex, result, doc)             \
    CELLS_##NAME =                                                             \
        CELLS((bools) == KEEP, (integers) == KEEP || (integers) == AS_U64,     \
              real, complex),
#include "lib/ops/rules.def"
};
#define E(...) 1
#define V(...) 1
#define P(...) 1
#define C(...) 1
#define N 0
#define IX_OPERATOR(ENUM, name, arity, infix, precedence, rule, laws, ulp,     \
                    on_bool, on_int, on_real, on_complex, doc)                 \
    _Static_assert(CELLS(on_bool, on_int, on_real, on_complex) ==              \
                       CELLS_##rule,                                           \
                   "ops.def: the cells of " #name " do not fit rule " #rule);
#include "lib/ops/operators.def"
#undef E
#undef V
#undef P
#undef C
#undef N

/* "dtype" as "rule" wants it before promotion. */
static ilex_dtype
before_promotion(const type_rule *rule, ilex_dtype dtype)
{
    bool boolean = ix_dtype_kind(dtype) == 'b';
    int_rule how = boolean ? rule->bools : rule->integers;
    bool integer = ix_dtype_is_integer(dtype);
    if (how == AS_U64 && integer)
        return ILEX_U64;
    return how == AS_FLOAT ? ix_dtype_float(dtype) : dtype;
}

/* Applies "how" to the promoted "*loop"; false if it is not defined. */
static bool
after_promotion(int_rule how, ilex_dtype *loop)
{
    if (how == AS_I8)
        *loop = ILEX_I8;
    if (how == AS_F64)
        *loop = ILEX_F64;
    return how != NEVER;
}

/* The loop dtype from "n" operands' dtypes; false if it is not defined. */
static bool
loop_type(const type_rule *rule, const ilex_dtype *args, int n,
          ilex_dtype *loop)
{
    *loop = before_promotion(rule, args[0]);
    for (int k = 1; k < n; k++)
        *loop = ilex_dtype_promote(*loop, before_promotion(rule, args[k]));
    switch (ix_dtype_kind(*loop)) {
    case 'b':
        return after_promotion(rule->bools, loop);
    case 'i':
    case 'u':
        return after_promotion(rule->integers, loop);
    case 'f':
        return rule->real;
    default:
        return rule->complex;
    }
}

ilex_dtype
ix_op_result(ix_op op, ilex_dtype loop)
{
    size_t bytes = ilex_dtype_bytes(loop);
    switch (rules[rule_of[op]].result) {
    case BOOL:
        return ILEX_BOOL;
    case PART:
        return ix_dtype_part(loop);
    case WORD:
        return bytes == 8 ? ILEX_U64 : bytes == 2 ? ILEX_U16 : ILEX_U32;
    case FLOATING:
        return bytes == 8 ? ILEX_F64 : bytes == 2 ? ILEX_F16 : ILEX_F32;
    default:
        return loop;
    }
}

bool
ix_op_takes_half(ix_op op)
{
    return op == IX_OP_BITS || op == IX_OP_NEXTAFTER || op == IX_OP_WHERE;
}

bool
ix_op_changes_kind(ix_op op)
{
    result_rule result = rules[rule_of[op]].result;
    return result == WORD || result == FLOATING;
}

bool
ix_op_type(ix_op op, const ilex_dtype *args, ilex_dtype *loop,
           ilex_dtype *result)
{
    assert((unsigned)op < IX_NOPERATORS);
    const type_rule *rule = &rules[rule_of[op]];
    int skip = op == IX_OP_WHERE ? 1 : 0;
    if (!loop_type(rule, args + skip, infos[op].arity - skip, loop))
        return false;
    ilex_dtype promoted = *loop;
    if (!ix_op_takes_half(op))
        *loop = ix_dtype_loop(promoted);
    *result = ix_op_result(op, *loop);
    if (*result == *loop) /* rounded to f16, bf16 */
        *result = promoted;
    return true;
}

/* ---- reductions ---- */

typedef enum reduction_rule {
    REDUCE_WIDE,
    REDUCE_SAME,
    REDUCE_TRUTH,
    REDUCE_MEAN,
    REDUCE_INDEX
} reduction_rule;

enum { EMPTY_ZERO = 1, EMPTY_ONE = 1, EMPTY_NAN = 1, EMPTY_ERROR = 0 };

static const ix_reduction_info reduction_infos[IX_NREDUCTIONS] = {
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    {#name, doc, REDUCE_##rule == REDUCE_INDEX, EMPTY_##empty},
#include "ilex/reductions.def"
};

static const struct {
    int op;
    reduction_rule rule;
} reduction_types[IX_NREDUCTIONS] = {
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc)                \
    {IX_OP_##op, REDUCE_##rule},
#include "ilex/reductions.def"
};

const ix_reduction_info *
ix_reduction_info_of(ix_reduction r)
{
    assert((unsigned)r < IX_NREDUCTIONS);
    return &reduction_infos[r];
}

bool
ix_reduction_find(const char *name, size_t length, ix_reduction *r)
{
    for (unsigned k = 0; k < IX_NREDUCTIONS; k++)
        if (same_text(name, length, reduction_infos[k].name)) {
            *r = (ix_reduction)k;
            return true;
        }
    return false;
}

/* i64 or u64 for bool and integers, else "in". */
static ilex_dtype
widest(ilex_dtype in)
{
    char kind = ix_dtype_kind(in);
    return kind == 'u' ? ILEX_U64 : kind == 'b' || kind == 'i' ? ILEX_I64 : in;
}

bool
ix_reduction_type(ix_reduction r, ilex_dtype in, ilex_dtype *acc,
                  ilex_dtype *result)
{
    char kind = ix_dtype_kind(in);
    *acc = ix_dtype_loop(in);
    switch (reduction_types[r].rule) {
    case REDUCE_WIDE:
        *acc = widest(*acc);
        break;
    case REDUCE_TRUTH:
        *acc = ILEX_BOOL;
        break;
    case REDUCE_MEAN:
        *acc = kind == 'f' || kind == 'c' ? *acc : ILEX_F64;
        break;
    case REDUCE_SAME:
    case REDUCE_INDEX:
        break;
    }
    *result = reduction_infos[r].by_index ? ILEX_I64
              : *acc == ix_dtype_loop(in) ? in
                                          : *acc;
    return kind != '?';
}

ix_op
ix_reduction_op(ix_reduction r)
{
    return (ix_op)reduction_types[r].op;
}

/* ---- names that are near ---- */

void
ix_op_suggest(ix_suggestion *s)
{
    for (unsigned k = 0; k < IX_NOPS; k++)
        ix_suggest_name(s, infos[k].name, strlen(infos[k].name));
}

void
ix_reduction_suggest(ix_suggestion *s)
{
    for (unsigned k = 0; k < IX_NREDUCTIONS; k++) {
        const char *name = ix_reduction_info_of((ix_reduction)k)->name;
        ix_suggest_name(s, name, strlen(name));
    }
}

ix_suggestion_text
ix_op_hint(const char *name)
{
    ix_suggestion s = ix_suggest(name ? name : "", name ? strlen(name) : 0);
    ix_op_suggest(&s);
    return ix_suggestion_show(&s);
}

ix_suggestion_text
ix_reduction_hint(const char *name)
{
    ix_suggestion s = ix_suggest(name ? name : "", name ? strlen(name) : 0);
    ix_reduction_suggest(&s);
    return ix_suggestion_show(&s);
}
