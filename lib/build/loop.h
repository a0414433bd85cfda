/* SPDX-License-Identifier: MIT
 *
 * Loops: whole arrays that are carried from step to step.
 */
#ifndef ILEX_LIB_LOOP_H
#define ILEX_LIB_LOOP_H

#include "lib/build/tuple.h"
#include "lib/graph/repeats.h"

/* What stands for a carried array, as the step before left it, in the loop's
 * body; "name" (a symbol, 0: none) is used in messages. */
ilex_array *ix_build_carried(ilex_context *ctx, int32_t name, ilex_dtype dtype,
                             const ix_domain *dom);

/* What steps are called of loops that the library makes, in text as well, where
 * no other is called so. */
#define IX_STEP_NAME "_ilex_step"

/* The size that is the step of a loop over a range that begins at 0, called as
 * its axis; -1 after an error. */
int32_t ix_build_step(ilex_context *ctx, const ix_domain *steps);
/* The one that an index i(t) = t + c, c constant in the loop, counts; -1:
 * none. */
int32_t ix_step_of(const ilex_array *index);

/* The next of a carried number of steps. */
ilex_array *ix_build_count(ilex_array *carried);

/* "x" as the condition after which there is no further step; as what a step
 * adds to a stack. */
ilex_array *ix_build_until(ilex_context *ctx, ilex_array *x);
ilex_array *ix_build_stacking(ilex_context *ctx, int32_t step, int64_t every,
                              ilex_array *x);

/* "x" as the next value of a carried array. */
ilex_array *ix_build_next(ilex_array *carried, ilex_array *x);

typedef struct ix_loop_spec {
    int32_t step;
    int ncarries, nstacks;
    ilex_array *const *carried, *const *first, *const *next, *const *stack;
    const int64_t *every; /* of each stack, or NULL: all steps */
    ilex_array *until;    /* or NULL */
} ix_loop_spec;

/* The tuple of results: what is carried, after the last step; the stacks. */
ilex_array *ix_build_loop(ilex_context *ctx, const ix_loop_spec *spec);

/* Result "k" of a loop, a stack, whose first step has index "lo"; with "made",
 * how many steps there were, without the elements of those that were not. */
ilex_array *ix_build_stacked(ilex_array *loop, int k, const ix_lin *lo,
                             ilex_array *made);

/* The steps from "lo" on, at most up to "most", before the value "count", i64
 * of rank 0, of a run, called by a symbol: as a range that begins at 0. NULL
 * after an error. */
const ix_domain *ix_build_steps_to(ilex_context *ctx, int32_t name,
                                   const ix_lin *lo, ilex_array *count,
                                   const ix_lin *most);

#endif
