/* SPDX-License-Identifier: MIT
 *
 * Structural constructors: functions of whole arrays. This file is written by
 * lib/build/kinds.sh of the sources.
 *
 * Axes are text: a name, "I", or a number from either end, "-1". Bounds are
 * text, affine in sizes: "n-1". NULL operands give NULL, poison gives poison.
 * Operands stay the caller's; the result belongs to the current scope. Context
 * thread.
 */
#ifndef ILEX_KINDS_H
#define ILEX_KINDS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y's axis k is x's axis axes[k]; axes NULL: in reverse. */
ILEX_API ilex_array *ilex_permute(ilex_array *x, const int *axes);

/* y(i) = x(start + step*i), for i in [0, length), length so that Python's
 * start:stop:step is covered. One triple for each axis; bounds are text
 * affine in sizes, e.g. "1", "n-1"; step != 0 constant. NULL for a bound,
 * start NULL and stop NULL for all of them: from the end where the slice
 * starts, to the other one; step NULL: 1. Result axes start at 0. */
ILEX_API ilex_array *ilex_slice(ilex_array *x, const char *const *start,
                                const char *const *stop, const int64_t *step);

/* y(i) = x(i - by) along one axis, round its ends, as NumPy's roll; y is
 * defined where x nominally is. On an axis of constant length `by` is
 * anything; on a symbolic one it must be known to stay within 8 lengths,
 * else ILEX_E_UNSUPPORTED: assume "n >= k". */
ILEX_API ilex_array *ilex_roll(ilex_array *x, const char *axis, const char *by);

/* The operands one after another along an axis, NULL for the first. The
 * other axes have equal lengths, the result the promoted dtype. Unnamed
 * axes. */
ILEX_API ilex_array *ilex_concat(ilex_context *ctx, int count,
                                 ilex_array *const *operands, const char *axis);

/* The elements of x, in order, where the mask is true (not 0): along an
 * axis, on which the mask has one axis of the same length; NULL for the
 * axis: of both as one axis in C order. How many there are a run finds out:
 * the length of the axis is the size that counts the mask
 * (ilex_size_count), or one without a name. Unnamed axes. */
ILEX_API ilex_array *ilex_compress(ilex_array *x, ilex_array *mask,
                                   const char *axis);

/* The elements of each row along an axis in ascending order; NULL for the
 * axis: the last one. The order is stable: equal elements, of which 0.0 and
 * -0.0 are two, stay in their order. A NaN is behind all numbers; complex
 * numbers are in the order of their real parts, then of their imaginary
 * parts, those with a NaN at the end, as NumPy has them. Unnamed axes. */
ILEX_API ilex_array *ilex_sort(ilex_array *x, const char *axis);

/* The indices, i64, by which ilex_sort takes the elements of each row:
 * take_along_axis(x, argsort(x)) is sort(x). */
ILEX_API ilex_array *ilex_argsort(ilex_array *x, const char *axis);

/* Where elements would be put into an array of one axis that is in order as
 * of ilex_sort, i64: how many of its elements are before each value
 * ("left", or NULL) or not behind it ("right"). Of an array that is not in
 * order, some numbers from 0 to its length. The operands are converted to
 * the dtype that they have in common. Unnamed axes. */
ILEX_API ilex_array *ilex_searchsorted(ilex_array *sorted, ilex_array *values,
                                       const char *side);

/* The indices, i64, of the k largest elements of each row along an axis,
 * the largest first; NULL for the axis: the last one. Of equal elements the
 * one with the lower index is first. A NaN is larger than all numbers, as
 * it is in ilex_sort. k is at most the length of the axis. Unnamed axes. */
ILEX_API ilex_array *ilex_arg_top_k(ilex_array *x, const char *k,
                                    const char *axis);

/* A sparse matrix in compressed rows (its elements, the column of each,
 * where each row begins and, last, the last one ends) times a vector or an
 * array of columns: y(i, j) = sum of values(k)*dense(column(k), j) for k
 * from row_start(i) to before row_start(i + 1). The matrix has as many
 * columns as `dense` has rows; `columns`, or NULL, is that number. A run
 * fails where row_start(0) is not 0, a row ends before it begins or behind
 * the last element, or column(k) is no column. Sums do not widen; each is
 * one chain. Unnamed axes. */
ILEX_API ilex_array *ilex_csr_matmul(ilex_array *values, ilex_array *column,
                                     ilex_array *row_start, ilex_array *dense,
                                     const char *columns);

/* y(i) = x(lo + hi - 1 - i) along the axes, NULL for all: the order of the
 * elements reversed, on the same domain. */
