/* SPDX-License-Identifier: MIT
 *
 * What one iteration of a loop touches: in the index sums of accesses the
 * variables of the loops inside are replaced by their bounds, innermost ones
 * first, until only what is known outside is left.
 */
#include "compiler/loop/box.h"

/* Rounds of replacing for an index, bounds times loops. */
enum { MOST_ROUNDS = 200 };

typedef struct seeker {
    ix_unit *u;
    const ix_accesses *a;
    bool *variable, *value; /* what there is only inside of the loop */
    int depth;              /* loops up to that one, which is one of them */
    int branches;           /* around it */
    bool idle;              /* an iteration may access nothing */
    int rounds;
    bool relaxed; /* operations that are known outside are seen through, too */
    bool lost;    /* a bound */
} seeker;

/* ---- what is known outside ---- */

static bool
note_inside(void *user, ix_stmt *s)
{
    seeker *f = user;
    if (s->kind == IX_STMT_FOR)
        f->variable[s->number] = true;
    if (ix_stmt_defines(s))
        f->value[s->number] = true;
    return true;
}

static const ix_stmt *
definition_of(const seeker *f, const ilex_array *x)
{
    return x->attr[0] < 0 ? NULL : f->a->definition[x->attr[0]].stmt;
}

/* Does an index depend on what is not known outside, or is data? */
static bool
is_inside(const seeker *f, const ilex_array *x)
{
    bool inside =
        x->kind == IX_LOAD || x->kind == IX_CHECKED || x->kind == IX_RINDEX;
    if (x->kind == IX_INDEX)
        return f->variable[x->attr[0]];
    if (x->kind == IX_VALUE) {
        const ix_stmt *s = definition_of(f, x);
        return x->attr[0] >= 0 &&
               (f->value[x->attr[0]] || !s || s->kind != IX_STMT_LET ||
                !ix_index_is_affine(ix_let_value(s)) ||
                is_inside(f, ix_let_value(s)));
    }
    for (int i = 0; i < x->nops && !inside; i++)
        inside = is_inside(f, x->ops[i]);
    return inside;
}

static int
position_of(const ix_access *at, int64_t variable)
{
    int i = at->depth - 1;
    while (i >= 0 && at->around[i]->number != variable)
        i--;
    return i;
}

/* The part of a sum that varies most, -1: none. */
static int
innermost(const seeker *f, const ix_access *at, const ix_index_form *form)
{
    int pick = -1, deepest = -1;
    for (int i = 0; i < form->n; i++) {
        const ilex_array *x = form->t[i].atom;
        int depth = x->kind == IX_INDEX ? position_of(at, x->attr[0]) : IX_DEEP;
        if (depth > deepest && is_inside(f, x)) {
            pick = i;
            deepest = depth;
        }
    }
    return pick;
}

static int
first_operation(const ix_index_form *form)
{
    int i = 0;
    while (i < form->n && form->t[i].atom->kind != IX_OP)
        i++;
    return i < form->n ? i : -1;
}

/* ---- bounds of an index ---- */

static void
add(seeker *f, ix_ends *e, ilex_array *x)
{
    for (int i = 0; i < e->n; i++)
        if (e->x[i] == x)
            return;
    if (e->n < IX_MOST_BOUNDS)
        e->x[e->n++] = x;
    else
        f->lost = true;
}

/* Is b - a known? */
static bool
difference(ix_unit *u, ilex_array *b, ilex_array *a, int64_t *by)
{
    const ilex_array *x = ix_index_try_fma(u->ctx, b, -1, a);
    if (!x || x->kind != IX_CONST)
        return false;
    *by = x->attr[0];
    return true;
}

/* Bounds that hold for others, too: moved by what is known, or not there. */
static void
join(ix_unit *u, ix_ends *all, const ix_ends *e, bool up)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        bool found = false;
        int64_t nearest = 0, d;
        for (int j = 0; j < e->n; j++)
            if (difference(u, e->x[j], all->x[i], &d) &&
                (!found || (up ? d < nearest : d > nearest))) {
                found = true;
                nearest = d;
            }
        bool further = up ? nearest > 0 : nearest < 0;
        if (found)
            all->x[n++] =
                ix_index_offset(u->ctx, all->x[i], further ? nearest : 0);
    }
    all->n = n;
}

