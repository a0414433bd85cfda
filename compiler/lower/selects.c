/* SPDX-License-Identifier: MIT
 *
 * Kernels that stay whole in pass peel, whose conditions on indices are
 * selects.
 */
#include "compiler/lower/recurrence.h"

/* Operations that threads of a GPU do in vain rather than have code of another
 * piece. */
enum { IN_VAIN = 50 };

static ix_walk_step
meet_choice(ix_walk *w, ilex_array *n, size_t *value)
{
    ix_unit *u = w->user;
    (void)value;
    bool choice = n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE &&
                  (n->ops[0]->flags & IX_HAS_CONDITION) &&
                  (ix_measure(u, 1, &n->ops[1]) > IN_VAIN ||
                   ix_measure(u, 1, &n->ops[2]) > IN_VAIN);
    return choice ? IX_WALK_END : IX_WALK_IN;
}

/* Is code for pieces worth its length? To threads of a GPU a condition on
 * indices is a select, which costs them little. */
static bool
is_worth_it(ix_unit *u, ilex_array *value)
{
    if (!u->target->grid)
        return true;
    ix_walk w = {
        .ctx = u->ctx, .mem = &u->mem, .enter = meet_choice, .user = u};
    bool none = ix_walk_body(&w, value, NULL);
    ix_walk_free(&w);
    return !none;
}

bool
ix_may_peel(ix_unit *u, const ix_kernel *k)
{
    ilex_array *value = ix_store_value(ix_nest_body(k->body));
    if (ix_kernel_has_levels(k))
        return true;
    return !k->ordered && !(value->flags & IX_MAY_FAIL) &&
           is_worth_it(u, value);
}
