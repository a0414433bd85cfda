/* SPDX-License-Identifier: MIT
 *
 * Where storages live: memory spaces, copies on host and device and which of
 * them is newer, and presets that users define.
 *
 * A storage has a host buffer, a device buffer, or both. With `managed`
 * "software" Ilex keeps one state for both, shared by all views: clean, or one
 * side newer. Reading a side that is older copies first; writing one makes the
 * other older. With "unified" the driver moves pages; with "none" nothing is
 * tracked and nothing is copied unless asked for.
 *
 * Copies that nobody asked for are implicit: they are counted, reported as
 * ILEX_WARNING to the log that the context had with which the storage was made
 * (that function and its `log_user` must then live as long as the storage; the
 * context need not), and errors when that context's option `transfers` was
 * "strict".
 *
 * Functions here are "any thread"; "ctx", which may be NULL, takes the error.
 */
#ifndef ILEX_MEMORY_H
#define ILEX_MEMORY_H

#include "ilex/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which side is newer ---- */

typedef enum ilex_sync {
    ILEX_SYNC_NONE, /* not tracked; in a spec: not given */
    ILEX_SYNC_CLEAN,
    ILEX_SYNC_HOST_DIRTY,  /* the host buffer is newer */
    ILEX_SYNC_DEVICE_DIRTY /* the device buffer is newer */
} ilex_sync;

/* ILEX_SYNC_NONE unless the storage is managed by software. */
ILEX_API ilex_sync ilex_storage_sync(const ilex_storage *s);

/* Copies if the device is newer, or if "force" in any case, over whatever the
 * host holds. Then both sides are equal. Of a storage that is not managed by
 * software only "force" copies; without two buffers nothing happens. */
ILEX_API ilex_status ilex_storage_device_to_host(ilex_context *ctx,
                                                 const ilex_storage *s,
                                                 int force);

/* The same from host to device. */
ILEX_API ilex_status ilex_storage_host_to_device(ilex_context *ctx,
                                                 const ilex_storage *s,
                                                 int force);

/* Copies in the direction that is due, if any. */
ILEX_API ilex_status ilex_storage_synchronize(ilex_context *ctx,
                                              const ilex_storage *s);

/* Mark only, for buffers that were written behind Ilex's back. ILEX_E_SYNC
 * when the other side is marked already: then both hold changes, and a forced
 * copy or ilex_storage_set_synchronized() must decide. Valid and without
 * effect where nothing is tracked. */
ILEX_API ilex_status ilex_storage_set_host_modified(ilex_context *ctx,
                                                    const ilex_storage *s);
ILEX_API ilex_status ilex_storage_set_device_modified(ilex_context *ctx,
                                                      const ilex_storage *s);
ILEX_API ilex_status ilex_storage_set_synchronized(ilex_context *ctx,
                                                   const ilex_storage *s);

/* Copies made so far between the buffers of the storage, for all its views. */
typedef struct ilex_transfers {
    int64_t to_host, to_device; /* copies in each direction */
    int64_t implicit;           /* of these: not asked for */
    int64_t bytes;
} ilex_transfers;
ILEX_API ilex_transfers ilex_storage_transfers(const ilex_storage *s);

/* The same by a pointer. */
ILEX_API void ilex_storage_transfers_get(const ilex_storage *s,
                                         ilex_transfers *transfers);

/* ---- access ---- */

typedef enum ilex_access {
    ILEX_READ = 1,
    ILEX_WRITE = 2,
    ILEX_READ_WRITE = 3
} ilex_access;

/* Address of element (0, ..., 0) on one side, after bringing that side up to
 * date; writing makes the other side older. NULL on error: ILEX_E_DEVICE when
 * there is no buffer on that side, _READONLY, _TRANSFER in strict mode. A
 * device address is not to be followed on the host. */
ILEX_API void *ilex_storage_host(ilex_context *ctx, const ilex_storage *s,
                                 ilex_access access);
ILEX_API void *ilex_storage_device(ilex_context *ctx, const ilex_storage *s,
                                   ilex_access access);

/* A view as plain data, to be passed to code on either side. */
typedef struct ilex_view {
    void *data; /* element (0, ..., 0) */
    ilex_dtype dtype;
    int rank;
    uint64_t epoch; /* see ilex_view_stale() */
    int64_t shape[ILEX_MAX_RANK], stride[ILEX_MAX_RANK]; /* elements */
} ilex_view;

/* Fills in the view of one side, which is brought up to date as by
 * ilex_storage_host(), with the same errors. */
