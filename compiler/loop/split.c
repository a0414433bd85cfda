/* SPDX-License-Identifier: MIT
 *
 * split L BY: strip-mines a loop. With [min] the last strip is shorter:
 *
 *     for o in [lo, hi) step BY
 *         w = min(hi - o, BY)
 *         for i in [0, w)
 *             ...[o + i]
 *
 * with [peel] the rest is a loop of its own:
 *
 *     for o in [lo, m) step BY
 *         for i in [0, BY)
 *             ...[o + i]
 *     for t in [m, hi)
 *         ...[t]
 *
 * where m is lo + BY * ((hi - lo) // BY): no statement, which would stand
 * between loops, but a bound, which `hoist` computes where it is known. With
 * [across] strips are BY points that lie as far apart as there are strips, of
 * a loop that has a constant number of points at most, n = BY * s, in any
 * order:
 *
 *     for o in [0, min(s, hi))
 *         for i in [0, min(BY, (hi - o + s - 1) // s))
 *             ...[o + s*i]
 */
#include "compiler/loop/distances.h"

ix_refusal
ix_refuse(ix_unit *u, ix_refusal_class class, const char *format, ...)
{
    ix_text t;
    va_list args;
    ix_text_init(&t, &u->mem);
    va_start(args, format);
    ix_text_vformat(&t, format, args);
    va_end(args);
    return (ix_refusal){class, ix_text_string(&t)};
}

/* What a split makes: variables of the loop over strips and of that in one. */
typedef struct splitting {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    int64_t by;
    ilex_array *outer, *inner; /* their indices */
} splitting;

/* Is a bound of the loop behind whole strips? */
static bool
is_whole(const splitting *x, const ilex_array *hi)
{
    const ilex_array *lo = ix_for_lo(x->loop);
    return x->loop->n[IX_for_lo] == 1 && lo->kind == IX_CONST &&
           hi->kind == IX_CONST && (hi->attr[0] - lo->attr[0]) % x->by == 0;
}

/* The loop over the points of a strip: up to "by", or where the loop ends. */
static ix_stmt *
points_of_strip(const splitting *x, bool whole)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *hi[IX_MOST_BOUNDS], *zero = ix_index_const(ctx, 0);
    int n = 0;
    hi[n++] = ix_index_const(ctx, x->by);
    for (int i = 0; i < x->loop->n[IX_for_hi] && !whole; i++) {
        ilex_array *end = ix_operands(x->loop, IX_for_hi)[i];
        if (!is_whole(x, end))
            hi[n++] = ix_index_fma(ctx, end, -1, x->outer);
    }
    ix_stmt *points =
        ix_stmt_with(x->u, x->loop, IX_OPERANDS({1, &zero}, {n, hi}));
    points->number = (int)x->inner->attr[0];
    points->optional = false; /* a strip has a point */
    points->body = ix_loop_put_index(x->u, x->loop->body, x->loop->number,
                                     ix_index_fma(ctx, x->outer, 1, x->inner));
    return points;
}

static ix_stmt *
strips(const splitting *x, ix_stmt *loop, bool whole)
{
    loop->number = (int)x->outer->attr[0];
    loop->step = x->by;
    loop->body = points_of_strip(x, whole);
    return loop;
}

/* ---- strips across ---- */

/* How many strips there are, at most; 0: that is no constant, or no more points
 * than in one. */
static int64_t
strips_across(const splitting *x)
{
    const ix_stmt *loop = x->loop;
    for (int i = 0; i < loop->n[IX_for_hi]; i++) {
        const ilex_array *hi = ix_operands(loop, IX_for_hi)[i];
        if (hi->kind == IX_CONST && hi->attr[0] % x->by == 0 &&
            loop->n[IX_for_lo] == 1 && ix_index_is_zero(ix_for_lo(loop)))
            return hi->attr[0] / x->by;
    }
    return 0;
}

/* One list of bounds for strips, where such a bound is that of the loop, the
 * other for points of one. */
static ix_stmt *
across(const splitting *x, int64_t strips)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *zero = ix_index_const(ctx, 0), *end;
    ilex_array *hi[2][IX_MOST_BOUNDS] = {{ix_index_const(ctx, strips)},
                                         {ix_index_const(ctx, x->by)}};
    int n = 1;
    for (int i = 0; i < x->loop->n[IX_for_hi]; i++) {
        end = ix_operands(x->loop, IX_for_hi)[i];
        if (end->kind == IX_CONST && end->attr[0] >= strips * x->by)
            continue;
        hi[0][n] = end;
        end = ix_index_offset(ctx, ix_index_fma(ctx, end, -1, x->outer),
                              strips - 1);
        hi[1][n++] = ix_index_floordiv(ctx, end, strips);
    }
    ix_stmt *outer =
        ix_stmt_with(x->u, x->loop, IX_OPERANDS({1, &zero}, {n, hi[0]}));
    ix_stmt *inner =
        ix_stmt_with(x->u, x->loop, IX_OPERANDS({1, &zero}, {n, hi[1]}));
    outer->number = (int)x->outer->attr[0];
    outer->body = inner;
    inner->number = (int)x->inner->attr[0];
    inner->optional = false; /* a strip has a point */
    inner->next = NULL;
    inner->body =
        ix_loop_put_index(x->u, x->loop->body, x->loop->number,
                          ix_index_fma(ctx, x->outer, strips, x->inner));
    return outer;
}

