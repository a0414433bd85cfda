/* SPDX-License-Identifier: MIT
 *
 * Pass strip: reductions that an inner free loop can share. A sum over the rows
 * of a matrix, or a matrix product, reads along its rows if the free index runs
 * innermost; so the innermost loop is cut into strips of 64 points, each
 * with an accumulator, and the reduction's loops run around them:
 *
 *     for s in [0, n) step 64
 *         scratch a[64]
 *         for j in [0, m)
 *             for v in [0, w)
 *                 a[v] = a[v] + ...[s + v]
 *
 * needs: nests, branches; gives: those reductions as loops, the order in which
 * a point's elements are combined stays; breaks: that a nest has its stores
 * innermost. Not for GPUs, where each point has a thread.
 */
#include "compiler/lower/reduce.h"

enum { TOGETHER = 8 };

/* Points of a strip. A contraction gains as well where no operand is read
 * along: a few chains at a time hide how long an addition takes, and so few
 * rows stay in the cache. */
enum { WIDE = 64, NARROW = 8 };

/* ---- which reductions ---- */

typedef struct strip_search {
    ix_builder *b;
    int axis;
    ilex_array *found[TOGETHER];
    int count;
    bool along; /* something is read as the free index runs */
} strip_search;

static bool
uses_index(const ilex_array *x, int axis)
{
    if (x->kind == IX_INDEX)
        return x->attr[0] == axis;
    for (int i = 0; i < x->nops; i++)
        if ((x->ops[i]->flags & IX_HAS_INDEX) && uses_index(x->ops[i], axis))
            return true;
    return false;
}

typedef struct along_query {
    int axis;
    bool found;
} along_query;

static bool
note_along(void *user, const ilex_array *load)
{
    along_query *q = user;
    q->found |=
        load->nops > 0 && uses_index(load->ops[load->nops - 1], q->axis);
    return !q->found;
}

/* Does a load read along its last axis as the free index runs? */
static bool
reads_along(strip_search *s, ilex_array *n)
{
    along_query q = {s->axis, false};
    ix_body_loads(s->b->u, n, note_along, &q);
    return q.found;
}

static bool
suits(strip_search *s, ilex_array *n)
{
    bool complex_product = ix_reduction_of(n) == IX_REDUCTION_PROD &&
                           ix_dtype_is_complex((ilex_dtype)n->dtype);
    if (ix_lanes_of(n) > 1 || n->interior->rank == 0 || complex_product ||
        ix_is_ranged(n) || ix_reduction_info_of(ix_reduction_of(n))->by_index ||
        ix_unrolls(s->b->u, n, 0) || (n->ops[0]->flags & IX_HAS_REDUCE) ||
        ix_reduce_follows(s->b, n, s->axis))
        return false;
    bool along = reads_along(s, n->ops[0]);
    s->along |= along;
    return along || ix_is_chain(n);
}

static ix_walk_step
note_reduction(ix_walk *w, ilex_array *n, size_t *value)
{
    strip_search *s = w->user;
    (void)value;
    if (n->kind != IX_REDUCE)
        return IX_WALK_IN;
    if (s->count < TOGETHER && suits(s, n))
        s->found[s->count++] = n;
    return IX_WALK_OVER;
}

/* ---- cutting the loop ---- */

/* min(points, hi - s): the width of the strip that starts at s. */
static ilex_array *
width_of(ix_builder *b, const ix_stmt *loop, ilex_array *s, int64_t points)
{
    ilex_context *ctx = b->u->ctx;
    ilex_array *w = ix_index_const(ctx, points);
    for (int i = 0; i < loop->n[IX_for_hi]; i++)
        w = ix_index_min(
            ctx, ix_index_fma(ctx, ix_operands(loop, IX_for_hi)[i], -1, s), w);
    return w->kind == IX_CONST ? w : ix_value_of(b->u, ix_build_let(b, 'w', w));
}

/* A loop over the points around the stores, with the reductions' values. */
static void
put_stores(ix_builder *b, const strip_search *found, ix_stmt *const *array,
           const ix_strip *strip, const ix_stmt *stores)
{
    ix_unit *u = b->u;
    int axes = strip->axis + 1;
    ilex_array *point[ILEX_MAX_RANK];
    ix_stmt *loop =
        ix_stmt_for(u, ix_kernel_variable(u, b->k, IX_VARIABLE_POINT),
                    ix_index_const(u->ctx, 0), strip->width);
    ilex_array *v = ix_scalar_index(u->ctx, loop->number);
    loop->parallel = true;
    loop->optional = false; /* a strip has a point */
    for (int i = 0; i < axes; i++)
        point[i] = ix_scalar_index(u->ctx, i);
    point[strip->axis] = ix_index_fma(u->ctx, strip->first, 1, v);
    ix_substitution s = {.ctx = u->ctx,
                         .index = point,
                         .nindex = axes,
                         .became = ix_origin_keep,
                         .user = u};
    ix_build_open(b, loop);
    for (int i = 0; i < found->count; i++)
        if (!ix_map_set(&s.memo, &u->ctx->mem, found->found[i],
                        (size_t)ix_build_read(b, array[i], v)))
            ix_fail_memory(&u->ctx->error);
    ix_build_put_list(b, ix_stmt_substitute(u, &s, stores));
    ix_build_close(b, loop);
    ix_substitution_free(&s);
}

static void
cut_loop(ix_builder *b, const ix_stmt *loop, const strip_search *found)
{
    ilex_array *index[ILEX_MAX_RANK] = {NULL};
    ix_stmt *array[TOGETHER], *outer = ix_stmt_copy(b->u, loop);
    outer->number = ix_kernel_variable(b->u, b->k, IX_VARIABLE_STRIP);
    outer->step = found->along ? WIDE : NARROW;
    ix_build_open(b, outer);
    ix_strip strip = {.axis = loop->number, .points = outer->step};
    strip.first = ix_scalar_index(b->u->ctx, outer->number);
    strip.width = width_of(b, loop, strip.first, strip.points);
    for (int i = 0; i < found->count; i++)
        array[i] = ix_reduce_strip(b, found->found[i], 0, index, &strip);
    put_stores(b, found, array, &strip, loop->body);
    ix_build_close(b, outer);
}

/* Stores alone: what guards left stays as it is. */
static bool
has_stores_alone(const ix_stmt *s)
{
    for (; s && s->kind == IX_STMT_STORE; s = s->next)
        ;
    return !s;
}

static ix_stmt *
strip_stmt(ix_builder *b, ix_stmt *s)
{
    strip_search found = {.b = b, .axis = s->number};
    if (s->kind == IX_STMT_FOR && s->parallel && has_stores_alone(s->body)) {
        ix_walk w = {.ctx = b->u->ctx,
                     .mem = &b->mem,
                     .within = IX_HAS_REDUCE,
                     .enter = note_reduction,
                     .user = &found};
        for (const ix_stmt *x = s->body; x; x = x->next)
            ix_walk_body(&w, ix_store_value(x), NULL);
        ix_walk_free(&w);
        if (found.count) {
            cut_loop(b, s, &found);
            b->u->changed = true;
            return NULL;
        }
    }
    return ix_stmt_copy(b->u, s);
}

bool
ix_pass_strip(ix_unit *u)
{
    if (u->reference || u->target->grid)
        return true;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        if (ix_kernel_has(k, IX_HAS_REDUCE) && !ix_rebuild(u, k, strip_stmt))
            return false;
    return true;
}
