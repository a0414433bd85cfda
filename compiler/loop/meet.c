/* SPDX-License-Identifier: MIT
 *
 * Can two accesses meet one element? A question has an unknown for each loop
 * around either of them, shared where both are in the same iteration of it, one
 * for each size and one for each part of an index that is no sum.
 */
#include "compiler/loop/distances.h"

#include "compiler/loop/constraints.h"

/* Whose an unknown is: of access 0 or 1; SHARED: both have the same. */
enum { SHARED = 2, STEPS = 3 };

enum { MOST_APART = 3 };

/* Of how many trailing one bits of a number examples are tried: 0, 1, ... */
enum { ONES = 4 };

typedef struct ix_meeting question;
struct ix_meeting {
    const ix_accesses *a;
    const ix_access *x[2];
    int same; /* so many loops around both are in the same iteration */
    struct {
        const void *what;
        int whose;
    } unknown[IX_UNKNOWNS];
    int nunknowns;
    bool lost; /* there are more things unknown than have a place */
    bool in_index;
    bool inexact;     /* an index, or a condition on some, is not known */
    bool counts;      /* there is an ones(x) */
    int ones[SHARED]; /* of the example of each access */
    int napart;
    ix_constraint apart[MOST_APART]; /* what is not 0 */
    ix_constraints s;
};

/* ---- unknowns ---- */

/* The unknown for something; "*made": it is a new one. */
static int
unknown_for(question *q, const void *what, int whose, bool *made)
{
    *made = false;
    for (int i = 0; i < q->nunknowns; i++)
        if (q->unknown[i].what == what && q->unknown[i].whose == whose)
            return i;
    *made = true;
    if (q->nunknowns == IX_UNKNOWNS) {
        q->lost = true;
        return 0;
    }
    q->unknown[q->nunknowns].what = what;
    q->unknown[q->nunknowns].whose = whose;
    return q->nunknowns++;
}

static void
plus(question *q, ix_constraint *r, int unknown, int64_t k)
{
    q->lost |= !ix_add(r->k[unknown], k, &r->k[unknown]);
}

static void
constrain(question *q, const ix_constraint *r)
{
    if (!q->lost)
        ix_constrain(&q->s, r);
}

static void add_form(question *q, int who, const ilex_array *x, int64_t k,
                     ix_constraint *r);

/* Is a part of an index the same for both, as all that it depends on is? */
typedef struct same_part {
    const question *q;
    bool is;
} same_part;

static ix_walk_step
look_inside(ix_walk *w, ilex_array *x, size_t *value)
{
    same_part *p = w->user;
    const question *q = p->q;
    (void)value;
    if (x->kind == IX_INDEX) {
        p->is = false;
        for (int i = 0; i < q->same; i++)
            p->is |= q->x[0]->around[i]->number == x->attr[0];
    }
    if (x->kind == IX_VALUE && x->attr[0] >= 0) {
        const ix_definition *d = &q->a->definition[x->attr[0]];
        p->is = d->depth <= q->same && d->stmt->kind != IX_STMT_SCRATCH;
    }
    if (x->kind == IX_LOAD || x->kind == IX_RINDEX)
        p->is = false;
    return p->is ? IX_WALK_IN : IX_WALK_END;
}

static bool
is_same(const question *q, const ilex_array *x)
{
    same_part p = {q, true};
    ix_walk w = {.ctx = q->a->u->ctx,
                 .mem = &q->a->u->mem,
                 .enter = look_inside,
                 .user = &p};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    return p.is;
}

/* r of "k" times an unknown, plus what "add_form" adds: >= 0 */
static void
bound(question *q, int who, int unknown, int64_t k, const ilex_array *x,
      int64_t times, int64_t c)
{
    ix_constraint r = {.c = c};
    plus(q, &r, unknown, k);
    add_form(q, who, x, times, &r);
    constrain(q, &r);
}

/* The variable of the loop in which access "who" is. */
static int
variable_of(question *q, int who, int at)
{
    const ix_stmt *loop = q->x[who]->around[at];
    bool made, in_index = q->in_index;
    int v = unknown_for(q, loop, at < q->same ? SHARED : who, &made);
    if (!made || q->lost)
        return v;
    q->in_index = false;
    for (int i = 0; i < loop->n[IX_for_lo]; i++)
        bound(q, who, v, 1, ix_operands(loop, IX_for_lo)[i], -1, 0);
    for (int i = 0; i < loop->n[IX_for_hi]; i++)
        bound(q, who, v, -1, ix_operands(loop, IX_for_hi)[i], 1, -1);
    if (loop->step > 1 && loop->n[IX_for_lo] == 1) {
        ix_constraint r = {.equal = true};
        plus(q, &r, v, 1);
        plus(q, &r, unknown_for(q, loop, STEPS + who, &made), -loop->step);
        add_form(q, who, ix_for_lo(loop), -1, &r);
        constrain(q, &r);
    }
    q->in_index = in_index;
    return v;
}

