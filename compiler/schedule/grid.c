/* SPDX-License-Identifier: MIT
 *
 * The policy for a target with a grid: the points of each nest are threads, as
 * far as loops are independent, and rectangular where they become one; of the
 * levels of a scan, its chunks. What is no such nest is one thread's.
 */
#include "compiler/schedule/schedule.h"

#include "compiler/loop/distances.h"
#include "compiler/loop/group.h"

#include <stdio.h>

/* Are its iterations those of threads? That chunks are independent is not
 * known before it is asked. */
static bool
is_spread(ix_unit *u, const ix_cursor *c)
{
    const ix_stmt *s = ix_cursor_loop(c);
    if (s->kind != IX_STMT_FOR || s->how != IX_SERIAL)
        return false;
    if (c->k->variable[s->number].role == IX_VARIABLE_QUOTIENT)
        ix_loop_independent(u, c);
    return s->parallel;
}

/* Follow bounds of a loop that becomes one with others those that are around,
 * where loops are along so many dimensions? */
static bool
is_bounded_by_others(const ix_cursor *c, int n, int dims)
{
    bool follows = false;
    int several = ix_kernel_has(c->k, IX_HAS_CHECK) ? n : n - dims + 1;
    for (int i = 0; i < several; i++)
        follows |= ix_stmt_has(ix_cursor_loop(&c[i]), IX_HAS_INDEX);
    return follows;
}

/* The loops of the nest at the cursor that are spread, outermost first. */
static int
find_spread(ix_unit *u, ix_cursor at, ix_cursor *c)
{
    int n = 0;
    while (n < IX_MOST_LOOPS && is_spread(u, &at)) {
        c[n++] = at;
        ix_cursor_enter(&at);
        if ((*at.at)->next)
            break;
    }
    while (n > 0 && is_bounded_by_others(c, n, IX_GRID_DIMS))
        n--;
    return n;
}

/* Chunks stand around the loop over the last axis, along which neighbouring
 * threads find elements beside each other. */
static bool
puts_last_inside(ix_unit *u, const ix_cursor *c, int n)
{
    const ix_kernel *k = c->k;
    if (n < 2)
        return false;
    int inner = ix_cursor_loop(&c[n - 1])->number,
        outer = ix_cursor_loop(&c[n - 2])->number;
    ix_cursor two[2] = {c[n - 1], c[n - 2]};
    return k->variable[inner].role == IX_VARIABLE_QUOTIENT &&
           ix_variable_root(k, inner) < ix_variable_root(k, outer) &&
           ix_schedule_at(u, two, "reorder LOOP LOOP2");
}

/* Can groups do the points of "n" loops, which are all that is in the kernel?
 */
static bool
suits_groups(ix_unit *u, const ix_cursor *c, int n)
{
    const ix_stmt *nest = ix_cursor_loop(c);
    return *ix_grid_begin(c->k) == nest && !nest->next &&
           !is_bounded_by_others(c, n, IX_GRID_DIMS - 1) &&
           ix_group_suits(u, c->k, ix_cursor_loop(&c[n - 1])->body);
}

/* Can blocks? */
static bool
suits_blocks(ix_unit *u, const ix_cursor *c, int n)
{
    const ix_stmt *nest = ix_cursor_loop(c);
    return *ix_grid_begin(c->k) == nest && !nest->next &&
           !is_bounded_by_others(c, n, IX_GRID_DIMS) &&
           ix_block_suits(u, c->k, ix_cursor_loop(&c[n - 1])->body);
}

/* ---- lanes ---- */

typedef struct reading {
    int variable;
    bool any, along;
} reading;

static bool
note_along(void *user, const ilex_array *load)
{
    reading *r = user;
    r->any = true;
    r->along |= load->nops > 0 &&
                ix_scalar_uses_index(load->ops[load->nops - 1], r->variable);
    return true;
}

/* Does a reduction read elements that lie side by side, or none? */
static bool
reads_along(ix_unit *u, const ix_kernel *k, const ix_stmt *s)
{
    reading r = {.variable = s->number};
    if (k->variable[s->number].role != IX_VARIABLE_ELEMENT || s->parallel ||
        !ix_stmt_is_innermost(s) || ix_loop_is_short(u, s))
        return false;
    ix_stmt_loads(u, s->body, note_along, &r);
    return r.along || !r.any;
}

