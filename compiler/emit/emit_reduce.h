/* SPDX-License-Identifier: MIT
 *
 * What the parts of the emission of reductions share.
 */
#ifndef ILEX_COMPILER_EMIT_REDUCE_H
#define ILEX_COMPILER_EMIT_REDUCE_H

#include "compiler/emit/emit.h"

/* One axis of a reduction under emission. */
typedef struct ix_reduce_axis {
    ix_emitter *e;
    ilex_array *n;
    int k;    /* axis */
    ix_op op; /* combines */
    ilex_dtype acc;
    int number; /* of its variables */
    const char *type;
    bool complex;
    bool first_wins; /* no identity: the first element starts */
    char lo[64], hi[64], r[16];
    int64_t extent; /* -1: symbolic */
    int lanes;
} ix_reduce_axis;

/* A line for the real and one for the imaginary part: '@' stands for "re" or
 * "im", '#' for the part's letter, both "" if not complex. */
void ix_reduce_put(ix_reduce_axis *x, const char *fmt, const char *re,
                   const char *im);

/* A name "<prefix><number><suffix>" in the innermost block. */
ix_name ix_reduce_name(ix_reduce_axis *x, const char *prefix,
                       const char *suffix);

/* Opens a loop block whose index is the axis's _r, closes it after "header". */
void ix_reduce_open(ix_reduce_axis *x);
void ix_reduce_close(ix_reduce_axis *x, const char *header);

/* Axis "k" of reduction "n": names, bounds, lanes. */
void ix_reduce_axis_of(ix_reduce_axis *x, ix_emitter *e, ilex_array *n, int k);

/* The element at the axis's index, in the innermost block; in strip mode a
 * strip is left open. */
ix_name ix_reduce_element(ix_reduce_axis *x);

/* Text of the operation's identity. */
ix_name ix_reduce_identity(ix_reduce_axis *x);

/* Declare "<prefix><number>" with a first value; "a<number>", the identity;
 * "t<number>", the value over an empty range. */
ix_name ix_reduce_declare(ix_reduce_axis *x, const char *prefix,
                          const ix_name *first);
ix_name ix_reduce_declare_accumulator(ix_reduce_axis *x);
ix_name ix_reduce_declare_empty(ix_reduce_axis *x);

/* In strip mode every accumulator is an array with an element for each point
 * of a strip of the innermost loop; what touches them is wrapped in a loop
 * over the strip. Otherwise these do nothing. */
void ix_reduce_open_strip(ix_reduce_axis *x);
void ix_reduce_close_strip(ix_reduce_axis *x);
/* "[64]" of a declaration in strip mode. */
const char *ix_reduce_strip_size(const ix_reduce_axis *x);

/* emit_lanes.c: one chunk [lo, hi) into the accumulator */
void ix_reduce_chunk(ix_reduce_axis *x, const char *lo, const char *hi,
                     const ix_name *a);

/* emit_chunks.c: the whole axis; the result */
ix_name ix_reduce_chunks(ix_reduce_axis *x);

/* emit_position.c: argmax and argmin */
ix_name ix_emit_position(ix_emitter *e, ilex_array *n);

#endif
