/* SPDX-License-Identifier: MIT
 *
 * grid [group|block] L M ...: the points of a nest are threads of a GPU. Up to
 * three loops run over the threads of blocks along z, y and x, the innermost
 * one along x:
 *
 *     for i in [a, n)               for i in [a, n) grid y
 *         for k in [b, m)               for k in [b, m) grid x
 *             ...[i, k]                     ...[i, k]
 *
 * Of more, the outer ones are one along z, over the numbers of their points,
 * from which indices are found out:
 *
 *     t = m - b
 *     for g in [0, (n - a)*t) grid z
 *         r = g / t
 *         k = g - r*t + b
 *         i = r + a
 *         ...[i, k]
 *
 * Where integers that are data are checked each loop has a value, its place in
 * the order of all points, which says what failure is the first:
 *
 *     for i in [a, n) grid y
 *         t = (i - a)*(m - b)
 *         for k in [b, m) grid x
 *             u = t + (k - b)
 *
 * With [group] threads along x are those of a group (group.c), and loops are
 * along y and z. With [block] points are those of blocks (block.c).
 *
 * needs: a nest, rectangular where loops are one, outside of which nothing uses
 * what it writes, since threads do not wait for each other; gives: what is
 * inside, once each. What stands before the first statement that writes a
 * buffer all threads do, each for itself.
 */
#include "compiler/loop/distances.h"
#include "compiler/loop/group.h"

/* Points by which loops of a grid go on, at most: far less than threads may be
 * behind the end of one (finish/narrow.c). */
enum { MOST_STEP = 1024 };

/* A loop whose points are spread over threads. */
typedef struct grid_axis {
    ilex_array *lo, *hi;
    ilex_array *length; /* iterations, of one of several that are one loop; of
                           others points, where there is an order */
} grid_axis;

typedef struct grid {
    ix_unit *u;
    ix_kernel *k;
    ix_stmt **tail; /* where statements are put */
    grid_axis axis[IX_MOST_LOOPS];
    ix_team team; /* of a point */
    int first;    /* dimension of the innermost loop: 1 where x is a group's */
    int several;  /* outer loops that are one loop over the numbers of points */
    bool ordered; /* indices are checked */
    ilex_array *place; /* of the loop around in the order of points; or NULL */
    ix_substitution become; /* of their variables */
} grid;

/* ---- legality ---- */

/* Of an access in the nest and one beside it. */
typedef struct beside {
    ix_accesses a;
    const ix_stmt *nest;
} beside;

static ix_refusal
met_beside(void *user, const ix_access *x, const ix_access *y)
{
    beside *s = user;
    bool one = (x->depth && *x->around == s->nest) ==
               (y->depth && *y->around == s->nest);
    /* scratch is a thread's, and an element stored once */
    bool apart = one || y->write || x->scratch;
    ix_tri meet = apart ? IX_NO : ix_accesses_meet(&s->a, x, y, 0, NULL);
    return ix_refuse_meeting(s->a.u, meet, x, y,
                             "and threads do not wait for each other");
}

static bool
is_no_output(void *user, ix_stmt *s)
{
    (void)user;
    return s->buffer < 0 ||
           (s->kind != IX_STMT_STORE && s->kind != IX_STMT_UPDATE);
}

ix_stmt **
ix_grid_begin(ix_kernel *k)
{
    ix_stmt **at = &k->body;
    while (*at && ix_stmt_each_in(*at, is_no_output, NULL))
        at = &(*at)->next;
    return at;
}

