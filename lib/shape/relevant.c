/* SPDX-License-Identifier: MIT
 *
 * Which sizes a question is about.
 */
#include "lib/shape/relevant.h"

#include "lib/graph/context.h"
#include "lib/graph/counted.h"

bool
ix_relevant_open(ix_relevant *r, ilex_context *ctx)
{
    size_t n = ctx->nparams;
    *r = (ix_relevant){.ctx = ctx};
    r->at = ix_mem_new(&ctx->mem, (n + 1) * sizeof *r->at);
    for (size_t p = 0; r->at && p < n; p++)
        r->at[p] = -1;
    return r->at != NULL;
}

void
ix_relevant_free(ix_relevant *r)
{
    ix_mem_free(&r->ctx->mem, r->at);
    r->at = NULL;
}

/* A size, and what it is computed from. */
static void
mark(ix_relevant *r, int64_t param)
{
    const ix_param *p = &r->ctx->param[param];
    r->at[param] = 0;
    for (int i = 0; p->degree > 1 && i < p->degree; i++)
        mark(r, p->factor[i]);
    for (int i = 0; i < p->narms; i++)
        ix_relevant_lin(r, p->arm[i]);
}

void
ix_relevant_lin(ix_relevant *r, const ix_lin *a)
{
    for (int32_t i = 0; a && i < a->n; i++)
        mark(r, a->t[i].param);
}

void
ix_relevant_box(ix_relevant *r, const ix_domain *box)
{
    for (int k = 0; k < box->rank; k++) {
        ix_relevant_lin(r, box->ax[k].lo);
        ix_relevant_lin(r, box->ax[k].hi);
    }
}

static ix_walk_step
note_size(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_relevant *r = w->user;
    (void)value;
    if (n->kind == IX_SIZE)
        mark(r, n->attr[0]);
    return IX_WALK_IN;
}

void
ix_relevant_index(ix_relevant *r, const ilex_array *x)
{
    ix_walk w = {.ctx = r->ctx, .enter = note_size, .user = r};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
}

void
ix_relevant_frame(ix_relevant *r, const ix_frame *frame)
{
    if (frame->box)
        ix_relevant_box(r, frame->box);
    for (int i = 0; i < frame->nreduce; i++) {
        const ilex_array *n = frame->reduce[i];
        ix_relevant_box(r, n->interior);
        for (int k = 1; k < 3 && ix_has_affine_range(n); k++)
            ix_relevant_index(r, n->ops[k]);
    }
    for (int i = 0; i < frame->nguard; i++)
        ix_relevant_index(r, frame->guard[i].condition);
}

static bool
is_relevant(const ilex_context *ctx, int32_t param, const void *r)
{
    return ((const ix_relevant *)r)->at[param] >= 0 &&
           !ix_param_is_product(ctx, param);
}

bool
ix_relevant_assumption(const ix_relevant *r, const ix_assumption *a)
{
    /* what bounds a size that a run finds is asked by who names that: that a
     * step is one of some says that there are some, but in the loop alone */
    int32_t found = ix_counted_by(r->ctx, a);
    if (found >= 0 && r->at[found] < 0)
        return false;
    return ix_lin_needs(r->ctx, a->form, is_relevant, r);
}

/* Adds the sizes of assumptions that speak of a relevant one; true if some
 * are new. */
static bool
spread(ix_relevant *r)
{
    bool more = false;
    const ix_env *facts = r->ctx->facts;
    for (int32_t i = 0; i < ix_env_count(facts); i++) {
        const ix_lin *form = facts->item[i]->form;
        if (!ix_relevant_assumption(r, facts->item[i]))
            continue;
        for (int32_t k = 0; k < form->n; k++)
            more |= r->at[form->t[k].param] < 0;
        ix_relevant_lin(r, form);
    }
    return more;
}

/* Adds what products are made of; true if some are new. */
static bool
spread_factors(ix_relevant *r)
{
    bool more = false;
    for (size_t p = 0; p < r->ctx->nparams; p++) {
        int degree = r->ctx->param[p].degree;
        for (int i = 0; degree > 1 && r->at[p] >= 0 && i < degree; i++) {
            int32_t factor = r->ctx->param[p].factor[i];
            int32_t other = ix_param_without(r->ctx, (int32_t)p, i);
            more |= r->at[factor] < 0 || r->at[other] < 0;
            mark(r, factor);
            r->at[other] = 0;
        }
    }
    return more;
}

void
ix_relevant_close(ix_relevant *r)
{
    for (bool more = true; more;) {
        more = spread(r);
        more = spread_factors(r) || more;
    }
    for (size_t p = 0; p < r->ctx->nparams; p++)
        if (r->at[p] >= 0)
            r->at[p] = r->count++;
}
