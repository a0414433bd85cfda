/* SPDX-License-Identifier: MIT
 *
 * Reads that may be outside: guards on indices, by which loops are split.
 */
#include "lib/build/outside.h"

#include "lib/build/structure.h"
#include "lib/shape/access.h"

const char *const ix_outside_names[IX_OUTSIDE_MODES] = {"", "wrap", "edge",
                                                        "reflect", "symmetric"};

bool
ix_outside_find(const char *word, size_t length, ix_outside *mode)
{
    for (int m = IX_OUTSIDE_WRAP; m < IX_OUTSIDE_MODES; m++)
        if (strlen(ix_outside_names[m]) == length &&
            !memcmp(ix_outside_names[m], word, length)) {
            *mode = (ix_outside)m;
            return true;
        }
    return false;
}

/* x - c*(x // c) */
static ilex_array *
modulo(ilex_context *ctx, ilex_array *x, int64_t c)
{
    return ix_index_fma(ctx, x, -c, ix_index_floordiv(ctx, x, c));
}

ilex_array *
ix_outside_folded(ilex_context *ctx, ix_outside mode, ilex_array *j, int64_t c)
{
    int64_t period = mode == IX_OUTSIDE_WRAP        ? c
                     : mode == IX_OUTSIDE_SYMMETRIC ? 2 * c
                                                    : 2 * c - 2;
    if (period == 0)
        return ix_index_const(ctx, 0);
    ilex_array *m = modulo(ctx, j, period);
    if (mode == IX_OUTSIDE_WRAP)
        return m;
    return ix_index_min(
        ctx, m,
        ix_index_fma(ctx,
                     ix_index_const(ctx, mode == IX_OUTSIDE_SYMMETRIC
                                             ? period - 1
                                             : period),
                     -1, m));
}

ilex_array *
ix_outside_other(ilex_context *ctx, ix_outside mode, const ix_axis *ax,
                 ilex_array *at, bool above)
{
    const ix_lin *length = ix_axis_extent(ctx, ax);
    const ix_lin *end = above ? ix_lin_offset(ctx, ax->hi, -1) : ax->lo;
    int64_t c = mode == IX_OUTSIDE_SYMMETRIC;
    if (mode == IX_OUTSIDE_EDGE)
        return ix_index_lin(ctx, end);
    if (mode == IX_OUTSIDE_WRAP)
        return ix_index_fma(ctx, at, above ? -1 : 1, ix_index_lin(ctx, length));
    return ix_index_fma(
        ctx,
        ix_index_lin(
            ctx, ix_lin_offset(ctx, ix_lin_scale(ctx, end, 2), above ? c : -c)),
        -1, at);
}

/* ---- a read in a lambda ---- */

/* One under construction: indices that are decided, and conditions. */
typedef struct outside {
    ilex_context *ctx;
    const ix_outside_read *read;
    ilex_array *index[ILEX_MAX_RANK];
} outside;

static bool
is_inside(const outside *o, int k, const ilex_array *at)
{
    ix_frame frame = {.box = o->read->dom};
    const ix_axis *ax = &o->read->x->interior->ax[k];
    return ix_index_is_affine(at) && !(at->flags & IX_HAS_RINDEX) &&
           ix_access_is_within(o->ctx, &frame, at, ax->lo, ax->hi);
}

static ilex_array *
load_here(const outside *o)
{
    const ilex_array *x = o->read->x;
    return ix_scalar_load(o->ctx, (ilex_dtype)x->dtype, o->read->slot,
                          ix_rank(x), o->index);
}

/* lo <= at && at < hi along axis "k". */
static ilex_array *
inside_condition(const outside *o, int k, ilex_array *at)
{
    const ix_axis *ax = &o->read->x->interior->ax[k];
    ilex_array *ends[2] = {ix_structure_compare(o->ctx, IX_OP_GREATER_EQUAL, at,
                                                ix_index_lin(o->ctx, ax->lo)),
                           ix_structure_compare(o->ctx, IX_OP_LESS, at,
                                                ix_index_lin(o->ctx, ax->hi))};
    return ix_scalar_op(o->ctx, IX_OP_LOGICAL_AND, ILEX_BOOL, ILEX_BOOL, ends);
}

