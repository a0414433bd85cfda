/* SPDX-License-Identifier: MIT
 *
 * Concats, as stages that write parts of one buffer: one for each operand, over
 * the box that it has in the result, with the operand's body if nothing else
 * reads it. A concat that is a part of another one and nothing else writes into
 * that one's buffer, so that trees of them are flat, whatever their shape.
 */
#include "compiler/stages/partition.h"

/* ---- decisions ---- */

/* The length of operand "k" along the axis of the concat. */
static const ix_lin *
length_of(const ilex_array *n, int k)
{
    return n->ops[k]->interior->ax[n->attr[0]].hi;
}

static ix_whereabouts *
new_whereabouts(ix_partition *p, size_t root)
{
    ix_whereabouts *at = ix_arena_new(&p->u->arena, sizeof *at);
    at->root = root;
    for (int k = 0; k < ILEX_MAX_RANK; k++)
        at->offset[k] = ix_lin_const(p->u->ctx, 0);
    return at;
}

/* Notes that the operands are read, and where those are that are concats. The
 * note of one that turns out to have other readers is not used. */
static void
place_operands(ix_partition *p, ilex_array *n)
{
    const ix_whereabouts *mine = ix_partition_of(p, n)->at;
    const ix_lin *offset = mine->offset[n->attr[0]];
    for (int k = 0; k < n->nops; k++) {
        ix_partition_info *x = ix_partition_of(p, n->ops[k]);
        x->reads++;
        x->segments += x->segments < 2;
        if (n->ops[k]->kind == IX_CONCAT) {
            x->at = new_whereabouts(p, mine->root);
            *x->at = *mine;
            x->at->offset[n->attr[0]] = offset;
        }
        offset = ix_lin_add(p->u->ctx, offset, length_of(n, k));
    }
}

bool
ix_decide_segments(ix_partition *p, size_t i)
{
    ilex_array *n = p->u->order[i];
    ix_partition_info *x = &p->of[i];
    bool part = !p->u->reference && ix_partition_is_segment(x);
    x->stored = !part;
    x->buffer = -1;
    x->reason = part      ? IX_REASON_SEGMENT
                : x->root ? IX_REASON_OUTPUT
                          : IX_REASON_CONCAT;
    if (!part)
        x->at = new_whereabouts(p, i);
    place_operands(p, n);
    return true;
}

/* ---- stages ---- */

/* The buffer of the concat at position "i", which has one of its own. */
static int
buffer_of(ix_partition *p, size_t i)
{
    ix_partition_info *x = &p->of[i];
    if (x->buffer < 0)
        x->buffer = ix_partition_buffer(p, i);
    return x->buffer;
}

/* The box of operand "k", which begins at "offset" along the axis, in the
 * buffer. */
static const ix_domain *
box_of(ix_partition *p, const ilex_array *n, int k, const ix_lin *offset)
{
    ilex_context *ctx = p->u->ctx;
    const ix_domain *need = p->u->need[ix_unit_position(p->u, n)];
    const ix_whereabouts *at = ix_partition_of(p, n)->at;
    ix_axis ax[ILEX_MAX_RANK];
    for (int i = 0; i < need->rank; i++) {
        bool along = i == n->attr[0];
        const ix_lin *from = along ? offset : at->offset[i];
        ax[i] = (ix_axis){
            0, along ? from : ix_lin_add(ctx, need->ax[i].lo, from),
            ix_lin_add(ctx, along ? length_of(n, k) : need->ax[i].hi, from)};
    }
    return ix_domain_new(ctx, need->rank, ax);
}

/* The operand's element at index [_0, _1, ...] of the buffer. */
static ilex_array *
body_of(ix_partition *p, const ilex_array *n, int k, const ix_lin *offset)
{
    ilex_context *ctx = p->u->ctx;
    const ilex_array *x = n->ops[k];
    const ix_whereabouts *at = ix_partition_of(p, n)->at;
    ix_partition_info *info = ix_partition_of(p, x);
    ilex_array *index[ILEX_MAX_RANK], *body = NULL;
    for (int i = 0; i < ix_rank(x); i++)
        index[i] = ix_index_fma(
            ctx, ix_scalar_index(ctx, i), -1,
            ix_index_lin(ctx, i == n->attr[0] ? offset : at->offset[i]));
    if (!info->stored)
        body = ix_origin_inline(p->u, x, info->body, index);
    if (body)
        return body;
    if (!info->stored) { /* an index would be too large */
        info->reason = IX_REASON_BUDGET;
        ix_partition_store(p, ix_unit_position(p->u, x));
    }
    return ix_scalar_load(ctx, (ilex_dtype)x->dtype, info->buffer, ix_rank(x),
                          index);
}

bool
ix_store_segments(ix_partition *p, size_t i)
{
    ilex_array *n = p->u->order[i];
    ix_partition_info *x = &p->of[i];
    const ix_lin *offset = x->at->offset[n->attr[0]];
    int buffer = buffer_of(p, x->at->root);
    for (int k = 0; k < n->nops; k++) {
        const ix_lin *length = length_of(n, k);
        ix_partition_info *part = ix_partition_of(p, n->ops[k]);
        bool there = n->ops[k]->kind == IX_CONCAT && !part->stored;
        if (!there && !ix_lin_is(length, 0)) {
            ilex_array *body = body_of(p, n, k, offset);
            const ix_domain *box = box_of(p, n, k, offset);
            if (ix_is_poison(body) || !box)
                return false;
            ix_unit_store(p->u, buffer, box, body, n);
        }
        offset = ix_lin_add(p->u->ctx, offset, length);
    }
    return offset != NULL;
}
