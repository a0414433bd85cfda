/* SPDX-License-Identifier: MIT
 *
 * Conditions on a reduced index as ranges of it: a disjunction of disjuncts,
 * each a conjunction of bounds. What cannot be said in this way counts as true,
 * so that nothing is left out that counts.
 */
#include "compiler/lower/ranges.h"

#include "lib/ops/dtype.h"

enum { MOST_NESTED = 32 }; /* conditions, and `where`s around an element */

typedef struct solver {
    const ix_reduce_axis *x;
    ilex_context *ctx;
    ix_value nothing; /* the element that may be left out */
    bool useful;      /* a bound of the index was found */
} solver;

/* ---- disjuncts ---- */

static void
set_all(ix_disjuncts *p, bool exact)
{
    *p = (ix_disjuncts){.n = 1, .exact = exact};
}

static bool
is_all(const ix_disjuncts *p)
{
    return p->n == 1 && !p->disjunct[0].gate && !p->disjunct[0].n[0] &&
           !p->disjunct[0].n[1];
}

/* Is a <= b whatever the indices are? */
static bool
is_ordered(ilex_context *ctx, ilex_array *a, ilex_array *b)
{
    ilex_array *d = ix_index_try_fma(ctx, b, -1, a);
    const ix_lin *length = d ? ix_index_to_lin(ctx, d) : NULL;
    return length && ix_lin_nonneg_fast(ctx, length);
}

/* Does a lower bound reach an upper one? */
static bool
is_empty(ilex_context *ctx, const ix_disjunct *p)
{
    for (int i = 0; i < p->n[0]; i++)
        for (int j = 0; j < p->n[1]; j++)
            if (is_ordered(ctx, p->bound[1][j], p->bound[0][i]))
                return true;
    return false;
}

static bool
has_bound(const ix_disjunct *p, int side, const ilex_array *bound)
{
    for (int i = 0; i < p->n[side]; i++)
        if (p->bound[side][i] == bound)
            return true;
    return false;
}

/* Adds a bound; false if there is no room. */
static bool
add_bound(ix_disjunct *p, int side, ilex_array *bound)
{
    if (has_bound(p, side, bound))
        return true;
    if (p->n[side] == IX_RANGE_BOUNDS)
        return false;
    p->bound[side][p->n[side]++] = bound;
    return true;
}

/* Both: bounds that have no room are left out. */
static bool
join_disjunct(ilex_context *ctx, ix_disjunct *p, const ix_disjunct *q)
{
    bool room = true;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < q->n[side]; i++)
            room &= add_bound(p, side, q->bound[side][i]);
    if (!p->gate || p->gate == q->gate) {
        p->gate = q->gate;
    } else if (q->gate) {
        ilex_array *ops[2] = {p->gate, q->gate};
        p->gate =
            ix_scalar_op(ctx, IX_OP_LOGICAL_AND, ILEX_BOOL, ILEX_BOOL, ops);
    }
    return room;
}

/* Does q hold wherever p does? */
static bool
implies(const ix_disjunct *p, const ix_disjunct *q)
{
    bool all = !q->gate || p->gate == q->gate;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < q->n[side]; i++)
            all &= has_bound(p, side, q->bound[side][i]);
    return all;
}

/* Adds a disjunct; false if there is no room. */
static bool
add_disjunct(ilex_context *ctx, ix_disjuncts *to, const ix_disjunct *p)
{
    if (is_empty(ctx, p))
        return true;
    for (int i = 0; i < to->n; i++)
        if (implies(p, &to->disjunct[i]))
            return true;
    if (to->n == IX_RANGE_DISJUNCTS)
        return false;
    to->disjunct[to->n++] = *p;
    return true;
}

/* a = a or b */
static void
unite(ilex_context *ctx, ix_disjuncts *a, const ix_disjuncts *b)
{
    bool room = true;
    a->exact &= b->exact;
    for (int i = 0; i < b->n && room; i++)
        room = add_disjunct(ctx, a, &b->disjunct[i]);
    if (!room)
        set_all(a, false);
}

/* a = a and b; a alone where that are too many disjuncts. */
static void
intersect(ilex_context *ctx, ix_disjuncts *a, const ix_disjuncts *b)
{
    ix_disjuncts both = {.exact = a->exact && b->exact};
    bool room = true;
    for (int i = 0; i < a->n && room; i++)
        for (int j = 0; j < b->n && room; j++) {
            ix_disjunct p = a->disjunct[i];
            both.exact &= join_disjunct(ctx, &p, &b->disjunct[j]);
            room = add_disjunct(ctx, &both, &p);
        }
    if (room)
        *a = both;
    else
        a->exact = false;
}

/* ---- half spaces ---- */

/* The largest value that k*atom takes for the indices inside this one, added to
 * "sum". False if that is not known. */
