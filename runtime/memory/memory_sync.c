/* SPDX-License-Identifier: MIT
 *
 * Which of two buffers is newer: clean, or one side dirty. Reading a side that
 * is older copies to it, writing a side makes the other one older.
 *
 * The state is read without the lock, so that access to memory in step costs a
 * load; copies and changes of the state happen under it. The counter "epoch"
 * grows with each of them, which is how a view learns that it is stale.
 */
#include "runtime/memory/memory_object.h"

#include <stdio.h>

static const char *const side_name[] = {"device", "host"};

static ilex_sync
state(const ix_memory *m)
{
    return (ilex_sync)atomic_load_explicit(&m->sync, memory_order_acquire);
}

static ilex_sync
dirty(bool host)
{
    return host ? ILEX_SYNC_HOST_DIRTY : ILEX_SYNC_DEVICE_DIRTY;
}

static void
set_state(ix_memory *m, ilex_sync sync)
{
    atomic_fetch_add_explicit(&m->epoch, 1, memory_order_relaxed);
    atomic_store_explicit(&m->sync, (int)sync, memory_order_release);
}

/* In tests the bytes of a side that became older are made unusable. */
static void
poison(ix_memory *m, bool host)
{
    const ix_holding *b = host ? &m->host : &m->device;
    const ix_driver *driver = m->device.block.driver;
    if (driver && driver->poison && b->base && m->managed)
        driver->poison(b->base, m->bytes);
}

/* Copies all bytes to one side. The lock is held, or the memory not shared. */
static ilex_status
copy(ix_memory *m, bool to_host, ix_error *err)
{
    const ix_holding *h = &m->host, *d = &m->device;
    const ilex_storage_traits *t = d->traits;
    ilex_status rc = ILEX_OK;
    int failed = 0;
    if (t && to_host)
        failed = t->update_host(t->user, h->base, d->base, m->bytes);
    else if (t)
        failed = t->update_target(t->user, d->base, h->base, m->bytes);
    else if (to_host)
        rc = ix_space_copy(h->space, h->base, d->space, d->base,
                           m->device_index, m->bytes, err);
    else
        rc = ix_space_copy(d->space, d->base, h->space, h->base,
                           m->device_index, m->bytes, err);
    if (failed)
        rc = ix_fail(err, ILEX_E_DEVICE,
                     "storage: preset '%s' could not copy %zu bytes to the %s "
                     "(%d)",
                     t->name, m->bytes, side_name[to_host], failed);
    if (rc)
        return rc;
    atomic_fetch_add(to_host ? &m->to_host : &m->to_device, 1);
    atomic_fetch_add(&m->moved, (int64_t)m->bytes);
    set_state(m, ILEX_SYNC_CLEAN);
    return ILEX_OK;
}

