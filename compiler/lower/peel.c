/* SPDX-License-Identifier: MIT
 *
 * Pass peel: pieces of a nest's box on which its index conditions are
 * decided, so that loops have no conditionals. needs: kernels of one nest with
 * one store; gives: a nest for each piece; breaks: nothing.
 *
 * What decides: comparisons of index arithmetic under `where`, and minimum and
 * maximum inside indices. Each is a half space e >= 0; a piece is a box plus
 * half spaces. A half space about one index narrows the box where bounds can
 * be compared, else it stays a bound of that loop; one about several indices
 * becomes a bound of the innermost of their loops. Conditions on reduction
 * indices, on floor divisions, or with coefficients other than 1 and -1 stay
 * in the body. That a side is empty is shown by interval algebra, then by isl.
 * A body that checks data stays whole: the failure that is told is the first
 * one in C order, and pieces would find others before it.
 */
#include "compiler/lower/recurrence.h"

enum { MAX_PIECES = 64, MAX_HALVES = 5 };

/* A box, half spaces e >= 0 in normal form, and the body that holds there. */
typedef struct piece {
    ix_axis ax[ILEX_MAX_RANK];
    int nhalves;
    ilex_array *half[MAX_HALVES];
    ilex_array *body;
} piece;

typedef struct peeler {
    ix_unit *u;
    int rank;
    const ix_domain *box;
    ix_levels levels;
    const ix_stmt *store; /* the first one */
    piece *todo[MAX_PIECES];
    int ntodo;
    int npieces; /* made so far, done or not */
} peeler;

/* ---- conditions ---- */

/* What conditions are looked for. The levels of a scan may only be divided
 * where everything else is: so first those that say nothing of them, then those
 * that speak of nothing else. */
typedef struct finder {
    ilex_context *ctx;
    int axis;    /* of the scan; -1: none */
    bool levels; /* look for those */
    ix_map seen;
} finder;

static bool
is_wanted(const finder *f, const ix_index_form *form)
{
    bool free = false, level = false;
    for (int i = 0; i < form->n; i++)
        if (form->t[i].atom->kind == IX_INDEX)
            *(form->t[i].atom->attr[0] == f->axis ? &level : &free) = true;
    return f->axis < 0 || (f->levels ? level && !free : free && !level);
}

/* Can "e" >= 0 bound a loop? */
static bool
is_half_space(const finder *wanted, const ilex_array *e)
{
    ix_index_form f;
    bool unit = false;
    if (!e || !ix_index_is_affine(e))
        return false;
    ix_index_form_of(e, &f);
    if (f.c >= IX_UNBOUNDED || f.c <= -IX_UNBOUNDED)
        return false; /* its opposite, or a sum with it, may overflow */
    int last = -1;
    for (int i = 0; i < f.n; i++) {
        ix_kind kind = (ix_kind)f.t[i].atom->kind;
        if (kind != IX_INDEX && kind != IX_SIZE)
            return false;
        if (kind == IX_INDEX && f.t[i].atom->attr[0] > last) {
            last = (int)f.t[i].atom->attr[0];
            unit = f.t[i].k == 1 || f.t[i].k == -1;
        }
    }
    return unit && is_wanted(wanted, &f);
}

/* a - b - strict, the half space of a >= b or a > b; NULL when it is too large
 * for index arithmetic, and then decides nothing. */
static ilex_array *
difference(ilex_context *ctx, ilex_array *a, ilex_array *b, bool strict)
{
    ilex_array *e = ix_index_try_fma(ctx, a, -1, b);
    return e ? ix_index_try_fma(ctx, e, -(int)strict, ix_index_const(ctx, 1))
             : NULL;
}

/* A half space that decides comparison "n"; for == and != one of its sides.
 * NULL as above. */
static ilex_array *
half_of_comparison(ilex_context *ctx, const ilex_array *n)
{
    ilex_array *a = n->ops[0], *b = n->ops[1];
    switch ((int)ix_op_of(n)) {
    case IX_OP_LESS:
        return difference(ctx, b, a, true);
    case IX_OP_LESS_EQUAL:
        return difference(ctx, b, a, false);
    case IX_OP_GREATER:
        return difference(ctx, a, b, true);
    default: /* greater_equal, equal, not_equal */
        return difference(ctx, a, b, false);
    }
}

