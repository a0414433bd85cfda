/* SPDX-License-Identifier: MIT
 *
 * fuse L M: two loops over one range, M behind L in one block, become one:
 *
 *     for i in [lo, hi)             for i in [lo, hi)
 *         x[i] = ...                    x[i] = ...
 *     for k in [lo, hi)                 y[i] = f(x[i], x[i - 1])
 *         y[k] = f(x[k], x[k - 1])
 *
 * An iteration of M then comes before the later ones of L: none of these may
 * touch what it touches, of which one writes. What is defined between the loops
 * goes before them.
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

static bool
is_unchecked(void *user, ix_stmt *s)
{
    (void)user;
    return !ix_stmt_has(s, IX_HAS_CHECK);
}

static bool
has_check(const ix_stmt *loop)
{
    return !ix_stmt_each(loop->body, is_unchecked, NULL);
}

/* Why the loops are not such that they can be one. */
static ix_refusal
look_at(ix_unit *u, const ix_kernel *k, ix_stmt *first, ix_stmt *second)
{
    ix_stmt *s = first->next;
    bool checks = has_check(second);
    for (; s && s != second && ix_stmt_defines(s); s = s->next)
        checks |= ix_stmt_has(s, IX_HAS_CHECK);
    if (!s || s != second)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "the second loop is not behind the first one in its "
                         "block with only definitions between");
    if (!ix_loop_is_plain(first) || !ix_loop_is_plain(second))
        return ix_refuse(u, IX_REFUSAL_SHAPE, IX_NOT_PLAIN);
    if (!ix_stmt_same_range(first, second))
        return ix_refuse(u, IX_REFUSAL_SHAPE, "their ranges are not the same");
    if (has_check(first) && checks)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "both check indices, and another one would be the "
                         "first that fails");
    if (first->number != second->number && ix_loop_has_temporary(u, k, second))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "iterations of the second loop have a temporary of "
                         "their own");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- distances ---- */

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

/* M's statements behind L's, what stands between before L. */
static void
join(ix_unit *u, ix_cursor *c, ix_stmt *second, bool parallel)
{
    ix_stmt *first = ix_cursor_loop(c), *between = first->next;
    ix_stmt *body = second->body;
    if (second->number != first->number)
        body = ix_loop_body_at(u, c->k, second,
                               ix_scalar_index(u->ctx, first->number));
    ix_loop_apart(u, c->k, 1, &body);
    *ix_stmt_end(&first->body) = body;
    first->parallel = parallel;
    first->optional |= second->optional;
    first->next = second->next;
    for (ix_stmt *next; between != second; between = next) {
        next = between->next;
        between->next = first;
        *c->at = between;
        c->at = &between->next;
    }
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

ix_refusal
ix_loops_fuse(ix_unit *u, ix_cursor *c, bool independent)
{
    ix_stmt *first = ix_cursor_loop(c), *second = ix_cursor_loop(&c[1]);
    ix_refusal r = look_at(u, c->k, first, second), carried;
    if (r.class != IX_REFUSAL_NONE)
        return r;
    fusing f = {.u = u, .depth = ix_cursor_depth(c), .second = IX_BEFORE};
    f.what = "and would come after it in one loop";
    f.a = ix_accesses_in(u, c->k, first);
    f.end[FIRST] = f.a.n - ix_accesses_in(u, c->k, first->next).n;
    f.end[BETWEEN] = f.a.n - ix_accesses_in(u, c->k, second).n;
    f.end[SECOND] = f.a.n - ix_accesses_in(u, c->k, second->next).n;
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
ix_loop_fuse(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    (void)d;
    return ix_loops_fuse(u, c, false);
}
