/* SPDX-License-Identifier: MIT
 *
 * Elements that a mask lets through: chunks of them side by side, each of which
 * stores its elements one after another at its position, which moves on.
 */
#include "compiler/stages/partition.h"

enum { ELEMENTS, MASK, COUNT, BEFORE };

/* Elements behind the last one that is let through are not looked at: what
 * checks data is stored, and so is what is known of chunks. */
void
ix_compact_decide(ix_partition *p, const ilex_array *n)
{
    for (int k = 0; k < n->nops; k++) {
        ix_partition_info *x = ix_partition_of(p, n->ops[k]);
        x->loaded = true;
        x->gathered |= k >= COUNT || x->checks;
        x->reads++;
    }
}

/* The buffer of the positions: what says where chunks begin, or a copy where
 * others read that too. */
static int
positions(ix_partition *p, const ilex_array *n)
{
    const ilex_array *before = n->ops[BEFORE];
    const ix_partition_info *x = ix_partition_of(p, before);
    if (x->reads == 1 && !x->root)
        return x->buffer;
    int copy = ix_partition_temporary(p, before->interior, ILEX_I64);
    ix_unit_stage(p->u, (ix_stage){.buffer = copy,
                                   .box = before->interior,
                                   .body = ix_partition_read(p, before),
                                   .array = n});
    return copy;
}

bool
ix_compact_store(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    int buffer = ix_partition_change(p, i), position = positions(p, n);
    ilex_array *parts[3];
    for (int k = ELEMENTS; k <= COUNT; k++)
        parts[k] = ix_partition_read(p, n->ops[k]);
    ix_unit_stage(u, (ix_stage){.buffer = buffer,
                                .box = n->ops[BEFORE]->interior,
                                .body = ix_scalar_tuple(u->ctx, 3, parts),
                                .position = position,
                                .elements = n->ops[MASK]->interior,
                                .array = n});
    return u->ctx->error.code == ILEX_OK;
}