static void find_ends(seeker *f, const ix_access *at, ilex_array *x, bool up,
                      ix_ends *e);

/* The same with k times "part" replaced by k times "by" + c. */
static void
find_with(seeker *f, const ix_access *at, ilex_array *x, bool up, ix_ends *e,
          int64_t k, ilex_array *part, ilex_array *by, int64_t c)
{
    ilex_context *ctx = f->u->ctx;
    x = ix_index_try_fma(ctx, x, -k, part);
    x = x ? ix_index_try_fma(ctx, x, k, by) : NULL;
    x = x ? ix_index_try_fma(ctx, x, k, ix_index_const(ctx, c)) : NULL;
    if (x)
        find_ends(f, at, x, up, e);
    else
        f->lost = true;
}

/* A part is the least or the largest of two, of which one bounds it, or what
 * bounds both does, or it is a quotient: c*(y // c) is in (y - c, y]. */
static void
find_ends_of_op(seeker *f, const ix_access *at, ilex_array *x, bool up,
                ix_ends *e, int64_t k, ilex_array *part)
{
    ilex_context *ctx = f->u->ctx;
    ilex_array *const *y = part->ops;
    ix_op op = ix_op_of(part);
    ix_op one = (k > 0) == up ? IX_OP_MINIMUM : IX_OP_MAXIMUM;
    bool quotient = op == IX_OP_FLOOR_DIVIDE && y[1]->kind == IX_CONST &&
                    y[1]->attr[0] > 0 && k % y[1]->attr[0] == 0;
    ix_ends both = {0}, other = {0};
    if (quotient) {
        int64_t c = y[1]->attr[0];
        ilex_array *without = ix_index_try_fma(ctx, x, -k, part);
        if (without)
            find_with(f, at, without, up, e, k / c, ix_index_const(ctx, 0),
                      y[0], one == IX_OP_MAXIMUM ? 1 - c : 0);
    }
    if (op != IX_OP_MINIMUM && op != IX_OP_MAXIMUM)
        return;
    find_with(f, at, x, up, op == one ? e : &both, k, part, y[0], 0);
    find_with(f, at, x, up, op == one ? e : &other, k, part, y[1], 0);
    join(f->u, &both, &other, up);
    for (int i = 0; i < both.n; i++)
        add(f, e, both.x[i]);
}

/* Finds the lowest or the highest values of an index, known outside. */
static void
find_ends(seeker *f, const ix_access *at, ilex_array *x, bool up, ix_ends *e)
{
    ix_index_form form;
    ix_index_form_of(x, &form);
    int i = innermost(f, at, &form);
    if (i < 0)
        add(f, e, x);
    if (i < 0 && f->relaxed)
        i = first_operation(&form);
    if (i < 0 || f->rounds++ > MOST_ROUNDS)
        return;
    ilex_array *part = form.t[i].atom;
    int64_t k = form.t[i].k;
    bool high = (k > 0) == up;
    const ix_stmt *s = part->kind == IX_VALUE ? definition_of(f, part) : NULL;
    int loop = part->kind == IX_INDEX ? position_of(at, part->attr[0]) : -1;
    if (s && s->kind == IX_STMT_LET && ix_index_is_affine(ix_let_value(s)))
        find_with(f, at, x, up, e, k, part, ix_let_value(s), 0);
    if (part->kind == IX_OP)
        find_ends_of_op(f, at, x, up, e, k, part);
    if (loop < 0)
        return;
    s = at->around[loop];
    int group = high ? (int)IX_for_hi : (int)IX_for_lo;
    for (int j = 0; j < s->n[group]; j++)
        find_with(f, at, x, up, e, k, part, ix_operands(s, group)[j],
                  high ? -1 : 0);
}

/* ---- is it made at all elements? ---- */

static bool
has_bounds_outside(const seeker *f, const ix_stmt *loop)
{
    bool outside = !loop->n[IX_for_while];
    for (int i = 0; i < ix_operands_before(loop, IX_GROUPS) && outside; i++)
        outside = !is_inside(f, loop->x[i]);
    return outside;
}

/* Is each index of the access what is known outside plus the variable of a loop
 * of its own, one by one? "used" gets these loops. */
