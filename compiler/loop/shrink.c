/* SPDX-License-Identifier: MIT
 *
 * shrink T at L: a temporary of which each iteration of L reads only what it
 * wrote becomes memory of one iteration: the axes that the loops up to L run
 * along go, and each part of a run has one of its own.
 *
 *     for i in [0, n)                for i in [0, n)
 *         for k in [0, m)                for k in [0, m)
 *             T[i, k] = ...                  T[k] = ...
 *         for k in [0, m)                for k in [0, m)
 *             y[i, k] = T[i, k]              y[i, k] = T[k]
 *
 * with [window N] an iteration may use what those before it used, of N rows
 * along L in all, which is serial: row r is where r - N was, which no iteration
 * uses any more.
 *
 *     for i in [0, n)                for i in [0, n)
 *         T[i + 1] = ...                 T[(i + 1) mod 2] = ...
 *         y[i] = f(T[i + 1], T[i])       y[i] = f(T[(i + 1) mod 2], T[i mod 2])
 */
#include "compiler/loop/distances.h"

/* As many rows may be kept. */
enum { MOST_ROWS = 4096 };

/* All indices along an axis are one sum, and some numbers; NULL: they are not.
 */
typedef struct along {
    const ilex_array *sum;
    int64_t least, most;
} along;

typedef struct shrinking {
    ix_unit *u;
    int buffer;
    const ix_cursor *at;
    int64_t window;
    int outer; /* so many loops and branches around L are around what an
                  iteration has already */
    along axis[ILEX_MAX_RANK];
    uint32_t gone; /* axes, a bit each */
    int ring;      /* the axis of which there are "window" rows, or -1 */
} shrinking;

/* ---- how it is used ---- */

/* One more index along an axis. */
static void
take_in(ix_unit *u, along *x, ilex_array *index, bool first)
{
    ix_index_form f;
    ix_index_form_of(index, &f);
    const ilex_array *sum = ix_index_offset(u->ctx, index, -f.c);
    x->sum = first || x->sum == sum ? sum : NULL;
    x->least = first || f.c < x->least ? f.c : x->least;
    x->most = first || f.c > x->most ? f.c : x->most;
}

/* Finds what axes run along; false: it is used outside of the loop, or nowhere.
 */
static bool
find_axes(shrinking *x)
{
    bool first = true, alone = true;
    ix_accesses a = ix_accesses_in(x->u, x->at->k, x->at->k->body);
    for (size_t i = 0; i < a.n && alone; i++) {
        const ix_access *y = &a.item[i];
        if (y->buffer != x->buffer)
            continue;
        alone = ix_access_is_in(y, ix_cursor_loop(x->at));
        for (int d = 0; d < y->rank; d++)
            take_in(x->u, &x->axis[d], y->index[d], first);
        first = false;
    }
    return alone && !first;
}

/* ---- may it? ---- */

static const ix_stmt *
loop_around(const shrinking *x, int d)
{
    const ix_stmt *s =
        d < x->at->depth ? x->at->around[d] : ix_cursor_loop(x->at);
    return s->kind == IX_STMT_FOR ? s : NULL;
}

/* The innermost loop around L, or NULL. */
static const ix_stmt *
loop_outside(const shrinking *x)
{
    const ix_stmt *found = NULL;
    for (int d = x->at->depth - 1; d >= 0 && !found; d--)
        found = loop_around(x, d);
    return found;
}

/* Finds the loops around L that go on: not those around what is one's of an
 * iteration already. False: L is one of these. */
static bool
find_outer(shrinking *x, const ix_buffer *b)
{
    for (int d = 0; d <= x->at->depth && b->own; d++) {
        const ix_stmt *loop = loop_around(x, d);
        if (loop && ix_is_part_of(x->at->k, loop->number, b->within))
            x->outer = d + 1;
    }
    return x->outer <= x->at->depth && (!b->own || x->outer);
}

