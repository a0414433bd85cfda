/* SPDX-License-Identifier: MIT
 *
 * Element-wise constructors: literals, dtypes, broadcasting, and the lambda.
 */
#include "lib/build/build.h"

#include "ilex/elementwise.h"
#include "lib/base/fpenv.h"
#include "lib/build/skipped.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "lib/shape/broadcast.h"

enum { MAX_ARITY = 3, MAX_OPERANDS = IX_APPLY_OPERANDS };

/* ---- checks shared by all constructors ---- */

/* One context, no NULL, no poison; returns it or NULL with "*bad" set. */
static ilex_context *
common_context(int count, ilex_array *const *args, ilex_array **bad,
               const char *operation)
{
    ilex_context *ctx = NULL;
    for (int i = 0; i < count && !ctx; i++)
        ctx = args[i] ? args[i]->ctx : NULL;
    if (!ctx) {
        *bad = NULL;
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (args[i] && args[i]->ctx == ctx && !ix_is_poison(args[i]))
            continue;
        *bad = ctx->poison;
        if (!args[i] || args[i]->ctx != ctx)
            ix_poison_stranger(ctx, operation, i, args[i], "operand %d", i);
        return NULL;
    }
    return ctx;
}

/* ---- literals ---- */

/* The dtype a weak literal takes beside "strong". */
static ilex_dtype
weak_dtype(ilex_dtype literal, ilex_dtype strong)
{
    char kind = ix_dtype_kind(strong);
    if (literal == ILEX_C128)
        return kind == 'c'                         ? strong
               : ix_dtype_loop(strong) == ILEX_F32 ? ILEX_C64
                                                   : ILEX_C128;
    if (literal == ILEX_F64)
        return kind == 'f' || kind == 'c' ? strong : ILEX_F64;
    if (literal == ILEX_I64)
        return kind == 'b' ? ILEX_I64 : strong;
    return literal;
}

/* Does an integer literal fit an integer dtype? */
static bool
literal_fits(const ilex_array *x, ilex_dtype dtype)
{
    if (x->dtype != ILEX_I64 || !ix_dtype_is_integer(dtype))
        return true;
    ix_value v = ix_const_value(x), r, back;
    ix_cast_eval(ILEX_I64, dtype, &v, &r);
    ix_cast_eval(dtype, ILEX_I64, &r, &back);
    return back.i == v.i && !(dtype == ILEX_U64 && v.i < 0);
}

bool
ix_literal_fits(const ilex_array *x, ilex_dtype dtype)
{
    return weak_dtype((ilex_dtype)x->dtype, dtype) == dtype &&
           literal_fits(x, dtype);
}

/* Promotion of the operands that are real or complex, or of the others, with
 * "dtype"; "weak": literals too. */
static ilex_dtype
promote_some(ilex_dtype dtype, int count, ilex_array *const *args, bool inexact,
             bool weak)
{
    for (int i = 0; i < count; i++) {
        char kind = ix_dtype_kind((ilex_dtype)args[i]->dtype);
        if ((kind == 'f' || kind == 'c') == inexact &&
            (weak || !ix_is_weak(args[i])))
            dtype = ilex_dtype_promote(dtype, (ilex_dtype)args[i]->dtype);
    }
    return dtype;
}

ilex_dtype
ix_common_dtype(int count, ilex_array *const *args)
{
    bool weak = true;
    for (int i = 0; i < count; i++)
        weak &= ix_is_weak(args[i]);
    ilex_dtype dtype = promote_some(ILEX_BOOL, count, args, true, weak);
    return promote_some(dtype, count, args, false, weak);
}

