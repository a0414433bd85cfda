/* SPDX-License-Identifier: MIT
 *
 * Pass normalise: conditions on the indices of reductions become comparisons
 * without minimum, maximum, quotient and `where`. min(max(i, 0), n-1) == k is
 * then (i <= k && 0 <= k || n-1 <= k) && (i >= k || 0 >= k) && n-1 >= k: what
 * does not speak of i, `peel` decides, and what is left bounds the loop
 * (bounded.c). needs: nests; gives: nothing that a pass relies on; breaks:
 * nothing.
 */
#include "compiler/tree/tree.h"

enum {
    MOST_LEAVES = 24, /* comparisons that become of one */
    MOST_NESTED = 32  /* conditions in a condition */
};

typedef struct unfolder {
    ilex_context *ctx;
    int leaves;
} unfolder;

/* NULL when the condition gets too long, or a number too large. */
static ilex_array *unfold_half(unfolder *f, ilex_array *e);

/* ---- conditions ---- */

static ilex_array *
truth(ilex_context *ctx, bool v)
{
    return ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = v});
}

static ilex_array *
join(ilex_context *ctx, bool both, ilex_array *a, ilex_array *b)
{
    if (!a || !b)
        return NULL;
    if (a->kind == IX_CONST)
        return (ix_const_value(a).i != 0) == both ? b : a;
    if (b->kind == IX_CONST)
        return (ix_const_value(b).i != 0) == both ? a : b;
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, both ? IX_OP_LOGICAL_AND : IX_OP_LOGICAL_OR,
                        ILEX_BOOL, ILEX_BOOL, ops);
}

/* a - b - strict */
static ilex_array *
difference(ilex_context *ctx, ilex_array *a, ilex_array *b, bool strict)
{
    ilex_array *e = ix_index_try_fma(ctx, a, -1, b);
    return e ? ix_index_try_fma(ctx, e, -(int)strict, ix_index_const(ctx, 1))
             : NULL;
}

/* ---- half spaces: e >= 0 ---- */

static bool
is_extremum(const ilex_array *x)
{
    return x->kind == IX_OP &&
           (ix_op_of(x) == IX_OP_MINIMUM || ix_op_of(x) == IX_OP_MAXIMUM);
}

/* The term of a sum whose atom can be taken apart, -1 if there is none. */
static int
find_term(const ix_index_form *f)
{
    for (int i = 0; i < f->n; i++) {
        const ilex_array *x = f->t[i].atom;
        bool unit = f->t[i].k == 1 || f->t[i].k == -1;
        if ((x->flags & IX_HAS_RINDEX) &&
            (is_extremum(x) || (unit && ix_index_is_quotient(x))))
            return i;
    }
    return -1;
}

/* rest + k*min(x, y) >= 0: so it is with each of them where k > 0, or with one
 * of them. */
static ilex_array *
unfold_extremum(unfolder *f, ilex_array *rest, int64_t k, ilex_array *x)
{
    ilex_array *half[2];
    for (int i = 0; i < 2; i++) {
        ilex_array *e = ix_index_try_fma(f->ctx, rest, k, x->ops[i]);
        half[i] = e ? unfold_half(f, e) : NULL;
    }
    return join(f->ctx, (ix_op_of(x) == IX_OP_MINIMUM) == (k > 0), half[0],
                half[1]);
}

/* rest + x // c >= 0 is x + c*rest >= 0; rest - x // c >= 0 is
 * c*rest + c - 1 - x >= 0. */
static ilex_array *
unfold_quotient(unfolder *f, ilex_array *rest, int64_t k, ilex_array *x)
{
    int64_t c = x->ops[1]->attr[0];
    ilex_array *zero = ix_index_const(f->ctx, 0);
    ilex_array *e = ix_index_try_fma(f->ctx, zero, c, rest);
    e = e ? ix_index_try_fma(f->ctx, e, k, x->ops[0]) : NULL;
    if (e && k < 0)
        e = ix_index_try_fma(f->ctx, e, c - 1, ix_index_const(f->ctx, 1));
    return e ? unfold_half(f, e) : NULL;
}

/* A comparison of its own, decided if sizes do. */
static ilex_array *
put_half(unfolder *f, ilex_array *e)
{
    const ix_lin *known = ix_index_to_lin(f->ctx, e);
    if (known && ix_lin_nonneg_fast(f->ctx, known))
        return truth(f->ctx, true);
    if (known && known->n == 0)
        return truth(f->ctx, false);
    if (++f->leaves > MOST_LEAVES || !ix_index_is_affine(e))
        return NULL;
    ilex_array *ops[2] = {e, ix_index_const(f->ctx, 0)};
    return ix_scalar_op(f->ctx, IX_OP_GREATER_EQUAL, ILEX_I64, ILEX_BOOL, ops);
}

static ilex_array *
unfold_half(unfolder *f, ilex_array *e)
{
    ix_index_form sum;
    ix_index_form_of(e, &sum);
    int i = find_term(&sum);
    if (i < 0 || f->leaves > MOST_LEAVES)
        return put_half(f, e);
    int64_t k = sum.t[i].k;
    ilex_array *x = sum.t[i].atom, *rest = ix_index_try_fma(f->ctx, e, -k, x);
    if (!rest)
        return NULL;
    return is_extremum(x) ? unfold_extremum(f, rest, k, x)
                          : unfold_quotient(f, rest, k, x);
}

/* ---- comparisons ---- */

static bool
can_unfold(const ilex_array *x)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    return find_term(&f) >= 0;
}

