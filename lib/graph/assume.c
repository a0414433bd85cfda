/* SPDX-License-Identifier: MIT
 *
 * Size parameters, and which assumptions on them go together. Where ranges of
 * single sizes do not say it, lib/shape is asked, as the context says.
 */
#include "lib/graph/env.h"

int32_t
ix_param_add(ilex_context *ctx, ix_param p)
{
    if (p.symbol < 0 || p.key < 0 ||
        !ix_mem_grow(&ctx->mem, &ctx->param, &ctx->param_capacity,
                     ctx->nparams + 1, sizeof *ctx->param))
        return -1;
    if (p.degree == 0) { /* no product: itself */
        p.degree = 1;
        p.factor[0] = (int32_t)ctx->nparams;
    }
    ctx->param[ctx->nparams] = p;
    return (int32_t)ctx->nparams++;
}

int32_t
ix_param_given(ilex_context *ctx, int32_t symbol)
{
    for (size_t i = 0; i < ctx->nparams; i++)
        if (ctx->param[i].symbol == symbol && !ctx->param[i].mask &&
            !ctx->param[i].steps)
            return (int32_t)i;
    return ix_param_add(ctx, (ix_param){.symbol = symbol, .key = symbol});
}

int32_t
ix_param_of(ilex_context *ctx, int32_t symbol)
{
    for (size_t i = ctx->ncounted; i-- > ctx->first_counted;)
        if (ctx->param[ctx->counted[i]].symbol == symbol)
            return ctx->counted[i];
    return ix_param_given(ctx, symbol);
}

const char *
ix_param_name(const ilex_context *ctx, int32_t param)
{
    return ix_symbol_text(ctx, ctx->param[param].symbol);
}

const char *
ix_param_key(const ilex_context *ctx, int32_t param)
{
    return ix_symbol_text(ctx, ctx->param[param].key);
}

/* ---- consistency ---- */

/* The value of what is derived, from what comes before it; false where it is
 * out of its range. */
static bool
derived_value(const ilex_context *ctx, ix_size_range range, int64_t *value)
{
    int64_t v;
    bool fits = ix_param_value(ctx, range.param, value, &v);
    value[range.param] = fits ? v : INT64_MAX;
    return fits && v >= range.low && v <= range.high;
}

/* Does everything hold where each size is at least "least" and in its range,
 * but no larger than that? */
static bool
holds_at(const ilex_context *ctx, const ix_env *e, int64_t least,
         int64_t *value)
{
    bool holds = true;
    for (size_t p = 0; p < ctx->nparams; p++) {
        ix_size_range r = ix_env_range(e, (int32_t)p);
        value[p] = r.low > least ? r.low : least < r.high ? least : r.high;
        if (ix_param_is_derived(ctx, r.param))
            holds &= derived_value(ctx, r, value);
    }
    for (int32_t i = 0; holds && i < e->n; i++) {
        const ix_assumption *s = e->item[i];
        int64_t v;
        holds = ix_lin_eval(s->form, value, &v) &&
                (s->modulus ? ix_floormod(v, s->modulus) == 0 : v >= 0);
    }
    return holds;
}

/* Two simple choices of sizes, which mostly save the proof: all as small as
 * they may be, and all equal. */
static bool
simple_choice(ilex_context *ctx, const ix_env *e)
{
    int64_t least = 0;
    int64_t *value = ix_mem_new(&ctx->mem, (ctx->nparams + 1) * sizeof *value);
    for (int32_t i = 0; i < e->nranges; i++)
        least = e->range[i].low > least ? e->range[i].low : least;
    bool holds =
        value && (holds_at(ctx, e, 0, value) || holds_at(ctx, e, least, value));
    ix_mem_free(&ctx->mem, value);
    return holds;
}

/* Does "e" leave any size, if "known", a part of it, does? Ranges of single
 * sizes first, isl for the rest. */
