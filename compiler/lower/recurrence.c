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

uint32_t
ix_recurrence_outer(const ix_levels *r, int rank)
{
    uint32_t mask = 0;
    for (int a = 0; a < rank; a++)
        if (a != r->axis && !(r->inside && a == rank - 1))
            mask |= 1u << a;
    return mask;
}

/* ---- joining ---- */

/* What the nests of a kernel read of the buffers that another one writes. */
typedef struct reading {
    const ix_kernel *writer;
    int axis;       /* of the levels */
    bool any;       /* something */
    bool elsewhere; /* at another point than the free one that is computed */
} reading;

bool
ix_recurrence_writes(const ix_kernel *k, int64_t buffer)
{
    for (ix_stmt *nest = k->body; nest; nest = nest->next)
        for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
            if (s->buffer == buffer)
                return true;
    return false;
}

static bool
note_reading(void *user, const ilex_array *load)
{
    reading *r = user;
    if (!ix_recurrence_writes(r->writer, load->attr[0]))
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
    bool worth =
        both || (r.any && ix_recurrence_outer(levels, a->box->rank) != 0);
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

/* A loop like "loop" around other statements. */
static ix_stmt *
around(ix_unit *u, const ix_stmt *loop, ix_stmt *body)
{
    ix_stmt *s = ix_stmt_copy(u, loop);
    s->body = body;
    return s;
}

/* The loop over the levels of a nest. On a GPU what is free stands outside. */
static ix_stmt *
levels_of(ix_unit *u, const ix_stmt *nest, int axis)
{
    while (nest->number != axis)
        nest = nest->body;
    ix_stmt *stores = ix_nest_body(nest->body);
    const ix_stmt *inner = nest->body;
    return around(u, nest,
                  u->target->grid ? stores : ix_nest_like(u, inner, stores));
}

/* The free loops of a nest that stand outside of its levels, around "body". */
static ix_stmt *
free_loops(ix_unit *u, const ix_stmt *nest, int axis, ix_stmt *body)
{
    if (nest->kind != IX_STMT_FOR)
        return body;
    if (nest->number == axis)
        return u->target->grid ? free_loops(u, nest->body, axis, body) : body;
    return around(u, nest, free_loops(u, nest->body, axis, body));
}

ix_stmt *
ix_recurrence_fuse(ix_unit *u, const ix_kernel *k)
{
    ix_stmt *fused = NULL, **tail = &fused;
    int axis = k->levels.axis;
    for (ix_stmt *nest = k->body; nest;) {
        ix_stmt *levels = NULL, **last = &levels, *first = nest;
        for (; nest && same_free_loops(first, nest, axis); nest = nest->next) {
            *last = levels_of(u, nest, axis);
            last = &(*last)->next;
        }
        *tail = free_loops(u, first, axis, levels);
        while (*tail)
            tail = &(*tail)->next;
    }
    return fused;
}
