/* SPDX-License-Identifier: MIT
 *
 * From a foreign array to a storage.
 *
 * The constructor of storages checks reach, alignment and names; here is what
 * only foreign arrays have: strides that mean nothing, no memory because there
 * are no elements, and an owner to be told on every way out.
 */
#include "runtime/exchange/exchange.h"

#include <stdio.h>

#include "lib/ops/dtype.h"

/* A stride beyond this is refused by the constructor, so it can only be that
 * of an axis of length 1. */
static const int64_t far = INT64_MAX / 64;

bool
ix_exchange_empty(int rank, const int64_t *shape)
{
    for (int k = 0; k < rank; k++)
        if (shape[k] == 0)
            return true;
    return false;
}

/* Strides in elements; those of axes of length 1 are left alone unless they
 * are no whole number of elements. */
static bool
set_strides(ix_foreign *f, const int64_t *strides, int64_t unit, ix_error *err)
{
    for (int k = 0; k < f->rank; k++) {
        bool whole = strides[k] % unit == 0;
        f->strides[k] = whole ? strides[k] / unit : INT64_MAX;
        if (whole || f->shape[k] <= 1)
            continue;
        return ix_fail_false(
            err, ILEX_E_ALIGNMENT,
            "%s: the stride of axis %d, %lld bytes, is not a multiple of the "
            "%lld bytes of %s (a field of a record?); copy the array first",
            f->what, k, (long long)strides[k], (long long)unit,
            ilex_dtype_name(f->dtype));
    }
    return true;
}

bool
ix_exchange_shape(ix_foreign *f, int rank, const int64_t *shape,
                  const int64_t *strides, int64_t unit, ix_error *err)
{
    ilex_status code = ILEX_OK;
    if (rank < 0 || (rank > 0 && !shape))
        code = ILEX_E_ARGUMENT;
    else if (rank > ILEX_MAX_RANK)
        code = ILEX_E_UNSUPPORTED;
    if (code)
        return ix_fail_false(
            err, code,
            "%s: it has %d axes%s; Ilex takes 0 to %d with a length each",
            f->what, rank, shape ? "" : " and no shape", ILEX_MAX_RANK);
    f->rank = rank;
    f->has_strides = strides != NULL;
    if (rank > 0)
        memcpy(f->shape, shape, (size_t)rank * sizeof *shape);
    return !strides || ix_exchange_empty(rank, shape) ||
           set_strides(f, strides, unit, err);
}

/* ---- devices ---- */

bool
ix_exchange_device(ix_foreign *f, ix_error *err)
{
    const ix_driver *driver = ix_driver_find(err);
    ix_space space = IX_SPACE_DEVICE;
    if (!driver)
        return false;
    bool known = ix_exchange_empty(f->rank, f->shape) ||
                 driver->query(f->data, &space, &f->device);
    if (known && ix_space_on_device(space) && f->device >= 0 &&
        f->device < driver->devices()) {
        f->side = ix_space_on_host(space) ? IX_SIDE_BOTH : IX_SIDE_DEVICE;
        return true;
    }
    return ix_fail_false(
        err, ILEX_E_DEVICE,
        "%s: its address %p is no memory of a %s device (number %d of %d)",
        f->what, f->data, driver->name, f->device, driver->devices());
}

ilex_status
ix_exchange_address(ilex_context *ctx, const ilex_storage *s, bool device,
                    bool readonly, void **address)
{
    ilex_access access = readonly ? ILEX_READ : ILEX_READ_WRITE;
    ilex_view view;
    if (device && s->memory->device.traits)
        return ix_fail(ix_storage_error(ctx), ILEX_E_UNSUPPORTED,
                       "exchange: the device buffer of storage '%.80s' is of a "
                       "preset of one's own, of which others know nothing",
                       ix_storage_label(s));
    ilex_status rc = device ? ilex_storage_device_view(ctx, s, access, &view)
                            : ilex_storage_host_view(ctx, s, access, &view);
    *address = view.data;
    return rc;
}

ilex_status
ix_exchange_wait(ilex_context *ctx, int device)
{
    const ix_driver *driver = ix_driver_known();
    return driver ? driver->synchronize(device, ix_storage_error(ctx))
                  : ILEX_OK;
}

/* ---- the storage ---- */

/* What "more" may not give, since the array brings it. */
static bool
check_more(const ix_foreign *f, const ilex_storage_spec *p, ix_error *err)
{
    if (!p->dtype && !p->rank && !p->shape && !p->like && !p->fill &&
        !p->initialize && !p->data && !p->strides && !p->release &&
        !p->device_data && !p->device_release)
        return true;
    return ix_fail_false(
        err, ILEX_E_ARGUMENT,
        "%s: dtype, shape, strides and data come from it; give only `axes`, "
        "`halo`, `origin`, `alignment`, `aligned_index`, `name`, `flags`, "
        "`device` and `managed`, for example {.size = "
        "sizeof(ilex_storage_spec), .axes = "
        "\"IJ\"}",
        f->what);
}

