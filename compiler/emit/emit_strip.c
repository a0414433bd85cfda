/* SPDX-License-Identifier: MIT
 *
 * Strips: reductions that an inner free loop can share. A sum over the rows of
 * a matrix, or a matrix product, reads along its rows if the free index runs
 * innermost; so the innermost loop is cut into strips of IX_STRIP points, each
 * with an accumulator, and the reduction loops run around them:
 *
 *     for (i64 s1 = 0; s1 < n1; s1 += 64) {
 *         f64 a0[64];
 *         for (i64 j0 = 0; j0 < n0; j0++)
 *             for (i64 v = 0; v < w; v++)
 *                 a0[v] = a0[v] + ...[s1 + v];
 *
 * The order in which a point's elements are combined stays the same.
 */
#include <stdio.h>

#include "compiler/emit/emit.h"
#include "lib/ops/dtype.h"

/* ---- which reductions ---- */

typedef struct strip_search {
    ix_emitter *e;
    int axis;
    ix_map seen;
    ilex_array *found[8];
    int count;
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

/* Does a load read along its last axis as the free index runs? */
static bool
reads_along(strip_search *s, const ilex_array *n, ix_map *seen)
{
    if (!(n->flags & IX_HAS_LOAD) || ix_map_find(seen, n))
        return false;
    ix_map_set(seen, &s->e->mem, n, 1);
    if (n->kind == IX_LOAD)
        return n->nops > 0 && uses_index(n->ops[n->nops - 1], s->axis);
    for (int i = 0; i < n->nops; i++)
        if (reads_along(s, n->ops[i], seen))
            return true;
    return false;
}

static bool
suits(strip_search *s, const ilex_array *n)
{
    ix_map seen = {0};
    bool complex_product = ix_reduction_of(n) == IX_REDUCTION_PROD &&
                           ix_dtype_is_complex((ilex_dtype)n->dtype);
    return n->attr[2] == 1 && n->interior->rank > 0 && !complex_product &&
           !ix_reduction_info_of(ix_reduction_of(n))->by_index &&
           !ix_unrolls(s->e->u, n, 0) && !(n->ops[0]->flags & IX_HAS_REDUCE) &&
           reads_along(s, n->ops[0], &seen);
}

static void
search(strip_search *s, ilex_array *n)
{
    if (!(n->flags & IX_HAS_REDUCE) || ix_map_find(&s->seen, n))
        return;
    ix_map_set(&s->seen, &s->e->mem, n, 1);
    if (n->kind == IX_REDUCE) {
        if (s->count < (int)IX_COUNT(s->found) && suits(s, n))
            s->found[s->count++] = n;
        return;
    }
    for (int i = 0; i < n->nops; i++)
        search(s, n->ops[i]);
}

/* ---- loops over a strip ---- */

void
ix_emit_strip_index(ix_emitter *e)
{
    int k = e->strip_axis;
    e->index_depth[k] = e->depth;
    ix_emit_put(e, e->depth, "const i64 i%d = s%d + v;", k, k);
}

void
ix_emit_strip_close(ix_emitter *e)
{
    if (*e->dialect->vector_pragma)
        ix_emit_put(e, e->depth - 1, "%s", e->dialect->vector_pragma);
    e->index_depth[e->strip_axis] = 0;
    ix_emit_close(e, "for (i64 v = 0; v < w; v++)");
}

bool
ix_emit_strips(ix_emitter *e, const ix_nest *nest, const char *lo,
               const char *hi)
{
    char header[640];
    int k = nest->nloops - 1;
    strip_search s = {.e = e, .axis = k};
    for (int i = 0; i < nest->nstores; i++)
        search(&s, nest->store[i].value);
    if (s.count == 0)
        return false;
    e->strip_axis = k;
    ix_emit_open(e);
    ix_emit_put(e, e->depth, "const i64 w = %s - s%d < %d ? %s - s%d : %d;", hi,
                k, IX_STRIP, hi, k, IX_STRIP);
    ix_name result[IX_COUNT(s.found)];
    for (int i = 0; i < s.count; i++)
        result[i] = ix_emit_strip_reduce(e, s.found[i]);
    ix_emit_open(e);
    ix_emit_strip_index(e);
    for (int i = 0; i < s.count; i++) { /* "t[v]" has a meaning from here on */
        result[i].depth = e->depth;
        result[i].id = e->block[e->depth].id;
        ix_emit_define(e, s.found[i], result[i]);
    }
    ix_emit_stores(e, nest);
    ix_emit_strip_close(e);
    snprintf(header, sizeof header, "for (i64 s%d = %s; s%d < %s; s%d += %d)",
             k, lo, k, hi, k, IX_STRIP);
    ix_emit_close(e, header);
    return true;
}
