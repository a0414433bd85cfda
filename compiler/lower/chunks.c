/* SPDX-License-Identifier: MIT
 *
 * Reductions: chunks of elements, combined pairwise in index order
 * with a stack that holds one partial result for each set bit of the number of
 * chunks so far.
 */
#include "compiler/lower/ranges.h"

static int
chunk_of(const ix_reduce_axis *x)
{
    return ix_chunk_of(x->n, x->k);
}

/* A PUSH or POP of accumulator "a" and stack "p". */
static ix_stmt *
stack_stmt(ix_reduce_axis *x, ix_stmt_kind kind, ix_stmt *from, ix_stmt *to)
{
    ix_stmt *s = ix_stmt_new(x->b->u, kind, NULL);
    s->op = x->op;
    s->from = from;
    s->to = to;
    return s;
}

/* How many chunks have no element that counts before the first one that has:
 * their results change nothing, so they are not on the stack. NULL: none. */
static ilex_array *
chunks_before(ix_reduce_axis *x)
{
    ilex_context *ctx = x->b->u->ctx;
    if (!x->ranges || x->ranges->lo == x->lo)
        return NULL;
    ilex_array *skipped = ix_index_floordiv(
        ctx, ix_index_fma(ctx, x->ranges->lo, -1, x->lo), chunk_of(x));
    return skipped->nops
               ? ix_value_of(x->b->u, ix_build_let(x->b, 't', skipped))
               : skipped;
}

/* Results of chunks, each put on the stack as it is. */
static void
push_results(ix_reduce_axis *x, ix_stmt *p)
{
    ix_stmt *loop = ix_reduce_loop(x, IX_VARIABLE_CHUNK, x->lo, x->hi);
    ix_build_open(x->b, loop);
    ilex_array *at = ix_scalar_index(x->b->u->ctx, loop->number);
    ix_stmt *a = ix_build_cell(x->b, 'a', x->acc, ix_reduce_element(x, at));
    ix_build_put(x->b, stack_stmt(x, IX_STMT_PUSH, a, p));
    ix_build_close(x->b, loop);
}

static void
push_chunks(ix_reduce_axis *x, ix_stmt *p, ilex_array *before)
{
    ix_builder *b = x->b;
    ilex_context *ctx = b->u->ctx;
    ilex_array *lo =
        before ? ix_index_fma(ctx, x->lo, chunk_of(x), before) : x->lo;
    ix_stmt *loop = ix_reduce_loop(x, IX_VARIABLE_CHUNK, lo,
                                   x->ranges ? x->ranges->hi : x->hi);
    loop->step = chunk_of(x);
    loop->optional |= x->ranges != NULL;
    ix_build_open(b, loop);
    ilex_array *from = ix_scalar_index(ctx, loop->number);
    ilex_array *to =
        ix_index_min(ctx, ix_index_offset(ctx, from, chunk_of(x)), x->hi);
    to = ix_value_of(b->u, ix_build_let(b, 'e', to));
    ix_stmt *a = ix_reduce_accumulator(x, 'a', ix_reduce_first(x));
    ix_reduce_chunk(x, from, to, a);
    ix_build_put(b, stack_stmt(x, IX_STMT_PUSH, a, p));
    ix_build_close(b, loop);
}

ix_stmt *
ix_reduce_chunks(ix_reduce_axis *x, ilex_array *empty)
{
    ilex_array *before = chunks_before(x);
    ix_stmt *p = ix_build_scratch(x->b, 'p', IX_SCRATCH_STACK, x->acc, 0,
                                  chunk_of(x) > 1 ? before : NULL);
    if (chunk_of(x) == 1)
        push_results(x, p);
    else
        push_chunks(x, p, before);
    ix_stmt *result = ix_reduce_accumulator(x, 'a', empty);
    ix_build_put(x->b, stack_stmt(x, IX_STMT_POP, p, result));
    return result;
}
