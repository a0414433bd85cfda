/* SPDX-License-Identifier: MIT
 *
 * Eager operators: element-wise operations and reductions on storages, each
 * evaluated at once by a program that the compiler makes for its signature
 * (operator, dtypes, which axes an operand has, back end) and keeps for the
 * process. Shapes, strides and names of axes are not part of it.
 *
 * Storages with named axes broadcast by name in buffer index space: the whole
 * addressable extent counts, the halo is a marker. An axis that an operand
 * lacks, or has with length 1 beside a longer one, is broadcast along; I and
 * I+1/2 do not meet. A storage without axis names beside named ones is a plain
 * array: it must have the shape of the result, in the result's index order, or
 * rank 3 with lengths that are 1 or equal; rank 0 is a number. Unnamed
 * storages alone broadcast by position, as in NumPy.
 *
 * What a new result gets: axes: those of the first operand that has all, else
 * I, J, K, then others as they appear; halo: per axis the widest on each side;
 * alignment: the least common multiple; aligned index: per axis the largest;
 * layout: that of the first operand with names, axes that it does not place
 * come last; dtype: as NumPy; device and management: those of the first
 * operand with names. Without names the first operand that is no number
 * stands for the first one with names.
 *
 * Where it is computed, ilex_storage_compute_device() decides; numbers have no
 * say. On a device NVRTC makes the kernels; without it: ILEX_E_UNSUPPORTED.
 *
 * Errors go to "ctx", which may not be NULL (its option `jit` chooses the back
 * end on the host); results are owned by the caller. Context thread.
 */
#ifndef ILEX_EAGER_H
#define ILEX_EAGER_H

#include "ilex/expr.h"
#include "ilex/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operator named "op" ("add", "where", ...; see ops.def) on "count"
 * storages. NULL on error: ILEX_E_UNKNOWN, _ARGUMENT, _DTYPE, _SHAPE, _RANK,
 * _AXIS, _HALO, _ALIGNMENT, _READONLY, _OVERLAP, _DEVICE, _TRANSFER,
 * _UNSUPPORTED, _MEMORY, and those of the back end.
 *
 * With "out" the values are written to it and it is returned with a count of
 * its own; else a new storage is made. All that "out" is made of stays; it
 * never shrinks or grows, operands are broadcast to it. Values are converted
 * to its dtype within a kind or upwards (bool, unsigned, signed, real,
 * complex). Operands may share elements with it; its own must be distinct.
 * Without axis names beside named operands it must have exactly the shape
 * that these broadcast to. */
ILEX_API ilex_storage *ilex_eager(ilex_context *ctx, const char *op,
                                  size_t count, ilex_storage *const *operands,
                                  ilex_storage *out);

/* The reduction named "reduction" ("sum", "argmax", ...; see reductions.def)
 * over the axes listed by name or number ("K", "IJ", "I, Vertex", "0, -1"; "":
 * none; NULL: all), halo included. The result keeps the other axes with their
 * halo, layout and aligned index. "out" as above. ILEX_E_EMPTY_REDUCTION for
 * the extrema of nothing. */
ILEX_API ilex_storage *ilex_eager_reduce(ilex_context *ctx,
                                         const char *reduction, ilex_storage *x,
                                         const char *axes, ilex_storage *out);

/* A rank-0 storage of the value, for numbers as operands. */
ILEX_API ilex_storage *ilex_storage_scalar(ilex_context *ctx, ilex_dtype dtype,
                                           double value);

/* to = from, broadcast as to "out" above, and converted whatever the dtypes
 * (floats to integers saturate, NaN gives 0; complex to real keeps the real
 * part). They may overlap. */
ILEX_API ilex_status ilex_eager_assign(ilex_context *ctx, ilex_storage *to,
                                       ilex_storage *from);

/* ---- each under its own name: ilex_storage_add(ctx, x, y), ... ---- */

#define ILEX_EAGER_1 ilex_storage *x
#define ILEX_EAGER_2 ILEX_EAGER_1, ilex_storage *y
#define ILEX_EAGER_3 ILEX_EAGER_2, ilex_storage *z

/* ilex_storage_<name>(ctx, x, ...) for every row of ops.def: ilex_eager()
 * without "out". */
#define ILEX_OP(ENUM, name, arity, ...)                                        \
    ILEX_API ilex_storage *ilex_storage_##name(ilex_context *ctx,              \
                                               ILEX_EAGER_##arity);
#include "ilex/ops.def"

/* ilex_storage_<name>(ctx, x, axes) for every row of reductions.def:
 * ilex_eager_reduce() without "out". */
#define ILEX_REDUCTION(ENUM, name, ...)                                        \
    ILEX_API ilex_storage *ilex_storage_##name(                                \
        ilex_context *ctx, ilex_storage *x, const char *axes);
#include "ilex/reductions.def"

#undef ILEX_EAGER_1
#undef ILEX_EAGER_2
#undef ILEX_EAGER_3

#ifdef __cplusplus
}
#endif
#endif
