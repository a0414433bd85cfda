/* SPDX-License-Identifier: MIT
 *
 * peel L N: the N points from the lowest on and the others have loops of their
 * own:
 *
 *     for i in [lo, hi)             for i in [lo, min(hi, lo + N))
 *         ...                           ...
 *                                   for t in [lo + N, hi)
 *                                       ...
 */
#include "compiler/loop/loop.h"

bool
ix_loop_may_be_empty(ix_unit *u, const ix_stmt *loop)
{
    return loop->n[IX_for_lo] > 1 || loop->n[IX_for_hi] > 1 ||
           ix_stmt_for(u, loop->number, ix_for_lo(loop), ix_for_hi(loop))
               ->optional;
}

ilex_array *
ix_loop_end(ix_unit *u, const ix_stmt *loop, int group)
{
    ilex_array *const *bound = ix_operands(loop, group), *x = bound[0];
    for (int i = 1; i < loop->n[group]; i++)
        x = group == IX_for_lo ? ix_index_max(u->ctx, x, bound[i])
                               : ix_index_min(u->ctx, x, bound[i]);
    return x;
}

/* The loop with one more bound, or with that one alone. */
static ix_stmt *
part(ix_unit *u, const ix_stmt *loop, int group, ilex_array *x, bool alone)
{
    ix_stmt *t = ix_stmt_bound_by(u, loop, group, x, alone);
    t->body = loop->body;
    t->optional = true;
    return t;
}

ix_stmt *
ix_loop_rest(ix_unit *u, ix_kernel *k, const ix_stmt *loop, ilex_array *from)
{
    ix_stmt *rest = part(u, loop, IX_for_lo, from, true);
    rest->number = ix_kernel_part(u, k, IX_VARIABLE_TAIL, loop->number);
    rest->body =
        ix_loop_body_at(u, k, loop, ix_scalar_index(u->ctx, rest->number));
    return rest;
}

ix_refusal
ix_loop_peel(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c), *rest;
    if (!ix_loop_is_plain(loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (loop->n[IX_for_hi] == IX_MOST_BOUNDS)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "the loop has too many bounds");
    if (d->n % loop->step != 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "its step of %lld leads past the first point behind",
                         (long long)loop->step);
    if (!ix_loop_has_room(u, c->k, 1, loop->body))
        return ix_refuse(u, IX_REFUSAL_SIZE, "two loops are too long");
    ilex_array *x =
        ix_index_offset(u->ctx, ix_loop_end(u, loop, IX_for_lo), d->n);
    rest = ix_loop_rest(u, c->k, loop, x);
    loop = part(u, loop, IX_for_hi, x, false);
    ix_stmt *first = loop->down ? rest : loop, *last = loop->down ? loop : rest;
    last->next = ix_cursor_loop(c)->next;
    first->next = last;
    *c->at = first;
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}
