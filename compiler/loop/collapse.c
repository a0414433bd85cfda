/* SPDX-License-Identifier: MIT
 *
 * collapse L M: a loop and the one that is all there is in it, of constant
 * length, become one over their points, whose quotients and remainders are the
 * indices:
 *
 *     for i in [0, n)               for f in [0, 6*n)
 *         for k in [0, 6)               ...[f // 6, f - 6*(f // 6)]
 *             ...[i, k]
 *
 * The iterations are the same in the same order. A length that is a size would
 * need products of sizes, of which a run knows those that the program has.
 */
#include "compiler/loop/loop.h"

/* Two loops that become one over variable "flat". */
typedef struct pair {
    ix_unit *u;
    const ix_stmt *outer, *inner;
    int64_t length; /* of the inner one */
    ilex_array *flat;
} pair;

static bool
goes_up(const ix_stmt *loop)
{
    return loop->step == 1 && !loop->down;
}

/* Fills in the inner loop and its length, or says why they do not suit. */
static ix_refusal
look_at(pair *p, const ix_kernel *k, const ix_stmt *inner)
{
    ix_unit *u = p->u;
    p->inner = p->outer->body;
    p->length = ix_loop_length(u, inner);
    if (p->inner != inner || inner->next)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the second loop is not all that is in the first one");
    if (!ix_loop_is_plain(p->outer) || !ix_loop_is_plain(inner))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (!goes_up(p->outer) || !goes_up(inner))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "they do not both go upwards, one by one");
    if (p->length <= 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         p->length ? "the second loop's length is no constant"
                                   : "it has no iteration");
    if (ix_loop_has_temporary(u, k, p->outer) ||
        ix_loop_has_temporary(u, k, inner))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_OWN_TEMPORARY);
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* The loop over all points, without a body; NULL: its bounds are too large. */
static ix_stmt *
flat_loop(const pair *p, ix_kernel *k)
{
    ix_stmt *t = ix_loop_moved(p->u, p->outer, p->length, 0,
                               ix_index_const(p->u->ctx, 0));
    if (!t)
        return NULL;
    t->number = ix_kernel_variable(p->u, k, IX_VARIABLE_COLLAPSED);
    t->parallel = p->outer->parallel && p->inner->parallel;
    return t;
}

/* M's body at the indices of a point; what M's begin has of L's index, too. */
static ix_stmt *
body_of_point(const pair *p)
{
    ilex_context *ctx = p->u->ctx;
    ilex_array *i = ix_index_floordiv(ctx, p->flat, p->length),
               *rest = ix_index_fma(ctx, p->flat, -p->length, i),
               *k = ix_index_fma(ctx, ix_for_lo(p->inner), 1, rest);
    ix_stmt *body =
        ix_loop_put_index(p->u, p->inner->body, p->inner->number, k);
    return ix_loop_put_index(p->u, body, p->outer->number, i);
}

ix_refusal
ix_loop_collapse(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    pair p = {.u = u, .outer = ix_cursor_loop(c)};
    ix_refusal r = look_at(&p, c->k, ix_cursor_loop(&c[1]));
    (void)d;
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_stmt *flat = flat_loop(&p, c->k);
    if (!flat)
        return ix_refuse(u, IX_REFUSAL_SIZE, "its bounds would be too large");
    p.flat = ix_scalar_index(u->ctx, flat->number);
    flat->body = body_of_point(&p);
    flat->next = p.outer->next;
    *c->at = flat;
    return r;
}
