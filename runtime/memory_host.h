/* SPDX-License-Identifier: MIT
 *
 * Memory objects: a block of bytes that all views of a storage share.
 *
 * Atomically counted; the block is released exactly once, by the deleter of
 * its owner or back to the allocator it came from. Device buffers and their
 * sync state belong in this record, since every view must see them.
 */
#ifndef ILEX_RUNTIME_MEMORY_HOST_H
#define ILEX_RUNTIME_MEMORY_HOST_H

#include <stdatomic.h>

#include "lib/prelude.h"

/* Where a block lives and who owns it. */
typedef enum ix_space {
    IX_SPACE_NORMAL, /* from the allocator */
    IX_SPACE_WRAPPED /* host memory of somebody else */
} ix_space;

typedef struct ix_memory {
    atomic_size_t count;
    ix_mem mem;
    ix_space space;
    char *base;
    size_t bytes;
    void (*release)(void *user, void *data); /* NULL: nothing to do */
    void *release_data, *release_user;
} ix_memory;

/* A block of "bytes" uninitialised bytes (at least 1). */
ix_memory *ix_memory_new(const ix_mem *mem, size_t bytes, ix_error *err);

/* "bytes" bytes from "base", owned by somebody else, who is told by
 * release(user, data) when the last view is gone. On failure the owner has
 * not been told yet. */
ix_memory *ix_memory_wrap(const ix_mem *mem, char *base, size_t bytes,
                          void (*release)(void *user, void *data), void *user,
                          void *data, ix_error *err);

ix_memory *ix_memory_retain(ix_memory *memory);
void ix_memory_release(ix_memory *memory);

#endif