/* A half space that the body's conditions ask about, or NULL. */
static ilex_array *find_half(finder *f, const ilex_array *n);

static ilex_array *
find_in_index(finder *f, const ilex_array *x)
{
    if (x->kind == IX_CHECKED)
        return find_half(f, x->ops[0]);
    for (int i = 0; i < x->nops; i++) {
        ilex_array *e = find_in_index(f, x->ops[i]);
        if (e)
            return e;
    }
    bool extremum = x->kind == IX_OP && (ix_op_of(x) == IX_OP_MINIMUM ||
                                         ix_op_of(x) == IX_OP_MAXIMUM);
    if (!extremum)
        return NULL;
    ilex_array *e = difference(f->ctx, x->ops[0], x->ops[1], false);
    return is_half_space(f, e) ? e : NULL;
}

static ilex_array *
find_in_condition(finder *f, const ilex_array *n)
{
    if (n->kind == IX_CONST || !(n->flags & IX_HAS_CONDITION))
        return NULL;
    bool join = ix_is_logic(n);
    for (int i = 0; join && i < n->nops; i++) {
        ilex_array *e = find_in_condition(f, n->ops[i]);
        if (e)
            return e;
    }
    if (join)
        return NULL;
    ilex_array *e = half_of_comparison(f->ctx, n);
    return is_half_space(f, e) ? e : NULL;
}

static ilex_array *
find_half(finder *f, const ilex_array *n)
{
    if (n->nops == 0 || ix_map_find(&f->seen, n))
        return NULL;
    if (!ix_map_set(&f->seen, &f->ctx->mem, n, 1)) {
        ix_fail_memory(&f->ctx->error);
        return NULL;
    }
    if (n->kind == IX_OP && ix_op_of(n) == IX_OP_WHERE &&
        (n->ops[0]->flags & IX_HAS_CONDITION)) {
        ilex_array *e = find_in_condition(f, n->ops[0]);
        if (e)
            return e;
    }
    int parts =
        n->kind == IX_CHECKED ? 1 : n->nops; /* its range is no matter */
    for (int i = 0; i < parts; i++) {
        ilex_array *e = n->kind == IX_LOAD ? find_in_index(f, n->ops[i])
                                           : find_half(f, n->ops[i]);
        if (e)
            return e;
    }
    return NULL;
}

/* ---- deciding ---- */

/* Values of conditions when the sign of "half" is known. */
typedef struct decision {
    ilex_context *ctx;
    ilex_array *half; /* e */
    bool holds;       /* e >= 0, else -e-1 >= 0 */
} decision;

/* Is f >= 0 everywhere that the decision holds? 1 yes, 0 never, -1 unknown. */
static int
implied(const decision *d, ilex_array *f)
{
    ix_index_form e, g;
    if (!f)
        return -1;
    ix_index_form_of(d->half, &e);
    ix_index_form_of(f, &g);
    ix_index_form sum = g, diff = g;
    if (ix_index_form_add(&diff, -1, &e) && diff.n == 0 &&
        (d->holds ? diff.c >= 0 : diff.c <= 0))
        return d->holds; /* g = e + c */
    if (ix_index_form_add(&sum, 1, &e) && sum.n == 0 &&
        (d->holds ? sum.c < 0 : sum.c >= -1))
        return !d->holds; /* g = c - e */
    return -1;
}

static ilex_array *
bool_const(ilex_context *ctx, bool v)
{
    return ix_scalar_const(ctx, ILEX_BOOL, (ix_value){.i = v});
}

/* Of a comparison of indices with a constant difference, its value; else NULL.
 * Such a one is left where a piece has but one index. */
static ilex_array *
constant_comparison(ilex_context *ctx, ilex_array *n)
{
    ilex_array *e = difference(ctx, n->ops[0], n->ops[1], false);
    if (!e)
        return NULL;
    ilex_array *ops[2] = {e, ix_index_const(ctx, 0)};
    return ix_scalar_fold(
        ix_scalar_op(ctx, ix_op_of(n), ILEX_I64, ILEX_BOOL, ops));
}

