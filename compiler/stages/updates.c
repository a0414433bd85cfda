/* SPDX-License-Identifier: MIT
 *
 * Updates, as two stages: the array that is changed is copied, then elements
 * are stored one after another where the subscripted read (operand 1, which is
 * not evaluated) says.
 */
#include "compiler/stages/partition.h"
#include "lib/build/structure.h"

/* The read y(i) = x(indices) that says where. */
static const ilex_array *
load_of(const ilex_array *n)
{
    return n->ops[1]->ops[0];
}

/* An array in an index is stored: what it is made of stays out of addresses. */
typedef struct index_visit {
    ix_partition *p;
    const ilex_array *read;
} index_visit;

static ix_walk_step
note_index_load(ix_walk *w, ilex_array *n, size_t *value)
{
    index_visit *v = w->user;
    (void)value;
    if (n->kind == IX_LOAD)
        ix_partition_note_read(v->p, v->read->ops[n->attr[0] + 1])->gathered =
            true;
    return IX_WALK_IN;
}

bool
ix_decide_update(ix_partition *p, size_t i)
{
    const ilex_array *n = p->u->order[i];
    index_visit v = {p, n->ops[1]};
    ix_walk w = {.ctx = p->u->ctx,
                 .mem = &p->mem,
                 .within = IX_HAS_LOAD,
                 .enter = note_index_load,
                 .user = &v};
    for (int k = 0; k < load_of(n)->nops; k++)
        ix_walk_body(&w, load_of(n)->ops[k], NULL);
    ix_walk_free(&w);
    p->of[i].stored = true;
    p->of[i].reason = IX_REASON_UPDATE;
    for (int k = 0; k < 3; k += 2)
        ix_partition_note_read(p, n->ops[k]);
    return true;
}

static ilex_array *
load_stored(void *user, ilex_array *load, ilex_array *const *index)
{
    const index_visit *v = user;
    const ilex_array *x = v->read->ops[load->attr[0] + 1];
    return ix_scalar_load(x->ctx, (ilex_dtype)load->dtype,
                          ix_partition_of(v->p, x)->buffer, load->nops, index);
}

/* What goes to element [_0, _1, ...] of the read, and its indices in the
 * buffer.
 */
static ilex_array *
change_of(ix_partition *p, const ilex_array *n, int buffer)
{
    ilex_context *ctx = p->u->ctx;
    const ilex_array *load = load_of(n);
    index_visit v = {p, n->ops[1]};
    ilex_array *part[ILEX_MAX_RANK + 1], **ops = part + IX_UPDATE_INDEX;
    ix_substitution s = {.ctx = ctx, .load = load_stored, .user = &v};
    for (int k = 0; k < load->nops; k++)
        ops[k] = ix_substitute(&s, load->ops[k]);
    ix_substitution_free(&s);
    ilex_dtype dtype = (ilex_dtype)n->dtype;
    ilex_array *value = ix_partition_read(p, n->ops[2]);
    if (n->nattr) {
        ilex_array *both[2] = {
            ix_scalar_load(ctx, dtype, buffer, load->nops, ops), value};
        value = ix_structure_op(ctx, ix_op_of(n), dtype, both);
    }
    part[IX_UPDATE_VALUE] = value;
    return ix_scalar_tuple(ctx, load->nops + 1, part);
}

bool
ix_store_update(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    int buffer = ix_partition_buffer(p, i);
    ilex_array *copy = ix_partition_read(p, n->ops[0]);
    ilex_array *change = change_of(p, n, buffer);
    if (ix_is_poison(copy) || ix_is_poison(change))
        return false;
    ix_unit_store(u, buffer, n->interior, copy, n);
    ix_unit_store(u, buffer, n->ops[1]->interior, change, n)->kind =
        IX_STAGE_UPDATE;
    return true;
}
