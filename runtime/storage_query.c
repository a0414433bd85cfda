/* SPDX-License-Identifier: MIT
 *
 * What a storage says of itself.
 */
#include "runtime/storage.h"

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

const char *
ilex_storage_axis_name(const ilex_storage *s, int axis)
{
    return axis >= 0 && axis < s->rank ? s->axis[axis] : "";
}

int
ilex_storage_axis(const ilex_storage *s, const char *name)
{
    for (int k = 0; name && *name && k < s->rank; k++)
        if (strcmp(s->axis[k], name) == 0)
            return k;
    return -1;
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

void *
ilex_storage_data(ilex_storage *s)
{
    return s->writable ? s->data : NULL;
}

const void *
ilex_storage_const_data(const ilex_storage *s)
{
    return s->data;
}
