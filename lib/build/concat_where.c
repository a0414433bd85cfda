/* SPDX-License-Identifier: MIT
 *
 * Two fields side by side, by a condition on one axis: each is restricted to
 * its side, and the parts are combined.
 */
#include "lib/build/box.h"
#include "lib/build/build.h"
#include "lib/shape/broadcast.h"

static const char name[] = "concat_where";

/* The domain of "x" without an axis; that of no axes for a scalar. */
static const ix_domain *
without(ilex_context *ctx, const ilex_array *x, int32_t axis)
{
    ix_axis ax[ILEX_MAX_RANK];
    int rank = 0;
    for (int k = 0; k < ix_rank(x); k++)
        if (x->interior->ax[k].name != axis)
            ax[rank++] = x->interior->ax[k];
    return ix_domain_new(ctx, rank, ax);
}

/* The axis' range in "x", or in the other operand if it lacks it; NULL if both
 * do. */
static const ix_axis *
range_of(const ilex_array *x, const ilex_array *other, int32_t axis)
{
    for (int i = 0; i < 2; i++, x = other) {
        int k = ix_rank(x) ? ix_domain_find(x->interior, axis) : -1;
        if (k >= 0)
            return &x->interior->ax[k];
    }
    return NULL;
}

/* Two fields, and the axes of the result. */
typedef struct sides {
    ilex_context *ctx;
    int32_t axis; /* of the condition */
    int rank;
    int32_t order[ILEX_MAX_RANK];
    const ix_domain *rest; /* along the other axes */
} sides;

/* "x" on [lo, hi) of the axis; NULL for a bound: that of its own range. */
static ilex_array *
part(const sides *s, ilex_array *x, const ix_axis *own, const ix_lin *lo,
     const ix_lin *hi)
{
    ilex_context *ctx = s->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    int place = 0;
    for (int k = 0; k < s->rank; k++)
        if (s->order[k] == s->axis)
            place = k;
        else
            ax[k] = s->rest->ax[ix_domain_find(s->rest, s->order[k])];
    ax[place] = (ix_axis){own->name, lo ? lo : own->lo, hi ? hi : own->hi};
    bool lacks = ix_rank(x) == 0 || ix_domain_find(x->interior, own->name) < 0;
    if (lacks && ix_lin_le(ctx, ax[place].hi, ax[place].lo) == IX_YES)
        return ix_poison(
            ctx, name, -1, ILEX_E_EMPTY,
            "%s: what has no axis %s is taken on [%s, %s), the "
            "range of the other field, of which its side has no "
            "point; give it a domain of its own, `let z : "
            "f64[%s:n] = 0.0`",
            name, ix_symbol_text(ctx, own->name), ix_lin_show(ctx, own->lo).s,
            ix_lin_show(ctx, own->hi).s, ix_symbol_text(ctx, own->name));
    return ix_build_restrict(ctx, name, x, ix_domain_new(ctx, s->rank, ax));
}

static ilex_array *
joined(ilex_context *ctx, const ix_region *r, ilex_array *in, ilex_array *out)
{
    sides s = {.ctx = ctx, .axis = r->axis};
    const ix_axis *ai = range_of(in, out, r->axis);
    const ix_axis *ao = range_of(out, in, r->axis);
    if (!ai)
        return ix_poison(ctx, name, 1, ILEX_E_AXIS,
                         "%s: neither field has the axis %s of the condition",
                         name, ix_symbol_text(ctx, r->axis));
    s.rest = ix_box_intersect(ctx, name, without(ctx, in, r->axis),
                              without(ctx, out, r->axis));
    s.rank = ix_broadcast_order(ctx, 2, (ilex_array *[]){in, out}, s.order);
    if (!s.rest || s.rank < 0)
        return ix_poison(ctx, name, -1, ILEX_E_RANK,
                         "%s: the fields have more than %d axes", name,
                         ILEX_MAX_RANK);
    int n = 0;
    ilex_array *parts[3];
    if (r->lo)
        parts[n++] = part(&s, out, ao, NULL, r->lo);
    parts[n++] = part(&s, in, ai, r->lo, r->hi);
    if (r->hi)
        parts[n++] = part(&s, out, ao, r->hi, NULL);
    for (int i = 0; i < n; i++)
        if (ix_is_poison(parts[i]))
            return parts[i];
    return ix_build_combine(ctx, parts, n, NULL);
}

ilex_array *
ix_build_concat_where(ilex_context *ctx, const ix_region *region, ilex_array *a,
                      ilex_array *b)
{
    ilex_array *args[2] = {a, b};
    if (!ix_build_common(ctx, name, 2, args))
        return ix_poison_again(ctx);
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *in = args[region->outside], *out = args[!region->outside];
    return ix_proof_close(ctx, proof, joined(ctx, region, in, out));
}
