/* SPDX-License-Identifier: MIT
 *
 * One .npy file and the parts of a storage on a grid: each rank reads, or
 * writes, its own at their places in the file. That is written under another
 * name, which the first rank gives it and takes away when all have written.
 */
#include <stdlib.h>
#include <unistd.h>

#include "ilex/group.h"
#include "runtime/files/file.h"
#include "runtime/files/formats.h"
#include "runtime/storage/division.h"

enum { BLOCK = 1 << 20 }; /* bytes of elements that go at a time, or a row */

/* What this rank has in the file, as elements that lie side by side there. */
typedef struct parts {
    const ilex_storage *s;
    ix_npy_header header;
    int64_t begin;            /* of the elements in the file */
    int order[ILEX_MAX_RANK]; /* axes as the file has them, outermost first */
    int64_t stride[ILEX_MAX_RANK]; /* by axis, in elements of the file */
    ix_index_box own;
    int inner;     /* the last axes of "order", whose elements lie together */
    int64_t count; /* of these elements */
    char *block;
    ix_error *err;
} parts;

/* ---- places ---- */

static int64_t
whole_length(const ilex_storage *s, int k)
{
    const int64_t *whole = s->division->whole.k[k];
    return whole[1] - whole[0];
}

/* The points of the whole that this rank has, without halos. */
static void
find_own(parts *x)
{
    const ix_division *d = x->s->division;
    for (int k = 0; k < x->s->rank; k++) {
        int64_t *own = x->own.k[k];
        memcpy(own, d->whole.k[k], 2 * sizeof *own);
        if (d->axis[k] >= 0) {
            const ix_grid_axis *a = &d->grid->axis[d->axis[k]];
            ix_grid_cut(a, a->place, own[0], own[1], &own[0], &own[1]);
        }
    }
}

/* How the file has the elements, and which of a part lie together there. */
static ilex_status
lay_out(parts *x)
{
    const ilex_storage *s = x->s;
    int64_t stride = 1, bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    bool all = true;
    find_own(x);
    for (int j = s->rank; j-- > 0; stride *= whole_length(s, x->order[j])) {
        x->order[j] = x->header.fortran ? s->rank - 1 - j : j;
        x->stride[x->order[j]] = stride;
    }
    x->count = 1;
    for (int j = s->rank; j-- > 0 && all;) {
        const int64_t *own = x->own.k[x->order[j]];
        int64_t n = own[1] - own[0];
        if (x->inner > 0 && x->count * n > BLOCK / bytes)
            break;
        x->count *= n;
        x->inner++;
        all = n == whole_length(s, x->order[j]);
    }
    x->block = malloc((size_t)(x->count * bytes) + 1);
    return x->block ? ILEX_OK : ix_fail_memory(x->err);
}

/* The elements that lie together from "index" on: in memory, as a view, and the
 * same in the order of the file, in the block. Where they are in the file. */
static int64_t
take(const parts *x, const int64_t *index, ilex_storage *view,
     ilex_storage *packed)
{
    const ilex_storage *s = x->s;
    int64_t at = 0, stride = 1;
    ix_index_box box;
    for (int j = 0; j < s->rank; j++) {
        int k = x->order[j];
        box.k[k][0] = index[k];
        box.k[k][1] = j < s->rank - x->inner ? index[k] + 1 : x->own.k[k][1];
        at += (index[k] - s->division->whole.k[k][0]) * x->stride[k];
    }
    ix_division_view(s, &box, view);
    ix_storage_clone(packed, view);
    packed->data = x->block;
    for (int j = s->rank; j-- > 0; stride *= view->shape[x->order[j]])
        packed->stride[x->order[j]] = stride;
    return x->begin + at * (int64_t)ilex_dtype_bytes(s->dtype);
}

/* The next ones; false: there are none. */
static bool
go_on(const parts *x, int64_t *index)
{
    for (int j = x->s->rank - x->inner; j-- > 0;) {
        int k = x->order[j];
        if (++index[k] < x->own.k[k][1])
            return true;
        index[k] = x->own.k[k][0];
    }
    return false;
}

/* Where it begins; false: this rank has none of it, or, where others have the
 * same, is not the first. */
