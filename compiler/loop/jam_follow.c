/* SPDX-License-Identifier: MIT
 *
 * jam: loops whose bounds follow the point. They run over the hull of what the
 * points run over, and in an iteration the points are those that have it, from
 * a first one to a last one, as bounds are sums that grow or fall with the
 * point:
 *
 *     for v in [0, 64)              for j in [0, s + 64)
 *         for j in [0, s + v + 1)       for v in [max(0, j - s), 64)
 *             ...                           ...
 *
 * What a point has of its own is seen through, also the least of several, and a
 * quotient by a constant.
 */
#include "compiler/loop/jam.h"

enum { LO = IX_for_lo, HI = IX_for_hi, MOST_FACTOR = 1 << 20 };

/* What is looked at: bounds of the loop's index "x" that follow the point. */
typedef struct following {
    ix_jam_state *j;
    ix_jam_follow *f;
    ilex_array *v;     /* the point */
    bool bounded[2];   /* from below, from above, by the bound that is solved */
    ix_jam_bounds own; /* bounds that follow the point */
} following;

/* ---- bounds ---- */

/* False: there is no room for it, or it is too large. */
static bool
add_bound(ix_jam_bounds *b, int group, ilex_array *x)
{
    for (int i = 0; i < b->n[group]; i++)
        if (b->x[group][i] == x)
            return true;
    if (b->n[group] == IX_MOST_BOUNDS || !x || !ix_index_is_affine(x))
        return false;
    b->x[group][b->n[group]++] = x;
    return true;
}

/* "x" with other leaves for some; NULL: it is too large. */
static ilex_array *
put_at(const ix_jam_state *j, ilex_array *x, const ilex_array *leaf,
       ilex_array *value)
{
    ix_substitution s = {.ctx = j->u->ctx, .mem = &j->u->mem, .quiet = true};
    ix_substitution_set(&s, leaf, value);
    x = ix_substitute(&s, x);
    bool too_large = s.too_large;
    ix_substitution_free(&s);
    return too_large ? NULL : x;
}

/* What a bound is of the point and of what all points have. */
static ilex_array *
see_through(ix_jam_state *j, ilex_array *x)
{
    for (; j->nseen < j->nown; j->nseen++) {
        const ix_stmt *s = j->own[j->nseen].by;
        if (s->kind == IX_STMT_LET && s->dtype == ILEX_I64 &&
            ix_index_is_affine(ix_let_value(s)))
            ix_substitution_set(&j->through, ix_value_of(j->u, s),
                                ix_substitute(&j->through, ix_let_value(s)));
    }
    x = ix_substitute(&j->through, x);
    return j->through.too_large ? NULL : x;
}

/* ---- which points ---- */

static bool solve(following *q, ilex_array *x, int side, ilex_array *b);

/* Atom >= b, or on the other side <= b, as bounds of the point. Where the least
 * of two is to be large enough, what all points have of it is: the loop is over
 * the hull. */
static bool
solve_atom(following *q, ilex_array *atom, int side, ilex_array *b)
{
    ilex_context *ctx = q->j->u->ctx;
    ix_op op = atom->kind == IX_OP ? ix_op_of(atom) : IX_OP_ADD;
    bool ok = op == (side == LO ? IX_OP_MINIMUM : IX_OP_MAXIMUM);
    if (atom == q->v) {
        q->bounded[side] = true;
        return add_bound(&q->f->points, side,
                         side == LO ? b : ix_index_offset(ctx, b, 1));
    }
    if (ix_index_is_quotient(atom)) {
        int64_t c = atom->ops[1]->attr[0];
        b = ix_index_try_fma(ctx, ix_index_const(ctx, side == LO ? 0 : c - 1),
                             c, b);
        return b && solve(q, atom->ops[0], side, b);
    }
    for (int i = 0; i < atom->nops && ok; i++)
        ok = !ix_scalar_uses_index(atom->ops[i], q->v->attr[0]) ||
             solve(q, atom->ops[i], side, b);
    return ok;
}

/* x >= b, or on the other side x <= b. */
static bool
solve(following *q, ilex_array *x, int side, ilex_array *b)
{
    ilex_context *ctx = q->j->u->ctx;
    ix_index_form form;
    int at = -1, count = 0;
    ix_index_form_of(x, &form);
    for (int i = 0; i < form.n; i++)
        if (ix_scalar_uses_index(form.t[i].atom, q->v->attr[0])) {
            at = i;
            count++;
        }
    if (count != 1)
        return false;
    ilex_array *atom = form.t[at].atom;
    int64_t k = form.t[at].k;
    if (k > MOST_FACTOR || k < -MOST_FACTOR)
        return false;
    ilex_array *rest = ix_index_try_fma(ctx, x, -k, atom);
    ilex_array *room = rest ? k > 0 ? ix_index_try_fma(ctx, b, -1, rest)
                                    : ix_index_try_fma(ctx, rest, -1, b)
                            : NULL;
    if (k < 0) {
        side = LO + HI - side;
        k = -k;
    }
    if (room && side == LO)
        room = ix_index_try_fma(ctx, room, k - 1, ix_index_const(ctx, 1));
    return room && solve_atom(q, atom, side, ix_index_floordiv(ctx, room, k));
}

/* ---- the hull ---- */

/* The bound at the point where it is furthest: the first, or the last of
 * each end that the points have. */
