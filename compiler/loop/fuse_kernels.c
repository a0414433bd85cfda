/* SPDX-License-Identifier: MIT
 *
 * fuse K L: two kernels, L the next one behind K, become one:
 *
 *     kernel k0                     kernel k0
 *         for i in [0, n)               for i in [0, n)
 *             s[i] = sum(x[i, :])           s[i] = sum(x[i, :])
 *     kernel k1                             for k in [0, m)
 *         for i in [0, n)                       y[i, k] = x[i, k] / s[i]
 *             for k in [0, m)
 *                 y[i, k] = x[i, k] / s[i]
 *
 * If they are not merged (merge.c), their statements stand behind each other in
 * a kernel of their own, in which the outermost loops become one as loops do
 * (fuse.c). Threads divide it, so no iteration may wait for another one. The
 * new kernel is called for the axes on which both have the same range; loops
 * over others may have no iteration. A number that it stores for an iteration,
 * and reads in that, it has as a value: a temporary that nothing else reads
 * goes.
 *
 * with [group] loops inside that both are nothing but are one, too, as far as
 * they go, and what stands in the innermost one a group of threads may do.
 */
#include "compiler/loop/distances.h"
#include "compiler/loop/group.h"

#include "compiler/lower/guard.h"

/* ---- shape ---- */

ix_stmt *
ix_kernel_outermost(const ix_kernel *k)
{
    ix_stmt *s = k->body;
    while (s && ix_stmt_defines(s))
        s = s->next;
    bool is = s && !s->next && s->kind == IX_STMT_FOR && s->number == k->axis;
    return is ? s : NULL;
}

static bool
has_points(ilex_context *ctx, const ix_axis *ax)
{
    const ix_lin *end = ix_lin_try_offset(ctx, ax->lo, 1);
    return end && ix_lin_le(ctx, end, ax->hi) == IX_YES;
}

/* An axis with the points of both and no fewer iterations than either; false:
 * none is known. */
static bool
common_axis(ix_unit *u, const ix_axis *a, const ix_axis *b, bool equal,
            ix_axis *both)
{
    ilex_context *ctx = u->ctx;
    *both = *a;
    if (equal || (a->lo == b->lo && a->hi == b->hi))
        return a->lo == b->lo && a->hi == b->hi;
    both->lo = ix_lin_min(ctx, a->lo, b->lo);
    both->hi = ix_lin_max(ctx, a->hi, b->hi);
    return both->lo && both->hi && has_points(ctx, a) && has_points(ctx, b);
}

/* The box of a kernel of two: their first axes, whose ranges are the same, or,
 * in front of the one that threads divide, have points in both; NULL: it is not
 * one of them. */
static const ix_domain *
common_box(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    if (a->box == b->box)
        return a->box;
    while (n < a->box->rank && n < b->box->rank &&
           common_axis(u, &a->box->ax[n], &b->box->ax[n], n >= a->axis, &ax[n]))
        n++;
    return n > a->axis ? ix_domain_new(u->ctx, n, ax) : NULL;
}

/* Why kernels are not such that they can be one. */
static ix_refusal
look_at(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    const ix_kernel *apart = ix_kernel_outermost(a) ? b : a;
    if (a->when.counts != b->when.counts || a->when.calls != b->when.calls)
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "between them sizes are counted, a function of the "
                         "host is called or the steps of a loop begin or end");
    if (!ix_kernel_outermost(apart))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d is no single loop that threads divide",
                         apart->number);
    if (a->axis != b->axis || !common_box(u, a, b))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "they have not the same ranges up to the axis that "
                         "threads divide");
    if (!ix_loop_has_room(u, a, 1, b->body))
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "together they are too long for a function");
    return (ix_refusal){IX_REFUSAL_NONE, NULL};
}

/* ---- the kernel ---- */

typedef struct freeing {
    ix_unit *u;
    const ix_kernel *k;
} freeing;

static bool
free_loop(void *user, ix_stmt *s)
{
    const freeing *f = user;
    const ix_domain *box = f->k->box;
    int axis = s->number;
    bool spans = s->kind == IX_STMT_FOR && axis < box->rank &&
                 s->n[IX_for_lo] == 1 && s->n[IX_for_hi] == 1 &&
                 ix_for_lo(s) == ix_index_lin(f->u->ctx, box->ax[axis].lo) &&
                 ix_for_hi(s) == ix_index_lin(f->u->ctx, box->ax[axis].hi);
    if (s->kind == IX_STMT_FOR && axis < ix_kernel_axes(f->k) && !spans)
        s->optional |= ix_loop_may_be_empty(f->u, s);
    return true;
}

