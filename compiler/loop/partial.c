/* SPDX-License-Identifier: MIT
 *
 * Pass partial: reductions over everything get a loop that threads can share:
 * over the outermost of several axes, over the chunks of a single one.
 */
#include "compiler/tree/tree.h"

/* ---- which reduction ---- */

/* The outermost axis of reduction "n" can be a loop of its own. A chain of
 * several axes has no partial results; of a single axis there is to be more
 * than a chunk, and no fewer chunks where counted sizes are larger. */
static bool
has_parts(ix_unit *u, const ilex_array *n)
{
    const ix_axis *ax = n->interior->ax;
    const ix_lin *chunks;
    bool no_identity = ix_reduction_of(n) == IX_REDUCTION_PROD &&
                       ix_dtype_is_complex((ilex_dtype)n->dtype);
    if (n->interior->rank == 0 || ix_is_ranged(n) ||
        ix_reduction_info_of(ix_reduction_of(n))->by_index)
        return false;
    if (n->interior->rank > 1)
        return !ix_is_chain(n);
    chunks = ix_chunk_count(u->ctx, ax, ix_chunk_of(n, 0));
    return chunks && (chunks->n > 0 || chunks->c > 1) && !no_identity &&
           n->ops[0]->dtype == n->dtype;
}

typedef struct reduction_search {
    ix_unit *u;
    int parts; /* buffers from this one on hold parts */
    ilex_array *found;
} reduction_search;

/* The first reduction in a body that has parts, outermost ones alone. */
static ix_walk_step
find_reduction(ix_walk *w, ilex_array *n, size_t *value)
{
    reduction_search *r = w->user;
    (void)value;
    if (n->kind != IX_REDUCE)
        return IX_WALK_IN;
    bool of_parts =
        n->ops[0]->kind == IX_LOAD && n->ops[0]->attr[0] >= r->parts;
    r->found = !of_parts && has_parts(r->u, n) ? n : NULL;
    return r->found ? IX_WALK_END : IX_WALK_OVER;
}

static ilex_array *
reduction_in(ix_unit *u, int parts, ilex_array *body)
{
    reduction_search r = {.u = u, .parts = parts};
    ix_walk w = {.ctx = u->ctx,
                 .within = IX_HAS_REDUCE,
                 .enter = find_reduction,
                 .user = &r};
    ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    return r.found;
}

/* ---- its parts ---- */

/* A reduction that is cut: kernel "outer" stores "part" for each index, and
 * "whole" of what is stored takes its place. */
typedef struct cut {
    const ix_domain *outer;
    ilex_array *part;
    ix_reduce_order whole;
} cut;

/* For every index of the outermost axis the reduction over the others. */
static void
cut_axes(ix_unit *u, ilex_array *n, cut *c)
{
    ilex_context *ctx = u->ctx;
    const ix_domain *inner =
        ix_domain_new(ctx, n->interior->rank - 1, n->interior->ax + 1);
    ilex_array *index = ix_scalar_index(ctx, 0);
    ix_substitution s = {.ctx = ctx,
                         .rindex = &index,
                         .nrindex = 1,
                         .from = n->attr[1],
                         .became = ix_made_keep,
                         .user = u};
    ilex_array *body = ix_substitute(&s, n->ops[0]);
    ix_substitution_free(&s);
    ix_reduce_order part = c->whole;
    part.first++;
    part.lanes = (int)ix_lanes_of(n);
    part.chunk = ix_chunk_of(n, n->interior->rank - 1);
    c->outer = ix_domain_new(ctx, 1, n->interior->ax);
    c->part =
        inner && !ix_is_poison(body)
            ? ix_scalar_reduce_as(ctx, &part, (ilex_dtype)n->dtype, inner, body)
            : NULL;
}

