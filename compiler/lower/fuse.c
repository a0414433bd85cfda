/* SPDX-License-Identifier: MIT
 *
 * Pass fuse: needs: nests; gives: neighbours that write one box and do not read
 * each other in common loops, neighbours that write segments of one buffer in
 * one kernel, and scans over the same free points, no longer than a function
 * may be; breaks: one nest a kernel, one store a nest.
 */
#include "compiler/lower/recurrence.h"

enum { STORES_TOGETHER = 8 };

/* Is one of the buffers that a kernel writes loaded? */
typedef struct read_query {
    const ix_kernel *writer;
    bool found;
} read_query;

static bool
note_read(void *user, const ilex_array *load)
{
    read_query *q = user;
    q->found = ix_nests_store(q->writer->body, load->attr[0]);
    return !q->found;
}

static bool
reads_from(ix_unit *u, const ix_kernel *reader, const ix_kernel *writer)
{
    read_query q = {writer, false};
    ix_stmt_loads(u, reader->body, note_read, &q);
    return q.found;
}

static bool
same_loops(const ix_stmt *a, const ix_stmt *b)
{
    for (; a->kind == IX_STMT_FOR && b->kind == IX_STMT_FOR;
         a = a->body, b = b->body)
        if (!ix_stmt_same_bounds(a, b))
            return false;
    return a->kind == b->kind;
}

static int
count_stores(ix_stmt *nest)
{
    int n = 0;
    for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
        n++;
    return n;
}

/* The next nest of a kernel; one of rank 0 is its stores, and stands alone. */
static ix_stmt *
next_nest(ix_stmt *nest)
{
    return nest->kind == IX_STMT_FOR ? nest->next : NULL;
}

/* Why two nests do not go together; NONE: they do. */
static ix_apart
nests_apart(ix_stmt *x, ix_stmt *y)
{
    if (!same_loops(x, y))
        return IX_APART_LOOPS;
    if (ix_nest_has_reduction(x) || ix_nest_has_reduction(y))
        return IX_APART_REDUCTION;
    return count_stores(x) + count_stores(y) > STORES_TOGETHER ? IX_APART_STORES
                                                               : IX_APART_NONE;
}

/* Why the nests of "b" cannot join those of "a", one to one; NONE: they can. */
static ix_apart
apart(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *x = a->body, *y = b->body;
    ix_apart why = a->box != b->box           ? IX_APART_BOX
                   : a->ordered || b->ordered ? IX_APART_ORDER
                                              : IX_APART_NONE;
    for (; !why && x && y; x = next_nest(x), y = next_nest(y))
        why = nests_apart(x, y);
    if (!why && (x || y))
        why = IX_APART_LOOPS;
    if (!why && ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > IX_FUNCTION)
        why = IX_APART_LONG;
    return !why && reads_from(u, b, a) ? IX_APART_READS : why;
}

/* Joins them; false, with the reason, if they do not go together. */
static bool
merge(ix_unit *u, ix_kernel *a, ix_kernel *b)
{
    ix_stmt *x = a->body, *y = b->body;
    b->apart = apart(u, a, b);
    if (b->apart)
        return false;
    while (x && y) {
        ix_stmt *last = ix_nest_body(x), *next = next_nest(x);
        while (last->next)
            last = last->next;
        last->next = ix_nest_body(y);
        y = next_nest(y);
        x = next;
    }
    return true;
}

/* ---- segments of a buffer ---- */

/* The one buffer that the kernel writes; -1 if there are several. */
static int
written_buffer(const ix_kernel *k)
{
    const ix_stmt *first = ix_nest_body(k->body);
    return first->next ? -1 : first->buffer;
}

/* The smallest box around both; NULL if that depends on sizes. */
static const ix_domain *
hull(ix_unit *u, const ix_domain *a, const ix_domain *b)
{
    ix_axis ax[ILEX_MAX_RANK];
    for (int k = 0; k < a->rank; k++) {
        ax[k] = (ix_axis){a->ax[k].name,
                          ix_lin_min(u->ctx, a->ax[k].lo, b->ax[k].lo),
                          ix_lin_max(u->ctx, a->ax[k].hi, b->ax[k].hi)};
        if (!ax[k].lo || !ax[k].hi)
            return NULL;
    }
    return ix_domain_new(u->ctx, a->rank, ax);
}

/* Loops that run whenever their own kernel does may not in a larger one. */
static void
free_loops(ix_unit *u, const ix_kernel *k, const ix_domain *box)
{
    for (ix_stmt *nest = k->body; nest; nest = nest->next)
        for (ix_stmt *s = nest; s->kind == IX_STMT_FOR; s = s->body) {
            const ix_axis *own = &k->box->ax[s->number],
                          *all = &box->ax[s->number];
            bool same = own->lo == all->lo && own->hi == all->hi;
            const ix_lin *end = ix_lin_try_offset(u->ctx, own->lo, 1);
            s->optional |= !same && ix_lin_le(u->ctx, end, own->hi) != IX_YES;
        }
}

/* Puts the nests of "b" behind those of "a", for both write segments of one
 * buffer (of a concat), which neither reads; false if they do not go
 * together. */
static bool
append(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *last = a->body;
    int buffer = written_buffer(a);
    if (a->ordered || b->ordered || a->body->kind != IX_STMT_FOR ||
        b->body->kind != IX_STMT_FOR || a->box == b->box || buffer < 0 ||
        buffer != written_buffer(b) || ix_nest_has_reduction(a->body) ||
        ix_nest_has_reduction(b->body) ||
        ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > IX_FUNCTION)
        return false;
    const ix_domain *box = hull(u, a->box, b->box);
    if (!box || reads_from(u, b, a))
        return false;
    free_loops(u, a, box);
    free_loops(u, b, box);
    while (last->next)
        last = last->next;
    last->next = b->body;
    a->box = box;
    return true;
}

/* ---- the pass ---- */

/* Moves nests that would make one function too long to a kernel of their own,
 * which follows. */
static void
divide(ix_unit *u, ix_kernel *k)
{
    int sum = 0;
    for (ix_stmt **at = &k->body; *at && (*at)->kind == IX_STMT_FOR;
         at = &(*at)->next) {
        sum += ix_measure_nest(u, *at);
        if (sum <= IX_FUNCTION || at == &k->body)
            continue;
        ix_kernel *rest = ix_unit_kernel(u, k->box, k->when);
        rest->apart = IX_APART_LONG;
        rest->axis = k->axis;
        rest->levels = k->levels;
        rest->ordered = k->ordered;
        rest->body = *at;
        rest->next = k->next;
        *at = NULL;
        k->next = rest;
        u->changed = true;
        return;
    }
}

/* Joins two neighbours, if they go together in any way. */
static bool
together(ix_unit *u, ix_kernel *a, ix_kernel *b)
{
    b->apart = b->when.counts != a->when.counts ? IX_APART_COUNTED
               : b->when.calls != a->when.calls ? IX_APART_CALL
                                                : IX_APART_NONE;
    return !b->apart && (append(u, a, b) || merge(u, a, b) ||
                         ix_recurrence_fuse_kernels(u, a, b));
}

bool
ix_pass_fuse(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *a = u->kernels; a; a = a->next)
        while (a->next && together(u, a, a->next)) {
            a->next = a->next->next;
            u->changed = true;
        }
    for (ix_kernel *k = u->kernels; k; k = k->next)
        divide(u, k);
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}
