/* SPDX-License-Identifier: MIT
 *
 * Reductions: argmax and argmin, one nest of loops with a counter; the first
 * extremum wins.
 */
#include "compiler/lower/reduce.h"

/* Loops over axes "k" and on; the innermost compares. */
static void
loops(ix_builder *b, ilex_array *n, int k, ilex_array **index,
      const ix_stmt *record)
{
    ilex_context *ctx = b->u->ctx;
    const ix_axis *ax = &n->interior->ax[k];
    ix_stmt *loop =
        ix_stmt_for(b->u, ix_kernel_variable(b->u, b->k, IX_VARIABLE_ELEMENT),
                    ix_index_lin(ctx, ax->lo), ix_index_lin(ctx, ax->hi));
    index[k] = ix_scalar_index(ctx, loop->number);
    ix_build_open(b, loop);
    if (k + 1 < n->interior->rank) {
        loops(b, n, k + 1, index, record);
    } else {
        ix_substitution s = {.ctx = ctx,
                             .rindex = index,
                             .nrindex = n->interior->rank,
                             .from = n->attr[1],
                             .became = ix_made_keep,
                             .user = b->u};
        ilex_array *v = ix_reduce_expand(b, ix_substitute(&s, n->ops[0]));
        ix_substitution_free(&s);
        ix_build_put(b, ix_stmt_with(b->u, record, IX_OPERANDS({1, &v})));
    }
    ix_build_close(b, loop);
}

ilex_array *
ix_reduce_position(ix_builder *b, ilex_array *n)
{
    ilex_context *ctx = b->u->ctx;
    ilex_array *index[ILEX_MAX_RANK], *zero = ix_index_const(ctx, 0);
    ilex_dtype dtype = (ilex_dtype)n->ops[0]->dtype;
    ix_stmt *record = ix_stmt_new(b->u, IX_STMT_RECORD, NULL);
    record->better = ix_reduction_of(n);
    record->to = ix_build_cell(b, 'a', dtype,
                               ix_scalar_const(ctx, dtype, (ix_value){0}));
    record->from = ix_build_cell(b, 't', ILEX_I64, zero);
    record->mem = ix_build_cell(b, 'c', ILEX_I64, zero);
    loops(b, n, 0, index, record);
    return ix_value_of(b->u, record->from);
}
