/* SPDX-License-Identifier: MIT
 *
 * Pass map: the range for which a kernel is called.
 */
#include "compiler/loop/loop.h"

/* ---- map: the kernel's range ---- */

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

static ix_stmt *
map_stmt(ix_builder *b, ix_stmt *s)
{
    bool called =
        s->kind == IX_STMT_FOR && b->k->axis >= 0 && s->number == b->k->axis;
    return called ? bounded(b->u, b->k, s) : ix_stmt_copy(b->u, s);
}

/* The axis of the loop that threads divide: another one than the outermost one
 * stands in nothing but loops, parts of which are for all iterations of these.
 */
static int
divided(ix_unit *u, const ix_kernel *k)
{
    const ix_stmt *s = k->body;
    if (u->divided == 0 || k->axis != 0 || ix_kernel_has_levels(k) ||
        k->ordered || u->divided >= k->box->rank)
        return k->axis;
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].own == k)
            return k->axis;
    for (int n = 0; n <= u->divided; n++, s = s->body)
        if (!s || s->next || s->kind != IX_STMT_FOR || s->number != n ||
            !s->parallel)
            return k->axis;
    return u->divided;
}

static bool
map(ix_unit *u, ix_kernel *k)
{
    k->axis = divided(u, k);
    return ix_rebuild(u, k, map_stmt);
}

/* needs: nests; gives: [begin, end) bounds the loops over one axis. */
bool
ix_pass_map(ix_unit *u)
{
    u->level = IX_LEVEL_TARGET;
    return ix_kernels_each(u, map) && u->ctx->error.code == ILEX_OK;
}
