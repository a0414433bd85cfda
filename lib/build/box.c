/* SPDX-License-Identifier: MIT
 *
 * Computing with domains: intersection, union, translation, parts.
 */
#include "lib/build/box.h"

#include <stdio.h>

#include "lib/shape/broadcast.h"

/* "d" and behind its axes those that only "more" has. */
static const ix_domain *
widened(ilex_context *ctx, const char *what, const ix_domain *d,
        const ix_domain *more)
{
    ix_axis ax[ILEX_MAX_RANK];
    int rank = d->rank;
    memcpy(ax, d->ax, (size_t)rank * sizeof *ax);
    for (int k = 0; k < more->rank; k++) {
        if (ix_domain_find(d, more->ax[k].name) >= 0)
            continue;
        if (rank == ILEX_MAX_RANK)
            return ix_fail_null(
                &ctx->error, ILEX_E_RANK,
                "%s: [%s] and [%s] have more than %d axes together", what,
                ix_domain_show(ctx, d).s, ix_domain_show(ctx, more).s,
                ILEX_MAX_RANK);
        ax[rank++] = more->ax[k];
    }
    return ix_domain_new(ctx, rank, ax);
}

static bool
check_named(ilex_context *ctx, const char *what, const ix_domain *d)
{
    if (d->rank == 0 || ix_domain_named(d))
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_AXIS,
                         "%s: the axes of [%s] have no names; write I:n", what,
                         ix_domain_show(ctx, d).s);
}

const ix_domain *
ix_box_intersect(ilex_context *ctx, const char *what, const ix_domain *a,
                 const ix_domain *b)
{
    if (!a || !b || !check_named(ctx, what, a) || !check_named(ctx, what, b))
        return NULL;
    a = widened(ctx, what, a, b);
    b = a ? widened(ctx, what, b, a) : NULL;
    const ix_domain *r = ix_domain_meet(ctx, what, a, b);
    return r && !ix_domain_has_partners(ctx, what, r) ? r : NULL;
}

/* ---- union ---- */

/* Is "a" inside "b", as far as that can be shown? */
static bool
holds(ilex_context *ctx, const ix_domain *b, const ix_domain *a)
{
    bool yes = true;
    for (int k = 0; yes && k < a->rank; k++)
        yes = ix_axis_inside(ctx, &a->ax[k],
                             &b->ax[ix_domain_find(b, a->ax[k].name)]);
    return yes;
}

static const ix_domain *
no_box(ilex_context *ctx, const ix_domain *a, const ix_domain *b)
{
    return ix_fail_null(
        &ctx->error, ILEX_E_SHAPE,
        "union: [%s] and [%s] are no product of ranges together, as far as is "
        "known: they differ along one axis, where they are adjacent or "
        "overlap, or one holds the other",
        ix_domain_show(ctx, a).s, ix_domain_show(ctx, b).s);
}

const ix_domain *
ix_box_union(ilex_context *ctx, const ix_domain *a, const ix_domain *b)
{
    int differ = -1, n = 0;
    ix_axis ax[ILEX_MAX_RANK];
    if (!a || !b || !check_named(ctx, "union", a) ||
        !check_named(ctx, "union", b))
        return NULL;
    for (int k = 0; k < a->rank; k++) {
        int j = ix_domain_find(b, a->ax[k].name);
        if (j < 0 || a->rank != b->rank)
            return no_box(ctx, a, b);
        ax[k] = b->ax[j];
        if (ix_lin_same(ctx, a->ax[k].lo, ax[k].lo) &&
            ix_lin_same(ctx, a->ax[k].hi, ax[k].hi))
            continue;
        differ = k;
        n++;
    }
    if (a->rank != b->rank)
        return no_box(ctx, a, b);
    if (n == 0 || holds(ctx, a, b))
        return a;
    b = ix_domain_new(ctx, a->rank, ax); /* in the order of a */
    if (!b || holds(ctx, b, a))
        return b;
    const ix_axis *p = &a->ax[differ], *q = &ax[differ];
    if (n > 1 || ix_lin_le(ctx, q->lo, p->hi) != IX_YES ||
        ix_lin_le(ctx, p->lo, q->hi) != IX_YES)
        return no_box(ctx, a, b);
    ax[differ].lo = ix_lin_min(ctx, p->lo, q->lo);
    ax[differ].hi = ix_lin_max(ctx, p->hi, q->hi);
    return ax[differ].lo && ax[differ].hi ? ix_domain_new(ctx, a->rank, ax)
                                          : no_box(ctx, a, b);
}

/* ---- moved ---- */