ILEX_API ilex_array *ilex_flip(ilex_array *x, const char *axes);

/* y(k) = x(lo) + ... + x(k) along the axis, added in this order, floating
 * and complex numbers in chunks of 4096 (ilx.md, The order of sums); with
 * `reverse` 1 x(k) + ... + x(hi - 1), added from the end. The dtype is that
 * of sum. NULL for the axis: the only one. */
ILEX_API ilex_array *ilex_cumsum(ilex_array *x, const char *axis,
                                 int64_t reverse);

/* cumsum with products. */
ILEX_API ilex_array *ilex_cumprod(ilex_array *x, const char *axis,
                                  int64_t reverse);

/* cumsum with the larger of two instead of the sum; NaN from the first one
 * on. The dtype is that of x. */
ILEX_API ilex_array *ilex_cummax(ilex_array *x, const char *axis,
                                 int64_t reverse);

/* cumsum with the smaller of two instead of the sum; NaN from the first one
 * on. The dtype is that of x. */
ILEX_API ilex_array *ilex_cummin(ilex_array *x, const char *axis,
                                 int64_t reverse);

/* How many elements along the axes are not 0 (or true, or NaN), i64; NULL
 * for all axes. */
ILEX_API ilex_array *ilex_count_nonzero(ilex_array *x, const char *axes);

/* Where x is true (not 0): the indices along axis number `axis` of these
 * elements, in C order, i64. Their number is a counted size, as for
 * ilex_compress. Unnamed axes. */
ILEX_API ilex_array *ilex_nonzero(ilex_array *x, int64_t axis);

/* The operands, all on the same domain, one after another along a new axis,
 * which is axis number `axis` of the result. They take the promoted dtype.
 * Unnamed axes. */
ILEX_API ilex_array *ilex_stack(ilex_context *ctx, int count,
                                ilex_array *const *operands, int64_t axis);

/* Fields with the same named axes and one dtype, whose domains differ along
 * one axis where each begins at the end of another, as one field, in any
 * order. Each is computed on its own side only; a gap, an overlap, or parts
 * of which that is not known, are ILEX_E_SHAPE. What is empty whatever the
 * sizes is left out. */
ILEX_API ilex_array *ilex_combine(ilex_context *ctx, int count,
                                  ilex_array *const *operands);

/* x at the neighbours that a connectivity lists: y(i, n, k) =
 * x(connectivity(i, n), k), where its axes stand in the place of the axis
 * `to` of x (NULL: the only one); an axis of both, unless it is the
 * connectivity's local one, is shared. Axes have names. Elements of it
 * equal to `skip` (NULL: none) are no neighbours: y has the value of rank 0
 * there, or without one no value, and then only element-wise operators and
 * reductions over the local axis (the last of several, from 0 to a number)
 * take it, which leave such points out. A run fails where another element
 * is not an index at which x is known. */
ILEX_API ilex_array *ilex_remap(ilex_array *x, ilex_array *connectivity,
                                const char *to, const char *skip,
                                ilex_array *value);

/* x with low[k] points before axis k and high[k] behind it (text affine in
 * sizes; NULL: none), which hold the value of rank 0, NULL for 0, or with a
 * mode elements of x: "wrap" from the other end, "edge" the nearest one,
 * "reflect" mirrored at the last element, "symmetric" mirrored behind it. A
 * named axis keeps its indices and its range widens, an unnamed one begins
 * at 0. With a mode the axis is known to be as long as the points added to
 * one side ("reflect": longer), or its length is a number. */
ILEX_API ilex_array *ilex_pad(ilex_array *x, const char *const *low,
                              const char *const *high, ilex_array *value,
                              const char *mode);

/* x by[k] times over along each axis, as NumPy's tile: "2, 3". Fewer
 * numbers are those of the last axes; more give new axes in front; by NULL:
 * none. Unnamed axes. */
ILEX_API ilex_array *ilex_tile(ilex_array *x, const char *by);

/* x with the elements that `where`, a subscripted read of it, names (a
 * slice, a map y(i) = x(p(i)), ...) replaced by those of `values`, which
 * broadcasts to the read and has x's dtype. Of several that meet one
 * element the last one in C order wins. In text update(x[p], v). */
ILEX_API ilex_array *ilex_update(ilex_array *x, ilex_array *where,
                                 ilex_array *values);

/* As update, but elements are added to, one after another in C order. In
 * text add_at(x[p], v). */
ILEX_API ilex_array *ilex_add_at(ilex_array *x, ilex_array *where,
                                 ilex_array *values);