/* For every chunk of the only axis its elements. */
static void
cut_chunks(ix_unit *u, ilex_array *n, cut *c)
{
    ilex_context *ctx = u->ctx;
    const ix_axis *ax = n->interior->ax;
    int chunk = ix_chunk_of(n, 0);
    ix_axis chunks = {.lo = ix_lin_const(ctx, 0),
                      .hi = ix_chunk_count(ctx, ax, chunk)};
    ilex_array *ops[3] = {n->ops[0]};
    ix_chunk_range(ctx, ax, chunk, &ops[1], &ops[2]);
    ix_reduce_order part = c->whole;
    part.lanes = (int)ix_lanes_of(n);
    part.chain = ix_is_chain(n);
    part.one = true;
    c->whole.chunk = 1;
    c->outer = ix_domain_new(ctx, 1, &chunks);
    c->part = ix_scalar_reduce_range_as(ctx, &part, (ilex_dtype)n->dtype,
                                        n->interior, ops);
}

/* The kernel that stores the parts. */
static ix_kernel *
partial_kernel(ix_unit *u, const cut *c, ix_moment when, int *buffer)
{
    if (!c->outer || !c->part || ix_is_poison(c->part))
        return NULL;
    *buffer = ix_unit_temporary(u, c->outer, (ilex_dtype)c->part->dtype);
    ix_kernel *k = ix_unit_kernel(u, c->outer, when);
    ix_kernel_store(u, k, 1, buffer, &c->part);
    return k;
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

/* Puts the kernel of the parts before "k" and reduces its results in "k". */
static ix_kernel *
split_reduction(ix_unit *u, ix_kernel *k, ilex_array *n)
{
    ilex_context *ctx = u->ctx;
    int buffer;
    cut c = {.whole = {.reduction = ix_reduction_of(n),
                       .first = (int)n->attr[1],
                       .lanes = 1,
                       .chunk = ix_chunk_of(n, 0),
                       .outer = ix_chunk_of(n, 0),
                       .total = ix_is_total(n)}};
    (n->interior->rank > 1 ? cut_axes : cut_chunks)(u, n, &c);
    ix_kernel *partial = partial_kernel(u, &c, k->when, &buffer);
    if (!partial)
        return NULL;
    ilex_array *index = ix_scalar_rindex(ctx, c.whole.first);
    ilex_array *load =
        ix_scalar_load(ctx, (ilex_dtype)n->dtype, buffer, 1, &index);
    replacement r = {n, ix_scalar_reduce_as(ctx, &c.whole, (ilex_dtype)n->dtype,
                                            c.outer, load)};
    ix_substitution s = {.ctx = ctx,
                         .rewrite = replace_node,
                         .became = ix_made_keep,
                         .user = &r,
                         .listener = u};
    ilex_array *value = ix_substitute(&s, ix_store_value(k->body));
    ix_substitution_free(&s);
    ix_set_operand(k->body, IX_store_value, value);
    const ilex_array *made = ix_made_of(u, n);
    ix_nest_note(partial->body, made ? made : k->body->array);
    partial->next = k;
    u->changed = true;
    return ix_is_poison(value) ? NULL : partial;
}

/* The kernels of all parts, before "*at", which is of rank 0. */
static bool
split_all(ix_unit *u, int parts, ix_kernel **at)
{
    ix_kernel *k = *at;
    ilex_array *n;
    while ((n = reduction_in(u, parts, ix_store_value(k->body)))) {
        ix_kernel *partial = split_reduction(u, k, n);
        if (!partial)
            return false;
        *at = partial;
        at = &partial->next;
    }
    return true;
}

/* needs: nests; gives: reductions of several axes, or of more than a chunk, to
 * a single value as two kernels, the first with a loop that threads can share.
 * The nest of one-axis reductions and the chunks that define the result stay
 * the same, so the bits do. */
bool
ix_pass_partial(ix_unit *u)
{
    ix_kernel *next;
    int parts = (int)u->nbuffers;
    if (u->reference)
        return true;
    for (ix_kernel **at = &u->kernels; *at; at = &next->next) {
        const ix_stmt *store = (*at)->body;
        next = *at;
        if (store->kind == IX_STMT_STORE && !store->next &&
            ix_stmt_has(store, IX_HAS_REDUCE) && !split_all(u, parts, at))
            return false;
    }
    ix_unit_number(u);
    return true;
}
