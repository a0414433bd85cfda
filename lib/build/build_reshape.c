/* SPDX-License-Identifier: MIT
 *
 * Reshape, permute, slice.
 */
#include "lib/build/build.h"
#include "lib/build/reshape.h"

/* ---- reshape ---- */

static ilex_array *
reshaped(ilex_context *ctx, ilex_array *x, const ix_domain *dom, bool fortran)
{
    if (ix_is_poison(x) || !dom)
        return ix_poison_again(ctx);
    if (!ix_is_array(x))
        x = ix_build_restrict(ctx, "reshape", x, ix_domain_new(ctx, 0, NULL));
    if (ix_is_poison(x))
        return x;
    dom = ix_reshape_infer(ctx, dom, x->interior);
    if (!dom || !ix_domain_check_extents(ctx, "reshape", dom))
        return ix_poison_again(ctx);
    ilex_array *index[ILEX_MAX_RANK];
    if (!ix_field_known(ctx, "reshape", x, IX_EVERY_AXIS) ||
        !ix_reshape_counts(ctx, dom, x->interior) ||
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

ilex_array *
ix_build_reshape(ilex_context *ctx, ilex_array *x, const ix_domain *dom,
                 bool fortran)
{
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof, reshaped(ctx, x, dom, fortran));
}

/* ---- permute ---- */

ilex_array *
ix_build_permute(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    ilex_array *x = operands[0];
    int d = ix_rank(x);
    ix_given axes = {.present = true};
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    uint32_t seen = 0;
    bool identity = true;
    for (int k = 0; k < d; k++) {
        int64_t said = given->present ? given->number[k] : d - 1 - k;
        int64_t j = said < 0 ? said + d : said;
        if (j < 0 || j >= d || (seen >> j & 1))
            return ix_poison(ctx, "permute", 0, ILEX_E_AXIS,
                             "permute: entry %d is axis %lld; each of 0..%d "
                             "must appear once",
                             k, (long long)said, d - 1);
        seen |= 1u << j;
        axes.number[k] = j;
        in[k] = x->interior->ax[j];
        va[k] = x->valid->ax[j];
        identity &= j == k;
    }
    if (identity)
        return x;
    return ix_kind_node(IX_PERMUTE, ix_domain_new(ctx, d, in),
                        ix_domain_new(ctx, d, va), operands, count, &axes);
}

/* ---- slice ---- */

const ix_lin *
ix_slice_length(ilex_context *ctx, const ix_lin *start, const ix_lin *stop,
                int64_t step)
{
    const ix_lin *span =
        step > 0 ? ix_lin_sub(ctx, stop, start) : ix_lin_sub(ctx, start, stop);
    int64_t by = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    if (span && span->n == 0 && span->c < 0)
        return ix_lin_const(ctx, 0);
    return span ? ix_lin_floordiv(ctx, ix_lin_offset(ctx, span, by - 1), by)
                : NULL;
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

/* The range of result axis "k"; "*end" becomes the stop that steps reach. */
static bool
slice_axis(ilex_context *ctx, int k, const ix_axis *ax, const ix_lin *start,
           const ix_lin **end, int64_t step, ix_axis *result)
{
    const ix_lin *stop = *end;
    if (step == 0 || step == INT64_MIN)
        return ix_fail_false(
            &ctx->error, ILEX_E_ARGUMENT,
            "slice: the step of axis %d is %lld; it must not be 0 nor -2^63 "
            "(for example: 1, or -1 for backwards)",
            k, (long long)step);
    const ix_lin *length = ix_slice_length(ctx, start, stop, step);
    if (!length)
        return false;
    *result = (ix_axis){ax->name, ix_lin_const(ctx, 0), length};
    *end = ix_lin_fma(ctx, start, step, length);
    if (slice_inside(ctx, ax, start, length, step))
        return true;
    return ix_fail_false(
        &ctx->error, ILEX_E_BOUNDS,
        "slice: %s:%s:%lld leaves axis %d, which covers [%s, %s)",
        ix_lin_show(ctx, start).s, ix_lin_show(ctx, stop).s, (long long)step, k,
        ix_lin_show(ctx, ax->lo).s, ix_lin_show(ctx, ax->hi).s);
}

ilex_array *
ix_build_slice(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    const ilex_array *x = operands[0];
    int d = ix_rank(x);
    ix_axis ax[ILEX_MAX_RANK];
    ix_given start = given[0], stop = given[1], step = given[2];
    for (int k = 0; k < d; k++) {
        const ix_axis *in = &x->interior->ax[k];
        int64_t by = step.number[k] = step.present ? step.number[k] : 1;
        if (!start.form[k])
            start.form[k] = by > 0 ? in->lo : ix_lin_offset(ctx, in->hi, -1);
        if (!stop.form[k])
            stop.form[k] = by > 0 ? in->hi : ix_lin_offset(ctx, in->lo, -1);
        if (!slice_axis(ctx, k, in, start.form[k], &stop.form[k], by, &ax[k]))
            return ix_poison_again(ctx);
    }
    const ix_domain *dom = ix_domain_new(ctx, d, ax);
    if (!dom || !ix_domain_check_extents(ctx, "slice", dom))
        return ix_poison_again(ctx);
    return ix_kind_node(IX_SLICE, dom, dom, operands, count,
                        (const ix_given[]){start, stop, step});
}