/* where(inside along all axes, x[index], value); an index that is data is never
 * outside in its branch. */
static ilex_array *
load_or_value(outside *o, ilex_array *const *index)
{
    const ilex_array *x = o->read->x;
    ilex_array *condition = NULL;
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->valid->ax[k];
        o->index[k] = index[k];
        if (is_inside(o, k, index[k]))
            continue;
        ilex_array *both[2] = {condition, inside_condition(o, k, index[k])};
        condition = condition ? ix_scalar_op(o->ctx, IX_OP_LOGICAL_AND,
                                             ILEX_BOOL, ILEX_BOOL, both)
                              : both[1];
        if (!ix_index_is_affine(index[k]))
            o->index[k] =
                ix_scalar_checked(o->ctx, index[k], k, ax->lo, ax->hi, true);
    }
    ilex_array *element = load_here(o);
    return condition
               ? ix_structure_where(o->ctx, condition, element, o->read->value)
               : element;
}

/* The element, where indices from axis "k" on may be outside. */
static ilex_array *
load_from(outside *o, int k, ilex_array *const *index)
{
    ilex_context *ctx = o->ctx;
    if (k == ix_rank(o->read->x))
        return load_here(o);
    const ix_axis *ax = &o->read->x->interior->ax[k];
    const ix_lin *length = ix_axis_extent(ctx, ax);
    ilex_array *at = index[k], *lo = ix_index_lin(ctx, ax->lo), *branch[3];
    ilex_array *last = ix_index_lin(ctx, ix_lin_offset(ctx, ax->hi, -1));
    o->index[k] = at;
    if (!length || is_inside(o, k, at))
        return load_from(o, k + 1, index);
    if (o->read->mode == IX_OUTSIDE_EDGE) {
        o->index[k] = ix_index_max(ctx, ix_index_min(ctx, at, last), lo);
        return load_from(o, k + 1, index);
    }
    if (length->n == 0 && length->c > 0) {
        ilex_array *j = ix_index_fma(ctx, at, -1, lo);
        o->index[k] = ix_index_fma(
            ctx, lo, 1, ix_outside_folded(ctx, o->read->mode, j, length->c));
        return load_from(o, k + 1, index);
    }
    for (int i = 0; i < 3; i++) {
        o->index[k] =
            i == 1 ? at : ix_outside_other(ctx, o->read->mode, ax, at, i == 2);
        branch[i] = load_from(o, k + 1, index);
    }
    ilex_array *above = ix_structure_where(
        ctx, ix_structure_compare(ctx, IX_OP_GREATER, at, last), branch[2],
        branch[1]);
    return ix_structure_where(
        ctx, ix_structure_compare(ctx, IX_OP_LESS, at, lo), branch[0], above);
}

ilex_array *
ix_outside_load(ilex_context *ctx, const ix_outside_read *read,
                ilex_array *const *index)
{
    outside o = {.ctx = ctx, .read = read};
    if (!ix_field_known(ctx, "subscript", read->x, IX_EVERY_AXIS))
        return ix_poison_again(ctx);
    if (read->mode == IX_OUTSIDE_VALUE)
        return load_or_value(&o, index);
    for (int k = 0; k < ix_rank(read->x); k++)
        if (!ix_index_is_affine(index[k]))
            return ix_poison(ctx, "subscript", 0, ILEX_E_UNSUPPORTED,
                             "subscript: mode %s folds affine indices; index "
                             "%d is data: fold it in the expression, or give a "
                             "value: x[j[i]; 0.0]",
                             ix_outside_names[read->mode], k);
    return load_from(&o, 0, index);
}
