/* SPDX-License-Identifier: MIT
 *
 * reorder L M ...: the loops of a perfect nest in another order:
 *
 *     for i in [0, n)               for j in [0, m)
 *         for j in [0, m)               for i in [0, n)
 *             ...                           ...
 *
 * Of two accesses to an element the one that was first has to come first:
 * distances that were positive, in the order of the loops, stay so.
 */
#include "compiler/loop/distances.h"

typedef struct nest {
    ix_unit *u;
    ix_accesses a;
    int outer; /* loops around it */
    int n;
    ix_stmt *loop[IX_MOST_LOOPS]; /* as they are */
    int order[IX_MOST_LOOPS];     /* which of them becomes the i-th */
} nest;

/* ---- shape ---- */

static bool
is_other_index(void *user, ilex_array *x)
{
    const nest *t = user;
    ix_index_form f;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++)
        for (int k = 0; k < f.t[i].atom->nops; k++)
            if (!is_other_index(user, f.t[i].atom->ops[k]))
                return false;
    for (int i = 0; i < f.n; i++)
        for (int k = 0; k < t->n; k++)
            if (f.t[i].atom == ix_scalar_index(t->u->ctx, t->loop[k]->number))
                return false;
    return true;
}

/* The nest of as many loops as are named, or why they are none. */
static ix_refusal
find_nest(nest *t, const ix_cursor *c)
{
    ix_stmt *s = ix_cursor_loop(c);
    for (int i = 0; i < t->n; i++, s = s->body) {
        if (!s || s->kind != IX_STMT_FOR || (i > 0 && s->next))
            return ix_refuse(t->u, IX_REFUSAL_SHAPE,
                             "not all of the %d loops are in each other with "
                             "nothing beside them",
                             t->n);
        if (!ix_loop_is_plain(s))
            return ix_refuse(t->u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
        t->loop[i] = s;
    }
    for (int i = 0; i < t->n; i++)
        if (!ix_stmt_exprs(t->loop[i], is_other_index, t))
            return ix_refuse(t->u, IX_REFUSAL_SHAPE,
                             "a loop's bounds depend on another one's index");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* False: it is none of the nest's loops, each once. */
static bool
find_order(nest *t, const ix_cursor *c)
{
    for (int i = 0; i < t->n; i++) {
        int at = 0;
        while (at < t->n && t->loop[at] != ix_cursor_loop(&c[i]))
            at++;
        for (int k = 0; k < i; k++)
            if (t->order[k] == at)
                return false;
        if (at == t->n)
            return false;
        t->order[i] = at;
    }
    return true;
}

/* ---- distances ---- */

/* The next vector of directions, that of the last loop changes first; false
 * after the last one. */
static bool
next_vector(int n, ix_direction *v)
{
    while (n > 0 && v[n - 1] == IX_AFTER)
        v[--n] = IX_BEFORE;
    if (n > 0)
        v[n - 1]++;
    return n > 0;
}

/* Does such a distance change its sign? Those that a parallel loop would carry
 * are not there. */
static bool
turns(const nest *t, const ix_access *x, const ix_direction *v)
{
    int was = 0, is = 0;
    while (was < t->n && v[was] == IX_SAME)
        was++;
    if (was == t->n ||
        (t->loop[was]->parallel && ix_access_is_shared(&t->a, x)))
        return false;
    while (v[t->order[is]] == IX_SAME)
        is++;
    return v[was] != v[t->order[is]];
}

static ix_refusal
turned(void *user, const ix_access *x, const ix_access *y)
{
    nest *t = user;
    ix_direction direction[IX_DEEP + IX_MOST_LOOPS] = {IX_SAME};
    ix_direction *v = direction + t->outer;
    ix_tri worst = IX_NO;
    for (int i = 0; i < t->n; i++)
        v[i] = IX_BEFORE;
    do {
        ix_tri meet =
            turns(t, x, v)
                ? ix_accesses_meet(&t->a, x, y, t->outer + t->n, direction)
                : IX_NO;
        worst = meet == IX_NO || worst == IX_YES ? worst : meet;
    } while (worst != IX_YES && next_vector(t->n, v));
    return ix_refuse_meeting(t->u, worst, x, y,
                             "would come after it in the other order");
}

/* ---- the loops ---- */

/* Is every loop that was around the i-th of the new order still so? */
static bool
has_same_around(const nest *t, int i)
{
    uint64_t around = 0;
    for (int k = 0; k < i; k++)
        around |= UINT64_C(1) << t->order[k];
    for (int k = 0; k < t->order[i]; k++)
        if (!(around >> k & 1))
            return false;
    return true;
}

/* A parallel loop around which others are now has to be one still. */
static void
keep_parallel(const nest *t, ix_cursor c)
{
    for (int i = 0; i < t->n; i++) {
        ix_stmt *loop = ix_cursor_loop(&c);
        if (loop->parallel && !has_same_around(t, i))
            loop->parallel = ix_loop_carries(t->u, &c).class == IX_REFUSAL_NONE;
        c.around[c.depth++] = loop;
        c.at = &loop->body;
    }
}

static void
put_in_order(const nest *t, ix_cursor *c)
{
    ix_stmt *body = t->loop[t->n - 1]->body, *after = (*c->at)->next;
    for (int i = t->n - 1; i >= 0; i--) {
        ix_stmt *loop = ix_stmt_copy(t->u, t->loop[t->order[i]]);
        loop->body = body;
        body = loop;
    }
    body->next = after;
    *c->at = body;
}

ix_refusal
ix_loop_reorder(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_cursor *outermost = c;
    for (int i = 1; i < d->nloops; i++)
        outermost = c[i].depth < outermost->depth ? &c[i] : outermost;
    nest t = {.u = u, .n = d->nloops, .outer = ix_cursor_depth(outermost)};
    ix_refusal r = find_nest(&t, outermost);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (outermost->depth + t.n > IX_DEEP || !find_order(&t, c))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the loops that are named are not those of a nest, "
                         "each once");
    t.a = ix_accesses_in(u, c->k, t.loop[t.n - 1]->body);
    r = ix_access_pairs(&t.a, turned, &t);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    put_in_order(&t, outermost);
    keep_parallel(&t, *outermost);
    return r;
}