void
ix_kernel_free_loops(ix_unit *u, ix_kernel *k)
{
    ix_stmt_each(k->body, free_loop, &(freeing){u, k});
}

/* Does it read what it writes? */
static bool
reads_own(ix_unit *u, const ix_kernel *k)
{
    ix_accesses a = ix_accesses_in(u, k, k->body);
    for (size_t i = 0; i < a.n; i++)
        if (!a.item[i].write && a.item[i].buffer >= 0 &&
            ix_accesses_write(&a, a.item[i].buffer))
            return true;
    return false;
}

/* A kernel with the statements of both, the second's behind the first's. */
static ix_kernel *
behind(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    int axes = ix_kernel_axes(a), others = ix_kernel_axes(b);
    ix_kernel *k = ix_unit_kernel(u, common_box(u, a, b), a->when);
    while (ix_kernel_axes(k) < axes || ix_kernel_axes(k) < others)
        ix_kernel_variable(u, k, IX_VARIABLE_AXIS);
    k->axis = a->axis;
    k->number = a->number;
    k->next = b->next;
    k->nests = ix_stmt_clone(u, NULL, a->nests);
    *ix_stmt_end(&k->nests) = ix_stmt_clone(u, NULL, b->nests);
    k->body = ix_kernel_adopt(u, k, a);
    *ix_stmt_end(&k->body) = ix_kernel_adopt(u, k, b);
    k->ordered = a->ordered || b->ordered || reads_own(u, k);
    ix_kernel_free_loops(u, k);
    return k;
}

/* ---- one kernel ---- */

static bool
is_free(const ix_stmt *s)
{
    return s && s->kind == IX_STMT_FOR && s->parallel;
}

/* Makes one of the two loops that are all there is in the loop at the cursor,
 * which goes to the innermost one. */
static void
fuse_nest(ix_unit *u, ix_cursor *c)
{
    for (const ix_stmt *a, *b; c->depth + 1 < IX_DEEP; ix_cursor_enter(c)) {
        a = ix_cursor_loop(c)->body;
        b = a ? a->next : NULL;
        if (!is_free(a) || !is_free(b) || b->next || a->number != b->number)
            return;
        ix_cursor two[2] = {*c, *c};
        for (int i = 0; i < 2; i++)
            ix_cursor_enter(&two[i]);
        two[1].at = &(*two[0].at)->next;
        if (ix_loops_fuse(u, two, 0, true).class != IX_REFUSAL_NONE)
            return;
    }
}

/* The outermost loops of "both" become one. */
static ix_refusal
fuse_loops(ix_unit *u, const ix_directive *d, ix_kernel *both)
{
    ix_cursor c[2];
    ix_stmt *loop = both->body;
    for (int i = 0; i < 2; i++, loop = loop->next) {
        while (loop->kind != IX_STMT_FOR)
            loop = loop->next;
        ix_cursor_at(both, loop, &c[i]);
    }
    ix_refusal r = ix_loops_fuse(u, c, 0, true);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    if (d->words)
        fuse_nest(u, c);
    if (d->words && !ix_group_suits(u, both, ix_cursor_loop(c)->body))
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "no group of threads can do both");
    ix_forward_numbers(u, both, ix_cursor_loop(c));
    return r;
}

ix_refusal
ix_kernels_fuse(ix_unit *u, const ix_directive *d, ix_kernel **k)
{
    if (k[0]->next != k[1])
        return ix_refuse(u, IX_REFUSAL_SHAPE,
                         "k%d is not the next kernel behind k%d", k[1]->number,
                         k[0]->number);
    if (!ix_kernels_merge(u, k[0], k[1]))
        return (ix_refusal){IX_REFUSAL_NONE, NULL};
    ix_refusal r = look_at(u, k[0], k[1]);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_kernel *both = behind(u, k[0], k[1]);
    /* what is read may become statements, which conditions are to guard */
    if (!ix_guard_kernel(u, both))
        return r;
    r = fuse_loops(u, d, both);
    if (r.class == IX_REFUSAL_NONE) {
        *k[0] = *both;
        ix_drop_forwarded(u);
    }
    return r;
}
