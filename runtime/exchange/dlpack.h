/* SPDX-License-Identifier: MIT
 *
 * DLPack's numbers for dtypes and devices, shared by both directions.
 */
#ifndef ILEX_RUNTIME_DLPACK_H
#define ILEX_RUNTIME_DLPACK_H

#include "ilex/dlpack.h"
#include "runtime/exchange/exchange.h"

enum { IX_DLPACK_MAJOR = 1, IX_DLPACK_MINOR = 1 };

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

#endif
