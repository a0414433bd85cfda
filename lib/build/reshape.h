/* SPDX-License-Identifier: MIT
 *
 * Which element of its operand an element of a reshape or a roll is.
 */
#ifndef ILEX_LIB_RESHAPE_H
#define ILEX_LIB_RESHAPE_H

#include "lib/graph/node.h"

/* "to" with the one unnamed axis of length -1, if there is one, as long as the
 * elements of "from" want it; NULL after an error. */
const ix_domain *ix_reshape_infer(ilex_context *ctx, const ix_domain *to,
                                  const ix_domain *from);

/* Have both domains equally many elements, for all sizes? Fails if not. */
bool ix_reshape_counts(ilex_context *ctx, const ix_domain *to,
                       const ix_domain *from);

/* The operand's index at element [_0, _1, ...] of "to", of equal count, in C
 * or Fortran order. Fails where it is not affine. */
bool ix_reshape_index(ilex_context *ctx, const ix_domain *to,
                      const ix_domain *from, bool fortran, ilex_array **index);

/* The scalar x(i - by), round the ends of "axis"; operand slot 0 is x. Fails
 * where it is not known how often that goes round. */
ilex_array *ix_roll_body(const ilex_array *x, int axis, const ix_lin *by);

#endif
