/* SPDX-License-Identifier: MIT
 *
 * Linear constraints on whole numbers: equations are solved for an unknown that
 * they have once, then unknowns are eliminated from inequalities by pairs
 * (Fourier and Motzkin), rounded to whole numbers. What is derived follows, so
 * a contradiction is one. The other way, a*x >= l and b*x <= u have a whole x
 * between them wherever a*u - b*l >= (a - 1)*(b - 1) (the dark shadow of
 * Pugh's Omega test): if that is satisfied as well, there is a solution.
 */
#include "compiler/loop/constraints.h"

#include <limits.h>

void
ix_constrain(ix_constraints *s, const ix_constraint *row)
{
    if (s->n == IX_CONSTRAINTS)
        s->loose = true;
    else
        s->row[s->n++] = *row;
}

static void
drop(ix_constraints *s, int i)
{
    s->row[i] = s->row[--s->n];
}

/* Divides a constraint by what its factors have in common: IX_NO if nothing
 * satisfies it, IX_YES if everything does. */
typedef enum verdict { NEVER, ALWAYS, DEPENDS } verdict;
static verdict
normalise(ix_constraint *r, int unknowns)
{
    int64_t g = 0;
    for (int i = 0; i < unknowns; i++)
        if (r->k[i] != 0)
            g = ix_gcd(g, r->k[i]);
    if (g == 0)
        return (r->equal ? r->c == 0 : r->c >= 0) ? ALWAYS : NEVER;
    if (g == 1)
        return DEPENDS;
    if (r->equal && r->c % g != 0)
        return NEVER;
    r->c = ix_floordiv(r->c, g);
    for (int i = 0; i < unknowns; i++)
        r->k[i] /= g;
    return DEPENDS;
}

/* False: a constraint cannot be satisfied. */
static bool
normalise_all(ix_constraints *s)
{
    for (int i = s->n - 1; i >= 0; i--) {
        verdict v = normalise(&s->row[i], s->unknowns);
        if (v == NEVER)
            return false;
        if (v == ALWAYS)
            drop(s, i);
    }
    return true;
}

/* *r = a*x + b*y; false on overflow. */
static bool
combine(int unknowns, ix_constraint *r, int64_t a, const ix_constraint *x,
        int64_t b, const ix_constraint *y)
{
    int64_t v, w;
    bool ok = ix_mul(a, x->c, &v) && ix_mul(b, y->c, &w) && ix_add(v, w, &v);
    r->c = v;
    for (int i = 0; ok && i < unknowns; i++) {
        ok = ix_mul(a, x->k[i], &v) && ix_mul(b, y->k[i], &w) &&
             ix_add(v, w, &v) && v > -INT64_MAX;
        r->k[i] = v;
    }
    return ok;
}

/* An unknown with the factor 1 or -1, or -1. */
static int
simple_unknown(const ix_constraint *r, int unknowns)
{
    for (int i = 0; i < unknowns; i++)
        if (r->k[i] == 1 || r->k[i] == -1)
            return i;
    return -1;
}

/* Puts what an equation says of unknown "j" into all others; without those that
 * become too large, more is satisfied. */
static void
solve(ix_constraints *s, int at, int j)
{
    ix_constraint e = s->row[at];
    drop(s, at);
    for (int i = s->n - 1; i >= 0; i--) {
        ix_constraint r = {.equal = s->row[i].equal};
        int64_t k = s->row[i].k[j], by;
        if (k == 0)
            continue;
        if (ix_mul(k, -e.k[j], &by) &&
            combine(s->unknowns, &r, 1, &s->row[i], by, &e)) {
            s->row[i] = r;
        } else {
            s->loose = true;
            drop(s, i);
        }
    }
}

/* Solves all equations that are simple; one that is not becomes two
 * inequalities. False for a contradiction. */
