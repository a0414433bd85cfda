/* SPDX-License-Identifier: MIT
 *
 * Reshape, permute, slice; and the kinds that are not there yet.
 */
#include "lib/build/build.h"
#include "lib/build/reshape.h"

/* ---- reshape ---- */

ilex_array *
ix_build_reshape(ilex_context *ctx, ilex_array *x, const ix_domain *dom,
                 bool fortran)
{
    if (ix_is_poison(x) || !dom)
        return ix_poison_again(ctx);
    if (!ix_is_array(x))
        x = ix_build_restrict(ctx, "reshape", x, ix_domain_new(ctx, 0, NULL));
    if (!ix_domain_check_extents(ctx, "reshape", dom))
        return ix_poison_again(ctx);
    ilex_array *index[ILEX_MAX_RANK];
    if (!ix_reshape_counts(ctx, dom, x->interior) ||
        !ix_reshape_index(ctx, dom, x->interior, fortran, index))
        return ix_poison_again(ctx);
    int64_t attr = fortran;
    ix_node_spec spec = {.kind = IX_RESHAPE,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = dom,
                         .valid = dom,
                         .nops = 1,
                         .ops = &x,
                         .nattr = 1,
                         .attr = &attr};
    return ix_node_scoped(ctx, &spec);
}

/* ---- permute ---- */

ilex_array *
ix_build_permute(ilex_context *ctx, ilex_array *x, const int *axes)
{
    if (ix_is_poison(x))
        return x;
    int d = ix_rank(x);
    int64_t attr[ILEX_MAX_RANK];
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    uint32_t seen = 0;
    bool identity = true;
    for (int k = 0; k < d; k++) {
        int j = axes ? axes[k] : d - 1 - k;
        j += axes && j < 0 ? d : 0;
        if (j < 0 || j >= d || (seen >> j & 1))
            return ix_poison(ctx, "permute", 0, ILEX_E_AXIS,
                             "permute: entry %d is axis %d; each of 0..%d must "
                             "appear once",
                             k, axes ? axes[k] : j, d - 1);
        seen |= 1u << j;
        attr[k] = j;
        in[k] = x->interior->ax[j];
        va[k] = x->valid->ax[j];
        identity &= j == k;
    }
    if (identity)
        return x;
    ix_node_spec spec = {.kind = IX_PERMUTE,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = ix_domain_new(ctx, d, in),
                         .valid = ix_domain_new(ctx, d, va),
                         .nops = 1,
                         .ops = &x,
                         .nattr = d,
                         .attr = attr};
    return spec.interior && spec.valid ? ix_node_scoped(ctx, &spec)
                                       : ix_poison_again(ctx);
}

/* ---- slice ---- */

/* Number of indices start, start+step, ... before stop; NULL if it is not a
 * linear form. */
static const ix_lin *
slice_length(ilex_context *ctx, const ix_lin *start, const ix_lin *stop,
             int64_t step)
{
    const ix_lin *span =
        step > 0 ? ix_lin_sub(ctx, stop, start) : ix_lin_sub(ctx, start, stop);
    int64_t by = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    if (!span)
        return NULL;
    if (span->n == 0)
        return ix_lin_const(ctx, span->c > 0 ? (span->c - 1) / by + 1 : 0);
    const ix_lin *r = ix_lin_const(ctx, -ix_floordiv(-span->c, by));
    for (int32_t i = 0; i < span->n; i++) {
        if (span->t[i].k % by)
            return NULL;
        r = ix_lin_fma(ctx, r, span->t[i].k / by,
                       ix_lin_param(ctx, span->t[i].param));
    }
    return r;
}

/* Are start and the last index inside the axis (for a non-empty slice)? */
static bool
slice_inside(ilex_context *ctx, const ix_axis *ax, const ix_lin *start,
             const ix_lin *length, int64_t step)
{
    if (ix_lin_is(length, 0))
        return true;
    const ix_lin *last =
        ix_lin_fma(ctx, start, step, ix_lin_offset(ctx, length, -1));
    const ix_lin *low = step > 0 ? start : last,
                 *high = step > 0 ? last : start;
    return ix_lin_le(ctx, ax->lo, low) == IX_YES &&
           ix_lin_le(ctx, high, ix_lin_offset(ctx, ax->hi, -1)) == IX_YES;
}

static bool
slice_axis(ilex_context *ctx, int k, const ix_axis *ax, const ix_lin *start,
           const ix_lin *stop, int64_t step, ix_axis *result)
{
    if (step == 0 || step == INT64_MIN) {
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "slice: the step of axis %d is %lld; it must not be 0 nor "
                "-2^63 (for example: 1, or -1 for backwards)",
                k, (long long)step);
        return false;
    }
    if (!stop)
        stop = step > 0 ? ax->hi : ix_lin_offset(ctx, ax->lo, -1);
    const ix_lin *length =
        start && stop ? slice_length(ctx, start, stop, step) : NULL;
    if (!length) {
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "slice: the length of axis %d, %s:%s:%lld, is not linear in "
                "the sizes",
                k, start ? ix_lin_show(ctx, start).s : "?",
                stop ? ix_lin_show(ctx, stop).s : "?", (long long)step);
        return false;
    }
    *result = (ix_axis){ax->name, ix_lin_const(ctx, 0), length};
    if (slice_inside(ctx, ax, start, length, step))
        return true;
    ix_fail(&ctx->error, ILEX_E_BOUNDS,
            "slice: %s:%s:%lld leaves axis %d, which covers [%s, %s)",
            ix_lin_show(ctx, start).s, ix_lin_show(ctx, stop).s,
            (long long)step, k, ix_lin_show(ctx, ax->lo).s,
            ix_lin_show(ctx, ax->hi).s);
    return false;
}

/* The first indices are operands, scalars in the sizes; steps attributes. */
ilex_array *
ix_build_slice(ilex_context *ctx, ilex_array *x, const ix_lin *const *start,
               const ix_lin *const *stop, const int64_t *step)
{
    if (ix_is_poison(x))
        return x;
    int d = ix_rank(x);
    ix_axis ax[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK + 1] = {x};
    int64_t attr[ILEX_MAX_RANK];
    for (int k = 0; k < d; k++) {
        if (!slice_axis(ctx, k, &x->interior->ax[k], start[k],
                        stop ? stop[k] : NULL, step[k], &ax[k]))
            return ix_poison_again(ctx);
        index[k + 1] = ix_index_lin(ctx, start[k]);
        attr[k] = step[k];
    }
    const ix_domain *dom = ix_domain_new(ctx, d, ax);
    if (!dom || !ix_domain_check_extents(ctx, "slice", dom))
        return ix_poison_again(ctx);
    ix_node_spec spec = {.kind = IX_SLICE,
                         .dtype = (ilex_dtype)x->dtype,
                         .interior = dom,
                         .valid = dom,
                         .nops = d + 1,
                         .ops = index,
                         .nattr = d,
                         .attr = attr};
    return ix_node_scoped(ctx, &spec);
}
