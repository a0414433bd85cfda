/* SPDX-License-Identifier: MIT
 *
 * Which bytes a view touches: count, reach, density, and whether two views
 * share a byte.
 */
#include "lib/base/overlap.h"
#include "runtime/storage/storage.h"

int64_t
ix_storage_count(const ilex_storage *s)
{
    int64_t count = 1;
    for (int k = 0; k < s->rank; k++)
        count *= s->shape[k];
    return count;
}

bool
ix_storage_span(int rank, const int64_t *shape, const int64_t *stride,
                int64_t *lo, int64_t *hi)
{
    ix_view v = {.bytes = 1, .rank = rank};
    memcpy(v.shape, shape, (size_t)rank * sizeof *v.shape);
    memcpy(v.stride, stride, (size_t)rank * sizeof *v.stride);
    bool fits = ix_view_span(&v, lo, hi);
    *hi -= 1;
    return fits;
}

bool
ix_storage_reach(const ilex_storage *s, const char **lo, const char **hi)
{
    int64_t first, last, bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    ix_storage_span(s->rank, s->shape, s->stride, &first, &last);
    if (last < first)
        return false;
    *lo = s->data + first * bytes;
    *hi = s->data + last * bytes + bytes;
    return true;
}

bool
ix_storage_dense(const ilex_storage *s, const int *axes)
{
    int64_t want = 1;
    for (int p = s->rank - 1; p >= 0; p--) {
        int k = axes ? axes[p] : p;
        if (s->shape[k] != 1 && s->stride[k] != want)
            return false;
        want *= s->shape[k];
    }
    return true;
}

/* ---- shared bytes ---- */

static ix_view
view_of(const ilex_storage *s)
{
    ix_view v = {.data = s->data,
                 .bytes = (int64_t)ilex_dtype_bytes(s->dtype),
                 .rank = s->rank};
    memcpy(v.shape, s->shape, (size_t)s->rank * sizeof *v.shape);
    memcpy(v.stride, s->stride, (size_t)s->rank * sizeof *v.stride);
    return v;
}

bool
ix_storage_overlap(const ilex_storage *a, const ilex_storage *b)
{
    ix_view x = view_of(a), y = view_of(b);
    return ix_view_overlap(&x, &y);
}

bool
ix_storage_self_overlap(const ilex_storage *s)
{
    ix_view v = view_of(s);
    return ix_view_overlaps_itself(&v);
}
