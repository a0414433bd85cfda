/* SPDX-License-Identifier: MIT
 *
 * What the parts of the emission of reductions share.
 */
#ifndef ILEX_COMPILER_EMIT_REDUCE_H
#define ILEX_COMPILER_EMIT_REDUCE_H

#include "compiler/emit.h"

/* One axis of a reduction under emission. */
typedef struct ix_reduce_axis {
    ix_emitter *e;
    ilex_array *n;
    int k;            /* axis */
    ix_op op;         /* combines */
    ilex_dtype acc;
    int number;       /* of its variables */
    const char *type;
    bool complex;
    bool first_wins;  /* no identity: the first element starts */
    char lo[64], hi[64], r[16];
    int64_t extent;   /* -1: symbolic */
    int lanes;
} axis;

/* A line for the real and one for the imaginary part: '@' stands for "re" or
 * "im", '#' for the part's letter, both "" if not complex. */
void ix_reduce_put(axis *x, const char *fmt, const char *re, const char *im);

/* A name "<prefix><number><suffix>" in the innermost block. */
ix_name ix_reduce_name(axis *x, const char *prefix, const char *suffix);

/* Opens a loop block whose index is the axis's _r, closes it after "header". */
void ix_reduce_open(axis *x);
void ix_reduce_close(axis *x, const char *header);

/* Axis "k" of reduction "n": names, bounds, lanes. */
void ix_reduce_axis_of(axis *x, ix_emitter *e, ilex_array *n, int k);

/* emit_position.c: argmax and argmin */
ix_name ix_emit_position(ix_emitter *e, ilex_array *n);

#endif
