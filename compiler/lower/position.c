/* SPDX-License-Identifier: MIT
 *
 * Reductions: argmax and argmin, one nest of loops over elements in C order;
 * the first extremum wins. What is worst of all starts as the best so far, at
 * position 0, which stays where no element is better. Of elements that lie side
 * by side, the extremum of each block is found first, in lanes, and then where
 * in the best block it is.
 */
#include "compiler/lower/reduce.h"

enum { ROUNDS = 4 }; /* of lanes, in a block */

/* The best so far and its position, cells. */
typedef struct search {
    ix_builder *b;
    ilex_array *n;
    ilex_array *index[ILEX_MAX_RANK];
    ix_stmt *best, *position;
    bool row; /* elements lie side by side */
} search;

static void
store(const search *s, ix_stmt *cell, ilex_array *x)
{
    ix_build_put(s->b,
                 ix_stmt_store(s->b->u, ix_element_scratch(cell, NULL), x));
}

static ilex_array *
chosen(ilex_context *ctx, ilex_array *better, ilex_array *x, ilex_array *held)
{
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    return ix_scalar_op(ctx, IX_OP_WHERE, dtype, dtype,
                        (ilex_array *[]){better, x, held});
}

/* "x" and "at" replace what two cells hold, if x is better: seldom, in a row;
 * or for several rows at once, by vectors. */
static void
keep_better(const search *s, ilex_array *x, ilex_array *at, ix_stmt *best,
            ix_stmt *position)
{
    ix_builder *b = s->b;
    ilex_context *ctx = b->u->ctx;
    ilex_array *ops[2] = {x, ix_build_read(b, best, NULL)};
    ilex_array *better =
        ix_scalar_op(ctx, ix_reduction_op(ix_reduction_of(s->n)), best->dtype,
                     ILEX_BOOL, ops);
    if (!s->row) {
        at = chosen(ctx, better, at, ix_build_read(b, position, NULL));
        store(s, best, chosen(ctx, better, x, ops[1]));
        store(s, position, at);
        return;
    }
    ix_stmt *branch = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &better}));
    ix_build_open(b, branch);
    store(s, best, x);
    store(s, position, at);
    ix_build_close(b, branch);
}

/* The value at the indices replaces the best so far, if it is better. */
static void
compare(search *s, ilex_array *position)
{
    ix_builder *b = s->b;
    ix_substitution at = {.ctx = b->u->ctx,
                          .mem = &b->u->mem,
                          .rindex = s->index,
                          .nrindex = s->n->interior->rank,
                          .from = s->n->attr[1],
                          .became = ix_made_keep,
                          .user = b->u};
    ilex_array *x = ix_substitute(&at, s->n->ops[0]);
    ix_substitution_free(&at);
    keep_better(s, ix_reduce_expand(b, x), position, s->best, s->position);
}

/* position*(hi - lo) + j - lo */
static ilex_array *
position_of(ilex_context *ctx, ilex_array *position, ilex_array *j,
            ilex_array *lo, ilex_array *hi)
{
    ilex_array *ops[2] = {position, ix_index_fma(ctx, hi, -1, lo)};
    ilex_array *rows =
        ops[1]->kind == IX_CONST
            ? ix_index_fma(ctx, ix_index_const(ctx, 0), ops[1]->attr[0],
                           position)
            : ix_scalar_op(ctx, IX_OP_MULTIPLY, ILEX_I64, ILEX_I64, ops);
    return ix_index_fma(ctx, ix_index_fma(ctx, j, -1, lo), 1,
                        position->kind == IX_CONST ? position : rows);
}

static ix_stmt *
open_loop(search *s, ix_variable_role role, ilex_array *lo, ilex_array *hi,
          int64_t step)
{
    ix_builder *b = s->b;
    ix_stmt *loop =
        ix_stmt_for(b->u, ix_kernel_variable(b->u, b->k, role), lo, hi);
    loop->step = step;
    ix_build_open(b, loop);
    return loop;
}

/* Elements [lo, hi) of the last axis "ax", in row "position" of those around.
 */
static void
elements(search *s, const ix_axis *ax, ilex_array *position, ilex_array *lo,
         ilex_array *hi)
{
    ilex_context *ctx = s->b->u->ctx;
    int last = s->n->interior->rank - 1;
    ix_stmt *loop = open_loop(s, IX_VARIABLE_ELEMENT, lo, hi, 1);
    s->index[last] = ix_scalar_index(ctx, loop->number);
    compare(s,
            position_of(ctx, position, s->index[last],
                        ix_index_lin(ctx, ax->lo), ix_index_lin(ctx, ax->hi)));
    ix_build_close(s->b, loop);
}