ilex_status
ix_memory_update(ix_memory *m, bool to_host, bool force, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    if (!ix_memory_paired(m))
        return ILEX_OK;
    pthread_mutex_lock(&m->lock);
    if (force || (m->managed && state(m) == dirty(!to_host)))
        rc = copy(m, to_host, err);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* ---- access ---- */

/* Reports a copy that nobody asked for; a strict memory refuses it. */
static ilex_status
announce(const ix_memory *m, bool to_host, const char *name, ix_error *err)
{
    char text[256];
    const char *from = side_name[!to_host], *to = side_name[to_host];
    if (m->strict)
        return ix_fail(err, ILEX_E_TRANSFER,
                       "storage '%.80s': the %s is newer, and option "
                       "transfers=strict forbids to copy %zu bytes to the %s "
                       "unasked; call ilex_storage_synchronize first",
                       name, from, m->bytes, to);
    if (m->log) {
        snprintf(text, sizeof text,
                 "storage '%.80s': implicit copy of %zu bytes from %s to %s",
                 name, m->bytes, from, to);
        m->log(m->log_user, ILEX_WARNING, text);
    }
    return ILEX_OK;
}

/* Copies to a side that is older, reports it. */
static ilex_status
refresh(ix_memory *m, bool host, const char *name, ix_error *err)
{
    pthread_mutex_lock(&m->lock);
    ilex_status rc = ILEX_OK;
    if (state(m) == dirty(!host)) {
        rc = announce(m, host, name, err);
        rc = rc ? rc : copy(m, host, err);
        if (!rc)
            atomic_fetch_add(&m->implicit, 1);
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* Unified memory: the host waits for what the device may be writing. */
static ilex_status
settle(ix_memory *m, bool host, ilex_access access, ix_error *err)
{
    if (!host) {
        if (access & ILEX_WRITE)
            set_state(m, ILEX_SYNC_DEVICE_DIRTY);
        return ILEX_OK;
    }
    if (state(m) != ILEX_SYNC_DEVICE_DIRTY)
        return ILEX_OK;
    const ix_driver *driver = ix_driver_find(err);
    if (!driver)
        return ILEX_E_DEVICE;
    ilex_status rc = driver->synchronize(m->device_index, err);
    if (!rc)
        set_state(m, ILEX_SYNC_CLEAN);
    return rc;
}

static ilex_status
refuse(bool host, const char *name, ix_error *err)
{
    return ix_fail(err, ILEX_E_DEVICE,
                   host ? "storage '%.80s' has no host buffer, and the host "
                          "cannot address device memory; copy it with "
                          "ilex_storage_to(ctx, s, \"cpu\")"
                        : "storage '%.80s' has no device buffer; make it with "
                          ".device = \"gpu\", or copy it with "
                          "ilex_storage_to(ctx, s, \"gpu\")",
                   name);
}

ilex_status
ix_memory_acquire(ix_memory *m, bool host, ilex_access access, const char *name,
                  ix_error *err)
{
    if (host ? !ix_memory_on_host(m) : !ix_memory_on_device(m))
        return refuse(host, name, err);
    if ((access & ILEX_WRITE) && m->immutable)
        return ix_fail(err, ILEX_E_READONLY,
                       "storage '%.80s' is constant: it was written once, when "
                       "it was made",
                       name);
    if (access & ILEX_WRITE)
        ix_memory_written(m);
    if (m->managed == IX_MANAGED_NONE)
        return ILEX_OK;
    if (m->managed == IX_MANAGED_UNIFIED)
        return settle(m, host, access, err);
    ilex_status rc = ILEX_OK;
    if (state(m) == dirty(!host))
        rc = refresh(m, host, name, err);
    if (!rc && (access & ILEX_WRITE) && state(m) != dirty(host))
        rc = ix_memory_mark(m, host, name, err);
    return rc;
}

/* ---- marks ---- */

ilex_status
ix_memory_mark(ix_memory *m, bool host, const char *name, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    ix_memory_written(m);
    if (m->managed != IX_MANAGED_SOFTWARE)
        return ILEX_OK;
    if (m->immutable)
        return ix_fail(err, ILEX_E_READONLY,
                       "storage '%.80s' is constant and cannot be modified",
                       name);
    pthread_mutex_lock(&m->lock);
    if (state(m) == dirty(!host)) {
        rc = ix_fail(err, ILEX_E_SYNC,
                     "storage '%.80s': both sides modified: the %s was marked "
                     "already; force a copy in one direction or call "
                     "ilex_storage_set_synchronized",
                     name, side_name[!host]);
    } else if (state(m) == ILEX_SYNC_CLEAN) {
        set_state(m, dirty(host));
        poison(m, !host);
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

void
ix_memory_set_clean(ix_memory *m)
{
    if (m->managed != IX_MANAGED_SOFTWARE)
        return;
    pthread_mutex_lock(&m->lock);
    set_state(m, ILEX_SYNC_CLEAN);
    pthread_mutex_unlock(&m->lock);
}

void
ix_memory_begin(ix_memory *m, ilex_sync sync)
{
    if (m->managed == IX_MANAGED_SOFTWARE && sync != ILEX_SYNC_NONE)
        atomic_store(&m->sync, (int)sync);
}

/* ---- memory of a device only ---- */

ilex_status
ix_memory_read_device(ix_memory *m, void *to, ix_error *err)
{
    ilex_status rc =
        ix_space_copy(IX_SPACE_NORMAL, to, m->device.space, m->device.base,
                      m->device_index, m->bytes, err);
    if (!rc) {
        atomic_fetch_add(&m->to_host, 1);
        atomic_fetch_add(&m->moved, (int64_t)m->bytes);
    }
    return rc;
}

ilex_status
ix_memory_write_device(ix_memory *m, const void *from, ix_error *err)
{
    ilex_status rc =
        ix_space_copy(m->device.space, m->device.base, IX_SPACE_NORMAL, from,
                      m->device_index, m->bytes, err);
    if (!rc) {
        atomic_fetch_add(&m->to_device, 1);
        atomic_fetch_add(&m->moved, (int64_t)m->bytes);
    }
    return rc;
}
