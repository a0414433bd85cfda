/* SPDX-License-Identifier: MIT
 *
 * threads K L: a loop of K's nest whose iterations are independent becomes the
 * outermost one, as "reorder" does it, and threads divide it:
 *
 *     for i in [0, 8)                  for k in [0, n)
 *         for k in [0, n)                  for i in [0, 8)
 *             y[i, k] = ...                    y[i, k] = ...
 */
#include "compiler/loop/loop.h"

static ix_refusal
look_at(ix_unit *u, const ix_kernel *k, const ix_cursor *c)
{
    const ix_stmt *loop = ix_cursor_loop(c);
    const ix_stmt *outside = c->depth ? c->around[0] : loop;
    if (ix_kernel_outermost(k) != outside)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d is no single loop that threads divide",
                         k->number);
    if (loop->number >= k->box->rank || !loop->parallel)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the loop is over no axis of k%d, or its iterations "
                         "have an order",
                         k->number);
    if (ix_kernel_has_levels(k) || ix_kernel_has(k, IX_HAS_CHECK))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d goes from level to level, or checks indices",
                         k->number);
    if (c->depth >= IX_MOST_LOOPS)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "too many loops are around it");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

ix_refusal
ix_kernels_threads(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    ix_cursor c[IX_MOST_LOOPS];
    ix_refusal r = ix_cursor_find(u, *k, d->loop[1], c);
    if (r.class == IX_REFUSAL_NONE)
        r = look_at(u, *k, c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    int axis = ix_cursor_loop(c)->number;
    ix_directive order = {.row = IX_LOOP_reorder, .nloops = c->depth + 1};
    for (int i = 0; i < c->depth; i++)
        ix_cursor_at(*k, c->around[i], &c[i + 1]);
    if (c->depth > 0)
        r = ix_loop_reorder(u, &order, c);
    if (r.class == IX_REFUSAL_NONE)
        (*k)->axis = axis;
    return r;
}
