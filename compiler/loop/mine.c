/* SPDX-License-Identifier: MIT
 *
 * mine L: a loop whose statements divide its index by a constant, as the levels
 * of a scan in chunks do, becomes one over quotients around one over the
 * indices of each, and where a condition asks whether there is a rest, the
 * first of them has a loop of its own:
 *
 *     for c0 in [0, (n - 1) // 4096 + 1)
 *         for i0 in [4096*c0, min(4096*c0 + 1, n))
 *             b1[i0] = b0[i0]
 *         for i0 in [4096*c0 + 1, min(4096*c0 + 4096, n))
 *             b1[i0] = b1[i0 - 1] + b0[i0]
 */
#include "compiler/loop/loop.h"

/* Shorter strips are not worth a loop. */
enum { LEAST = 16 };

/* The quotient (+-index + rest) // by. */
typedef struct quotient {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    ilex_array *node; /* NULL: none */
    bool several;     /* or one that depends on a loop inside */
    int sign;
    int64_t by;
    ilex_array *rest;
} quotient;

/* ---- the quotient of a loop ---- */

static bool
is_other_loop(void *user, ix_stmt *s)
{
    return s->kind != IX_STMT_FOR || s->number != *(const int64_t *)user;
}

/* Loops around are numbered, too: is it one of them, or a size? */
static bool
is_known_outside(const quotient *q, const ilex_array *atom)
{
    int64_t index = atom->attr[0];
    return atom->kind == IX_SIZE ||
           (atom->kind == IX_INDEX &&
            ix_stmt_each(q->loop->body, is_other_loop, &index));
}

/* Notes what "n" divides, if the loop's index is a part of it. */
static void
note_quotient(quotient *q, ilex_array *n)
{
    ilex_context *ctx = q->u->ctx;
    ilex_array *index = ix_scalar_index(ctx, q->loop->number);
    ix_index_form f;
    int sign = 0;
    bool fits = true;
    ix_index_form_of(n->ops[0], &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom == index)
            sign = f.t[i].k == 1 ? 1 : f.t[i].k == -1 ? -1 : 2;
        else
            fits &= is_known_outside(q, f.t[i].atom);
    if (sign == 0 || n == q->node)
        return;
    q->several |= q->node || sign == 2 || !fits;
    q->node = n;
    q->sign = sign;
    q->by = n->ops[1]->attr[0];
    q->rest = ix_index_fma(ctx, n->ops[0], -sign, index);
}

static bool
is_quotient(const ilex_array *x)
{
    return ix_index_is_quotient(x) && x->ops[1]->attr[0] >= LEAST;
}

static ix_walk_step
enter(ix_walk *w, ilex_array *x, size_t *value)
{
    (void)value;
    if (is_quotient(x))
        note_quotient(w->user, x);
    return IX_WALK_IN;
}

/* Only stores, with loops and branches around them, are copied. */
static bool
note_stmt(void *user, ix_stmt *s)
{
    ix_walk *w = user;
    quotient *q = w->user;
    bool cell = s->kind == IX_STMT_SCRATCH && s->scratch == IX_SCRATCH_CELL;
    q->several |= s->kind != IX_STMT_FOR && s->kind != IX_STMT_IF &&
                  s->kind != IX_STMT_STORE && s->kind != IX_STMT_FETCH && !cell;
    return ix_stmt_walk(w, s);
}

/* Strips come in the order of the loop if quotients grow as it goes. */
static bool
is_in_order(const quotient *q)
{
    return q->loop->parallel || (q->sign < 0) == q->loop->down;
}

static bool
find(quotient *q)
{
    ix_walk w = {
        .ctx = q->u->ctx, .mem = &q->u->mem, .enter = enter, .user = q};
    if (q->loop->how == IX_SERIAL && q->loop->step == 1 &&
        !ix_for_while(q->loop))
        ix_stmt_each(q->loop->body, note_stmt, &w);
    ix_walk_free(&w);
    return q->node && !q->several;
}

/* ---- the body at a quotient that is known ---- */

