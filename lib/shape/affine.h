/* SPDX-License-Identifier: MIT
 *
 * What isl decides for us: the door to lib/shape/affine.c, which alone asks
 * isl, about the sets of lib/shape/affine_sets.c. Box domains with constant or
 * single-parameter bounds are decided in lin.c and never come here.
 */
#ifndef ILEX_LIB_AFFINE_H
#define ILEX_LIB_AFFINE_H

#include "lib/graph/env.h"
#include "lib/graph/scalar.h"

/* Is a >= 0 for all sizes under ctx->facts, as everywhere here? */
ix_tri ix_affine_nonneg(ilex_context *ctx, const ix_lin *a);

enum { IX_SAMPLE_INDICES = 32, IX_SAMPLE_SIZES = 16 };

typedef struct ix_sample_size {
    int32_t param;
    int64_t value;
} ix_sample_size;

/* A point that shows a violation. */
typedef struct ix_sample {
    int64_t at;                       /* the value of the index expression */
    int64_t index[IX_SAMPLE_INDICES]; /* _k, then reduction indices */
    ix_sample_size size[IX_SAMPLE_SIZES]; /* those that matter */
    int nindex, nsizes;
} ix_sample;

/* Is there anything by sizes in the index or its bounds, of which isl is told a
 * part only? */
bool ix_affine_is_opaque(ilex_context *ctx, const ilex_array *e,
                         const ix_lin *lo, const ix_lin *hi);

/* Does lo <= e < hi hold in the whole frame? IX_NO fills "sample", which
 * may be NULL. IX_UNKNOWN also where a point that shows the opposite is none of
 * products of sizes. */
ix_tri ix_affine_within(ilex_context *ctx, const ix_frame *frame,
                        const ilex_array *e, const ix_lin *lo, const ix_lin *hi,
                        ix_sample *sample);

/* isl_context.c: frees what asking isl has made. */
void ix_affine_end(ilex_context *ctx);

/* Do the facts leave any size, if those in "known" do? IX_NO: they contradict
 * each other. */
ix_tri ix_affine_facts_possible(ilex_context *ctx, const ix_env *known);

#endif
