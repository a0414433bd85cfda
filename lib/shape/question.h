/* SPDX-License-Identifier: MIT
 *
 * A question to isl, and the sets that it is about: between lib/shape/affine.c
 * and lib/shape/affine_sets.c.
 */
#ifndef ILEX_LIB_QUESTION_H
#define ILEX_LIB_QUESTION_H

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/space.h>

#include "lib/shape/access.h"
#include "lib/shape/relevant.h"

/* Index arithmetic by a size: a dimension within bounds. */
enum { IX_MOST_OPAQUE = 16 };
typedef struct ix_opaque {
    const ilex_array *atom;
    ix_bounds bounds;
} ix_opaque;

/* A question: the space and where its dimensions start. */
typedef struct ix_affine_question {
    ilex_context *ctx;
    isl_ctx *isl;
    const ix_frame *frame;
    ix_relevant relevant;
    int nparam, nindex, nreduce, nopaque;
    ix_opaque opaque[IX_MOST_OPAQUE];
    isl_space *space;
    /* what is asked */
    const ilex_array *e;
    const ix_lin *lo, *hi;
    ix_sample *sample;
    /* the answer; isl gave none; it had no memory */
    ix_tri answer;
    bool failed, no_memory;
} ix_affine_question;

/* Place of "x" among what is opaque; -1 if it is not. */
int ix_affine_opaque(const ix_affine_question *q, const ilex_array *x);

/* Over the question's space: a number, a form, index arithmetic in normal form,
 * NULL when a part of that is unknown. */
isl_pw_aff *ix_affine_number(ix_affine_question *q, int64_t v);
isl_pw_aff *ix_affine_of_lin(ix_affine_question *q, const ix_lin *a);
isl_pw_aff *ix_affine_of_index(ix_affine_question *q, const ilex_array *x);

/* Sizes that satisfy the assumptions, all indices free. */
isl_set *ix_affine_assumed(ix_affine_question *q);
/* Every point of the frame's ranges. */
isl_set *ix_affine_points(ix_affine_question *q);
/* What the guards leave of "set". */
isl_set *ix_affine_guarded(ix_affine_question *q, isl_set *set);

#endif
