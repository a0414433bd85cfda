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

/* Labels: small integers, one array for the result and one per operand. */
typedef struct ix_labels {
    int n;
    int label[ILEX_MAX_RANK];
} ix_labels;

/* The order in which the operands of an einsum are multiplied, in postfix: the
 * number of an operand, or IX_MULTIPLY for the product of the last two. No
 * steps: one product of them all. */
enum { IX_MULTIPLY = -1, IX_PATH_STEPS = 2 * ILEX_MAX_RANK - 1 };
typedef struct ix_einsum_path {
    int n;
    int step[IX_PATH_STEPS];
} ix_einsum_path;

/* "acc": dtype of products and sums, or NULL for the operands' promoted dtype.
 * Axes of the result take name and range from the operands. "path": NULL for
 * the best one; else each operand once, in order. */
ilex_array *ix_build_einsum(ilex_context *ctx, const ix_labels *result,
                            int count, const ix_labels *labels,
                            ilex_array *const *operands, const ilex_dtype *acc,
                            const ix_einsum_path *path);

ilex_array *ix_build_reshape(ilex_context *ctx, ilex_array *x,
                             const ix_domain *dom, bool fortran);

/* ---- kinds of form node ---- */

/* The value of an attribute: what its type in nodes.def says. */
typedef struct ix_given {
    bool present;
    int64_t number[ILEX_MAX_RANK];
    const ix_lin *form[ILEX_MAX_RANK]; /* NULL: not given */
} ix_given;

/* "given" has the attributes in the order of the row; operands are arrays,
 * none of them poison, as many as the row allows. */
#define BUILDER_own(function)
#define BUILDER_later(function)
#define BUILDER_node(function)                                                 \
    ilex_array *ix_build_##function(ilex_context *ctx,                         \
                                    ilex_array *const *operands, int count,    \
                                    const ix_given *given);
#define IX_NODE(NAME, function, text, class, operands, least, most, form, ...) \
    BUILDER_##form(function)
#include "lib/graph/nodes.def"

/* lib/build/kinds.c: calls ix_build_<kind> after the checks that all kinds
 * have in common; an error if this version does not have the kind. */
ilex_array *ix_build_kind(ilex_context *ctx, ix_kind kind,
                          ilex_array *const *operands, int count,
                          const ix_given *given);

/* The node that a constructor makes: the attributes as the row stores them,
 * each of which is present. */
ilex_array *ix_kind_node(ix_kind kind, const ix_domain *interior,
                         const ix_domain *valid, ilex_array *const *operands,
                         int count, const ix_given *given);

/* How many integers or bounds an attribute has for this first operand. */
int ix_attribute_count(ix_attribute_type type, const ilex_array *x);

/* The kind called "text" in programs; IX_NKINDS if there is none. */
ix_kind ix_kind_of_text(const char *text, size_t length);

/* The axis of "x" that "text" names: a name, or a number from either end; -1
 * with an error. */
int ix_axis_of(ilex_array *x, const char *operation, const char *text,
               size_t length);

/* True when "x" reads its operands point-wise with constant shifts only: what
 * text prints as `let`. */
bool ix_is_pointwise(const ilex_array *x);

#endif