static ix_tri
possible(ilex_context *ctx, const ix_env *e, const ix_env *known)
{
    const ix_env *facts = ctx->facts;
    for (int32_t i = 0; i < e->nranges; i++)
        if (e->range[i].low > e->range[i].high)
            return IX_NO;
    if (e->simple || simple_choice(ctx, e))
        return IX_YES;
    ctx->facts = e;
    ix_tri leaves = ctx->possible(ctx, known);
    ctx->facts = facts;
    return leaves;
}

/* Interns the items if they do not contradict each other; what nobody can show
 * to do so is taken. */
static ix_tri
accept(ilex_context *ctx, const ix_env **e, int32_t n,
       const ix_assumption *const *item)
{
    const ix_env *found = ix_env_find(ctx, n, item);
    if (!found) {
        ix_env *draft = ix_env_draft(ctx, n, item);
        if (!draft)
            return IX_UNKNOWN;
        if (possible(ctx, draft, *e) == IX_NO) {
            ix_mem_free(&ctx->mem, draft);
            return IX_NO;
        }
        found = ix_env_intern(ctx, draft);
    }
    *e = found ? found : *e;
    return found ? IX_YES : IX_UNKNOWN;
}

/* Room for the items of two sets; NULL with an error when there is none. */
static const ix_assumption **
room_for(ilex_context *ctx, const ix_env *a, const ix_env *b)
{
    size_t n = (size_t)(ix_env_count(a) + ix_env_count(b)) + 1;
    return ix_mem_new(&ctx->mem, n * sizeof(ix_assumption *));
}

ix_tri
ix_env_unite(ilex_context *ctx, const ix_env **e, const ix_env *with)
{
    if (ix_env_within(with, *e))
        return IX_YES;
    const ix_assumption **item = room_for(ctx, *e, with);
    ix_tri said =
        item ? accept(ctx, e, ix_env_merge(*e, with, item), item) : IX_UNKNOWN;
    ix_mem_free(&ctx->mem, (void *)item);
    return said;
}

ix_tri
ix_env_add(ilex_context *ctx, const ix_env **e, const ix_assumption *a)
{
    const ix_env *one = NULL;
    ix_tri said = a ? accept(ctx, &one, 1, &a) : IX_UNKNOWN;
    return said == IX_YES ? ix_env_unite(ctx, e, one) : said;
}

/* ---- contradictions ---- */

static bool
contradicts(ilex_context *ctx, const ix_env *e, void *unused)
{
    (void)unused;
    return possible(ctx, e, NULL) == IX_NO;
}

/* Names the assumptions of a draft that contradict each other. */
static void
report(ilex_context *ctx, const char *what, const ix_env *all,
       const ix_assumption **item)
{
    int32_t n = ix_env_minimise(ctx, all, contradicts, NULL, item);
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    for (int32_t i = 0; i < n; i++) {
        ix_text_put(&t, i == 0 ? "" : i == n - 1 ? " and " : ", ");
        ix_text_put(&t, ix_assumption_show(ctx, item[i]).s);
    }
    const char *s = ix_text_string(&t);
    ix_fail(&ctx->error, ILEX_E_ASSUME,
            "%s together on assumptions that no sizes satisfy: %s", what,
            s ? s : "?");
    ix_text_free(&t);
}

bool
ix_env_join(ilex_context *ctx, const char *what, const ix_env **e,
            const ix_env *with)
{
    ix_tri said = ix_env_unite(ctx, e, with);
    if (said != IX_NO)
        return said == IX_YES;
    const ix_assumption **item = room_for(ctx, *e, with);
    ix_env *all =
        item ? ix_env_draft(ctx, ix_env_merge(*e, with, item), item) : NULL;
    if (all)
        report(ctx, what, all, item);
    ix_mem_free(&ctx->mem, all);
    ix_mem_free(&ctx->mem, (void *)item);
    return false;
}
