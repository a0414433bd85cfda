/* SPDX-License-Identifier: MIT
 *
 * skew L by N M: the index of L, which is in M, becomes L + N*M:
 *
 *     for i in [0, n)               for i in [0, n)
 *         for k in [0, m)               for u in [N*i, m + N*i)
 *             ...[i, k]                     ...[i, u - N*i]
 *
 * The iterations are the same in the same order, so it is always legal, and
 * what carried nothing carries nothing: distances get another component along
 * L, with which a reorder may be legal that was not.
 */
#include "compiler/loop/loop.h"

static bool
is_around(const ix_cursor *c, const ix_stmt *loop)
{
    bool is = false;
    for (int i = 0; i < c->depth && !is; i++)
        is = c->around[i] == loop;
    return is;
}

ix_stmt *
ix_loop_moved(ix_unit *u, const ix_stmt *loop, int64_t k, int64_t n,
              ilex_array *by)
{
    ilex_array *bound[2 * IX_MOST_BOUNDS], *zero = ix_index_const(u->ctx, 0);
    int nlo = loop->n[IX_for_lo], nhi = loop->n[IX_for_hi];
    for (int i = 0; i < nlo + nhi; i++) {
        ilex_array *x = ix_index_try_fma(u->ctx, zero, k, loop->x[i]);
        bound[i] = x ? ix_index_try_fma(u->ctx, x, n, by) : NULL;
        if (!bound[i])
            return NULL;
    }
    return ix_stmt_with(u, loop, IX_OPERANDS({nlo, bound}, {nhi, bound + nlo}));
}

/* Times an index, below 2^40, it stays far from 2^63. */
static const int64_t most_skew = 1 << 20;

ix_refusal
ix_loop_skew(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c), *around = ix_cursor_loop(&c[1]);
    ilex_array *by = ix_scalar_index(u->ctx, around->number);
    if (!is_around(c, around))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the first loop is not in the second one");
    if (!ix_loop_is_plain(loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    ix_stmt *skewed =
        d->n > most_skew ? NULL : ix_loop_moved(u, loop, 1, d->n, by);
    if (!skewed)
        return ix_refuse(u, IX_REFUSAL_SIZE, "its bounds would be too large");
    skewed->number = ix_kernel_part(u, c->k, IX_VARIABLE_SKEWED, loop->number);
    ilex_array *index = ix_index_fma(
        u->ctx, ix_scalar_index(u->ctx, skewed->number), -d->n, by);
    skewed->body = ix_loop_put_index(u, loop->body, loop->number, index);
    skewed->next = loop->next;
    *c->at = skewed;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
