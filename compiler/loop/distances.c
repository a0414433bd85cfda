/* SPDX-License-Identifier: MIT
 *
 * What loops carry, and why accesses are in a transformation's way.
 */
#include "compiler/loop/distances.h"

/* ---- pairs ---- */

bool
ix_is_one_buffer(const ix_unit *u, int x, int y)
{
    return x == y || u->buffer[x].inplace == y || u->buffer[y].inplace == x;
}

static bool
is_one_memory(const ix_unit *u, const ix_access *x, const ix_access *y)
{
    return x->scratch || y->scratch ? x->scratch == y->scratch
                                    : ix_is_one_buffer(u, x->buffer, y->buffer);
}

static bool
is_used(const ix_accesses *a, int buffer, bool write)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].write == write && a->item[i].buffer >= 0 &&
            ix_is_one_buffer(a->u, a->item[i].buffer, buffer))
            return true;
    return false;
}

bool
ix_accesses_write(const ix_accesses *a, int buffer)
{
    return is_used(a, buffer, true);
}

bool
ix_accesses_read(const ix_accesses *a, int buffer)
{
    return is_used(a, buffer, false);
}

ix_refusal
ix_access_pairs(const ix_accesses *a, ix_pair_fn fn, void *user)
{
    ix_refusal worst = {IX_REFUSAL_NONE, NULL};
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; a->item[i].write && k < a->n; k++) {
            const ix_access *x = &a->item[i], *y = &a->item[k];
            bool again = y->write && k < i;
            if (again || !is_one_memory(a->u, x, y))
                continue;
            ix_refusal r = fn(user, x, y);
            if (r.class == IX_REFUSAL_DISTANCE)
                return r;
            if (r.class != IX_REFUSAL_NONE)
                worst = r;
        }
    return worst;
}

/* "b2", "t4" */
static ix_value_text
name_of(const ix_access *x)
{
    return x->scratch ? ix_value_name(x->scratch->prefix, x->scratch->number)
                      : ix_value_name('b', x->buffer);
}

ix_refusal
ix_refuse_meeting(ix_unit *u, ix_tri meet, const ix_access *x,
                  const ix_access *y, const char *what)
{
    ix_value_text it = name_of(x);
    const char *does = y->write ? "writes" : "reads";
    if (meet == IX_NO)
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    if (meet == IX_UNKNOWN)
        return ix_refuse(u, IX_REFUSAL_UNPROVED,
                         "it is not known that no iteration %s an element of "
                         "%s that another one writes",
                         does, it.s);
    return ix_refuse(u, IX_REFUSAL_DISTANCE,
                     "an iteration %s an element of %s that another one "
                     "writes, %s",
                     does, it.s, what);
}

/* ---- what a loop carries ---- */

typedef struct carrying {
    ix_accesses *a;
    int depth;
} carrying;

bool
ix_loop_is_plain(const ix_stmt *loop)
{
    return !loop->n[IX_for_while] && loop->how == IX_SERIAL &&
           !ix_stmt_has(loop, IX_HAS_LOAD);
}

int
ix_cursor_depth(const ix_cursor *c)
{
    int depth = 0;
    for (int i = 0; i < c->depth; i++)
        depth += c->around[i]->kind == IX_STMT_FOR;
    return depth;
}

static ix_refusal
carried(void *user, const ix_access *x, const ix_access *y)
{
    const carrying *c = user;
    ix_direction direction[IX_DEEP + 1] = {IX_SAME};
    direction[c->depth] = IX_AFTER;
    ix_tri after = ix_accesses_meet(c->a, x, y, c->depth + 1, direction);
    direction[c->depth] = IX_BEFORE;
    ix_tri before = after == IX_YES || x == y
                        ? IX_NO
                        : ix_accesses_meet(c->a, x, y, c->depth + 1, direction);
    return ix_refuse_meeting(
        c->a->u, after == IX_NO || before == IX_YES ? before : after, x, y,
        "so they have an order");
}

ix_refusal
ix_loop_carries(ix_unit *u, const ix_cursor *c)
{
    ix_accesses a = ix_accesses_in(u, c->k, ix_cursor_loop(c)->body);
    carrying q = {&a, ix_cursor_depth(c)};
    return ix_access_pairs(&a, carried, &q);
}

ix_refusal
ix_loop_independent(ix_unit *u, const ix_cursor *c)
{
    ix_stmt *loop = ix_cursor_loop(c);
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    if (!loop->parallel)
        r = ix_loop_carries(u, c);
    loop->parallel |= r.class == IX_REFUSAL_NONE;
    return r;
}
