/* SPDX-License-Identifier: MIT
 *
 * Sizes that are computed from others: products, the least or largest of some
 * forms, quotients. Each is a parameter behind those that it is computed from.
 */
#include "lib/graph/env.h"

bool
ix_param_is_derived(const ilex_context *ctx, int32_t param)
{
    return ctx->param[param].narms > 0 || ix_param_is_product(ctx, param);
}

bool
ix_param_needs(const ilex_context *ctx, int32_t param, ix_param_fn *holds,
               const void *user)
{
    const ix_param *p = &ctx->param[param];
    bool found = holds(ctx, param, user);
    for (int i = 0; !found && p->degree > 1 && i < p->degree; i++)
        found = ix_param_needs(ctx, p->factor[i], holds, user);
    for (int i = 0; !found && i < p->narms; i++)
        found = ix_lin_needs(ctx, p->arm[i], holds, user);
    return found;
}

bool
ix_lin_needs(const ilex_context *ctx, const ix_lin *a, ix_param_fn *holds,
             const void *user)
{
    bool found = false;
    for (int32_t i = 0; !found && i < a->n; i++)
        found = ix_param_needs(ctx, a->t[i].param, holds, user);
    return found;
}

/* Is it a min or max? */
static bool
is_extremum(const ilex_context *ctx, int32_t param, const void *unused)
{
    (void)unused;
    return ix_param_is_extremum(ctx, param);
}

bool
ix_lin_has_extremum(const ilex_context *ctx, const ix_lin *a)
{
    return ix_lin_needs(ctx, a, is_extremum, NULL);
}

/* ---- from forms ---- */

int32_t
ix_param_find(const ilex_context *ctx, const ix_param *like)
{
    size_t bytes = (size_t)like->narms * sizeof like->arm[0];
    for (size_t i = 0; i < ctx->nparams; i++) {
        const ix_param *p = &ctx->param[i];
        if (p->narms == like->narms && p->largest == like->largest &&
            p->divisor == like->divisor && !memcmp(p->arm, like->arm, bytes))
            return (int32_t)i;
    }
    return -1;
}

/* ---- values ---- */

bool
ix_param_value(const ilex_context *ctx, int32_t param, const int64_t *size,
               int64_t *value)
{
    const ix_param *p = &ctx->param[param];
    bool ok = true;
    *value = 1;
    for (int i = 0; ok && p->narms == 0 && i < p->degree; i++)
        ok = ix_mul(*value, size[p->factor[i]], value);
    return ok && p->narms > 0 ? ix_extremum_value(p->arm, p->narms, p->largest,
                                                  p->divisor, size, value)
                              : ok;
}

bool
ix_extremum_value(const ix_lin *const *arm, int n, bool largest,
                  int64_t divisor, const int64_t *size, int64_t *value)
{
    for (int i = 0; i < n; i++) {
        int64_t v;
        if (!ix_lin_eval(arm[i], size, &v))
            return false;
        *value = i == 0 || (v > *value) == largest ? v : *value;
    }
    *value = *value > 0 ? (*value - 1) / divisor + 1 : 0;
    return true;
}

int64_t
ix_extremum_end(const ilex_context *ctx, int32_t param, bool high)
{
    const ix_param *p = &ctx->param[param];
    int64_t end = 0;
    for (int i = 0; i < p->narms; i++) {
        int64_t v;
        if (!ix_lin_end(ctx, p->arm[i], high, &v))
            v = high ? INT64_MAX : 0;
        end = i == 0 || (v > end) == p->largest ? v : end;
    }
    if (end <= 0 || end == INT64_MAX)
        return end;
    return (end - 1) / p->divisor + 1;
}
