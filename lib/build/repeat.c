/* SPDX-License-Identifier: MIT
 *
 * Tile and repeat: an axis several times over, its elements several times.
 *
 * That is index arithmetic, a remainder or a quotient. An axis of symbolic
 * length that goes a few times is a concat of the array with itself instead,
 * which divides nothing.
 */
#include "lib/build/structure.h"

/* ---- tile ---- */

enum { FEW = 64 }; /* times that a concat is for */

/* i modulo the length */
static ilex_array *
remainder_of(ilex_context *ctx, int k, const ix_lin *length)
{
    if (length->n == 0 && length->c <= 1)
        return ix_index_const(ctx, 0);
    return ix_index_mod_lin(ctx, ix_scalar_index(ctx, k), length);
}

/* Is axis "k" joined of parts? */
static bool
is_joined(const ilex_array *x, int k, const ix_lin *by)
{
    return x->interior->ax[k].hi->n > 0 && by->n == 0 && by->c <= FEW &&
           by->c != 1;
}

/* "x" with axes of length 1 in front, so that it has "rank". */
static ilex_array *
with_rank(ilex_context *ctx, ilex_array *x, int rank)
{
    ix_given axes = {.present = true, .n = rank - ix_rank(x)};
    for (int k = 0; k < axes.n; k++)
        axes.number[k] = k;
    return axes.n > 0 ? ix_build_expand_dims(ctx, &x, 1, &axes) : x;
}

/* The axes that are not joined "by" times over. */
static ilex_array *
tile_index(ilex_context *ctx, ilex_array *x, const ix_lin *const *by)
{
    ilex_array *index[ILEX_MAX_RANK];
    const ix_lin *length[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_lin *own = x->interior->ax[k].hi;
        bool tiled = !is_joined(x, k, by[k]) && !ix_lin_is(by[k], 1);
        length[k] = tiled ? ix_lin_mul(ctx, own, by[k]) : own;
        index[k] = tiled ? remainder_of(ctx, k, own) : ix_scalar_index(ctx, k);
        if (!length[k])
            return ix_poison_again(ctx);
    }
    return ix_structure_read(
        "tile", x, ix_structure_shape(ctx, "tile", ix_rank(x), length), index);
}

/* Axis "k", of symbolic length, a few times over. */
static ilex_array *
tile_joined(ilex_context *ctx, ilex_array *x, int k, const ix_lin *by)
{
    const ix_given axis = {.present = true, .number = {k}};
    ilex_array *part[FEW];
    if (by->c == 0) {
        const ix_lin *length[ILEX_MAX_RANK];
        for (int i = 0; i < ix_rank(x); i++)
            length[i] = i == k ? by : x->interior->ax[i].hi;
        ilex_array *zero = ix_structure_number(ctx, (ilex_dtype)x->dtype, 0);
        return ix_build_restrict(
            ctx, "tile", zero,
            ix_structure_shape(ctx, "tile", ix_rank(x), length));
    }
    for (int64_t i = 0; i < by->c; i++)
        part[i] = x;
    return ix_build_concat(ctx, part, (int)by->c, &axis);
}

ilex_array *
ix_build_tile(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "tile", operands[0]);
    const ix_lin *by[ILEX_MAX_RANK];
    uint32_t joined = 0;
    (void)count;
    if (ix_is_poison(x))
        return x;
    int d = ix_rank(x) > given->n ? ix_rank(x) : given->n;
    x = with_rank(ctx, x, d);
    for (int k = 0; k < d; k++) {
        int given_at = k - (d - given->n);
        by[k] = given_at < 0 ? ix_lin_const(ctx, 1) : given->form[given_at];
        if (!ix_structure_nonneg(ctx, "tile", "by", by[k]))
            return ix_poison_again(ctx);
    }
    for (int k = 0; k < d && !ix_is_poison(x); k++)
        if (is_joined(x, k, by[k]))
            joined |= (uint32_t)1 << k;
    x = ix_is_poison(x) ? x : tile_index(ctx, x, by);
    for (int k = 0; k < d && !ix_is_poison(x); k++)
        if (joined >> k & 1)
            x = tile_joined(ctx, x, k, by[k]);
    return x;
}

/* ---- repeat ---- */

/* i // by, of an axis of length 1 always 0. */
static ilex_array *
quotient(ilex_context *ctx, int k, const ix_lin *length, const ix_lin *by)
{
    ilex_array *i = ix_scalar_index(ctx, k);
    if (ix_lin_is(length, 1) || ix_lin_is(by, 0))
        return ix_index_const(ctx, 0);
    return ix_index_floordiv_lin(ctx, i, by);
}

ilex_array *
ix_build_repeat(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "repeat", operands[0]);
    ilex_array *index[ILEX_MAX_RANK];
    const ix_lin *length[ILEX_MAX_RANK], *by = given[0].form[0];
    const ix_given *axis = &given[1];
    (void)count;
    if (ix_is_poison(x) || !ix_structure_nonneg(ctx, "repeat", "by", by))
        return ix_poison_again(ctx);
    x = axis->present ? x : ix_structure_flat(x);
    int at = ix_is_poison(x)
                 ? -1
                 : ix_structure_axis(ctx, "repeat",
                                     axis->present ? axis->number[0] : 0,
                                     ix_rank(x));
    if (at < 0)
        return ix_poison_again(ctx);
    for (int k = 0; k < ix_rank(x); k++) {
        length[k] = x->interior->ax[k].hi;
        index[k] = ix_scalar_index(ctx, k);
    }
    index[at] = quotient(ctx, at, length[at], by);
    length[at] = ix_lin_mul(ctx, length[at], by);
    if (!length[at] || ix_is_poison(index[at]))
        return ix_poison_again(ctx);
    return ix_structure_read(
        "repeat", x, ix_structure_shape(ctx, "repeat", ix_rank(x), length),
        index);
}
