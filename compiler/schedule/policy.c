/* SPDX-License-Identifier: MIT
 *
 * The policy: which loops of a kernel are transformed, and how.
 */
#include "compiler/schedule/schedule.h"

/* Accumulators that become rows of a strip; points in an iteration that are no
 * reason for one, of 64; points of a strip, and of one of a column sum. */
enum { MOST_ROWS = 8, FEW = 24, STRIP = 64, WIDE = 1024 };

/* ---- reductions that a free loop shares ---- */

/* What stands in a free loop. */
typedef struct shared_search {
    ix_unit *u;
    const ix_kernel *k;
    int variable; /* of the free loop */
    int serial;   /* loops around what is looked at, */
    int element;  /* the variable of the innermost one over elements */
    int count;    /* accumulators that take in elements in a serial loop */
    bool along;   /* something is read as the free loop runs */
    bool row;     /* as the serial loop runs */
    bool chain;   /* an accumulator takes in products */
    bool sum;     /* or what is added in one order */
    bool lanes;   /* a reduction has them */
    bool complex; /* an accumulator is complex */
    bool other;   /* there are free loops inside */
} shared_search;

static bool
note_along(void *user, const ilex_array *load)
{
    shared_search *s = user;
    const ilex_array *last = load->nops ? load->ops[load->nops - 1] : NULL;
    s->along |= last && ix_scalar_uses_index(last, s->variable);
    s->row |= last && ix_scalar_uses_index(last, s->element);
    return !s->along;
}

/* Does a cell take in an element, or that or its position in place of what it
 * has? */
static bool
takes_in(ix_stmt *x)
{
    if (!x->mem || x->mem->scratch != IX_SCRATCH_CELL)
        return false;
    const ilex_array *v = x->kind == IX_STMT_STORE ? ix_store_value(x) : NULL;
    return x->kind == IX_STMT_UPDATE ||
           (v && v->kind == IX_OP && ix_op_of(v) == IX_OP_WHERE);
}

/* What stands in a serial loop. */
static void
look_at_element(shared_search *s, ix_stmt *x)
{
    if (takes_in(x)) {
        s->count++;
        s->chain |=
            x->kind == IX_STMT_UPDATE && ix_update_value(x)->kind == IX_PRODUCT;
        s->complex |= ix_dtype_is_complex((ilex_dtype)x->mem->dtype);
        s->sum |= !ix_dtype_is_exact((ilex_dtype)x->mem->dtype);
    }
    for (int i = 0; i < ix_operands_before(x, IX_GROUPS) && !s->along; i++)
        ix_body_loads(s->u, x->x[i], note_along, s);
}

static void
look_at_list(shared_search *s, ix_stmt *list)
{
    for (; list && !s->other; list = list->next) {
        bool serial = list->kind == IX_STMT_FOR && !list->parallel;
        s->lanes |= list->kind == IX_STMT_FOLD;
        int role =
            list->kind == IX_STMT_FOR ? s->k->variable[list->number].role : -1;
        s->other |= role == IX_VARIABLE_AXIS && list->parallel;
        if (s->serial)
            look_at_element(s, list);
        int element = s->element;
        if (serial && role == IX_VARIABLE_ELEMENT)
            s->element = list->number;
        s->serial += serial;
        look_at_list(s, list->body);
        s->serial -= serial;
        s->element = element;
        look_at_list(s, list->other);
    }
}

/* Does a row take in elements one after the other, at the same points? What
 * is left of a loop does, too, but is short. */
static bool
takes_in_rows(const ix_kernel *k, const ix_stmt *loop)
{
    const ix_stmt *points = loop->body;
    if (loop->kind != IX_STMT_FOR || loop->step != 1 || loop->parallel ||
        !points || k->variable[loop->number].role == IX_VARIABLE_TAIL ||
        points->kind != IX_STMT_FOR || !points->parallel || points->next ||
        !points->body || points->body->kind != IX_STMT_UPDATE ||
        points->body->next)
        return false;
    for (int i = 0; i < ix_operands_before(points, IX_GROUPS); i++)
        if (ix_scalar_uses_index(points->x[i], loop->number))
            return false;
    return true;
}

/* Where there are no registers for vectors a function takes in a chain of
 * products of what is loaded, all elements at once (emit_chains.c). */
static bool
has_function(ix_unit *u, const ix_stmt *update)
{
    const ilex_array *x = ix_update_value(update);
    if (x->kind != IX_PRODUCT || u->target->grid)
        return false;
    for (int i = 0; i < 2; i++)
        if (x->ops[i]->kind != IX_LOAD ||
            ix_dtype_is_complex((ilex_dtype)x->ops[i]->dtype))
            return false;
    u->asks_registers = true;
    return u->target->vector_registers == 0;
}

/* A row that takes in several elements at once is read and written once. */
static void
take_in_several(ix_unit *u, ix_cursor c)
{
    for (; *c.at && c.depth + 2 < IX_DEEP; c.at = &(*c.at)->next) {
        if (!ix_stmt_has_loop(*c.at))
            continue;
        ix_cursor two[2] = {c, c};
        ix_cursor_enter(two);
        if (!takes_in_rows(c.k, *c.at)) {
            take_in_several(u, *two);
            continue;
        }
        if (has_function(u, (*c.at)->body->body))
            continue;
        bool wide = ix_loop_most(u, (*c.at)->body) > STRIP;
        if (!ix_schedule_at(u, &two[1],
                            wide ? "split LOOP 8 peel" : "split LOOP 4 peel"))
            continue;
        two[0] = two[1];
        ix_cursor_enter(two);
        if (ix_schedule_at(u, two, "reorder LOOP LOOP2")) {
            two->at = &(*two[1].at)->body;
            ix_schedule_at(u, two, "unroll LOOP");
        }
    }
}