typedef struct strip {
    const quotient *q;
    ilex_array *c;     /* the variable that the quotient is */
    ilex_array *first; /* sign*index + rest - by*c, 0 at the first */
    bool at_first;
    bool asked; /* there is a condition on that */
} strip;

/* Where "first" is the difference of what a comparison for equality compares,
 * or its opposite, the value of that. */
static ilex_array *
decided(strip *s, ilex_array *n)
{
    ilex_context *ctx = s->q->u->ctx;
    ilex_array *d = ix_index_try_fma(ctx, n->ops[0], -1, n->ops[1]);
    ilex_array *zero = ix_index_const(ctx, 0);
    if (!d || (d != s->first && ix_index_try_fma(ctx, zero, -1, d) != s->first))
        return n;
    s->asked = true;
    bool yes = s->at_first == (ix_op_of(n) == IX_OP_EQUAL);
    return ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = yes});
}

static ilex_array *
rewrite(void *user, ilex_array *n)
{
    strip *s = user;
    if (n == s->q->node)
        return s->c;
    if (ix_is_index_condition(n) &&
        (ix_op_of(n) == IX_OP_EQUAL || ix_op_of(n) == IX_OP_NOT_EQUAL))
        return decided(s, n);
    return ix_scalar_decided(s->q->u->ctx, n);
}

/* Is it a cell that is stored once, behind which its value is the same? */
static bool
is_value(ix_unit *u, const ix_stmt *cell)
{
    const ix_stmt *store = cell->next, *rest = store ? store->next : NULL;
    return cell->kind == IX_STMT_SCRATCH && rest &&
           store->kind == IX_STMT_STORE && store->mem &&
           store->mem->number == cell->number &&
           (!rest->next ||
            ix_body_loads(u, ix_store_value(store), ix_load_is_constant, u));
}

/* The list with values in the places of such cells, which decided branches have
 * left. */
static ix_stmt *
without_cells(ix_unit *u, ix_stmt *list)
{
    ix_stmt *first = NULL, **tail = &first;
    while (list) {
        if (is_value(u, list)) {
            ix_substitution s = {.ctx = u->ctx,
                                 .mem = &u->mem,
                                 .became = ix_made_keep,
                                 .user = u};
            ix_substitution_set(&s, ix_value_of(u, list),
                                ix_store_value(list->next));
            list = ix_stmt_substitute(u, &s, list->next->next);
            ix_substitution_free(&s);
            continue;
        }
        *tail = list;
        tail = &list->next;
        list = list->next;
    }
    return first;
}

static bool
defines_nothing(void *user, ix_stmt *s)
{
    (void)user;
    return !ix_stmt_defines(s);
}

/* Is a bound of the loop that of a strip for all sizes, so that no other one
 * is needed there? */
static bool
is_bound_of_strip(const quotient *q, int group)
{
    ix_index_form f;
    ilex_array *bound = ix_first_operand(q->loop, group);
    ix_index_form_of(ix_index_fma(q->u->ctx, q->rest, q->sign, bound), &f);
    return q->loop->n[group] == 1 && f.n == 0 &&
           (f.c + (q->sign < 0)) % q->by == 0;
}

/* The loop over the indices with quotient c from the "from"-th to before the
 * "to"-th of them, in the order of quotients. */