bool
ix_resolve_literals(ilex_context *ctx, const char *operation, int first,
                    int count, ilex_array **args)
{
    bool any = false;
    ilex_dtype strong = ix_common_dtype(count - first, args + first);
    for (int i = first; i < count; i++)
        any |= !ix_is_weak(args[i]);
    for (int i = 0; i < count; i++) {
        if (!ix_is_weak(args[i]))
            continue;
        ilex_dtype own = (ilex_dtype)args[i]->dtype;
        ilex_dtype dtype = any && i >= first ? weak_dtype(own, strong) : own;
        if (!literal_fits(args[i], dtype))
            return ix_poison_false(
                ctx, operation, i, ILEX_E_LITERAL,
                "%s: the literal %lld does not fit %s; write i64(%lld) to "
                "compute in a wider dtype",
                operation, (long long)args[i]->attr[0], ilex_dtype_name(dtype),
                (long long)args[i]->attr[0]);
        args[i] = ix_scalar_cast(ctx, dtype, args[i]);
    }
    return true;
}

/* An operation on literals alone is a literal again. */
static ilex_array *
fold_literals(ilex_context *ctx, ix_op op, int n, ilex_array *const *args)
{
    ilex_dtype types[MAX_ARITY], loop, result;
    ix_value v[MAX_ARITY], r;
    for (int i = 0; i < n; i++) {
        if (!ix_is_weak(args[i]))
            return NULL;
        types[i] = (ilex_dtype)args[i]->dtype;
    }
    if (!ix_op_type(op, types, &loop, &result) ||
        (result != ILEX_I64 && result != ILEX_F64 && result != ILEX_C128 &&
         result != ILEX_BOOL))
        return NULL;
    ix_fpenv before = ix_fpenv_enter();
    for (int i = 0; i < n; i++) {
        ix_value x = ix_const_value(args[i]);
        ix_cast_eval(types[i], op == IX_OP_WHERE && i == 0 ? ILEX_BOOL : loop,
                     &x, &v[i]);
    }
    ix_op_eval(op, loop, v, &r);
    ix_fpenv_leave(before);
    return ix_scalar_weak(ctx, result, r);
}

/* ---- bodies ---- */

/* Is "x" a lambda that reads nothing, such as index? Its body is used, and what
 * it rests on; whatever that is, so that a graph has the same operands where
 * other proofs made it. */
static bool
is_leaf_lambda(const ilex_array *x)
{
    return x->kind == IX_LAMBDA && x->nops == 1 &&
           !(x->flags & IX_HAS_REDUCE) && !(x->ops[0]->flags & IX_HAS_REDUCE);
}

ilex_array *
ix_operand_at(ilex_context *ctx, const ix_domain *dom, ilex_array *x, int *slot)
{
    if (!ix_is_array(x))
        return x;
    ilex_array *index[ILEX_MAX_RANK];
    ix_broadcast_indices(ctx, dom, x, index);
    if (is_leaf_lambda(x)) {
        if (!ix_proof_use(ctx, x->env))
            return ix_poison_again(ctx);
        ix_substitution s = {
            .ctx = ctx, .index = index, .nindex = x->interior->rank};
        ilex_array *body = ix_substitute(&s, x->ops[0]);
        ix_substitution_free(&s);
        return body;
    }
    return ix_scalar_load(ctx, (ilex_dtype)x->dtype, (*slot)++,
                          x->interior->rank, index);
}

/* The lambda of element-wise "apply" over broadcast operands. */
typedef ilex_array *(*apply_fn)(ilex_context *ctx, const void *how,
                                ilex_array *const *scalars);

static ilex_array *
read_and_apply(ilex_context *ctx, const char *operation, int n,
               ilex_array *const *args, apply_fn apply, const void *how)
{
    ix_broadcast dom;
    ix_error_mark errors = ix_errors_mark(&ctx->error);
    if (!ix_broadcast_domains(ctx, operation, n, args, &dom)) {
        if (ix_errors_since(&ctx->error, errors))
            ix_errors_last(&ctx->error)->operation = operation;
        return ix_poison_again(ctx);
    }
    ilex_array *scalars[MAX_OPERANDS], *operands[MAX_OPERANDS];
    int slots = 0;
    bool arrays = false;
    for (int i = 0; i < n; i++) {
        int before = slots, same = 0;
        while (args[same] != args[i])
            same++;
        if (same < i) {
            scalars[i] = scalars[same];
            continue;
        }
        scalars[i] = ix_operand_at(ctx, dom.interior, args[i], &slots);
        if (slots > before)
            operands[before] = args[i];
        arrays |= ix_is_array(args[i]);
    }
    ilex_array *body = apply(ctx, how, scalars);
    if (body->depth > IX_BUILD_DEPTH)
        return ix_poison(ctx, operation, -1, ILEX_E_LIMIT,
                         "%s: more than %d operations without an array in "
                         "between; sum over an array instead",
                         operation, (int)IX_BUILD_DEPTH);
    if (!arrays || ix_is_poison(body))
        return body;
    return ix_node_lambda(ctx, dom.interior, dom.valid, body, slots, operands);
}

