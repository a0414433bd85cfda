/* SPDX-License-Identifier: MIT
 *
 * Shifts by integers that are data. Without a word on what is read outside, an
 * index is one that runs check; a value is chosen by a condition, and a mode
 * folds the index in arithmetic that no shift, however large, leads out of the
 * axis.
 */
#include "lib/build/shift_by.h"

#include "ilex/expr.h"

#include "lib/build/structure.h"
#include "lib/ops/dtype.h"

static const char what[] = "shift";

/* A lambda under construction. */
typedef struct shifted {
    ilex_context *ctx;
    const ix_shift_by *s;
    ilex_array *operand[ILEX_MAX_RANK + 2]; /* x, amounts, value */
    int noperands;
} shifted;

/* The element of "a", which has rank 0. */
static ilex_array *
element_of(shifted *y, ilex_array *a)
{
    int slot = 0;
    if (!ix_is_array(a))
        return a;
    while (slot < y->noperands && y->operand[slot] != a)
        slot++;
    if (slot == y->noperands)
        y->operand[y->noperands++] = a;
    return ix_scalar_load(y->ctx, (ilex_dtype)a->dtype, slot, 0, NULL);
}

/* ---- index arithmetic with data ---- */

static ilex_array *
integers(ilex_context *ctx, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(ctx, op, ILEX_I64, ILEX_I64, ops);
}

/* lo + (at - lo + by) on an axis that goes on periodically or back and forth;
 * "length" >= 1. */
static ilex_array *
folded(ilex_context *ctx, ix_outside mode, const ix_axis *ax, ilex_array *at,
       ilex_array *by)
{
    const ix_lin *length = ix_axis_extent(ctx, ax);
    ilex_array *lo = ix_index_lin(ctx, ax->lo), *n = ix_index_lin(ctx, length),
               *one = ix_index_const(ctx, 1), *period = n;
    if (mode == IX_OUTSIDE_SYMMETRIC)
        period = ix_index_fma(ctx, n, 1, n);
    if (mode == IX_OUTSIDE_REFLECT) /* a single element is its own image */
        period = ix_index_max(
            ctx, ix_index_offset(ctx, ix_index_fma(ctx, n, 1, n), -2), one);
    ilex_array *j = integers(ctx, IX_OP_ADD, ix_index_fma(ctx, at, -1, lo),
                             integers(ctx, IX_OP_REMAINDER, by, period));
    if (mode == IX_OUTSIDE_WRAP)
        j = integers(ctx, IX_OP_REMAINDER, j, period);
    if (mode == IX_OUTSIDE_SYMMETRIC || mode == IX_OUTSIDE_REFLECT) {
        ilex_array *last = mode == IX_OUTSIDE_SYMMETRIC
                               ? ix_index_offset(ctx, period, -1)
                               : period;
        j = integers(ctx, IX_OP_REMAINDER, j, period);
        j = integers(ctx, IX_OP_MINIMUM, j,
                     integers(ctx, IX_OP_SUBTRACT, last, j));
    }
    return ix_lin_is(ax->lo, 0) ? j : integers(ctx, IX_OP_ADD, lo, j);
}

/* The element nearest to at + by. */
static ilex_array *
nearest(ilex_context *ctx, const ix_axis *ax, ilex_array *at, ilex_array *by)
{
    const ix_lin *length = ix_axis_extent(ctx, ax);
    ilex_array *n = ix_index_lin(ctx, length), *lo = ix_index_lin(ctx, ax->lo),
               *last = ix_index_lin(ctx, ix_lin_offset(ctx, ax->hi, -1)),
               *back = ix_index_fma(ctx, ix_index_const(ctx, 0), -1, n);
    by =
        integers(ctx, IX_OP_MAXIMUM, integers(ctx, IX_OP_MINIMUM, by, n), back);
    at = integers(ctx, IX_OP_ADD, at, by);
    return integers(ctx, IX_OP_MAXIMUM, integers(ctx, IX_OP_MINIMUM, at, last),
                    lo);
}

/* ---- reads ---- */

/* The index along axis "k". */
static ilex_array *
index_of(shifted *y, int k)
{
    ilex_context *ctx = y->ctx;
    const ix_shift_by *s = y->s;
    const ilex_array *x = y->operand[0];
    ilex_array *at = ix_scalar_index(ctx, k);
    if (!s->by[k])
        return at;
    ilex_array *by = ix_scalar_cast(ctx, ILEX_I64, element_of(y, s->by[k]));
    const ix_axis *ax = &x->interior->ax[k], *known = &x->valid->ax[k];
    bool fold = s->outside && s->mode != IX_OUTSIDE_VALUE;
    ix_checked c = {.what = fold ? IX_CHECKED_INDEX : IX_CHECKED_SHIFTED,
                    .axis = k,
                    .trusted = s->trusted || fold,
                    .lo = ix_index_lin(ctx, known->lo),
                    .hi = ix_index_lin(ctx, known->hi),
                    .at = fold ? NULL : at};
    if (fold)
        c.value = s->mode == IX_OUTSIDE_EDGE ? nearest(ctx, ax, at, by)
                                             : folded(ctx, s->mode, ax, at, by);
    else
        c.value = integers(ctx, IX_OP_ADD, at, by);
    return s->outside && !fold ? c.value : ix_scalar_checked_as(ctx, &c);
}