/* As add_at, but elements are multiplied. */
ILEX_API ilex_array *ilex_prod_at(ilex_array *x, ilex_array *where,
                                  ilex_array *values);

/* As add_at, but the larger of an element and a value stays; NaN if either
 * is NaN. */
ILEX_API ilex_array *ilex_max_at(ilex_array *x, ilex_array *where,
                                 ilex_array *values);

/* As add_at, but the smaller of an element and a value stays; NaN if either
 * is NaN. */
ILEX_API ilex_array *ilex_min_at(ilex_array *x, ilex_array *where,
                                 ilex_array *values);

/* Each element `by` times along the axis, as NumPy's repeat; NULL for the
 * axis: of x as one axis in C order. Unnamed axes. */
ILEX_API ilex_array *ilex_repeat(ilex_array *x, const char *by,
                                 const char *axis);

/* y(..., i) = x at i along axis1 and i + offset along axis2 (from the first
 * i where both are inside), as NumPy's diagonal; NULL for the axes: 0 and
 * 1. Unnamed axes. */
ILEX_API ilex_array *ilex_diagonal(ilex_array *x, int64_t offset,
                                   const char *axis1, const char *axis2);

/* The sum of the diagonal. */
ILEX_API ilex_array *ilex_trace(ilex_array *x, int64_t offset,
                                const char *axis1, const char *axis2);

/* x(..., i, j) where j - i <= k, else 0. Unnamed axes. */
ILEX_API ilex_array *ilex_tril(ilex_array *x, int64_t k);

/* x(..., i, j) where j - i >= k, else 0. Unnamed axes. */
ILEX_API ilex_array *ilex_triu(ilex_array *x, int64_t k);

/* 1 where j - i = k, else 0, on the shape "n, m"; "n" is "n, n". */
ILEX_API ilex_array *ilex_eye(ilex_context *ctx, const char *shape, int64_t k,
                              ilex_dtype dtype);

/* start, start + step, ... up to before stop: "stop", "start, stop" or
 * "start, stop, step", affine in sizes, the step a number other than 0.
 * Along one unnamed axis. */
ILEX_API ilex_array *ilex_range(ilex_context *ctx, const char *bounds,
                                ilex_dtype dtype);

/* points[0] numbers from start to stop at equal distances, as NumPy's
 * linspace; with endpoint 0 stop is not one of them. start and stop have
 * rank 0; the result has their dtype, f64 if that is no real or complex
 * floating one. */
ILEX_API ilex_array *ilex_linspace(ilex_context *ctx, const char *points,
                                   ilex_array *start, ilex_array *stop,
                                   int64_t endpoint);

/* y(k, i0, i1, ...) = ik on the shape: one array of indices for each axis,
 * along a new first axis; shape NULL: no axes. */
ILEX_API ilex_array *ilex_indices(ilex_context *ctx, const char *shape,
                                  ilex_dtype dtype);

/* The value, of rank 0, everywhere on the shape "n, 3", as dtype; shape
 * NULL: no axes. */
ILEX_API ilex_array *ilex_filled(ilex_context *ctx, const char *shape,
                                 ilex_array *value, ilex_dtype dtype);

/* 0 everywhere on the shape "n, 3"; shape NULL: no axes. */
ILEX_API ilex_array *ilex_zeros(ilex_context *ctx, const char *shape,
                                ilex_dtype dtype);

/* 1 everywhere on the shape "n, 3"; shape NULL: no axes. */
ILEX_API ilex_array *ilex_ones(ilex_context *ctx, const char *shape,
                               ilex_dtype dtype);

/* The value, of rank 0, on the domain of x, as dtype. */
ILEX_API ilex_array *ilex_full_like(ilex_array *x, ilex_array *value,
                                    ilex_dtype dtype);

/* 0 on the domain of x, as dtype. */
ILEX_API ilex_array *ilex_zeros_like(ilex_array *x, ilex_dtype dtype);

/* 1 on the domain of x, as dtype. */
ILEX_API ilex_array *ilex_ones_like(ilex_array *x, ilex_dtype dtype);

/* x without the axes, which are known to have length 1; NULL: without all
 * that are. */
ILEX_API ilex_array *ilex_squeeze(ilex_array *x, const char *axes);

/* x with new axes of length 1 at these places of the result: "0, -1"; axes
 * NULL: none. Unnamed axes. */
ILEX_API ilex_array *ilex_expand_dims(ilex_array *x, const char *axes);

/* x on a shape with more axes in front, and axes of length 1 as long as
 * wanted. Unnamed axes. */
