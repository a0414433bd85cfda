/* SPDX-License-Identifier: MIT
 *
 * fuse L M: two loops, M behind L in one block, become one:
 *
 *     for i in [lo, hi)             for i in [lo, hi)
 *         x[i] = ...                    x[i] = ...
 *     for k in [lo, hi)                 y[i] = f(x[i], x[i - 1])
 *         y[k] = f(x[k], x[k - 1])
 *
 * with [lag N] M runs N iterations behind:
 *
 *     for i in [lo, hi)             for i in [lo, hi + 1)
 *         x[i] = ...                    if i < hi
 *     for k in [lo, hi)                     x[i] = ...
 *         y[k] = f(x[k], x[k + 1])      if lo + 1 <= i
 *                                           y[i - 1] = f(x[i - 1], x[i])
 *
 * An iteration of M then comes before those of L that are later than the N
 * behind it: none of these may touch what it touches, of which one writes. What
 * is defined between the loops goes before them. The loop runs over the hull of
 * both ranges, so that a third one may be fused with it.
 */
#include "compiler/loop/distances.h"

/* Whose accesses are: L's, of what stands between, M's, of what is behind. */
enum { FIRST, BETWEEN, SECOND, BEHIND };

typedef struct fusing {
    ix_unit *u;
    ix_accesses a;
    int depth;           /* loops around both */
    size_t end[BEHIND];  /* of the accesses of FIRST, BETWEEN, SECOND */
    ix_direction second; /* where M's iteration is, seen from L's */
    const char *what;    /* is wrong about two accesses that meet */
} fusing;

/* ---- shape ---- */

/* Are both on the way of their steps at the same points? */
static bool
is_in_step(ix_unit *u, const ix_stmt *a, const ix_stmt *b)
{
    const ilex_array *by =
        ix_index_try_fma(u->ctx, ix_for_lo(a), -1, ix_for_lo(b));
    bool single = a->n[IX_for_lo] == 1 && b->n[IX_for_lo] == 1;
    return a->step == b->step && a->down == b->down &&
           (a->step == 1 || (single && by && by->kind == IX_CONST &&
                             by->attr[0] % a->step == 0));
}

/* Why the loops are not such that they can be one. */
static ix_refusal
look_at(ix_unit *u, const ix_kernel *k, ix_stmt *first, ix_stmt *second,
        bool shifted)
{
    ix_stmt *s = first->next;
    bool checks = ix_stmts_check(second->body);
    for (; s && s != second && ix_stmt_defines(s); s = s->next)
        checks |= ix_stmt_has(s, IX_MAY_FAIL);
    if (!s || s != second)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the second loop is not behind the first one in its "
                         "block with only definitions between");
    if (!ix_loop_is_plain(first) || !ix_loop_is_plain(second))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (!is_in_step(u, first, second))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "their steps do not lead to the same points");
    if (shifted ? ix_stmts_check(first->body) || checks
                : ix_stmts_check(first->body) && checks)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "%s, and another one would be the first that fails",
                         shifted ? "an index is checked"
                                 : "both check indices");
    if (first->number != second->number && ix_loop_has_temporary(u, k, second))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "iterations of the second loop have a temporary of "
                         "their own");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- distances ---- */

/* The end of the accesses from the n-th one on that are of a loop, or not. */
static size_t
end_of(const ix_accesses *a, size_t n, const ix_stmt *loop, bool of)
{
    while (n < a->n && (a->item[n].stmt == loop ||
                        ix_access_is_in(&a->item[n], loop)) == of)
        n++;
    return n;
}

static int
part_of(const fusing *f, const ix_access *x)
{
    int part = FIRST;
    while (part < BEHIND && (size_t)(x - f->a.item) >= f->end[part])
        part++;
    return part;
}

