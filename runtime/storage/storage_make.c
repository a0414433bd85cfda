/* SPDX-License-Identifier: MIT
 *
 * Shorthands for the storages most programs need: unnamed axes, no halo, C
 * order. Each fills in a spec and leaves the rest to storage_new.c.
 */
#include "runtime/storage/storage.h"

static const int64_t no_shape[1] = {0};

/* The spec of a dense storage; a scalar needs no shape. */
static ilex_storage_spec
dense_spec(ilex_dtype dtype, int rank, const int64_t *shape)
{
    return (ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                               .dtype = ilex_dtype_name(dtype),
                               .rank = rank,
                               .shape = rank == 0 ? no_shape : shape};
}

ilex_storage *
ilex_storage_empty(ilex_context *ctx, ilex_dtype dtype, int rank,
                   const int64_t *shape)
{
    ilex_storage_spec p = dense_spec(dtype, rank, shape);
    return ilex_storage_new(ctx, &p);
}

ilex_storage *
ilex_storage_full(ilex_context *ctx, ilex_dtype dtype, int rank,
                  const int64_t *shape, double value)
{
    ilex_storage_spec p = dense_spec(dtype, rank, shape);
    p.fill = &value;
    return ilex_storage_new(ctx, &p);
}

ilex_storage *
ilex_storage_zeros(ilex_context *ctx, ilex_dtype dtype, int rank,
                   const int64_t *shape)
{
    return ilex_storage_full(ctx, dtype, rank, shape, 0);
}

ilex_storage *
ilex_storage_ones(ilex_context *ctx, ilex_dtype dtype, int rank,
                  const int64_t *shape)
{
    return ilex_storage_full(ctx, dtype, rank, shape, 1);
}

/* Lies a storage in the order of C in plain memory of the host, as most do? */
static bool
is_plain(const ilex_storage *s)
{
    const ix_memory *m = s->memory;
    bool plain = !s->division && m->host.base && !m->device.base &&
                 !m->host.traits && m->host.space == IX_SPACE_NORMAL &&
                 !m->id && m->managed == IX_MANAGED_NONE;
    for (int k = 0; plain && k < s->rank; k++)
        plain = s->layout[k] == k;
    return plain && ilex_storage_contiguous(s);
}

/* Another storage like a plain one: what the spec would give, without one. */
static ilex_storage *
make_again(ilex_context *ctx, const ilex_storage *data)
{
    static const ix_placement place = {.space = IX_SPACE_NORMAL, .host = true};
    ix_error *err = ix_storage_error(ctx);
    ix_maker maker = ix_storage_maker(ctx);
    ilex_storage s;
    ix_storage_clone(&s, data);
    s.memory = ix_memory_new(&maker, err);
    if (!s.memory)
        return NULL;
    s.memory->device_index = data->memory->device_index;
    s.writable = true;
    s.unknown_kind = false;
    memset(s.source, IX_SOURCE_LIKE, sizeof s.source);
    ilex_storage *made = ix_storage_allocate(&s, &place, err)
                             ? NULL
                             : ix_storage_attach(&maker.mem, &s, err);
    ix_memory_release(s.memory);
    return made;
}

/* The spec of a storage like "data"; an error when it is NULL. */
static ilex_storage *
make_like(ilex_context *ctx, const ilex_storage *data, const double *value)
{
    ilex_storage_spec p = {
        .size = sizeof(ilex_storage_spec), .like = data, .fill = value};
    if (data)
        return !value && is_plain(data) ? make_again(ctx, data)
                                        : ilex_storage_new(ctx, &p);
    return ix_fail_null(ix_storage_error(ctx), ILEX_E_ARGUMENT,
                        "storage: the storage to be like is NULL");
}

ilex_storage *
ilex_storage_empty_like(ilex_context *ctx, const ilex_storage *data)
{
    return make_like(ctx, data, NULL);
}

ilex_storage *
ilex_storage_full_like(ilex_context *ctx, const ilex_storage *data,
                       double value)
{
    return make_like(ctx, data, &value);
}

ilex_storage *
ilex_storage_zeros_like(ilex_context *ctx, const ilex_storage *data)
{
    return ilex_storage_full_like(ctx, data, 0);
}

ilex_storage *
ilex_storage_ones_like(ilex_context *ctx, const ilex_storage *data)
{
    return ilex_storage_full_like(ctx, data, 1);
}

/* Tells what is wrong when there is no buffer; true if the shape has no
 * elements, so that none is needed. */
static bool
needs_no_data(ilex_context *ctx, int rank, const int64_t *shape)
{
    for (int k = 0; shape && k < rank && k < ILEX_MAX_RANK; k++)
        if (shape[k] == 0)
            return true;
    return ix_fail_false(
        ix_storage_error(ctx), ILEX_E_ARGUMENT,
        "storage: data is NULL; give the address of element (0, ..., 0), or "
        "use ilex_storage_new for a storage of its own memory");
}

ilex_storage *
ilex_storage_from(ilex_context *ctx, ilex_dtype dtype, int rank,
                  const int64_t *shape, const void *data)
{
    ilex_storage_spec p = dense_spec(dtype, rank, shape);
    if (!data && !needs_no_data(ctx, rank, shape))
        return NULL;
    memcpy(&p.data, &data, sizeof data);
    p.flags = data ? ILEX_STORAGE_COPY : 0;
    return ilex_storage_new(ctx, &p);
}

ilex_storage *
ilex_storage_wrap(ilex_context *ctx, ilex_dtype dtype, int rank,
                  const int64_t *shape, const int64_t *strides, void *data,
                  void (*release)(void *user, void *data), void *user)
{
    ilex_storage_spec p = dense_spec(dtype, rank, shape);
    p.data = data;
    p.strides = data ? strides : NULL;
    p.release = release;
    p.release_user = user;
    ilex_storage *s = NULL;
    if (data || needs_no_data(ctx, rank, shape))
        s = ilex_storage_new(ctx, &p);
    if (!data && release)
        release(user, data);
    return s;
}