ILEX_API ilex_array *ilex_broadcast_to(ilex_array *x, const char *shape);

/* x with the axes `from` at the places `to` of the result, the others in
 * their order: (x, "0", "-1"). */
ILEX_API ilex_array *ilex_moveaxis(ilex_array *x, const char *from,
                                   const char *to);

/* y's axis k is x's axis axes[k]; axes NULL: in reverse. As permute. */
ILEX_API ilex_array *ilex_transpose(ilex_array *x, const int *axes);

/* x's elements on another shape, in C order ("C" or NULL) or Fortran order
 * ("F"); one length may be -1: what is left. As ilex_reshape. Unnamed axes. */
ILEX_API ilex_array *ilex_reshape_to(ilex_array *x, const char *shape,
                                     const char *order);

/* x at the indices along an axis, as NumPy's take: x[:, index, :]. Without
 * an axis x counts as flat. Negative indices count from the end; a run
 * fails where one is outside. */
ILEX_API ilex_array *ilex_take(ilex_array *x, ilex_array *index,
                               const char *axis);

/* y(i, j, k) = x(i, index(i, j, k), k) for axis 1: the index has x's axes
 * and is as long but for this one; axis NULL: 0. Negative indices count
 * from the end; a run fails where one is outside. */
ILEX_API ilex_array *ilex_take_along_axis(ilex_array *x, ilex_array *index,
                                          const char *axis);

/* The k largest elements of each row along an axis, the largest first: x at
 * arg_top_k(x). */
ILEX_API ilex_array *ilex_top_k(ilex_array *x, const char *k, const char *axis);

/* The element in the middle of each row that is in order along an axis, or
 * half the sum of the two that are there; NaN if there is one. NULL for the
 * axis: of x as one axis in C order. Integers are f64. The axis is known
 * not to be empty. */
ILEX_API ilex_array *ilex_median(ilex_array *x, const char *axis);

/* What a part q of each row along an axis is below, as NumPy's quantile by
 * its default method: element q*(n - 1) of the row in order, between two of
 * them on the line. The axes of q come first. NULL for the axis: of x as
 * one axis in C order. As median; a run fails where q is not in [0, 1], as
 * for an index that no element has. */
ILEX_API ilex_array *ilex_quantile(ilex_array *x, ilex_array *q,
                                   const char *axis);

/* quantile of q/100. */
ILEX_API ilex_array *ilex_percentile(ilex_array *x, ilex_array *q,
                                     const char *axis);

/* Is each element of x equal to one of the values? No NaN is. */
ILEX_API ilex_array *ilex_isin(ilex_array *x, ilex_array *values);

/* In which of the bins between edges that ascend each element is, i64: 0
 * below the first, i where bins(i - 1) <= x < bins(i), the number of edges
 * above the last; with `right` 1 where bins(i - 1) < x <= bins(i). */
ILEX_API ilex_array *ilex_digitize(ilex_array *x, ilex_array *bins,
                                   int64_t right);

/* The elements of x that are different, in order, as one axis of a counted
 * length. Each NaN is different from others. */
ILEX_API ilex_array *ilex_unique_values(ilex_array *x);

/* How often each of ilex_unique_values occurs in x, i64. */
ILEX_API ilex_array *ilex_unique_counts(ilex_array *x);

/* Where each of ilex_unique_values occurs first in x as one axis in C
 * order, i64. */
ILEX_API ilex_array *ilex_unique_indices(ilex_array *x);

/* Which of ilex_unique_values each element of x is, i64; of a NaN the first
 * one. */
ILEX_API ilex_array *ilex_unique_inverse(ilex_array *x);

/* NumPy's matmul: matrices of the last two axes multiplied, the axes before
 * them broadcast; an operand of one axis is a row on the left, a column on
 * the right, and the result lacks its axis. Unnamed axes; dtype and order
 * of sums as einsum; with `rounded` 1 products are rounded before they are
 * added. */
ILEX_API ilex_array *ilex_matmul(ilex_array *x, ilex_array *y, int64_t rounded);

/* NumPy's dot: the sum over the last axis of x and the last but one of y
 * (the last one of a vector); the result has the other axes of x, then
 * those of y. With a number the product. `rounded` as of matmul. */
ILEX_API ilex_array *ilex_dot(ilex_array *x, ilex_array *y, int64_t rounded);

/* The sum of conj(x)*y over all elements in C order, a number. `rounded` as
 * of matmul. */
ILEX_API ilex_array *ilex_vdot(ilex_array *x, ilex_array *y, int64_t rounded);