const ix_domain *
ix_box_move(ilex_context *ctx, const ix_domain *d, const ix_lin *const *by,
            const int32_t *name)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < d->rank; k++) {
        ax[k] = d->ax[k];
        if (name[k])
            ax[k].name = name[k];
        if (!by[k])
            continue;
        ax[k].lo = ix_lin_add(ctx, ax[k].lo, by[k]);
        ax[k].hi = ix_lin_add(ctx, ax[k].hi, by[k]);
    }
    const ix_domain *r = ix_domain_new(ctx, d->rank, ax);
    return r && ix_domain_check_numbers(ctx, "translate", r) &&
                   !ix_domain_has_partners(ctx, "translate", r)
               ? r
               : NULL;
}

/* ---- parts ---- */

/* A bound counted from the beginning or, where it is negative, the end. */
static const ix_lin *
from_ends(ilex_context *ctx, const ix_axis *ax, const ix_lin *place)
{
    bool behind = place->n == 0 && place->c < 0;
    return ix_lin_add(ctx, behind ? ax->hi : ax->lo, place);
}

/* The range of an item along "ax"; a single index has length 1. */
static bool
range_of(ilex_context *ctx, const ix_axis *ax, const ix_box_item *item,
         bool relative, ix_axis *range)
{
    *range = *ax;
    if (item->lo)
        range->lo = relative ? from_ends(ctx, ax, item->lo) : item->lo;
    if (item->single)
        range->hi = range->lo ? ix_lin_offset(ctx, range->lo, 1) : NULL;
    else if (item->hi)
        range->hi = relative ? from_ends(ctx, ax, item->hi) : item->hi;
    return range->lo && range->hi;
}

/* Is the range inside? Not so where a bound is known to be outside. */
static ix_tri
range_inside(ilex_context *ctx, const ix_axis *range, const ix_axis *ax)
{
    ix_tri low = ix_lin_le(ctx, ax->lo, range->lo);
    ix_tri high = ix_lin_le(ctx, range->hi, ax->hi);
    if (low == IX_YES && high == IX_YES)
        return IX_YES;
    bool below =
        ix_lin_le(ctx, range->lo, ix_lin_offset(ctx, ax->lo, -1)) == IX_YES;
    bool above =
        ix_lin_le(ctx, ix_lin_offset(ctx, ax->hi, 1), range->hi) == IX_YES;
    return below || above ? IX_NO : IX_UNKNOWN;
}

static void
report(ilex_context *ctx, const char *what, const ix_domain *d,
       const ix_axis *range, const ix_axis *ax, bool known)
{
    bool low = ix_lin_le(ctx, ax->lo, range->lo) == IX_YES;
    const ix_lin *rest = low ? ix_lin_sub(ctx, ax->hi, range->hi)
                             : ix_lin_sub(ctx, range->lo, ax->lo);
    ix_fail(&ctx->error, known ? ILEX_E_BOUNDS : ILEX_E_UNDECIDED,
            "%s: %s=%s:%s is %s inside [%s]%s", what,
            ix_symbol_text(ctx, ax->name), ix_lin_show(ctx, range->lo).s,
            ix_lin_show(ctx, range->hi).s, known ? "not" : "not known to be",
            ix_domain_show(ctx, d).s,
            known || !rest ? "" : ix_lin_propose(ctx, rest, false).s);
}

const ix_domain *
ix_box_part(ilex_context *ctx, const ix_domain *d, int count,
            const ix_box_item *items, bool relative)
{
    const char *what = relative ? "slice" : "restrict";
    ix_axis ax[ILEX_MAX_RANK];
    bool gone[ILEX_MAX_RANK] = {false};
    int rank = 0;
    memcpy(ax, d->ax, (size_t)d->rank * sizeof *ax);
    for (int i = 0; i < count; i++) {
        int k = items[i].axis;
        if (!range_of(ctx, &d->ax[k], &items[i], relative, &ax[k]))
            return NULL;
        ix_tri is = range_inside(ctx, &ax[k], &d->ax[k]);
        if (is != IX_YES) {
            report(ctx, what, d, &ax[k], &d->ax[k], is == IX_NO);
            return NULL;
        }
        gone[k] = items[i].single;
    }
    for (int k = 0; k < d->rank; k++)
        if (!gone[k])
            ax[rank++] = ax[k];
    const ix_domain *r = ix_domain_new(ctx, rank, ax);
    return r && ix_domain_check_extents(ctx, what, r) ? r : NULL;
}

ix_tri
ix_box_contains(ilex_context *ctx, const ix_domain *d, int count,
                const ix_box_item *items)
{
    const ix_axis *open = NULL;
    ix_axis range, undecided = {0};
    for (int i = 0; i < count; i++) {
        const ix_axis *ax = &d->ax[items[i].axis];
        if (!range_of(ctx, ax, &items[i], false, &range))
            return IX_UNKNOWN;
        ix_tri is = range_inside(ctx, &range, ax);
        if (is == IX_NO)
            return IX_NO;
        if (is == IX_YES)
            continue;
        open = ax;
        undecided = range;
    }
    if (open)
        report(ctx, "contains", d, &undecided, open, false);
    return open ? IX_UNKNOWN : IX_YES;
}
