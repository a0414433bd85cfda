/* SPDX-License-Identifier: MIT
 *
 * Calls of functions of the host, which stand between stages: arguments are
 * stored, so are results, and the function is given the parts of their buffers
 * that its declaration speaks of.
 */
#include "compiler/stages/partition.h"
#include "lib/build/foreign.h"

bool
ix_decide_call(ix_partition *p, size_t i)
{
    const ilex_array *n = p->u->order[i];
    p->of[i].stored = true;
    for (int k = 1; k < n->nops; k++)
        ix_partition_note_read(p, n->ops[k])->gathered = true;
    return true;
}

bool
ix_store_call(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    ix_foreign_call *c = ix_arena_new(&u->arena, sizeof *c);
    c->node = ix_unit_program(u, n);
    c->narguments = n->nops - 1;
    c->nresults = ix_tuple_count(n);
    size_t slices = (size_t)(c->narguments + c->nresults);
    c->slice = ix_arena_new(&u->arena, slices * sizeof *c->slice);
    for (int k = 0; k < c->narguments; k++)
        c->slice[k] = (ix_slice){ix_partition_of(p, n->ops[k + 1])->buffer,
                                 ix_foreign_box(n, k)};
    for (int k = 0; k < c->nresults; k++) {
        const ix_domain *box = ix_tuple_domain(n, k);
        c->slice[c->narguments + k] =
            (ix_slice){ix_result_buffer(p, i, k, box), box};
    }
    ix_unit_call(u, c);
    return true;
}
