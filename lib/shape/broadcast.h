/* SPDX-License-Identifier: MIT
 *
 * Broadcasting: the domain on which several arrays meet, by position from the
 * right for unnamed axes, by name on the intersection for named ones.
 */
#ifndef ILEX_LIB_BROADCAST_H
#define ILEX_LIB_BROADCAST_H

#include "lib/graph/scalar.h"

typedef struct ix_broadcast {
    const ix_domain *interior, *valid;
} ix_broadcast;

/* False after recording an error; "operation" is used in its message.
 * Operands of rank 0 put no condition. */
bool ix_broadcast_domains(ilex_context *ctx, const char *operation, int count,
                          ilex_array *const *operands, ix_broadcast *result);

/* The named axes that operands have together, in the order that results have:
 * that of the first operand with all of them, else I J K, then the others as
 * they come. How many; -1 for more than there may be. */
int ix_broadcast_order(ilex_context *ctx, int count,
                       ilex_array *const *operands, int32_t *names);

/* Indices at which an element of the result reads "x": index of the result,
 * or the first index of an axis of length 1 that is stretched. */
void ix_broadcast_indices(ilex_context *ctx, const ix_domain *result,
                          const ilex_array *x, ilex_array **index);

/* Intersection of two bounds or an ILEX_E_UNDECIDED naming both and proposing
 * the assumption; "upper" chooses min. */
const ix_lin *ix_meet_bounds(ilex_context *ctx, const char *operation,
                             int32_t axis, const ix_lin *a, const ix_lin *b,
                             bool upper);

/* Axis-wise intersection of domains with the same axes; an error if it is empty
 * for all sizes and neither of them is. */
const ix_domain *ix_domain_meet(ilex_context *ctx, const char *operation,
                                const ix_domain *a, const ix_domain *b);

/* Are the two an axis and its staggered partner, I and I+1/2? */
bool ix_axes_are_partners(const ilex_context *ctx, int32_t a, int32_t b);

/* Has "dom" an axis and its staggered partner? An error of "what", if so. */
bool ix_domain_has_partners(ilex_context *ctx, const char *what,
                            const ix_domain *dom);

/* Does "a" lie inside "b", as far as that can be shown? */
bool ix_axis_inside(ilex_context *ctx, const ix_axis *a, const ix_axis *b);

/* Are the two provably equal? */
bool ix_lin_same(ilex_context *ctx, const ix_lin *a, const ix_lin *b);

#endif
