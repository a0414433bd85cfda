/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that read one array at other indices: axes
 * reversed, added, removed, moved, stretched, repeated.
 */
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

ilex_array *
ix_build_flip(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ilex_array *index[ILEX_MAX_RANK];
    ilex_array *x = ix_structure_bounded(ctx, "flip", operands[0]);
    uint32_t mask;
    (void)count;
    if (ix_is_poison(x) || !ix_given_axes(x, "flip", given, &mask))
        return ix_poison_again(ctx);
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->interior->ax[k];
        index[k] = ix_scalar_index(ctx, k);
        if (mask >> k & 1)
            index[k] = ix_index_fma(
                ctx,
                ix_index_lin(
                    ctx,
                    ix_lin_offset(ctx, ix_lin_add(ctx, ax->lo, ax->hi), -1)),
                -1, index[k]);
    }
    return ix_structure_read("flip", x, x->interior, index);
}

/* ---- axes of length 1 ---- */

ilex_array *
ix_build_squeeze(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    ilex_array *x = ix_structure_array(ctx, "squeeze", operands[0]);
    ilex_array *index[ILEX_MAX_RANK];
    ix_axis ax[ILEX_MAX_RANK];
    uint32_t mask;
    int n = 0;
    (void)count;
    if (ix_is_poison(x) || !ix_given_axes(x, "squeeze", given, &mask))
        return ix_poison_again(ctx);
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *from = &x->interior->ax[k];
        const ix_lin *length = ix_axis_extent(ctx, from);
        bool one = length && ix_lin_same(ctx, length, ix_lin_const(ctx, 1));
        bool goes = (mask >> k & 1) && (one || given->present);
        if (goes && !one)
            return ix_poison(ctx, "squeeze", 0, ILEX_E_SHAPE,
                             "squeeze: axis %d of [%s] is not known to have "
                             "length 1",
                             k, ix_domain_show(ctx, x->interior).s);
        index[k] = goes ? ix_index_lin(ctx, from->lo) : ix_scalar_index(ctx, n);
        if (!goes)
            ax[n++] = *from;
    }
    return ix_structure_read("squeeze", x, ix_domain_new(ctx, n, ax), index);
}

/* The places of a list among "rank" axes as a mask; false after an error. */
static bool
places_mask(ilex_context *ctx, const char *what, const ix_given *given,
            int rank, uint32_t *mask)
{
    *mask = 0;
    for (int i = 0; i < given->n; i++) {
        int k = ix_structure_axis(ctx, what, given->number[i], rank);
        if (k < 0)
            return false;
        if (*mask >> k & 1)
            return ix_poison_false(ctx, what, 0, ILEX_E_DUPLICATE,
                                   "%s: axis %d is listed twice", what, k);
        *mask |= (uint32_t)1 << k;
    }
    return true;
}

ilex_array *
ix_build_expand_dims(ilex_context *ctx, ilex_array *const *operands, int count,
                     const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "expand_dims", operands[0]);
    ilex_array *index[ILEX_MAX_RANK];
    const ix_lin *length[2 * ILEX_MAX_RANK];
    uint32_t mask;
    int n = 0;
    (void)count;
    if (ix_is_poison(x) ||
        !places_mask(ctx, "expand_dims", given, ix_rank(x) + given->n, &mask))
        return ix_poison_again(ctx);
    for (int k = 0; k < ix_rank(x) + given->n; k++) {
        bool added = mask >> k & 1;
        length[k] = added ? ix_lin_const(ctx, 1) : x->interior->ax[n].hi;
        if (!added)
            index[n++] = ix_scalar_index(ctx, k);
    }
    return ix_structure_read(
        "expand_dims", x,
        ix_structure_shape(ctx, "expand_dims", ix_rank(x) + given->n, length),
        index);
}

/* ---- order of axes ---- */

ilex_array *
ix_build_transpose(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    ilex_array *x = ix_structure_array(ctx, "transpose", operands[0]);
    return ix_is_poison(x) ? x : ix_build_permute(ctx, &x, count, given);
}

ilex_array *
ix_build_moveaxis(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    ilex_array *x = ix_structure_array(ctx, "moveaxis", operands[0]);
    const ix_given *from = &given[0], *to = &given[1];
    ix_given axes = {.present = true};
    uint32_t taken, used;
    int next = 0, d = ix_rank(x);
    if (ix_is_poison(x) || !places_mask(ctx, "moveaxis", from, d, &taken) ||
        !places_mask(ctx, "moveaxis", to, d, &used))
        return ix_poison_again(ctx);
    if (from->n != to->n)
        return ix_poison(ctx, "moveaxis", 0, ILEX_E_RANK,
                         "moveaxis: from lists %d axes, to %d; they are "
                         "equally many",
                         from->n, to->n);
    for (int k = 0; k < d; k++) {
        for (int i = 0; i < to->n; i++)
            if ((to->number[i] + d) % d == k)
                axes.number[k] = from->number[i];
        if (used >> k & 1)
            continue;
        while (taken >> next & 1)
            next++;
        axes.number[k] = next++;
    }
    return ix_build_permute(ctx, &x, count, &axes);
}

/* ---- stretched axes ---- */

/* Is every axis of "x" as long as that of "dom", or 1? */
static bool
check_stretch(ilex_context *ctx, const ilex_array *x, const ix_domain *dom)
{
    int missing = dom->rank - ix_rank(x);
    bool ok = missing >= 0;
    for (int k = 0; ok && k < ix_rank(x); k++) {
        const ix_lin *have = x->interior->ax[k].hi;
        ok = ix_lin_is(have, 1) ||
             ix_lin_same(ctx, have, dom->ax[missing + k].hi);
    }
    if (!ok)
        ix_poison(ctx, "broadcast_to", 0, ILEX_E_SHAPE,
                  "broadcast_to: [%s] does not become [%s]: counted from the "
                  "last axis, each length is the same or 1",
                  ix_domain_show(ctx, x->interior).s,
                  ix_domain_show(ctx, dom).s);
    return ok;
}

ilex_array *
ix_build_broadcast_to(ilex_context *ctx, ilex_array *const *operands, int count,
                      const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "broadcast_to", operands[0]);
    ilex_array *index[ILEX_MAX_RANK];
    (void)count;
    if (ix_is_poison(x))
        return x;
    const ix_domain *dom =
        ix_structure_shape(ctx, "broadcast_to", given->n, given->form);
    if (!dom || !check_stretch(ctx, x, dom))
        return ix_poison_again(ctx);
    ix_broadcast_indices(ctx, dom, x, index);
    return ix_structure_read("broadcast_to", x, dom, index);
}

ilex_array *
ix_build_reshape_to(ilex_context *ctx, ilex_array *const *operands, int count,
                    const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "reshape", operands[0]);
    const ix_given *order = &given[1];
    ix_axis ax[ILEX_MAX_RANK];
    (void)count;
    if (ix_is_poison(x))
        return x;
    bool fortran = order->word && order->length == 1 && *order->word == 'F';
    if (order->word && !fortran && (order->length != 1 || *order->word != 'C'))
        return ix_poison(ctx, "reshape", 0, ILEX_E_ARGUMENT,
                         "reshape: the order '%.*s' is neither C nor F",
                         order->length < 20 ? (int)order->length : 20,
                         order->word);
    for (int k = 0; k < given->n; k++)
        ax[k] = (ix_axis){0, ix_lin_const(ctx, 0), given->form[k]};
    return ix_build_reshape(ctx, x, ix_domain_new(ctx, given->n, ax), fortran);
}