static ilex_array *
decide_comparison(const decision *d, ilex_array *n)
{
    ilex_array *constant = constant_comparison(d->ctx, n);
    if (constant)
        return constant;
    int at = implied(d, half_of_comparison(d->ctx, n));
    ix_op op = ix_op_of(n);
    bool equality = op == IX_OP_EQUAL || op == IX_OP_NOT_EQUAL;
    if (!equality)
        return at < 0 ? n : bool_const(d->ctx, at);
    if (at == 0)
        return bool_const(d->ctx, op == IX_OP_NOT_EQUAL);
    if (at < 0)
        return n;
    ilex_array *ops[2] = {n->ops[1], n->ops[0]}; /* a >= b known: a == b is */
    return ix_scalar_op(d->ctx,                  /* b >= a */
                        op == IX_OP_EQUAL ? IX_OP_GREATER_EQUAL : IX_OP_LESS,
                        ILEX_I64, ILEX_BOOL, ops);
}

static ilex_array *
apply_decision(void *user, ilex_array *n)
{
    const decision *d = user;
    if (n->kind != IX_OP)
        return n;
    ix_op op = ix_op_of(n);
    if (op == IX_OP_WHERE || ix_is_logic(n))
        return ix_scalar_decided(d->ctx, n);
    if (ix_is_index_condition(n))
        return decide_comparison(d, n);
    if ((op == IX_OP_MINIMUM || op == IX_OP_MAXIMUM) && ix_index_is_affine(n)) {
        int at = implied(d, difference(d->ctx, n->ops[0], n->ops[1], false));
        if (at >= 0)
            return (at == 1) == (op == IX_OP_MINIMUM) ? n->ops[1] : n->ops[0];
    }
    return n;
}

/* NULL when an index gets too large by it: in a minimum of two sums that
 * another is added to, there may be room for the minimum but not the sum. */
static ilex_array *
decided_body(ix_unit *u, ilex_array *body, ilex_array *half, bool holds)
{
    decision d = {u->ctx, half, holds};
    ix_substitution s = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .rewrite = apply_decision,
                         .became = ix_made_keep,
                         .user = &d,
                         .listener = u,
                         .quiet = true};
    ilex_array *r = ix_substitute(&s, body);
    ix_substitution_free(&s);
    return s.too_large ? NULL : r;
}

/* ---- pieces ---- */

/* The half space as a bound of one index: _k >= bound or _k < bound, when it
 * is about one index only. */
static bool
single_axis(ilex_context *ctx, const ilex_array *e, int *k,
            const ix_lin **bound, bool *lower)
{
    ix_index_form f;
    ix_index_form_of(e, &f);
    const ix_lin *rest = ix_lin_const(ctx, f.c);
    int sign = 0;
    for (int i = 0; i < f.n; i++) {
        if (f.t[i].atom->kind == IX_SIZE) {
            rest = ix_lin_try_fma(
                ctx, rest, f.t[i].k,
                ix_lin_param(ctx, (int32_t)f.t[i].atom->attr[0]));
        } else if (sign) {
            return false;
        } else {
            sign = (int)f.t[i].k;
            *k = (int)f.t[i].atom->attr[0];
        }
    }
    *lower = sign > 0;
    *bound = sign > 0 ? ix_lin_try_fma(ctx, ix_lin_const(ctx, 0), -1, rest)
                      : ix_lin_try_offset(ctx, rest, 1);
    return sign != 0 && *bound != NULL;
}

/* Adds e >= 0 to a piece: narrows the box where that can be decided. */
static bool
narrow(peeler *s, piece *p, ilex_array *e)
{
    int k = 0;
    const ix_lin *bound, *met;
    bool lower;
    if (single_axis(s->u->ctx, e, &k, &bound, &lower)) {
        const ix_lin **side = lower ? &p->ax[k].lo : &p->ax[k].hi;
        met = lower ? ix_lin_max(s->u->ctx, *side, bound)
                    : ix_lin_min(s->u->ctx, *side, bound);
        if (met) {
            *side = met;
            return true;
        }
    }
    if (p->nhalves == MAX_HALVES)
        return false;
    p->half[p->nhalves++] = e;
    return true;
}

