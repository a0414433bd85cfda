/* SPDX-License-Identifier: MIT
 *
 * Constructors of arrays with interned domains, under the public functions
 * (which take text) and the parser. All return poison on error.
 */
#ifndef ILEX_LIB_BUILD_H
#define ILEX_LIB_BUILD_H

#include "ilex/expr.h"
#include "lib/graph/scalar.h"

ilex_array *ix_build_input(ilex_context *ctx, const char *name, size_t length,
                           ilex_dtype dtype, const ix_domain *interior,
                           const int64_t *halo /* 2 per axis or NULL */);

/* Element-wise op with broadcasting, literals resolved, operands converted. */
ilex_array *ix_build_op(ilex_context *ctx, ix_op op, ilex_array *const *args);
ilex_array *ix_build_cast(ilex_context *ctx, ilex_dtype dtype, ilex_array *x);

/* y(i) = i along one named axis, everywhere. */
ilex_array *ix_build_index(ilex_context *ctx, int32_t axis);

/* y(i) = x(i + offset[k]) for each of x's axes. */
ilex_array *ix_build_shift(ilex_context *ctx, ilex_array *x,
                           const int64_t *offset);

/* x on "dom"; "what" names the result in messages ("v"). Axes that x lacks are
 * broadcast; x itself when nothing changes. */
ilex_array *ix_build_restrict(ilex_context *ctx, const char *what,
                              ilex_array *x, const ix_domain *dom);

/* Lambda over "dom": body reads operands by slots; every access is proved.
 * Its dtype is the body's. */
ilex_array *ix_build_lambda(ilex_context *ctx, const char *what,
                            const ix_domain *dom, ilex_array *body,
                            int noperands, ilex_array *const *operands);

/* The same over "interior", readable on "valid" around it, where accesses are
 * proved. The domains need not have a length >= 0 for all sizes: it is how text
 * says what an intersection of fields is. */
ilex_array *ix_build_wide_lambda(ilex_context *ctx, const char *what,
                                 const ix_domain *interior,
                                 const ix_domain *valid, ilex_array *body,
                                 int noperands, ilex_array *const *operands);

/* Reduction over the axes flagged in "mask" (bit k: axis k). */
ilex_array *ix_build_reduce(ilex_context *ctx, ix_reduction reduction,
                            ilex_array *x, uint32_t mask, bool keep);

/* Labels: small integers, one array for the result and one per operand.
 * "acc": dtype of the result, or NULL for the operands' promoted dtype. Axes
 * of the result take name and range from the operands. */
typedef struct ix_labels {
    int n;
    int label[ILEX_MAX_RANK];
} ix_labels;
ilex_array *ix_build_einsum(ilex_context *ctx, const ix_labels *result,
                            int count, const ix_labels *labels,
                            ilex_array *const *operands, const ilex_dtype *acc);

ilex_array *ix_build_reshape(ilex_context *ctx, ilex_array *x,
                             const ix_domain *dom, bool fortran);
ilex_array *ix_build_permute(ilex_context *ctx, ilex_array *x, const int *axes);
/* start and stop per axis (stop may be NULL: to the end for that step sign). */
ilex_array *ix_build_slice(ilex_context *ctx, ilex_array *x,
                           const ix_lin *const *start,
                           const ix_lin *const *stop, const int64_t *step);

/* True when "x" reads its operands point-wise with constant shifts only: what
 * text prints as `let`. */
bool ix_is_pointwise(const ilex_array *x);

#endif