/* What all threads do is the same for each, and no thread changes it. */
static ix_refusal
look_before(ix_unit *u, const ix_accesses *a, size_t nbefore)
{
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *x = &a->item[i];
        bool kept = x->scratch && a->definition[x->scratch->number].depth == 0;
        bool read = x->buffer >= 0 && ix_accesses_write(a, x->buffer);
        if (i < nbefore ? read : kept && x->write)
            return ix_refuse(u, IX_REFUSAL_SHAPE,
                             "threads have one of their own of what stands "
                             "beside the loop");
    }
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* What stands beside the nest. */
static ix_refusal
look_beside(ix_unit *u, const ix_cursor *c)
{
    beside s = {.nest = ix_cursor_loop(c)};
    const ix_stmt *begin = *ix_grid_begin(c->k);
    if (ix_stmt_each_in(ix_cursor_loop(c), is_no_output, NULL))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the loop writes no buffer, and all threads do it");
    if (c->k->body == s.nest && !s.nest->next)
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    for (const ix_stmt *x = begin; x; x = x->next)
        if (ix_stmt_defines(x) && x->kind != IX_STMT_LET)
            return ix_refuse(u, IX_REFUSAL_SHAPE,
                             "%s stands between loops of the kernel",
                             ix_stmt_subject(x).s);
    s.a = ix_accesses_in(u, c->k, c->k->body);
    ix_refusal r =
        look_before(u, &s.a, s.a.n - ix_accesses_in(u, c->k, begin).n);
    return r.class == IX_REFUSAL_NONE ? ix_access_pairs(&s.a, met_beside, &s)
                                      : r;
}

/* Is it the i-th loop of a nest that is all there is, of which some are one? */
static ix_refusal
look_at(ix_unit *u, const ix_cursor *c, int i, int several)
{
    const ix_stmt *loop = ix_cursor_loop(c);
    const ix_stmt *around = i ? ix_cursor_loop(&c[-1]) : NULL;
    if (around ? around->body != loop || loop->next : c->depth > 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the loops are no nest of the kernel, outermost one "
                         "first, with nothing beside them");
    if (!ix_loop_is_plain(loop) || loop->down || loop->step > MOST_STEP)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (i < several && ix_stmt_has(loop, IX_HAS_INDEX))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "bounds of a loop follow one that is around it");
    if (ix_loop_has_temporary(u, c->k, loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_OWN_TEMPORARY);
    return ix_loop_independent(u, c);
}

/* ---- the grid ---- */

static ilex_array *
operation(const grid *g, ix_op op, ilex_dtype dtype, ilex_array *x,
          ilex_array *y)
{
    ilex_array *ops[2] = {x, y};
    return ix_scalar_op(g->u->ctx, op, dtype, dtype, ops);
}

static ix_stmt *
let(grid *g, char prefix, ilex_array *value)
{
    ix_stmt *s = ix_stmt_new(g->u, IX_STMT_LET, IX_OPERANDS({1, &value}));
    s->prefix = prefix;
    s->number = g->k->nvalues++;
    s->dtype = (ilex_dtype)value->dtype;
    *g->tail = s;
    g->tail = &s->next;
    return s;
}

static ilex_array *
value(grid *g, char prefix, ilex_array *x)
{
    return ix_value_of(g->u, let(g, prefix, x));
}

/* The same of numbers of points, from which places are found if indices are
 * checked. */
static ilex_array *
count(grid *g, ilex_array *x)
{
    if (x->kind == IX_SIZE || x->kind == IX_CONST || x->kind == IX_VALUE)
        return x;
    ix_stmt *s = let(g, 't', x);
    s->place = g->ordered;
    return ix_value_of(g->u, s);
}

/* The largest of the lower bounds, the smallest of the upper ones. */
static ilex_array *
one_bound(grid *g, const ix_stmt *loop, int group)
{
    ilex_array *end = ix_substitute(&g->become, ix_loop_end(g->u, loop, group));
    if (loop->n[group] == 1)
        return end;
    ix_stmt *s = let(g, group == IX_for_lo ? 'L' : 'H', end);
    s->bound = true;
    return ix_value_of(g->u, s);
}

/* The ends of a loop; of one of several its length. */
static void
note_ends(grid *g, int i, const ix_stmt *loop)
{
    ilex_context *ctx = g->u->ctx;
    grid_axis *a = &g->axis[i];
    a->lo = one_bound(g, loop, IX_for_lo);
    a->hi = one_bound(g, loop, IX_for_hi);
    if (i >= g->several && !(g->ordered && i > 0))
        return;
    a->length = ix_index_fma(ctx, a->hi, -1, a->lo);
    if (loop->step > 1 && i < g->several)
        a->length = ix_index_floordiv(
            ctx, ix_index_offset(ctx, a->length, loop->step - 1), loop->step);
    /* The first length may be negative where a piece is outside of what is
     * called; the others are not, so there are no points. */
    if (loop->optional)
        a->length = ix_index_max(ctx, a->length, ix_index_const(ctx, 0));
    a->length = count(g, a->length);
}

