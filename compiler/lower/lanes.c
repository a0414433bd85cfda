/* SPDX-License-Identifier: MIT
 *
 * Reductions: one chunk of an axis into an accumulator, by a plain loop or in
 * lanes: element i goes to lane i mod lanes, the lanes are folded as a tree.
 */
#include "compiler/lower/ranges.h"

/* A chunk is not empty, but its whole rounds of lanes may be. */
static ix_stmt *
open_loop(ix_reduce_axis *x, ix_variable_role role, ilex_array *lo,
          ilex_array *hi, int64_t step, bool optional)
{
    ix_stmt *loop = ix_reduce_loop(x, role, lo, hi);
    loop->step = step;
    loop->optional &= optional;
    ix_build_open(x->b, loop);
    return loop;
}

static ilex_array *
variable(ix_reduce_axis *x, const ix_stmt *loop)
{
    return ix_scalar_index(x->b->u->ctx, loop->number);
}

/* One lane: a plain loop over [lo, hi), a chunk or the whole axis. */
static void
serial(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi, ix_stmt *into)
{
    ix_stmt *loop = open_loop(x, IX_VARIABLE_ELEMENT, lo, hi, 1,
                              lo == x->lo && hi == x->hi);
    ix_reduce_accumulate(x, into, variable(x, loop), lo);
    ix_build_close(x->b, loop);
}

/* Adds the elements from "first" on to the lower "count" lanes, one to each;
 * "rest": if there are none, there are whole rounds. */
static void
add_to_lanes(ix_reduce_axis *x, ix_stmt *lanes, ilex_array *first,
             ilex_array *count, const ix_ranges *within, bool rest)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ix_stmt *loop =
        ix_reduce_loop(x, IX_VARIABLE_LANE, ix_index_const(ctx, 0), count);
    if (within)
        loop =
            ix_reduce_narrow(x, loop, ix_index_fma(ctx, within->lo, -1, first),
                             ix_index_fma(ctx, within->hi, -1, first));
    loop->rest = rest;
    ix_build_open(b, loop);
    ilex_array *j = variable(x, loop);
    loop->parallel = true;
    ilex_array *v = ix_reduce_element(x, ix_index_fma(ctx, first, 1, j));
    ix_build_put(b,
                 ix_stmt_update(b->u, x->op, ix_element_scratch(lanes, j), v));
    ix_build_close(b, loop);
}

/* The lanes, each with the identity. */
static ix_stmt *
new_lanes(ix_reduce_axis *x)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ix_stmt *lanes = ix_build_scratch(b, 'l', x->acc, x->lanes);
    ix_stmt *loop = open_loop(x, IX_VARIABLE_LANE, ix_index_const(ctx, 0),
                              ix_index_const(ctx, x->lanes), 1, true);
    loop->parallel = true;
    ix_element at = ix_element_scratch(lanes, variable(x, loop));
    ix_build_put(b, ix_stmt_store(b->u, at, ix_reduce_first(x)));
    ix_build_close(b, loop);
    return lanes;
}

/* lo + lanes * ((hi - lo) // lanes): where whole rounds of lanes end. */
static ilex_array *
end_of_rounds(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi)
{
    ilex_context *ctx = x->b->u->ctx;
    ilex_array *length = ix_index_fma(ctx, hi, -1, lo);
    ilex_array *rounds = ix_index_floordiv(ctx, length, x->lanes);
    if (length->kind == IX_CONST)
        rounds = ix_index_const(ctx, length->attr[0] / x->lanes);
    ilex_array *end = ix_index_fma(ctx, lo, x->lanes, rounds);
    return length->kind == IX_CONST
               ? end
               : ix_value_of(x->b->u, ix_build_let(x->b, 'm', end));
}

/* The rounds that have elements which count. */
static ix_stmt *
narrow_rounds(ix_reduce_axis *x, ix_stmt *loop, ilex_array *lo)
{
    ilex_context *ctx = x->b->u->ctx;
    ilex_array *from = ix_index_max(ctx, x->ranges->lo, lo);
    from = ix_index_floordiv(ctx, ix_index_fma(ctx, from, -1, lo), x->lanes);
    from = ix_index_fma(ctx, lo, x->lanes, from);
    from = ix_build_bound(x->b, true, from);
    return ix_reduce_narrow(x, loop, from, x->ranges->hi);
}

static void
in_lanes(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi, ix_stmt *into)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ix_stmt *lanes = new_lanes(x);
    ilex_array *end = end_of_rounds(x, lo, hi);
    bool some = !x->ranges && (lo != x->lo || x->extent > 0);
    if (end != lo) {
        ix_stmt *loop = ix_reduce_loop(x, IX_VARIABLE_ROUND, lo, end);
        loop->step = x->lanes;
        if (x->ranges)
            loop = narrow_rounds(x, loop, lo);
        loop->rest = some;
        ix_build_open(b, loop);
        add_to_lanes(x, lanes, variable(x, loop), ix_index_const(ctx, x->lanes),
                     NULL, false);
        ix_build_close(b, loop);
    }
    if (end != hi)
        add_to_lanes(x, lanes, end, ix_index_fma(ctx, hi, -1, end), x->ranges,
                     some);
    ix_stmt *fold = ix_stmt_new(b->u, IX_STMT_FOLD, NULL);
    fold->op = x->op;
    fold->from = lanes;
    fold->to = into;
    ix_build_put(b, fold);
}

void
ix_reduce_chunk(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi,
                ix_stmt *into)
{
    if (x->lanes > 1)
        in_lanes(x, lo, hi, into);
    else if (x->ranges)
        ix_reduce_bounded(x, lo, hi, into);
    else
        serial(x, lo, hi, into);
}
