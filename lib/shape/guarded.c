/* SPDX-License-Identifier: MIT
 *
 * Bounds of an index by the guards of the place it stands at. From e >= 0
 * follows x - e <= x <= x + e, which says something where e takes the indices
 * out of x: i - 1 >= 0 bounds i by 1.
 */
#include "lib/base/stack.h"
#include "lib/shape/access.h"

/* So many guards are looked at, innermost first: a read in a long chain of them
 * costs no more. isl looks at all. */
enum { MOST_GUARDS = 8 };

typedef struct guarded {
    ilex_context *ctx;
    const ix_index_form *x;
    ix_bounds *bounds;
} guarded;

/* a >= b, or a > b with "strict" */
static void
take_order(const guarded *g, const ilex_array *a, const ilex_array *b,
           bool strict)
{
    ix_index_form e, less, lo = *g->x, hi = *g->x;
    ix_index_form_of(a, &e);
    ix_index_form_of(b, &less);
    if (!ix_index_form_add(&e, -1, &less) || !ix_add(e.c, -(int)strict, &e.c))
        return;
    if (ix_index_form_add(&lo, -1, &e))
        ix_bounds_lo(g->bounds, ix_index_form_lin(g->ctx, &lo));
    if (ix_index_form_add(&hi, 1, &e))
        ix_bounds_hi(g->bounds, ix_index_form_lin(g->ctx, &hi));
}

static void
take_comparison(const guarded *g, const ilex_array *n, bool holds)
{
    const ix_op op = ix_op_of(n);
    const bool less = op == IX_OP_LESS || op == IX_OP_LESS_EQUAL;
    const bool strict = op == IX_OP_LESS || op == IX_OP_GREATER;
    const ilex_array *a = n->ops[less], *b = n->ops[!less];
    if (op != IX_OP_EQUAL && op != IX_OP_NOT_EQUAL) { /* a > b or a >= b */
        take_order(g, holds ? a : b, holds ? b : a, strict == holds);
    } else if ((op == IX_OP_EQUAL) == holds) {
        take_order(g, a, b, false);
        take_order(g, b, a, false);
    }
}

static void
take_condition(const guarded *g, const ilex_array *n, bool holds)
{
    if (n->kind == IX_CONST || !(n->flags & IX_HAS_CONDITION))
        return;
    const ix_op op = ix_op_of(n);
    if (op == IX_OP_LOGICAL_NOT) {
        take_condition(g, n->ops[0], !holds);
    } else if (!ix_is_logic(n)) {
        take_comparison(g, n, holds);
    } else if ((op == IX_OP_LOGICAL_AND) == holds) {
        take_condition(g, n->ops[0], holds);
        take_condition(g, n->ops[1], holds);
    }
}

void
ix_guarded_bounds(ilex_context *ctx, const ix_frame *frame, const ilex_array *x,
                  ix_bounds *bounds)
{
    ix_index_form form;
    const guarded g = {ctx, &form, bounds};
    if (!frame->nguard)
        return;
    ix_index_form_of(x, &form);
    for (int i = 1; i <= frame->nguard && i <= MOST_GUARDS; i++) {
        const ix_guard *guard = &frame->guard[frame->nguard - i];
        if (guard->condition->depth <= IX_SHALLOW)
            take_condition(&g, guard->condition, guard->holds);
    }
}
