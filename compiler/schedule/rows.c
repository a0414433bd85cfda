/* SPDX-License-Identifier: MIT
 *
 * The policy for kernels that work on the same rows: neighbours are one if what
 * one stores in a temporary only iterations at the same point of the loop that
 * threads divide read, in it and in those behind it. Then the temporary is a
 * row, or a number, of each thread (shrink), and is read while it is in the
 * cache. So are those that store rows and use the same rows of a buffer, and
 * what checks indices and what reads by these. What vector units do stands in
 * loops inside, as before.
 *
 * On a GPU they are one where groups of threads may do such a row, for all that
 * one stores: rows of a temporary, which stay in its memory, are in the caches
 * when they are read, and of a number there is no temporary.
 */
#include "compiler/loop/distances.h"
#include "compiler/schedule/schedule.h"

#include <stdio.h>

enum { SHORT = 16 }; /* elements that are not worth it */

typedef struct rows {
    ix_unit *u;
    const int *first, *last; /* uses of each buffer */
    int begin, now;          /* the first kernel of those that are one so far;
                                how many are behind the program's first one */
} rows;

/* ---- which kernels ---- */

typedef struct shape {
    ix_unit *u;
    int axis;
    bool is_long, product;
} shape;

static bool
look_at_statement(void *user, ix_stmt *s)
{
    shape *x = user;
    if (s->kind == IX_STMT_UPDATE)
        x->product |= ix_update_value(s)->kind == IX_PRODUCT;
    if (s->kind == IX_STMT_FOR && s->number != x->axis)
        x->is_long |= !ix_loop_is_short(x->u, s);
    return true;
}

/* Is there a row in it, along which vector units run, and is it no contraction,
 * which has blocks of rows? */
static bool
has_rows(ix_unit *u, const ix_kernel *k, const ix_accesses *a)
{
    const ilex_array *row = ix_scalar_index(u->ctx, k->axis);
    shape x = {.u = u, .axis = k->axis};
    ix_stmt_each(k->body, look_at_statement, &x);
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *y = &a->item[i];
        if (y->buffer >= 0 && y->rank > 1 && y->depth > 1 &&
            !(y->index[y->rank - 1]->flags & IX_HAS_LOAD) &&
            ix_scalar_uses_index(y->index[y->rank - 1], (int)row->attr[0]))
            return false;
    }
    return x.is_long && !x.product;
}

/* Has it one loop over rows? */
static bool
goes_over_rows(const ix_kernel *k)
{
    return k && !k->stage && !ix_kernel_has_levels(k) &&
           ix_kernel_outermost(k) && ix_kernel_outermost(k)->parallel;
}

/* The accesses of a kernel that works on rows; false: it is none. What is told
 * of an index that is data, and the name of its axis, stay as they are. */
static bool
look_at(ix_unit *u, const ix_kernel *k, ix_accesses *a)
{
    if (!goes_over_rows(k) || ix_kernel_has(k, IX_MAY_FAIL))
        return false;
    *a = ix_accesses_in(u, k, k->body);
    return has_rows(u, k, a);
}

/* ---- what they have in common ---- */

/* The axes, a bit each, along which a kernel uses a buffer at the point of its
 * loop alone; 0: it does not use it. */
static uint32_t
own_axes(ix_unit *u, const ix_kernel *k, const ix_accesses *a, int buffer)
{
    const ilex_array *row = ix_scalar_index(u->ctx, k->axis);
    uint32_t axes = 0;
    bool first = true;
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *x = &a->item[i];
        uint32_t at = 0;
        if (x->buffer != buffer)
            continue;
        for (int d = 0; d < x->rank && !x->unknown; d++)
            at |= (uint32_t)(x->index[d] == row) << d;
        axes = first ? at : axes & at;
        first = false;
    }
    return axes;
}

/* Do all that use a temporary that the kernel stores follow it, the program's
 * kernels from "begin" to "end", at the same points of their loops? */
static bool
is_of_rows(const rows *r, const ix_kernel *k, int begin, int end, int buffer)
{
    const int calls = k->when.calls, axis = k->axis;
    ix_accesses x = ix_accesses_in(r->u, k, k->body);
    uint32_t axes = own_axes(r->u, k, &x, buffer);
    if (r->u->buffer[buffer].role != IX_ROLE_TEMP ||
        !ix_buffer_is_of_kernels(r->u, buffer) ||
        r->first[buffer] < begin + calls)
        return false;
    while (axes && ++end + calls <= r->last[buffer]) {
        k = k->next;
        if (!look_at(r->u, k, &x) || k->axis != axis)
            axes = 0;
        else
            axes &= own_axes(r->u, k, &x, buffer);
    }
    return axes != 0;
}

/* Has an iteration of it more than a few elements? */
static bool
is_row(const rows *r, const ix_kernel *k, int buffer)
{
    const ix_domain *box = r->u->buffer[buffer].box;
    bool row = false;
    for (int d = 0; d < box->rank; d++) {
        const ix_lin *length =
            ix_lin_try_fma(r->u->ctx, box->ax[d].hi, -1, box->ax[d].lo);
        const ix_lin *few = ix_lin_const(r->u->ctx, SHORT);
        row |= d != k->axis &&
               !(length && ix_lin_le(r->u->ctx, length, few) == IX_YES);
    }
    return row;
}

