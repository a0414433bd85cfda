/* SPDX-License-Identifier: MIT
 *
 * The policy for scans. The last axis, along which memory is contiguous, stands
 * in the levels, for vector units (jam). A temporary that one iteration of the
 * free loops writes and reads alone is one iteration's (shrink); one that the
 * last scan alone uses is two rows in turn (fuse, shrink). A column of
 * levels is a chain in which each operation waits for the one before: where
 * levels are the last axis, the points of a strip of the loop around them go
 * side by side, and a vector unit takes them together (split, jam, prefetch).
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/schedule.h"

#include "compiler/lower/recurrence.h"

#include <stdio.h>

/* A strip has points of a vector, and so many at most: more lines would meet in
 * the same sets of a cache where columns are a power of two apart. A sum alone,
 * which costs 1, is done before the elements of some columns are brought
 * together. */
enum { MOST_POINTS = 8, SHORT_CHAIN = 1 };

/* ---- the last axis ---- */

/* With two axes the range would be divided inside of the levels, and which
 * check fails first depend on how. */
static bool
goes_inside(const ix_kernel *k)
{
    int rank = k->box->rank;
    return k->levels.axis < rank - 1 &&
           !(rank == 2 && ix_kernel_has(k, IX_HAS_CHECK));
}

/* The loop over the last axis, at the cursor, stands in the levels: each of
 * these has one then. False: it is done, or is not. */
static bool
put_inside(ix_unit *u, ix_cursor c)
{
    const ix_stmt *levels = ix_cursor_loop(&c)->body;
    ix_cursor two[2] = {c, c};
    if (levels->kind != IX_STMT_FOR || levels->next)
        return ix_schedule_at(u, &c, "jam LOOP");
    ix_cursor_enter(two);
    return ix_schedule_at(u, two, "reorder LOOP LOOP2");
}

void
ix_policy_levels(ix_unit *u, ix_cursor c)
{
    const ix_kernel *k = c.k;
    while (goes_inside(k) && *c.at && c.depth < IX_DEEP) {
        const ix_stmt *s = *c.at;
        ix_cursor inside = c;
        if (s->kind == IX_STMT_FOR && s->number == k->box->rank - 1 &&
            put_inside(u, c))
            continue;
        ix_cursor_enter(&inside);
        if (s->kind == IX_STMT_FOR && s->number < k->box->rank - 1 &&
            s->number != k->levels.axis)
            ix_policy_levels(u, inside);
        c.at = &(*c.at)->next;
    }
}

/* ---- how long a level takes ---- */

/* Is it a load from the level before? */
static bool
is_carried(const ix_kernel *k, const ilex_array *x)
{
    int axis = k->levels.axis;
    return x->kind == IX_LOAD && ix_nests_store(k->nests, x->attr[0]) &&
           (x->ops[axis]->kind != IX_INDEX || x->ops[axis]->attr[0] != axis);
}

/* How much an expression computes, one operation after the other, from what
 * the level before has; 0: nothing. */
static ix_walk_step
enter_chain(ix_walk *w, ilex_array *x, size_t *cost)
{
    *cost = is_carried(w->user, x);
    return x->kind == IX_LOAD ? IX_WALK_OVER : IX_WALK_IN;
}

static bool
leave_chain(ix_walk *w, ilex_array *x, const size_t *operand, size_t *cost)
{
    (void)w;
    for (int i = 0; i < x->nops; i++)
        *cost = operand[i] > *cost ? operand[i] : *cost;
    if (*cost && x->kind == IX_OP)
        *cost += (size_t)ix_op_cost(ix_op_of(x), ix_loop_of(x));
    return true;
}

/* A level takes as long as its chain, if that is longer than bringing the
 * operands of some columns together. */
static bool
is_long(ix_unit *u, ix_kernel *k)
{
    ix_walk w = {.ctx = u->ctx,
                 .mem = &u->mem,
                 .within = IX_HAS_LOAD,
                 .enter = enter_chain,
                 .leave = leave_chain,
                 .user = k};
    size_t most = 0;
    for (ix_stmt *nest = k->nests; nest; nest = nest->next)
        for (ix_stmt *s = ix_nest_body(nest); s; s = s->next) {
            size_t cost = 0;
            ix_walk_body(&w, ix_store_value(s), &cost);
            most = cost > most ? cost : most;
        }
    ix_walk_free(&w);
    return most > 1 + SHORT_CHAIN;
}

/* ---- which ---- */

static bool
goes_side_by_side(ix_unit *u, ix_kernel *k)
{
    int rank = k->box->rank;
    if (k->levels.axis != rank - 1 || rank < 2 ||
        ix_kernel_has(k, IX_HAS_CHECK))
        return false;
    int statements = 0;
    for (ix_stmt *nest = k->nests; nest; nest = nest->next) {
        if (!ix_nest_is_rectangular(nest, rank))
            return false;
        statements += ix_measure_nest(u, nest);
    }
    return 2 * statements <= IX_FUNCTION && is_long(u, k);
}

/* Points of a strip, a power of two. */
static int64_t
points_of(const ix_unit *u, const ix_kernel *k)
{
    const ix_stmt *store = ix_nest_body(k->nests);
    size_t bytes = ilex_dtype_bytes(u->buffer[store->buffer].dtype);
    int64_t points = u->target->vector_bytes / (int64_t)bytes;
    return points > MOST_POINTS ? MOST_POINTS : points;
}

