/* SPDX-License-Identifier: MIT
 *
 * Which sizes a question is about: those it names, and those that assumptions
 * tie to them. A context may hold many others; they cannot change the answer
 * and would only make it slow.
 */
#ifndef ILEX_LIB_RELEVANT_H
#define ILEX_LIB_RELEVANT_H

#include "lib/graph/env.h"
#include "lib/graph/scalar.h"

typedef struct ix_relevant {
    ilex_context *ctx;
    int *at;   /* per parameter: its place among the relevant ones, or -1 */
    int count; /* relevant parameters, once closed */
} ix_relevant;

/* Has a reduction a range that index arithmetic computes, by operands 1 and 2?
 */
static inline bool
ix_has_affine_range(const ilex_array *n)
{
    return ix_is_ranged(n) && ix_index_is_affine(n->ops[1]) &&
           ix_index_is_affine(n->ops[2]);
}

/* No size yet; false when there is no memory. Freed by ix_relevant_free. */
bool ix_relevant_open(ix_relevant *r, ilex_context *ctx);
void ix_relevant_lin(ix_relevant *r, const ix_lin *a);
void ix_relevant_box(ix_relevant *r, const ix_domain *box);
/* The sizes in an index expression or condition. */
void ix_relevant_index(ix_relevant *r, const ilex_array *x);
/* What a frame names: its boxes, its guards. */
void ix_relevant_frame(ix_relevant *r, const ix_frame *frame);
/* Adds what the facts of the context tie to the sizes so far, and numbers them.
 */
void ix_relevant_close(ix_relevant *r);
/* Does the assumption speak of relevant sizes? */
bool ix_relevant_assumption(const ix_relevant *r, const ix_assumption *a);
void ix_relevant_free(ix_relevant *r);

#endif