/* Replaces missing strides by those of C order, meaningless ones by 1. */
static void
complete_strides(const ix_foreign *f, int64_t *strides)
{
    int64_t step = 1;
    for (int k = f->rank - 1; k >= 0; k--) {
        int64_t own = f->strides[k];
        strides[k] = f->has_strides ? own : step;
        if (f->shape[k] == 1 && (strides[k] > far || strides[k] < -far))
            strides[k] = 1;
        if (!ix_mul(step, f->shape[k], &step))
            step = INT64_MAX;
    }
}

/* What a spec points to. */
typedef struct room {
    int64_t strides[ILEX_MAX_RANK];
    unsigned char fixed[ILEX_MAX_RANK];
    char device[24];
    char words[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)];
} room;

/* What an exported array lost and "more" does not give. An origin is that of
 * the point inside the halo, so both are kept together. */
static void
restore(const ilex_storage *s, room *x, ilex_storage_spec *p)
{
    if (!p->axes)
        p->axes =
            ix_storage_axis_words(s->rank, s->axis, x->words, sizeof x->words);
    if (!p->halo && !p->origin && s->rank > 0) {
        p->halo = s->halo[0];
        p->origin = s->origin;
    }
    if (!p->alignment && !p->aligned_index && s->alignment) {
        p->alignment = s->alignment;
        p->aligned_index = s->aligned;
    }
    if (!p->fixed && s->fixed) {
        for (int k = 0; k < s->rank; k++)
            x->fixed[k] = s->fixed >> k & 1;
        p->fixed = x->fixed;
    }
    if (!p->name && *s->name)
        p->name = s->name;
}

/* Says where the array lies, unless "more" does. */
static void
set_place(const ix_foreign *f, room *x, ilex_storage_spec *p)
{
    if (f->side == IX_SIDE_HOST)
        return;
    snprintf(x->device, sizeof x->device, "cuda:%d", f->device);
    if (!p->device)
        p->device = x->device;
    if (!p->managed)
        p->managed = f->side == IX_SIDE_BOTH ? "unified" : "none";
}

/* Hands over the buffer and its owner. */
static void
set_buffer(const ix_foreign *f, ilex_storage_spec *p)
{
    if (f->side == IX_SIDE_DEVICE) {
        p->device_data = f->data;
        p->device_release = f->release;
        p->device_release_user = f->user;
    } else {
        p->data = f->data;
        p->release = f->release;
        p->release_user = f->user;
    }
}

/* The whole spec in "*p", which points into "x". */
static bool
make_spec(const ix_foreign *f, const ilex_storage_spec *more, room *x,
          ilex_storage_spec *p, ix_error *err)
{
    bool empty = ix_exchange_empty(f->rank, f->shape);
    *p = (ilex_storage_spec){.size = sizeof *p};
    if (more && (!ix_storage_read_spec(more, p, err) || !check_more(f, p, err)))
        return false;
    if (!empty && !f->data)
        return ix_fail_false(err, ILEX_E_ARGUMENT,
                             "%s: its data is NULL though it has elements",
                             f->what);
    p->dtype = ilex_dtype_name(f->dtype);
    p->rank = f->rank;
    p->shape = f->shape;
    if (f->like)
        restore(f->like, x, p);
    set_place(f, x, p);
    if (f->readonly && !(p->flags & ILEX_STORAGE_COPY))
        p->flags |= ILEX_STORAGE_READONLY;
    if (empty) {
        p->flags &= ~(unsigned)ILEX_STORAGE_COPY;
        return true;
    }
    complete_strides(f, x->strides);
    p->strides = x->strides;
    set_buffer(f, p);
    return true;
}

ilex_storage *
ix_exchange_refuse(const ix_foreign *f)
{
    if (f->release)
        f->release(f->user, f->data);
    return NULL;
}

ilex_storage *
ix_exchange_import(ilex_context *ctx, const ix_foreign *f,
                   const ilex_storage_spec *more)
{
    ilex_storage_spec p;
    room x;
    ix_error *err = ix_storage_error(ctx);
    if (!make_spec(f, more, &x, &p, err))
        return ix_exchange_refuse(f);
    ix_maker maker = ix_storage_maker(ctx);
    ilex_storage *like = ilex_storage_retain(f->like); /* outlives the owner */
    ilex_storage *s = ix_storage_build(&maker, &p, err);
    if (!p.data && !p.device_data)
        ix_exchange_refuse(f);
    ilex_storage_release(like);
    return s;
}