static ilex_array *
map_operands(ilex_context *ctx, const char *operation, int n,
             ilex_array *const *args, apply_fn apply, const void *how)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof,
                          read_and_apply(ctx, operation, n, args, apply, how));
}

/* ---- operators ---- */

typedef struct op_how {
    ix_op op;
    ilex_dtype loop, result;
} op_how;

static ilex_array *
fold_scalar(void *user, ilex_array *n)
{
    (void)user;
    ilex_array *r = ix_scalar_fold(n);
    return r ? r : n;
}

/* The condition of a `where`. One that guards reads only when what is constant
 * in it is folded is taken so, as the proofs must know what it rules out; any
 * other stays as it is written. */
static ilex_array *
condition(ilex_context *ctx, ilex_array *x)
{
    ilex_array *c = ix_scalar_cast(ctx, ILEX_BOOL, x);
    if (ix_is_index_condition(c) || (c->flags & (IX_HAS_LOAD | IX_HAS_REDUCE)))
        return c;
    ix_substitution s = {.ctx = ctx, .rewrite = fold_scalar};
    ilex_array *folded = ix_substitute(&s, c);
    ix_substitution_free(&s);
    return ix_is_poison(folded) || ix_is_index_condition(folded) ? folded : c;
}

/* Is it a comparison of a signed integer with one of u64, which have f64 in
 * common? That would round. "*sign" is which operand is signed. */
static bool
is_mixed(const op_how *h, ilex_array *const *scalars, int *sign)
{
    if (h->loop != ILEX_F64 || h->op < IX_OP_EQUAL ||
        h->op > IX_OP_GREATER_EQUAL)
        return false;
    *sign = scalars[0]->dtype == ILEX_U64;
    return scalars[!*sign]->dtype == ILEX_U64 &&
           ix_dtype_is_integer((ilex_dtype)scalars[*sign]->dtype);
}

/* x < y is x < 0 || u64(x) < y for an x with a sign; of what does not hold for
 * an x below all y, both have to: x > y is !(x < 0) && u64(x) > y. */
static ilex_array *
compare_exactly(ilex_context *ctx, ix_op op, ilex_array *const *scalars,
                int sign)
{
    ilex_array *x = ix_scalar_cast(ctx, ILEX_I64, scalars[sign]), *ops[2];
    ilex_array *signs[] = {x, ix_index_const(ctx, 0)}, *both[2];
    bool below = op == IX_OP_NOT_EQUAL ||
                 (sign == 0 ? op == IX_OP_LESS || op == IX_OP_LESS_EQUAL
                            : op == IX_OP_GREATER || op == IX_OP_GREATER_EQUAL);
    for (int i = 0; i < 2; i++)
        ops[i] = ix_scalar_cast(ctx, ILEX_U64, scalars[i]);
    both[0] = ix_scalar_op(ctx, below ? IX_OP_LESS : IX_OP_GREATER_EQUAL,
                           ILEX_I64, ILEX_BOOL, signs);
    both[1] = ix_scalar_op(ctx, op, ILEX_U64, ILEX_BOOL, ops);
    return ix_scalar_op(ctx, below ? IX_OP_LOGICAL_OR : IX_OP_LOGICAL_AND,
                        ILEX_BOOL, ILEX_BOOL, both);
}