ILEX_API ilex_status ilex_storage_host_view(ilex_context *ctx,
                                            const ilex_storage *s,
                                            ilex_access access,
                                            ilex_view *view);
ILEX_API ilex_status ilex_storage_device_view(ilex_context *ctx,
                                              const ilex_storage *s,
                                              ilex_access access,
                                              ilex_view *view);

/* 1 if a side of the storage was copied or became newer since the view was
 * taken, so that the view may show old values. */
ILEX_API int ilex_view_stale(const ilex_storage *s, const ilex_view *view);

/* Offset of an element in elements; the index is not checked. */
static inline int64_t
ilex_view_offset(const ilex_view *view, const int64_t *index)
{
    int64_t offset = 0;
    for (int k = 0; k < view->rank; k++)
        offset += index[k] * view->stride[k];
    return offset;
}

/* ---- where it lies ---- */

/* "normal", "hugepage", "pinned", "unified" or "device": the space of the host
 * buffer, or if there is none of the device buffer. It lives as long as the
 * library is loaded. */
ILEX_API const char *ilex_storage_space(const ilex_storage *s);

/* "none", "software" or "unified"; lives as long as the library is loaded. */
ILEX_API const char *ilex_storage_managed(const ilex_storage *s);

/* Number of the GPU that has a buffer of the storage, -1 if none has. A device
 * of one's own (ilex_preset_register) is not one: operators and programs
 * compute on the host's buffer of such a storage. */
ILEX_API int ilex_storage_device_index(const ilex_storage *s);

/* 1 if the host (the device) can address the elements. */
ILEX_API int ilex_storage_on_host(const ilex_storage *s);
ILEX_API int ilex_storage_on_device(const ilex_storage *s);

/* The storage at "device": "cpu", "gpu" (the first one) or "cuda:N". The
 * argument itself, with one count more, when it can be addressed there; else a
 * copy in memory of that place only. */
ILEX_API ilex_storage *ilex_storage_to(ilex_context *ctx, ilex_storage *s,
                                       const char *device);

/* Where an operation over these storages is to be computed: 1 in "*device" for
 * the device. The first managed storage decides, else the first one: unified
 * ones choose the device if every operand can be addressed there; software
 * managed ones choose it unless every operand is on the host or newer there.
 * ILEX_E_DEVICE names an operand that the chosen side cannot address. */
ILEX_API ilex_status
ilex_storage_compute_device(ilex_context *ctx, size_t count,
                            const ilex_storage *const *operands, int *device);

/* ---- presets of one's own ---- */

enum { ILEX_TRAITS_VERSION = 1 };

/* A kind of memory and a layout, to be used by its name as `preset` of a spec.
 * Set `size` to sizeof(ilex_storage_traits), `version` to ILEX_TRAITS_VERSION.
 * The functions and "user" must live as long as the process; they may be
 * called from any thread. */
typedef struct ilex_storage_traits {
    size_t size;
    int version;
    const char *name; /* copied */
    void *user;

    /* 1: the target is host memory, one buffer. 0: `allocate` gives the
     * target's memory, the host has a buffer of its own, and both are kept in
     * step by software through the two `update` functions */
    int same_space;

    size_t alignment; /* bytes, at most 2^30; 0 or 1: none */

    /* place of each axis, 0 for the largest stride; NULL: C order */
    void (*layout)(void *user, int rank, int *place);

    /* a block of the target's memory, NULL when there is none; its end */
    void *(*allocate)(void *user, size_t bytes);
    void (*free)(void *user, void *block, size_t bytes);

    /* copy between the buffers; 0 is success */
    int (*update_target)(void *user, void *target, const void *host,
                         size_t bytes);
    int (*update_host)(void *user, void *host, const void *target,
                       size_t bytes);

    /* changes the view that ilex_storage_device_view() hands out; may be
     * NULL */
    void (*target_view)(void *user, ilex_view *view);
} ilex_storage_traits;
#define ILEX_STORAGE_TRAITS(...)                                               \
    ILEX_STRUCT(ilex_storage_traits, .version = ILEX_TRAITS_VERSION,           \
                __VA_ARGS__)

/* Makes "traits" known to the process under their name, for good. ILEX_E_NAME,
 * ILEX_E_DUPLICATE, ILEX_E_ARGUMENT, ILEX_E_ALIGNMENT, ILEX_E_LIMIT (64). */
ILEX_API ilex_status ilex_preset_register(ilex_context *ctx,
                                          const ilex_storage_traits *traits);

#ifdef __cplusplus
}
#endif
#endif
