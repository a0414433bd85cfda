/* SPDX-License-Identifier: MIT
 *
 * Subscripts of whole arrays.
 */
#include "lib/build/items.h"

/* ---- ends of ranges ---- */

/* Which axis is looked at, for messages. */
typedef struct place {
    ilex_context *ctx;
    const ilex_array *x;
    int axis;
    const ix_lin *length;
} place;

/* Fails because sizes leave it open whether a <= b. */
static const ix_lin *
undecided(const place *p, const char *what, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *need = ix_lin_sub(p->ctx, b, a);
    ix_fail(&p->ctx->error, ILEX_E_BOUNDS,
            "subscript: %s of axis %d, of length %s: whether %s <= %s depends "
            "on sizes%s",
            what, p->axis, ix_lin_show(p->ctx, p->length).s,
            ix_lin_show(p->ctx, a).s, ix_lin_show(p->ctx, b).s,
            ix_lin_propose(p->ctx, need, false).s);
    return NULL;
}

/* "a" from the front: what is negative counts from the end. */
static const ix_lin *
from_front(const place *p, const char *what, const ix_lin *a)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *zero = ix_lin_const(ctx, 0);
    if (ix_lin_nonneg(ctx, a) == IX_YES)
        return a;
    if (ix_lin_le(ctx, a, ix_lin_const(ctx, -1)) == IX_YES)
        return ix_lin_add(ctx, a, p->length);
    return undecided(p, what, zero, a);
}

/* The number of "a" cut to [lo, hi]. */
static const ix_lin *
cut(const place *p, const char *what, const ix_lin *a, const ix_lin *lo,
    const ix_lin *hi)
{
    const ix_lin *r = ix_lin_max(p->ctx, a, lo);
    if (!r)
        return undecided(p, what, lo, a);
    const ix_lin *s = ix_lin_min(p->ctx, r, hi);
    return s ? s : undecided(p, what, r, hi);
}

/* One end of a range; "open": what it is where none is given. */
static const ix_lin *
range_end(const place *p, const char *what, const ix_lin *a, int64_t step,
          const ix_lin *open)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *lo = ix_lin_const(ctx, step > 0 ? 0 : -1);
    const ix_lin *hi = step > 0 ? p->length : ix_lin_offset(ctx, p->length, -1);
    if (!a)
        return open;
    a = from_front(p, what, a);
    return a ? cut(p, what, a, lo, hi) : NULL;
}

/* The number of steps from lo to before hi; NULL after an error. */
static const ix_lin *
steps(const place *p, const ix_lin *lo, const ix_lin *hi, int64_t step)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *zero = ix_lin_const(ctx, 0);
    const ix_lin *span =
        step > 0 ? ix_lin_sub(ctx, hi, lo) : ix_lin_sub(ctx, lo, hi);
    if (!span)
        return NULL;
    if (ix_lin_le(ctx, span, zero) == IX_YES)
        return zero;
    if (ix_lin_nonneg(ctx, span) != IX_YES)
        return step > 0 ? undecided(p, "the range", lo, hi)
                        : undecided(p, "the range", hi, lo);
    const ix_lin *n = ix_slice_length(ctx, lo, hi, step);
    if (!n)
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "subscript: the length of axis %d, (%s)/%lld rounded up, is "
                "not linear in the sizes; give the length a size of its own "
                "and use slice, or assume that the step divides it",
                p->axis, ix_lin_show(ctx, span).s,
                (long long)(step > 0 ? step : -step));
    return n;
}

/* ---- items ---- */

/* The result under construction. */
typedef struct result {
    ix_axis ax[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    int rank;
    ilex_array *index[ILEX_MAX_RANK]; /* into the operand */
} result;

/* Another axis of the result. */
static void
add_axis(result *r, ix_axis ax, ix_axis valid)
{
    r->ax[r->rank] = ax;
    r->valid[r->rank++] = valid;
}

static bool
take_index(const place *p, const ix_lin *at, result *r)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *given = at;
    if (!(at = from_front(p, "the index", at)))
        return false;
    const ix_lin *last = ix_lin_offset(ctx, p->length, -1);
    if (ix_lin_le(ctx, at, last) == IX_YES &&
        ix_lin_nonneg(ctx, at) == IX_YES) {
        r->index[p->axis] = ix_index_lin(ctx, at);
        return true;
    }
    bool low = ix_lin_nonneg(ctx, at) != IX_YES;
    const ix_lin *need =
        low ? at : ix_lin_sub(ctx, last, at); /* >= 0 would do */
    ix_fail(&ctx->error, ILEX_E_BOUNDS,
            need && need->n ? "subscript: index %s leaves axis %d, of length "
                              "%s, for some sizes%s"
                            : "subscript: index %s leaves axis %d, of length "
                              "%s%s",
            ix_lin_show(ctx, given).s, p->axis, ix_lin_show(ctx, p->length).s,
            ix_lin_propose(ctx, need, false).s);
    return false;
}

