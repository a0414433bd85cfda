/* SPDX-License-Identifier: MIT
 *
 * Memory objects: buffers allocated or wrapped, counted, given back once.
 */
#include "runtime/memory/memory_object.h"

/* Records so far: no two of them have the same count of writes. */
static _Atomic(uint64_t) made = 1;

ix_memory *
ix_memory_new(const ix_maker *maker, ix_error *err)
{
    ix_memory *memory = ix_mem_new(&maker->mem, sizeof *memory);
    if (!memory)
        return ix_fail_memory_null(err);
    atomic_init(&memory->count, 1);
    atomic_init(&memory->sync, ILEX_SYNC_CLEAN);
    atomic_init(&memory->writes, atomic_fetch_add(&made, 1) << 32);
    memory->mem = maker->mem;
    memory->log = maker->log;
    memory->log_user = maker->log_user;
    memory->strict = maker->strict;
    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

/* Where views lie: in the host buffer if there is one. */
static void
set_base(ix_memory *memory, size_t bytes)
{
    memory->base = memory->host.base ? memory->host.base : memory->device.base;
    memory->bytes = bytes;
}

static char *
aligned(void *address, size_t align)
{
    size_t over = (uintptr_t)address % align;
    return (char *)address + (over ? align - over : 0);
}

ilex_status
ix_memory_allocate(ix_memory *memory, bool host, ix_space space, size_t bytes,
                   size_t align, ix_error *err)
{
    ix_holding *b = host ? &memory->host : &memory->device;
    if (bytes > SIZE_MAX / 2)
        return ix_fail(err, ILEX_E_MEMORY,
                       "out of memory: %zu bytes for a storage", bytes);
    ilex_status rc = ix_space_allocate(&b->block, space, memory->device_index,
                                       &memory->mem, bytes + align - 1, err);
    if (rc)
        return rc;
    b->space = space;
    b->base = aligned(b->block.address, align);
    set_base(memory, bytes);
    return ILEX_OK;
}

ilex_status
ix_memory_allocate_traits(ix_memory *memory, const ilex_storage_traits *traits,
                          size_t bytes, size_t align, ix_error *err)
{
    ix_holding *b = traits->same_space ? &memory->host : &memory->device;
    b->traits = traits;
    b->traits_bytes = bytes + align - 1;
    b->space = traits->same_space ? IX_SPACE_NORMAL : IX_SPACE_DEVICE;
    b->traits_block = traits->allocate(traits->user, b->traits_bytes);
    if (!b->traits_block)
        return ix_fail(err, ILEX_E_MEMORY,
                       "out of memory: preset '%s' gave none of the %zu bytes "
                       "for a storage",
                       traits->name, b->traits_bytes);
    b->base = aligned(b->traits_block, align);
    set_base(memory, bytes);
    return ILEX_OK;
}

void
ix_memory_wrap(ix_memory *memory, bool host, ix_space space, char *base,
               size_t bytes)
{
    ix_holding *b = host ? &memory->host : &memory->device;
    b->space = space;
    b->base = base;
    set_base(memory, bytes);
}

void
ix_memory_adopt(ix_memory *memory, bool host,
                void (*release)(void *user, void *data), void *user, void *data)
{
    ix_holding *b = host ? &memory->host : &memory->device;
    b->release = release;
    b->release_user = user;
    b->release_data = data;
}

ix_memory *
ix_memory_retain(ix_memory *memory)
{
    atomic_fetch_add_explicit(&memory->count, 1, memory_order_relaxed);
    return memory;
}

static void
release_buffer(ix_holding *b)
{
    if (b->release)
        b->release(b->release_user, b->release_data);
    if (b->traits_block)
        b->traits->free(b->traits->user, b->traits_block, b->traits_bytes);
    ix_space_free(&b->block);
}

void
ix_memory_release(ix_memory *memory)
{
    if (!memory ||
        atomic_fetch_sub_explicit(&memory->count, 1, memory_order_acq_rel) != 1)
        return;
    release_buffer(&memory->host);
    release_buffer(&memory->device);
    ix_size_id_release(memory->id);
    pthread_mutex_destroy(&memory->lock);
    ix_mem mem = memory->mem;
    ix_mem_free(&mem, memory);
}
