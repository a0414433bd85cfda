/* SPDX-License-Identifier: MIT
 *
 * Alpha-renames the indices of a reduction before it goes into the body of
 * another.
 */
#include "compiler/stages/partition.h"

/* The largest number of an index of a reduction in the body, or -1. */
static ix_walk_step
find_last(ix_walk *w, ilex_array *n, size_t *value)
{
    int64_t *last = w->user;
    (void)value;
    if (n->kind == IX_REDUCE && n->attr[1] + n->interior->rank - 1 > *last)
        *last = n->attr[1] + n->interior->rank - 1;
    return IX_WALK_IN;
}

static ilex_array *
shift_reduction(void *user, ilex_array *n)
{
    const int64_t *by = user;
    if (n->kind != IX_REDUCE)
        return n;
    int64_t attr[6];
    memcpy(attr, n->attr, sizeof attr);
    attr[1] += *by;
    ix_node_spec spec = {.kind = IX_REDUCE,
                         .dtype = (ilex_dtype)n->dtype,
                         .interior = n->interior,
                         .nops = n->nops,
                         .ops = n->ops,
                         .nattr = n->nattr,
                         .attr = attr};
    return ix_node_scoped(n->ctx, &spec);
}

static int64_t
last_in(ix_partition *p, const ilex_array *body)
{
    int64_t last = -1;
    ix_walk w = {.ctx = p->u->ctx,
                 .mem = &p->mem,
                 .within = IX_HAS_REDUCE,
                 .enter = find_last,
                 .user = &last};
    ix_walk_body(&w, body, NULL);
    ix_walk_free(&w);
    return last;
}

void
ix_partition_note_indices(ix_partition *p, const ilex_array *body)
{
    int64_t last = last_in(p, body);
    p->reductions = last >= p->reductions ? last + 1 : p->reductions;
}

ilex_array *
ix_partition_renumber(ix_partition *p, ilex_array *body)
{
    ilex_context *ctx = p->u->ctx;
    int64_t last = last_in(p, body), by = p->reductions;
    ilex_array **index =
        ix_mem_new(&p->mem, (size_t)(last + 1) * sizeof *index);
    for (int64_t k = 0; k <= last; k++)
        index[k] = ix_scalar_rindex(ctx, (int)(by + k));
    ix_substitution s = {.ctx = ctx,
                         .mem = &p->mem,
                         .rindex = index,
                         .nrindex = (int)last + 1,
                         .rewrite = shift_reduction,
                         .user = &by};
    ilex_array *r = ix_substitute(&s, body);
    ix_substitution_free(&s);
    ix_mem_free(&p->mem, index);
    p->reductions = by + last + 1;
    return r;
}