static bool
take_range(const place *p, const ix_item *item, result *r)
{
    ilex_context *ctx = p->ctx;
    int64_t step = item->step;
    const ix_lin *zero = ix_lin_const(ctx, 0), *none = ix_lin_const(ctx, -1);
    const ix_lin *last = ix_lin_offset(ctx, p->length, -1);
    if (step == 0 || step == INT64_MIN) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "subscript: the step of axis %d is %lld; it is not 0 (for "
                "example x[::2], x[::-1])",
                p->axis, (long long)step);
        return false;
    }
    const ix_lin *lo =
        range_end(p, "the start", item->lo, step, step > 0 ? zero : last);
    const ix_lin *hi = lo ? range_end(p, "the stop", item->hi, step,
                                      step > 0 ? p->length : none)
                          : NULL;
    const ix_lin *n = hi ? steps(p, lo, hi, step) : NULL;
    if (!n)
        return false;
    r->index[p->axis] = ix_index_fma(ctx, ix_index_lin(ctx, lo), step,
                                     ix_scalar_index(ctx, r->rank));
    add_axis(r, (ix_axis){0, zero, n}, (ix_axis){0, zero, n});
    return true;
}

/* How many axes the ellipsis stands for; -1 after an error. */
static int
hidden_axes(const ilex_array *x, int n, const ix_item *item)
{
    int taken = 0, dots = 0;
    for (int i = 0; i < n; i++)
        if (item[i].kind == IX_ITEM_ELLIPSIS)
            dots++;
        else
            taken++;
    if (dots <= 1 && taken <= ix_rank(x))
        return ix_rank(x) - taken;
    ix_fail(&x->ctx->error, dots > 1 ? ILEX_E_ARGUMENT : ILEX_E_RANK,
            dots > 1 ? "subscript: '...' stands twice; which axes belong to "
                       "which is not known"
                     : "subscript: %d indices for [%s], which has %d axes",
            taken, ix_rank(x) ? ix_domain_show(x->ctx, x->interior).s : "",
            ix_rank(x));
    return -1;
}

/* The lambda that reads x at the indices of the result. */
static ilex_array *
finish(ilex_context *ctx, ilex_array *x, result *r)
{
    const ix_domain *dom = ix_domain_new(ctx, r->rank, r->ax);
    const ix_domain *valid = ix_domain_new(ctx, r->rank, r->valid);
    if (!dom || !valid)
        return ix_poison_again(ctx);
    bool same =
        r->rank == ix_rank(x) && dom == x->interior && valid == x->valid;
    for (int k = 0; same && k < r->rank; k++)
        same = r->index[k]->kind == IX_INDEX;
    if (same)
        return x;
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), r->index);
    return dom == valid ? ix_build_lambda(ctx, "subscript", dom, body, 1, &x)
                        : ix_build_wide_lambda(ctx, "subscript", dom, valid,
                                               body, 1, &x);
}

ilex_array *
ix_build_items(ilex_context *ctx, ilex_array *x, int n, const ix_item *item)
{
    static const ix_item all = {.kind = IX_ITEM_RANGE, .step = 1};
    result r = {.rank = 0};
    int hidden = hidden_axes(x, n, item), axis = 0;
    bool ok = hidden >= 0, dots = false;
    for (int i = 0; ok && i <= n; i++) {
        bool here = i < n && item[i].kind == IX_ITEM_ELLIPSIS;
        int count = here || (i == n && !dots) ? hidden : i < n;
        dots |= here;
        for (; ok && count > 0; count--, axis++) {
            const ix_item *it = i == n || here ? &all : &item[i];
            place p = {ctx, x, axis,
                       ix_axis_extent(ctx, &x->interior->ax[axis])};
            ok =
                p.length && (it->kind == IX_ITEM_AT ? take_index(&p, it->lo, &r)
                                                    : take_range(&p, it, &r));
        }
    }
    return ok ? finish(ctx, x, &r) : ix_poison_again(ctx);
}

/* ---- named axes ---- */

ilex_array *
ix_build_select(ilex_context *ctx, ilex_array *x, int n, const ix_item *item)
{
    result r = {.rank = 0};
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_item *it = NULL;
        for (int i = 0; i < n; i++)
            it = item[i].axis == k ? &item[i] : it;
        ix_axis ax = x->interior->ax[k], valid = x->valid->ax[k];
        if (it && it->kind == IX_ITEM_AT) {
            r.index[k] = ix_index_lin(ctx, it->lo);
            continue;
        }
        ax.lo = it && it->lo ? it->lo : ax.lo;
        ax.hi = it && it->hi ? it->hi : ax.hi;
        r.index[k] = ix_scalar_index(ctx, r.rank);
        add_axis(&r, ax, it ? ax : valid);
    }
    return finish(ctx, x, &r);
}
