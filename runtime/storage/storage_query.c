/* SPDX-License-Identifier: MIT
 *
 * What a storage says of itself.
 */
#include "runtime/storage/storage.h"

ilex_dtype
ilex_storage_dtype(const ilex_storage *s)
{
    return s->dtype;
}

int
ilex_storage_rank(const ilex_storage *s)
{
    return s->rank;
}

const int64_t *
ilex_storage_shape(const ilex_storage *s)
{
    return s->shape;
}

const int64_t *
ilex_storage_stride(const ilex_storage *s)
{
    return s->stride;
}

const int64_t *
ilex_storage_halo(const ilex_storage *s)
{
    return s->halo[0];
}

const int64_t *
ilex_storage_origin(const ilex_storage *s)
{
    return s->origin;
}

const char *
ilex_storage_axis_name(const ilex_storage *s, int axis)
{
    return axis >= 0 && axis < s->rank ? s->axis[axis] : "";
}

int
ix_storage_find_axis(const ilex_storage *s, const char *name)
{
    for (int k = 0; k < s->rank; k++)
        if (strcmp(s->axis[k], name) == 0)
            return k;
    return -1;
}

int
ilex_storage_axis(const ilex_storage *s, const char *name)
{
    return ix_axis_find(s->rank, s->axis, name, name ? strlen(name) : 0);
}

size_t
ilex_storage_alignment(const ilex_storage *s)
{
    return s->alignment;
}

const int64_t *
ilex_storage_aligned_index(const ilex_storage *s)
{
    return s->aligned;
}

int
ilex_storage_layout(const ilex_storage *s, int axis)
{
    return axis >= 0 && axis < s->rank ? s->layout[axis] : -1;
}

int64_t
ilex_storage_count(const ilex_storage *s)
{
    return ix_storage_count(s);
}

int64_t
ilex_storage_bytes(const ilex_storage *s)
{
    return ix_storage_count(s) * (int64_t)ilex_dtype_bytes(s->dtype);
}

size_t
ilex_storage_allocated_bytes(const ilex_storage *s)
{
    return s->memory->bytes;
}

int
ilex_storage_contiguous(const ilex_storage *s)
{
    return ix_storage_count(s) == 0 || ix_storage_dense(s, NULL);
}

int
ilex_storage_writable(const ilex_storage *s)
{
    return s->writable;
}

const char *
ilex_storage_name(const ilex_storage *s)
{
    return s->name;
}

const char *
ilex_storage_layout_order(const ilex_storage *s)
{
    return s->order;
}

int64_t
ilex_storage_span(const ilex_storage *s)
{
    int64_t lo, hi;
    ix_storage_span(s->rank, s->shape, s->stride, &lo, &hi);
    return hi - lo + 1;
}

const char *
ilex_storage_source(const ilex_storage *s, const char *property)
{
    static const char *const sources[] = {"default", "given", "preset", "like",
                                          "data"};
    static const char *const properties[] = {
#define IX_PROPERTY(name, text) text,
#include "runtime/storage/properties.def"
    };
    for (size_t i = 0; property && i < IX_COUNT(properties); i++)
        if (strcmp(properties[i], property) == 0)
            return sources[s->source[i]];
    return NULL;
}

int
ilex_storage_fixed(const ilex_storage *s, int axis)
{
    return axis >= 0 && axis < s->rank && (s->fixed >> axis & 1);
}

ilex_status
ilex_storage_offset(const ilex_storage *s, const int64_t *index,
                    int64_t *offset)
{
    int64_t sum = 0;
    for (int k = 0; k < s->rank; k++) {
        if (index[k] < 0 || index[k] >= s->shape[k])
            return ILEX_E_BOUNDS;
        sum += index[k] * s->stride[k];
    }
    *offset = sum;
    return ILEX_OK;
}

ilex_status
ilex_storage_domain(const ilex_storage *s, int axis, int64_t *lo, int64_t *hi)
{
    if (axis < 0 || axis >= s->rank)
        return ILEX_E_AXIS;
    int64_t first, end;
    ix_storage_covers(s, axis, &first, &end);
    if (lo)
        *lo = s->origin[axis];
    if (hi)
        *hi = end - s->halo[axis][1];
    return ILEX_OK;
}