static ix_stmt *
loop_of(strip *s, int64_t from, int64_t to)
{
    const quotient *q = s->q;
    ix_unit *u = q->u;
    ilex_context *ctx = u->ctx;
    ilex_array *zero = ix_index_const(ctx, 0);
    /* by*c - rest, or rest - by*c, where sign*index + rest is by*c */
    ilex_array *at = ix_index_fma(
        ctx, ix_index_fma(ctx, zero, -q->sign, q->rest), q->sign * q->by, s->c);
    bool first = q->sign > 0 && is_bound_of_strip(q, IX_for_lo);
    bool last = q->sign < 0 && is_bound_of_strip(q, IX_for_hi);
    ix_stmt *loop = ix_stmt_bound_by(
        u, q->loop, IX_for_lo,
        ix_index_offset(ctx, at, q->sign > 0 ? from : 1 - to), first);
    loop = ix_stmt_bound_by(
        u, loop, IX_for_hi,
        ix_index_offset(ctx, at, q->sign > 0 ? to : 1 - from), last);
    loop->optional = true;
    loop->rest = false;
    s->at_first = from == 0 && to == 1;
    ix_substitution sub = {.ctx = ctx,
                           .mem = &u->mem,
                           .rewrite = rewrite,
                           .became = ix_made_keep,
                           .user = s,
                           .listener = u};
    loop->body = without_cells(
        u, ix_stmts_decided(ix_stmt_substitute(u, &sub, q->loop->body)));
    ix_substitution_free(&sub);
    if (!s->at_first && !ix_stmt_each(loop->body, defines_nothing, NULL))
        loop->body = ix_stmt_clone(u, q->k, loop->body);
    return loop;
}

/* (sign*index + rest) // by where the index is "at". */
static ilex_array *
quotient_at(const quotient *q, ilex_array *at)
{
    ilex_context *ctx = q->u->ctx;
    return ix_index_floordiv(ctx, ix_index_fma(ctx, q->rest, q->sign, at),
                             q->by);
}

/* The loop over quotients around those over their indices. */
static ix_stmt *
mined(const quotient *q)
{
    ix_unit *u = q->u;
    ilex_context *ctx = u->ctx;
    const ix_stmt *loop = q->loop;
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo);
    ilex_array *last =
        ix_index_offset(ctx, ix_loop_end(u, loop, IX_for_hi), -1);
    ilex_array *from = quotient_at(q, q->sign > 0 ? lo : last);
    ilex_array *to =
        ix_index_offset(ctx, quotient_at(q, q->sign > 0 ? last : lo), 1);
    ix_stmt *outer = ix_stmt_for(
        u, ix_kernel_part(u, q->k, IX_VARIABLE_QUOTIENT, loop->number), from,
        to);
    strip s = {.q = q, .c = ix_scalar_index(ctx, outer->number)};
    ilex_array *t =
        ix_index_fma(ctx, q->rest, q->sign, ix_scalar_index(ctx, loop->number));
    s.first = ix_index_fma(ctx, t, -q->by, s.c);
    outer->parallel = loop->parallel;
    outer->optional = true;
    outer->array = loop->array;
    outer->body = loop_of(&s, 0, 1);
    if (s.asked)
        outer->body->next = loop_of(&s, 1, q->by);
    else
        outer->body = loop_of(&s, 0, q->by);
    return outer;
}

/* ---- the loop ---- */

static ix_walk_step
enter_any(ix_walk *w, ilex_array *x, size_t *value)
{
    (void)value;
    if (!is_quotient(x))
        return IX_WALK_IN;
    *(bool *)w->user = true;
    return IX_WALK_END;
}

bool
ix_kernel_divides(ix_unit *u, const ix_kernel *k)
{
    bool found = false;
    ix_walk w = {.ctx = u->ctx,
                 .mem = &u->mem,
                 .within = IX_HAS_INDEX,
                 .enter = enter_any,
                 .user = &found};
    ix_stmt_each(k->body, ix_stmt_walk, &w);
    ix_walk_free(&w);
    return found;
}

bool
ix_loop_mines(ix_unit *u, const ix_cursor *c)
{
    quotient q = {.u = u, .k = c->k, .loop = ix_cursor_loop(c)};
    return find(&q) && is_in_order(&q);
}

ix_refusal
ix_loop_mine(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    quotient q = {.u = u, .k = c->k, .loop = ix_cursor_loop(c)};
    (void)d;
    if (!find(&q))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "its statements have not one quotient of its index");
    if (!is_in_order(&q))
        return ix_refuse(u, IX_REFUSAL_DISTANCE,
                         "quotients do not come in the order of its levels");
    ix_stmt *after = ix_cursor_loop(c)->next;
    *c->at = mined(&q);
    (*c->at)->next = after;
    return (ix_refusal){0};
}