static ix_stmt *
put_loop(grid *g, int variable, ilex_array *lo, ilex_array *hi, int dim)
{
    ix_stmt *loop = ix_stmt_for(g->u, variable, lo, hi);
    loop->how = IX_GRID;
    loop->dim = (uint8_t)dim;
    *g->tail = loop;
    g->tail = &loop->body;
    return loop;
}

/* The indices of point "f" of several loops; the last one varies fastest.
 * Division without sign is the cheaper one. */
static void
decode(grid *g, const ix_cursor *c, ilex_array *f)
{
    ilex_context *ctx = g->u->ctx;
    for (int i = g->several - 1; i >= 0; i--) {
        const ix_stmt *loop = ix_cursor_loop(&c[i]);
        ilex_array *length = g->axis[i].length, *rows = NULL;
        ilex_array *x = ix_index_fma(ctx, g->axis[i].lo, loop->step, f);
        if (i > 0) {
            rows = operation(g, IX_OP_FLOOR_DIVIDE, ILEX_U64,
                             ix_scalar_cast(ctx, ILEX_U64, f),
                             ix_scalar_cast(ctx, ILEX_U64, length));
            rows = value(g, 't', ix_scalar_cast(ctx, ILEX_I64, rows));
            ilex_array *before = value(
                g, 't', operation(g, IX_OP_MULTIPLY, ILEX_I64, rows, length));
            x = ix_index_fma(ctx, x, -loop->step, before);
        }
        ix_substitution_set(&g->become, ix_scalar_index(ctx, loop->number),
                            value(g, 'p', x));
        f = rows;
    }
}

/* How many points an iteration of the i-th loop has. */
static ilex_array *
points_inside(grid *g, int i, int n)
{
    ilex_array *points = NULL;
    for (int k = n - 1; k > i; k--)
        points = points ? count(g, operation(g, IX_OP_MULTIPLY, ILEX_I64,
                                             points, g->axis[k].length))
                        : g->axis[k].length;
    return points;
}

/* The place of the i-th loop, "at" iterations from its begin. */
static void
put_place(grid *g, ilex_array *at, ilex_array *inside)
{
    if (inside)
        at = operation(g, IX_OP_MULTIPLY, ILEX_I64, at, inside);
    if (g->place)
        at = ix_index_fma(g->u->ctx, g->place, 1, at);
    g->place = count(g, at);
}

/* One loop over the points of several. */
static void
put_several(grid *g, const ix_cursor *c, int dim, ilex_array *inside)
{
    bool optional = false;
    ilex_array *points = g->axis[0].length;
    for (int i = 0; i < g->several; i++)
        optional |= ix_cursor_loop(&c[i])->optional;
    for (int i = 1; i < g->several; i++)
        points =
            operation(g, IX_OP_MULTIPLY, ILEX_I64, points, g->axis[i].length);
    int number = ix_kernel_variable(g->u, g->k, IX_VARIABLE_GRID);
    ix_stmt *loop =
        put_loop(g, number, ix_index_const(g->u->ctx, 0), points, dim);
    loop->optional = optional;
    if (g->ordered)
        put_place(g, ix_scalar_index(g->u->ctx, number), inside);
    decode(g, c, ix_scalar_index(g->u->ctx, number));
}

/* The loops of the grid, with what is inside of the nest; the last one is along
 * x. */
static void
put_grid(grid *g, const ix_cursor *c, int n, ilex_array *const *points)
{
    const ix_stmt *inner = ix_cursor_loop(&c[n - 1]);
    ix_stmt *inside = inner->body;
    if (g->several)
        put_several(g, c, g->first + n - g->several, points[g->several - 1]);
    for (int i = g->several; i < n; i++) {
        const ix_stmt *loop = ix_cursor_loop(&c[i]);
        if (ix_stmt_has(loop, IX_HAS_INDEX))
            note_ends(g, i, loop);
        ix_stmt *s = put_loop(g, loop->number, g->axis[i].lo, g->axis[i].hi,
                              g->first + n - 1 - i);
        s->optional = loop->optional;
        s->step = loop->step;
        if (g->ordered)
            put_place(g,
                      ix_index_fma(g->u->ctx,
                                   ix_scalar_index(g->u->ctx, loop->number), -1,
                                   g->axis[i].lo),
                      points[i]);
    }
    if (g->several)
        inside = ix_stmt_substitute(g->u, &g->become, inside);
    if (g->team == IX_TEAM_GROUP)
        ix_group_mark(g->u, g->k, inside);
    if (g->team == IX_TEAM_BLOCK)
        ix_block_mark(g->u, g->k, &inside);
    *g->tail = inside;
}