/* Does it store rows that are for the same iterations alone? Only then it is
 * worth it: what has a number for each row computes it for several rows at
 * once, if it is a kernel of its own. */
static bool
stores_rows(const rows *r, const ix_kernel *k, const ix_accesses *a, int begin,
            int end)
{
    for (size_t i = 0; i < a->n; i++) {
        const ix_access *x = &a->item[i];
        if (x->write && x->buffer >= 0 && is_row(r, k, x->buffer) &&
            is_of_rows(r, k, begin, end, x->buffer))
            return true;
    }
    return false;
}

static bool
share_rows(const rows *r, const ix_kernel *a, const ix_kernel *b)
{
    ix_accesses x, y;
    bool grid = r->u->target->grid, begins = r->begin == r->now && !grid;
    if (!b || a->axis != b->axis || b->ordered || (begins && a->ordered) ||
        a->when.calls != b->when.calls || !look_at(r->u, a, &x) ||
        !look_at(r->u, b, &y) ||
        !(grid || stores_rows(r, a, &x, r->begin, r->now) ||
          stores_rows(r, b, &y, r->now + 1, r->now + 1)))
        return false;
    for (size_t i = 0; i < y.n; i++) {
        int buffer = y.item[i].buffer;
        if (buffer >= 0 && !y.item[i].write && ix_accesses_write(&x, buffer) &&
            is_of_rows(r, a, r->begin, r->now, buffer))
            return true;
    }
    return false;
}

/* Does a kernel read rows of a buffer that data says? */
static bool
reads_by_data(const ix_accesses *a, int buffer)
{
    bool found = false;
    for (size_t i = 0; i < a->n && !found; i++) {
        const ix_access *x = &a->item[i];
        for (int d = 0; x->buffer == buffer && d + 1 < x->rank; d++)
            found |= (x->index[d]->flags & IX_HAS_CHECK) != 0;
    }
    return found;
}

/* Do both use the same rows of a buffer, in the same iterations? */
static bool
use_one_buffer(const rows *r, const ix_kernel *a, const ix_accesses *x,
               const ix_kernel *b, const ix_accesses *y)
{
    for (size_t i = 0; i < y->n; i++) {
        int buffer = y->item[i].buffer;
        if (buffer >= 0 && is_row(r, a, buffer) &&
            ((own_axes(r->u, a, x, buffer) & own_axes(r->u, b, y, buffer)) ||
             (reads_by_data(x, buffer) && reads_by_data(y, buffer))))
            return true;
    }
    return false;
}

/* Is all that it stores rows? */
static bool
stores_no_numbers(const rows *r, const ix_kernel *k, const ix_accesses *a)
{
    bool all = true;
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].write && a->item[i].buffer >= 0)
            all &= is_row(r, k, a->item[i].buffer);
    return all;
}

/* Are the indices that "a" checks those that "b" reads by? */
static bool
checks_for(const ix_accesses *x, const ix_accesses *y)
{
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; x->item[i].write && j < y->n; j++)
            if (x->item[i].buffer == y->item[j].buffer)
                return true;
    return false;
}

/* Are kernels over the same rows one, for what both use is in the cache then?
 * Each keeps its loops inside. */
static bool
use_rows(const rows *r, const ix_kernel *a, const ix_kernel *b)
{
    ix_accesses x, y;
    if (r->u->target->grid || !goes_over_rows(a) || !goes_over_rows(b) ||
        a->axis != b->axis)
        return false;
    x = ix_accesses_in(r->u, a, a->body);
    y = ix_accesses_in(r->u, b, b->body);
    if (!has_rows(r->u, b, &y) || !stores_no_numbers(r, b, &y))
        return false;
    return has_rows(r->u, a, &x) && stores_no_numbers(r, a, &x)
               ? use_one_buffer(r, a, &x, b, &y)
               : ix_kernel_has(a, IX_MAY_FAIL) && checks_for(&x, &y);
}

/* ---- the program ---- */

/* Makes one kernel of it and the next one. */
static bool
fuse(ix_unit *u, ix_kernel *a)
{
    const char *apart = a->apart;
    ix_directive d = ix_fuse_next(u, a);
    d.words = u->target->grid != 0;
    bool done = ix_kernels_carry(u, &d).class == IX_REFUSAL_NONE;
    a->apart = apart;
    return done;
}

/* Fuses what goes together, until buffers have other numbers; was anything? */
static bool
fuse_neighbours(ix_unit *u)
{
    rows r = {.u = u};
    bool some = false;
    size_t nbuffers = u->nbuffers;
    ix_buffers_used(u, &r.first, &r.last);
    for (ix_kernel *a = u->kernels; a; a = a->next, r.now++)
        for (r.begin = r.now;
             (share_rows(&r, a, a->next) || use_rows(&r, a, a->next)) &&
             fuse(u, a);
             some = true) {
            if (u->nbuffers < nbuffers)
                return true;
            r.now++;
        }
    return some;
}

void
ix_policy_rows(ix_unit *u)
{
    while (fuse_neighbours(u))
        ;
}

void
ix_policy_shrink(ix_unit *u, ix_cursor *c)
{
    char text[64];
    for (size_t i = 0; i < u->nbuffers; i++)
        if (u->buffer[i].local && ix_nests_store(c->k->nests, (int64_t)i)) {
            snprintf(text, sizeof text, "shrink b%zu at LOOP", i);
            ix_schedule_at(u, c, text);
        }
}
