/* SPDX-License-Identifier: MIT
 *
 * align L to B: the first iterations of L, until one that stores where a line
 * of the caches begins, and the others have loops of their own:
 *
 *     for i in [lo, hi)             t = aside B[lo]
 *         ... B[i] = ...            for i in [lo, min(hi, lo + t))
 *                                       ... B[i] = ...
 *                                   for i' in [lo + t, hi)
 *                                       ... B[i'] = ...
 *
 * t elements are before one at which a line begins, in the row that L's
 * iterations store, or in each of several, if these begin alike; else all
 * iterations are the first ones. With "from" they are, too, where B has fewer
 * bytes: what is done to the others is done for large arrays alone.
 */
#include "compiler/loop/loop.h"

typedef struct aligning {
    ix_unit *u;
    const ix_stmt *loop, *store;
    int buffer;
    ilex_array *index[ILEX_MAX_RANK]; /* of the first element */
} aligning;

/* The index of the element where a loop inside begins. */
static void
put_begin(aligning *x, const ix_stmt *loop)
{
    ix_substitution s = {.ctx = x->u->ctx,
                         .mem = &x->u->mem,
                         .became = ix_made_keep,
                         .user = x->u};
    ix_substitution_set(&s, ix_scalar_index(x->u->ctx, loop->number),
                        ix_loop_end(x->u, loop, IX_for_lo));
    for (int d = 0; d < x->store->n[IX_INDICES]; d++)
        x->index[d] = ix_substitute(&s, x->index[d]);
    ix_substitution_free(&s);
}

/* The first store to B in a list whose elements lie side by side along L. */
static bool
find_store(aligning *x, const ix_stmt *list)
{
    for (const ix_stmt *s = list; s; s = s->next) {
        if (s->kind == IX_STMT_STORE && s->buffer == x->buffer &&
            ix_stmt_moves_along(s, x->loop)) {
            x->store = s;
            memcpy(x->index, ix_operands(s, IX_INDICES),
                   (size_t)s->n[IX_INDICES] * sizeof *x->index);
            return true;
        }
        if (find_store(x, s->body)) {
            if (s->kind == IX_STMT_FOR)
                put_begin(x, s);
            return true;
        }
        if (find_store(x, s->other))
            return true;
    }
    return false;
}

/* Is the first element known before the loop? */
static bool
is_known(aligning *x)
{
    bool known = find_store(x, x->loop->body);
    if (known)
        put_begin(x, x->loop);
    for (int d = 0; known && d < x->store->n[IX_INDICES]; d++)
        known = !(x->index[d]->flags & IX_HAS_VALUE);
    return known;
}

/* How many elements are before a line; more than any where B is not "large". */
static ilex_array *
put_aside(aligning *x, ix_cursor *c, ilex_array *large)
{
    ix_element at = ix_element_of(x->buffer, x->store->n[IX_INDICES], x->index);
    ix_stmt *s = ix_stmt_at(x->u, IX_STMT_ASIDE, at, large);
    s->prefix = 't';
    s->number = c->k->nvalues++;
    s->dtype = ILEX_I64;
    s->array = x->store->array;
    s->rows = !ix_stmt_is_innermost(x->loop);
    s->next = *c->at;
    *c->at = s;
    c->at = &s->next;
    return ix_value_of(x->u, s);
}

/* The cursor's loop becomes two, and the cursor is at the second one. */
static void
part_at(ix_unit *u, ix_cursor *c, ilex_array *from)
{
    ix_stmt *loop = ix_cursor_loop(c), *head;
    ix_stmt *rest = ix_loop_rest(u, c->k, loop, from);
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo);
    head = ix_stmt_with(u, loop, IX_OPERANDS({1, &lo}, {1, &from}));
    head->body = loop->body;
    head->rest = rest->rest = ix_loop_has_iterations(loop);
    head->optional = rest->optional = true;
    rest->next = loop->next;
    head->next = rest;
    *c->at = head;
    c->at = &head->next;
}

ix_refusal
ix_loop_large(ix_unit *u, const ix_kernel *k, const char *name, int64_t bytes,
              ilex_array **large)
{
    ix_condition c;
    ix_text t;
    ix_text_init(&t, &u->mem);
    ix_text_format(&t, "bytes(%s) >= %lld", name, (long long)bytes);
    ix_refusal r = ix_condition_read(u, k, ix_text_string(&t), &c);
    *large = NULL;
    if (r.class != IX_REFUSAL_NONE || (c.form->n == 0 && c.form->c >= 0))
        return r;
    if (c.form->n == 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "%s has fewer bytes", name);
    /* a size of its own, whatever the lengths: such kernels share a function */
    bool sum = c.form->n > 1;
    const ix_lin *over = sum ? ix_lin_offset(u->ctx, c.form, 1) : c.form;
    over = sum ? ix_lin_quotient(u->ctx, over, bytes) : over;
    ilex_array *ops[2] = {ix_index_const(u->ctx, sum),
                          ix_index_lin(u->ctx, over)};
    *large = ix_scalar_op(u->ctx, IX_OP_LESS_EQUAL, ILEX_I64, ILEX_BOOL, ops);
    return r;
}

ix_refusal
ix_loop_align(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c);
    aligning x = {.u = u, .loop = loop, .buffer = ix_buffer_find(u, d->name)};
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    ilex_array *large = NULL;
    if (!ix_loop_is_plain(loop) || loop->step != 1 || loop->down)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (x.buffer < 0 || !is_known(&x))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it does not store elements of %s side by side, at "
                         "indices that are known before",
                         d->name);
    if (!ix_loop_has_room(u, c->k, 1, loop->body))
        return ix_refuse(u, IX_REFUSAL_SIZE, "two loops are too long");
    if (d->words)
        r = ix_loop_large(u, c->k, d->name, d->n, &large);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo),
               *hi = ix_loop_end(u, loop, IX_for_hi),
               *t = put_aside(&x, c, large);
    part_at(u, c, ix_index_min(u->ctx, hi, ix_index_fma(u->ctx, lo, 1, t)));
    return r;
}