static ilex_array *
apply_op(ilex_context *ctx, const void *how, ilex_array *const *scalars)
{
    const op_how *h = how;
    int sign;
    if (is_mixed(h, scalars, &sign))
        return compare_exactly(ctx, h->op, scalars, sign);
    ilex_array *ops[MAX_ARITY];
    for (int i = 0; i < ix_op_info_of(h->op)->arity; i++)
        ops[i] = h->op == IX_OP_WHERE && i == 0
                     ? condition(ctx, scalars[i])
                     : ix_scalar_cast(ctx, h->loop, scalars[i]);
    ilex_array *r =
        ix_scalar_op(ctx, h->op, h->loop, ix_op_result(h->op, h->loop), ops);
    bool constant = true; /* wraps; index arithmetic does not */
    for (int i = 0; i < r->nops; i++)
        constant &= r->ops[i]->kind == IX_CONST;
    return h->result == ILEX_I64 && !constant
               ? ix_index_normal(ctx, r)
               : ix_scalar_cast(ctx, h->result, r);
}

static ilex_array *
bad_dtypes(ilex_context *ctx, ix_op op, ilex_array *const *args)
{
    const char *t[MAX_ARITY] = {"", "", ""};
    const char *name = ix_op_info_of(op)->name;
    int n = ix_op_info_of(op)->arity;
    for (int i = 0; i < n; i++)
        t[i] = ilex_dtype_name((ilex_dtype)args[i]->dtype);
    return ix_poison(ctx, name, -1, ILEX_E_DTYPE,
                     "%s: not defined for %s%s%s%s%s; %s", name, t[0],
                     n > 1 ? " and " : "", t[1], n > 2 ? " and " : "", t[2],
                     op == IX_OP_BITWISE_XOR
                         ? "a power is written power(x, 2); for the bits "
                           "convert an operand, for example i64(x)"
                         : "convert an operand, for example f64(x)");
}

ilex_array *
ix_build_op(ilex_context *ctx, ix_op op, ilex_array *const *given)
{
    const ix_op_info *info = ix_op_info_of(op);
    int n = info->arity;
    ilex_array *args[MAX_ARITY], *bad = NULL;
    if (!common_context(n, given, &bad, info->name))
        return bad ? bad : ctx ? ix_poison_again(ctx) : NULL;
    ilex_array *folded = fold_literals(ctx, op, n, given);
    if (folded)
        return folded;
    memcpy(args, given, (size_t)n * sizeof *args);
    ix_skips skips = {.n = 0};
    if (ix_skips_take(&skips, n, args))
        return ix_skips_put(&skips, ix_build_op(ctx, op, args));
    if (!ix_resolve_literals(ctx, info->name, op == IX_OP_WHERE, n, args))
        return ctx->poison;
    ilex_dtype types[MAX_ARITY];
    for (int i = 0; i < n; i++)
        types[i] = (ilex_dtype)args[i]->dtype;
    op_how how = {.op = op};
    if (!ix_op_type(op, types, &how.loop, &how.result))
        return bad_dtypes(ctx, op, args);
    return map_operands(ctx, info->name, n, args, apply_op, &how);
}

static ilex_array *
apply_cast(ilex_context *ctx, const void *how, ilex_array *const *scalars)
{
    return ix_scalar_cast(ctx, *(const ilex_dtype *)how, scalars[0]);
}

ilex_array *
ix_build_cast(ilex_context *ctx, ilex_dtype dtype, ilex_array *x)
{
    if (ix_is_poison(x))
        return x;
    if ((unsigned)dtype >= ILEX_NDTYPES)
        return ix_poison(ctx, "cast", -1, ILEX_E_DTYPE,
                         "cast: %d is not a dtype", (int)dtype);
    if (x->dtype == dtype && !ix_is_weak(x))
        return x;
    ix_skips skips = {.n = 0};
    if (ix_skips_take(&skips, 1, &x))
        return ix_skips_put(&skips, ix_build_cast(ctx, dtype, x));
    return map_operands(ctx, "cast", 1, &x, apply_cast, &dtype);
}

static ilex_array *
apply_foreign(ilex_context *ctx, const void *how, ilex_array *const *scalars)
{
    return ix_scalar_apply(ctx, how, scalars);
}

