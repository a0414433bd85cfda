/* SPDX-License-Identifier: MIT
 *
 * Between a storage that one rank has and the parts of one on a grid. The rank
 * that has it, the root, knows of every other one which part that has.
 */
#include <stdlib.h>

#include "lib/base/axis.h"
#include "lib/graph/context.h"
#include "runtime/halo/halo.h"

/* One of the two, on one rank. */
typedef struct action {
    const char *what;
    const ilex_storage *s;
    ilex_storage whole; /* the root's, its axes in the order of those of "s" */
    ilex_group *g;
    int root;
    bool to_root;       /* gather; else scatter */
    ix_index_box cover; /* of the whole */
    ix_error *err;
} action;

/* ---- the whole ---- */

/* The axis of "whole" that is axis "k" of "s"; -1: none. */
static int
match_axis(const ilex_storage *s, const ilex_storage *whole, int k)
{
    if (!*s->axis[k] || !*whole->axis[0])
        return k;
    for (int j = 0; j < whole->rank; j++)
        if (!strcmp(s->axis[k], whole->axis[j]))
            return j;
    return -1;
}

static ilex_status
check_whole(const action *a, const ilex_storage *whole)
{
    const ilex_storage *s = a->s;
    if (!whole || whole->division || whole->rank != s->rank)
        return ix_fail(a->err, !whole ? ILEX_E_ARGUMENT : ILEX_E_SHAPE,
                       "%s: the whole on rank %d %s", a->what, a->root,
                       !whole            ? "is NULL"
                       : whole->division ? "is on a grid itself"
                                         : "has another number of axes");
    if (whole->dtype != s->dtype)
        return ix_fail(
            a->err, ILEX_E_DTYPE, "%s: the whole is of %s, its parts are of %s",
            a->what, ilex_dtype_name(whole->dtype), ilex_dtype_name(s->dtype));
    return ILEX_OK;
}

/* Takes the whole, on the root, as a view with the axes of the part. */
static ilex_status
take_whole(action *a, const ilex_storage *whole, ilex_access access)
{
    const ilex_storage *s = a->s;
    ilex_status rc = check_whole(a, whole);
    if (!rc && access != ILEX_READ)
        rc = ix_storage_check_writable(whole, a->err);
    if (rc)
        return rc;
    ix_storage_clone(&a->whole, whole);
    for (int k = 0; k < s->rank; k++) {
        int j = match_axis(s, whole, k);
        if (j < 0)
            return ix_fail(a->err, ILEX_E_SHAPE, "%s: the whole has no axis %s",
                           a->what, s->axis[k]);
        a->whole.shape[k] = whole->shape[j];
        a->whole.stride[k] = whole->stride[j];
        a->whole.origin[k] = whole->origin[j];
        memcpy(a->whole.halo[k], whole->halo[j], sizeof a->whole.halo[k]);
        int64_t *cover = a->cover.k[k];
        ix_storage_covers(&a->whole, k, &cover[0], &cover[1]);
        if (cover[0] > s->division->whole.k[k][0] ||
            cover[1] < s->division->whole.k[k][1])
            return ix_fail(a->err, ILEX_E_SHAPE,
                           "%s: axis %d%s%s of the whole has [%lld, %lld), the "
                           "parts together [%lld, %lld)",
                           a->what, k, *s->axis[k] ? " " : "", s->axis[k],
                           (long long)cover[0], (long long)cover[1],
                           (long long)s->division->whole.k[k][0],
                           (long long)s->division->whole.k[k][1]);
    }
    return ix_storage_acquire(whole, access, a->err);
}

/* ---- boxes of ranks ---- */

/* What rank "rank" has of axis "k": its own points, with its halo if
 * "covered". */
static void
range_of(const action *a, int rank, int k, bool covered, int64_t range[2])
{
    const ix_division *d = a->s->division;
    const int64_t *halo = a->s->halo[k];
    int axis = d->axis[k];
    range[0] = d->whole.k[k][0] - halo[0];
    range[1] = d->whole.k[k][1] + halo[1];
    if (axis < 0)
        return;
    const ix_grid_axis *x = &d->grid->axis[axis];
    int place = rank / x->step % x->ranks;
    if (!covered) {
        ix_division_owned(a->s, k, place, &range[0], &range[1]);
        return;
    }
    ix_grid_cut(x, place, d->whole.k[k][0], d->whole.k[k][1], &range[0],
                &range[1]);
    range[0] -= halo[0];
    range[1] += halo[1];
}

/* The box of a rank, as far as the whole has it; its bytes. */
static size_t
box_of(const action *a, int rank, bool covered, ix_index_box *box)
{
    size_t bytes = ilex_dtype_bytes(a->s->dtype);
    for (int k = 0; k < a->s->rank; k++) {
        range_of(a, rank, k, covered, box->k[k]);
        box->k[k][0] =
            box->k[k][0] < a->cover.k[k][0] ? a->cover.k[k][0] : box->k[k][0];
        box->k[k][1] =
            box->k[k][1] > a->cover.k[k][1] ? a->cover.k[k][1] : box->k[k][1];
        bytes *= box->k[k][1] > box->k[k][0]
                     ? (size_t)(box->k[k][1] - box->k[k][0])
                     : 0;
    }
    return bytes;
}

