/* SPDX-License-Identifier: MIT
 *
 * Proofs under assumptions: what a question needs of those in force, and what
 * is known already about linear forms.
 */
#include "lib/shape/refute.h"
#include "lib/shape/relevant.h"

/* ---- questions ---- */

static ix_tri
ask_under(ilex_context *ctx, const ix_question *q, const ix_env *e)
{
    const ix_env *facts = ctx->facts;
    ctx->facts = e;
    ix_tri said = q->ask(ctx, q->user);
    ctx->facts = facts;
    return said;
}

static bool
answered(ilex_context *ctx, const ix_env *e, void *question)
{
    return !ix_is_refuted(ctx, question, e) &&
           ask_under(ctx, question, e) == IX_YES;
}

/* Those of "all" that speak of relevant sizes, whose sizes then are relevant as
 * well; false if these are no more than before. */
static bool
widen(ix_relevant *r, const ix_env *all, const ix_assumption **item, int32_t *n)
{
    int32_t before = *n;
    *n = 0;
    for (int32_t i = 0; i < all->n; i++)
        if (ix_relevant_assumption(r, all->item[i]))
            item[(*n)++] = all->item[i];
    for (int32_t i = 0; i < *n; i++)
        ix_relevant_lin(r, item[i]->form);
    return *n > before;
}

/* The answer under "all", asked under a part that is small if assumptions that
 * name the question's sizes suffice, or those that share sizes with them, and
 * so on. The part is a draft, "*near", if the answer is yes. "said": the answer
 * under none. */
static ix_tri
ask_near(ilex_context *ctx, const ix_question *q, const ix_env *all,
         ix_tri said, ix_env **near)
{
    ix_relevant r;
    int32_t n = 0;
    const ix_assumption **item =
        ix_mem_new(&ctx->mem, (size_t)all->n * sizeof *item);
    if (!item || !ix_relevant_open(&r, ctx)) {
        ix_fail_memory(&ctx->error);
        ix_mem_free(&ctx->mem, (void *)item);
        return IX_UNKNOWN;
    }
    q->sizes(&r, q->user);
    for (int step = 1; said != IX_YES && widen(&r, all, item, &n); step *= 2) {
        for (int k = 1; k < step && widen(&r, all, item, &n); k++)
            continue;
        ix_mem_free(&ctx->mem, *near);
        *near = ix_env_draft(ctx, n, item);
        said = *near ? ask_under(ctx, q, *near) : IX_UNKNOWN;
    }
    ix_relevant_free(&r);
    ix_mem_free(&ctx->mem, (void *)item);
    return said;
}

/* What a question that "all" answers with yes needs of it, interned. */
static bool
find_need(ilex_context *ctx, const ix_question *q, const ix_env *all,
          const ix_env **need)
{
    const ix_assumption **item =
        ix_mem_new(&ctx->mem, (size_t)all->n * sizeof *item);
    if (!item)
        return false;
    int32_t n = ix_env_minimise(ctx, all, answered, (void *)q, item);
    *need = n ? ix_env_find(ctx, n, item) : NULL;
    if (n && !*need) {
        ix_env *draft = ix_env_draft(ctx, n, item);
        *need = draft ? ix_env_intern(ctx, draft) : NULL;
    }
    ix_mem_free(&ctx->mem, (void *)item);
    return n == 0 || *need;
}

/* What a proof may use: what is in force, and the bounds of counted sizes. */
static const ix_env *
usable(ilex_context *ctx)
{
    const ix_env *all = ctx->bounds;
    bool both = ctx->in_force && all;
    return both && ix_env_unite(ctx, &all, ctx->in_force) == IX_YES ? all
           : ctx->in_force ? ctx->in_force
                           : ctx->bounds;
}