/* Is a sum the index of the loop plus what all its iterations have in common?
 */
static bool
moves_with(const shrinking *x, const ilex_array *sum, const ix_stmt *loop)
{
    ix_index_form f;
    bool moves = false, common = true;
    if (!sum)
        return false;
    ix_index_form_of(sum, &f);
    for (int i = 0; i < f.n && common; i++) {
        const ilex_array *atom = f.t[i].atom;
        bool index = atom->kind == IX_INDEX, outside = atom->kind == IX_SIZE;
        for (int d = 0; d < x->at->depth && index && !outside; d++)
            outside =
                loop_around(x, d) && loop_around(x, d)->number == atom->attr[0];
        if (index && atom->attr[0] == loop->number && f.t[i].k == 1)
            moves = true;
        else
            common = outside;
    }
    return moves && common;
}

/* Does the axis go with the loop, or become rows of the window? */
static void
take_axis(shrinking *x, int a, const ix_stmt *loop)
{
    const along *ax = &x->axis[a];
    bool last = loop == ix_cursor_loop(x->at);
    bool is = ax->sum == ix_scalar_index(x->u->ctx, loop->number);
    if (ax->least == ax->most && !(last && x->window > 1))
        x->gone |= (uint32_t)is << a;
    else if (last && ax->most - ax->least < x->window)
        x->ring = moves_with(x, ax->sum, loop) ? a : x->ring;
}

/* Runs an axis that goes along the loop, or along another one over parts of
 * what it is over? */
static bool
has_axis(const shrinking *x, int rank, const ix_stmt *loop)
{
    const ix_kernel *k = x->at->k;
    int root = ix_variable_root(k, loop->number);
    bool has = x->ring >= 0 && loop == ix_cursor_loop(x->at);
    for (int a = 0; a < rank && !has; a++)
        has = x->gone >> a & 1 &&
              ix_variable_root(k, (int)x->axis[a].sum->attr[0]) == root;
    return has;
}

/* Has each loop an axis? */
static bool
find_gone(shrinking *x, int rank)
{
    bool all = true;
    const ix_stmt *loop;
    for (int d = x->outer; d <= x->at->depth; d++)
        for (int a = 0; a < rank && (loop = loop_around(x, d)); a++)
            take_axis(x, a, loop);
    for (int d = x->outer; d <= x->at->depth && all; d++)
        if ((loop = loop_around(x, d)))
            all = has_axis(x, rank, loop);
    return all;
}

/* ---- accesses ---- */

/* An index along an axis that is kept. */
static ilex_array *
kept_index(const shrinking *x, int a, ilex_array *index)
{
    ilex_context *ctx = x->u->ctx;
    if (a != x->ring)
        return index;
    return ix_index_fma(ctx, index, -x->window,
                        ix_index_floordiv(ctx, index, x->window));
}

static int
kept(const shrinking *x, int rank, ilex_array *const *index, ilex_array **now)
{
    int n = 0;
    for (int a = 0; a < rank; a++)
        if (!(x->gone >> a & 1))
            now[n++] = kept_index(x, a, index[a]);
    return n;
}

static ilex_array *
smaller_load(void *user, ilex_array *load, ilex_array *const *index)
{
    const shrinking *x = user;
    ilex_array *now[ILEX_MAX_RANK];
    if (load->attr[0] != x->buffer)
        return NULL;
    int n = kept(x, load->nops, index, now);
    return ix_scalar_load(x->u->ctx, (ilex_dtype)load->dtype, x->buffer, n,
                          now);
}

static ix_stmt *
smaller_store(void *user, ix_stmt *s)
{
    const shrinking *x = user;
    ilex_array *now[ILEX_MAX_RANK];
    if (s->buffer != x->buffer)
        return s;
    int n = kept(x, s->n[IX_INDICES], ix_operands(s, IX_INDICES), now);
    return ix_stmt_with_group(x->u, s, IX_INDICES, n, now);
}

