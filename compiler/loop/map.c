/* SPDX-License-Identifier: MIT
 *
 * Passes map and vector: how loops run.
 */
#include "compiler/loop/loop.h"

/* ---- map: the kernel's range and, on a GPU, the grid ---- */

/* A kernel is called for a range [begin, end) of an axis of its box, so the
 * loop of a nest that spans the box needs no other bounds. */
static bool
spans_box(ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    const ix_axis *ax = &k->box->ax[k->axis];
    return loop->n[IX_for_lo] == 1 && loop->n[IX_for_hi] == 1 &&
           ix_for_lo(loop) == ix_index_lin(u->ctx, ax->lo) &&
           ix_for_hi(loop) == ix_index_lin(u->ctx, ax->hi);
}

/* The loop over the part of its range that is called. */
static ix_stmt *
bounded(ix_unit *u, const ix_kernel *k, const ix_stmt *nest)
{
    bool alone = spans_box(u, k, nest);
    ix_stmt *loop =
        ix_stmt_bound_by(u, nest, IX_for_lo, ix_range_value(u, false), alone);
    return ix_stmt_bound_by(u, loop, IX_for_hi, ix_range_value(u, true), alone);
}

/* ---- the grid of a GPU ---- */

/* A loop whose points are spread over threads. */
typedef struct grid_axis {
    ilex_array *lo, *length;
} grid_axis;

typedef struct grid {
    ix_builder *b;
    grid_axis axis[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK]; /* what becomes of variables */
    int variable[ILEX_MAX_RANK];
    int rank;
    bool optional;
} grid;

static ilex_array *
operation(grid *g, ix_op op, ilex_dtype dtype, ilex_array *x, ilex_array *y)
{
    ilex_array *ops[2] = {x, y};
    return ix_scalar_op(g->b->u->ctx, op, dtype, dtype, ops);
}

static ilex_array *
let(grid *g, char prefix, ilex_array *value)
{
    return ix_value_of(g->b->u, ix_build_let(g->b, prefix, value));
}

/* The largest of several lower bounds, the smallest of upper ones. */
static ilex_array *
one_bound(grid *g, int n, ilex_array *const *bound, bool lower)
{
    ilex_array *best = bound[0];
    for (int i = 1; i < n; i++)
        best = operation(g, lower ? IX_OP_MAXIMUM : IX_OP_MINIMUM, ILEX_I64,
                         best, bound[i]);
    return n == 1 ? best : ix_build_bound(g->b, lower, best);
}

static void
add_axis(grid *g, const ix_stmt *loop)
{
    ilex_context *ctx = g->b->u->ctx;
    grid_axis *a = &g->axis[g->rank];
    a->lo =
        one_bound(g, loop->n[IX_for_lo], ix_operands(loop, IX_for_lo), true);
    ilex_array *hi =
        one_bound(g, loop->n[IX_for_hi], ix_operands(loop, IX_for_hi), false);
    a->length = ix_index_fma(ctx, hi, -1, a->lo);
    /* The first length may be negative where a piece is outside of what is
     * called; the others are not, so there are no points. */
    if (loop->optional)
        a->length = operation(g, IX_OP_MAXIMUM, ILEX_I64, a->length,
                              ix_index_const(ctx, 0));
    a->length = let(g, 't', a->length);
    g->optional |= loop->optional;
    g->variable[g->rank++] = loop->number;
}

static bool
is_rectangular(const ix_stmt *s)
{
    return s->kind == IX_STMT_FOR && s->parallel &&
           !ix_stmt_has(s, IX_HAS_INDEX);
}

/* The indices of point "f" of the grid; the last one varies fastest. Division
 * without sign is the cheaper one. */