ix_tri
ix_prove(ilex_context *ctx, const ix_question *q, const ix_env **need)
{
    const ix_env *in_force = ctx->in_force, *bounds = ctx->bounds;
    const ix_env *all = usable(ctx), *needed = NULL;
    /* what is asked meanwhile is part of the question */
    ctx->in_force = ctx->bounds = NULL;
    bool refuted = all && ix_is_refuted(ctx, q, ctx->facts);
    ix_tri said = refuted ? IX_NO : q->ask(ctx, q->user);
    if (said != IX_YES && all) {
        ix_env *near = NULL;
        said = ask_near(ctx, q, all, said, &near);
        /* one that nothing bears on is asked for its counterexample */
        if (refuted && !near && said == IX_NO)
            said = q->ask(ctx, q->user);
        if (said == IX_YES && near && !find_need(ctx, q, near, &needed))
            said = IX_UNKNOWN;
        ix_mem_free(&ctx->mem, near);
    }
    ctx->in_force = in_force;
    ctx->bounds = bounds;
    if (need)
        *need = needed;
    if (said == IX_YES && ix_env_unite(ctx, &ctx->proof, needed) != IX_YES)
        said = IX_UNKNOWN;
    return said;
}

/* ---- forms ---- */

/* Is "form" >= 0 under "in_force", and what is given? */
typedef struct known_form {
    const ix_lin *form;
    const ix_env *in_force, *facts, *need;
    ix_tri said;
} known_form;

static bool
known_equal(const void *item, const void *key)
{
    const known_form *a = item, *b = key;
    return a->form == b->form && a->in_force == b->in_force &&
           a->facts == b->facts;
}

ix_tri
ix_prove_form(ilex_context *ctx, ix_tri (*ask)(ilex_context *ctx, void *user),
              const ix_lin *form)
{
    known_form key = {form, usable(ctx), ctx->facts, NULL, IX_UNKNOWN};
    const ix_question question = ix_form_question(ask, &key.form);
    if (!key.in_force)
        return ask(ctx, &key.form);
    uint64_t hash = ix_mix(form->hash, key.in_force->hash);
    known_form *k = ix_table_find(&ctx->known, hash, &key, known_equal);
    if (k)
        return k->said != IX_YES ||
                       ix_env_unite(ctx, &ctx->proof, k->need) == IX_YES
                   ? k->said
                   : IX_UNKNOWN;
    key.said = ix_prove(ctx, &question, &key.need);
    k = key.said == IX_UNKNOWN ? NULL : ix_mem_new(&ctx->mem, sizeof *k);
    if (k) {
        *k = key;
        if (!ix_table_add(&ctx->known, &ctx->mem, hash, k))
            ix_mem_free(&ctx->mem, k);
    }
    return key.said;
}

/* ---- constructors ---- */

ix_assumed
ix_assume_instead(ilex_context *ctx, ix_assumed now)
{
    ix_assumed before = {ctx->in_force, ctx->facts, ctx->proof, ctx->place};
    ctx->in_force = now.in_force;
    ctx->facts = now.facts;
    ctx->proof = now.proof;
    ctx->place = now.place;
    return before;
}

const ix_env *
ix_proof_open(ilex_context *ctx)
{
    const ix_env *outer = ctx->proof;
    ctx->proof = NULL;
    return outer;
}

bool
ix_proof_use(ilex_context *ctx, const ix_env *env)
{
    return !env ||
           ix_env_join(ctx, "the operands of an array rest", &ctx->proof, env);
}

/* y(i) = x(i), which may rest on more than x: an input is one node. */
static ilex_array *
same_elements(ilex_context *ctx, ilex_array *x)
{
    ilex_array *index[ILEX_MAX_RANK];
    int rank = x->interior->rank;
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(ctx, k);
    return ix_node_lambda(
        ctx, x->interior, x->valid,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, rank, index), 1, &x);
}

ilex_array *
ix_proof_close(ilex_context *ctx, const ix_env *outer, ilex_array *result)
{
    bool rests = result && !ix_is_poison(result) && ctx->proof;
    if (rests && !ix_is_array(result))
        result = ix_node_lambda(ctx, ix_domain_new(ctx, 0, NULL),
                                ix_domain_new(ctx, 0, NULL), result, 0, NULL);
    else if (rests && result->kind == IX_INPUT &&
             !ix_env_within(ctx->proof, result->env))
        result = ix_with_env(same_elements(ctx, result), ctx->proof);
    else if (rests)
        result = ix_with_env(result, ctx->proof);
    ctx->proof = outer;
    return result;
}