static ilex_array *
read_of(shifted *y)
{
    ilex_array *index[ILEX_MAX_RANK], *x = y->operand[0];
    ix_outside_read read = {.x = x, .dom = x->interior};
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = index_of(y, k);
    if (!y->s->outside || y->s->mode != IX_OUTSIDE_VALUE)
        return ix_scalar_load(y->ctx, (ilex_dtype)x->dtype, 0, ix_rank(x),
                              index);
    ilex_array *value =
        ix_structure_value(y->ctx, what, (ilex_dtype)x->dtype, y->s->value);
    if (ix_is_poison(value))
        return value;
    read.value = element_of(y, value);
    return ix_outside_load(y->ctx, &read, index);
}

/* ---- the constructor ---- */

/* An amount, as an array of rank 0; poison after an error. */
static ilex_array *
amount(ilex_context *ctx, const ilex_array *x, int k, ilex_array *by)
{
    if (ix_is_weak(by) && by->dtype == ILEX_I64)
        by = ix_scalar_cast(ctx, ILEX_I64, by);
    if (ix_rank(by) == 0 && ix_dtype_is_integer((ilex_dtype)by->dtype))
        return ix_structure_array(ctx, what, by);
    return ix_poison(ctx, what, 1, ILEX_E_DTYPE,
                     "shift: along %s by a value of type %s[%s]; it is an "
                     "integer of rank 0, for example in s : i32",
                     ix_symbol_text(ctx, x->interior->ax[k].name),
                     ilex_dtype_name((ilex_dtype)by->dtype),
                     ix_rank(by) ? ix_domain_show(ctx, by->interior).s : "");
}

/* A mode leads indices back to where x is defined: is it known there? */
static bool
is_known(ilex_context *ctx, const ilex_array *x, const ix_shift_by *s)
{
    uint32_t axes = 0;
    for (int k = 0; k < ix_rank(x); k++)
        axes |= s->by[k] ? 1u << k : 0;
    return !s->outside || s->mode == IX_OUTSIDE_VALUE ||
           ix_field_known(ctx, what, x, axes);
}

ilex_array *
ix_build_shift_by(ilex_context *ctx, ilex_array *x, const ix_shift_by *s)
{
    ix_shift_by amounts = *s;
    x = ix_structure_bounded(ctx, what, x);
    if (ix_is_poison(x) || !is_known(ctx, x, s))
        return ctx->poison;
    for (int k = 0; k < ix_rank(x); k++) {
        amounts.by[k] = s->by[k] ? amount(ctx, x, k, s->by[k]) : NULL;
        if (amounts.by[k] && ix_is_poison(amounts.by[k]))
            return amounts.by[k];
    }
    shifted y = {.ctx = ctx, .s = &amounts, .operand = {x}, .noperands = 1};
    const ix_domain *valid = s->outside ? x->interior : x->valid;
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *body = read_of(&y);
    return ix_proof_close(ctx, proof,
                          ix_build_wide_lambda(ctx, what, x->interior, valid,
                                               body, y.noperands, y.operand));
}

const ilex_array *
ix_shift_by_of(const ilex_array *index, int *k)
{
    if (index->kind != IX_CHECKED ||
        ix_checked_what_of(index) != IX_CHECKED_SHIFTED)
        return NULL;
    const ilex_array *sum = index->ops[0], *by;
    if (sum->kind != IX_OP || sum->ops[0]->kind != IX_INDEX)
        return NULL;
    by = sum->ops[1]->kind == IX_CAST ? sum->ops[1]->ops[0] : sum->ops[1];
    *k = (int)sum->ops[0]->attr[0];
    return by->kind == IX_LOAD && by->nops == 0 ? by : NULL;
}

ilex_array *
ilex_shift_by(ilex_array *x, const char *axis, ilex_array *by, const char *mode,
              ilex_array *value)
{
    if (!x || ix_is_poison(x))
        return x;
    ilex_context *ctx = x->ctx;
    ix_shift_by s = {.outside = mode || value, .value = value};
    int k = ix_axis_of(x, what, axis ? axis : "", axis ? strlen(axis) : 0);
    if (k < 0)
        return ctx->poison;
    if (!by || by->ctx != ctx)
        return ix_poison_stranger(ctx, what, 1, by, "the amount");
    if (value && value->ctx != ctx)
        return ix_poison_stranger(ctx, what, 2, value, "the value");
    if (ix_is_poison(by) || (value && ix_is_poison(value)))
        return ctx->poison;
    if (!ix_domain_named(x->interior))
        return ix_poison(ctx, what, 0, ILEX_E_AXIS,
                         "shift: the axes of [%s] have no names; use slice",
                         ix_domain_show(ctx, x->interior).s);
    if (mode && (value || !ix_outside_find(mode, strlen(mode), &s.mode)))
        return ix_poison(ctx, what, 3, ILEX_E_ARGUMENT,
                         "shift: mode %s%s; it is wrap, edge, reflect or "
                         "symmetric, or NULL and there may be a value",
                         mode, value ? " and a value" : "");
    s.by[k] = by;
    return ix_build_shift_by(ctx, x, &s);
}
