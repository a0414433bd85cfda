/* SPDX-License-Identifier: MIT
 *
 * Passes loops and parallel: the shape of the loop nests.
 */
#include "compiler/unit.h"

enum { STORES_TOGETHER = 8 };

/* ---- loops: stores over one box share loops ---- */

typedef struct read_query {
    const ix_kernel *writer;
    bool found;
} read_query;

static bool
note_read(ix_load_visitor *v, const ilex_array *load)
{
    read_query *q = v->user;
    for (const ix_nest *n = q->writer->nests; n; n = n->next)
        for (int i = 0; i < n->nstores; i++)
            q->found |= n->store[i].buffer == load->attr[0];
    return true;
}

/* Does a kernel read what "writer" writes? */
static bool
reads_from(ix_unit *u, const ix_kernel *reader, const ix_kernel *writer)
{
    read_query q = {writer, false};
    for (const ix_nest *n = reader->nests; n; n = n->next)
        for (int i = 0; i < n->nstores; i++) {
            ix_load_visitor v = {.ctx = u->ctx, .fn = note_read, .user = &q};
            v.frame.box = reader->box;
            if (!ix_visit_loads(&v, n->store[i].value))
                return true;
        }
    return q.found;
}

static bool
same_loops(const ix_nest *a, const ix_nest *b)
{
    bool same = a->nloops == b->nloops;
    for (int k = 0; same && k < a->nloops; k++) {
        const ix_loop *x = &a->loop[k], *y = &b->loop[k];
        same = x->nlo == y->nlo && x->nhi == y->nhi;
        for (int i = 0; same && i < x->nlo; i++)
            same = x->lo[i] == y->lo[i];
        for (int i = 0; same && i < x->nhi; i++)
            same = x->hi[i] == y->hi[i];
    }
    return same;
}

static bool
has_reduction(const ix_nest *n)
{
    for (int i = 0; i < n->nstores; i++)
        if (n->store[i].value->flags & IX_HAS_REDUCE)
            return true;
    return false;
}

/* Can the nests of "b" join those of "a", one to one? */
static bool
joinable(ix_unit *u, const ix_kernel *a, const ix_kernel *b)
{
    const ix_nest *x = a->nests, *y = b->nests;
    if (a->box != b->box)
        return false;
    for (; x && y; x = x->next, y = y->next)
        if (!same_loops(x, y) || has_reduction(x) || has_reduction(y) ||
            x->nstores + y->nstores > STORES_TOGETHER)
            return false;
    int together = ix_kernel_statements(u, a) + ix_kernel_statements(u, b);
    return !x && !y && together <= IX_FUNCTION && !reads_from(u, b, a);
}

static void
join(ix_unit *u, ix_kernel *a, const ix_kernel *b)
{
    ix_nest *x = a->nests;
    for (const ix_nest *y = b->nests; y; x = x->next, y = y->next) {
        size_t n = (size_t)x->nstores, m = (size_t)y->nstores;
        ix_store *both = ix_arena_new(&u->arena, (n + m) * sizeof *both);
        memcpy(both, x->store, n * sizeof *both);
        memcpy(both + n, y->store, m * sizeof *both);
        x->store = both;
        x->nstores += y->nstores;
    }
}

/* Moves nests that would make one function too long to a kernel of their own,
 * which follows. */
static void
divide(ix_unit *u, ix_kernel *k)
{
    int sum = 0;
    for (ix_nest **at = &k->nests; *at; at = &(*at)->next) {
        sum += ix_nest_statements(u, *at);
        if (sum <= IX_FUNCTION || at == &k->nests)
            continue;
        ix_kernel *rest = ix_arena_new(&u->arena, sizeof *rest);
        *rest = (ix_kernel){.box = k->box, .nests = *at, .next = k->next};
        *at = NULL;
        k->next = rest;
        u->changed = true;
        return;
    }
}

ix_kernel *
ix_unit_kernel(ix_unit *u, const ix_domain *box, int buffer, ilex_array *value)
{
    ix_kernel *k = ix_arena_new(&u->arena, sizeof *k);
    ix_nest *n = ix_arena_new(&u->arena, sizeof *n);
    k->box = box;
    k->nests = n;
    n->nloops = box->rank;
    n->nstores = 1;
    n->store = ix_arena_new(&u->arena, sizeof *n->store);
    *n->store = (ix_store){buffer, value};
    n->loop =
        ix_arena_new(&u->arena, ((size_t)box->rank + 1) * sizeof *n->loop);
    for (int i = 0; i < box->rank; i++) {
        n->loop[i] = (ix_loop){.axis = i, .nlo = 1, .nhi = 1};
        n->loop[i].lo[0] = ix_index_lin(u->ctx, box->ax[i].lo);
        n->loop[i].hi[0] = ix_index_lin(u->ctx, box->ax[i].hi);
    }
    return k;
}

void
ix_unit_number(ix_unit *u)
{
    u->nkernels = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->number = u->nkernels++;
}

/* needs: nests; gives: neighbours that write one box and do not read each
 * other in common loops, kernels no longer than a function may be; loops in
 * index order, the last index innermost, which is the layout of what is
 * written. */
bool
ix_pass_loops(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *a = u->kernels; a; a = a->next)
        while (a->next && joinable(u, a, a->next)) {
            join(u, a, a->next);
            a->next = a->next->next;
            u->changed = true;
        }
    for (ix_kernel *k = u->kernels; k; k = k->next)
        divide(u, k);
    ix_unit_number(u);
    return u->ctx->error.code == ILEX_OK;
}

/* ---- parallel ---- */

/* needs: nests; gives: every loop marked: stores of one nest write different
 * elements and nothing they read, so all loops are parallel; the innermost is
 * for vectors when no reduction loop is inside. */
bool
ix_pass_parallel(ix_unit *u)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        for (ix_nest *n = k->nests; n; n = n->next)
            for (int i = 0; i < n->nloops; i++) {
                n->loop[i].parallel = true;
                n->loop[i].vector = i + 1 == n->nloops && !has_reduction(n);
            }
    return true;
}
