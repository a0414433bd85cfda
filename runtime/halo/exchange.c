/* SPDX-License-Identifier: MIT
 *
 * An exchange of halos: for each divided axis the messages to and from those at
 * other places of it.
 */
#include <stdlib.h>

#include "lib/graph/context.h"
#include "runtime/halo/pieces.h"

struct ix_exchange {
    const ix_halo *list; /* its own, behind the struct */
    size_t n;
    ilex_grid *grid;
    uint64_t meaning[2];
    const char *what;
    int axis; /* of the grid, that is under way */
    ix_message *message;
    size_t nmessages;
    char *memory; /* of all messages of the axis */
};

/* ---- what is stale ---- */

bool
ix_halo_is_stale(ix_halo *h)
{
    bool divided = false, narrower = false;
    int64_t current[2];
    for (int k = 0; k < h->s->rank; k++) {
        ix_division_current(h->s, k, current);
        bool here = h->s->division->axis[k] >= 0;
        for (int side = 0; side < 2; side++) {
            divided |= here && h->width.k[k][side] > 0;
            narrower |= h->width.k[k][side] > current[side];
        }
    }
    for (int k = 0; k < h->s->rank && divided && narrower; k++) {
        ix_division_current(h->s, k, current);
        for (int side = 0; side < 2; side++)
            if (h->width.k[k][side] < current[side])
                h->width.k[k][side] = current[side];
    }
    return divided && narrower;
}

/* ---- one axis ---- */

static void
add_bytes(void *user, const ix_piece *p)
{
    *(size_t *)user += ix_piece_bytes(p);
}

static size_t
bytes_between(const ix_exchange *x, int to, int from)
{
    size_t bytes = 0;
    ix_each_piece(x->list, x->n, x->axis, to, from, add_bytes, &bytes);
    return bytes;
}

static void
pack_next(void *user, const ix_piece *p)
{
    char **at = user;
    ix_piece_pack(p, *at);
    *at += ix_piece_bytes(p);
}

static void
unpack_next(void *user, const ix_piece *p)
{
    char **at = user;
    ix_piece_unpack(p, *at);
    *at += ix_piece_bytes(p);
}

static void
move_next(void *user, const ix_piece *p)
{
    (void)user;
    ix_piece_move(p);
}

static const ix_grid_axis *
axis_of(const ix_exchange *x)
{
    return &x->grid->axis[x->axis];
}

/* The place of a message's peer. */
static int
place_of(const ix_exchange *x, const ix_message *m)
{
    const ix_grid_axis *a = axis_of(x);
    return m->peer / a->step % a->ranks;
}

/* Adds a message to or from place "p" if there is something to say. */
static void
add_message(ix_exchange *x, int p, bool sends, size_t *bytes)
{
    int here = axis_of(x)->place;
    size_t n = bytes_between(x, sends ? p : here, sends ? here : p);
    if (n == 0)
        return;
    ix_message *m = &x->message[x->nmessages++];
    *m = (ix_message){
        .done = true, /* until it is posted */
        .peer = ix_grid_rank(x->grid, x->axis, p),
        .tag = x->axis,
        .sends = sends,
        .head = {.meaning = {x->meaning[0], x->meaning[1]}, .bytes = n}};
    *bytes += n;
}

/* Lists the messages of the axis and gives them memory. */
static ilex_status
list_messages(ix_exchange *x, ix_error *err)
{
    const ix_grid_axis *a = axis_of(x);
    size_t bytes = 0, most = 2 * (size_t)a->ranks, at = 0;
    x->nmessages = 0;
    x->message = malloc(most * sizeof *x->message);
    for (int p = 0; x->message && p < a->ranks; p++)
        for (int sends = 0; sends < 2 && p != a->place; sends++)
            add_message(x, p, sends, &bytes);
    x->memory = malloc(bytes + 1);
    if (!x->message || !x->memory)
        return ix_fail_memory(err);
    for (size_t i = 0; i < x->nmessages; i++) {
        x->message[i].data = x->memory + at;
        at += x->message[i].head.bytes;
    }
    return ILEX_OK;
}

/* Receives first: what is sent may be there at once. */
static ilex_status
post_all(ix_exchange *x, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    int here = axis_of(x)->place;
    for (size_t i = 0; !rc && i < 2 * x->nmessages; i++) {
        ix_message *m = &x->message[i % x->nmessages];
        if (m->sends != (i >= x->nmessages))
            continue;
        char *at = m->data;
        if (m->sends)
            ix_each_piece(x->list, x->n, x->axis, place_of(x, m), here,
                          pack_next, &at);
        rc = ix_group_post(x->grid->group, m, err);
    }
    return rc;
}