static int
last_axis(int axes)
{
    int axis = -1;
    for (; axes; axes >>= 1)
        axis++;
    return axis;
}

/* Which axes of the kernel's box loops are along, a bit each, how many points
 * of the last of them an iteration has, and a loop along x at most; of several
 * nests of a kernel, those of one with the most loops. */
static void
note_axes(const grid *g, const ix_cursor *c, int n)
{
    ix_kernel *k = g->k;
    if (n <= k->grid_loops)
        return;
    k->grid_loops = n;
    memset(k->grid, 0, sizeof k->grid);
    for (int i = 0; i < n; i++) {
        const ix_stmt *loop = ix_cursor_loop(&c[i]);
        int axis = ix_variable_root(k, loop->number);
        int dim = i < g->several ? n - g->several : n - 1 - i;
        ix_share *to = &k->grid[g->first + dim];
        if (axis >= k->box->rank)
            continue;
        if (axis >= last_axis(to->axes))
            to->each = (int)loop->step;
        to->axes |= 1 << axis;
        if (k->variable[loop->number].part_of >= 0 && loop->step == 1)
            to->most = (int)ix_loop_most(g->u, loop);
    }
}

/* Can points be those of teams? Nests beside this one would be done by all of
 * their threads. */
static ix_refusal
look_for_team(ix_unit *u, ix_kernel *k, ix_team team, const ix_stmt *nest,
              const ix_stmt *inner)
{
    if (*ix_grid_begin(k) != nest || nest->next)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the kernel has more than the nest");
    return team == IX_TEAM_GROUP ? ix_group_look(u, k, inner->body)
                                 : ix_block_look(u, k, inner->body);
}

ix_refusal
ix_loop_grid(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    const ix_team team = (ix_team)d->words;
    int n = d->nloops, first = team == IX_TEAM_GROUP;
    int most = IX_GRID_DIMS - first;
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    ix_stmt *front = NULL;
    ilex_array *points[IX_MOST_LOOPS];
    grid g = {.u = u,
              .k = c->k,
              .tail = &front,
              .team = team,
              .first = first,
              .several = n > most ? n - most + 1 : 0,
              .ordered = ix_kernel_has(c->k, IX_HAS_CHECK),
              .become = {.ctx = u->ctx, .became = ix_origin_keep, .user = u}};
    if (!u->target->grid)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "the target has no grid");
    for (int i = 0; i < n && r.class == IX_REFUSAL_NONE; i++)
        r = look_at(u, &c[i], i, g.ordered ? n : g.several);
    r = r.class == IX_REFUSAL_NONE ? look_beside(u, c) : r;
    if (team && r.class == IX_REFUSAL_NONE)
        r = look_for_team(u, c->k, team, ix_cursor_loop(c),
                          ix_cursor_loop(&c[n - 1]));
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_stmt *after = ix_cursor_loop(c)->next;
    const ilex_array *array = ix_cursor_loop(&c[n - 1])->array;
    note_axes(&g, c, n);
    for (int i = 0; i < n; i++) /* those known before all of the grid */
        if (!ix_stmt_has(ix_cursor_loop(&c[i]), IX_HAS_INDEX))
            note_ends(&g, i, ix_cursor_loop(&c[i]));
    for (int i = 0; i < n; i++)
        points[i] = g.ordered ? points_inside(&g, i, n) : NULL;
    ix_stmt **outermost = g.tail;
    put_grid(&g, c, n, points);
    ix_substitution_free(&g.become);
    (*outermost)->next = after;
    (*outermost)->array = array;
    for (*c->at = front; (*c->at)->how != IX_GRID;)
        c->at = &(*c->at)->next;
    return r;
}