static bool
solve_equations(ix_constraints *s)
{
    for (int i = 0; i < s->n; i++) {
        if (!s->row[i].equal)
            continue;
        int j = simple_unknown(&s->row[i], s->unknowns);
        if (j < 0)
            continue;
        solve(s, i, j);
        if (!normalise_all(s))
            return false;
        i = -1;
    }
    for (int i = s->n - 1; i >= 0; i--) {
        ix_constraint opposite = {0}, zero = {0};
        if (!s->row[i].equal)
            continue;
        s->row[i].equal = false;
        s->loose = true;
        if (combine(s->unknowns, &opposite, -1, &s->row[i], 0, &zero))
            ix_constrain(s, &opposite);
    }
    return true;
}

/* How many rows it adds to eliminate an unknown; many more where that does not
 * keep all whole numbers; INT_MAX: it is in none. */
static int
price(const ix_constraints *s, int j)
{
    int below = 0, above = 0;
    int64_t most_below = 0, most_above = 0;
    for (int i = 0; i < s->n; i++) {
        int64_t k = s->row[i].k[j];
        below += k > 0;
        above += k < 0;
        most_below = k > most_below ? k : most_below;
        most_above = -k > most_above ? -k : most_above;
    }
    if (below + above == 0)
        return INT_MAX;
    return below * above - below - above +
           (most_below > 1 && most_above > 1) * IX_CONSTRAINTS;
}

/* The unknown that is the cheapest to eliminate, -1: there is none. */
static int
cheapest(const ix_constraints *s)
{
    int best = -1, least = INT_MAX;
    for (int j = 0; j < s->unknowns; j++) {
        int p = price(s, j);
        best = p < least ? j : best;
        least = p < least ? p : least;
    }
    return best;
}

/* Adds what a lower and an upper bound of unknown "j" say together; false for a
 * contradiction. */
static bool
pair(ix_constraints *s, const ix_constraint *below, const ix_constraint *above,
     int j)
{
    ix_constraint r = {0};
    int64_t a = below->k[j], b = -above->k[j], gap = 0;
    if (!combine(s->unknowns, &r, b, below, a, above) ||
        (s->dark && (!ix_mul(a - 1, b - 1, &gap) || !ix_sub(r.c, gap, &r.c)))) {
        s->loose = true;
        return true;
    }
    verdict v = normalise(&r, s->unknowns);
    if (v == DEPENDS)
        ix_constrain(s, &r);
    return v != NEVER;
}

/* False for a contradiction. */
static bool
eliminate(ix_constraints *s, int j)
{
    int n = s->n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n && s->row[i].k[j] > 0; k++)
            if (s->row[k].k[j] < 0 && !pair(s, &s->row[i], &s->row[k], j))
                return false;
    for (int i = n - 1; i >= 0; i--)
        if (s->row[i].k[j] != 0)
            drop(s, i);
    return true;
}

/* Leaves nothing of use but whether they are loose. */
static bool
contradict(ix_constraints *s)
{
    if (!normalise_all(s) || !solve_equations(s) || !normalise_all(s))
        return true;
    for (int j = cheapest(s); j >= 0 && s->n < IX_CONSTRAINTS; j = cheapest(s))
        if (!eliminate(s, j))
            return true;
    s->loose |= s->n > 0;
    return false;
}

static void
copy(ix_constraints *to, const ix_constraints *from, bool dark)
{
    to->n = 0;
    to->unknowns = from->unknowns;
    to->loose = from->loose;
    to->dark = dark;
    for (int i = 0; i < from->n; i++)
        if (dark || !from->row[i].some)
            to->row[to->n++] = from->row[i];
}

ix_tri
ix_constraints_solvable(const ix_constraints *s)
{
    ix_constraints t;
    copy(&t, s, false);
    if (contradict(&t))
        return IX_NO;
    copy(&t, s, true);
    return contradict(&t) || t.loose ? IX_UNKNOWN : IX_YES;
}
