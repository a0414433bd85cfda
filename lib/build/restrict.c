/* SPDX-License-Identifier: MIT
 *
 * Where fields are known: restrict, and the question whether a field is known
 * on its own domain.
 */
#include <stdio.h>

#include "lib/build/unknown.h"
#include "lib/shape/broadcast.h"

/* Where axis "j" of "x" is in a domain that x is broadcast to; -1: it lacks. */
static int
partner(const ilex_array *x, const ix_domain *dom, int j)
{
    const ix_axis *ax = &x->valid->ax[j];
    return ax->name ? ix_domain_find(dom, ax->name)
                    : dom->rank - x->valid->rank + j;
}

/* What is read of "x" by one on "dom": a box on the axes of x, in its order. */
static const ix_domain *
read_box(ilex_context *ctx, const ilex_array *x, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int j = 0; j < ix_rank(x); j++) {
        int k = partner(x, dom, j);
        ax[j] = k < 0 ? x->valid->ax[j] : dom->ax[k];
    }
    return ix_domain_new(ctx, ix_rank(x), ax);
}

/* Reports that "dom" lacks an axis of "x", with the one that it has half a cell
 * away in its place. */
static bool
report_lack(ilex_context *ctx, const char *what, const ilex_array *x,
            int32_t name, const ix_domain *dom)
{
    const char *axis = name ? ix_symbol_text(ctx, name) : "(unnamed)";
    char remedy[120] = "";
    for (int k = 0; name && k < dom->rank; k++)
        if (dom->ax[k].name && ix_axes_are_partners(ctx, name, dom->ax[k].name))
            snprintf(remedy, sizeof remedy,
                     "; write %s, or move the value by half a cell", axis);
    return ix_fail_false(&ctx->error, ILEX_E_AXIS,
                         "%s: [%s] lacks axis %s of the operand [%s]%s", what,
                         ix_domain_show(ctx, dom).s, axis,
                         ix_domain_show(ctx, x->interior).s, remedy);
}

/* Does "dom" lie inside x's readable domain? Reports when not. */
static bool
check_inside(ilex_context *ctx, const char *what, ilex_array *x,
             const ix_domain *dom)
{
    for (int j = 0; j < ix_rank(x); j++) {
        const ix_axis *have = &x->valid->ax[j];
        int k = partner(x, dom, j);
        if (k < 0)
            return report_lack(ctx, what, x, have->name, dom);
        if ((!have->name && ix_lin_is(have->hi, 1)) ||
            ix_axis_inside(ctx, &dom->ax[k], have))
            continue;
        if (!have->name && dom->rank == x->valid->rank &&
            !ix_lin_same(ctx, dom->ax[k].hi, have->hi) &&
            ix_lin_le(ctx, dom->ax[k].hi, have->hi) != IX_YES)
            return ix_fail_false(
                &ctx->error, ILEX_E_SHAPE,
                "%s: axis %d has length %s, but the value has %s", what, k,
                ix_lin_show(ctx, dom->ax[k].hi).s,
                ix_lin_show(ctx, have->hi).s);
        ix_report_unknown(ctx, what, x, read_box(ctx, x, dom));
        return false;
    }
    return true;
}

/* x on a domain of no fewer axes, which may be read on "valid" around it. */
static ilex_array *
restricted(ilex_context *ctx, const char *what, ilex_array *x,
           const ix_domain *dom, const ix_domain *valid)
{
    if (!ix_build_check_names(ctx, what, dom) ||
        !ix_domain_check_extents(ctx, what, dom) ||
        !check_inside(ctx, what, x, valid))
        return ix_poison_again(ctx);
    if (!ix_is_array(x))
        return ix_node_lambda(ctx, dom, valid, x, 0, NULL);
    ilex_array *index[ILEX_MAX_RANK];
    ix_broadcast_indices(ctx, dom, x, index);
    int slots = 0;
    ilex_array *body = ix_read_scalar(ctx, x, index, &slots);
    return ix_node_lambda(ctx, dom, valid, body, slots, &x);
}

