/* SPDX-License-Identifier: MIT
 *
 * What all kinds of import come down to: an array of somebody else, described
 * once, and the storage over it.
 */
#ifndef ILEX_RUNTIME_EXCHANGE_H
#define ILEX_RUNTIME_EXCHANGE_H

#include "ilex/exchange.h"
#include "runtime/storage.h"

typedef struct ix_foreign {
    const char *what; /* "DLPack tensor", for messages */
    ilex_dtype dtype;
    int rank; /* 0 to ILEX_MAX_RANK */
    bool readonly, has_strides;
    int64_t shape[ILEX_MAX_RANK];   /* not checked yet */
    int64_t strides[ILEX_MAX_RANK]; /* elements */
    void *data;
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

/* True if no element exists. */
bool ix_exchange_empty(int rank, const int64_t *shape);

#endif