/* The extremum of a block, found in lanes. */
static ilex_array *
extremum(search *s, int lanes, ilex_array *lo, ilex_array *hi)
{
    bool max = ix_reduction_op(ix_reduction_of(s->n)) == IX_OP_ABOVE;
    ix_reduce_axis x = {.b = s->b,
                        .n = s->n,
                        .k = s->n->interior->rank - 1,
                        .variable = -1,
                        .op = max ? IX_OP_MAXIMUM : IX_OP_MINIMUM,
                        .acc = s->best->dtype,
                        .lo = lo,
                        .hi = hi,
                        .extent = (int64_t)lanes * ROUNDS,
                        .lanes = lanes,
                        .body = s->n->ops[0],
                        .index = s->index};
    ix_stmt *cell = ix_reduce_accumulator(&x, 'a', ix_reduce_identity(&x));
    ix_reduce_chunk(&x, lo, hi, cell);
    return ix_build_read(s->b, cell, NULL);
}

/* Whole blocks of the last axis, and the elements of the best one, if there is
 * one that is better than all before; where the blocks end. */
static ilex_array *
blocks(search *s, const ix_axis *ax, int lanes, ilex_array *position)
{
    ix_builder *b = s->b;
    ilex_context *ctx = b->u->ctx;
    const int64_t block = (int64_t)lanes * ROUNDS;
    ilex_array *lo = ix_index_lin(ctx, ax->lo), *hi = ix_index_lin(ctx, ax->hi);
    ilex_array *n =
        ix_index_floordiv(ctx, ix_index_fma(ctx, hi, -1, lo), block);
    ilex_array *end = ix_value_of(
        b->u, ix_build_let(b, 'm', ix_index_fma(ctx, lo, block, n)));
    ix_stmt *best =
        ix_build_cell(b, 'a', s->best->dtype, ix_build_read(b, s->best, NULL));
    ix_stmt *at = ix_build_cell(b, 't', ILEX_I64, end);
    ix_stmt *loop = open_loop(s, IX_VARIABLE_ROUND, lo, end, block);
    lo = ix_scalar_index(ctx, loop->number);
    keep_better(s, extremum(s, lanes, lo, ix_index_offset(ctx, lo, block)), lo,
                best, at);
    ix_build_close(b, loop);
    lo = ix_build_read(b, at, NULL);
    hi = ix_index_min(ctx, ix_index_offset(ctx, lo, block), end);
    elements(s, ax, position, lo, ix_build_bound(b, false, hi));
    return end;
}

/* Lanes of blocks; 0: there are no blocks, for elements are far apart, few, or
 * take long to compute. */
static int
lanes_of(const search *s, const ix_axis *ax)
{
    int lanes = IX_LANE_BYTES / (int)ilex_dtype_bytes(s->best->dtype);
    const ix_lin *n = ix_lin_try_fma(s->b->u->ctx, ax->hi, -1, ax->lo);
    bool few = n && n->n == 0 && n->c < (int64_t)lanes * ROUNDS;
    return few || !s->row ||
                   s->n->ops[0]->flags & (IX_HAS_REDUCE | IX_HAS_GUARD)
               ? 0
               : lanes;
}

/* Loops over axes "k" and on, in row "position" of those. */
static void
loops(search *s, int k, ilex_array *position)
{
    ilex_context *ctx = s->b->u->ctx;
    const ix_axis *ax = &s->n->interior->ax[k];
    ilex_array *lo = ix_index_lin(ctx, ax->lo), *hi = ix_index_lin(ctx, ax->hi);
    if (k + 1 == s->n->interior->rank) {
        int lanes = lanes_of(s, ax);
        elements(s, ax, position, lanes ? blocks(s, ax, lanes, position) : lo,
                 hi);
        return;
    }
    ix_stmt *loop = open_loop(s, IX_VARIABLE_ELEMENT, lo, hi, 1);
    s->index[k] = ix_scalar_index(ctx, loop->number);
    loops(s, k + 1, position_of(ctx, position, s->index[k], lo, hi));
    ix_build_close(s->b, loop);
}

ilex_array *
ix_reduce_position(ix_builder *b, ilex_array *n)
{
    ilex_context *ctx = b->u->ctx;
    ilex_dtype dtype = (ilex_dtype)n->ops[0]->dtype;
    ilex_array *zero = ix_index_const(ctx, 0);
    ix_value worst = ix_reduction_identity(ix_reduction_of(n), dtype);
    search s = {.b = b, .n = n, .row = ix_reduces_row(n)};
    s.best = ix_build_cell(b, 'a', dtype, ix_scalar_const(ctx, dtype, worst));
    s.position = ix_build_cell(b, 't', ILEX_I64, zero);
    loops(&s, 0, zero);
    return ix_value_of(b->u, s.position);
}