/* What is known of a size: its range, and if it is computed, from what. */
static int
size_of(question *q, int32_t param)
{
    ilex_context *ctx = q->a->u->ctx;
    const ix_param *p = &ctx->param[param];
    bool made;
    int v = unknown_for(q, p, SHARED, &made);
    int64_t low = ix_param_low(ctx, param), high = ix_param_high(ctx, param);
    if (!made || q->lost)
        return v;
    ix_constraint at_least = {.c = -low}, at_most = {.c = high};
    at_least.k[v] = 1;
    at_most.k[v] = -1;
    constrain(q, &at_least);
    if (high != INT64_MAX)
        constrain(q, &at_most);
    for (int i = 0; i < p->narms; i++) {
        int64_t by = p->divisor > 1 ? p->divisor : 1;
        const ilex_array *arm = ix_index_lin(ctx, p->arm[i]);
        if (p->largest || p->narms == 1)
            bound(q, 0, v, by, arm, -1, 0);
        if (!p->largest)
            bound(q, 0, v, -by, arm, 1, by - 1);
    }
    return v;
}

/* ones(x), of the number of a chunk, is at least 0 and at most (x + 1)/2, and 2
 * for example where x is 3 plus a multiple of 8. */
static void
add_ones(question *q, int who, int ones, const ilex_array *x, int whose)
{
    int n = q->ones[whose == SHARED ? 0 : whose];
    ix_constraint some = {.c = 1 - (1 << n), .equal = true, .some = true},
                  is = {.c = -n, .equal = true, .some = true}, least = {.c = 0};
    bool made;
    q->counts = true;
    least.k[ones] = is.k[ones] = 1;
    plus(q, &some, unknown_for(q, x, 2 * STEPS + whose, &made), -(2 << n));
    add_form(q, who, x, 1, &some);
    constrain(q, &least);
    bound(q, who, ones, -2, x, 1, 1);
    constrain(q, &is);
    constrain(q, &some);
}

/* A part that is no sum: of a quotient and of the least or largest of two it is
 * known how they lie to their operands. */
static int
part_of(question *q, int who, const ilex_array *x)
{
    bool made;
    bool quotient = ix_index_is_quotient(x);
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_OP_ADD;
    bool least = op == IX_OP_MINIMUM, largest = op == IX_OP_MAXIMUM;
    bool same = is_same(q, x);
    int v = unknown_for(q, x, same ? SHARED : who, &made);
    if (!made || q->lost)
        return v;
    q->inexact |= q->in_index && !same && !quotient && op != IX_OP_ONES;
    if (op == IX_OP_ONES)
        add_ones(q, who, v, x->ops[0], same ? SHARED : who);
    if (quotient) {
        int64_t by = x->ops[1]->attr[0];
        bound(q, who, v, -by, x->ops[0], 1, 0);
        bound(q, who, v, by, x->ops[0], -1, by - 1);
    }
    for (int i = 0; i < 2 && (least || largest); i++)
        bound(q, who, v, least ? -1 : 1, x->ops[i], least ? 1 : -1, 0);
    return v;
}

/* The position of a loop of access "who" by its variable, or -1. */
static int
loop_of(const question *q, int who, int64_t variable)
{
    int at = q->x[who]->depth - 1;
    while (at >= 0 && q->x[who]->around[at]->number != variable)
        at--;
    return at;
}

/* Is it a value that can be seen through? */
static const ilex_array *
seen_through(const question *q, const ilex_array *x)
{
    const ix_stmt *s = x->kind == IX_VALUE && x->attr[0] >= 0
                           ? q->a->definition[x->attr[0]].stmt
                           : NULL;
    return s && s->kind == IX_STMT_LET && x->dtype == ILEX_I64 &&
                   ix_index_is_affine(ix_let_value(s))
               ? ix_let_value(s)
               : NULL;
}

static void
add_atom(question *q, int who, const ilex_array *x, int64_t k, ix_constraint *r)
{
    int at = x->kind == IX_INDEX ? loop_of(q, who, x->attr[0]) : -1;
    const ilex_array *value = seen_through(q, x);
    if (value)
        add_form(q, who, value, k, r);
    else if (at >= 0)
        plus(q, r, variable_of(q, who, at), k);
    else if (x->kind == IX_SIZE)
        plus(q, r, size_of(q, (int32_t)x->attr[0]), k);
    else
        plus(q, r, part_of(q, who, x), k);
}

