/* SPDX-License-Identifier: MIT
 *
 * Memory objects: the bytes that all views of a storage share, on the host, on
 * a device, or on both.
 *
 * Atomically counted; each buffer is given back exactly once, to its owner or
 * to the space it came from. Which of two buffers is newer belongs in this
 * record, since every view must see it, also one of a part: copies between the
 * buffers (memory_sync.c) therefore move all bytes.
 */
#ifndef ILEX_RUNTIME_MEMORY_OBJECT_H
#define ILEX_RUNTIME_MEMORY_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>

#include "ilex/memory.h"
#include "runtime/memory/space.h"

typedef enum ix_managed {
    IX_MANAGED_NONE,
    IX_MANAGED_SOFTWARE,
    IX_MANAGED_UNIFIED
} ix_managed;

/* What of a context a storage needs when it is made, and later. */
typedef struct ix_maker {
    ix_mem mem;
    void (*log)(void *user, ilex_level level, const char *text);
    void *log_user;
    bool strict; /* implicit copies are errors */
    int threads; /* for initialisers */
} ix_maker;

typedef struct ix_holding {
    char *base; /* NULL: there is no such buffer */
    ix_space space;
    ix_block block;                    /* ours; address NULL: not ours */
    const ilex_storage_traits *traits; /* whose memory it is, or NULL */
    void *traits_block;
    size_t traits_bytes;
    void (*release)(void *user, void *data); /* NULL: nobody to be told */
    void *release_data, *release_user;
} ix_holding;

struct ix_size_id;

typedef struct ix_memory {
    atomic_size_t count;
    ix_mem mem;
    char *base; /* where views lie: of the host buffer, else the device's */
    size_t bytes;
    ix_holding host, device;
    int device_index;
    ix_managed managed;
    bool immutable; /* written once, when it was made */
    bool strict;
    void (*log)(void *user, ilex_level level, const char *text);
    void *log_user;
    struct ix_size_id *id; /* storage_kind.c, or NULL */
    pthread_mutex_t lock;  /* copies and changes of "sync" */
    atomic_int sync;       /* ilex_sync; CLEAN where nothing is tracked */
    _Atomic(uint64_t) epoch;
    _Atomic(uint64_t) writes; /* accesses for writing so far, and whose */
    _Atomic(int64_t) to_host, to_device, implicit, moved;
} ix_memory;

/* It is accessed for writing. */
static inline void
ix_memory_written(ix_memory *memory)
{
    atomic_fetch_add_explicit(&memory->writes, 1, memory_order_relaxed);
}

/* A record without buffers; one count belongs to the caller. */
ix_memory *ix_memory_new(const ix_maker *maker, ix_error *err);

/* Gives it a buffer of "bytes" bytes in "space" (of "device_index"), the one
 * of the host if "host", which begins at a multiple of "align". */
ilex_status ix_memory_allocate(ix_memory *memory, bool host, ix_space space,
                               size_t bytes, size_t align, ix_error *err);

/* The same in the target's memory of a user's traits: a host buffer if they
 * say that both are one. */
ilex_status ix_memory_allocate_traits(ix_memory *memory,
                                      const ilex_storage_traits *traits,
                                      size_t bytes, size_t align,
                                      ix_error *err);

/* Lays a buffer over "bytes" bytes of somebody else from "base" on. */
void ix_memory_wrap(ix_memory *memory, bool host, ix_space space, char *base,
                    size_t bytes);

/* From now on the owner of that buffer is told when the last view is gone. */
void ix_memory_adopt(ix_memory *memory, bool host,
                     void (*release)(void *user, void *data), void *user,
                     void *data);

ix_memory *ix_memory_retain(ix_memory *memory);
void ix_memory_release(ix_memory *memory);

/* True if there are two buffers to be kept in step by hand or by Ilex. */
static inline bool
ix_memory_paired(const ix_memory *m)
{
    return m->host.base && m->device.base;
}

static inline bool
ix_memory_on_host(const ix_memory *m)
{
    return m->host.base != NULL;
}

static inline bool
ix_memory_on_device(const ix_memory *m)
{
    return m->device.base ||
           (m->host.base && ix_space_on_device(m->host.space));
}

/* Is that a GPU's? A device of one's own (a preset's traits) is none: kernels
 * do not reach it. */
static inline bool
ix_memory_on_gpu(const ix_memory *m)
{
    return ix_memory_on_device(m) && !m->device.traits;
}

/* size_id.c: notes that "id" stands for the "n" lengths; fails if it stands for
 * others. The memory answers for giving the use back. */
ilex_status ix_size_id_take(ix_memory *m, int id, int n, const int64_t *shape,
                            ix_error *err);
/* Gives back a use; NULL is ignored. */
void ix_size_id_release(struct ix_size_id *id);

/* ---- memory_sync.c ---- */

/* Brings one side up to date before "access"; "name" is for messages. */
ilex_status ix_memory_acquire(ix_memory *m, bool host, ilex_access access,
                              const char *name, ix_error *err);

/* Copies all bytes to that side if the other one is newer, or if "force"; both
 * are equal then. */
ilex_status ix_memory_update(ix_memory *m, bool to_host, bool force,
                             ix_error *err);

/* Marks one side as newer; fails if the other one is. */
ilex_status ix_memory_mark(ix_memory *m, bool host, const char *name,
                           ix_error *err);
void ix_memory_set_clean(ix_memory *m);

/* The state at birth, before the memory is shared. */
void ix_memory_begin(ix_memory *m, ilex_sync sync);

/* Copies "bytes" bytes between a buffer of "m" that only a device can address
 * and host memory. */
ilex_status ix_memory_read_device(ix_memory *m, void *to, ix_error *err);
ilex_status ix_memory_write_device(ix_memory *m, const void *from,
                                   ix_error *err);

#endif