/* Two accesses that change places, or that are in two iterations then. */
static ix_refusal
overtaken(void *user, const ix_access *x, const ix_access *y)
{
    fusing *f = user;
    int of_x = part_of(f, x), of_y = part_of(f, y), n = f->depth;
    ix_direction direction[IX_DEEP + 1] = {IX_SAME};
    ix_tri meet = IX_NO;
    if (of_x + of_y == FIRST + SECOND && x->scratch &&
        x->scratch->scratch == IX_SCRATCH_CELL)
        return ix_refuse(f->u, IX_REFUSAL_SHAPE,
                         "the first loop makes a value that the second uses");
    if (of_x + of_y == FIRST + SECOND)
        direction[n++] = of_x == FIRST ? f->second : -f->second;
    if (of_x != of_y && of_x + of_y <= FIRST + SECOND)
        meet = ix_accesses_meet(&f->a, x, y, n, direction);
    return ix_refuse_meeting(f->u, meet, x, y, f->what);
}

/* ---- the loop ---- */

/* The loop "lag" iterations later; NULL: its bounds are too large. */
static ix_stmt *
delayed(ix_unit *u, ix_stmt *loop, int64_t lag)
{
    ilex_context *ctx = u->ctx;
    int64_t by;
    ix_stmt *later = NULL;
    if (lag == 0)
        return loop;
    if (lag <= INT32_MAX &&
        ix_mul(lag, loop->down ? -loop->step : loop->step, &by))
        later = ix_loop_moved(u, loop, 1, by, ix_index_const(ctx, 1));
    if (!later)
        return NULL;
    ilex_array *at =
        ix_index_offset(ctx, ix_scalar_index(ctx, loop->number), -by);
    later->body = ix_loop_put_index(u, loop->body, loop->number, at);
    later->next = loop->next;
    return later;
}

/* One that holds the ranges of both, without a body. */
static ix_stmt *
hull(ix_unit *u, const ix_stmt *a, const ix_stmt *b)
{
    if (ix_stmt_same_range(a, b))
        return ix_stmt_copy(u, a);
    ilex_array *lo = ix_index_min(u->ctx, ix_loop_end(u, a, IX_for_lo),
                                  ix_loop_end(u, b, IX_for_lo));
    ilex_array *hi = ix_index_max(u->ctx, ix_loop_end(u, a, IX_for_hi),
                                  ix_loop_end(u, b, IX_for_hi));
    return ix_stmt_with(u, a, IX_OPERANDS({1, &lo}, {1, &hi}));
}

static ilex_array *
operation(ix_unit *u, ix_op op, ilex_dtype of, ilex_array *x, ilex_array *y)
{
    ilex_array *ops[2] = {x, y};
    return ix_scalar_op(u->ctx, op, of, ILEX_BOOL, ops);
}

/* Which iterations of loop "all" are in the range of a loop; NULL: all. */
static ilex_array *
in_range(ix_unit *u, const ix_stmt *all, const ix_stmt *loop)
{
    ilex_array *i = ix_scalar_index(u->ctx, all->number), *in = NULL;
    ilex_array *lo = ix_loop_end(u, loop, IX_for_lo);
    ilex_array *hi = ix_loop_end(u, loop, IX_for_hi);
    if (ix_stmt_same_range(all, loop))
        return NULL;
    if (lo != ix_for_lo(all))
        in = operation(u, IX_OP_LESS_EQUAL, ILEX_I64, lo, i);
    if (hi != ix_for_hi(all)) {
        ilex_array *below = operation(u, IX_OP_LESS, ILEX_I64, i, hi);
        in = in ? operation(u, IX_OP_LOGICAL_AND, ILEX_BOOL, in, below) : below;
    }
    return in;
}

/* The list, where the condition holds if there is one. */
static ix_stmt *
where(ix_unit *u, ilex_array *condition, ix_stmt *list)
{
    if (!condition)
        return list;
    ix_stmt *s = ix_stmt_new(u, IX_STMT_IF, IX_OPERANDS({1, &condition}));
    s->array = list ? list->array : NULL;
    s->body = list;
    return s;
}