/* Adds "k" times index sum "x" of access "who". */
static void
add_form(question *q, int who, const ilex_array *x, int64_t k, ix_constraint *r)
{
    ix_index_form f;
    int64_t c;
    ix_index_form_of(x, &f);
    q->lost |= !ix_mul(k, f.c, &c) || !ix_add(r->c, c, &r->c);
    for (int i = 0; i < f.n && !q->lost; i++) {
        int64_t factor;
        if (ix_mul(k, f.t[i].k, &factor))
            add_atom(q, who, f.t[i].atom, factor, r);
        else
            q->lost = true;
    }
}

/* ---- conditions ---- */

/* k*a - k*b + c, which "equal" says is 0, "apart" that it is not; else that it
 * is at least 0. */
static void
compare(question *q, int who, const ilex_array *x, int64_t k, int64_t c,
        bool equal, bool apart)
{
    ix_constraint r = {.c = c, .equal = equal};
    add_form(q, who, x->ops[0], k, &r);
    add_form(q, who, x->ops[1], -k, &r);
    if (q->lost)
        return;
    if (apart && q->napart < MOST_APART)
        q->apart[q->napart++] = r;
    else if (apart)
        q->inexact = true;
    else
        constrain(q, &r);
}

/* Adds what a comparison of index sums says; false if it is none. */
static bool
add_comparison(question *q, int who, const ilex_array *x, bool holds)
{
    switch (ix_op_of(x)) {
    case IX_OP_LESS: /* a < b, or a >= b */
        compare(q, who, x, holds ? -1 : 1, holds ? -1 : 0, false, false);
        return true;
    case IX_OP_LESS_EQUAL:
        compare(q, who, x, holds ? -1 : 1, holds ? 0 : -1, false, false);
        return true;
    case IX_OP_GREATER:
        compare(q, who, x, holds ? 1 : -1, holds ? -1 : 0, false, false);
        return true;
    case IX_OP_GREATER_EQUAL:
        compare(q, who, x, holds ? 1 : -1, holds ? 0 : -1, false, false);
        return true;
    case IX_OP_EQUAL:
        compare(q, who, x, 1, 0, holds, !holds);
        return true;
    case IX_OP_NOT_EQUAL:
        compare(q, who, x, 1, 0, !holds, holds);
        return true;
    default:
        return false;
    }
}

/* Adds what a condition says of the indices of access "who"; one on data says
 * nothing. */
static void
add_condition(question *q, int who, const ilex_array *x, bool holds)
{
    const ix_stmt *s = x->kind == IX_VALUE && x->attr[0] >= 0
                           ? q->a->definition[x->attr[0]].stmt
                           : NULL;
    if (s && s->kind == IX_STMT_LET)
        x = ix_let_value(s);
    if (!(x->flags & IX_HAS_CONDITION))
        return;
    ix_op op = x->kind == IX_OP ? ix_op_of(x) : IX_OP_ADD;
    bool both = holds ? op == IX_OP_LOGICAL_AND : op == IX_OP_LOGICAL_OR;
    if (ix_is_logic(x) && op == IX_OP_LOGICAL_NOT) {
        add_condition(q, who, x->ops[0], !holds);
    } else if (ix_is_logic(x) && both) {
        add_condition(q, who, x->ops[0], holds);
        add_condition(q, who, x->ops[1], holds);
    } else if (x->kind != IX_OP || !ix_is_index_condition(x) ||
               !add_comparison(q, who, x, holds)) {
        q->inexact = true;
    }
}

/* Is there a solution with what is not 0 above or below, in some way? */
static ix_tri
solve_apart(question *q)
{
    ix_tri any = IX_NO;
    int n = q->s.n;
    q->s.unknowns = q->nunknowns;
    for (unsigned signs = 0; signs < 1u << q->napart && any != IX_YES;
         signs++) {
        q->s.n = n;
        for (int i = 0; i < q->napart; i++) {
            ix_constraint r = q->apart[i];
            for (int k = 0; k < IX_UNKNOWNS && signs >> i & 1; k++)
                r.k[k] = -r.k[k];
            r.c = (signs >> i & 1 ? -r.c : r.c) - 1;
            constrain(q, &r);
        }
        ix_tri is = ix_constraints_solvable(&q->s);
        any = is == IX_NO ? any : is;
    }
    return any;
}

/* ---- the question ---- */

