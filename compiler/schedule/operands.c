/* SPDX-License-Identifier: MIT
 *
 * The policy for operands of contractions: the order of their sums is fixed
 * (one chain), so what vectors run along is the last free index. An operand
 * that is read along another axis than its last one as that runs is copied
 * before (pack), which takes as many steps as it has elements; the contraction
 * takes that many for each index that the operand lacks.
 */
#include "compiler/schedule/schedule.h"

enum { WORTH_WHILE = 8 }; /* uses of an element that pay for its copy */

/* Is an element read for enough indices of the kernel's box that its load does
 * not use? Lengths that are not known count as many. */
static bool
is_read_often(ix_unit *u, const ix_domain *box, const ilex_array *load)
{
    int64_t uses = 1;
    for (int k = 0; k < box->rank && uses < WORTH_WHILE; k++) {
        const ix_lin *length =
            ix_lin_try_fma(u->ctx, box->ax[k].hi, -1, box->ax[k].lo);
        if (!ix_load_uses(load, k))
            uses *= length && length->n == 0 ? length->c : WORTH_WHILE;
    }
    return uses >= WORTH_WHILE;
}

/* The operands of a kernel. */
typedef struct operands {
    ix_unit *u;
    const ix_kernel *k;
    const ix_stmt *loop; /* over the last index, the first one */
    int buffer;          /* of an operand that is to be copied, or -1 */
} operands;

static bool
look_at_operands(void *user, ix_stmt *s)
{
    operands *o = user;
    int last = o->k->box->rank - 1;
    if (s->kind == IX_STMT_FOR && s->number == last && !o->loop)
        o->loop = s;
    if (s->kind != IX_STMT_UPDATE || !s->mem ||
        s->mem->scratch != IX_SCRATCH_CELL ||
        ix_update_value(s)->kind != IX_PRODUCT)
        return true;
    for (int i = 0; i < 2 && o->buffer < 0; i++) {
        const ilex_array *x = ix_update_value(s)->ops[i];
        const ilex_array *load = x->kind == IX_CAST ? x->ops[0] : x;
        if (load->kind == IX_LOAD && ix_load_axis(load, last) >= 0 &&
            is_read_often(o->u, o->k->box, load))
            o->buffer = (int)load->attr[0];
    }
    return o->buffer < 0;
}

/* False: there is nothing to copy, or it was refused. */
static bool
pack_one(ix_unit *u, ix_kernel *k)
{
    operands o = {.u = u, .k = k, .buffer = -1};
    ix_stmt_each(k->body, look_at_operands, &o);
    if (o.buffer < 0 || !o.loop)
        return false;
    ix_directive d = {.row = IX_KERNELS_pack, .nloops = 2};
    d.name = ix_arena_string(&u->arena, ix_value_name('b', o.buffer).s);
    d.loop[0] = ix_arena_string(&u->arena, ix_value_name('k', k->number).s);
    d.loop[1] = ix_loop_name(u, k, o.loop);
    return ix_kernels_carry(u, &d).class == IX_REFUSAL_NONE;
}

void
ix_policy_operands(ix_unit *u)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        while (k->box->rank && !ix_kernel_has_levels(k) && pack_one(u, k))
            ;
}
