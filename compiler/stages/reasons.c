/* SPDX-License-Identifier: MIT
 *
 * Why an array is stored, or computed where it is read: the part of the pass
 * partition that looks at what was counted.
 */
#include "compiler/stages/partition.h"

enum { CHEAP = 4 }; /* operations: always computed again */

/* Why the array is to be stored, or is not. */
static ix_reason
reason_of(const ilex_array *n, const ix_partition_info *x)
{
    if (n->ops[0]->flags & IX_HAS_REDUCE)
        return IX_REASON_REDUCTION;
    if (x->gathered)
        return IX_REASON_GATHERED;
    if (x->checks && x->apart)
        return IX_REASON_CHECKS;
    if (x->conditions && x->reads > 1)
        return IX_REASON_CONDITIONS;
    if (x->repeated && x->work > CHEAP)
        return IX_REASON_REPEATED;
    if (x->work * (x->reads - 1) > IX_RECOMPUTE)
        return IX_REASON_WORK;
    return x->reads > 1 || x->users > 1 ? IX_REASON_AGAIN : IX_REASON_ONCE;
}

bool
ix_partition_is_stored(ix_partition *p, const ilex_array *n,
                       ix_partition_info *x)
{
    static const bool stored[] = {
#define IX_REASON(NAME, stored, text) stored,
#include "compiler/reasons.def"
    };
    ix_unit *u = p->u;
    if (n->kind == IX_SCAN)
        x->reason = IX_REASON_SCAN;
    else if (x->root)
        x->reason = IX_REASON_OUTPUT;
    else if (u->reference || !ix_option_int(u->ctx, IX_OPTION_fuse))
        x->reason = IX_REASON_UNFUSED;
    else
        x->reason = ix_partition_is_part(x) ? IX_REASON_PART : reason_of(n, x);
    return x->stored || stored[x->reason];
}

void
ix_partition_keep(ix_partition *p)
{
    ix_unit *u = p->u;
    u->decision =
        ix_arena_new(&u->arena, (u->norder + 1) * sizeof *u->decision);
    for (size_t i = 0; i < u->norder; i++) {
        const ix_partition_info *x = &p->of[i];
        u->decision[i] = (ix_decision){.reason = x->reason,
                                       .reads = x->reads,
                                       .work = x->work,
                                       .buffer = x->stored ? x->buffer : -1};
    }
}