static bool
is_exact(const seeker *f, const ix_access *at, bool *used)
{
    int branches = 0;
    bool exact = true;
    for (const ix_branch *b = at->branch; b; b = b->around)
        branches++;
    for (int d = 0; d < at->rank && exact; d++) {
        ix_index_form form;
        ix_index_form_of(at->index[d], &form);
        int i = innermost(f, at, &form), inside = 0;
        for (int j = 0; j < form.n; j++)
            inside += is_inside(f, form.t[j].atom);
        if (inside == 0)
            continue;
        const ilex_array *x = form.t[i].atom;
        int loop = x->kind == IX_INDEX ? position_of(at, x->attr[0]) : -1;
        exact = inside == 1 && loop >= f->depth && !used[loop] &&
                (form.t[i].k == 1 || form.t[i].k == -1) &&
                at->around[loop]->step == 1 &&
                has_bounds_outside(f, at->around[loop]);
        if (exact)
            used[loop] = true;
    }
    return exact && branches == f->branches;
}

/* Notes in the box whether the access is made at all of its elements. */
static void
ask_exact(seeker *f, const ix_access *at, ix_box *box)
{
    bool used[IX_DEEP + 1] = {false};
    if (at->depth > IX_DEEP || !is_exact(f, at, used)) {
        box->exact = box->always = false;
        return;
    }
    for (int i = f->depth; i < at->depth; i++) {
        const ix_stmt *loop = at->around[i];
        box->always &= used[i] || (!loop->optional && !loop->n[IX_for_while]);
        f->idle |= !used[i] && !ix_loop_has_iterations(loop);
    }
}

/* ---- boxes of several accesses ---- */

static bool
is_same(const ix_ends *a, const ix_ends *b)
{
    return a->n == b->n && !memcmp(a->x, b->x, (size_t)a->n * sizeof *a->x);
}

/* One more access along an axis of the box. */
static void
take_in(seeker *f, const ix_access *at, int d, bool first, ix_box *box)
{
    ix_box_axis *ax = &box->axis[d];
    ix_ends lo = {0}, hi = {0};
    f->rounds = 0;
    find_ends(f, at, at->index[d], false, &lo);
    find_ends(f, at, at->index[d], true, &hi);
    if (first) {
        ax->lo = lo;
        ax->hi = hi;
        return;
    }
    box->exact &= is_same(&ax->lo, &lo) && is_same(&ax->hi, &hi);
    join(f->u, &ax->lo, &lo, false);
    join(f->u, &ax->hi, &hi, true);
}

/* ---- an axis of the box ---- */

bool
ix_box_measure(ix_unit *u, ix_box_axis *ax)
{
    ax->from = NULL;
    for (int i = 0; i < ax->lo.n; i++)
        for (int j = 0; j < ax->hi.n; j++) {
            int64_t d;
            if (ix_index_most(u, ax->hi.x[j], ax->lo.x[i], &d) &&
                (!ax->from || d + 1 < ax->n)) {
                ax->from = ax->lo.x[i];
                ax->n = d + 1;
            }
        }
    return ax->from != NULL;
}

/* The bounds that are no constants seen from where the axis begins; false:
 * there is one too many. */
static bool
keep_others(ix_unit *u, const ilex_array *from, ix_ends *e, int64_t behind)
{
    ix_ends all = *e;
    e->n = 0;
    for (int i = 0; i < all.n; i++) {
        ilex_array *x =
            ix_index_try_fma(u->ctx, all.x[i], -1, (ilex_array *)from);
        if (x && x->kind == IX_CONST)
            continue;
        if (!x || e->n == IX_MOST_BOUNDS - 2)
            return false;
        e->x[e->n++] = ix_index_offset(u->ctx, x, behind);
    }
    return true;
}

bool
ix_index_is_positive(ix_unit *u, const ilex_array *x)
{
    const ix_lin *lin = x ? ix_index_to_lin(u->ctx, x) : NULL;
    return lin && ix_lin_nonneg_fast(u->ctx, lin);
}

