/* SPDX-License-Identifier: MIT
 *
 * compute T at L: the nests of another kernel that write a temporary stand in
 * L, and run over what an iteration of L reads of it.
 *
 *     kernel k0                      kernel k1
 *         for k in [0, n)                for i in [0, n) step 8
 *             T[k] = f(x[k])                 for c in [max(i - 1, 0), i + 8)
 *     kernel k1                                  T[c - i + 1] = f(x[c])
 *         for i in [0, n) step 8             for j in [max(i, 1), i + 8)
 *             for j in [max(i, 1), i + 8)        y[j] = T[j - i] + ...
 *                 y[j] = T[j - 1] + ...
 *
 * What several iterations read each computes again, from the same values: by
 * the same statements, in the same order, so that each bit is the same. T is
 * memory that each part of a run has of its own, of an iteration of L: as long
 * as the box that it reads, and whole along axes where that has no constant
 * length. The kernel that wrote it is gone, or keeps what else it stores.
 */
#include "compiler/loop/compute.h"

static const ix_refusal fine = {IX_REFUSAL_NONE, NULL};

/* ---- who writes it ---- */

static ix_refusal
find_kernel(ix_computing *x)
{
    int writers = 0;
    for (ix_kernel *k = x->u->kernels; k; k = k->next) {
        bool writes = ix_nests_store(k->nests, x->buffer);
        x->by = writes ? k : x->by;
        writers += writes;
        x->others |= k != x->at->k && ix_stmts_load(x->u, k->body, x->buffer);
    }
    if (writers != 1 || x->by == x->at->k)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is not written by one other kernel");
    if (x->by->schedule)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "k%d, which writes it, has directives of its own",
                         x->by->number);
    return fine;
}

/* ---- how it writes it ---- */

/* Does no iteration of a loop around wait for another one? */
static bool
is_in_parallel(const ix_access *a)
{
    bool parallel = true;
    for (int i = 0; i < a->depth; i++)
        parallel &= a->around[i]->parallel;
    return parallel;
}

/* The nest at the top of the kernel in which an access is. */
static const ix_stmt *
nest_of(const ix_access *a)
{
    return a->depth ? a->around[0] : a->stmt;
}

static ix_refusal
look_at_stores(ix_computing *x)
{
    const ix_kernel *from = ix_compute_naive(x);
    const ix_stmt *nest = NULL;
    ix_accesses a = ix_accesses_in(x->u, from, from->body);
    for (size_t i = 0; i < a.n; i++) {
        const ix_access *y = &a.item[i];
        if (y->buffer != x->buffer)
            continue;
        if (!y->write || y->stmt->kind != IX_STMT_STORE || nest == nest_of(y) ||
            !ix_access_is_once_a_point(y) || !is_in_parallel(y))
            return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                             "its elements are not stored by independent "
                             "iterations of loops over its axes, each once");
        nest = nest_of(y);
    }
    if (ix_stmts_check(from->body))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "indices are checked where it is computed");
    return fine;
}

/* ---- how it is read ---- */

/* Finds the reads in L. */
static ix_refusal
find_reads(ix_computing *x, const ix_accesses *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        n += a->item[i].buffer == x->buffer;
    x->read = ix_arena_new(&x->u->arena, (n + 1) * sizeof *x->read);
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].buffer == x->buffer &&
            ix_access_is_in(&a->item[i], ix_cursor_loop(x->at)))
            x->read[x->n++] = &a->item[i];
    if (n != x->n)
        return ix_refuse(x->u, IX_REFUSAL_DISTANCE,
                         "it is read outside of the loop");
    if (n == 0 || ix_stmts_fetch(x->at->k->body, x->buffer))
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is not read there, or asked for before");
    return fine;
}

/* Long rows count from so far before a point whose index has no constant part
 * that it is at a line of the cache, as in other temporaries at its loop, and
 * there is a line before: vectors of points beside each other then are, too. */
static void
align_row(const ix_computing *x, ix_box_axis *ax)
{
    ilex_dtype of = x->u->buffer[x->buffer].dtype;
    int64_t line = x->u->target->line_bytes / (int64_t)ilex_dtype_bytes(of);
    ix_index_form f;
    if (!ix_row_is_long(x->u, of, ax->n))
        return;
    ix_index_form_of(ax->from, &f);
    int64_t by = line + ix_floormod(f.c, line);
    ax->from = ix_index_offset(x->u->ctx, ax->from, -by);
    ax->n += by;
}

static ix_refusal
look_at_reads(ix_computing *x)
{
    const ix_cursor *c = x->at;
    ix_accesses a = ix_accesses_in(x->u, c->k, c->k->body);
    ix_refusal r = find_reads(x, &a);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    ix_box_bounds(&a, c, x->read, x->n, &x->box);
    for (int d = 0; d < x->box.rank; d++) {
        ix_box_axis *ax = &x->box.axis[d];
        if (!ix_box_measure(x->u, ax) || ax->n <= 0)
            ax->from = NULL;
        else if (d + 1 == x->box.rank)
            align_row(x, ax);
    }
    for (size_t i = 0; i < x->n; i++)
        for (int d = 0; d < x->box.rank; d++)
            x->crowded |= !ix_compute_index(x, d, x->read[i]->index[d]);
    return fine;
}

