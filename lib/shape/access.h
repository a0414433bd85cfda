/* SPDX-License-Identifier: MIT
 *
 * Proofs about index expressions: own interval algebra first, isl after.
 */
#ifndef ILEX_LIB_ACCESS_H
#define ILEX_LIB_ACCESS_H

#include "lib/shape/affine.h"

/* Bounds of an index expression over a frame: every lo[i] is a lower bound,
 * every hi[i] an inclusive upper bound. There may be none. */
enum { IX_BOUND_CANDIDATES = 6 };
typedef struct ix_bounds {
    int nlo, nhi;
    const ix_lin *lo[IX_BOUND_CANDIDATES], *hi[IX_BOUND_CANDIDATES];
} ix_bounds;
void ix_index_bounds(ilex_context *ctx, const ix_frame *frame,
                     const ilex_array *x, ix_bounds *bounds);

/* Shows lo <= x < hi over the frame. IX_NO fills "sample". */
ix_tri ix_access_within(ilex_context *ctx, const ix_frame *frame,
                        const ilex_array *x, const ix_lin *lo, const ix_lin *hi,
                        ix_sample *sample);

/* Is an index condition the same everywhere, whatever the sizes are, as far as
 * that can be told from constants and sizes? IX_YES: it holds, IX_NO: never. */
ix_tri ix_condition_known(ilex_context *ctx, const ilex_array *n);

/* Checks every load of a lambda's body against the domains of its operands:
 * false after recording an error with a counterexample. Accesses that are not
 * affine are an error (`unsupported`) too. "name" is used in messages. */
bool ix_access_check_body(ilex_context *ctx, const char *name,
                          const ix_domain *box, const ilex_array *body,
                          ilex_array *const *operands);

/* "name: reads u at I=-1 when i=0; u covers I in [0, n) (for example n=1)",
 * and where "reader", whose read it is, is made (NULL: what is being made). */
void ix_access_report(ilex_context *ctx, const char *name,
                      const ilex_array *reader, const ilex_array *operand,
                      int axis, const ix_domain *box, const ix_sample *sample);

#endif