/* ---- at the loop around the levels ---- */

/* The loop over levels in a list. */
static const ix_stmt *
levels_in(const ix_kernel *k, const ix_stmt *list)
{
    while (list && (list->kind != IX_STMT_FOR ||
                    !ix_is_part_of(k, list->number, k->levels.axis)))
        list = list->next;
    return list;
}

/* The free loop around levels, of several the first; false: there is none. */
static bool
find_around(ix_kernel *k, ix_cursor *c)
{
    *c = (ix_cursor){.k = k, .at = &k->body};
    for (; *c->at && c->depth < IX_DEEP; c->at = &(*c->at)->body) {
        while (*c->at && (*c->at)->kind != IX_STMT_FOR)
            c->at = &(*c->at)->next;
        if (!*c->at || levels_in(k, *c->at))
            return false;
        if (levels_in(k, (*c->at)->body))
            return true;
        c->around[c->depth++] = *c->at;
    }
    return false;
}

/* A directive with a number in it, for the loop at the cursor. */
static bool
carry(ix_unit *u, ix_cursor *c, const char *format, long long n)
{
    char text[64];
    snprintf(text, sizeof text, format, n);
    return ix_schedule_at(u, c, text);
}

/* Loops over levels ask for what the next strip reads. */
static void
prefetch_all(ix_unit *u, ix_cursor c)
{
    for (; *c.at && c.depth < IX_DEEP; c.at = &(*c.at)->next) {
        ix_cursor inside = c;
        if ((*c.at)->kind != IX_STMT_FOR || (*c.at)->parallel)
            continue;
        ix_cursor_enter(&inside);
        prefetch_all(u, inside);
        inside = c;
        if ((*c.at)->number == c.k->levels.axis)
            ix_schedule_at(u, &inside, "prefetch LOOP");
    }
}

/* ---- rows of the last scan ---- */

enum { PIECES = 4 }; /* loops over levels of a scan */

/* Does each level use of a buffer what it, or one beside it, has? */
static bool
is_of_levels(const ix_accesses *a, int axis, int buffer)
{
    bool is = true;
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *x = &a->item[i];
        if (x->buffer != buffer)
            continue;
        ix_index_form f;
        is &= !x->unknown && x->rank > axis;
        if (is)
            ix_index_form_of(x->index[axis], &f);
        is &= is && f.n == 1 && f.c >= -1 && f.c <= 1;
    }
    return is;
}

/* Is a buffer used in a loop? */
static bool
uses(const ix_accesses *a, const ix_stmt *loop, int buffer)
{
    bool found = false;
    for (size_t i = 0; i < a->n; i++)
        for (int d = 0; d < a->item[i].depth; d++)
            found |=
                a->item[i].buffer == buffer && a->item[i].around[d] == loop;
    return found;
}

/* The loops of levels in which alone a temporary is used, the first one of
 * which is the cursor's then; 0: others use it as well. */
static int
find_pieces(ix_unit *u, ix_cursor *c, int buffer)
{
    int n = 0;
    ix_stmt **behind = NULL; /* the piece before */
    ix_accesses a = ix_accesses_in(u, c->k, c->k->body);
    if (!is_of_levels(&a, c->k->levels.axis, buffer))
        return 0;
    for (ix_cursor next = *c; *next.at; next.at = &(*next.at)->next) {
        const ix_stmt *s = *next.at;
        if (!uses(&a, s, buffer))
            continue;
        if (s->kind != IX_STMT_FOR || s->number != c->k->levels.axis ||
            (n > 0 && s->down != (*c->at)->down) ||
            (n > 0 && next.at != behind) || n == PIECES)
            return 0;
        if (n++ == 0)
            *c = next;
        behind = &(*next.at)->next;
    }
    return n;
}

/* What levels of the last scan hand on, and others have no use for, is two rows
 * in turn: its pieces are one loop then. */
static void
keep_rows(ix_unit *u, ix_cursor c, int buffer)
{
    ix_cursor_enter(&c);
    int n = find_pieces(u, &c, buffer);
    for (int i = 1; i < n; i++) {
        ix_cursor two[2] = {c, c};
        two[1].at = &(*c.at)->next;
        if (!ix_schedule_at(u, two, "fuse LOOP LOOP2"))
            return;
    }
    char text[64];
    snprintf(text, sizeof text, "shrink b%d at LOOP window 2", buffer);
    if (n > 0)
        ix_schedule_at(u, &c, text);
}

void
ix_policy_scan(ix_unit *u, ix_kernel *k)
{
    ix_cursor c;
    if (!ix_recurrence_is_one(k->nests, k->nests, k->levels.axis) ||
        !find_around(k, &c))
        return;
    ix_policy_shrink(u, &c);
    for (int i = 0; i < (int)u->nbuffers && k->levels.axis < k->box->rank - 1;
         i++)
        if (u->buffer[i].own == k)
            keep_rows(u, c, i);
    if (goes_side_by_side(u, k) &&
        carry(u, &c, "split LOOP %lld peel", points_of(u, k)) &&
        ix_schedule_at(u, &c, "jam LOOP") && find_around(k, &c)) {
        ix_cursor_enter(&c);
        prefetch_all(u, c);
    }
}
