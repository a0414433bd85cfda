/* SPDX-License-Identifier: MIT
 *
 * Elements of buffers are inside their boxes: proved for nests whose loops run
 * over a box that is known, before kernels are for a target.
 */
#include "compiler/tree/check.h"

/* An index is inside, or the proof does not come to an end. */
static void
check_index(ix_checker *c, const ix_frame *frame, const ilex_array *x,
            const ix_axis *ax)
{
    ix_sample sample;
    if (ix_index_is_affine(x) &&
        ix_access_within(c->u->ctx, frame, x, ax->lo, ax->hi, &sample) == IX_NO)
        ix_check_complain(c, "an element is outside its buffer's box");
}

static ix_walk_step
check_load(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_checker *c = w->user;
    (void)value;
    if (n->kind != IX_LOAD)
        return IX_WALK_IN;
    const ix_domain *box = c->u->buffer[n->attr[0]].box;
    for (int k = 0; k < n->nops && c->ok; k++)
        check_index(c, &w->frame, n->ops[k], &box->ax[k]);
    if (!c->ok)
        return IX_WALK_END;
    return n->flags & IX_HAS_CHECK ? IX_WALK_IN : IX_WALK_OVER;
}

/* The box of a nest's loops, NULL where a bound is none in the sizes alone or
 * loop k has another variable than k, or a cell beside it. */
static const ix_domain *
box_of(ix_checker *c, const ix_stmt *nest)
{
    ix_axis ax[ILEX_MAX_RANK] = {{0}};
    int rank = 0;
    for (; nest->kind == IX_STMT_FOR; nest = nest->body, rank++) {
        int k = nest->number;
        if (k >= ILEX_MAX_RANK || nest->n[IX_for_lo] != 1 ||
            nest->n[IX_for_hi] != 1 || nest->step != 1)
            return NULL;
        ax[k].lo = ix_index_to_lin(c->u->ctx, ix_for_lo(nest));
        ax[k].hi = ix_index_to_lin(c->u->ctx, ix_for_hi(nest));
        if (!ax[k].lo || !ax[k].hi)
            return NULL;
    }
    return nest->kind == IX_STMT_STORE ? ix_domain_new(c->u->ctx, rank, ax)
                                       : NULL;
}

static void
check_nest(ix_checker *c, ix_stmt *nest)
{
    ix_walk w = {.ctx = c->u->ctx,
                 .mem = &c->mem,
                 .frames = IX_WALK_REDUCTIONS | IX_WALK_GUARDS,
                 .within = IX_HAS_LOAD,
                 .frame.box = box_of(c, nest),
                 .enter = check_load,
                 .user = c};
    if (!w.frame.box)
        return;
    for (const ix_stmt *s = ix_nest_body(nest); s && c->ok; s = s->next) {
        if (s->kind != IX_STMT_STORE || s->buffer < 0)
            continue;
        const ix_domain *box = c->u->buffer[s->buffer].box;
        c->stmt = s;
        for (int k = 0; k < s->n[IX_INDICES] && c->ok; k++)
            check_index(c, &w.frame, ix_operands(s, IX_INDICES)[k],
                        &box->ax[k]);
        if (c->ok)
            ix_walk_body(&w, ix_store_value(s), NULL);
    }
}

void
ix_check_accesses(ix_checker *c)
{
    for (ix_stmt *s = c->k->body; s && c->ok; s = s->next) {
        check_nest(c, s);
        if (s->kind != IX_STMT_FOR)
            return; /* a kernel of rank 0 is the stores of one nest */
    }
}
