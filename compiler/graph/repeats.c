/* SPDX-License-Identifier: MIT
 *
 * The loops of a unit: which arrays are in which, and what is known there.
 */
#include "compiler/unit.h"
#include "lib/build/tuple.h"
#include "lib/graph/counted.h"

/* Where the body of loop "i" begins, which ends before position "end". */
static size_t
body_begin(const ix_unit *u, int i, size_t end)
{
    while (end > 0 &&
           ix_repeats_within(&u->repeats, u->repeats.inside[end - 1], i))
        end--;
    return end;
}

/* Sizes that are counted in the order in which that is done. */
static void
sort_counts(ix_unit *u)
{
    ilex_array **root = u->root + u->noutputs;
    size_t n = u->nroots - u->noutputs;
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && root[k - 1]->position > root[k]->position;
             k--) {
            ilex_array *x = root[k];
            int32_t size = u->counted[k];
            root[k] = root[k - 1];
            u->counted[k] = u->counted[k - 1];
            root[k - 1] = x;
            u->counted[k - 1] = size;
        }
}

void
ix_unit_gather(ix_unit *u)
{
    ix_repeats *l = &u->repeats;
    l->ctx = u->ctx;
    l->mem = &u->mem;
    l->counted = u->counted;
    l->number = u->root + u->noutputs;
    l->ncounted = u->nroots - u->noutputs;
    if (!ix_repeats_find(l, u->module->name, u->order, u->norder) ||
        !ix_repeats_gather(l, u->order, u->norder) || !l->inside)
        return;
    for (size_t i = 0; i < u->norder; i++)
        u->order[i]->position = (uint32_t)i;
    sort_counts(u);
    u->repeat = ix_arena_new(&u->arena, (size_t)l->n * sizeof *u->repeat);
    for (int i = 0; i < l->n; i++) {
        size_t end = ix_unit_position(u, l->loop[i]);
        u->repeat[i] = (ix_unit_repeat){.node = l->loop[i],
                                        .around = l->around[i],
                                        .begin = body_begin(u, i, end),
                                        .end = end,
                                        .until = -1,
                                        .first = -1};
    }
}

const ix_unit_repeat *
ix_unit_carrier(const ix_unit *u, int buffer, int turn, int *k)
{
    for (int i = 0; i < u->repeats.n; i++) {
        const ix_unit_repeat *l = &u->repeat[i];
        for (*k = 0; l->pair && *k < ix_repeat_carries(l->node); ++*k)
            if (l->pair[*k][turn] == buffer)
                return l;
    }
    return NULL;
}

int
ix_unit_repeat_at(const ix_unit *u, int calls)
{
    int inside = -1;
    for (int i = 0; i < calls; i++) {
        const ix_foreign_call *c = u->call[i];
        if (c->loop > 0)
            inside = c->ends ? u->repeat[c->loop - 1].around : c->loop - 1;
    }
    return inside;
}

static size_t
pace_of(const ix_unit *u, const ilex_array *node)
{
    size_t i = 0;
    while (i < u->npaces && u->pace[i].step != ix_repeat_step(node))
        i++;
    return i;
}

bool
ix_unit_has_pace(const ix_unit *u, const ilex_array *node)
{
    return pace_of(u, node) < u->npaces;
}

ix_pace
ix_unit_pace(const ix_unit *u, const ilex_array *node)
{
    size_t i = pace_of(u, node);
    return i < u->npaces
               ? u->pace[i]
               : (ix_pace){ix_repeat_step(node), 1, 0, ix_lin_const(u->ctx, 0)};
}

const ix_domain *
ix_repeat_element(ilex_context *ctx, const ilex_array *loop, int k,
                  const ix_domain *all)
{
    int64_t by = ix_repeat_every(loop, k);
    const ix_lin *step = ix_lin_param(ctx, ix_repeat_step(loop)),
                 *next = ix_lin_try_offset(ctx, step, 1);
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, all->ax, (size_t)all->rank * sizeof *ax);
    ax[0].lo = ix_lin_quotient(ctx, step, by);
    ax[0].hi = next ? ix_lin_quotient(ctx, next, by) : NULL;
    return ax[0].lo && ax[0].hi ? ix_domain_new(ctx, all->rank, ax) : NULL;
}

const ix_env *
ix_unit_repeat_facts(const ix_unit *u, int i, const ix_env *env)
{
    ilex_context *ctx = u->ctx;
    for (; i >= 0; i = u->repeat[i].around) {
        const ilex_array *n = u->repeat[i].node;
        ix_env_add(ctx, &env, ctx->param[ix_repeat_step(n)].bound);
    }
    return env;
}
