/* SPDX-License-Identifier: MIT
 *
 * grid L M ...: the points of a nest are threads of a GPU: one loop over their
 * numbers, from which indices are found out:
 *
 *     for i in [a, n)               t = m - b
 *         for k in [b, m)           for g in [0, (n - a)*t)
 *             ...[i, k]                 r = g / t
 *                                       k = g - r*t + b
 *                                       i = r + a
 *                                       ...[i, k]
 *
 * needs: a rectangular nest outside of which nothing uses what it writes, since
 * threads do not wait for each other; gives: what is inside, once each. What
 * stands before the first statement that writes a buffer all threads do, each
 * for itself.
 */
#include "compiler/loop/distances.h"

/* A loop whose points are spread over threads. */
typedef struct grid_axis {
    ilex_array *lo, *length;
} grid_axis;

typedef struct grid {
    ix_unit *u;
    ix_kernel *k;
    ix_stmt **tail; /* where statements are put */
    grid_axis axis[IX_MOST_LOOPS];
    int variable[IX_MOST_LOOPS], rank;
    ix_substitution become; /* of the loops' variables */
    bool optional;
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

/* Is it the i-th loop of a rectangular nest that is all there is? */
static ix_refusal
look_at(ix_unit *u, const ix_cursor *c, int i)
{
    const ix_stmt *loop = ix_cursor_loop(c);
    const ix_stmt *around = i ? ix_cursor_loop(&c[-1]) : NULL;
    if (around ? around->body != loop || loop->next : c->depth > 0)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the loops are no nest of the kernel, outermost one "
                         "first, with nothing beside them");
    if (!ix_loop_is_plain(loop) || loop->step != 1)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (ix_stmt_has(loop, IX_HAS_INDEX))
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

/* The largest of the lower bounds, the smallest of the upper ones. */
static ilex_array *
one_bound(grid *g, const ix_stmt *loop, int group)
{
    ilex_array *end = ix_loop_end(g->u, loop, group);
    if (loop->n[group] == 1)
        return end;
    ix_stmt *s = let(g, group == IX_for_lo ? 'L' : 'H', end);
    s->bound = true;
    return ix_value_of(g->u, s);
}

static void
add_axis(grid *g, const ix_stmt *loop)
{
    ilex_context *ctx = g->u->ctx;
    grid_axis *a = &g->axis[g->rank];
    a->lo = one_bound(g, loop, IX_for_lo);
    a->length = ix_index_fma(ctx, one_bound(g, loop, IX_for_hi), -1, a->lo);
    /* The first length may be negative where a piece is outside of what is
     * called; the others are not, so there are no points. */
    if (loop->optional)
        a->length = ix_index_max(ctx, a->length, ix_index_const(ctx, 0));
    a->length = value(g, 't', a->length);
    g->optional |= loop->optional;
    g->variable[g->rank++] = loop->number;
}

/* The indices of point "f" of the grid; the last one varies fastest. Division
 * without sign is the cheaper one. */
static void
decode(grid *g, ilex_array *f)
{
    ilex_context *ctx = g->u->ctx;
    for (int k = g->rank - 1; k >= 0; k--) {
        ilex_array *length = g->axis[k].length, *rows = NULL;
        ilex_array *x = ix_index_fma(ctx, g->axis[k].lo, 1, f);
        if (k > 0) {
            rows = operation(g, IX_OP_FLOOR_DIVIDE, ILEX_U64,
                             ix_scalar_cast(ctx, ILEX_U64, f),
                             ix_scalar_cast(ctx, ILEX_U64, length));
            rows = value(g, 't', ix_scalar_cast(ctx, ILEX_I64, rows));
            ilex_array *before = value(
                g, 't', operation(g, IX_OP_MULTIPLY, ILEX_I64, rows, length));
            x = ix_index_fma(ctx, x, -1, before);
        }
        ix_substitution_set(&g->become, ix_scalar_index(ctx, g->variable[k]),
                            value(g, 'p', x));
        f = rows;
    }
}

/* The loop over all points; what its lengths need is put before. */
static ix_stmt *
loop_over_points(grid *g)
{
    ilex_array *points = g->axis[0].length;
    for (int k = 1; k < g->rank; k++)
        points =
            operation(g, IX_OP_MULTIPLY, ILEX_I64, points, g->axis[k].length);
    ix_stmt *loop =
        ix_stmt_for(g->u, ix_kernel_variable(g->u, g->k, IX_VARIABLE_GRID),
                    ix_index_const(g->u->ctx, 0), points);
    loop->how = IX_GRID;
    loop->optional = g->optional;
    *g->tail = loop;
    g->tail = &loop->body;
    return loop;
}

ix_refusal
ix_loop_grid(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_refusal r = {IX_REFUSAL_NONE, NULL};
    ix_stmt *front = NULL;
    grid g = {.u = u,
              .k = c->k,
              .tail = &front,
              .become = {.ctx = u->ctx, .became = ix_origin_keep, .user = u}};
    if (!u->target->grid)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "the target has no grid");
    for (int i = 0; i < d->nloops && r.class == IX_REFUSAL_NONE; i++)
        r = look_at(u, &c[i], i);
    r = r.class == IX_REFUSAL_NONE ? look_beside(u, c) : r;
    if (r.class != IX_REFUSAL_NONE)
        return r;
    for (int i = 0; i < d->nloops; i++)
        add_axis(&g, ix_cursor_loop(&c[i]));
    ix_stmt *inner = ix_cursor_loop(&c[d->nloops - 1]), *loop;
    ix_stmt *after = ix_cursor_loop(c)->next;
    loop = loop_over_points(&g);
    loop->array = inner->array;
    decode(&g, ix_scalar_index(u->ctx, loop->number));
    *g.tail = ix_stmt_substitute(u, &g.become, inner->body);
    ix_substitution_free(&g.become);
    loop->next = after;
    for (*c->at = front; *c->at != loop;)
        c->at = &(*c->at)->next;
    return r;
}
