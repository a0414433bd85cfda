/* SPDX-License-Identifier: MIT
 *
 * The loops of a scan. The levels of its axis come one after the other, in one
 * loop for each piece of them; everything else is free. Free loops stand around
 * the levels, so that a level is met soon after the one before; only the last
 * axis, along which memory is contiguous, may stand inside, for vector units.
 */
#include "compiler/lower/recurrence.h"

void
ix_recurrence_order(const ix_levels *r, int rank, int *order)
{
    int n = 0;
    for (int k = 0; k < rank; k++)
        if (k != r->axis && !(r->inside && k == rank - 1))
            order[n++] = k;
    if (r->axis >= 0)
        order[n++] = r->axis;
    if (r->inside)
        order[n++] = rank - 1;
}

/* ---- free loops ---- */

/* Do two nests differ in their levels and stores only? */
static bool
same_free_loops(const ix_stmt *a, const ix_stmt *b, int axis)
{
    for (; a->kind == IX_STMT_FOR; a = a->body, b = b->body)
        if (a->number != axis && !ix_stmt_same_bounds(a, b))
            return false;
    return true;
}

bool
ix_recurrence_is_one(const ix_stmt *a, const ix_stmt *b, int axis)
{
    for (const ix_stmt *nest = a; nest; nest = nest->next)
        if (!same_free_loops(a, nest, axis))
            return false;
    for (const ix_stmt *nest = b; nest; nest = nest->next)
        if (!same_free_loops(a, nest, axis))
            return false;
    return true;
}

/* Do free loops stand around the levels? */
static bool
has_outer(const ix_levels *r, int rank)
{
    return rank - 1 - r->inside > 0;
}

/* ---- joining ---- */

/* What the nests of a kernel read of the buffers that another one writes. */
typedef struct reading {
    const ix_kernel *writer;
    int axis;       /* of the levels */
    bool any;       /* something */
    bool elsewhere; /* at another point than the free one that is computed */
} reading;

static bool
note_reading(void *user, const ilex_array *load)
{
    reading *r = user;
    if (!ix_nests_store(r->writer->body, load->attr[0]))
        return true;
    r->any = true;
    for (int i = 0; i < load->nops; i++)
        r->elsewhere |= i != r->axis && (load->ops[i]->kind != IX_INDEX ||
                                         load->ops[i]->attr[0] != i);
    return !r->elsewhere;
}

/* The nest with its loops in the order of a scan. */
static ix_stmt *
reordered(ix_unit *u, const ix_levels *r, const ix_stmt *nest, int rank)
{
    const ix_stmt *loop[ILEX_MAX_RANK];
    int order[ILEX_MAX_RANK];
    ix_stmt *inner = ix_nest_body((ix_stmt *)(uintptr_t)nest);
    for (; nest->kind == IX_STMT_FOR; nest = nest->body)
        loop[nest->number] = nest;
    ix_recurrence_order(r, rank, order);
    for (int k = rank - 1; k >= 0; k--) {
        ix_stmt *s = ix_stmt_copy(u, loop[order[k]]);
        s->body = inner;
        inner = s;
    }
    return inner;
}

/* The nests of a kernel as nests of the scan: its own if it is one; NULL if
 * that is not possible. */
static ix_stmt *
nests_like(ix_unit *u, const ix_levels *r, const ix_kernel *k)
{
    ix_stmt *first = NULL, **tail = &first;
    int rank = k->box->rank;
    if (ix_kernel_has_levels(k))
        return k->levels.axis == r->axis && k->levels.inside == r->inside
                   ? k->body
                   : NULL;
    for (ix_stmt *nest = k->body; nest; nest = nest->next) {
        if (k->ordered || !ix_nest_is_rectangular(nest, rank))
            return NULL;
        *tail = reordered(u, r, nest, rank);
        tail = &(*tail)->next;
    }
    return first;
}

bool
ix_recurrence_fuse_kernels(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    const ix_kernel *scan = ix_kernel_has_levels(a) ? a : b;
    const ix_levels *levels = &scan->levels;
    if (!ix_kernel_has_levels(scan) || a->box != b->box ||
        ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > IX_FUNCTION)
        return false;
    ix_stmt *x = nests_like(u, levels, a);
    ix_stmt *y = x ? nests_like(u, levels, b) : NULL;
    if (!y || !ix_recurrence_is_one(x, y, levels->axis))
        return false;
    reading r = {.writer = a, .axis = levels->axis};
    ix_stmt_loads(u, b->body, note_reading, &r);
    /* an element-wise kernel is fused only if it shares data with the scan */
    bool both = ix_kernel_has_levels(a) && ix_kernel_has_levels(b);
    bool worth = both || (r.any && has_outer(levels, a->box->rank));
    if (r.elsewhere || !worth)
        return false;
    a->body = x;
    while (x->next)
        x = x->next;
    x->next = y;
    a->axis = scan->axis;
    a->ordered = true;
    a->levels = *levels;
    return true;
}