/* The box without the axes that go. */
static const ix_domain *
smaller_box(const shrinking *x, const ix_domain *box)
{
    ilex_context *ctx = x->u->ctx;
    ix_axis ax[ILEX_MAX_RANK];
    ix_axis rows = {.lo = ix_lin_const(ctx, 0),
                    .hi = ix_lin_const(ctx, x->window)};
    int n = 0;
    for (int a = 0; a < box->rank; a++)
        if (!(x->gone >> a & 1))
            ax[n++] = a == x->ring ? rows : box->ax[a];
    return ix_domain_new(ctx, n, ax);
}

/* May there be rows along L? */
static ix_refusal
look_at_window(const shrinking *x)
{
    const ix_stmt *loop = ix_cursor_loop(x->at);
    if (x->window & (x->window - 1))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%lld is no power of two",
                         (long long)x->window);
    if (x->window > MOST_ROWS)
        return ix_refuse(x->u, IX_REFUSAL_SIZE, "more than %d rows", MOST_ROWS);
    if (x->window > 1 && (loop->how != IX_SERIAL || !loop_outside(x)))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "the loop is no serial one in another one");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

static ix_refusal
look_at(shrinking *x, const char *name)
{
    const ix_buffer *b = x->buffer < 0 ? NULL : &x->u->buffer[x->buffer];
    if (!b || (b->own ? b->own != x->at->k : !b->local))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "%s is no temporary of this kernel alone", name);
    if (x->u->target->grid)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, IX_NO_WORKSPACE);
    if (ix_stmts_fetch(x->at->k->body, x->buffer)) /* what nobody uses */
        return ix_refuse(x->u, IX_REFUSAL_SHAPE, "%s is asked for before",
                         name);
    if (!find_axes(x))
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         "%s is used outside of the loop", name);
    if (!find_outer(x, b))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "%s is memory of one iteration already", name);
    if (!find_gone(x, b->box->rank))
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         x->window > 1
                             ? "%s is used at other points than those of the "
                               "loops and %lld along the last one"
                             : "%s is used at other points than that of the "
                               "loops",
                         name, (long long)x->window);
    return look_at_window(x);
}

bool
ix_loop_has_temporary(const ix_unit *u, const ix_kernel *k, const ix_stmt *loop)
{
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].own == k &&
            ix_is_part_of(k, loop->number, u->buffer[i].within))
            return true;
    return false;
}

/* Each part of a run has memory of its own, of what an iteration has: of L, or
 * where there are rows of it of the loop outside. */
static void
note_own(const shrinking *x)
{
    ix_buffer *b = &x->u->buffer[x->buffer];
    ix_stmt *loop = ix_cursor_loop(x->at);
    int within = loop->number;
    if (x->ring >= 0) {
        loop->parallel = false;
        within = loop_outside(x)->number;
    }
    if (!b->own || !ix_is_part_of(x->at->k, within, b->within))
        b->within = within;
    b->own = x->at->k;
    b->interior = b->box = smaller_box(x, b->box);
}

ix_refusal
ix_loop_shrink(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    shrinking x = {.u = u,
                   .buffer = ix_buffer_find(u, d->name),
                   .at = c,
                   .window = d->words & 1 ? d->n : 1,
                   .ring = -1};
    ix_refusal refusal = look_at(&x, d->name);
    if (refusal.class != IX_REFUSAL_NONE)
        return refusal;
    note_own(&x);
    ix_stmt *loop = ix_cursor_loop(c);
    ix_substitution s = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .load = smaller_load,
                         .became = ix_origin_keep,
                         .user = &x,
                         .listener = u};
    loop->body = ix_stmt_rewrite(ix_stmt_substitute(u, &s, loop->body),
                                 smaller_store, &x);
    ix_substitution_free(&s);
    return (ix_refusal){0};
}