static void
decode(grid *g, ilex_array *f)
{
    ilex_context *ctx = g->b->u->ctx;
    for (int k = g->rank - 1; k > 0; k--) {
        ilex_array *length = g->axis[k].length;
        ilex_array *rows = operation(g, IX_OP_FLOOR_DIVIDE, ILEX_U64,
                                     ix_scalar_cast(ctx, ILEX_U64, f),
                                     ix_scalar_cast(ctx, ILEX_U64, length));
        rows = let(g, 't', ix_scalar_cast(ctx, ILEX_I64, rows));
        ilex_array *before =
            let(g, 't', operation(g, IX_OP_MULTIPLY, ILEX_I64, rows, length));
        ilex_array *x = ix_index_fma(ctx, g->axis[k].lo, 1, f);
        g->index[g->variable[k]] =
            let(g, 'p', ix_index_fma(ctx, x, -1, before));
        f = rows;
    }
    g->index[g->variable[0]] =
        let(g, 'p', ix_index_fma(ctx, g->axis[0].lo, 1, f));
}

/* Instead of a nest, one loop over the points of its rectangular loops, a
 * thread each; statements find out their indices from the point's number. */
static void
put_grid(ix_builder *b, ix_stmt *nest)
{
    ix_unit *u = b->u;
    grid g = {.b = b};
    ilex_array *points;
    for (bool alone = true; alone && is_rectangular(nest); nest = nest->body) {
        add_axis(&g,
                 nest->number == b->k->axis ? bounded(u, b->k, nest) : nest);
        alone = !nest->body->next;
    }
    points = g.axis[0].length;
    for (int k = 1; k < g.rank; k++)
        points =
            operation(&g, IX_OP_MULTIPLY, ILEX_I64, points, g.axis[k].length);
    ix_stmt *loop =
        ix_stmt_for(u, ix_kernel_variable(u, b->k, IX_VARIABLE_GRID),
                    ix_index_const(u->ctx, 0), points);
    loop->how = IX_GRID;
    loop->optional = g.optional;
    int axes = ix_kernel_axes(b->k);
    for (int i = 0; i < axes; i++)
        g.index[i] = ix_scalar_index(u->ctx, i);
    ix_build_open(b, loop);
    decode(&g, ix_scalar_index(u->ctx, loop->number));
    ix_substitution s = {.ctx = u->ctx,
                         .index = g.index,
                         .nindex = axes,
                         .became = ix_origin_keep,
                         .user = u};
    ix_build_put_list(b, ix_stmt_substitute(u, &s, nest));
    ix_substitution_free(&s);
    ix_build_close(b, loop);
}

/* On a GPU a kernel without loops is for one thread. */
static void
map_single(ix_unit *u, ix_kernel *k)
{
    ix_stmt *loop =
        ix_stmt_for(u, ix_kernel_variable(u, k, IX_VARIABLE_GRID),
                    ix_index_const(u->ctx, 0), ix_index_const(u->ctx, 1));
    loop->how = IX_GRID;
    loop->array = k->body->array;
    loop->body = k->body;
    k->body = loop;
}

/* ---- the pass ---- */

static ix_stmt *
map_stmt(ix_builder *b, ix_stmt *s)
{
    if (s->kind != IX_STMT_FOR || b->k->axis < 0 ||
        b->k->variable[s->number].role != IX_VARIABLE_AXIS)
        return ix_stmt_copy(b->u, s);
    if (b->u->target->grid) {
        put_grid(b, s);
        return NULL;
    }
    return s->number == b->k->axis ? bounded(b->u, b->k, s)
                                   : ix_stmt_copy(b->u, s);
}

static bool
map(ix_unit *u, ix_kernel *k)
{
    if (!ix_rebuild(u, k, map_stmt))
        return false;
    if (u->target->grid && k->axis < 0)
        map_single(u, k);
    return true;
}

/* needs: nests; gives: [begin, end) bounds the loops over one axis; on a GPU
 * these and the rectangular ones around are one loop that is spread over
 * threads. */
bool
ix_pass_map(ix_unit *u)
{
    u->level = IX_LEVEL_TARGET;
    return ix_kernels_each(u, map) && u->ctx->error.code == ILEX_OK;
}
