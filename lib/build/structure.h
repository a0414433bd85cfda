/* SPDX-License-Identifier: MIT
 *
 * What constructors share that read one array at other indices: operands that
 * are scalars, names of axes, conditions on indices, values of a dtype.
 */
#ifndef ILEX_LIB_STRUCTURE_H
#define ILEX_LIB_STRUCTURE_H

#include "lib/build/build.h"

/* "x", a scalar as an array of rank 0; poison after an error. */
ilex_array *ix_structure_array(ilex_context *ctx, const char *what,
                               ilex_array *x);

/* The same for an array with an axis without bounds, which is an error. */
ilex_array *ix_structure_bounded(ilex_context *ctx, const char *what,
                                 ilex_array *x);

/* The same for an array whose axes have names, which is an error. */
ilex_array *ix_structure_unnamed(ilex_context *ctx, const char *what,
                                 ilex_array *x);

/* The lambda over "dom" that reads "x" at "index". */
ilex_array *ix_structure_read(const char *what, ilex_array *x,
                              const ix_domain *dom, ilex_array *const *index);

/* The domain of "rank" unnamed axes of these lengths, each known to be >= 0;
 * NULL after an error. */
const ix_domain *ix_structure_shape(ilex_context *ctx, const char *what,
                                    int rank, const ix_lin *const *length);

/* "x" as one unnamed axis, in C order. */
ilex_array *ix_structure_flat(ilex_array *x);

/* The position k of 0 ... n-1, negative from the end; -1 after an error. */
int ix_structure_axis(ilex_context *ctx, const char *what, int64_t k, int n);

/* Is "form", which "name" names, known to be >= 0? Reports when not. */
bool ix_structure_nonneg(ilex_context *ctx, const char *what, const char *name,
                         const ix_lin *form);

/* a op b, for index arithmetic; where(condition, a, b). */
ilex_array *ix_structure_compare(ilex_context *ctx, ix_op op, ilex_array *a,
                                 ilex_array *b);
ilex_array *ix_structure_where(ilex_context *ctx, ilex_array *condition,
                               ilex_array *a, ilex_array *b);

/* "op" on operands of "dtype", which is that of the result; of f16 and bf16
 * computed in f32 and rounded. */
ilex_array *ix_structure_op(ilex_context *ctx, ix_op op, ilex_dtype dtype,
                            ilex_array *const *ops);

/* A constant of "dtype". */
ilex_array *ix_structure_number(ilex_context *ctx, ilex_dtype dtype,
                                int64_t value);

/* A value of rank 0 as "dtype", which must be able to hold it; poison after an
 * error. */
ilex_array *ix_structure_value(ilex_context *ctx, const char *what,
                               ilex_dtype dtype, ilex_array *value);

#endif
