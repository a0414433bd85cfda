/* SPDX-License-Identifier: MIT
 *
 * Kernels that become one without a look at distances: neighbours over one box,
 * in common loops down to the stores, of which the second one reads nothing
 * that the first one writes but at the same point, where it has the value,
 *
 *     kernel k0                     kernel k0
 *         for i in [0, n)               for i in [0, n)
 *             y[i] = x[i] + 1               y[i] = x[i] + 1
 *     kernel k1                             z[i] = 2*(x[i] + 1)
 *         for i in [0, n)
 *             z[i] = 2*y[i]
 *
 * and neighbours that write segments of one buffer, one behind the other. Scans
 * over the same free points become one, too (recurrence.h).
 */
#include "compiler/loop/loop.h"
#include "compiler/lower/forward.h"
#include "compiler/lower/recurrence.h"

enum { STORES_TOGETHER = 8 };

static bool
is_of_others(void *writer, const ilex_array *load)
{
    return !ix_nests_store(((const ix_kernel *)writer)->nests, load->attr[0]);
}

static bool
reads_from(ix_unit *u, const ix_kernel *reader, ix_kernel *writer)
{
    return !ix_stmt_loads(u, reader->nests, is_of_others, writer);
}

static bool
are_longer(ix_unit *u, const ix_kernel *a, const ix_kernel *b, int most)
{
    return ix_measure_kernel(u, a) + ix_measure_kernel(u, b) > most;
}

/* The next nest of a kernel; one of rank 0 is its stores, and stands alone. */
static ix_stmt *
next_nest(ix_stmt *nest)
{
    return nest->kind == IX_STMT_FOR ? nest->next : NULL;
}

/* ---- values for what is read ---- */

/* Why "b" would read in the loops of "a" what was not stored there yet, or is
 * an index, and so of an array that messages name; NULL: it does not. */
static const char *
reads_elsewhere(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    if (!reads_from(u, b, a))
        return NULL;
    if (!ix_option_int(u->ctx, IX_OPTION_fuse) ||
        ix_kernel_has(b, IX_HAS_CHECK))
        return "it reads what that writes";
    if (are_longer(u, a, b, IX_LARGE_KERNEL))
        return "it reads what that writes, and together they would be too long";
    ix_stmt *x = a->nests, *y = b->nests;
    for (; y; x = next_nest(x), y = next_nest(y))
        if (!ix_forward_may(u, a->nests, ix_nest_body(x), ix_nest_body(y)))
            return "it reads what that writes at other points";
    return NULL;
}

/* Has it reductions, or loops that a directive changed? */
static bool
is_changed(const ix_kernel *k)
{
    return k->body != k->nests;
}

/* ---- one box ---- */

/* Not what has been read as a value: that goes, in the end. */
static int
count_stores(const ix_unit *u, ix_stmt *nest)
{
    int n = 0;
    for (const ix_stmt *s = ix_nest_body(nest); s; s = s->next)
        n += !u->buffer[s->buffer].forwarded;
    return n;
}

/* Why the nests of "b" cannot join those of "a", one to one; NULL: they can. */
static const char *
apart(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *x = a->nests, *y = b->nests;
    if (a->box != b->box)
        return "it covers another domain";
    if (a->ordered || b->ordered)
        return "one of them goes from level to level";
    if (is_changed(a) || is_changed(b))
        return "one of them holds a reduction";
    for (; x && y; x = next_nest(x), y = next_nest(y))
        if (!ix_nest_same_free_loops(x, y, -1))
            return "their loops have other bounds";
        else if (count_stores(u, x) + count_stores(u, y) > STORES_TOGETHER)
            return "together they would write too many buffers";
    if (x || y)
        return "their loops have other bounds";
    if (are_longer(u, a, b, IX_FUNCTION))
        return "together they would be too long for one function";
    return reads_elsewhere(u, a, b);
}

static const char *
join(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *x = a->body, *y = b->body;
    const char *why = apart(u, a, b);
    bool reads = !why && reads_from(u, b, a);
    while (!why && x && y) {
        ix_stmt *next = next_nest(x), *stores = ix_nest_body(x);
        if (reads)
            ix_forward(u, stores, ix_nest_body(y));
        *ix_stmt_end(&stores) = ix_nest_body(y);
        y = next_nest(y);
        x = next;
    }
    return why;
}

/* ---- segments of a buffer ---- */

/* The one buffer that the kernel writes; -1 if there are several. */
static int
written_buffer(const ix_kernel *k)
{
    const ix_stmt *first = ix_nest_body(k->nests);
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

/* Puts the nests of "b" behind those of "a", for both write segments of one
 * buffer (of a concat), which neither reads; false if they do not go
 * together. */
static bool
append(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    int buffer = written_buffer(a);
    if (a->ordered || b->ordered || a->box == b->box || a->box->rank == 0 ||
        buffer < 0 || buffer != written_buffer(b) || is_changed(a) ||
        is_changed(b) || are_longer(u, a, b, IX_FUNCTION))
        return false;
    const ix_domain *box = hull(u, a->box, b->box);
    if (!box || reads_from(u, b, a))
        return false;
    *ix_stmt_end(&a->body) = b->body;
    a->box = box;
    ix_kernel_free_loops(u, a);
    return true;
}

/* ---- kernels ---- */

const char *
ix_kernels_merge(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    const char *why = NULL;
    if (b->when.counts != a->when.counts)
        return "sizes are counted in between";
    if (b->when.calls != a->when.calls)
        return ix_unit_repeat_at(u, a->when.calls) ==
                       ix_unit_repeat_at(u, b->when.calls)
                   ? "a function of the host is called in between"
                   : "the steps of a loop begin or end in between";
    if (!append(u, a, b))
        why = join(u, a, b);
    if (why && !ix_recurrence_fuse_kernels(u, a, b))
        return why;
    a->next = b->next;
    return NULL;
}
