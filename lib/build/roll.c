/* SPDX-License-Identifier: MIT
 *
 * Roll: an array shifted along an axis, round its ends.
 *
 * On an axis of constant length c, the shift is taken modulo c; if it depends
 * on sizes then, the index is a remainder. On one of symbolic length L the
 * index i - by leaves [lo, hi) on one side, by w lengths at most if |by| <= w*L
 * is known: it is one of i - by, i - by + L, ..., i - by + w*L, which guards
 * tell apart.
 */
#include "lib/build/build.h"
#include "lib/build/reshape.h"
#include "lib/shape/access.h"

enum { MOST_ROUNDS = 8 };

/* ---- the body ---- */

/* x at [_0, ..., at, ...]. */
static ilex_array *
load_at(const ilex_array *x, int axis, ilex_array *at)
{
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = k == axis ? at : ix_scalar_index(x->ctx, k);
    return ix_scalar_load(x->ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
}

/* lo + (i - lo - by) mod c */
static ilex_array *
remainder_index(ilex_context *ctx, ilex_array *from, const ix_lin *lo,
                int64_t c)
{
    ilex_array *offset = ix_index_fma(ctx, from, -1, ix_index_lin(ctx, lo));
    return ix_index_fma(ctx, from, -c, ix_index_floordiv(ctx, offset, c));
}

/* The smallest w with 0 <= by <= w*length for the points of x; 0 if that is
 * not known. */
static int
rounds_of(const ilex_array *x, const ix_lin *by, const ix_lin *length)
{
    ilex_context *ctx = x->ctx;
    ix_frame frame = {.box = x->interior};
    const ix_lin *zero = ix_lin_const(ctx, 0);
    ilex_array *at = ix_index_lin(ctx, by);
    for (int w = 1; w <= MOST_ROUNDS; w++) {
        const ix_lin *most =
            ix_lin_try_offset(ctx, ix_lin_try_fma(ctx, zero, w, length), 1);
        if (ix_access_is_within(ctx, &frame, at, zero, most))
            return w;
    }
    return 0;
}

/* Loads at "from" and "w" times "length" further, each guarded by being on
 * this side of the end: not below lo when going up, not at hi when going
 * down. */
static ilex_array *
guarded_loads(const ilex_array *x, int axis, ilex_array *from, int w,
              const ix_lin *length, bool up)
{
    ilex_context *ctx = x->ctx;
    const ix_axis *ax = &x->interior->ax[axis];
    ilex_array *step = ix_index_lin(ctx, length), *body = NULL;
    for (int j = w; j >= 0; j--) {
        ilex_array *at = ix_index_fma(ctx, from, up ? j : -j, step);
        ilex_array *inside[2] = {at, ix_index_lin(ctx, up ? ax->lo : ax->hi)};
        ilex_array *ops[3] = {
            ix_scalar_op(ctx, up ? IX_OP_GREATER_EQUAL : IX_OP_LESS, ILEX_I64,
                         ILEX_BOOL, inside),
            load_at(x, axis, at), body};
        ilex_dtype dtype = (ilex_dtype)x->dtype;
        body =
            body ? ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype, ops) : ops[1];
    }
    return body;
}

ilex_array *
ix_roll_body(const ilex_array *x, int axis, const ix_lin *by)
{
    ilex_context *ctx = x->ctx;
    const ix_axis *ax = &x->interior->ax[axis];
    const ix_lin *length = ix_axis_extent(ctx, ax);
    if (!length || !by)
        return ix_poison_again(ctx);
    ilex_array *from = ix_index_fma(ctx, ix_scalar_index(ctx, axis), -1,
                                    ix_index_lin(ctx, by));
    if (length->n == 0 && by->n > 0)
        return load_at(x, axis, remainder_index(ctx, from, ax->lo, length->c));
    int w = rounds_of(x, by, length);
    if (w)
        return guarded_loads(x, axis, from, w, length, true);
    w = rounds_of(x, ix_lin_scale(ctx, by, -1), length);
    if (w)
        return guarded_loads(x, axis, from, w, length, false);
    return ix_poison(ctx, "roll", 0, ILEX_E_UNSUPPORTED,
                     "roll: by %s along axis %d of length %s is not known to "
                     "stay within %d lengths; assume it, for example %s >= %s",
                     ix_lin_show(ctx, by).s, axis, ix_lin_show(ctx, length).s,
                     (int)MOST_ROUNDS, ix_lin_show(ctx, length).s,
                     ix_lin_show(ctx, by).s);
}

/* ---- the constructor ---- */

/* "by" without multiples of the length, which change nothing. */
static const ix_lin *
reduced(ilex_context *ctx, const ix_lin *by, const ix_lin *length)
{
    if (length->n) {
        int64_t k = 0;
        for (int32_t i = 0; i < by->n; i++)
            if (by->t[i].param == length->t[0].param)
                k = by->t[i].k / length->t[0].k;
        return ix_lin_fma(ctx, by, -k, length);
    }
    const ix_lin *r = ix_lin_const(ctx, ix_floormod(by->c, length->c));
    for (int32_t i = 0; i < by->n; i++)
        r = ix_lin_fma(ctx, r, ix_floormod(by->t[i].k, length->c),
                       ix_lin_param(ctx, by->t[i].param));
    return r;
}

/* The axis that is rolled along; -1 after an error. */
static int
axis_of(ilex_context *ctx, const ilex_array *x, const ix_given *given)
{
    int d = ix_rank(x);
    int64_t k = given[0].number[0] + (given[0].number[0] < 0 ? d : 0);
    if (!given[0].present || !given[1].present) {
        ix_poison(ctx, "roll", 0, ILEX_E_ARGUMENT,
                  "roll: the %s is NULL (for example: roll(x, \"0\", \"1\"))",
                  given[0].present ? "shift" : "axis");
        return -1;
    }
    if (k < 0 || k >= d) {
        ix_poison(ctx, "roll", 0, ILEX_E_AXIS,
                  "roll: there is no axis %lld in "
                  "[%s]",
                  (long long)given[0].number[0],
                  d ? ix_domain_show(ctx, x->interior).s : "");
        return -1;
    }
    if (ix_lin_is(x->interior->ax[k].hi, IX_UNBOUNDED)) {
        ix_poison(ctx, "roll", 0, ILEX_E_EMPTY,
                  "roll: axis %s has no bounds; restrict it first",
                  ix_symbol_text(ctx, x->interior->ax[k].name));
        return -1;
    }
    return (int)k;
}

ilex_array *
ix_build_roll(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ilex_array *x = operands[0];
    int axis = axis_of(ctx, x, given);
    if (axis < 0)
        return ix_poison_again(ctx);
    const ix_lin *length = ix_axis_extent(ctx, &x->interior->ax[axis]);
    if (!length)
        return ix_poison_again(ctx);
    bool empty = length->n == 0 && length->c <= 0;
    const ix_lin *by =
        empty ? ix_lin_const(ctx, 0) : reduced(ctx, given[1].form[0], length);
    if (!by)
        return ix_poison_again(ctx);
    if (ix_lin_is(by, 0))
        return ix_build_restrict(ctx, "roll", x, x->interior);
    if (ix_is_poison(ix_roll_body(x, axis, by)))
        return ix_poison_again(ctx);
    ix_given values[2] = {{.present = true, .number = {axis}},
                          {.present = true, .form = {by}}};
    return ix_kind_node(IX_ROLL, x->interior, x->interior, operands, count,
                        values);
}
