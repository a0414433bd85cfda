/* SPDX-License-Identifier: MIT
 *
 * Groups of a grid: 16 threads do a point together. The lanes of its reductions
 * are theirs, lane j of thread j % 16, so that neighbours read side by side; so
 * are the iterations of loops that store. What they do else they all do, and
 * one of them stores.
 *
 *     l[32]                          l[32] spread
 *     for j in [0, 32)               for j in [0, 32) group
 *         l[j] = x[i, j + 32*r]          l[j] = x[i, j + 32*r]
 *     fold l into a                  fold l into a
 *     for k in [0, n)                for k in [0, n) group
 *         y[i, k] = x[i, k] - a          y[i, k] = x[i, k] - a
 *
 * needs: lanes that loops over them alone write, each its own one, and that are
 * folded; no other loop in these; stores in loops whose iterations wait for no
 * other, or beside all loops of the point. All threads of a group take the same
 * way, so all are there when lanes are folded, and where one waits for what
 * others have stored (pass fences).
 */
#include "compiler/loop/group.h"
#include "compiler/loop/distances.h"

typedef struct grouping {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *body; /* of a point */
    const ix_stmt *loop; /* over lanes, around what is looked at */
    int64_t lanes;       /* of that; 0: none is known */
    bool any;
    const char *why; /* it cannot be; or NULL */
} grouping;

/* ---- lanes ---- */

bool
ix_list_has_about(const ix_stmt *list, ix_stmt_kind kind, int number)
{
    for (const ix_stmt *s = list; s; s = s->next) {
        const ix_stmt *about = kind == IX_STMT_FOLD ? s->from : s;
        if ((s->kind == kind && about->number == number) ||
            ix_list_has_about(s->body, kind, number) ||
            ix_list_has_about(s->other, kind, number))
            return true;
    }
    return false;
}

/* Is it an array of the point's that is folded, with as many lanes for each
 * thread, of numbers that threads can exchange? */
static bool
is_lanes(const grouping *g, const ix_stmt *scratch)
{
    if (!scratch || scratch->kind != IX_STMT_SCRATCH || scratch->buffer >= 0 ||
        scratch->scratch != IX_SCRATCH_ARRAY)
        return false;
    return scratch->extent % IX_GROUP_THREADS == 0 &&
           ix_list_has_about(g->body, IX_STMT_FOLD, scratch->number) &&
           ix_list_has_about(g->body, IX_STMT_SCRATCH, scratch->number);
}

/* ---- loops over them ---- */

static bool
refuse(grouping *g, const char *why)
{
    g->why = why;
    return false;
}

/* Is it the lane that has the number of the loop's iteration? */
static bool
is_own_lane(const ix_stmt *loop, const ix_stmt *s)
{
    const ilex_array *at = ix_first_operand(s, IX_INDICES);
    return (s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE) && at &&
           at->kind == IX_INDEX && at->attr[0] == loop->number;
}

static bool
is_elsewhere(void *user, ix_stmt *s)
{
    const grouping *g = user;
    return !is_lanes(g, s->mem);
}

/* Whether there is such a statement in it. */
static bool
has_lanes(grouping *g, ix_stmt *loop)
{
    return !ix_stmt_each(loop->body, is_elsewhere, g);
}

/* What stands in a loop over lanes. */
static bool
look_in_loop(void *user, ix_stmt *s)
{
    grouping *g = user;
    bool writes = s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE;
    if (s->kind == IX_STMT_FOR || s->kind == IX_STMT_CHECK ||
        s->kind == IX_STMT_FOLD || s->kind == IX_STMT_SCRATCH)
        return refuse(g, "a loop over lanes has more in it than these");
    if (ix_stmt_has(s, IX_HAS_CHECK))
        return refuse(g, "an index of a lane is checked, and others wait");
    if ((writes || s->mem) &&
        (!is_lanes(g, s->mem) || !is_own_lane(g->loop, s)))
        return refuse(g, "a loop over lanes writes something else");
    if (writes && g->lanes && g->lanes != s->mem->extent)
        return refuse(g, "a loop writes lanes of different numbers");
    if (writes)
        g->lanes = s->mem->extent;
    return true;
}

/* ---- loops over points ---- */

/* Does a list store elements of a buffer, in no loop? */
static bool
stores(const ix_stmt *list)
{
    for (const ix_stmt *s = list; s; s = s->next)
        if ((s->buffer >= 0 &&
             (s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE)) ||
            (s->kind == IX_STMT_IF && (stores(s->body) || stores(s->other))))
            return true;
    return false;
}

