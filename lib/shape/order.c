/* SPDX-License-Identifier: MIT
 *
 * The order of linear forms under the assumptions: own algebra first, isl for
 * the rest.
 */
#include "lib/shape/affine.h"
#include "lib/shape/refute.h"

/* Under the facts. */
static ix_tri
ask_nonneg(ilex_context *ctx, void *form)
{
    const ix_lin *a = *(const ix_lin **)form;
    if (ix_lin_nonneg_fast(ctx, a))
        return IX_YES;
    bool simple = !ctx->facts || ctx->facts->simple;
    for (int32_t i = 0; i < a->n; i++)
        simple &= ix_param_high(ctx, a->t[i].param) == INT64_MAX &&
                  !ix_param_is_derived(ctx, a->t[i].param);
    const ix_question self = ix_form_question(ask_nonneg, form);
    return simple || ix_is_refuted(ctx, &self, ctx->facts)
               ? IX_NO
               : ix_affine_nonneg(ctx, a);
}

ix_tri
ix_lin_nonneg(ilex_context *ctx, const ix_lin *a)
{
    if (!a)
        return IX_UNKNOWN;
    if (a->n == 0)
        return a->c >= 0 ? IX_YES : IX_NO;
    return ix_lin_nonneg_fast(ctx, a) ? IX_YES
                                      : ix_prove_form(ctx, ask_nonneg, a);
}

/* Is "a" a constant that stands for no bound at all, with the sign given? */
static bool
unbounded(const ix_lin *a, int sign)
{
    return a->n == 0 &&
           (sign < 0 ? a->c <= -IX_UNBOUNDED : a->c >= IX_UNBOUNDED);
}

ix_tri
ix_lin_le(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    if (!a || !b)
        return IX_UNKNOWN;
    if (a == b || unbounded(a, -1) || unbounded(b, 1))
        return IX_YES;
    if (unbounded(a, 1) || unbounded(b, -1))
        return IX_NO;
    return ix_lin_nonneg(ctx, ix_lin_try_fma(ctx, b, -1, a));
}

/* The one of the two that lies in the direction of "sign". */
static const ix_lin *
extreme(ilex_context *ctx, const ix_lin *a, const ix_lin *b, int sign)
{
    if (!a || !b)
        return NULL;
    if (unbounded(a, -sign) || unbounded(b, sign))
        return b;
    if (unbounded(b, -sign) || unbounded(a, sign))
        return a;
    if (ix_lin_le(ctx, a, b) == IX_YES)
        return sign > 0 ? b : a;
    return ix_lin_le(ctx, b, a) != IX_YES ? NULL : sign > 0 ? a : b;
}

const ix_lin *
ix_lin_max(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    return extreme(ctx, a, b, 1);
}

const ix_lin *
ix_lin_min(ilex_context *ctx, const ix_lin *a, const ix_lin *b)
{
    return extreme(ctx, a, b, -1);
}
