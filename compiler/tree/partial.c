/* SPDX-License-Identifier: MIT
 *
 * Pass partial: reductions over everything get a loop that threads can share.
 */
#include "compiler/tree/tree.h"

/* What sole_reduction finds. */
typedef struct reduction_search {
    ix_unit *u;
    ix_map seen;
    ilex_array *found;
    int count;
} reduction_search;

static void
find_reductions(reduction_search *r, ilex_array *n)
{
    if (!(n->flags & IX_HAS_REDUCE) || ix_map_find(&r->seen, n))
        return;
    if (!ix_map_set(&r->seen, &r->u->ctx->mem, n, 1))
        r->count = 2; /* no memory: leave the body as it is */
    if (n->kind == IX_REDUCE) {
        r->found = n;
        r->count++;
        return;
    }
    for (int i = 0; i < n->nops; i++)
        find_reductions(r, n->ops[i]);
}

/* The one reduction, over several axes, in a body; or NULL. A chain has no
 * partial results per axis. */
static ilex_array *
sole_reduction(ix_unit *u, ilex_array *body)
{
    reduction_search r = {.u = u};
    find_reductions(&r, body);
    ix_map_free(&r.seen, &u->ctx->mem);
    return r.count == 1 && r.found->interior->rank > 1 &&
                   !ix_is_ranged(r.found) && !ix_is_chain(r.found) &&
                   !ix_reduction_info_of(ix_reduction_of(r.found))->by_index
               ? r.found
               : NULL;
}

/* A REDUCE like "n" over part of its axes. */
static ilex_array *
part_of(ilex_array *n, const ix_domain *box, int first, int lanes,
        ilex_array *body)
{
    ix_reduce_order order = {ix_reduction_of(n), first, lanes, false,
                             ix_is_total(n)};
    return ix_scalar_reduce_as(n->ctx, &order, (ilex_dtype)n->dtype, box, body);
}

typedef struct replacement {
    ilex_array *from, *to;
} replacement;

static ilex_array *
replace_node(void *user, ilex_array *n)
{
    const replacement *r = user;
    return n == r->from ? r->to : n;
}

/* The kernel that stores, for every index of the outermost reduced axis, the
 * reduction over the other axes. */
static ix_kernel *
partial_kernel(ix_unit *u, ilex_array *n, int *buffer)
{
    ilex_context *ctx = u->ctx;
    const ix_domain *outer = ix_domain_new(ctx, 1, n->interior->ax);
    const ix_domain *inner =
        ix_domain_new(ctx, n->interior->rank - 1, n->interior->ax + 1);
    ilex_array *index = ix_scalar_index(ctx, 0);
    ix_substitution s = {
        .ctx = ctx, .rindex = &index, .nrindex = 1, .from = n->attr[1]};
    ilex_array *body = ix_substitute(&s, n->ops[0]);
    ix_substitution_free(&s);
    if (!outer || !inner || ix_is_poison(body))
        return NULL;
    body = part_of(n, inner, (int)n->attr[1] + 1, (int)ix_lanes_of(n), body);
    if (ix_is_poison(body))
        return NULL;
    *buffer = ix_unit_buffer(u, (ix_buffer){.role = IX_ROLE_TEMP,
                                            .name = "",
                                            .dtype = (ilex_dtype)n->dtype,
                                            .interior = outer,
                                            .box = outer,
                                            .inplace = -1});
    ix_kernel *k = ix_unit_kernel(u, outer);
    ix_kernel_store(u, k, *buffer, body);
    return k;
}

/* Puts the partial kernel before "k" and reduces its results in "k". */
static bool
split_reduction(ix_unit *u, ix_kernel **at, ilex_array *n)
{
    ix_kernel *k = *at;
    int buffer;
    ix_kernel *partial = partial_kernel(u, n, &buffer);
    if (!partial)
        return false;
    ilex_array *index = ix_scalar_rindex(u->ctx, (int)n->attr[1]);
    ilex_array *load =
        ix_scalar_load(u->ctx, (ilex_dtype)n->dtype, buffer, 1, &index);
    replacement r = {n, part_of(n, partial->box, (int)n->attr[1], 1, load)};
    ix_substitution s = {.ctx = u->ctx, .rewrite = replace_node, .user = &r};
    k->body->value = ix_substitute(&s, k->body->value);
    ix_substitution_free(&s);
    partial->phase = k->phase;
    partial->calls = k->calls;
    partial->next = k;
    *at = partial;
    u->changed = true;
    return !ix_is_poison(k->body->value);
}

/* needs: nests; gives: reductions of several axes to a single value as two
 * kernels, the first with a loop that threads can share. The nest of one-axis
 * reductions that defines the result stays the same, so the bits do. */
bool
ix_pass_partial(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel **at = &u->kernels; *at; at = &(*at)->next) {
        const ix_stmt *store = (*at)->body;
        if (store->kind != IX_STMT_STORE || store->next ||
            !(store->value->flags & IX_HAS_REDUCE))
            continue;
        ilex_array *n = sole_reduction(u, store->value);
        if (n && !split_reduction(u, at, n))
            return false;
    }
    ix_unit_number(u);
    return true;
}
