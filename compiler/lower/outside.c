/* SPDX-License-Identifier: MIT
 *
 * Reductions in reductions: one that does not follow the index of the one it
 * is in is computed once, in front of its loops. These may have no iteration,
 * so it must do no harm where nothing needs it: all that it reads is there
 * whatever the sizes are, and it checks nothing.
 *
 *     for q in [0, (m + 4095)//4096)        a = the mean of x[i, ...]
 *         a = the mean of x[i, ...]         for q in [0, (m + 4095)//4096)
 *         ... (x[i, r] - a)*(x[i, r] - a)       ... (x[i, r] - a)*(x[i, r] - a)
 */
#include "compiler/lower/reduce.h"

#include "lib/shape/access.h"

typedef struct outside {
    const ix_builder *b;
    bool harmless;
} outside;

/* Is a load's index inside what its buffer covers, at all points of the kernel,
 * whichever loops in it have iterations? */
static bool
is_inside(const ix_walk *w, const ilex_array *index, const ix_axis *ax)
{
    return ix_index_is_affine(index) &&
           ix_access_is_within(w->ctx, &w->frame, index, ax->lo, ax->hi);
}

static ix_walk_step
look_at(ix_walk *w, ilex_array *x, size_t *value)
{
    outside *o = w->user;
    (void)value;
    if (x->kind == IX_INDEX)
        o->harmless &= x->attr[0] < o->b->k->box->rank;
    if (x->kind == IX_LOAD)
        for (int d = 0; d < x->nops && o->harmless; d++)
            o->harmless = is_inside(w, x->ops[d],
                                    &o->b->u->buffer[x->attr[0]].box->ax[d]);
    return o->harmless ? IX_WALK_IN : IX_WALK_END;
}

/* Does it do no harm to compute "n" at a point of the kernel that may need it
 * for nothing? */
static bool
is_harmless(ix_builder *b, const ilex_array *n)
{
    outside o = {.b = b, .harmless = true};
    ix_walk w = {.ctx = b->u->ctx,
                 .mem = &b->mem,
                 .frames = IX_WALK_REDUCTIONS | IX_WALK_GUARDS,
                 .frame.box = b->k->box,
                 .enter = look_at,
                 .user = &o};
    unsigned harm = IX_HAS_CHECK | IX_HAS_APPLY | IX_HAS_VALUE;
    if ((n->flags & harm) || ix_kernel_has_levels(b->k))
        return false;
    ix_walk_body(&w, n, NULL);
    ix_walk_free(&w);
    return o.harmless;
}

/* Is the block that of a loop over elements that are reduced? One over points
 * of the kernel that has no iteration is a piece that most sizes do not have.
 */
static bool
is_reducing(const ix_builder *b, int depth)
{
    return b->open[depth].loop > b->k->box->rank;
}

int
ix_reduce_depth(ix_builder *b, const ilex_array *n)
{
    int depth = ix_build_depth(b, n), floor = b->floor;
    while (floor > depth && is_reducing(b, floor))
        floor = b->open[floor].floor;
    floor = floor < depth ? depth : floor;
    return floor < b->floor && !is_harmless(b, n) ? b->floor : floor;
}
