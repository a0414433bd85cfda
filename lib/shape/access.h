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
static inline void
ix_bounds_lo(ix_bounds *b, const ix_lin *a)
{
    if (a && b->nlo < IX_BOUND_CANDIDATES)
        b->lo[b->nlo++] = a;
}
static inline void
ix_bounds_hi(ix_bounds *b, const ix_lin *a)
{
    if (a && b->nhi < IX_BOUND_CANDIDATES)
        b->hi[b->nhi++] = a;
}
void ix_index_bounds(ilex_context *ctx, const ix_frame *frame,
                     const ilex_array *x, ix_bounds *bounds);

/* ---- guarded.c ---- */

/* Adds the bounds that the frame's guards give. */
void ix_guarded_bounds(ilex_context *ctx, const ix_frame *frame,
                       const ilex_array *x, ix_bounds *bounds);

/* ---- opaque.c ---- */

/* Adds the bounds of an atom by a size (ix_index_is_by_size). */
void ix_by_size_bounds(ilex_context *ctx, const ix_frame *frame,
                       const ilex_array *x, ix_bounds *bounds);

/* Where there is a point in the frame's ranges, their lengths are at least 1,
 * and so are the sizes that are factors of them: known of them from here to
 * ix_frame_leave. */
enum { IX_FRAME_SIZES = 16 };
typedef struct ix_frame_sizes {
    int n;
    int32_t param[IX_FRAME_SIZES];
} ix_frame_sizes;
void ix_frame_enter(ilex_context *ctx, const ix_frame *frame,
                    ix_frame_sizes *sizes);
void ix_frame_leave(ilex_context *ctx, const ix_frame_sizes *sizes);

/* (x - low)*(y - low) >= 0 for factor "i" of product "p" and its others, linear
 * in the product; false if that says no more than p >= 0. */
bool ix_product_fact(ilex_context *ctx, int32_t p, int i, const ix_lin **fact);

/* Does the sample show what it is asked for: are its products those of its
 * sizes, and is nothing in "e" opaque? */
bool ix_sample_is_real(const ilex_context *ctx, const ilex_array *e,
                       const ix_sample *s);

/* "body" with the reads at indices by sizes that cannot be shown to be inside
 * checked by every run. */
ilex_array *ix_access_relax(ilex_context *ctx, const ix_domain *box,
                            ilex_array *body, ilex_array *const *operands);

/* Shows lo <= x < hi over the frame. IX_NO fills "sample". */
ix_tri ix_access_within(ilex_context *ctx, const ix_frame *frame,
                        const ilex_array *x, const ix_lin *lo, const ix_lin *hi,
                        ix_sample *sample);
/* Is that shown? A no costs less: no counterexample is looked for. */
bool ix_access_is_within(ilex_context *ctx, const ix_frame *frame,
                         const ilex_array *x, const ix_lin *lo,
                         const ix_lin *hi);

/* Is an index condition the same everywhere, whatever the sizes are, as far as
 * that can be told from constants and sizes? IX_YES: it holds, IX_NO: never. */
ix_tri ix_condition_known(ilex_context *ctx, const ilex_array *n);

/* Checks every load of a lambda's body against the domains of its operands:
 * false after recording an error with a counterexample. Accesses that are not
 * affine are an error (`unsupported`) too. "name" is used in messages. */
bool ix_access_check_body(ilex_context *ctx, const char *name,
                          const ix_domain *box, const ilex_array *body,
                          ilex_array *const *operands);

/* ---- proven.c ---- */

/* While ctx->proven is a table, which begins empty, what ix_access_within shows
 * is kept there and shown once: a compilation asks most of it after every pass.
 * This ends that. */
void ix_proven_end(ilex_context *ctx);

/* Is it shown already that lo <= x < hi over the frame, under what is in force?
 * Then what that needs is part of the proof. */
bool ix_proven_find(ilex_context *ctx, const ix_frame *frame,
                    const ilex_array *x, const ix_lin *lo, const ix_lin *hi);
/* It is, by "need" of what is in force. */
void ix_proven_add(ilex_context *ctx, const ix_frame *frame,
                   const ilex_array *x, const ix_lin *lo, const ix_lin *hi,
                   const ix_env *need);

/* ---- access_report.c ---- */

/* What an array is called in messages. */
typedef struct ix_node_name {
    char s[80];
} ix_node_name;
ix_node_name ix_access_name(const ilex_array *n);

/* The arrays whose reads lead from one that is asked for to one that is read
 * too far, that which is to blame first. */
enum { IX_ACCESS_PATH = 8 };
typedef struct ix_access_path {
    const ilex_array *reader[IX_ACCESS_PATH];
    int n;
} ix_access_path;

/* "name: reads u at I=-1 when i=0; u covers I in [0, n) (for example n=1)",
 * and where the reads of "path" are made (NULL: in what is being made). */
void ix_access_report(ilex_context *ctx, const char *name,
                      const ix_access_path *path, const ilex_array *operand,
                      int axis, const ilex_array *index, const ix_domain *box,
                      const ix_sample *sample);

#endif
