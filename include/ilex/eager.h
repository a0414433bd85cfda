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
 * its own; "out" NULL: a new storage is made. All that "out" is made of stays;
 * it never shrinks or grows, operands are broadcast to it. Values are converted
 * to its dtype within a kind or upwards (bool, unsigned, signed, real,
 * complex). Operands may share elements with it; its own must be distinct.
 * Without axis names beside named operands it must have exactly the shape that
 * these broadcast to. */
ILEX_API ilex_storage *ilex_eager(ilex_context *ctx, const char *op,
                                  size_t count, ilex_storage *const *operands,
                                  ilex_storage *out);

/* The reduction named "reduction" ("sum", "argmax", ...; see reductions.def)
 * over the axes listed by name or number ("K", "IJ", "I, Vertex", "0, -1"; "":
 * none; NULL for all axes), halo included. The result keeps the other axes with
 * their halo, layout and aligned index. "out" as for ilex_eager.
 * ILEX_E_EMPTY_REDUCTION for the extrema of nothing. Of a storage on a grid it
 * is the whole that is reduced, without its halos, by all ranks, to a storage
 * on the grid, or, where no divided axis is left, to one that each rank has. */
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

/* ---- functions of whole storages ----
 *
 * They take operands as plain arrays: all elements in buffer index space, axes
 * by position. Axes are given by number (negative ones from the end) or by
 * name. Results are new. Errors besides those above: ILEX_E_AXIS for an axis
 * that is not there, and those of programs (ilex_eval), which compute the
 * others than concat, stack, roll, arange and reshape.
 */

/* One after another along an axis; the other lengths are equal. The result has
 * the axes, layout and place of the first one, no halo along the axis, and the
 * promoted dtype. */
ILEX_API ilex_storage *ilex_storage_concat(ilex_context *ctx, size_t count,
                                           ilex_storage *const *operands,
                                           const char *axis);

/* One after another along a new axis at place `axis` of the result, whose axes
 * have no names. All have one shape. */
ILEX_API ilex_storage *ilex_storage_stack(ilex_context *ctx, size_t count,
                                          ilex_storage *const *operands,
                                          int axis);

/* low[k] elements before and high[k] behind axis k ("low" and "high" may be
 * NULL: none), which hold the value, or with a "mode" ("wrap", "edge",
 * "reflect", "symmetric"; NULL: none) elements of x, as NumPy's pad. Names of
 * axes stay, the halo goes. */
ILEX_API ilex_storage *ilex_storage_pad(ilex_context *ctx, ilex_storage *x,
                                        const int64_t *low, const int64_t *high,
                                        double value, const char *mode);

/* y(i) = x(i - by) round the ends of the axis; like x. */
ILEX_API ilex_storage *ilex_storage_roll(ilex_context *ctx, ilex_storage *x,
                                         const char *axis, int64_t by);

/* start, start + step, ... up to before stop, computed in f64, along one
 * unnamed axis. ILEX_E_LITERAL for what the dtype cannot hold. */
ILEX_API ilex_storage *ilex_storage_arange(ilex_context *ctx, ilex_dtype dtype,
                                           double start, double stop,
                                           double step);

/* A copy of the elements in C order on another shape, whose axes have no names;
 * one length may be -1: what is left. */
ILEX_API ilex_storage *ilex_storage_reshape(ilex_context *ctx, ilex_storage *x,
                                            int rank, const int64_t *shape);

/* y(k) = x(0) + ... + x(k) along the axis, in this order; like x, with the
 * dtype of sum. */
ILEX_API ilex_storage *ilex_storage_cumsum(ilex_context *ctx, ilex_storage *x,
                                           const char *axis);

/* Variance and standard deviation over the axes (as in ilex_eager_reduce),
 * divided by the number of elements less ddof. What remains of x as there. */
ILEX_API ilex_storage *ilex_storage_var(ilex_context *ctx, ilex_storage *x,
                                        const char *axes, int64_t ddof);
ILEX_API ilex_storage *ilex_storage_std(ilex_context *ctx, ilex_storage *x,
                                        const char *axes, int64_t ddof);

/* NumPy's matmul and einsum (ilex_matmul, ilex_einsum); axes without names. */
ILEX_API ilex_storage *ilex_storage_matmul(ilex_context *ctx, ilex_storage *x,
                                           ilex_storage *y);
ILEX_API ilex_storage *ilex_storage_einsum(ilex_context *ctx,
                                           const char *subscripts, size_t count,
                                           ilex_storage *const *operands);

/* 1 if |x - y| <= atol + rtol*|y| for all elements, which are broadcast by
 * position, and infinite ones are equal, as NumPy's allclose; NaN is close to
 * nothing. 0 if not, -1 after an error. */
ILEX_API int ilex_storage_allclose(ilex_context *ctx, ilex_storage *x,
                                   ilex_storage *y, double rtol, double atol);

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
