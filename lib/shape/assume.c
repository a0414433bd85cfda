/* SPDX-License-Identifier: MIT
 *
 * Size parameters and what is assumed of them: a range for each, and linear
 * forms that are not negative or divisible.
 */
#include "lib/graph/context.h"
#include "lib/shape/affine.h"

int32_t
ix_param_of(ilex_context *ctx, int32_t symbol)
{
    if (symbol < 0)
        return -1;
    for (size_t i = 0; i < ctx->nparams; i++)
        if (ctx->param[i].symbol == symbol)
            return (int32_t)i;
    if (!ix_mem_grow(&ctx->mem, &ctx->param, &ctx->param_capacity,
                     ctx->nparams + 1, sizeof *ctx->param)) {
        ix_fail_memory(&ctx->error);
        return -1;
    }
    ctx->param[ctx->nparams] =
        (ix_param){symbol, 0, INT64_MAX, 1, {(int32_t)ctx->nparams}};
    return (int32_t)ctx->nparams++;
}

const char *
ix_param_name(const ilex_context *ctx, int32_t param)
{
    return ix_symbol_text(ctx, ctx->param[param].symbol);
}

/* A product of at least 1 has factors of at least 1. */
static void
narrow_factors(ilex_context *ctx, const ix_param *p)
{
    for (int i = 0; p->degree > 1 && p->low >= 1 && i < p->degree; i++) {
        ix_param *f = &ctx->param[p->factor[i]];
        f->low = f->low > 1 ? f->low : 1;
    }
}

/* Narrows the range of a parameter when "form" >= 0 is about it alone. */
static void
narrow(ilex_context *ctx, const ix_lin *form)
{
    if (form->n != 1)
        return;
    ix_param *p = &ctx->param[form->t[0].param];
    int64_t k = form->t[0].k;
    if (k > 0) {
        int64_t low = -ix_floordiv(form->c, k);
        p->low = low > p->low ? low : p->low;
        narrow_factors(ctx, p);
    } else {
        int64_t high = ix_floordiv(form->c, -k);
        p->high = high < p->high ? high : p->high;
    }
}

ilex_status
ix_assume(ilex_context *ctx, const ix_lin *form, int64_t modulus)
{
    if (!form)
        return ctx->error.code;
    if (!ix_mem_grow(&ctx->mem, &ctx->assumption, &ctx->assumption_capacity,
                     ctx->nassumptions + 1, sizeof *ctx->assumption))
        return ix_fail_memory(&ctx->error);
    ctx->assumption[ctx->nassumptions++] = (ix_assumption){form, modulus};
    if (modulus == 0)
        narrow(ctx, form);
    return ILEX_OK;
}

/* ---- consistency ---- */

static bool
has_product(const ilex_context *ctx, const ix_lin *form)
{
    bool found = false;
    for (int32_t i = 0; i < form->n; i++)
        found |= ix_param_is_product(ctx, form->t[i].param);
    return found;
}

bool
ix_assumed_ranges(const ilex_context *ctx)
{
    bool ranges = true;
    for (size_t i = 0; ranges && i < ctx->nassumptions; i++)
        ranges = !ctx->assumption[i].modulus &&
                 ctx->assumption[i].form->n < 2 &&
                 !has_product(ctx, ctx->assumption[i].form);
    return ranges;
}

/* The value of product "p" from those of its factors, which come before it;
 * false where it is out of its range. */
static bool
product_value(const ilex_context *ctx, size_t p, int64_t *value)
{
    const ix_param *product = &ctx->param[p];
    int64_t v = 1;
    bool fits = true;
    for (int i = 0; i < product->degree; i++)
        fits &= ix_mul(v, value[product->factor[i]], &v);
    value[p] = fits ? v : INT64_MAX;
    return fits && v >= product->low && v <= product->high;
}

/* Does everything hold where each size is at least "least" and in its range,
 * but no larger than that? */
static bool
holds_at(const ilex_context *ctx, int64_t least, int64_t *value)
{
    bool holds = true;
    for (size_t p = 0; p < ctx->nparams; p++) {
        int64_t low = ctx->param[p].low, high = ctx->param[p].high;
        value[p] = low > least ? low : least < high ? least : high;
        holds &= ix_param_is_product(ctx, (int32_t)p)
                     ? product_value(ctx, p, value)
                     : true;
    }
    for (size_t i = 0; holds && i < ctx->nassumptions; i++) {
        const ix_assumption *s = &ctx->assumption[i];
        int64_t v;
        holds = ix_lin_eval(s->form, value, &v) &&
                (s->modulus ? ix_floormod(v, s->modulus) == 0 : v >= 0);
    }
    return holds;
}

/* Two simple choices of sizes, which mostly save the proof: all as small as
 * they may be, and all equal. */
static bool
simple_choice(ilex_context *ctx)
{
    int64_t least = 0;
    int64_t *value = ix_mem_new(&ctx->mem, (ctx->nparams + 1) * sizeof *value);
    for (size_t p = 0; p < ctx->nparams; p++)
        least = ctx->param[p].low > least ? ctx->param[p].low : least;
    bool holds =
        value && (holds_at(ctx, 0, value) || holds_at(ctx, least, value));
    ix_mem_free(&ctx->mem, value);
    return holds;
}

ix_tri
ix_assumptions_possible(ilex_context *ctx)
{
    ix_tri possible = IX_YES;
    if (!ix_assumed_ranges(ctx) && !simple_choice(ctx))
        possible = ix_affine_assumptions_possible(ctx, ctx->npossible);
    for (size_t i = 0; i < ctx->nparams; i++)
        if (ctx->param[i].low > ctx->param[i].high)
            possible = IX_NO;
    if (possible != IX_NO)
        ctx->npossible = ctx->nassumptions;
    return possible;
}