/* Reductions of which no order changes a bit get lanes, too. */
static bool
take_in_lanes(ix_unit *u, ix_cursor c)
{
    enum { LANES = 2 * IX_GROUP_THREADS };
    char text[32];
    bool any = false;
    snprintf(text, sizeof text, "lanes LOOP %d", LANES);
    for (; *c.at && c.depth + 1 < IX_DEEP; c.at = &(*c.at)->next) {
        ix_cursor inside = c;
        if (!ix_stmt_has_loop(*c.at))
            continue;
        if ((*c.at)->kind == IX_STMT_FOR && reads_along(u, c.k, *c.at)) {
            any |= ix_schedule_at(u, &inside, text);
            continue;
        }
        ix_cursor_enter(&inside);
        any |= take_in_lanes(u, inside);
    }
    return any;
}

/* Could groups do what the kernel does, which is one nest or one point? */
static bool
is_for_groups(ix_unit *u, ix_kernel *k)
{
    ix_cursor at = {.k = k, .at = ix_grid_begin(k)}, c[IX_MOST_LOOPS];
    int n = *at.at ? find_spread(u, at, c) : 0;
    return n ? suits_groups(u, c, n) : ix_group_suits(u, k, k->body);
}

/* Groups read what lies side by side; where they cannot, lanes would be a
 * thread's. */
static void
give_lanes(ix_unit *u, ix_kernel *k)
{
    ix_attempt a = ix_attempt_begin(u, k);
    if (!take_in_lanes(u, (ix_cursor){.k = k, .at = &k->body}) ||
        !is_for_groups(u, k))
        ix_attempt_undo(k, &a);
}

/* ---- the grid ---- */

static void
spread(ix_unit *u, ix_cursor at)
{
    ix_cursor c[IX_MOST_LOOPS];
    char text[8 * IX_MOST_LOOPS] = "grid";
    int n = find_spread(u, at, c);
    if (puts_last_inside(u, c, n))
        n = find_spread(u, at, c);
    if (n && suits_groups(u, c, n))
        strcat(text, " group");
    else if (n && suits_blocks(u, c, n))
        strcat(text, " block");
    for (int i = 0; i < n; i++)
        strcat(text, " LOOP");
    if (n)
        ix_schedule_at(u, c, text);
}

static bool
is_spread_already(const ix_stmt *list)
{
    while (list && list->how != IX_GRID)
        list = list->next;
    return list != NULL;
}

/* A list as a loop of one point: of all threads along a dimension one does it.
 */
static ix_stmt *
for_one(ix_unit *u, ix_kernel *k, ix_stmt *list, int dim)
{
    ix_stmt *one =
        ix_stmt_for(u, ix_kernel_variable(u, k, IX_VARIABLE_GRID),
                    ix_index_const(u->ctx, 0), ix_index_const(u->ctx, 1));
    one->how = IX_GRID;
    one->dim = (uint8_t)dim;
    one->array = list->array;
    one->body = list;
    return one;
}

/* What writes buffers and is not spread becomes a loop of one point, of a
 * thread or of a group; all that there is if nothing is spread. */
static void
leave_to_one(ix_unit *u, ix_kernel *k)
{
    bool any = is_spread_already(k->body);
    ix_stmt *rest = NULL, **tail = &rest;
    ix_stmt **at = any ? ix_grid_begin(k) : &k->body;
    while (*at) {
        ix_stmt *s = *at;
        if (any && (s->how == IX_GRID || s->kind == IX_STMT_LET)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = NULL;
        *tail = s;
        tail = &s->next;
    }
    if (!rest)
        return;
    bool group = !any && ix_group_suits(u, k, rest);
    if (group)
        ix_group_mark(u, k, rest);
    *at = for_one(u, k, rest, group);
}

/* How many dimensions of the grid a nest has loops along: the first ones. */
static int
count_dims(const ix_stmt *s)
{
    return s->how == IX_GRID ? s->dim + 1 : 0;
}

/* Threads that differ along more dimensions than a nest has loops would do the
 * same: one of them does it, as a loop of one point says. */
static void
even_out(ix_unit *u, ix_kernel *k)
{
    int dims = 0;
    for (const ix_stmt *s = k->body; s; s = s->next)
        dims = count_dims(s) > dims ? count_dims(s) : dims;
    for (ix_stmt **at = &k->body; *at; at = &(*at)->next)
        for (int dim = count_dims(*at); dim && dim < dims; dim++) {
            ix_stmt *one = for_one(u, k, *at, dim);
            one->next = (*at)->next;
            (*at)->next = NULL;
            *at = one;
        }
}

void
ix_policy_grid(ix_unit *u, ix_kernel *k)
{
    give_lanes(u, k);
    for (ix_cursor c = {.k = k, .at = &k->body}; *c.at; c.at = &(*c.at)->next)
        if ((*c.at)->kind == IX_STMT_FOR && (*c.at)->how == IX_SERIAL)
            spread(u, c);
    leave_to_one(u, k);
    even_out(u, k);
}
