/* SPDX-License-Identifier: MIT
 *
 * Eager operators: element-wise operations and reductions on storages, each
 * evaluated at once by a program that the compiler makes for its signature
 * (operator, dtypes, which axes an operand has) and keeps for the process.
 *
 * Storages with named axes broadcast by name in buffer index space: the whole
 * addressable extent counts, the halo is a marker. An axis that an operand
 * lacks, or has with length 1 beside a longer one, is broadcast along. A
 * storage without axis names beside named ones is a plain array: it must have
 * the shape of the result, in the result's index order, or rank 3 with lengths
 * that are 1 or equal; rank 0 is a number. Unnamed storages alone broadcast
 * by position, as in NumPy.
 *
 * What a new result gets: axes: those of the first operand that has all, else
 * I, J, K, then others as they appear; halo: per axis the widest on each side;
 * alignment: the least common multiple; aligned index: per axis the largest;
 * layout: that of the first operand with names; dtype: as NumPy.
 *
 * Errors go to "ctx", which may not be NULL (its option `jit` chooses the back
 * end); results are owned by the caller. Context thread.
 */
#ifndef ILEX_EAGER_H
#define ILEX_EAGER_H

#include "ilex/expr.h"
#include "ilex/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operator named "op" ("add", "where", ...; see ops.def) on "count"
 * storages. With "out" the values are converted to its dtype and written to
 * it, its parameters stay, operands may overlap it, and it is returned with a
 * count of its own; else a new storage is made. NULL on error. */
ILEX_API ilex_storage *ilex_eager(ilex_context *ctx, const char *op,
                                  size_t count, ilex_storage *const *operands,
                                  ilex_storage *out);

/* The reduction named "reduction" ("sum", "argmax", ...) over the axes listed
 * by name or number ("I, J", "0, -1"; NULL: all), halo included. The result
 * keeps the other axes with their halo, layout and aligned index. "out" as
 * above, of the result's axes and dtype. */
ILEX_API ilex_storage *ilex_eager_reduce(ilex_context *ctx,
                                         const char *reduction,
                                         ilex_storage *x, const char *axes,
                                         ilex_storage *out);

/* A rank-0 storage of the value, for numbers as operands. */
ILEX_API ilex_storage *ilex_storage_scalar(ilex_context *ctx, ilex_dtype dtype,
                                           double value);

/* to = from, broadcast by axis as above and converted; an axis that only
 * "from" has is an error. They may overlap. */
ILEX_API ilex_status ilex_eager_assign(ilex_context *ctx, ilex_storage *to,
                                       ilex_storage *from);

#ifdef __cplusplus
}
#endif
#endif