/* What a thread does alone must be no other's, and not end before others. */
static bool
look_in_points(void *user, ix_stmt *s)
{
    grouping *g = user;
    if (s->kind == IX_STMT_FOLD || (s->mem && is_lanes(g, s->mem)))
        return refuse(g, "a loop that stores has lanes in it");
    if (s->kind == IX_STMT_CHECK || ix_stmt_has(s, IX_HAS_CHECK))
        return refuse(g, "an index is checked in a loop that stores, and "
                         "others wait");
    return true;
}

static bool
look_at_points(grouping *g, ix_stmt *s)
{
    ix_cursor c;
    if (!ix_loop_is_plain(s) || s->step != 1 || s->down)
        return refuse(g, "a loop that stores is none over points, in order");
    if (!ix_cursor_at(g->k, s, &c) || ix_loop_independent(g->u, &c).class)
        return refuse(g, "iterations of a loop that stores wait for others");
    return ix_stmt_each(s->body, look_in_points, g);
}

/* ---- what all threads do ---- */

static bool look_at_list(grouping *g, ix_stmt *list);

static bool
look_at_loop(grouping *g, ix_stmt *s)
{
    bool plain =
        s->how == IX_SERIAL && s->step == 1 && !s->down && !ix_for_while(s);
    if (stores(s->body))
        return look_at_points(g, s);
    if (!has_lanes(g, s) || !ix_stmt_is_innermost(s))
        return look_at_list(g, s->body);
    if (!plain)
        return refuse(g, "a loop over lanes is none over each, in order");
    g->loop = s;
    g->lanes = 0;
    g->any = true;
    return ix_stmt_each(s->body, look_in_loop, g);
}

static bool
look_at(grouping *g, ix_stmt *s)
{
    switch (s->kind) {
    case IX_STMT_FOR:
        return look_at_loop(g, s);
    case IX_STMT_IF:
        return look_at_list(g, s->body) && look_at_list(g, s->other);
    case IX_STMT_FETCH:
    case IX_STMT_FENCE:
    case IX_STMT_ASIDE:
        return refuse(g, "memory is asked for");
    case IX_STMT_UPDATE:
        if (s->buffer >= 0)
            return refuse(g, "it updates an element for all threads");
        break;
    default:
        break;
    }
    return !s->mem || !is_lanes(g, s->mem) ||
           refuse(g, "lanes are used outside of a loop over them");
}

static bool
look_at_list(grouping *g, ix_stmt *list)
{
    for (ix_stmt *s = list; s; s = s->next)
        if (!look_at(g, s))
            return false;
    return true;
}

/* ---- */

ix_refusal
ix_group_look(ix_unit *u, ix_kernel *k, ix_stmt *body)
{
    grouping g = {.u = u, .k = k, .body = body};
    if (look_at_list(&g, body) && !g.any)
        g.why = "there are no reductions in lanes";
    return g.why ? ix_refuse(u, IX_REFUSAL_SHAPE, "%s", g.why)
                 : (ix_refusal){IX_REFUSAL_NONE, NULL};
}

bool
ix_group_suits(ix_unit *u, ix_kernel *k, ix_stmt *body)
{
    return ix_group_look(u, k, body).class == IX_REFUSAL_NONE;
}

static void mark(grouping *g, ix_stmt *list);

static void
mark_loop(grouping *g, ix_stmt *s)
{
    if (stores(s->body)) {
        s->how = IX_GROUP;
        s->dim = 0;
        return;
    }
    if (ix_stmt_is_innermost(s) && has_lanes(g, s)) {
        g->loop = s;
        g->lanes = 0;
        ix_stmt_each(s->body, look_in_loop, g);
        s->how = IX_GROUP;
        s->dim = (uint8_t)(g->lanes / IX_GROUP_THREADS);
    }
    mark(g, s->body);
}

static void
mark(grouping *g, ix_stmt *list)
{
    for (ix_stmt *s = list; s; s = s->next) {
        if (is_lanes(g, s))
            s->spread = true;
        if (is_lanes(g, s->mem))
            s->mem->spread = true;
        if (s->kind == IX_STMT_FOLD)
            s->from->spread = true;
        if (s->kind == IX_STMT_FOR)
            mark_loop(g, s);
        if (s->kind == IX_STMT_IF) {
            mark(g, s->body);
            mark(g, s->other);
        }
    }
}

void
ix_group_mark(ix_unit *u, ix_kernel *k, ix_stmt *body)
{
    grouping g = {.u = u, .k = k, .body = body};
    k->team = IX_TEAM_GROUP;
    mark(&g, body);
}