static bool
start(const parts *x, bool first, int64_t *index)
{
    const ilex_storage *s = x->s;
    const ilex_grid *g = s->division->grid;
    bool some = true;
    for (int k = 0; k < s->rank; k++) {
        index[k] = x->own.k[k][0];
        some &= x->own.k[k][0] < x->own.k[k][1];
    }
    for (int axis = 0; axis < g->naxes; axis++) {
        int k = 0;
        while (k < s->rank && s->division->axis[k] != axis)
            k++;
        some &= k < s->rank || !first || g->axis[axis].place == 0;
    }
    return some;
}

/* ---- reading ---- */

static ilex_status
check_header(const parts *x, const char *path)
{
    const ilex_storage *s = x->s;
    const ix_npy_header *h = &x->header;
    if (h->dtype != s->dtype)
        return ix_fail(x->err, ILEX_E_DTYPE,
                       "'%.1000s' is of %s, and the storage of %s", path,
                       ilex_dtype_name(h->dtype), ilex_dtype_name(s->dtype));
    if (h->rank != s->rank)
        return ix_fail(x->err, ILEX_E_SHAPE,
                       "'%.1000s' has %d axes, and the storage %d", path,
                       h->rank, s->rank);
    for (int k = 0; k < s->rank; k++)
        if (h->shape[k] != whole_length(s, k))
            return ix_fail(x->err, ILEX_E_SHAPE,
                           "axis %d of '%.1000s' has %lld elements, and the "
                           "parts of the storage have %lld, without halos",
                           k, path, (long long)h->shape[k],
                           (long long)whole_length(s, k));
    return ILEX_OK;
}

static ilex_status
read_part(parts *x, const ix_npy_source *in)
{
    int64_t index[ILEX_MAX_RANK];
    size_t bytes = (size_t)x->count * ilex_dtype_bytes(x->s->dtype);
    ilex_status rc = ILEX_OK;
    if (!start(x, false, index))
        return ILEX_OK;
    do {
        ilex_storage view, packed;
        int64_t at = take(x, index, &view, &packed);
        rc = ix_file_get_at(in->fd, in->path, x->block, bytes, at, x->err);
        ix_npy_swap(&x->header, x->block, x->count);
        if (!rc)
            ix_storage_move(&view, &packed);
    } while (!rc && go_on(x, index));
    return rc;
}

static ilex_status
read_file(parts *x, const char *path)
{
    ix_npy_source in = {.path = path, .err = x->err};
    ilex_status rc = ix_npy_open(&in, &ix_mem_default, &x->header);
    if (rc)
        return rc;
    x->begin = in.header;
    rc = check_header(x, path);
    rc = rc ? rc : lay_out(x);
    rc = rc ? rc : read_part(x, &in);
    close(in.fd);
    return rc;
}

/* ---- writing ---- */

static ilex_status
write_part(parts *x, ix_file_out *out)
{
    int64_t index[ILEX_MAX_RANK];
    size_t bytes = (size_t)x->count * ilex_dtype_bytes(x->s->dtype);
    if (!start(x, true, index))
        return ILEX_OK;
    do {
        ilex_storage view, packed;
        int64_t at = take(x, index, &view, &packed);
        ix_storage_move(&packed, &view);
        ix_file_put_at(out, x->block, bytes, at);
    } while (!out->status && go_on(x, index));
    return out->status;
}

/* Sends to, or receives from, a rank. */
static ilex_status
pass(const parts *x, int peer, int tag, bool sends, void *data, size_t bytes)
{
    ix_message m = {.peer = peer,
                    .tag = tag,
                    .sends = sends,
                    .head = {.bytes = bytes},
                    .data = data};
    return ix_group_pass(x->s->division->grid->group, &m, (uint64_t)x->s->dtype,
                         "npy gather", x->err);
}

/* The first rank to all others, or from all: "data" says it, if they read. */
static ilex_status
pass_all(const parts *x, int tag, bool sends, void *data, size_t bytes)
{
    ilex_status rc = ILEX_OK;
    for (int r = 1; !rc && r < x->s->division->grid->group->size; r++)
        rc = pass(x, r, tag, sends, data, bytes);
    return rc;
}

