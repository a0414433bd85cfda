/* SPDX-License-Identifier: MIT
 *
 * The loops of a scan. The levels of its axis come one after the other, in one
 * loop for each piece of them; everything else is free, and stands around all
 * of these, so that a level is met soon after the one before.
 */
#include "compiler/lower/recurrence.h"

#include "compiler/lower/forward.h"
#include "compiler/lower/reduce.h"

void
ix_recurrence_order(int axis, int rank, int *order)
{
    int n = 0;
    for (int k = 0; k < rank; k++)
        if (k != axis)
            order[n++] = k;
    if (axis >= 0)
        order[n++] = axis;
}

/* ---- free loops ---- */

bool
ix_nest_same_free_loops(const ix_stmt *a, const ix_stmt *b, int axis)
{
    for (; a->kind == IX_STMT_FOR; a = a->body, b = b->body)
        if (a->number != axis && !ix_stmt_same_bounds(a, b))
            return false;
    return true;
}

bool
ix_recurrence_is_one(const ix_stmt *like, const ix_stmt *nests, int axis)
{
    while (nests && ix_nest_same_free_loops(like, nests, axis))
        nests = nests->next;
    return !nests;
}

ix_stmt *
ix_recurrence_nests(ix_unit *u, const ix_kernel *k)
{
    ix_stmt *first = NULL, **last = &first;
    for (ix_stmt *nest = k->nests; nest; nest = nest->next) {
        ix_stmt *one = ix_nest_like(u, nest, ix_nest_body(nest)), **at = last;
        if (*last && ix_nest_same_free_loops(*last, nest, k->levels.axis))
            for (; one->number != k->levels.axis; one = one->body)
                at = &(*at)->body;
        else if (*last)
            at = last = &(*last)->next;
        *ix_stmt_end(at) = one;
    }
    return first;
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
    if (!ix_nests_store(r->writer->nests, load->attr[0]))
        return true;
    r->any = true;
    for (int i = 0; i < load->nops; i++)
        r->elsewhere |= i != r->axis && (load->ops[i]->kind != IX_INDEX ||
                                         load->ops[i]->attr[0] != i);
    return !r->elsewhere;
}

/* The nest with its loops in the order of a scan. */
static ix_stmt *
reordered(ix_unit *u, int axis, const ix_stmt *nest, int rank)
{
    const ix_stmt *loop[ILEX_MAX_RANK];
    int order[ILEX_MAX_RANK];
    ix_stmt *inner = ix_nest_body((ix_stmt *)(uintptr_t)nest);
    for (; nest->kind == IX_STMT_FOR; nest = nest->body)
        loop[nest->number] = nest;
    ix_recurrence_order(axis, rank, order);
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
nests_like(ix_unit *u, int axis, const ix_kernel *k)
{
    ix_stmt *first = NULL, **tail = &first;
    int rank = k->box->rank;
    if (ix_kernel_has_levels(k))
        return k->levels.axis == axis ? k->nests : NULL;
    for (ix_stmt *nest = k->nests; nest; nest = nest->next) {
        if (k->ordered || !ix_nest_is_rectangular(nest, rank))
            return NULL;
        *tail = reordered(u, axis, nest, rank);
        tail = &(*tail)->next;
    }
    return first;
}

/* ---- in the levels of the last scan ---- */

static const ix_stmt *
levels_of(const ix_stmt *nest, int axis)
{
    while (nest->number != axis)
        nest = nest->body;
    return nest;
}

/* The nests of the last scan of those, one for each piece of its levels. */
static ix_stmt *
last_pieces(ix_stmt *nests)
{
    ix_stmt *first = nests;
    for (; nests; nests = nests->next)
        if (ix_nest_body(nests)->buffer != ix_nest_body(first)->buffer)
            first = nests;
    return first;
}

/* Where a piece of "all" levels begins, or ends: the bound of it that is not
 * that of all, if there is one; NULL: there are several. */
static ilex_array *
edge_of(const ix_stmt *piece, const ix_stmt *all, int group)
{
    ilex_array *whole = *ix_operands(all, group), *edge = whole;
    for (int i = 0; i < piece->n[group] && edge; i++) {
        ilex_array *x = ix_operands(piece, group)[i];
        if (x != whole)
            edge = edge == whole ? x : NULL;
    }
    return edge;
}

/* Do pieces of levels follow each other, the way they go, through all of those
 * of "whole"? */
static bool
cover(const ix_stmt *pieces, const ix_stmt *whole, int axis)
{
    const ix_stmt *all = levels_of(whole, axis);
    bool down = levels_of(pieces, axis)->down;
    int near = down ? IX_for_hi : IX_for_lo, far = down ? IX_for_lo : IX_for_hi;
    const ilex_array *reached = *ix_operands(all, near);
    bool ok = all->n[near] == 1 && all->n[far] == 1;
    for (; pieces && ok; pieces = pieces->next) {
        const ix_stmt *s = levels_of(pieces, axis);
        ok = s->down == down && reached && edge_of(s, all, near) == reached;
        reached = edge_of(s, all, far);
    }
    return ok && reached == *ix_operands(all, far);
}

/* Stores that read of the last scan what the level has stand in its levels, and
 * have the value. False: they are not such, or levels are the last axis, along
 * which rows are stored better. */
static bool
join_last(ix_unit *u, ix_stmt *scans, const ix_stmt *nest, int axis)
{
    ix_stmt *pieces = last_pieces(scans);
    ix_stmt *readers = ix_nest_body((ix_stmt *)(uintptr_t)nest);
    if (nest->next || axis + 1 == readers->n[IX_INDICES] ||
        !cover(pieces, nest, axis))
        return false;
    for (const ix_stmt *s = readers; s; s = s->next)
        if (ix_stmt_has(s, IX_HAS_CHECK))
            return false;
    for (ix_stmt *p = pieces; p; p = p->next)
        if (!ix_forward_may(u, pieces, ix_nest_body(p), readers))
            return false;
    for (; pieces; pieces = pieces->next) {
        ix_stmt *stores = ix_nest_body(pieces);
        ix_stmt *behind = ix_stmt_clone(u, NULL, readers);
        ix_forward(u, stores, behind);
        *ix_stmt_end(&stores) = behind;
    }
    return true;
}

bool
ix_recurrence_fuse_kernels(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    const ix_kernel *scan = ix_kernel_has_levels(a) ? a : b;
    int axis = scan->levels.axis, rank = a->box->rank;
    if (!ix_kernel_has_levels(scan) || a->box != b->box ||
        ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > IX_FUNCTION)
        return false;
    ix_stmt *x = nests_like(u, axis, a);
    ix_stmt *y = x ? nests_like(u, axis, b) : NULL;
    if (!y || !ix_recurrence_is_one(x, x, axis) ||
        !ix_recurrence_is_one(x, y, axis))
        return false;
    reading r = {.writer = a, .axis = axis};
    ix_stmt_loads(u, b->nests, note_reading, &r);
    /* an element-wise kernel is fused only if it shares data with the scan, at
     * points of loops that will stand around the levels */
    bool both = ix_kernel_has_levels(a) && ix_kernel_has_levels(b);
    bool worth = both || (r.any && rank > 1 + (axis < rank - 1));
    if (r.elsewhere || !worth)
        return false;
    a->nests = x;
    if (scan != a || both || !join_last(u, x, y, axis))
        *ix_stmt_end(&a->nests) = y;
    a->axis = scan->axis;
    a->ordered = true;
    a->levels = scan->levels;
    return ix_reduce_kernel(u, a);
}