/* Is the piece empty for all sizes? */
static bool
is_empty(peeler *s, const piece *p)
{
    for (int k = 0; k < s->rank; k++)
        if (ix_lin_le(s->u->ctx, p->ax[k].hi, p->ax[k].lo) == IX_YES)
            return true;
    return false;
}

static ilex_array *
opposite(ilex_context *ctx, ilex_array *e)
{
    return ix_index_fma(ctx, ix_index_const(ctx, -1), -1, e);
}

/* Does e >= 0 hold on the whole box of a piece? */
static bool
holds_on(peeler *s, const piece *p, ilex_array *e)
{
    const ix_domain *box = ix_domain_new(s->u->ctx, s->rank, p->ax);
    ix_frame frame = {.box = box};
    return box &&
           ix_access_is_within(s->u->ctx, &frame, e, ix_lin_const(s->u->ctx, 0),
                               ix_lin_const(s->u->ctx, IX_UNBOUNDED));
}

/* The side of "half" on a copy of "p"; false when a limit does not allow it. */
static bool
push_side(peeler *s, const piece *p, ilex_array *half, bool holds)
{
    ilex_context *ctx = s->u->ctx;
    piece *q = ix_arena_new(&s->u->arena, sizeof *q);
    *q = *p;
    q->body = decided_body(s->u, p->body, half, holds);
    if (!q->body || ix_is_poison(q->body) ||
        !narrow(s, q, holds ? half : opposite(ctx, half)))
        return false;
    if (!is_empty(s, q)) {
        s->todo[s->ntodo++] = q;
        s->npieces++;
    }
    return true;
}

/* The half space as a bound of the loop over its last index: true if that is
 * "axis"; then *lower tells which side. */
static bool
bound_of_half(ilex_context *ctx, ilex_array *half, int axis, bool *lower,
              ilex_array **bound)
{
    ix_index_form f;
    int64_t k = 0;
    int last = -1;
    ix_index_form_of(half, &f);
    for (int t = 0; t < f.n; t++)
        if (f.t[t].atom->kind == IX_INDEX && f.t[t].atom->attr[0] > last) {
            last = (int)f.t[t].atom->attr[0];
            k = f.t[t].k;
        }
    if (last != axis)
        return false;
    ilex_array *rest = ix_index_fma(ctx, half, -k, ix_scalar_index(ctx, axis));
    *lower = k > 0;
    *bound = k > 0 ? ix_index_fma(ctx, ix_index_const(ctx, 0), -1, rest)
                   : ix_index_offset(ctx, rest, 1);
    return true;
}

/* Has the piece points along "axis" wherever the stage has? */
static bool
covers_axis(peeler *s, const piece *p, int axis)
{
    const ix_axis *ax = &p->ax[axis], *box = &s->box->ax[axis];
    for (int i = 0; i < p->nhalves; i++)
        if (p->half[i]->flags & IX_HAS_INDEX)
            return false;
    return (ax->lo == box->lo && ax->hi == box->hi) ||
           ix_lin_le(s->u->ctx, ix_lin_try_offset(s->u->ctx, ax->lo, 1),
                     ax->hi) == IX_YES;
}

/* The loop over "axis": bounds of the box, and every half space whose last
 * index it is. */
static ix_stmt *
loop_of_piece(peeler *s, const piece *p, int axis)
{
    ilex_context *ctx = s->u->ctx;
    ilex_array *lo[MAX_HALVES + 1], *hi[MAX_HALVES + 1], *bound;
    int nlo = 0, nhi = 0;
    bool lower;
    lo[nlo++] = ix_index_lin(ctx, p->ax[axis].lo);
    hi[nhi++] = ix_index_lin(ctx, p->ax[axis].hi);
    for (int i = 0; i < p->nhalves; i++)
        if (bound_of_half(ctx, p->half[i], axis, &lower, &bound))
            *(lower ? &lo[nlo++] : &hi[nhi++]) = bound;
    ix_stmt *loop =
        ix_stmt_new(s->u, IX_STMT_FOR, IX_OPERANDS({nlo, lo}, {nhi, hi}));
    loop->number = axis;
    loop->parallel = axis != s->levels.axis;
    loop->down = !loop->parallel && s->levels.backward;
    loop->optional = !covers_axis(s, p, axis);
    return loop;
}

