/* SPDX-License-Identifier: MIT
 *
 * Bodies of stages: that of an array with the bodies of what it reads and is
 * not stored, as far as they are short enough. And lambdas, whose stages need
 * nothing else.
 */
#include "compiler/stages/partition.h"

enum { BODY_BUDGET = 600 }; /* statements of one fused body */

typedef ix_partition_info info;
typedef ix_partition partition;

/* ---- what goes in ---- */

typedef struct inliner {
    partition *p;
    const ilex_array *user;
    bool too_large;     /* an index crossed a limit */
    int64_t statements; /* of the bodies that were put in */
} inliner;

/* The load of a stored array, or the body of one that is not, at "index". */
static ilex_array *
inline_load(void *user, ilex_array *load, ilex_array *const *index)
{
    inliner *in = user;
    ix_unit *u = in->p->u;
    const ilex_array *array = in->user->ops[load->attr[0] + 1];
    info *x = ix_partition_of(in->p, array);
    if (x->stored)
        return ix_scalar_load(u->ctx, (ilex_dtype)load->dtype, x->buffer,
                              load->nops, index);
    ilex_array *r =
        in->too_large ? NULL : ix_origin_inline(u, array, x->body, index);
    in->too_large |= !r;
    in->statements += x->statements;
    return r;
}

/* What is checked as an index of an operand is one of the operand's buffer. */
static ilex_array *
name_buffer(void *user, ilex_array *n)
{
    const inliner *in = user;
    if (n->kind != IX_CHECKED || ix_checked_of(n) == 0)
        return n;
    const ilex_array *array = in->user->ops[ix_checked_of(n)];
    const ix_checked c = {ix_checked_what_of(n),
                          .axis = (int)n->attr[0],
                          .of = 1 + ix_partition_of(in->p, array)->buffer,
                          .value = n->ops[0],
                          .lo = n->ops[1],
                          .hi = n->ops[2]};
    return ix_scalar_checked_as(n->ctx, &c);
}

/* Is the body of "n" short enough? Its parts are measured already; the whole
 * shares nodes, and is only looked at when the parts together are too long. */
static bool
within_budget(partition *p, const ilex_array *n, const inliner *in)
{
    info *x = ix_partition_of(p, n);
    ilex_array *own = n->ops[0];
    int64_t sum = in->statements + ix_measure(p->u, 1, &own);
    if (sum > BODY_BUDGET)
        sum = ix_measure(p->u, 1, &x->body);
    x->statements = (int)sum;
    return sum <= BODY_BUDGET;
}

/* A choice inside of the first branch of one by the same condition. */
static ilex_array *
take_first(void *user, ilex_array *n)
{
    return n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE && n->ops[0] == user
               ? n->ops[1]
               : n;
}

static ilex_array *
drop_nested(void *user, ilex_array *n)
{
    if (n->kind != IX_OP || ix_op_of(n) != IX_OP_WHERE ||
        !(n->ops[1]->flags & IX_HAS_CHECK))
        return n;
    ilex_array *ops[3] = {n->ops[0], NULL, n->ops[2]};
    ix_unit *u = user;
    ix_substitution s = {
        .ctx = u->ctx, .rewrite = take_first, .user = n->ops[0]};
    ops[1] = ix_substitute(&s, n->ops[1]);
    ix_substitution_free(&s);
    return ix_with_operands(n, ops);
}

/* Conditions that an array had of its own, in a body that has them around it.
 */
static ilex_array *
without_nested(ix_unit *u, ilex_array *body)
{
    if (!(body->flags & IX_HAS_CHECK) || ix_is_poison(body))
        return body;
    ix_substitution s = {.ctx = u->ctx,
                         .rewrite = drop_nested,
                         .became = ix_made_keep,
                         .user = u};
    body = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return body;
}

/* Makes the body of "n" with those of its operands that are not stored in it;
 * the indices of a reduction that goes into others have numbers of their own.
 * False if it crosses a limit: an index that gets too large, too many
 * statements. */
static bool
inline_body(partition *p, const ilex_array *n)
{
    info *x = ix_partition_of(p, n);
    inliner in = {.p = p, .user = n};
    bool inside = x->reason == IX_REASON_INSIDE;
    p->inlined.raise = 0;
    if (inside && n->ops[0]->flags & IX_HAS_REDUCE)
        p->inlined.raise = p->raised += p->reductions;
    p->inlined.user = &in;
    p->inlined.rewrite = n->ops[0]->flags & IX_HAS_CHECK ? name_buffer : NULL;
    x->body = without_nested(p->u, ix_substitute(&p->inlined, n->ops[0]));
    ix_substitution_forget(&p->inlined);
    return !in.too_large && (ix_is_poison(x->body) || within_budget(p, n, &in));
}

/* Stores the operands of "n" that are computed again, for the body of "n"
 * crossed a limit with them. Without them it is as long as the user wrote it,
 * and its indices are those that were checked. */
static void
store_operands(partition *p, const ilex_array *n)
{
    for (int k = 1; k < n->nops; k++) {
        size_t i = ix_unit_position(p->u, n->ops[k]);
        if (p->of[i].stored)
            continue;
        p->of[i].reason = IX_REASON_BUDGET;
        ix_partition_store(p, i);
    }
}

void
ix_partition_begin_bodies(partition *p)
{
    p->inlined = (ix_substitution){
        .ctx = p->u->ctx, .mem = &p->mem, .load = inline_load};
}

bool
ix_partition_make_body(partition *p, const ilex_array *n)
{
    if (!inline_body(p, n)) {
        store_operands(p, n);
        inline_body(p, n);
    }
    return !ix_is_poison(ix_partition_of(p, n)->body);
}

/* ---- lambdas ---- */

/* In a program too long for one body the users of an array are in several: is
 * it cheaper to store it than to compute it in each? */
static bool
is_made_often(const partition *p, const info *x)
{
    return p->work > BODY_BUDGET && !p->u->reference &&
           (int64_t)x->statements * (x->users - 1) > IX_RECOMPUTE;
}

bool
ix_store_lambda(partition *p, size_t i)
{
    info *x = &p->of[i];
    if (!ix_partition_make_body(p, p->u->order[i]))
        return false;
    if (!x->stored && is_made_often(p, x)) {
        x->reason = IX_REASON_USERS;
        x->stored = true;
    }
    if (x->stored)
        ix_partition_store(p, i);
    return true;
}