static bool
add_largest(solver *s, ix_index_form *sum, int64_t k, ilex_array *atom,
            bool *exact)
{
    const ix_reduce_axis *x = s->x;
    ilex_array *end = atom;
    ix_index_form f;
    if (atom->flags & IX_HAS_RINDEX) {
        int64_t inner = atom->attr[0] - x->n->attr[1];
        if (atom->kind != IX_RINDEX || inner < 0 ||
            inner >= x->n->interior->rank || ix_is_ranged(x->n))
            return false;
        *exact = false;
        const ix_axis *ax = &x->n->interior->ax[inner];
        end = ix_index_lin(s->ctx, k > 0 ? ix_lin_try_offset(s->ctx, ax->hi, -1)
                                         : ax->lo);
    }
    if (!end || ix_is_poison(end))
        return false;
    ix_index_form_of(end, &f);
    return ix_index_form_add(sum, k, &f);
}

/* "e" with the indices of the axes around. */
static ilex_array *
inside_of(solver *s, ilex_array *e)
{
    const ix_reduce_axis *x = s->x;
    ix_substitution t = {.ctx = s->ctx,
                         .rindex = x->index,
                         .nrindex = x->k,
                         .from = x->n->attr[1],
                         .quiet = true};
    e = ix_substitute(&t, e);
    ix_substitution_free(&t);
    return t.too_large || ix_is_poison(e) ? NULL : e;
}

/* The gate rest >= 0. */
static bool
set_gate(solver *s, ilex_array *rest, ix_disjuncts *p)
{
    const ix_lin *known = ix_index_to_lin(s->ctx, rest);
    bool never = known && known->n == 0 && known->c < 0;
    p->n = !never;
    if (never || (known && ix_lin_nonneg_fast(s->ctx, known)))
        return true;
    ilex_array *ops[2] = {rest, ix_index_const(s->ctx, 0)};
    p->disjunct[0].gate =
        ix_scalar_op(s->ctx, IX_OP_GREATER_EQUAL, ILEX_I64, ILEX_BOOL, ops);
    return p->disjunct[0].gate->weight > 0;
}

/* k*r + rest >= 0 as a bound of r. */
static bool
set_bound(solver *s, int64_t k, ilex_array *rest, ix_disjuncts *p)
{
    int64_t size = k < 0 ? -k : k;
    ilex_array *q = ix_index_floordiv(s->ctx, rest, size);
    ilex_array *bound =
        k > 0 ? ix_index_try_fma(s->ctx, ix_index_const(s->ctx, 0), -1, q)
              : ix_index_try_fma(s->ctx, q, 1, ix_index_const(s->ctx, 1));
    if (!bound || ix_is_poison(bound) || !ix_index_is_affine(bound))
        return false;
    s->useful = true;
    return add_bound(&p->disjunct[0], k < 0, bound);
}

/* e >= 0. */
static void
solve_half(solver *s, ilex_array *e, ix_disjuncts *p)
{
    ix_index_form f, rest = {0};
    int64_t k = 0;
    bool ok = true;
    set_all(p, true);
    e = e ? inside_of(s, e) : NULL;
    ok = e && ix_index_is_affine(e);
    if (ok)
        ix_index_form_of(e, &f);
    for (int i = 0; ok && i < f.n; i++) {
        ilex_array *atom = f.t[i].atom;
        if (atom->kind == IX_RINDEX &&
            atom->attr[0] == s->x->n->attr[1] + s->x->k)
            k = f.t[i].k;
        else
            ok = add_largest(s, &rest, f.t[i].k, atom, &p->exact);
    }
    ok = ok && ix_add(rest.c, f.c, &rest.c);
    if (ok) {
        ilex_array *r = ix_index_from(s->ctx, &rest);
        ok = ix_index_is_affine(r) &&
             (k ? set_bound(s, k, r, p) : set_gate(s, r, p));
    }
    if (!ok)
        set_all(p, false);
}

/* ---- conditions ---- */

/* a - b + c, NULL if it is too large */
static ilex_array *
difference(ilex_context *ctx, ilex_array *a, ilex_array *b, int64_t c)
{
    ilex_array *e = ix_index_try_fma(ctx, a, -1, b);
    return e ? ix_index_try_fma(ctx, e, c, ix_index_const(ctx, 1)) : NULL;
}

