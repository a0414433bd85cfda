/* SPDX-License-Identifier: MIT
 *
 * Passes loops, reduce, parallel: the shape of the loop nests.
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
    return !x && !y && !reads_from(u, b, a);
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

/* needs: nests; gives: neighbours that write one box and do not read each
 * other in common loops; loops in index order, the last index innermost, which
 * is the layout of what is written. */
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
    u->nkernels = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->number = u->nkernels++;
    return true;
}

/* ---- reduce: reductions over everything run in parallel ---- */

/* What sole_reduction finds. */
typedef struct reduction_search {
    ix_unit *u;
    ix_map seen;
    ilex_array *found;
    int count;
} reduction_search;

static void
find_reductions(reduction_search *r, ilex_array *n)
{
    if (!(n->flags & IX_HAS_REDUCE) || ix_map_find(&r->seen, n))
        return;
    if (!ix_map_set(&r->seen, &r->u->ctx->mem, n, 1))
        r->count = 2; /* no memory: leave the body as it is */
    if (n->kind == IX_REDUCE) {
        r->found = n;
        r->count++;
        return;
    }
    for (int i = 0; i < n->nops; i++)
        find_reductions(r, n->ops[i]);
}

/* The one reduction, over several axes, in a body; or NULL. */
static ilex_array *
sole_reduction(ix_unit *u, ilex_array *body)
{
    reduction_search r = {.u = u};
    find_reductions(&r, body);
    ix_map_free(&r.seen, &u->ctx->mem);
    return r.count == 1 && r.found->interior->rank > 1 &&
                   !ix_reduction_info_of(ix_reduction_of(r.found))->by_index
               ? r.found
               : NULL;
}

/* A REDUCE like "n" over part of its axes. */
static ilex_array *
part_of(ilex_array *n, const ix_domain *box, int64_t first, int64_t lanes,
        ilex_array *body)
{
    int64_t attr[3] = {n->attr[0], first, lanes};
    ix_node_spec spec = {.kind = IX_REDUCE,
                         .dtype = (ilex_dtype)n->dtype,
                         .interior = box,
                         .nops = 1,
                         .ops = &body,
                         .nattr = 3,
                         .attr = attr};
    return ix_node_scoped(n->ctx, &spec);
}

typedef struct replacement {
    ilex_array *from, *to;
} replacement;

static ilex_array *
replace_node(void *user, ilex_array *n)
{
    const replacement *r = user;
    return n == r->from ? r->to : n;
}

/* The kernel that stores, for every index of the outermost reduced axis, the
 * reduction over the other axes. */
static ix_kernel *
partial_kernel(ix_unit *u, ilex_array *n, int *buffer)
{
    ilex_context *ctx = u->ctx;
    const ix_domain *outer = ix_domain_new(ctx, 1, n->interior->ax);
    const ix_domain *inner =
        ix_domain_new(ctx, n->interior->rank - 1, n->interior->ax + 1);
    ix_substitution s = {
        .ctx = ctx, .rindex = ix_scalar_index(ctx, 0), .from = n->attr[1]};
    ilex_array *body = ix_substitute(&s, n->ops[0]);
    ix_substitution_free(&s);
    if (!outer || !inner || ix_is_poison(body))
        return NULL;
    body = part_of(n, inner, n->attr[1] + 1, n->attr[2], body);
    if (ix_is_poison(body))
        return NULL;
    *buffer = ix_unit_buffer(u, (ix_buffer){.role = IX_ROLE_TEMP,
                                            .name = "",
                                            .dtype = (ilex_dtype)n->dtype,
                                            .interior = outer,
                                            .box = outer,
                                            .inplace = -1});
    ix_kernel *k = ix_arena_new(&u->arena, sizeof *k);
    k->box = outer;
    k->nests = ix_arena_new(&u->arena, sizeof *k->nests);
    k->nests->nloops = k->nests->nstores = 1;
    k->nests->store = ix_arena_new(&u->arena, sizeof *k->nests->store);
    *k->nests->store = (ix_store){*buffer, body};
    ix_loop *loop = ix_arena_new(&u->arena, sizeof *loop);
    k->nests->loop = loop;
    *loop = (ix_loop){.axis = 0, .nlo = 1, .nhi = 1};
    loop->lo[0] = ix_index_lin(ctx, outer->ax[0].lo);
    loop->hi[0] = ix_index_lin(ctx, outer->ax[0].hi);
    return k;
}

/* Puts the partial kernel before "k" and reduces its results in "k". */
static bool
split_reduction(ix_unit *u, ix_kernel **at, ilex_array *n)
{
    ix_kernel *k = *at;
    int buffer;
    ix_kernel *partial = partial_kernel(u, n, &buffer);
    if (!partial)
        return false;
    ilex_array *index = ix_scalar_rindex(u->ctx, (int)n->attr[1]);
    ilex_array *load =
        ix_scalar_load(u->ctx, (ilex_dtype)n->dtype, buffer, 1, &index);
    replacement r = {n, part_of(n, partial->box, n->attr[1], 1, load)};
    ix_substitution s = {.ctx = u->ctx, .rewrite = replace_node, .user = &r};
    k->nests->store->value = ix_substitute(&s, k->nests->store->value);
    ix_substitution_free(&s);
    partial->next = k;
    *at = partial;
    u->changed = true;
    return !ix_is_poison(k->nests->store->value);
}

/* needs: nests; gives: reductions of several axes to a single value as two
 * kernels, the first with a loop that threads can share. The nest of one-axis
 * reductions that defines the result stays the same, so the bits do. */
bool
ix_pass_reduce(ix_unit *u)
{
    for (ix_kernel **at = &u->kernels; *at && !u->reference;
         at = &(*at)->next) {
        ix_nest *nest = (*at)->nests;
        if ((*at)->box->rank || !nest || nest->nstores != 1 ||
            !(nest->store->value->flags & IX_HAS_REDUCE))
            continue;
        ilex_array *n = sole_reduction(u, nest->store->value);
        if (n && !split_reduction(u, at, n))
            return false;
    }
    u->nkernels = 0;
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->number = u->nkernels++;
    return true;
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
