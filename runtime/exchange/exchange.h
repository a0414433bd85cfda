/* SPDX-License-Identifier: MIT
 *
 * What all kinds of import come down to: an array of somebody else, described
 * once, and the storage over it.
 */
#ifndef ILEX_RUNTIME_EXCHANGE_H
#define ILEX_RUNTIME_EXCHANGE_H

#include "ilex/exchange.h"
#include "runtime/storage/storage.h"

/* Which processors can address an array. */
typedef enum ix_side {
    IX_SIDE_HOST,
    IX_SIDE_DEVICE,
    IX_SIDE_BOTH, /* memory that the driver moves */
    IX_SIDE_NONE  /* a device that Ilex has no driver for */
} ix_side;

typedef struct ix_foreign {
    const char *what; /* "DLPack tensor", for messages */
    ilex_dtype dtype;
    int rank; /* 0 to ILEX_MAX_RANK */
    bool readonly, has_strides;
    int64_t shape[ILEX_MAX_RANK];   /* not checked yet */
    int64_t strides[ILEX_MAX_RANK]; /* elements */
    void *data;
    ix_side side;
    int device;         /* number, unless on the host */
    ilex_storage *like; /* NULL, or what it was exported from: it has the names
                           of axes and the like that "more" does not give */
    void (*release)(void *user, void *data); /* may be NULL */
    void *user;
} ix_foreign;

/* A storage over "f" with the properties of "more" (may be NULL). Calls
 * f->release exactly once, on whichever way. */
ilex_storage *ix_exchange_import(ilex_context *ctx, const ix_foreign *f,
                                 const ilex_storage_spec *more);

/* Refuses "f" with the error that is recorded already: releases it and returns
 * NULL. */
ilex_storage *ix_exchange_refuse(const ix_foreign *f);

/* Sets rank, shape and strides (may be NULL) of "f"; false when the number of
 * axes or a missing shape makes that impossible. "unit" is 1 for strides in
 * elements, else the bytes of an element, which must divide them. */
bool ix_exchange_shape(ix_foreign *f, int rank, const int64_t *shape,
                       const int64_t *strides, int64_t unit, ix_error *err);

/* For an array on a device: asks the driver on which one, and whether the host
 * reaches it as well. False with ILEX_E_DEVICE when there is no driver, no
 * such device, or the memory is none of it. */
bool ix_exchange_device(ix_foreign *f, ix_error *err);

/* In "*address" that of element (0, ..., 0) on one side of "s", which is up to
 * date there; for writing, unless "readonly". */
ilex_status ix_exchange_address(ilex_context *ctx, const ilex_storage *s,
                                bool device, bool readonly, void **address);

/* Waits until the device, of which a buffer was asked for, writes no more. */
ilex_status ix_exchange_wait(ilex_context *ctx, int device);

/* True if no element exists. */
bool ix_exchange_empty(int rank, const int64_t *shape);

/* ---- array_interface.c ----
 *
 * Checks of ilex_array_interface that its three users share.
 */

/* "__array_interface__" or "__cuda_array_interface__". */
const char *ix_array_interface_name(int kind);

/* Is "a" there, of a size we know, and of a kind that exists? */
bool ix_array_interface_known(const ilex_array_interface *a, int kind,
                              ix_error *err);

/* Empties what we know of "a" but its size, sets the kind. */
void ix_array_interface_clear(ilex_array_interface *a, int kind);

#endif