/* No index is outside of [lo, hi), where the buffer is. */
static void
clip(ix_unit *u, ix_box_axis *ax, ilex_array *lo, ilex_array *hi)
{
    ilex_context *ctx = u->ctx;
    ilex_array *below = ix_index_fma(ctx, lo, -1, ax->from);
    ilex_array *above = ix_index_fma(ctx, hi, -1, ax->from);
    bool least = ix_index_is_positive(
        u, ix_index_fma(ctx, ix_index_const(ctx, 0), -1, below));
    bool most = ix_index_is_positive(u, ix_index_offset(ctx, above, -ax->n));
    for (int i = 0; i < ax->lo.n; i++)
        least |= ix_index_is_positive(
            u, ix_index_try_fma(ctx, ax->lo.x[i], -1, below));
    for (int i = 0; i < ax->hi.n; i++)
        most |= ix_index_is_positive(
            u, ix_index_try_fma(ctx, above, -1, ax->hi.x[i]));
    if (!least)
        ax->lo.x[ax->lo.n++] = below;
    if (!most)
        ax->hi.x[ax->hi.n++] = above;
}

static void
clip_all(const seeker *f, const ix_access *at, ix_box *box)
{
    ilex_context *ctx = f->u->ctx;
    for (int d = 0; d < box->rank; d++) {
        ilex_array *lo = ix_index_const(ctx, 0), *hi;
        if (at->scratch) {
            hi = ix_index_const(ctx, at->scratch->extent);
        } else {
            const ix_axis *ax = &f->u->buffer[at->buffer].box->ax[d];
            lo = ix_index_lin(ctx, ax->lo);
            hi = ix_index_lin(ctx, ax->hi);
        }
        clip(f->u, &box->axis[d], lo, hi);
    }
}

/* ---- the box ---- */

static ix_refusal
measure_all(const seeker *f, const ix_access *at, ix_box *box)
{
    for (int d = 0; d < box->rank; d++) {
        ix_box_axis *ax = &box->axis[d];
        if (!ix_box_measure(f->u, ax))
            return ix_refuse(f->u, IX_REFUSAL_SHAPE,
                             "what an iteration touches along axis %d has no "
                             "constant length",
                             d);
        if (ax->n <= 0)
            return ix_refuse(f->u, IX_REFUSAL_SHAPE,
                             "an iteration touches nothing along axis %d", d);
        box->exact &= keep_others(f->u, ax->from, &ax->lo, 0);
        box->exact &= keep_others(f->u, ax->from, &ax->hi, 1);
    }
    if (!box->exact || (f->idle && !box->always))
        clip_all(f, at, box);
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* What is asked about the cursor's loop. */
static seeker
seek(const ix_accesses *a, const ix_cursor *c)
{
    seeker f = {.u = a->u, .a = a, .depth = ix_cursor_depth(c) + 1};
    f.variable = ix_arena_new(&a->u->arena, c->k->nvariables + 1);
    f.value = ix_arena_new(&a->u->arena, (size_t)c->k->nvalues + 1);
    f.branches = c->depth + 1 - f.depth;
    f.idle = ix_cursor_loop(c)->idle;
    for (int i = 0; i < c->depth; i++)
        f.idle |= c->around[i]->idle;
    ix_stmt_each(ix_cursor_loop(c)->body, note_inside, &f);
    return f;
}

static void
find_box(seeker *f, const ix_access *const *access, size_t n, ix_box *box)
{
    *box = (ix_box){
        .rank = access[0]->rank, .exact = !f->relaxed, .always = !f->relaxed};
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < box->rank; d++)
            take_in(f, access[i], d, i == 0, box);
        ask_exact(f, access[i], box);
    }
    box->exact &= !f->lost;
}

void
ix_box_bounds(const ix_accesses *a, const ix_cursor *c,
              const ix_access *const *access, size_t n, ix_box *box)
{
    seeker f = seek(a, c);
    find_box(&f, access, n, box);
}

ix_refusal
ix_box_of(const ix_accesses *a, const ix_cursor *c,
          const ix_access *const *access, size_t n, ix_box *box)
{
    seeker f = seek(a, c);
    find_box(&f, access, n, box);
    ix_refusal r = measure_all(&f, access[0], box);
    if (r.class != IX_REFUSAL_SHAPE)
        return r;
    f.relaxed = true;
    find_box(&f, access, n, box);
    return measure_all(&f, access[0], box);
}