/* A comparison of index arithmetic. */
static ilex_array *
unfold_affine(unfolder *f, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_context *ctx = f->ctx;
    bool strict =
        op == IX_OP_LESS || op == IX_OP_GREATER || op == IX_OP_NOT_EQUAL;
    ilex_array *more = difference(ctx, a, b, strict),
               *less = difference(ctx, b, a, strict);
    if (!more || !less)
        return NULL;
    if (op == IX_OP_LESS || op == IX_OP_LESS_EQUAL)
        return unfold_half(f, less);
    if (op == IX_OP_GREATER || op == IX_OP_GREATER_EQUAL)
        return unfold_half(f, more);
    ilex_array *half = unfold_half(f, more);
    return join(ctx, op == IX_OP_EQUAL, half, unfold_half(f, less));
}

/* Is it a choice of indices by a condition on indices? */
static bool
is_choice(const ilex_array *x)
{
    return x->kind == IX_OP && ix_op_of(x) == IX_OP_WHERE &&
           x->dtype == ILEX_I64 && ix_is_index_condition(x->ops[0]);
}

/* A comparison with a choice: with what is chosen, where it is. */
static ilex_array *
unfold_choice(unfolder *f, ix_op op, ilex_array *a, ilex_array *b, int depth)
{
    ilex_context *ctx = f->ctx;
    ilex_array *side[2];
    if (depth == MOST_NESTED || f->leaves > MOST_LEAVES)
        return NULL;
    bool left = is_choice(a);
    const ilex_array *x = left ? a : b;
    if (!is_choice(x)) {
        a = ix_index_normal(ctx, a);
        b = ix_index_normal(ctx, b);
        return ix_index_is_affine(a) && ix_index_is_affine(b)
                   ? unfold_affine(f, op, a, b)
                   : NULL;
    }
    ilex_array *no = ix_scalar_op(ctx, IX_OP_LOGICAL_NOT, ILEX_BOOL, ILEX_BOOL,
                                  &(ilex_array *){x->ops[0]});
    for (int i = 0; i < 2; i++) {
        ilex_array *y = x->ops[1 + i];
        side[i] = unfold_choice(f, op, left ? y : a, left ? b : y, depth + 1);
        side[i] = join(ctx, true, i ? no : x->ops[0], side[i]);
    }
    return join(ctx, false, side[0], side[1]);
}

static bool
is_comparison(const ilex_array *n)
{
    ix_op op = ix_op_of(n);
    return ix_loop_of(n) == ILEX_I64 && n->dtype == ILEX_BOOL &&
           (op == IX_OP_LESS || op == IX_OP_LESS_EQUAL || op == IX_OP_GREATER ||
            op == IX_OP_GREATER_EQUAL || op == IX_OP_EQUAL ||
            op == IX_OP_NOT_EQUAL);
}

/* The comparison taken apart; itself if there is nothing to take apart. */
static ilex_array *
unfold_comparison(ilex_context *ctx, ilex_array *n)
{
    unfolder f = {.ctx = ctx};
    ilex_array *a = n->ops[0], *b = n->ops[1], *r = NULL;
    if (is_choice(a) || is_choice(b))
        r = unfold_choice(&f, ix_op_of(n), a, b, 0);
    else if (ix_is_index_condition(n) && (can_unfold(a) || can_unfold(b)))
        r = unfold_affine(&f, ix_op_of(n), a, b);
    return r && !ix_is_poison(r) && ix_is_index_condition(r) ? r : n;
}

static ilex_array *
unfold_condition(ilex_context *ctx, ilex_array *n, int depth)
{
    if (n->kind != IX_OP || !(n->flags & IX_HAS_RINDEX) || depth == MOST_NESTED)
        return n;
    if (is_comparison(n))
        return unfold_comparison(ctx, n);
    ix_op op = ix_op_of(n);
    if (ix_loop_of(n) != ILEX_BOOL ||
        (op != IX_OP_LOGICAL_AND && op != IX_OP_LOGICAL_OR &&
         op != IX_OP_LOGICAL_NOT))
        return n;
    ilex_array *ops[2] = {NULL, NULL};
    bool same = true;
    for (int i = 0; i < n->nops; i++) {
        ops[i] = unfold_condition(ctx, n->ops[i], depth + 1);
        same &= ops[i] == n->ops[i];
    }
    if (same)
        return n;
    if (op != IX_OP_LOGICAL_NOT)
        return join(ctx, op == IX_OP_LOGICAL_AND, ops[0], ops[1]);
    return ops[0]->kind == IX_CONST ? truth(ctx, !ix_const_value(ops[0]).i)
                                    : ix_with_operands(n, ops);
}

/* ---- the pass ---- */

static ilex_array *
solve_node(void *user, ilex_array *n)
{
    ix_unit *u = user;
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_WHERE)
        return n;
    ilex_array *ops[3] = {unfold_condition(u->ctx, n->ops[0], 0), n->ops[1],
                          n->ops[2]};
    if (ops[0] == n->ops[0])
        return n;
    u->changed = true;
    if (ops[0]->kind == IX_CONST)
        return ix_const_value(ops[0]).i ? ops[1] : ops[2];
    return ix_with_operands(n, ops);
}

static void
solve_nest(ix_unit *u, ix_stmt *nest)
{
    for (ix_stmt *s = ix_nest_body(nest); s; s = s->next) {
        if (!(ix_store_value(s)->flags & IX_HAS_REDUCE))
            continue;
        ix_substitution t = {.ctx = u->ctx,
                             .mem = &u->mem,
                             .rewrite = solve_node,
                             .user = u,
                             .became = ix_origin_keep,
                             .quiet = true};
        ilex_array *value = ix_substitute(&t, ix_store_value(s));
        ix_substitution_free(&t);
        if (!t.too_large)
            ix_set_operand(s, IX_store_value, value);
    }
}

bool
ix_pass_normalise(ix_unit *u)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        solve_nest(u, k->body);
    return u->ctx->error.code == ILEX_OK;
}