/* Sends or receives "bytes" bytes. */
static ilex_status
pass(const action *a, int peer, int tag, bool sends, void *data, size_t bytes)
{
    ix_message m = {.peer = peer,
                    .tag = tag,
                    .sends = sends,
                    .head = {.bytes = bytes},
                    .data = data};
    uint64_t about = ix_mix((uint64_t)a->root, (uint64_t)a->s->dtype);
    return ix_group_pass(a->g, &m, about, a->what, a->err);
}

/* The elements of a box, in "from", to a peer; or from a peer, into "to". */
static ilex_status
pass_box(const action *a, int peer, bool sends, const ilex_storage *s,
         const ix_index_box *box, size_t bytes)
{
    ilex_storage view, packed;
    char *data = bytes ? malloc(bytes) : NULL;
    if (bytes == 0)
        return ILEX_OK;
    if (!data)
        return ix_fail_memory(a->err);
    ix_division_view(s, box, &view);
    ix_division_pack(&view, data, &packed);
    if (sends)
        ix_storage_move(&packed, &view);
    ilex_status rc = pass(a, peer, IX_TAG_ELEMENTS, sends, data, bytes);
    if (!rc && !sends)
        ix_storage_move(&view, &packed);
    free(data);
    return rc;
}

/* From one to the other of two storages of this rank. */
static void
move_box(const ilex_storage *to, const ilex_storage *from,
         const ix_index_box *box)
{
    ilex_storage a, b;
    ix_division_view(to, box, &a);
    ix_division_view(from, box, &b);
    ix_storage_move(&a, &b);
}

/* ---- from the root, to the root ---- */

/* All know what the whole covers. */
static ilex_status
tell_cover(action *a)
{
    size_t bytes = (size_t)a->s->rank * sizeof a->cover.k[0];
    ilex_status rc = ILEX_OK;
    if (a->g->rank != a->root)
        return pass(a, a->root, IX_TAG_COVER, false, a->cover.k, bytes);
    for (int r = 0; !rc && r < a->g->size; r++)
        if (r != a->root)
            rc = pass(a, r, IX_TAG_COVER, true, a->cover.k, bytes);
    return rc;
}

/* Parts, with their halos where they come from the root, to or from it. */
static ilex_status
move_all(action *a)
{
    ix_index_box box;
    bool gathers = a->to_root;
    ilex_status rc = tell_cover(a);
    size_t bytes = rc ? 0 : box_of(a, a->g->rank, !gathers, &box);
    if (!rc && a->g->rank != a->root)
        return pass_box(a, a->root, gathers, a->s, &box, bytes);
    if (bytes)
        move_box(gathers ? &a->whole : a->s, gathers ? a->s : &a->whole, &box);
    for (int r = 0; !rc && r < a->g->size; r++) {
        bytes = box_of(a, r, !gathers, &box);
        if (r != a->root)
            rc = pass_box(a, r, !gathers, &a->whole, &box, bytes);
    }
    return rc;
}

/* Does either, with all ranks. */
static ilex_status
act(ilex_context *ctx, const char *what, const ilex_storage *s,
    const ilex_storage *whole, int root, bool to_root)
{
    ix_error own, *err = ctx ? ix_storage_error(ctx) : &own;
    ix_error_clear(&own);
    if (!s || !s->division)
        return ix_fail(err, ILEX_E_ARGUMENT, "%s: the storage is %s", what,
                       s ? "on no grid" : "NULL");
    action a = {.what = what,
                .s = s,
                .g = s->division->grid->group,
                .root = root,
                .to_root = to_root,
                .err = err};
    ix_group_begin(a.g);
    ilex_status rc = to_root ? ILEX_OK : ix_storage_check_writable(s, err);
    if (!rc) /* on all ranks, whatever comes then */
        rc = ix_storage_acquire(s, to_root ? ILEX_READ : ILEX_READ_WRITE, err);
    if (root < 0 || root >= a.g->size)
        rc = ix_fail(err, ILEX_E_ARGUMENT, "%s: there is no rank %d", what,
                     root);
    if (!rc && a.g->rank == root)
        rc = take_whole(&a, whole, to_root ? ILEX_READ_WRITE : ILEX_READ);
    if (!rc)
        rc = move_all(&a);
    return ix_group_end(a.g, rc, err->text);
}

ilex_status
ilex_storage_scatter(ilex_context *ctx, ilex_storage *s,
                     const ilex_storage *whole, int root)
{
    return act(ctx, "scatter", s, whole, root, false);
}

ilex_status
ilex_storage_gather(ilex_context *ctx, const ilex_storage *s,
                    ilex_storage *whole, int root)
{
    return act(ctx, "gather", s, whole, root, true);
}