/* One of "dom" and x has names of axes, the other none. */
static ilex_array *
named_otherwise(ilex_context *ctx, const char *what, const ilex_array *x,
                const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    bool same = dom->rank == ix_rank(x);
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        ax[k].name = same ? x->interior->ax[k].name : 0;
        same = same && (ax[k].name || ix_lin_is(ax[k].lo, 0));
    }
    const ix_domain *named = same ? ix_domain_new(ctx, dom->rank, ax) : NULL;
    return ix_poison(ctx, "restrict", 0, ILEX_E_AXIS,
                     named ? "%s: [%s] and the value's [%s] differ in whether "
                             "axes are named; write [%s]"
                           : "%s: [%s] and the value's [%s] differ in whether "
                             "axes are named",
                     what, ix_domain_show(ctx, dom).s,
                     ix_domain_show(ctx, x->interior).s,
                     named ? ix_domain_show(ctx, named).s : "");
}

/* The same after the checks that need no proof; x itself if it is that. */
static ilex_array *
restrict_to(ilex_context *ctx, const char *what, ilex_array *x,
            const ix_domain *dom, const ix_domain *valid)
{
    if (ix_is_poison(x) || !dom || !valid)
        return ix_poison_again(ctx);
    if (ix_is_weak(x))
        x = ix_scalar_cast(ctx, (ilex_dtype)x->dtype, x);
    if (ix_is_array(x) && x->interior == dom && x->valid == valid)
        return x;
    if (dom->rank > 0 && ix_rank(x) > 0 &&
        ix_domain_named(dom) != ix_domain_named(x->interior))
        return named_otherwise(ctx, what, x, dom);
    if (dom->rank < ix_rank(x))
        return ix_poison(ctx, "restrict", 0, ILEX_E_RANK,
                         "%s: [%s] has fewer axes than the value's [%s]", what,
                         ix_domain_show(ctx, dom).s,
                         ix_domain_show(ctx, x->interior).s);
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, restricted(ctx, what, x, dom, valid));
}

ilex_array *
ix_build_restrict(ilex_context *ctx, const char *what, ilex_array *x,
                  const ix_domain *dom)
{
    return restrict_to(ctx, what, x, dom, dom);
}

ilex_array *
ix_build_with_halo(ilex_context *ctx, const char *what, ilex_array *x,
                   const ix_domain *dom, const int64_t *halo)
{
    return restrict_to(ctx, what, x, dom, ix_build_grow(ctx, what, dom, halo));
}

/* ---- known on its own domain ---- */

/* Adds which part of axis "k" of x is known, if that can be said. */
static void
propose_part(ilex_context *ctx, const ilex_array *x, int k)
{
    const ix_axis *in = &x->interior->ax[k], *known = &x->valid->ax[k];
    const ix_lin *lo = ix_lin_max(ctx, in->lo, known->lo);
    const ix_lin *hi = ix_lin_min(ctx, in->hi, known->hi);
    size_t n = strlen(ctx->error.text);
    if (lo && hi)
        snprintf(ctx->error.text + n, sizeof ctx->error.text - n,
                 "; on [%s] it is known for %s=%s:%s only: take that part, or "
                 "give what it reads a halo",
                 ix_domain_show(ctx, x->interior).s,
                 ix_symbol_text(ctx, in->name), ix_lin_show(ctx, lo).s,
                 ix_lin_show(ctx, hi).s);
}

bool
ix_field_known(ilex_context *ctx, const char *what, const ilex_array *x,
               uint32_t axes)
{
    if (!ix_is_array(x) || x->interior == x->valid)
        return true;
    for (int k = 0; k < ix_rank(x); k++) {
        if (!(axes >> k & 1) ||
            ix_axis_inside(ctx, &x->interior->ax[k], &x->valid->ax[k]))
            continue;
        ix_report_unknown(ctx, what, x, x->interior);
        propose_part(ctx, x, k);
        return false;
    }
    return true;
}

ilex_array *
ix_field_known_part(ilex_context *ctx, const char *what, ilex_array *x)
{
    if (ix_is_poison(x) || x->interior == x->valid)
        return x;
    const ix_env *proof = ix_proof_open(ctx);
    const ix_domain *part = ix_domain_meet(ctx, what, x->interior, x->valid);
    return ix_proof_close(
        ctx, proof,
        part == x->interior ? x : ix_build_restrict(ctx, what, x, part));
}
