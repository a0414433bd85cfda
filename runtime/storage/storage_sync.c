/* SPDX-License-Identifier: MIT
 *
 * The public side of memory: state and copies of host and device buffers,
 * access to either side, where a storage lies.
 */
#include "runtime/storage/storage.h"

/* ---- state ---- */

ilex_sync
ilex_storage_sync(const ilex_storage *s)
{
    if (s->memory->managed != IX_MANAGED_SOFTWARE)
        return ILEX_SYNC_NONE;
    return (ilex_sync)atomic_load(&s->memory->sync);
}

ilex_status
ilex_storage_device_to_host(ilex_context *ctx, const ilex_storage *s, int force)
{
    return ix_memory_update(s->memory, true, force, ix_storage_error(ctx));
}

ilex_status
ilex_storage_host_to_device(ilex_context *ctx, const ilex_storage *s, int force)
{
    return ix_memory_update(s->memory, false, force, ix_storage_error(ctx));
}

ilex_status
ilex_storage_synchronize(ilex_context *ctx, const ilex_storage *s)
{
    ix_error *err = ix_storage_error(ctx);
    ilex_status rc = ix_memory_update(s->memory, true, false, err);
    return rc ? rc : ix_memory_update(s->memory, false, false, err);
}

ilex_status
ilex_storage_set_host_modified(ilex_context *ctx, const ilex_storage *s)
{
    return ix_memory_mark(s->memory, true, ix_storage_label(s),
                          ix_storage_error(ctx));
}

ilex_status
ilex_storage_set_device_modified(ilex_context *ctx, const ilex_storage *s)
{
    return ix_memory_mark(s->memory, false, ix_storage_label(s),
                          ix_storage_error(ctx));
}

ilex_status
ilex_storage_set_synchronized(ilex_context *ctx, const ilex_storage *s)
{
    (void)ctx;
    ix_memory_set_clean(s->memory);
    return ILEX_OK;
}

ilex_transfers
ilex_storage_transfers(const ilex_storage *s)
{
    ix_memory *m = s->memory;
    return (ilex_transfers){.to_host = atomic_load(&m->to_host),
                            .to_device = atomic_load(&m->to_device),
                            .implicit = atomic_load(&m->implicit),
                            .bytes = atomic_load(&m->moved)};
}

void
ilex_storage_transfers_get(const ilex_storage *s, ilex_transfers *transfers)
{
    *transfers = ilex_storage_transfers(s);
}

/* ---- access ---- */

/* Address of the first element on the device. */
static void *
device_address(const ilex_storage *s)
{
    const ix_memory *m = s->memory;
    if (!m->device.base)
        return s->data;
    return m->device.base + (s->data - m->base);
}

/* Brings one side up to date. */
static ilex_status
acquire(const ilex_storage *s, bool host, ilex_access access, ix_error *err)
{
    if (access < ILEX_READ || access > ILEX_READ_WRITE)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: access %d is not one of ILEX_READ, ILEX_WRITE "
                       "and ILEX_READ_WRITE",
                       (int)access);
    ilex_status rc = ILEX_OK;
    if (access & ILEX_WRITE)
        rc = ix_storage_check_writable(s, err);
    return rc ? rc
              : ix_memory_acquire(s->memory, host, access, ix_storage_label(s),
                                  err);
}

/* One side's address, NULL if it cannot be had. */
static void *
access_side(ilex_context *ctx, const ilex_storage *s, bool host,
            ilex_access access)
{
    if (!ix_storage_given(ctx, s, "storage access"))
        return NULL;
    if (acquire(s, host, access, ix_storage_error(ctx)))
        return NULL;
    return host ? s->data : device_address(s);
}

void *
ilex_storage_host(ilex_context *ctx, const ilex_storage *s, ilex_access access)
{
    return access_side(ctx, s, true, access);
}

void *
ilex_storage_device(ilex_context *ctx, const ilex_storage *s,
                    ilex_access access)
{
    return access_side(ctx, s, false, access);
}

void *
ilex_storage_data(ilex_storage *s)
{
    return access_side(NULL, s, true, ILEX_READ_WRITE);
}

const void *
ilex_storage_const_data(const ilex_storage *s)
{
    return access_side(NULL, s, true, ILEX_READ);
}

/* The view as plain data. */
static ilex_status
describe(ilex_context *ctx, const ilex_storage *s, bool host,
         ilex_access access, ilex_view *view)
{
    const ilex_storage_traits *t = s->memory->device.traits;
    ilex_status rc = acquire(s, host, access, ix_storage_error(ctx));
    memset(view, 0, sizeof *view);
    if (rc)
        return rc;
    view->data = host ? s->data : device_address(s);
    view->dtype = s->dtype;
    view->rank = s->rank;
    view->epoch = atomic_load(&s->memory->epoch);
    memcpy(view->shape, s->shape, (size_t)s->rank * sizeof *s->shape);
    memcpy(view->stride, s->stride, (size_t)s->rank * sizeof *s->stride);
    if (!host && t && t->target_view)
        t->target_view(t->user, view);
    return ILEX_OK;
}

ilex_status
ilex_storage_host_view(ilex_context *ctx, const ilex_storage *s,
                       ilex_access access, ilex_view *view)
{
    return describe(ctx, s, true, access, view);
}

ilex_status
ilex_storage_device_view(ilex_context *ctx, const ilex_storage *s,
                         ilex_access access, ilex_view *view)
{
    return describe(ctx, s, false, access, view);
}

int
ilex_view_stale(const ilex_storage *s, const ilex_view *view)
{
    return atomic_load(&s->memory->epoch) != view->epoch;
}

/* ---- where it lies ---- */

const char *
ilex_storage_space(const ilex_storage *s)
{
    const ix_memory *m = s->memory;
    return ix_space_name(m->host.base ? m->host.space : m->device.space);
}

const char *
ilex_storage_managed(const ilex_storage *s)
{
    static const char *const names[] = {"none", "software", "unified"};
    return names[s->memory->managed];
}

int
ilex_storage_device_index(const ilex_storage *s)
{
    return ix_memory_on_gpu(s->memory) ? s->memory->device_index : -1;
}

int
ilex_storage_on_host(const ilex_storage *s)
{
    return ix_memory_on_host(s->memory);
}

int
ilex_storage_on_device(const ilex_storage *s)
{
    return ix_memory_on_device(s->memory);
}
