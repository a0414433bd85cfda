/* SPDX-License-Identifier: MIT
 *
 * Two fields side by side along one axis, which meet where its index is "at".
 * It is a choice by index, so that each is computed on its own side only. A
 * side that has no point goes; along the other axes domains and what is known
 * intersect, as those of operators do.
 */
#include "lib/build/box.h"
#include "lib/build/build.h"
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

static const char name[] = "concat_where";

/* "x" without an axis of its domain, or of where it is known; that of no axes
 * for a scalar. */
static const ix_domain *
without(ilex_context *ctx, const ilex_array *x, int32_t axis, bool known)
{
    ix_axis ax[ILEX_MAX_RANK];
    int rank = 0;
    for (int k = 0; k < ix_rank(x); k++)
        if (x->interior->ax[k].name != axis)
            ax[rank++] = (known ? x->valid : x->interior)->ax[k];
    return ix_domain_new(ctx, rank, ax);
}

/* The axis' range in "x", or in the other operand if it lacks it; NULL if both
 * do. */
static const ix_axis *
range_of(const ilex_array *x, const ilex_array *other, int32_t axis, bool known)
{
    for (int i = 0; i < 2; i++, x = other) {
        int k = ix_rank(x) ? ix_domain_find(x->interior, axis) : -1;
        if (k >= 0)
            return &(known ? x->valid : x->interior)->ax[k];
    }
    return NULL;
}

typedef struct sides {
    ilex_context *ctx;
    int32_t axis;
    const ix_lin *at;
    ilex_array *x[2];        /* below "at", and from there on */
    const ix_axis *own[2];   /* their ranges of the axis */
    const ix_axis *known[2]; /* and where they are known */
    ix_axis whole[2];        /* where one without the axis is known */
    bool gone[2];            /* has no point, whatever the sizes */
} sides;

/* ---- along the axis ---- */

static bool
le(const sides *s, const ix_lin *a, const ix_lin *b)
{
    return ix_lin_le(s->ctx, a, b) == IX_YES;
}

/* Where one ends that goes on only to "at": the nearer of both. */
static const ix_lin *
nearer(const sides *s, const ix_lin *end, bool upper)
{
    return ix_meet_bounds(s->ctx, name, s->axis, end, s->at, upper);
}

/* The inner one of two ends of where both are known, whichever of them it is
 * that the sizes of a run ask for; NULL: they say which. */
static const ix_lin *
inner(const sides *s, int i, const ix_lin *mine, const ix_lin *theirs)
{
    if (i ? le(s, mine, theirs) : le(s, theirs, mine))
        return mine;
    return (i ? le(s, theirs, mine) : le(s, mine, theirs)) ? theirs : NULL;
}

/* The end of the result's range on the side of x[i], or of where it is known:
 * that of x[i]; of the other one where x[i] has no point. */
static const ix_lin *
end_of(const sides *s, int i, bool known)
{
    const ix_axis *own = known ? s->known[i] : s->own[i];
    const ix_axis *other = known ? s->known[1 - i] : s->own[1 - i];
    const ix_lin *mine = i ? own->hi : own->lo;
    const ix_lin *theirs = i ? other->hi : other->lo;
    if (s->gone[i])
        return nearer(s, theirs, i);
    bool some = i ? le(s, s->at, s->own[1]->hi) : le(s, s->own[0]->lo, s->at);
    if (some || ix_lin_same(s->ctx, mine, theirs))
        return mine;
    const ix_lin *both = known ? inner(s, i, mine, theirs) : NULL;
    if (known)
        return both ? both : i ? s->own[i]->hi : s->own[i]->lo;
    ix_lin_text a = ix_lin_show(s->ctx, i ? s->at : mine);
    ix_lin_text b = ix_lin_show(s->ctx, i ? mine : s->at);
    ix_poison(s->ctx, name, -1, ILEX_E_UNDECIDED,
              "%s: whether the field on the side of %s %s %s has a point there "
              "depends on sizes; assume %s <= %s",
              name, ix_symbol_text(s->ctx, s->axis), i ? ">=" : "<",
              ix_lin_show(s->ctx, s->at).s, a.s, b.s);
    return NULL;
}

/* What lacks the axis is the same all along it: known where the other one is,
 * and where that one is defined. */
static void
spread(sides *s, int i)
{
    ix_axis *all = &s->whole[i];
    if (s->own[i] == NULL ||
        (ix_rank(s->x[i]) && ix_domain_find(s->x[i]->interior, s->axis) >= 0))
        return;
    *all = *s->known[i];
    all->lo = le(s, s->own[i]->lo, all->lo) ? s->own[i]->lo : all->lo;
    all->hi = le(s, all->hi, s->own[i]->hi) ? s->own[i]->hi : all->hi;
    s->known[i] = all;
}

