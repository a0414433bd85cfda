/* SPDX-License-Identifier: MIT
 *
 * Elements that a mask lets through: chunks of them side by side, each of which
 * stores its elements one after another at its position, which moves on.
 */
#include "compiler/stages/partition.h"

enum { ELEMENTS, MASK, COUNT, BEFORE }; /* operands of a COMPACT */

/* Elements behind the last one that is let through are not looked at: what
 * checks data is stored, and so is what is known of chunks. */
bool
ix_decide_compact(ix_partition *p, size_t i)
{
    const ilex_array *n = p->u->order[i];
    p->of[i].stored = true;
    p->of[i].reason = IX_REASON_COMPRESS;
    for (int k = 0; k < n->nops; k++) {
        ix_partition_info *x = ix_partition_note_read(p, n->ops[k]);
        x->gathered |= k >= COUNT || x->checks;
    }
    return true;
}

bool
ix_store_compact(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    int buffer = ix_partition_buffer(p, i);
    ilex_array *part[IX_COMPACT_PARTS];
    part[IX_COMPACT_ELEMENT] = ix_partition_read(p, n->ops[ELEMENTS]);
    part[IX_COMPACT_MASK] = ix_partition_read(p, n->ops[MASK]);
    part[IX_COMPACT_COUNT] = ix_partition_read(p, n->ops[COUNT]);
    ix_stage *s =
        ix_unit_store(u, buffer, n->ops[BEFORE]->interior,
                      ix_scalar_tuple(u->ctx, IX_COMPACT_PARTS, part), n);
    s->kind = IX_STAGE_COMPACT;
    s->elements = n->ops[MASK]->interior;
    s->position = ix_partition_of(p, n->ops[BEFORE])->buffer;
    return u->ctx->error.code == ILEX_OK;
}