static void
ask_element(question *q)
{
    const ix_access *x = q->x[0], *y = q->x[1];
    bool whole = x->rank < 0 || y->rank < 0;
    q->inexact = false;
    q->in_index = true;
    for (int d = 0; !whole && d < x->rank; d++) {
        ix_constraint r = {.equal = true};
        add_form(q, 0, x->index[d], 1, &r);
        add_form(q, 1, y->index[d], -1, &r);
        constrain(q, &r);
    }
    q->in_index = false;
}

/* Of a loop around both: where "y" is, seen from "x". */
static void
ask_direction(question *q, int at, ix_direction direction)
{
    const ix_stmt *loop = q->x[0]->around[at];
    int sign = loop->down ? -direction : (int)direction;
    if (direction == IX_ANY || at < q->same)
        return;
    ix_constraint r = {.equal = direction == IX_SAME};
    int of_x = variable_of(q, 0, at), of_y = variable_of(q, 1, at);
    if (q->lost)
        return;
    /* with nothing else before, they start at the same point */
    r.c = direction == IX_SAME ? 0 : at == q->same ? -loop->step : -1;
    r.k[of_y] = sign < 0 ? -1 : 1;
    r.k[of_x] = -r.k[of_y];
    constrain(q, &r);
    bool made;
    if (at == q->same && loop->step > 1) {
        ix_constraint steps = {.equal = true};
        plus(q, &steps, of_y, 1);
        plus(q, &steps, of_x, -1);
        plus(q, &steps, unknown_for(q, loop, SHARED + STEPS, &made),
             -loop->step);
        constrain(q, &steps);
    }
}

/* The two are in different iterations of a loop in which the scratch is made:
 * they have one each. */
static bool
is_private(const ix_accesses *a, const ix_access *x, int n,
           const ix_direction *direction)
{
    int depth = x->scratch ? a->definition[x->scratch->number].depth : 0;
    for (int i = 0; i < n && i < depth; i++)
        if (direction[i] == IX_BEFORE || direction[i] == IX_AFTER)
            return true;
    return false;
}

/* Is the answer no because of an index that is a loop's plus a constant? Most
 * are, so it is asked before all else. */
static bool
shifts_apart(const ix_access *x, const ix_access *y, int n,
             const ix_direction *direction)
{
    for (int d = 0; x->rank == y->rank && d < x->rank; d++) {
        int kx, ky;
        int64_t cx, cy, by;
        if (!ix_index_is_shift(x->index[d], &kx, &cx) ||
            !ix_index_is_shift(y->index[d], &ky, &cy) || kx != ky ||
            !ix_sub(cx, cy, &by))
            continue;
        for (int i = 0; i < n; i++) {
            const ix_stmt *loop = x->around[i];
            if (loop->number != kx || y->around[i]->number != kx ||
                direction[i] == IX_ANY)
                continue;
            int sign = (by > 0) - (by < 0);
            if (sign * (loop->down ? -1 : 1) != (int)direction[i])
                return true;
        }
    }
    return false;
}

/* Asks with what is known, and examples of what is not. */
static ix_tri
ask(question *q, int n, const ix_direction *direction)
{
    const ix_access *x = q->x[0], *y = q->x[1];
    q->same = q->nunknowns = q->s.n = q->napart = 0;
    q->lost = q->counts = q->s.loose = false;
    while (q->same < n && direction[q->same] == IX_SAME)
        q->same++;
    ask_element(q);
    for (int who = 0; who < 2; who++)
        for (int i = 0; i < q->x[who]->depth; i++)
            variable_of(q, who, i);
    for (int i = 0; i < n; i++)
        ask_direction(q, i, direction[i]);
    q->in_index = true;
    for (int who = 0; who < 2; who++)
        for (const ix_branch *b = q->x[who]->branch; b; b = b->around)
            add_condition(q, who, b->condition, b->holds);
    q->in_index = false;
    ix_tri meet = solve_apart(q);
    bool known = !q->inexact && !q->lost && !x->unknown && !y->unknown;
    return meet == IX_NO || known ? meet : IX_UNKNOWN;
}

ix_tri
ix_accesses_meet(ix_accesses *a, const ix_access *x, const ix_access *y, int n,
                 const ix_direction *direction)
{
    if (is_private(a, x, n, direction) || shifts_apart(x, y, n, direction))
        return IX_NO;
    if (!a->meeting)
        a->meeting = ix_arena_new(&a->u->arena, sizeof *a->meeting);
    question *q = a->meeting;
    ix_tri meet = IX_UNKNOWN;
    q->a = a;
    q->x[0] = x;
    q->x[1] = y;
    q->counts = true;
    for (int i = 0; i < ONES * ONES && q->counts && meet == IX_UNKNOWN; i++) {
        q->ones[0] = i % ONES;
        q->ones[1] = i / ONES;
        meet = ask(q, n, direction);
    }
    return meet;
}