static bool
add_furthest(following *q, int group, ilex_array *x)
{
    const ix_jam_state *j = q->j;
    bool grows = q->bounded[group == HI ? LO : HI];
    if (q->bounded[LO] == q->bounded[HI])
        return false;
    if (grows != (group == HI))
        return add_bound(&q->f->hull, group,
                         put_at(j, x, q->v, ix_for_lo(j->loop)));
    for (int i = 0; i < j->loop->n[HI]; i++) {
        ilex_array *last =
            ix_index_try_fma(j->u->ctx, ix_operands(j->loop, HI)[i], -1,
                             ix_index_const(j->u->ctx, 1));
        if (!last || !add_bound(&q->f->hull, group, put_at(j, x, q->v, last)))
            return false;
    }
    return true;
}

/* A bound of the loop, or one of several that it is the least of. */
static bool
follow_bound(following *q, int group, ilex_array *x)
{
    ilex_context *ctx = q->j->u->ctx;
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_OP_ADD;
    ilex_array *i = ix_scalar_index(ctx, q->f->loop->number);
    if (!ix_scalar_uses_index(x, q->v->attr[0]))
        return !ix_jam_varies(q->j, x) && add_bound(&q->f->hull, group, x);
    if (op == (group == HI ? IX_OP_MINIMUM : IX_OP_MAXIMUM))
        return follow_bound(q, group, x->ops[0]) &&
               follow_bound(q, group, x->ops[1]);
    q->bounded[LO] = q->bounded[HI] = false;
    if (group == HI) /* i < x */
        i = ix_index_offset(ctx, i, 1);
    ilex_array *rest = put_at(q->j, x, q->v, ix_index_const(ctx, 0));
    return rest && !ix_jam_varies(q->j, rest) &&
           solve(q, x, group == HI ? LO : HI, i) && add_furthest(q, group, x) &&
           add_bound(&q->own, group, x);
}

/* By how much a bound changes from point to point, as far as it is a sum. */
static int64_t
slope_of(const following *q, const ilex_array *x)
{
    ix_index_form form;
    ix_index_form_of(x, &form);
    for (int i = 0; i < form.n; i++)
        if (form.t[i].atom == q->v)
            return form.t[i].k < 0 ? -form.t[i].k : form.t[i].k;
    return 1;
}

/* How many points have an iteration at most, if that is a constant. */
static int64_t
most_together(const following *q)
{
    int64_t most = INT64_MAX;
    for (int lo = 0; lo < q->own.n[LO]; lo++)
        for (int hi = 0; hi < q->own.n[HI]; hi++) {
            ilex_array *x = q->own.x[LO][lo];
            const ilex_array *d =
                ix_index_try_fma(q->j->u->ctx, q->own.x[HI][hi], -1, x);
            int64_t by = slope_of(q, x);
            if (d && d->kind == IX_CONST && d->attr[0] / by < most)
                most = d->attr[0] / by;
        }
    return most;
}

bool
ix_jam_follow_loop(ix_jam_state *j, const ix_stmt *loop)
{
    ix_jam_follow f = {.loop = loop};
    following q = {
        .j = j, .f = &f, .v = ix_scalar_index(j->u->ctx, j->loop->number)};
    for (int g = LO; g <= HI; g++)
        for (int i = 0; i < loop->n[g]; i++) {
            ilex_array *x = ix_operands(loop, g)[i];
            bool same = !ix_jam_varies(j, x);
            if (!same && g == LO && loop->step != 1)
                return false;
            if (!same)
                x = see_through(j, x);
            if (!x || !follow_bound(&q, g, x))
                return false;
        }
    f.together = most_together(&q);
    ix_arena_grow(&j->u->arena, &j->follow, &j->follow_capacity, j->nfollow + 1,
                  sizeof *j->follow);
    j->follow[j->nfollow++] = f;
    return true;
}

/* ---- inside ---- */

/* Does bound "by" of the points, at index "i" of a loop from "lo" on, say what
 * "bound" says? */
static bool
is_implied(const ix_jam_state *j, int group, ilex_array *bound, ilex_array *by,
           ilex_array *i, ilex_array *lo)
{
    ix_index_form form;
    ix_index_form_of(by, &form);
    for (int t = 0; t < form.n; t++)
        if (form.t[t].atom == i && (form.t[t].k > 0) == (group == LO))
            return put_at(j, by, i, lo) == bound;
    return false;
}

/* Leaves out bounds that those of a loop inside imply. */
static void
drop_implied(ix_jam_state *j, const ix_jam_follow *f, int group)
{
    ix_jam_bounds *now = &j->now;
    ilex_array *i = ix_scalar_index(j->u->ctx, f->loop->number);
    int kept = j->loop->n[group];
    for (int b = kept; b < now->n[group]; b++) {
        ilex_array *bound = now->x[group][b];
        bool implied = false;
        for (int p = 0; p < f->points.n[group]; p++)
            for (int l = 0; l < f->hull.n[LO]; l++)
                implied |= is_implied(j, group, bound, f->points.x[group][p], i,
                                      f->hull.x[LO][l]);
        if (!implied)
            now->x[group][kept++] = bound;
    }
    now->n[group] = kept;
}

bool
ix_jam_enter(ix_jam_state *j, const ix_stmt *s, ix_jam_bounds *before)
{
    const ix_jam_follow *f = ix_jam_follows(j, s);
    bool room = true;
    *before = j->now;
    for (int g = LO; g <= HI && f; g++) {
        drop_implied(j, f, g);
        for (int i = 0; i < f->points.n[g]; i++)
            room &= add_bound(&j->now, g, f->points.x[g][i]);
    }
    return room;
}

ix_stmt *
ix_jam_over_bounds(const ix_jam_state *j, const ix_stmt *loop,
                   const ix_jam_bounds *b)
{
    return ix_stmt_with(
        j->u, loop, IX_OPERANDS({b->n[LO], b->x[LO]}, {b->n[HI], b->x[HI]}));
}