ilex_array *
ix_build_apply(ilex_context *ctx, const ix_apply *f, ilex_array *const *given)
{
    ilex_array *args[MAX_OPERANDS];
    size_t n = (size_t)f->noperands;
    ix_skips skips = {.n = 0};
    memcpy(args, given, n * sizeof *args);
    if (ix_skips_take(&skips, f->noperands, args))
        return ix_skips_put(&skips, ix_build_apply(ctx, f, args));
    return map_operands(ctx, ix_symbol_text(ctx, f->name), f->noperands, args,
                        apply_foreign, f);
}

bool
ix_build_common(ilex_context *ctx, const char *operation, int count,
                ilex_array **args)
{
    if (!ix_resolve_literals(ctx, operation, 0, count, args))
        return false;
    ilex_dtype dtype = ix_common_dtype(count, args);
    for (int i = 0; i < count; i++) {
        args[i] = ix_build_cast(ctx, dtype, args[i]);
        if (ix_is_poison(args[i]))
            return false;
    }
    return true;
}

/* The public functions of elementwise.h, one per row of ops.def. */
static ilex_array *
public_op(ix_op op, ilex_array *const *args)
{
    for (int i = 0; i < ix_op_info_of(op)->arity; i++)
        if (args[i])
            return ix_build_op(args[i]->ctx, op, args);
    return NULL;
}

#define PUBLIC_1(name, OP)                                                     \
    ilex_array *ilex_##name(ilex_array *x)                                     \
    {                                                                          \
        return public_op(IX_OP_##OP, (ilex_array *[]){x});                     \
    }
#define PUBLIC_2(name, OP)                                                     \
    ilex_array *ilex_##name(ilex_array *x, ilex_array *y)                      \
    {                                                                          \
        return public_op(IX_OP_##OP, (ilex_array *[]){x, y});                  \
    }
#define PUBLIC_3(name, OP)                                                     \
    ilex_array *ilex_##name(ilex_array *x, ilex_array *y, ilex_array *z)       \
    {                                                                          \
        return public_op(IX_OP_##OP, (ilex_array *[]){x, y, z});               \
    }
#define ILEX_OP(ENUM, name, arity, infix, precedence, rule, laws, ulp,         \
                on_bool, on_int, on_real, on_complex, doc)                     \
    PUBLIC_##arity(name, ENUM)
#include "ilex/ops.def"

ilex_array *
ilex_cast(ilex_array *x, ilex_dtype dtype)
{
    return x ? ix_build_cast(x->ctx, dtype, x) : NULL;
}

ilex_array *
ilex_clip(ilex_array *x, ilex_array *low, ilex_array *high)
{
    return ilex_minimum(ilex_maximum(x, low), high);
}

/* ---- constants ---- */

ilex_array *
ilex_bool(ilex_context *ctx, int value)
{
    return ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = value != 0});
}

ilex_array *
ilex_i32(ilex_context *ctx, int32_t value)
{
    return ix_scalar_const(ctx, ILEX_I32, (ix_value){.i = value});
}

ilex_array *
ilex_i64(ilex_context *ctx, int64_t value)
{
    return ix_scalar_const(ctx, ILEX_I64, (ix_value){.i = value});
}

ilex_array *
ilex_f32(ilex_context *ctx, float value)
{
    return ix_scalar_const(ctx, ILEX_F32, (ix_value){.f = (double)value});
}

ilex_array *
ilex_f64(ilex_context *ctx, double value)
{
    return ix_scalar_const(ctx, ILEX_F64, (ix_value){.f = value});
}

ilex_array *
ilex_c128(ilex_context *ctx, double re, double im)
{
    return ix_scalar_const(ctx, ILEX_C128, (ix_value){.f = re, .im = im});
}

ilex_array *
ilex_lit(ilex_context *ctx, double value)
{
    return ix_scalar_weak(ctx, ILEX_F64, (ix_value){.f = value});
}

ilex_array *
ilex_lit_int(ilex_context *ctx, int64_t value)
{
    return ix_scalar_weak(ctx, ILEX_I64, (ix_value){.i = value});
}