static ilex_status
begin_axis(ix_exchange *x, ix_error *err)
{
    int here = axis_of(x)->place;
    ilex_status rc = list_messages(x, err);
    rc = rc ? rc : post_all(x, err);
    if (!rc)
        ix_each_piece(x->list, x->n, x->axis, here, here, move_next, NULL);
    return rc;
}

static void
drop_axis(ix_exchange *x)
{
    free(x->message);
    free(x->memory);
    x->message = NULL;
    x->memory = NULL;
    x->nmessages = 0;
}

static ilex_status
finish_axis(ix_exchange *x, ix_error *err)
{
    int here = axis_of(x)->place;
    ilex_status rc =
        ix_group_wait(x->grid->group, x->message, x->nmessages, x->what, err);
    for (size_t i = 0; !rc && i < x->nmessages; i++) {
        const ix_message *m = &x->message[i];
        char *at = m->data;
        if (!m->sends)
            ix_each_piece(x->list, x->n, x->axis, here, place_of(x, m),
                          unpack_next, &at);
    }
    drop_axis(x);
    return rc;
}

/* ---- all axes ---- */

/* What all ranks must agree on, so that lengths of messages do. */
static void
add_meaning(ix_exchange *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const ilex_storage *s = x->list[i].s;
        size_t bytes = (size_t)s->rank * sizeof s->division->whole.k[0];
        for (int half = 0; half < 2; half++) {
            uint64_t h = ix_mix(x->meaning[half], (uint64_t)s->dtype);
            h = ix_hash_bytes(h, s->division->whole.k, bytes);
            x->meaning[half] = ix_hash_bytes(h, x->list[i].width.k, bytes);
        }
    }
}

void
ix_exchange_drop(ix_exchange *x)
{
    ix_group_cancel(x->grid->group, x->message, x->nmessages);
    drop_axis(x);
    free(x);
}

ix_exchange *
ix_exchange_begin(const ix_halo *list, size_t n, const uint64_t meaning[2],
                  const char *what, ix_error *err)
{
    ix_exchange *x = calloc(1, sizeof *x + n * sizeof *list);
    if (!x)
        return ix_fail_memory_null(err);
    memcpy(x + 1, list, n * sizeof *list);
    x->list = (const ix_halo *)(x + 1);
    x->n = n;
    x->grid = list[0].s->division->grid;
    for (size_t i = 1; i < n; i++) /* those of chunks are behind the others */
        if (list[i].s->division->grid->naxes > x->grid->naxes)
            x->grid = list[i].s->division->grid;
    memcpy(x->meaning, meaning, sizeof x->meaning);
    x->what = what;
    add_meaning(x);
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < n; i++)
        rc = ix_storage_check_writable(list[i].s, err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = ix_storage_acquire(list[i].s, ILEX_READ_WRITE, err);
    if (!rc && !begin_axis(x, err))
        return x;
    ix_exchange_drop(x);
    return NULL;
}

ilex_status
ix_exchange_finish(ix_exchange *x, ix_error *err)
{
    ilex_status rc = finish_axis(x, err);
    for (x->axis = 1; !rc && x->axis < x->grid->naxes; x->axis++) {
        rc = begin_axis(x, err);
        rc = rc ? rc : finish_axis(x, err);
    }
    for (size_t i = 0; !rc && i < x->n; i++)
        ix_division_exchanged(x->list[i].s, &x->list[i].width);
    ix_exchange_drop(x);
    return rc;
}

/* ---- by hand ---- */

/* Its whole halo. */
static ilex_status
exchange(ilex_storage *s, ix_error *err)
{
    ix_halo h = {.s = s};
    const uint64_t meaning[2] = {1, 1};
    memcpy(h.width.k, s->halo, (size_t)s->rank * sizeof s->halo[0]);
    if (!ix_halo_is_stale(&h))
        return ILEX_OK;
    ix_exchange *x = ix_exchange_begin(&h, 1, meaning, "exchange", err);
    return x ? ix_exchange_finish(x, err) : err ? err->code : ILEX_E_MEMORY;
}

ilex_status
ilex_storage_exchange(ilex_context *ctx, ilex_storage *s)
{
    ix_error own, *err = ctx ? ix_storage_error(ctx) : &own;
    ix_error_clear(&own);
    if (!s || !s->division)
        return ix_fail(err, ILEX_E_ARGUMENT, "exchange: the storage is %s",
                       s ? "on no grid" : "NULL");
    ilex_group *g = s->division->grid->group;
    ix_group_begin(g);
    return ix_group_end(g, exchange(s, err), err->text);
}
