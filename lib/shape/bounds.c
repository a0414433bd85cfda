/* SPDX-License-Identifier: MIT
 *
 * Are the bounds of domains well formed: small numbers, lengths >= 0?
 */
#include "lib/graph/lin.h"

/* What axis "k" is called in messages: as its index, if there is one. */
static const char *
called(const ilex_context *ctx, const ix_domain *dom, int k)
{
    int32_t name = ctx->called ? ctx->called[k] : dom->ax[k].name;
    return name ? ix_symbol_text(ctx, name) : "unnamed";
}

/* Are the numbers of a bound below those that stand for no bound? */
static bool
is_bound(const ix_lin *a)
{
    bool ok = a->c < IX_UNBOUNDED && a->c > -IX_UNBOUNDED;
    for (int32_t i = 0; ok && i < a->n; i++)
        ok = a->t[i].k < IX_UNBOUNDED && a->t[i].k > -IX_UNBOUNDED;
    return ok;
}

/* Are the numbers of an axis' bounds small enough? An axis without bounds is
 * well formed if "everywhere". */
static bool
check_numbers(ilex_context *ctx, const char *what, const ix_domain *dom, int k,
              bool everywhere)
{
    const ix_axis *ax = &dom->ax[k];
    bool lo = is_bound(ax->lo), hi = is_bound(ax->hi);
    if ((lo || (everywhere && ix_lin_is(ax->lo, -IX_UNBOUNDED))) &&
        (hi || (everywhere && ix_lin_is(ax->hi, IX_UNBOUNDED))))
        return true;
    return ix_fail_false(&ctx->error, ILEX_E_OVERFLOW,
                         "%s: axis %d (%s) covers [%s, %s); the numbers in "
                         "bounds stay below 2^60",
                         what, k, called(ctx, dom, k),
                         ix_lin_show(ctx, ax->lo).s,
                         ix_lin_show(ctx, ax->hi).s);
}

bool
ix_domain_check_numbers(ilex_context *ctx, const char *what,
                        const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++)
        if (!check_numbers(ctx, what, dom, k, true))
            return false;
    return true;
}

bool
ix_domain_check_extents(ilex_context *ctx, const char *what,
                        const ix_domain *dom)
{
    for (int k = 0; k < dom->rank; k++) {
        const ix_axis *ax = &dom->ax[k];
        const ix_lin *extent = ix_axis_extent(ctx, ax);
        if (!extent || !check_numbers(ctx, what, dom, k, false))
            return false;
        if (ix_lin_nonneg(ctx, extent) == IX_YES)
            continue;
        return ix_fail_false(
            &ctx->error, ILEX_E_EMPTY,
            extent->n ? "%s: axis %d (%s) covers [%s, %s), which is not known "
                        "to have a length >= 0%s"
                      : "%s: axis %d (%s) covers [%s, %s), whose length is "
                        "negative%s",
            what, k, called(ctx, dom, k), ix_lin_show(ctx, ax->lo).s,
            ix_lin_show(ctx, ax->hi).s, ix_lin_propose(ctx, extent, false).s);
    }
    return true;
}
