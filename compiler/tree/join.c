/* SPDX-License-Identifier: MIT
 *
 * Pass join: needs: nests; gives: neighbours that write one box and do not read
 * each other in common loops, kernels no longer than a function may be; breaks:
 * one nest a kernel, one store a nest.
 */
#include "compiler/tree/tree.h"

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
    for (ix_stmt *n = q->writer->body; n && !q->found; n = n->next)
        for (const ix_stmt *s = ix_nest_body(n); s; s = s->next)
            q->found |= s->at.buffer == load->attr[0];
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
same_bounds(int n, ilex_array *const *a, int m, ilex_array *const *b)
{
    return n == m && !memcmp(a, b, (size_t)n * sizeof *a);
}

static bool
same_loops(const ix_stmt *a, const ix_stmt *b)
{
    for (; a->kind == IX_STMT_FOR && b->kind == IX_STMT_FOR;
         a = a->body, b = b->body)
        if (!same_bounds(a->nlo, a->lo, b->nlo, b->lo) ||
            !same_bounds(a->nhi, a->hi, b->nhi, b->hi))
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

/* Can the nests of "b" join those of "a", one to one? */
static bool
joinable(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *x = a->body, *y = b->body;
    if (a->box != b->box)
        return false;
    for (; x && y; x = next_nest(x), y = next_nest(y))
        if (!same_loops(x, y) || ix_nest_has_reduction(x) ||
            ix_nest_has_reduction(y) ||
            count_stores(x) + count_stores(y) > STORES_TOGETHER)
            return false;
    int together = ix_measure_kernel(u, a) + ix_measure_kernel(u, b);
    return !x && !y && together <= IX_FUNCTION && !reads_from(u, b, a);
}

static void
join(ix_kernel *a, const ix_kernel *b)
{
    ix_stmt *x = a->body, *y = b->body;
    while (x && y) {
        ix_stmt *last = ix_nest_body(x), *next = next_nest(x);
        while (last->next)
            last = last->next;
        last->next = ix_nest_body(y);
        y = next_nest(y);
        x = next;
    }
}

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
        ix_kernel *rest = ix_unit_kernel(u, k->box);
        rest->body = *at;
        rest->next = k->next;
        *at = NULL;
        k->next = rest;
        u->changed = true;
        return;
    }
}

bool
ix_pass_join(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *a = u->kernels; a; a = a->next)
        while (a->next && joinable(u, a, a->next)) {
            join(a, a->next);
            a->next = a->next->next;
            u->changed = true;
        }
    for (ix_kernel *k = u->kernels; k; k = k->next)
        divide(u, k);
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}