/* One that leaves a single index out saves nothing. */
static void
solve_comparison(solver *s, const ilex_array *n, bool holds, ix_disjuncts *p)
{
    ilex_array *a = n->ops[0], *b = n->ops[1];
    ix_op op = ix_op_of(n);
    if (op == (holds ? IX_OP_NOT_EQUAL : IX_OP_EQUAL)) {
        set_all(p, false);
        return;
    }
    if (op == IX_OP_EQUAL || op == IX_OP_NOT_EQUAL) {
        ix_disjuncts q;
        solve_half(s, difference(s->ctx, a, b, 0), p);
        solve_half(s, difference(s->ctx, b, a, 0), &q);
        intersect(s->ctx, p, &q);
        return;
    }
    bool less = op == IX_OP_LESS || op == IX_OP_LESS_EQUAL;
    bool strict = op == IX_OP_LESS || op == IX_OP_GREATER;
    ilex_array *e = less == holds ? difference(s->ctx, b, a, 0)
                                  : difference(s->ctx, a, b, 0);
    if (e && strict == holds)
        e = ix_index_try_fma(s->ctx, e, -1, ix_index_const(s->ctx, 1));
    solve_half(s, e, p);
}

static void
solve_condition(solver *s, const ilex_array *n, bool holds, int depth,
                ix_disjuncts *p)
{
    bool logic = n->kind == IX_OP && ix_loop_of(n) == ILEX_BOOL;
    ix_op op = n->kind == IX_OP ? ix_op_of(n) : IX_OP_ADD;
    if (n->kind == IX_CONST && n->dtype == ILEX_BOOL) {
        set_all(p, true);
        p->n = (ix_const_value(n).i != 0) == holds;
    } else if (depth == MOST_NESTED) {
        set_all(p, false);
    } else if (logic && op == IX_OP_LOGICAL_NOT) {
        solve_condition(s, n->ops[0], !holds, depth + 1, p);
    } else if (logic && (op == IX_OP_LOGICAL_AND || op == IX_OP_LOGICAL_OR)) {
        ix_disjuncts q;
        solve_condition(s, n->ops[0], holds, depth + 1, p);
        solve_condition(s, n->ops[1], holds, depth + 1, &q);
        (op == IX_OP_LOGICAL_AND) == holds ? intersect(s->ctx, p, &q)
                                           : unite(s->ctx, p, &q);
    } else if (!logic && ix_is_index_condition(n)) {
        solve_comparison(s, n, holds, p);
    } else {
        set_all(p, false);
    }
}

/* ---- bodies ---- */

/* Is it the constant that may be left out? */
static bool
is_nothing(const solver *s, ilex_array *x)
{
    ilex_dtype acc = s->x->acc;
    return x->kind == IX_CONST &&
           ix_value_same(acc, ix_const_value(ix_scalar_cast(s->ctx, acc, x)),
                         s->nothing);
}

static void
solve_body(solver *s, ilex_array *x, int depth, ix_disjuncts *p)
{
    set_all(p, true);
    if (depth == 0 && x->kind == IX_CAST)
        x = x->ops[0];
    if (is_nothing(s, x)) {
        p->n = 0;
        return;
    }
    bool guard = x->kind == IX_OP && ix_op_of(x) == IX_OP_WHERE &&
                 !(x->ops[0]->flags & IX_HAS_CHECK);
    if (!guard || depth == MOST_NESTED)
        return;
    ix_disjuncts branch[2], when;
    for (int i = 0; i < 2; i++)
        solve_body(s, x->ops[1 + i], depth + 1, &branch[i]);
    if (is_all(&branch[0]) && is_all(&branch[1]))
        return;
    for (int i = 0; i < 2; i++) {
        if (branch[i].n == 0)
            continue;
        solve_condition(s, x->ops[0], i == 0, depth + 1, &when);
        intersect(s->ctx, &branch[i], &when);
    }
    *p = branch[0];
    unite(s->ctx, p, &branch[1]);
}

/* What may be left out: the result over nothing; where there is none what
 * changes nothing. */
static ix_value
nothing_of(const ix_reduce_axis *x)
{
    ix_value v;
    ix_reduction r = ix_reduction_of(x->n);
    return ix_reduction_empty(r, x->acc, &v) ? v
                                             : ix_reduction_identity(r, x->acc);
}

bool
ix_disjuncts_of(const ix_reduce_axis *x, ix_disjuncts *disjuncts)
{
    solver s = {.x = x, .ctx = x->b->u->ctx, .nothing = nothing_of(x)};
    if (x->first_wins || ix_is_chain(x->n))
        return false;
    solve_body(&s, x->n->ops[0], 0, disjuncts);
    return disjuncts->n == 0 || (s.useful && !is_all(disjuncts));
}

ilex_array *
ix_disjuncts_body(const ix_reduce_axis *x)
{
    solver s = {.x = x, .ctx = x->b->u->ctx, .nothing = nothing_of(x)};
    ilex_array *body = x->n->ops[0];
    while (body->kind == IX_OP && ix_op_of(body) == IX_OP_WHERE &&
           is_nothing(&s, body->ops[1]) != is_nothing(&s, body->ops[2]))
        body = body->ops[1 + is_nothing(&s, body->ops[1])];
    return body;
}
