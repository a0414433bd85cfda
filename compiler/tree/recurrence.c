/* SPDX-License-Identifier: MIT
 *
 * The loops of a scan. The levels of its axis come one after the other, in one
 * loop for each piece of them; everything else is free. Free loops stand around
 * the levels, so that a level is met soon after the one before; only the last
 * axis, along which memory is contiguous, may stand inside, for vector units.
 */
#include "compiler/tree/tree.h"

int
ix_recurrence_range(const ix_stage *s)
{
    ix_recurrence *r = s->scan;
    int rank = s->box->rank;
    /* With two axes the range is then divided inside of the levels, and which
     * check fails first would depend on how. */
    bool divided = rank == 2 && (s->body->flags & IX_HAS_CHECK);
    r->inside = r->axis < rank - 1 && !divided;
    return rank == 1 ? -1 : r->axis == 0 ? 1 : 0;
}

void
ix_recurrence_order(const ix_recurrence *r, int rank, int *order)
{
    int n = 0;
    for (int k = 0; k < rank; k++)
        if (k != r->axis && !(r->inside && k == rank - 1))
            order[n++] = k;
    order[n++] = r->axis;
    if (r->inside)
        order[n++] = rank - 1;
}

ix_stmt *
ix_recurrence_stores(ix_unit *u, const ix_recurrence *r, ix_element at,
                     ilex_array *const *values)
{
    ix_stmt *first = NULL, **tail = &first;
    for (int i = 0; i < r->count; i++) {
        at.buffer = r->buffer[i];
        *tail = ix_stmt_store(u, at, values[i]);
        tail = &(*tail)->next;
    }
    return first;
}

/* ---- free loops ---- */

/* Do two nests differ in their levels and stores only? */
static bool
same_free_loops(const ix_stmt *a, const ix_stmt *b)
{
    for (; a->kind == IX_STMT_FOR; a = a->body, b = b->body)
        if (a->parallel && !ix_stmt_same_bounds(a, b))
            return false;
    return true;
}

/* ---- joining scans ---- */

/* What the nests of a kernel read of the buffers that another one writes. */
typedef struct reading {
    const ix_kernel *writer;
    bool elsewhere; /* at another point than the free one that is computed */
} reading;

static bool
writes(const ix_kernel *k, int64_t buffer)
{
    for (ix_stmt *nest = k->body; nest; nest = nest->next)
        for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
            if (s->at.buffer == buffer)
                return true;
    return false;
}

static bool
note_reading(void *user, const ilex_array *load)
{
    reading *r = user;
    if (!writes(r->writer, load->attr[0]))
        return true;
    for (int i = 0; i < load->nops; i++)
        r->elsewhere |=
            i != r->writer->scan->axis &&
            (load->ops[i]->kind != IX_INDEX || load->ops[i]->attr[0] != i);
    return !r->elsewhere;
}

/* Have all nests of both kernels the same free loops? */
static bool
one_group(const ix_kernel *a, const ix_kernel *b)
{
    for (const ix_stmt *nest = a->body; nest; nest = nest->next)
        if (!same_free_loops(a->body, nest))
            return false;
    for (const ix_stmt *nest = b->body; nest; nest = nest->next)
        if (!same_free_loops(a->body, nest))
            return false;
    return true;
}

bool
ix_recurrence_join(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    reading r = {.writer = a};
    if (!a->scan || !b->scan || a->scan->axis != b->scan->axis ||
        a->scan->inside != b->scan->inside || a->box != b->box ||
        !one_group(a, b) ||
        ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > IX_FUNCTION)
        return false;
    ix_stmt_loads(u, b->body, note_reading, &r);
    if (r.elsewhere)
        return false;
    ix_stmt *last = a->body;
    while (last->next)
        last = last->next;
    last->next = b->body;
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
levels_of(ix_unit *u, const ix_stmt *nest)
{
    while (nest->parallel)
        nest = nest->body;
    ix_stmt *stores = ix_nest_body(nest->body);
    const ix_stmt *inner = nest->body;
    return around(u, nest, u->cuda ? stores : ix_nest_like(u, inner, stores));
}

/* The free loops of a nest that stand outside of its levels, around "body". */
static ix_stmt *
free_loops(ix_unit *u, const ix_stmt *nest, ix_stmt *body)
{
    if (nest->kind != IX_STMT_FOR)
        return body;
    if (!nest->parallel)
        return u->cuda ? free_loops(u, nest->body, body) : body;
    return around(u, nest, free_loops(u, nest->body, body));
}

ix_stmt *
ix_recurrence_fuse(ix_unit *u, const ix_kernel *k)
{
    ix_stmt *fused = NULL, **tail = &fused;
    for (ix_stmt *nest = k->body; nest;) {
        ix_stmt *levels = NULL, **last = &levels, *first = nest;
        for (; nest && same_free_loops(first, nest); nest = nest->next) {
            *last = levels_of(u, nest);
            last = &(*last)->next;
        }
        *tail = free_loops(u, first, levels);
        while (*tail)
            tail = &(*tail)->next;
    }
    return fused;
}

/* ---- what passes ---- */

/* Free axes with loops around the levels, if all nests stand in them. */
static uint32_t
outer_axes(const ix_kernel *k)
{
    uint32_t mask = 0;
    for (const ix_stmt *nest = k->nests; nest; nest = nest->next)
        if (!same_free_loops(k->nests, nest))
            return 0;
    for (int a = 0; a < k->box->rank; a++)
        if (a != k->scan->axis && !(k->scan->inside && a == k->box->rank - 1))
            mask |= 1u << a;
    return mask;
}

/* Takes out of a mask the axes along which a buffer is read elsewhere than at
 * the point that is computed. */
typedef struct own_points {
    int buffer;
    uint32_t axes;
} own_points;

static bool
note_own(void *user, const ilex_array *load)
{
    own_points *o = user;
    for (int i = 0; i < load->nops && load->attr[0] == o->buffer; i++)
        if (load->ops[i]->kind != IX_INDEX || load->ops[i]->attr[0] != i)
            o->axes &= ~(1u << i);
    return o->axes != 0;
}

void
ix_recurrence_passing(ix_unit *u, const ix_kernel *k, const int *first,
                      const int *last)
{
    uint32_t outer = outer_axes(k);
    for (size_t i = 0; i < u->nbuffers && outer; i++) {
        own_points o = {(int)i, outer};
        if (u->buffer[i].role != IX_ROLE_TEMP || first[i] != k->number ||
            last[i] != k->number)
            continue;
        ix_stmt_loads(u, k->nests, note_own, &o);
        u->buffer[i].passing = o.axes;
    }
}
