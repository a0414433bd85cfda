/* SPDX-License-Identifier: MIT
 *
 * reorder L M ...: the loops of a perfect nest in another order:
 *
 *     for i in [0, n)               for j in [0, m)
 *         for j in [0, m)               for i in [0, n)
 *             ...                           ...
 *
 * Bounds that depend on a loop around, as a multiple of its index, are turned:
 * of i in [0, n), j in [2*i, m) become j in [0, m), i in [0, min(n, j//2 + 1)).
 *
 * Of two accesses to an element the one that was first has to come first:
 * distances that were positive, in the order of the loops, stay so.
 */
#include "compiler/loop/distances.h"

/* More have too many orders. */
enum { MOST_ORDERED = 6 };

typedef struct nest {
    ix_unit *u;
    ix_accesses a;
    int outer;   /* loops around it */
    int n, free; /* so many outermost ones may stand anywhere */
    ix_stmt *loop[IX_MOST_LOOPS];   /* as they are */
    int order[IX_MOST_LOOPS];       /* which of them becomes the i-th */
    ix_stmt *turned[IX_MOST_LOOPS]; /* as they become */
} nest;

/* ---- shape ---- */

/* The nest of as many loops as are named, or why they are none. */
static ix_refusal
find_nest(nest *t, const ix_cursor *c)
{
    ix_stmt *s = ix_cursor_loop(c);
    if (t->n > MOST_ORDERED)
        return ix_refuse(t->u, IX_REFUSAL_SHAPE, "they are more than %d loops",
                         MOST_ORDERED);
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

/* ---- bounds ---- */

enum { LO, HI };

/* Two loops that change places, and the bounds they get. */
typedef struct turning {
    ilex_context *ctx;
    const ix_stmt *outer, *inner; /* as they are */
    struct {
        int n;
        ilex_array *x[IX_MOST_BOUNDS];
    } of_outer[2], of_inner[2];
    bool depend;
} turning;

static bool
add_bound(turning *t, bool outer, int group, ilex_array *x)
{
    int *n = outer ? &t->of_outer[group].n : &t->of_inner[group].n;
    ilex_array **to = outer ? t->of_outer[group].x : t->of_inner[group].x;
    for (int i = 0; i < *n && x; i++)
        if (to[i] == x)
            return true;
    if (!x || *n == IX_MOST_BOUNDS)
        return false;
    to[(*n)++] = x;
    return true;
}

/* a + k*b + c, or NULL. */
static ilex_array *
sum(const turning *t, ilex_array *a, int64_t k, ilex_array *b, int64_t c)
{
    ilex_array *x = ix_index_try_fma(t->ctx, a, k, b);
    return x ? ix_index_try_fma(t->ctx, x, c, ix_index_const(t->ctx, 1)) : NULL;
}

/* What a bound rest + k*i of j says of i, from below or from above. */
static ilex_array *
bound_of_outer(const turning *t, ilex_array *rest, int64_t k, ilex_array *j)
{
    ilex_array *x =
        k > 0 ? sum(t, j, -1, rest, k) : sum(t, rest, -1, j, -k - 1);
    return x ? ix_index_floordiv(t->ctx, x, k > 0 ? k : -k) : NULL;
}

/* A bound of the inner loop that is rest + k*i: the inner loop gets the
 * furthest of its values, the outer one what it says of i. */
static bool
turn_by(turning *t, int group, ilex_array *rest, int64_t k)
{
    int end = (group == LO) == (k > 0) ? LO : HI;
    const ix_stmt *l = t->outer;
    bool ok =
        (end == LO || l->step == 1) && (group == HI || t->inner->step == 1);
    for (int i = 0; i < l->n[end] && ok; i++)
        ok = add_bound(
            t, false, group,
            sum(t, rest, k, ix_operands(l, end)[i], end == LO ? 0 : -k));
    ilex_array *j = ix_scalar_index(t->ctx, t->inner->number);
    t->depend = true;
    return ok && add_bound(t, true, end == LO ? HI : LO,
                           bound_of_outer(t, rest, k, j));
}

static bool
turn_bound(turning *t, int group, ilex_array *b)
{
    ilex_array *i = ix_scalar_index(t->ctx, t->outer->number), *rest = b;
    ix_index_form f;
    int64_t k = 0;
    ix_index_form_of(b, &f);
    for (int a = 0; a < f.n; a++)
        if (f.t[a].atom == i)
            k = f.t[a].k;
    if (k != 0)
        rest = ix_index_try_fma(t->ctx, b, -k, i);
    if (!rest || ix_scalar_uses_index(rest, t->outer->number))
        return false;
    return k ? turn_by(t, group, rest, k) : add_bound(t, false, group, b);
}

/* The two loops at "at" of a list change places; false if bounds cannot. */
static bool
exchange(ix_unit *u, ix_stmt **at)
{
    turning t = {.ctx = u->ctx, .outer = at[0], .inner = at[1]};
    bool ok = true;
    for (int g = LO; g <= HI; g++) {
        for (int i = 0; i < at[0]->n[g]; i++)
            ok = ok && add_bound(&t, true, g, ix_operands(at[0], g)[i]);
        for (int i = 0; i < at[1]->n[g]; i++)
            ok = ok && turn_bound(&t, g, ix_operands(at[1], g)[i]);
    }
    if (!ok)
        return false;
    ix_stmt *inner =
        ix_stmt_with(u, at[0],
                     IX_OPERANDS({t.of_outer[LO].n, t.of_outer[LO].x},
                                 {t.of_outer[HI].n, t.of_outer[HI].x}));
    at[0] = ix_stmt_with(u, at[1],
                         IX_OPERANDS({t.of_inner[LO].n, t.of_inner[LO].x},
                                     {t.of_inner[HI].n, t.of_inner[HI].x}));
    at[1] = inner;
    at[0]->optional |= t.depend;
    at[1]->optional |= t.depend;
    at[0]->rest &= !t.depend;
    at[1]->rest &= !t.depend;
    return true;
}

/* The loops in their order, exchanged two by two. */
static bool
turn_all(nest *t)
{
    int is[IX_MOST_LOOPS];
    for (int i = 0; i < t->n; i++) {
        t->turned[i] = t->loop[i];
        is[i] = i;
    }
    for (int i = 0; i < t->n; i++) {
        int at = i;
        while (is[at] != t->order[i])
            at++;
        for (; at > i; at--) {
            int other = is[at - 1];
            if (!exchange(t->u, &t->turned[at - 1]))
                return false;
            is[at - 1] = is[at];
            is[at] = other;
        }
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
                             "and would come after it in the other order");
}

/* ---- temporaries ---- */

/* Is the innermost of the loops that are around an iteration with a temporary
 * of its own still one whose iterations have it? Where one outside has it there
 * is an element for each point. */
static bool
keeps_temporary(const nest *t, const ix_cursor *c, int within)
{
    int had = -1, has = 0;
    for (int i = 0; i < c->depth; i++)
        if (c->around[i]->kind == IX_STMT_FOR &&
            ix_is_part_of(c->k, c->around[i]->number, within))
            return true;
    for (int i = 0; i < t->n; i++)
        if (ix_is_part_of(c->k, t->loop[i]->number, within))
            had = i;
    for (int i = 0; i < t->n; i++)
        has = t->order[i] <= had ? t->order[i] : has;
    return had < 0 || ix_is_part_of(c->k, t->loop[has]->number, within);
}

static bool
keeps_temporaries(const nest *t, const ix_cursor *c)
{
    bool all = true;
    for (size_t i = 0; i < t->u->nbuffers && all; i++)
        all = t->u->buffer[i].own != c->k ||
              keeps_temporary(t, c, t->u->buffer[i].within);
    return all;
}

/* ---- what is known without ---- */

/* Of two iterations whose accesses meet, outermost loops that are parallel have
 * the same indices: they may stand anywhere, if the others stay in order. Not
 * so where parts of a run have memory of their own. */
static bool
is_known(const nest *t)
{
    int last = -1;
    for (int i = 0; i < t->n; i++) {
        if (t->order[i] < t->free)
            continue;
        if (t->order[i] < last)
            return false;
        last = t->order[i];
    }
    for (size_t i = 0; i < t->u->nbuffers; i++)
        if (t->u->buffer[i].own)
            return false;
    return true;
}

static ix_refusal
look_at_distances(nest *t, const ix_cursor *c)
{
    while (t->free < t->n && t->loop[t->free]->parallel)
        t->free++;
    if (is_known(t))
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    t->free = 0;
    t->a = ix_accesses_in(t->u, c->k, t->loop[t->n - 1]->body);
    return ix_access_pairs(&t->a, turned, t);
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
        if (loop->parallel && t->order[i] >= t->free && !has_same_around(t, i))
            loop->parallel = ix_loop_carries(t->u, &c).class == IX_REFUSAL_NONE;
        ix_cursor_enter(&c);
    }
}

static void
put_in_order(const nest *t, ix_cursor *c)
{
    ix_stmt *body = t->loop[t->n - 1]->body, *after = (*c->at)->next;
    for (int i = t->n - 1; i >= 0; i--) {
        ix_stmt *loop = ix_stmt_copy(t->u, t->turned[i]);
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
    if (!turn_all(&t))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "a loop's bounds depend on another one in a way that "
                         "is not turned around");
    if (!keeps_temporaries(&t, outermost))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "a temporary of an iteration would be one of several");
    r = look_at_distances(&t, c);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    put_in_order(&t, outermost);
    keep_parallel(&t, *outermost);
    return r;
}
