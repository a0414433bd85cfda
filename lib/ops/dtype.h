/* SPDX-License-Identifier: MIT
 *
 * Element types inside the library: the columns of dtypes.def as functions,
 * and the rules by which dtypes combine. All functions are total: a dtype
 * outside the enum has 0 bytes, the name "?" and kind '?'.
 */
#ifndef ILEX_LIB_DTYPE_H
#define ILEX_LIB_DTYPE_H

#include "lib/base/prelude.h"

/* 'b' bool, 'i' signed, 'u' unsigned, 'f' real, 'c' complex. */
char ix_dtype_kind(ilex_dtype dtype);

/* The dtype of the two parts of a complex number, else "dtype" itself. */
ilex_dtype ix_dtype_part(ilex_dtype dtype);

/* The dtype of "kind" with "bytes" bytes, f16 of two that are real; false if
 * there is none. */
bool ix_dtype_of(char kind, size_t bytes, ilex_dtype *dtype);

/* The dtype in which sqrt, sin, ... of "dtype" are computed: f32 for bool and
 * integers of up to 16 bits, f64 for wider ones, else "dtype" itself. */
ilex_dtype ix_dtype_float(ilex_dtype dtype);

/* By name as in text ("f64"), or by type string as in .npy files ("<f8"). */
bool ix_dtype_find(const char *name, size_t length, ilex_dtype *dtype);
bool ix_dtype_find_numpy(const char *name, size_t length, ilex_dtype *dtype);
const char *ix_dtype_numpy(ilex_dtype dtype);

static inline bool
ix_dtype_is_complex(ilex_dtype dtype)
{
    return ix_dtype_kind(dtype) == 'c';
}

static inline bool
ix_dtype_is_real(ilex_dtype dtype)
{
    return ix_dtype_kind(dtype) == 'f';
}

/* f16, bf16: dtypes of storage, which are computed with in single precision. */
static inline bool
ix_dtype_is_half(ilex_dtype dtype)
{
    return dtype == ILEX_F16 || dtype == ILEX_BF16;
}

/* That in which numbers of "dtype" are computed with. */
static inline ilex_dtype
ix_dtype_loop(ilex_dtype dtype)
{
    return ix_dtype_is_half(dtype) ? ILEX_F32 : dtype;
}

/* Signed or unsigned; bool is neither. */
static inline bool
ix_dtype_is_integer(ilex_dtype dtype)
{
    return ix_dtype_kind(dtype) == 'i' || ix_dtype_kind(dtype) == 'u';
}

/* Are sums, products and extremes the same in any order, bit for bit? */
static inline bool
ix_dtype_is_exact(ilex_dtype dtype)
{
    return !ix_dtype_is_real(dtype) && !ix_dtype_is_complex(dtype);
}

#endif
