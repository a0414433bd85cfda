/* SPDX-License-Identifier: MIT
 *
 * Reductions: chunks of IX_CHUNK elements, combined pairwise in index order
 * with a stack that holds one partial result for each set bit of the number of
 * chunks so far.
 */
#include "compiler/tree/reduce.h"

/* A PUSH or POP of accumulator "a" and stack "p". */
static ix_stmt *
stack_stmt(ix_reduce_axis *x, ix_stmt_kind kind, ix_stmt *from, ix_stmt *to)
{
    ix_stmt *s = ix_stmt_new(x->b->u, kind);
    s->op = x->op;
    s->from = from;
    s->to = to;
    s->width = x->strip ? x->strip->width : NULL;
    return s;
}

ix_stmt *
ix_reduce_chunks(ix_reduce_axis *x, ilex_array *empty)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    int64_t width = x->strip ? x->strip->points : 0;
    ix_stmt *p = ix_build_scratch(b, 'p', IX_SCRATCH_STACK, x->acc, width);
    ix_stmt *loop =
        ix_stmt_for(b->u, ix_kernel_variable(b->u, b->k, 'q'), x->lo, x->hi);
    loop->step = IX_CHUNK;
    ix_build_open(b, loop);
    ilex_array *from = ix_scalar_index(ctx, loop->number);
    ilex_array *to =
        ix_index_min(ctx, ix_index_offset(ctx, from, IX_CHUNK), x->hi);
    to = ix_value_of(b->u, ix_build_let(b, 'e', to));
    ix_stmt *a = ix_reduce_accumulator(x, 'a', ix_reduce_first(x));
    ix_reduce_chunk(x, from, to, a);
    ix_build_put(b, stack_stmt(x, IX_STMT_PUSH, a, p));
    ix_build_close(b, loop);
    ix_stmt *result = ix_reduce_accumulator(x, 'a', empty);
    ix_build_put(b, stack_stmt(x, IX_STMT_POP, p, result));
    return result;
}