static ix_refusal
look_at(ix_computing *x, const char *name)
{
    const ix_stmt *loop = ix_cursor_loop(x->at);
    if (x->buffer < 0)
        return ix_refuse(x->u, IX_REFUSAL_NAME,
                         "no temporary, or several, is called %s", name);
    const ix_buffer *b = &x->u->buffer[x->buffer];
    if (!ix_buffer_is_of_kernels(x->u, x->buffer) || b->own ||
        b->box->rank == 0)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "it is no temporary with axes between kernels");
    if (x->u->target->grid || loop->how != IX_SERIAL)
        return ix_refuse(x->u, IX_REFUSAL_SHAPE,
                         "there is no memory of one iteration of the loop");
    ix_refusal r = find_kernel(x);
    if (r.class == IX_REFUSAL_NONE)
        r = look_at_stores(x);
    if (r.class == IX_REFUSAL_NONE)
        r = look_at_reads(x);
    if (r.class == IX_REFUSAL_NONE)
        r = ix_kernels_keep(x->u, x->by, x->at->k, ix_compute_naive(x)->body);
    if (r.class == IX_REFUSAL_NONE &&
        !ix_loop_has_room(x->u, x->at->k, 1, ix_compute_naive(x)->body))
        r = ix_refuse(x->u, IX_REFUSAL_SIZE,
                      "the kernel would be too long for a function");
    return r;
}

/* ---- it is done ---- */

static ilex_array *
load_moved(void *user, ilex_array *load, ilex_array *const *index)
{
    const ix_computing *x = user;
    ilex_array *now[ILEX_MAX_RANK];
    if (load->attr[0] != x->buffer)
        return NULL;
    for (int d = 0; d < x->box.rank; d++)
        now[d] = ix_compute_index(x, d, index[d]);
    return ix_scalar_load(x->u->ctx, (ilex_dtype)load->dtype, x->made,
                          x->box.rank, now);
}

static ix_stmt *
read_moved(void *user, ix_stmt *s)
{
    ix_computing *x = user;
    x->index = ix_operands(s, IX_INDICES);
    return s->kind == IX_STMT_LOAD && s->buffer == x->buffer
               ? ix_compute_element(x, s, x->index)
               : s;
}

/* The memory of an iteration. */
static void
make_memory(ix_computing *x)
{
    ix_unit *u = x->u;
    ix_axis ax[ILEX_MAX_RANK];
    ix_buffer *b = &u->buffer[x->buffer];
    for (int d = 0; d < x->box.rank; d++) {
        ax[d] = b->box->ax[d];
        if (x->box.axis[d].from) {
            ax[d].lo = ix_lin_const(u->ctx, 0);
            ax[d].hi = ix_lin_const(
                u->ctx, d + 1 < x->box.rank
                            ? x->box.axis[d].n
                            : ix_row_room(u, b->dtype, x->box.axis[d].n));
        }
    }
    const ix_domain *box = ix_domain_new(u->ctx, x->box.rank, ax);
    if (x->others)
        x->made = ix_unit_temporary(u, box, b->dtype);
    b = &u->buffer[x->made];
    b->interior = b->box = box;
    b->own = x->at->k;
    b->within = ix_cursor_loop(x->at)->number;
}

/* The kernel that wrote it no longer does, or is gone. */
static void
leave_out(ix_computing *x)
{
    ix_unit *u = x->u;
    ix_kernel **at = &u->kernels;
    while (*at != x->by)
        at = &(*at)->next;
    const bool *it = ix_buffers_but(u, x->buffer, false);
    x->by->nests = ix_stmts_without(ix_stmt_clone(u, NULL, x->by->nests), it);
    x->by->body = ix_stmts_without(x->by->body, it);
    if (!x->by->nests)
        *at = x->by->next;
}

static bool
store_made(void *user, ix_stmt *s)
{
    const ix_computing *x = user;
    s->buffer = s->buffer == x->buffer ? x->made : s->buffer;
    return true;
}

/* L's kernel stores what it computes, too. */
static void
note_nests(ix_computing *x)
{
    ix_kernel *k = x->at->k;
    ix_stmt *nests = ix_stmt_clone(x->u, NULL, ix_compute_naive(x)->nests);
    nests = ix_stmts_without(nests, ix_buffers_but(x->u, x->buffer, true));
    ix_stmt_each(nests, store_made, x);
    k->nests = ix_stmt_clone(x->u, NULL, k->nests);
    *ix_stmt_end(&k->nests) = nests;
    k->ordered = true;
}

ix_refusal
ix_loop_compute(ix_unit *u, const ix_directive *d, ix_cursor *c)
{
    ix_computing x = {.u = u, .at = c, .buffer = ix_buffer_find(u, d->name)};
    ix_refusal r = look_at(&x, d->name);
    if (r.class != IX_REFUSAL_NONE)
        return r;
    x.made = x.others ? (int)u->nbuffers : x.buffer;
    ix_stmt *list = ix_compute_nests(&x), *loop = ix_cursor_loop(c);
    if (!list)
        return ix_refuse(u, IX_REFUSAL_SIZE,
                         "bounds of loops, or sums, would be too large");
    make_memory(&x);
    ix_substitution s = {.ctx = u->ctx,
                         .mem = &u->mem,
                         .load = load_moved,
                         .became = ix_origin_keep,
                         .user = &x,
                         .listener = u};
    *ix_stmt_end(&list) =
        ix_stmt_rewrite(ix_stmt_substitute(u, &s, loop->body), read_moved, &x);
    ix_substitution_free(&s);
    loop->body = list;
    note_nests(&x);
    if (!x.others)
        leave_out(&x);
    ix_buffers_place(u);
    return r;
}