/* The sum over the last axes of both; the result has the other axes of x,
 * then those of y. With a number the product. `rounded` as of matmul. */
ILEX_API ilex_array *ilex_inner(ilex_array *x, ilex_array *y, int64_t rounded);

/* y(i, j) = x(i) * y(j) of both as one axis in C order. */
ILEX_API ilex_array *ilex_outer(ilex_array *x, ilex_array *y);

/* The sum over pairs of axes: "2", the last two of x with the first two of
 * y (also NULL); "1, 0", axis 1 of x with axis 0 of y; "[0, 1], [1, 0]",
 * x's axes and with which of y's. The result has the other axes of x, then
 * those of y. `rounded` as of matmul. */
ILEX_API ilex_array *ilex_tensordot(ilex_array *x, ilex_array *y,
                                    const char *axes, int64_t rounded);

/* The sum of conj(x)*y over one axis of each, "-1" or NULL the last one;
 * the others broadcast. `rounded` as of matmul. */
ILEX_API ilex_array *ilex_vecdot(ilex_array *x, ilex_array *y, const char *axis,
                                 int64_t rounded);

/* y(s, ...) = the sum of the x(i, ...) with ids(i) = s, added in C order,
 * in x's dtype: add_at of zeros. ids, integers of 0 to before `segments`,
 * else the run fails, has the first axes of x. Unnamed axes. */
ILEX_API ilex_array *ilex_segment_sum(ilex_array *x, ilex_array *ids,
                                      const char *segments);

/* segment_sum with the largest; NaN if there is one. Of no element: the
 * least number of the dtype, -inf. */
ILEX_API ilex_array *ilex_segment_max(ilex_array *x, ilex_array *ids,
                                      const char *segments);

/* segment_sum with the smallest; NaN if there is one. Of no element: the
 * largest number of the dtype, inf. */
ILEX_API ilex_array *ilex_segment_min(ilex_array *x, ilex_array *ids,
                                      const char *segments);

/* y(j) = how many elements of x, integers, are j, i64, for each j before
 * `length`; a run fails where one is not in this range. With weights, on
 * the axes of x or of rank 0, their sums in C order, of their dtype, f64 if
 * that is no floating one. */
ILEX_API ilex_array *ilex_bincount(ilex_array *x, const char *length,
                                   ilex_array *weights);

/* How many elements of x lie in each of the bins, which are equally long
 * from start to stop: from its lower edge to before the upper one, in the
 * last one to stop; others, and NaN, do not count. i64; with weights as of
 * bincount. Edges are those of linspace, in the dtype of x, f64 if that is
 * no floating one. */
ILEX_API ilex_array *ilex_histogram(ilex_array *x, const char *bins,
                                    ilex_array *start, ilex_array *stop,
                                    ilex_array *weights);

/* y with a*y = b, for square matrices in the last two axes of a, of 1 to 8
 * rows, a number: elimination with partial pivoting. b is a vector if it
 * has one axis, else matrices; the axes before them broadcast. Where a is
 * singular y is not finite. f64 for integers. Unnamed axes. */
ILEX_API ilex_array *ilex_solve(ilex_array *a, ilex_array *b);

/* The inverse of the matrices in the last two axes: solve of the identity. */
ILEX_API ilex_array *ilex_inv(ilex_array *a);

/* The determinants of the matrices in the last two axes, by the elimination
 * of solve. */
ILEX_API ilex_array *ilex_det(ilex_array *a);

/* The lower triangular y with y*conj(y)^T = a, of matrices as of solve; of
 * a only the lower triangle matters. NaN where a is not positive definite. */
ILEX_API ilex_array *ilex_cholesky(ilex_array *a);

/* y with a*y = b, of a only the upper triangle, with `lower` the lower one;
 * with `unit` its diagonal is 1. Matrices of any number of rows in the last
 * two axes of a, b as of solve: row by row, a loop of the program. Not
 * finite where a is singular. f64 for integers. Unnamed axes. */
ILEX_API ilex_array *ilex_triangular_solve(ilex_array *a, ilex_array *b,
                                           int64_t lower, int64_t unit);

/* ---- kinds that this version does not have ----
 *
 * With a context they report ILEX_E_UNSUPPORTED and return poison (an
 * operand's poison without a new error). What else they take comes with them.
 */

/* "call": an outlined function of arrays */
ILEX_API ilex_array *ilex_invoke(ilex_context *ctx, int count,
                                 ilex_array *const *operands);

#ifdef __cplusplus
}
#endif
#endif