/* M's statements behind L's, what stands between before L. */
static void
join(ix_unit *u, ix_cursor *c, ix_stmt *second, bool parallel)
{
    ix_stmt *first = ix_cursor_loop(c), *between = first->next;
    ix_stmt *all = hull(u, first, second), *body = second->body;
    ix_accesses later = ix_accesses_in(u, c->k, body);
    if (second->number != first->number)
        body = ix_loop_body_at(u, c->k, second,
                               ix_scalar_index(u->ctx, first->number));
    ix_loop_behind(u, c->k, first->number, &later, &body);
    all->body = where(u, in_range(u, all, first), first->body);
    *ix_stmt_end(&all->body) = where(u, in_range(u, all, second), body);
    all->parallel = parallel;
    all->optional |= second->optional;
    all->rest &= second->rest;
    all->next = second->next;
    *c->at = all;
    for (ix_stmt *next; between != second; between = next) {
        next = between->next;
        between->next = all;
        *c->at = between;
        c->at = &between->next;
    }
}

/* Is scratch memory of the block around the loops written by one of them in
 * some iterations alone? It is to be written on each path. */
static bool
writes_for_some(const fusing *f, const ix_stmt *first, const ix_stmt *second)
{
    const ix_stmt *all = hull(f->u, first, second);
    bool some[] = {[FIRST] = in_range(f->u, all, first) != NULL,
                   [BETWEEN] = false,
                   [SECOND] = in_range(f->u, all, second) != NULL,
                   [BEHIND] = false};
    for (size_t i = 0; i < f->a.n; i++) {
        const ix_access *x = &f->a.item[i];
        if (x->write && x->scratch && some[part_of(f, x)] &&
            f->a.definition[x->scratch->number].depth <= f->depth)
            return true;
    }
    return false;
}

/* NONE: no iteration of the loop waits for another one. */
static ix_refusal
carries(fusing *f, const ix_stmt *first, const ix_stmt *second)
{
    if (!first->parallel || !second->parallel)
        return ix_refuse(f->u, IX_REFUSAL_SHAPE,
                         "iterations of one of them have an order");
    f->second = IX_AFTER;
    f->what = "so iterations of one loop would have an order";
    return ix_access_pairs(&f->a, overtaken, f);
}

/* Do iterations wait for each other in one order? Then the loops become one,
 * with the second one where it is. */
static ix_refusal
fuse(ix_unit *u, ix_cursor *c, ix_stmt *second, bool independent)
{
    ix_stmt *first = ix_cursor_loop(c);
    ix_refusal r, carried;
    fusing f = {.u = u, .depth = ix_cursor_depth(c), .second = IX_BEFORE};
    f.what = "and would come after it in one loop";
    f.a = ix_accesses_in(u, c->k, first);
    f.end[FIRST] = end_of(&f.a, 0, first, true);
    f.end[BETWEEN] = end_of(&f.a, f.end[FIRST], second, false);
    f.end[SECOND] = end_of(&f.a, f.end[BETWEEN], second, true);
    if (writes_for_some(&f, first, second))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "an array outside of the loops would be written in "
                         "some iterations alone");
    r = ix_access_pairs(&f.a, overtaken, &f);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    carried = carries(&f, first, second);
    if (independent && carried.class != IX_REFUSAL_NONE)
        return carried;
    join(u, c, second, carried.class == IX_REFUSAL_NONE);
    return r;
}

ix_refusal
ix_loops_fuse(ix_unit *u, ix_cursor *c, int64_t lag, bool independent)
{
    ix_stmt *first = ix_cursor_loop(c), *second = ix_cursor_loop(&c[1]);
    bool shifted = lag || !ix_stmt_same_range(first, second);
    ix_refusal r = look_at(u, c->k, first, second, shifted);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (independent && shifted)
        return ix_refuse(u, IX_REFUSAL_SHAPE, "their ranges are not the same");
    ix_stmt *later = delayed(u, second, lag), **at = c[1].at;
    if (!later)
        return ix_refuse(u, IX_REFUSAL_SIZE, "its bounds would be too large");
    *at = later;
    r = fuse(u, c, later, independent);
    if (r.class != IX_REFUSAL_NONE)
        *at = second;
    return r;
}

ix_refusal
ix_loop_fuse(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    return ix_loops_fuse(u, c, d->words & 1 ? d->n : 0, false);
}
