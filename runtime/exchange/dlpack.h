/* SPDX-License-Identifier: MIT
 *
 * DLPack's numbers for dtypes and devices, and what import and the table of
 * functions need to know of exports.
 */
#ifndef ILEX_RUNTIME_DLPACK_H
#define ILEX_RUNTIME_DLPACK_H

#include "ilex/dlpack.h"
#include "runtime/exchange/exchange.h"

enum { IX_DLPACK_MAJOR = 1, IX_DLPACK_MINOR = 3 };

typedef struct ix_dlpack_device {
    int32_t number;
    const char *name;
    ix_side side;
} ix_dlpack_device;

/* The row of a device type, NULL if it is not known. */
const ix_dlpack_device *ix_dlpack_device_find(int32_t number);

/* The name of a type code, "?" if it is not known. */
const char *ix_dlpack_code_name(int code);

DLDataType ix_dlpack_type(ilex_dtype dtype);

/* False if Ilex has no such dtype. */
bool ix_dlpack_dtype(DLDataType type, ilex_dtype *dtype);

/* Describes one side of "s" for writing unless "readonly"; shape and strides
 * are those of "s". */
ilex_status ix_dlpack_describe(ilex_context *ctx, ilex_storage *s,
                               unsigned flags, bool readonly, DLTensor *t);

/* Waits for the device whose buffer was described, if it was one. */
ilex_status ix_dlpack_wait(ilex_context *ctx, const ilex_storage *s,
                           unsigned flags);

/* ilex_dlpack_export() that does not wait for the device. */
DLManagedTensorVersioned *ix_dlpack_export(ilex_context *ctx, ilex_storage *s,
                                           unsigned flags);

/* The storage of a tensor that was exported here, NULL of any other. */
ilex_storage *ix_dlpack_exported(const DLManagedTensorVersioned *t);
ilex_storage *ix_dlpack_exported_legacy(const DLManagedTensor *t);

#endif