/* Is it one sum over the rows of a matrix, which may have more than a few? It
 * waits for the memory, which is fast if read by whole pages. */
static bool
is_column(const shared_search *s, const ix_stmt *loop)
{
    const ix_domain *box = s->k->box;
    const ix_axis *ax =
        loop->number < box->rank ? &box->ax[loop->number] : NULL;
    const ix_lin *n = ax ? ix_lin_try_fma(s->u->ctx, ax->hi, -1, ax->lo) : NULL;
    if (s->count != 1 || s->chain || s->lanes || s->complex ||
        (n &&
         ix_lin_le(s->u->ctx, n, ix_lin_const(s->u->ctx, STRIP)) == IX_YES))
        return false;
    s->u->asks_registers = true;
    return s->u->target->vector_registers != 0;
}

/* A sum over the rows of a matrix, or a matrix product, reads along its rows if
 * the free index runs innermost; lanes of the points then lie side by side. A
 * chain gains as well where no operand is read along: a few at a time hide how
 * long an addition takes, and so few rows stay in the cache, but not where a
 * reduction's range follows it, and so the length of each strip. Of what has no
 * products it is rows in another order of axes than the program's. */
static const char *
strips(const shared_search *s, const ix_stmt *loop)
{
    if (s->other || s->count > MOST_ROWS || (s->count == 0 && !s->lanes))
        return NULL;
    if (s->along)
        return is_column(s, loop) ? "split LOOP 1024 min" : "split LOOP 64 min";
    if (s->lanes || s->k->variable[s->variable].role == IX_VARIABLE_TAIL)
        return NULL;
    return s->chain           ? "split LOOP 8 min"
           : s->row && s->sum ? "split LOOP 8 peel"
                              : NULL;
}

static void
share_reductions(ix_unit *u, ix_cursor *c)
{
    const ix_stmt *loop = ix_cursor_loop(c);
    shared_search s = {
        .u = u, .k = c->k, .variable = loop->number, .element = -1};
    look_at_list(&s, loop->body);
    const char *split = strips(&s, loop);
    if (split && ix_loop_jams(u, c, s.along ? FEW : INT64_MAX) &&
        ix_schedule_at(u, c, split))
        ix_schedule_at(u, c, "jam LOOP");
}

/* ---- all loops ---- */

/* False if a directive made all statements anew, so that no cursor holds. */
static bool
each_loop(ix_unit *u, ix_cursor c)
{
    const ix_stmt *body = c.k->body;
    for (; *c.at; c.at = &(*c.at)->next) {
        ix_stmt *s = *c.at;
        if (c.depth == IX_DEEP || !ix_stmt_has_loop(s))
            continue;
        ix_cursor inside = c;
        ix_cursor_enter(&inside);
        if (!each_loop(u, inside))
            return false;
        inside.at = &s->other;
        if (!each_loop(u, inside))
            return false;
        inside = c;
        if (s->kind == IX_STMT_FOR && s->parallel)
            share_reductions(u, &inside);
        if (c.k->body != body && c.at != &c.k->body)
            return false;
        body = c.k->body;
    }
    return true;
}

/* Loops over the quotients of indices, outermost ones first; for a grid those
 * over levels. */
static void
mine_all(ix_unit *u, ix_cursor c)
{
    for (; *c.at && c.depth < IX_DEEP; c.at = &(*c.at)->next) {
        ix_cursor inside = c;
        if (!ix_stmt_has_loop(*c.at))
            continue;
        bool wanted = (*c.at)->kind == IX_STMT_FOR &&
                      !(u->target->grid && (*c.at)->parallel);
        if (wanted && ix_loop_mines(u, &c)) {
            ix_schedule_at(u, &inside, "mine LOOP");
            continue;
        }
        ix_cursor_enter(&inside);
        mine_all(u, inside);
        inside.at = &(*c.at)->other;
        mine_all(u, inside);
    }
}

/* What is one's of an iteration of the loop that threads divide. */
static void
shrink_rows(ix_unit *u, ix_kernel *k)
{
    ix_cursor c;
    const ix_stmt *rows = ix_kernel_outermost(k);
    if (rows && ix_cursor_at(k, rows, &c))
        ix_policy_shrink(u, &c);
}

void
ix_policy(ix_unit *u, ix_kernel *k)
{
    const ix_cursor all = {.k = k, .at = &k->body};
    bool grid = u->target->grid, levels = ix_kernel_has_levels(k) && !grid;
    if (!levels && (ix_policy_product(u, k) || ix_policy_transpose(u, k)))
        return;
    if (levels)
        ix_policy_levels(u, all);
    else if (!grid)
        shrink_rows(u, k);
    /* which check fails first does not depend on chunks */
    if (ix_kernel_divides(u, k) && !(grid && ix_kernel_has(k, IX_HAS_CHECK)))
        mine_all(u, all);
    if (levels)
        ix_policy_scan(u, k);
    while (!grid && !each_loop(u, all))
        ;
    take_in_several(u, all);
    if (!grid && (levels || !ix_policy_functions(u, k)))
        ix_policy_stream(u, k);
}
