/* SPDX-License-Identifier: MIT
 *
 * Counterexamples by trial: a few small sizes, and corners of the ranges of
 * indices. They save most questions whose answer is no, which a proof under
 * assumptions asks to find out what it needs, from isl.
 */
#ifndef ILEX_LIB_REFUTE_H
#define ILEX_LIB_REFUTE_H

#include "lib/graph/scalar.h"

/* Does lo <= x < hi fail for these sizes (one per parameter) at a corner of the
 * frame? "No" means nothing. */
bool ix_refutes_within(const ix_frame *frame, const ilex_array *x,
                       const ix_lin *lo, const ix_lin *hi, const int64_t *size);

/* The place of a reduction's index among those of the frame, which stand behind
 * the indices of its box; -1: it is not in the frame. */
int ix_reduced_place(const ix_frame *frame, int64_t r);

/* form >= 0, of which the question asks with a const ix_lin **. */
ix_question ix_form_question(ix_tri (*ask)(ilex_context *ctx, void *user),
                             const ix_lin **form);

/* Do sizes that satisfy "facts" refute the question? */
bool ix_is_refuted(ilex_context *ctx, const ix_question *q,
                   const ix_env *facts);

#endif