static ix_domain_text
shown(const sides *s, int i)
{
    const ilex_array *x = s->x[i];
    return ix_domain_show(s->ctx, ix_rank(x) ? x->interior
                                             : without(s->ctx, x, 0, false));
}

static bool
find_sides(sides *s)
{
    for (int i = 0; i < 2; i++) {
        s->own[i] = range_of(s->x[i], s->x[1 - i], s->axis, false);
        s->known[i] = range_of(s->x[i], s->x[1 - i], s->axis, true);
        spread(s, i);
    }
    if (!s->own[0])
        return ix_poison_false(
            s->ctx, name, 1, ILEX_E_AXIS,
            "%s: neither [%s] nor [%s] has the axis %s of the condition", name,
            shown(s, 0).s, shown(s, 1).s, ix_symbol_text(s->ctx, s->axis));
    s->gone[0] = le(s, s->at, s->own[0]->lo);
    s->gone[1] = le(s, s->own[1]->hi, s->at);
    if (!s->gone[0] || !s->gone[1])
        return true;
    return ix_poison_false(
        s->ctx, name, -1, ILEX_E_EMPTY,
        "%s: [%s:%s:%s] has no point below %s, and [%s:%s:%s] none from there "
        "on",
        name, ix_symbol_text(s->ctx, s->axis),
        ix_lin_show(s->ctx, s->own[0]->lo).s,
        ix_lin_show(s->ctx, s->own[0]->hi).s, ix_lin_show(s->ctx, s->at).s,
        ix_symbol_text(s->ctx, s->axis), ix_lin_show(s->ctx, s->own[1]->lo).s,
        ix_lin_show(s->ctx, s->own[1]->hi).s);
}

/* ---- the field ---- */

/* The result's domain, or where it is known; NULL after an error. */
static const ix_domain *
joined_domain(const sides *s, int rank, const int32_t *order, bool known)
{
    ix_axis ax[ILEX_MAX_RANK];
    const ix_domain *rest =
        ix_box_intersect(s->ctx, name, without(s->ctx, s->x[0], s->axis, known),
                         without(s->ctx, s->x[1], s->axis, known));
    for (int k = 0; rest && k < rank; k++)
        ax[k] = order[k] == s->axis ? (ix_axis){s->axis, end_of(s, 0, known),
                                                end_of(s, 1, known)}
                                    : rest->ax[ix_domain_find(rest, order[k])];
    const ix_domain *dom = rest ? ix_domain_new(s->ctx, rank, ax) : NULL;
    return dom && !ix_domain_has_partners(s->ctx, name, dom) ? dom : NULL;
}

/* Element [_0, _1, ...] of x[i], whose slot is "slot". */
static ilex_array *
element(const sides *s, const ix_domain *dom, int i, int slot)
{
    ilex_array *x = s->x[i], *index[ILEX_MAX_RANK];
    if (!ix_is_array(x))
        return x;
    ix_broadcast_indices(s->ctx, dom, x, index);
    return ix_scalar_load(s->ctx, (ilex_dtype)x->dtype, slot, ix_rank(x),
                          index);
}

static ilex_array *
joined(const sides *s)
{
    int32_t order[ILEX_MAX_RANK];
    ilex_array *arrays[2], *value[2];
    int n = 0, rank = ix_broadcast_order(s->ctx, 2, s->x, order);
    if (rank < 0)
        return ix_poison(s->ctx, name, -1, ILEX_E_RANK,
                         "%s: the fields have more than %d axes", name,
                         ILEX_MAX_RANK);
    const ix_domain *dom = joined_domain(s, rank, order, false);
    const ix_domain *valid = dom ? joined_domain(s, rank, order, true) : NULL;
    if (!valid)
        return ix_poison_again(s->ctx);
    for (int i = 0; i < 2; i++) {
        value[i] = element(s, dom, i, n);
        if (ix_is_array(s->x[i]) && !s->gone[i])
            arrays[n++] = s->x[i];
    }
    ilex_array *below = ix_structure_compare(
        s->ctx, IX_OP_LESS,
        ix_scalar_index(s->ctx, ix_domain_find(dom, s->axis)),
        ix_index_lin(s->ctx, s->at));
    ilex_array *body =
        s->gone[0] || s->gone[1]
            ? value[s->gone[0]]
            : ix_structure_where(s->ctx, below, value[0], value[1]);
    return ix_build_wide_lambda(s->ctx, name, dom, valid, body, n, arrays);
}

ilex_array *
ix_build_meet(ilex_context *ctx, int32_t axis, const ix_lin *at,
              ilex_array *below, ilex_array *above)
{
    sides s = {.ctx = ctx, .axis = axis, .at = at, .x = {below, above}};
    if (!at || !ix_build_common(ctx, name, 2, s.x))
        return ix_poison_again(ctx);
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof,
                          find_sides(&s) ? joined(&s) : ix_poison_again(ctx));
}
