/* SPDX-License-Identifier: MIT
 *
 * Pass pack: operands of contractions in the order of the inner loop. needs:
 * stages; gives: where a chain of products reads an operand along another axis
 * than its last one as the stage's last index runs, a stage before it that
 * stores a transposed copy, which the chain reads instead; breaks: nothing.
 *
 * The order of a contraction's sums is fixed (one chain), so what the vectors
 * run along is the last free index. The copy costs as many steps as the operand
 * has elements, the contraction that many for each index that the operand
 * lacks.
 */
#include "compiler/unit.h"

enum { WORTH_WHILE = 8 }; /* uses of an element that pay for its copy */

/* The axis of a load that runs with index "k", which is to become the last one;
 * -1 if it is, or if several do or none. */
static int
axis_along(const ilex_array *load, int k)
{
    int axis = -1;
    for (int i = 0; i < load->nops; i++)
        if (ix_scalar_uses_index(load->ops[i], k)) {
            if (axis >= 0)
                return -1;
            axis = i;
        }
    return axis + 1 == load->nops ? -1 : axis;
}

/* Is an element read for enough indices of the stage's box that its load does
 * not use? Lengths that are not known count as many. */
static bool
is_read_often(ix_unit *u, const ix_domain *box, const ilex_array *load)
{
    int64_t uses = 1;
    for (int k = 0; k < box->rank && uses < WORTH_WHILE; k++) {
        bool used = false;
        for (int i = 0; i < load->nops; i++)
            used |= ix_scalar_uses_index(load->ops[i], k);
        const ix_lin *length =
            ix_lin_try_fma(u->ctx, box->ax[k].hi, -1, box->ax[k].lo);
        if (!used)
            uses *= length && length->n == 0 ? length->c : WORTH_WHILE;
    }
    return uses >= WORTH_WHILE;
}

/* "from" with axis "axis" last. */
static const ix_domain *
moved_last(ix_unit *u, const ix_domain *from, int axis)
{
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    for (int k = 0; k < from->rank; k++)
        if (k != axis)
            ax[n++] = from->ax[k];
    ax[n++] = from->ax[axis];
    return ix_domain_new(u->ctx, n, ax);
}

/* The stage that copies a buffer for "s" with its axis "axis" last; the buffer
 * it writes. */
static int
add_copy(ix_unit *u, const ix_stage *s, int buffer, int axis)
{
    const ix_buffer *b = &u->buffer[buffer];
    int rank = b->box->rank;
    ilex_array *index[ILEX_MAX_RANK];
    const ix_domain *box = moved_last(u, b->box, axis);
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(u->ctx, k < axis    ? k
                                           : k == axis ? rank - 1
                                                       : k - 1);
    ilex_array *body = ix_scalar_load(u->ctx, b->dtype, buffer, rank, index);
    int to = ix_unit_temporary(u, box, b->dtype);
    ix_unit_store(u, to, box, body, s->array);
    return to;
}

/* What replaces a factor of a chain: a load of a copy, or itself. */
static ilex_array *
packed(ix_unit *u, const ix_stage *s, ilex_array *x)
{
    ilex_array *load = x->kind == IX_CAST ? x->ops[0] : x;
    ilex_array *index[ILEX_MAX_RANK];
    int n = 0;
    if (load->kind != IX_LOAD)
        return x;
    int axis = axis_along(load, s->box->rank - 1);
    if (axis < 0 || !is_read_often(u, s->box, load))
        return x;
    for (int k = 0; k < load->nops; k++)
        if (k != axis)
            index[n++] = load->ops[k];
    index[n++] = load->ops[axis];
    ilex_array *r =
        ix_scalar_load(u->ctx, (ilex_dtype)load->dtype,
                       add_copy(u, s, (int)load->attr[0], axis), n, index);
    u->changed = true;
    return ix_scalar_cast(u->ctx, (ilex_dtype)x->dtype, r);
}

typedef struct packer {
    ix_unit *u;
    const ix_stage *stage;
} packer;

static ilex_array *
pack_chain(void *user, ilex_array *n)
{
    packer *p = user;
    if (n->kind != IX_REDUCE || !ix_is_chain(n) || n->ops[0]->nops != 2)
        return n;
    ilex_array *product = n->ops[0];
    ilex_array *ops[2] = {packed(p->u, p->stage, product->ops[0]),
                          packed(p->u, p->stage, product->ops[1])};
    if (ops[0] == product->ops[0] && ops[1] == product->ops[1])
        return n;
    ilex_array *body = ix_with_operands(product, ops);
    return ix_with_operands(n, &body);
}

bool
ix_pass_pack(ix_unit *u)
{
    ix_stage *stage = u->stage;
    size_t n = u->nstages;
    if (u->reference)
        return true;
    ix_moment end = u->now;
    u->stage = NULL;
    u->nstages = u->stage_capacity = 0;
    for (size_t i = 0; i < n && u->ctx->error.code == ILEX_OK; i++) {
        packer p = {u, &stage[i]};
        u->now = stage[i].when;
        ix_substitution s = {.ctx = u->ctx,
                             .rewrite = pack_chain,
                             .became = ix_made_keep,
                             .user = &p,
                             .listener = u};
        if (stage[i].kind == IX_STAGE_PLAIN && stage[i].box->rank &&
            (stage[i].body->flags & IX_HAS_REDUCE))
            stage[i].body = ix_substitute(&s, stage[i].body);
        ix_substitution_free(&s);
        ix_unit_stage(u, stage[i]);
    }
    u->now = end;
    return u->ctx->error.code == ILEX_OK;
}
