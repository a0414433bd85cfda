/* SPDX-License-Identifier: MIT
 *
 * Memory objects of the host: allocate, wrap, count, release once.
 */
#include "runtime/memory_host.h"

/* The record of a block; one count belongs to the caller. */
static ix_memory *
new_record(const ix_mem *mem, ix_space space, char *base, size_t bytes,
           ix_error *err)
{
    ix_memory *memory = ix_mem_new(mem, sizeof *memory);
    if (!memory) {
        ix_fail_memory(err);
        return NULL;
    }
    atomic_init(&memory->count, 1);
    memory->mem = *mem;
    memory->space = space;
    memory->base = base;
    memory->bytes = bytes;
    return memory;
}

ix_memory *
ix_memory_new(const ix_mem *mem, size_t bytes, ix_error *err)
{
    char *base = ix_mem_resize(mem, NULL, bytes);
    if (!base) {
        ix_fail(err, ILEX_E_MEMORY, "out of memory: %zu bytes for a storage",
                bytes);
        return NULL;
    }
    ix_memory *memory = new_record(mem, IX_SPACE_NORMAL, base, bytes, err);
    if (!memory)
        ix_mem_free(mem, base);
    return memory;
}

ix_memory *
ix_memory_wrap(const ix_mem *mem, char *base, size_t bytes,
               void (*release)(void *user, void *data), void *user, void *data,
               ix_error *err)
{
    ix_memory *memory = new_record(mem, IX_SPACE_WRAPPED, base, bytes, err);
    if (memory) {
        memory->release = release;
        memory->release_user = user;
        memory->release_data = data;
    }
    return memory;
}

ix_memory *
ix_memory_retain(ix_memory *memory)
{
    atomic_fetch_add_explicit(&memory->count, 1, memory_order_relaxed);
    return memory;
}

void
ix_memory_release(ix_memory *memory)
{
    if (!memory ||
        atomic_fetch_sub_explicit(&memory->count, 1, memory_order_acq_rel) != 1)
        return;
    if (memory->release)
        memory->release(memory->release_user, memory->release_data);
    if (memory->space == IX_SPACE_NORMAL)
        ix_mem_free(&memory->mem, memory->base);
    ix_mem mem = memory->mem;
    ix_mem_free(&mem, memory);
}