/* ---- fusing pieces ---- */

static bool
is_axis(const ix_kernel *k, const ix_stmt *s)
{
    return s->kind == IX_STMT_FOR && s->number < k->box->rank;
}

static bool
is_free(const ix_kernel *k, const ix_stmt *s)
{
    return is_axis(k, s) && s->number != k->levels.axis;
}

/* The loop over an axis in a list, or NULL; what stands before it is for all of
 * its iterations. */
static ix_stmt *
axis_in(const ix_kernel *k, ix_stmt *list)
{
    while (list && !is_axis(k, list))
        list = list->next;
    return list;
}

/* Do two loops over axes, and those in them, differ in their levels only? */
static bool
same_points(const ix_kernel *k, ix_stmt *a, ix_stmt *b)
{
    for (; a && b; a = axis_in(k, a->body), b = axis_in(k, b->body))
        if (is_free(k, a) ? !ix_stmt_same_bounds(a, b) : is_free(k, b))
            return false;
    return !a && !b;
}

/* May the statements of a list up to "end" stand before another nest? */
static bool
may_go_before(ix_unit *u, ix_stmt *list, const ix_stmt *end)
{
    bool may = true;
    for (; list != end && may; list = list->next) {
        ix_stmt *alone = ix_stmt_copy(u, list);
        alone->body = list->body;
        alone->other = list->other;
        may = ix_stmt_loads(u, alone, ix_load_is_constant, u);
    }
    return may;
}

/* The nests of a list as one where they have common loops over what is free:
 * their levels, one after the other, in these. */
static ix_stmt *
in_common_loops(ix_unit *u, const ix_kernel *k, ix_stmt *list)
{
    ix_stmt *made = NULL, **last = NULL;
    while (list) {
        ix_stmt *loop = axis_in(k, list), *next = loop ? loop->next : NULL;
        if (loop && last && is_free(k, loop) && same_points(k, *last, loop) &&
            may_go_before(u, list, loop)) {
            ix_stmt *common = *last;
            *ix_stmt_end(&common->body) = loop->body;
            *last = list;
            while (*last != loop)
                last = &(*last)->next;
            *last = common;
        } else {
            *ix_stmt_end(&made) = list;
            for (last = &made; loop && *last != loop;)
                last = &(*last)->next;
        }
        if (loop)
            (*last)->next = NULL;
        list = next;
    }
    for (ix_stmt *s = made; s; s = s->next)
        if (is_free(k, s))
            s->body = in_common_loops(u, k, s->body);
    return made;
}

/* The list without its free loops, which are noted in their order. */
static ix_stmt *
without_free(ix_unit *u, const ix_kernel *k, const ix_stmt *list,
             const ix_stmt **free, int *n)
{
    ix_stmt *made = NULL;
    for (; list; list = list->next) {
        ix_stmt **tail = ix_stmt_end(&made);
        if (is_free(k, list)) {
            free[(*n)++] = list;
            *tail = without_free(u, k, list->body, free, n);
            continue;
        }
        *tail = ix_stmt_copy(u, list);
        (*tail)->body = is_axis(k, list)
                            ? without_free(u, k, list->body, free, n)
                            : list->body;
        (*tail)->other = list->other;
    }
    return made;
}

/* Each nest with its free loops outside, as they are on a GPU. */
static ix_stmt *
with_levels_inside(ix_unit *u, const ix_kernel *k, const ix_stmt *list)
{
    ix_stmt *made = NULL;
    for (; list; list = list->next) {
        const ix_stmt *free[ILEX_MAX_RANK];
        int n = 0;
        ix_stmt *one = ix_stmt_copy(u, list);
        one->body = list->body;
        one->other = list->other;
        one = without_free(u, k, one, free, &n);
        while (n > 0) {
            ix_stmt *loop = ix_stmt_copy(u, free[--n]);
            loop->body = one;
            one = loop;
        }
        *ix_stmt_end(&made) = one;
    }
    return made;
}

ix_stmt *
ix_recurrence_fuse(ix_unit *u, const ix_kernel *k)
{
    ix_stmt *list = ix_stmt_clone(u, NULL, k->body);
    if (u->target->grid)
        list = with_levels_inside(u, k, list);
    return in_common_loops(u, k, list);
}