/* The header, and room for all elements. */
static ilex_status
begin_file(parts *x, ix_file_out *out, const char *path)
{
    ix_text t;
    int64_t bytes = (int64_t)ilex_dtype_bytes(x->s->dtype);
    ilex_status rc = ix_file_begin(out, path, x->err);
    if (rc)
        return rc;
    ix_text_init(&t, &ix_mem_default);
    ix_npy_print(&t, &x->header);
    for (int k = 0; k < x->s->rank; k++)
        bytes *= whole_length(x->s, k);
    x->begin = (int64_t)t.length;
    rc = t.failed ? ix_fail_memory(x->err) : ix_file_put(out, t.data, t.length);
    ix_text_free(&t);
    return rc ? rc : ix_file_extend(out, x->begin + bytes);
}

/* What the first rank tells the others: where to write. */
typedef struct place {
    char temporary[sizeof((ix_file_out *)0)->temporary];
    int64_t begin;
} place;

static ilex_status
write_first(parts *x, const char *path)
{
    ix_file_out out;
    char done = 0;
    ilex_status rc = begin_file(x, &out, path);
    place *p = rc ? NULL : calloc(1, sizeof *p);
    if (!rc && !p)
        rc = ix_fail_memory(x->err);
    if (!rc) {
        strcpy(p->temporary, out.temporary);
        p->begin = x->begin;
        rc = pass_all(x, IX_TAG_COVER, true, p, sizeof *p);
    }
    free(p);
    rc = rc ? rc : lay_out(x);
    rc = rc ? rc : write_part(x, &out);
    rc = rc ? rc : pass_all(x, IX_TAG_ELEMENTS, false, &done, 1);
    rc = ix_file_end(&out, rc);
    return rc ? rc : pass_all(x, IX_TAG_ELEMENTS, true, &done, 1);
}

static ilex_status
write_other(parts *x, const char *path)
{
    char done = 0;
    place *p = calloc(1, sizeof *p);
    ilex_status rc = p ? pass(x, 0, IX_TAG_COVER, false, p, sizeof *p)
                       : ix_fail_memory(x->err);
    if (!rc) {
        ix_file_out out;
        x->begin = p->begin;
        rc = ix_file_join(&out, p->temporary, path, x->err);
        rc = rc ? rc : lay_out(x);
        rc = rc ? rc : write_part(x, &out);
        rc = ix_file_leave(&out, rc);
    }
    free(p);
    rc = rc ? rc : pass(x, 0, IX_TAG_ELEMENTS, true, &done, 1);
    return rc ? rc : pass(x, 0, IX_TAG_ELEMENTS, false, &done, 1);
}

static ilex_status
write_file(parts *x, const char *path)
{
    const ilex_storage *s = x->s;
    if (!ix_typestr_known(s->dtype, "npy gather", x->err))
        return ILEX_E_UNSUPPORTED;
    x->header = (ix_npy_header){.dtype = s->dtype, .rank = s->rank};
    for (int k = 0; k < s->rank; k++)
        x->header.shape[k] = whole_length(s, k);
    return s->division->grid->group->rank == 0 ? write_first(x, path)
                                               : write_other(x, path);
}

/* ---- both ---- */

static ilex_status
act(ilex_context *ctx, const char *what, const char *path,
    const ilex_storage *s, bool writes)
{
    ix_error own, *err = ctx ? ix_storage_error(ctx) : &own;
    ix_error_clear(&own);
    if (!s || !s->division || !path)
        return ix_fail(err, ILEX_E_ARGUMENT, "%s: the %s", what,
                       !path ? "path is NULL"
                       : s   ? "storage is on no grid"
                             : "storage is NULL");
    parts x = {.s = s, .err = err};
    ilex_group *g = s->division->grid->group;
    ix_group_begin(g);
    ilex_status rc = writes ? ILEX_OK : ix_storage_check_writable(s, err);
    if (!rc) /* on all ranks, whatever comes then */
        rc = ix_storage_acquire(s, writes ? ILEX_READ : ILEX_READ_WRITE, err);
    rc = rc ? rc : writes ? write_file(&x, path) : read_file(&x, path);
    free(x.block);
    return ix_group_end(g, rc, err->text);
}

ilex_status
ilex_npy_scatter(ilex_context *ctx, const char *path, ilex_storage *s)
{
    return act(ctx, "npy scatter", path, s, false);
}

ilex_status
ilex_npy_gather(ilex_context *ctx, const char *path, const ilex_storage *s)
{
    return act(ctx, "npy gather", path, s, true);
}