static ix_stmt *
nest_of_piece(peeler *s, const piece *p)
{
    int order[ILEX_MAX_RANK];
    ix_stmt *inner = ix_nest_stores(s->u, s->store, p->body);
    ix_recurrence_order(s->levels.axis, s->rank, order);
    for (int k = s->rank - 1; k >= 0; k--) {
        ix_stmt *loop = loop_of_piece(s, p, order[k]);
        loop->body = inner;
        inner = loop;
    }
    return inner;
}

/* How many more bounds a loop can take: half spaces per axis are limited. */
static bool
has_room(const peeler *s, const piece *p)
{
    return s->npieces + 2 <= MAX_PIECES && p->nhalves < MAX_HALVES;
}

/* A half space that a condition of the piece asks about; NULL: there is none,
 * or no room. */
static ilex_array *
next_half(peeler *s, const piece *p)
{
    finder f = {.ctx = s->u->ctx, .axis = s->levels.axis};
    ilex_array *half = NULL;
    for (int levels = 0; has_room(s, p) && !half && levels <= (f.axis >= 0);
         levels++) {
        f.levels = levels;
        half = find_half(&f, p->body);
        ix_map_free(&f.seen, &f.ctx->mem);
    }
    return half;
}

/* Which side of the half space is done after the other: in a scan that of the
 * later levels. Else it does not matter. */
static bool
later_side(const peeler *s, const ilex_array *half)
{
    ix_index_form f;
    ix_index_form_of(half, &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom->kind == IX_INDEX &&
            f.t[i].atom->attr[0] == s->levels.axis)
            return (f.t[i].k > 0) != s->levels.backward;
    return true;
}

/* Splits one piece, or turns it into a nest: also when a side cannot be made,
 * the condition is then decided at run time. */
static ix_stmt *
advance(peeler *s, piece *p)
{
    ilex_context *ctx = s->u->ctx;
    ilex_array *half = next_half(s, p);
    if (!half)
        return nest_of_piece(s, p);
    bool always = holds_on(s, p, half);
    bool never = !always && holds_on(s, p, opposite(ctx, half));
    int ntodo = s->ntodo, npieces = s->npieces--;
    bool ok = true, later = later_side(s, half);
    for (int i = 0; i < 2 && ok; i++) {
        bool holds = (i == 0) == later; /* the last one is done first */
        if (holds ? !never : !always)
            ok = push_side(s, p, half, holds);
    }
    if (!ok) {
        s->ntodo = ntodo;
        s->npieces = npieces;
        return nest_of_piece(s, p);
    }
    s->u->changed |= !always && !never;
    return NULL;
}

static void
peel_kernel(ix_unit *u, ix_kernel *k)
{
    const ix_stmt *store = ix_nest_body(k->body);
    peeler s = {.u = u,
                .rank = k->box->rank,
                .box = k->box,
                .levels = k->levels,
                .store = store};
    ix_stmt **tail = &k->body;
    piece all = {.body = ix_nest_values(u, store)};
    memcpy(all.ax, k->box->ax, (size_t)s.rank * sizeof *all.ax);
    s.todo[s.ntodo++] = &all;
    s.npieces = 1;
    while (s.ntodo && u->ctx->error.code == ILEX_OK) {
        ix_stmt *nest = advance(&s, s.todo[--s.ntodo]);
        if (nest) {
            ix_nest_note(nest, store->array);
            *tail = nest;
            tail = &nest->next;
        }
    }
    *tail = NULL;
}

bool
ix_pass_peel(ix_unit *u)
{
    for (ix_kernel **at = &u->kernels; *at;) {
        if (ix_may_peel(u, *at))
            peel_kernel(u, *at);
        if ((*at)->body)
            at = &(*at)->next;
        else
            *at = (*at)->next; /* the box is empty, whatever the sizes */
    }
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}