/* ---- whole strips, and others ---- */

/* Where the last whole strip ends. */
static ilex_array *
end_of_strips(const splitting *x, ilex_array *lo, ilex_array *hi)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *length = ix_index_fma(ctx, hi, -1, lo);
    if (length->kind == IX_CONST && length->attr[0] >= 0)
        return ix_index_offset(ctx, lo,
                               length->attr[0] - length->attr[0] % x->by);
    ilex_array *n = ix_index_floordiv(ctx, length, x->by);
    ilex_array *end = ix_index_fma(ctx, lo, x->by, n);
    const ix_lin *points = ix_index_to_lin(ctx, length);
    bool several = x->loop->n[IX_for_lo] + x->loop->n[IX_for_hi] > 2;
    bool negative = (x->loop->optional || several) &&
                    !(points && ix_lin_nonneg_fast(ctx, points));
    return negative ? ix_index_max(ctx, end, lo) : end;
}

/* Strips that are whole, and the other points in a loop of their own, which the
 * strips may be without. */
static ix_stmt *
peeled(const splitting *x)
{
    ix_unit *u = x->u;
    const ix_stmt *loop = x->loop;
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo);
    ilex_array *hi = ix_loop_end(u, loop, IX_for_hi);
    ilex_array *end = end_of_strips(x, lo, hi);
    bool rest = ix_loop_has_iterations(loop);
    ix_stmt *list = NULL, **tail = &list;
    if (end != lo) {
        *tail = strips(
            x, ix_stmt_with(u, loop, IX_OPERANDS({1, &lo}, {1, &end})), true);
        (*tail)->optional |= loop->optional || end != hi;
        (*tail)->rest = rest;
        tail = &(*tail)->next;
    }
    if (hi != end) {
        *tail = ix_loop_rest(u, x->k, loop, end);
        (*tail)->rest = rest;
    }
    return list;
}

/* A list instead of the cursor's loop; the cursor is in the one over variable
 * "outer". */
static void
put_instead(ix_cursor *c, ix_stmt *list, int outer)
{
    ix_stmt *after = ix_cursor_loop(c)->next, **at = c->at;
    for (*c->at = list; *at; at = &(*at)->next)
        if ((*at)->kind == IX_STMT_FOR && (*at)->number == outer)
            c->at = at;
    *at = after;
    if (ix_cursor_loop(c)->number == outer) {
        ix_cursor_enter(c);
    }
}

/* Does something write what a bound depends on? */
static bool
has_bound_that_changes(ix_unit *u, const ix_stmt *loop)
{
    bool constant = true;
    for (int i = 0; i < ix_operands_before(loop, IX_GROUPS); i++)
        constant &= ix_body_loads(u, loop->x[i], ix_load_is_constant, u);
    return !constant;
}

ix_refusal
ix_loop_split(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    bool peels = d->words & IX_REST_PEEL;
    const ix_stmt *loop = ix_cursor_loop(c);
    ilex_context *ctx = u->ctx;
    if (loop->how == IX_GRID)
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_THREADS);
    if (loop->step != 1 || loop->down || ix_for_while(loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it does not go upwards, one by one");
    if (c->depth == IX_DEEP)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it stands too deep");
    if (!peels && loop->n[IX_for_hi] == IX_MOST_BOUNDS)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it has too many bounds");
    if (peels && has_bound_that_changes(u, loop))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "what its bounds read is written");
    if (peels && !ix_loop_has_room(u, c->k, 1, loop->body))
        return ix_refuse(u, IX_REFUSAL_SIZE, "two loops are too long");
    ix_refusal r =
        d->words & IX_REST_ACROSS ? ix_loop_independent(u, c) : (ix_refusal){0};
    if (r.class != IX_REFUSAL_NONE)
        return r;
    splitting x = {.u = u, .k = c->k, .loop = loop, .by = d->n};
    x.outer = ix_scalar_index(
        ctx, ix_kernel_part(u, c->k, IX_VARIABLE_OUTER, loop->number));
    x.inner = ix_scalar_index(
        ctx, ix_kernel_part(u, c->k, IX_VARIABLE_INNER, loop->number));
    int64_t apart = d->words & IX_REST_ACROSS ? strips_across(&x) : 0;
    if (d->words & IX_REST_ACROSS && !apart)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "it is not from 0 on to a multiple of N at most, as "
                         "the outermost loop, which threads divide, never is");
    ix_stmt *made = apart   ? across(&x, apart)
                    : peels ? peeled(&x)
                            : strips(&x, ix_stmt_copy(u, loop), false);
    if (!made)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "it has no iteration");
    put_instead(c, made, (int)x.outer->attr[0]);
    return (ix_refusal){0};
}
