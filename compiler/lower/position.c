/* SPDX-License-Identifier: MIT
 *
 * Reductions: argmax and argmin, one nest of loops over elements in C order;
 * the first extremum wins. What is worst of all starts as the best so far, at
 * position 0, which stays where no element is better.
 */
#include "compiler/lower/reduce.h"

/* The best so far and its position, cells. */
typedef struct search {
    ix_builder *b;
    ilex_array *n;
    ilex_array *index[ILEX_MAX_RANK];
    ix_stmt *best, *position;
} search;

static void
store(const search *s, ix_stmt *cell, ilex_array *x)
{
    ix_build_put(s->b,
                 ix_stmt_store(s->b->u, ix_element_scratch(cell, NULL), x));
}

/* The value at the indices replaces the best so far, if it is better. */
static void
compare(search *s, ilex_array *position)
{
    ix_builder *b = s->b;
    ilex_context *ctx = b->u->ctx;
    ix_substitution at = {.ctx = ctx,
                          .mem = &b->u->mem,
                          .rindex = s->index,
                          .nrindex = s->n->interior->rank,
                          .from = s->n->attr[1],
                          .became = ix_made_keep,
                          .user = b->u};
    ilex_array *ops[2] = {ix_substitute(&at, s->n->ops[0])};
    ix_substitution_free(&at);
    ops[0] = ix_reduce_expand(b, ops[0]);
    ops[1] = ix_build_read(b, s->best, NULL);
    ilex_array *better =
        ix_scalar_op(ctx, ix_reduction_op(ix_reduction_of(s->n)),
                     s->best->dtype, ILEX_BOOL, ops);
    ix_stmt *branch = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &better}));
    ix_build_open(b, branch);
    store(s, s->best, ops[0]);
    store(s, s->position, position);
    ix_build_close(b, branch);
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

/* Loops over axes "k" and on, in row "position" of those. */
static void
loops(search *s, int k, ilex_array *position)
{
    ix_builder *b = s->b;
    ilex_context *ctx = b->u->ctx;
    const ix_axis *ax = &s->n->interior->ax[k];
    ilex_array *lo = ix_index_lin(ctx, ax->lo), *hi = ix_index_lin(ctx, ax->hi);
    ix_stmt *loop = ix_stmt_for(
        b->u, ix_kernel_variable(b->u, b->k, IX_VARIABLE_ELEMENT), lo, hi);
    s->index[k] = ix_scalar_index(ctx, loop->number);
    position = position_of(ctx, position, s->index[k], lo, hi);
    ix_build_open(b, loop);
    if (k + 1 < s->n->interior->rank)
        loops(s, k + 1, position);
    else
        compare(s, position);
    ix_build_close(b, loop);
}

ilex_array *
ix_reduce_position(ix_builder *b, ilex_array *n)
{
    ilex_context *ctx = b->u->ctx;
    ilex_dtype dtype = (ilex_dtype)n->ops[0]->dtype;
    ilex_array *zero = ix_index_const(ctx, 0);
    ix_value worst = ix_reduction_identity(ix_reduction_of(n), dtype);
    search s = {.b = b, .n = n};
    s.best = ix_build_cell(b, 'a', dtype, ix_scalar_const(ctx, dtype, worst));
    s.position = ix_build_cell(b, 't', ILEX_I64, zero);
    loops(&s, 0, zero);
    return ix_value_of(b->u, s.position);
}
