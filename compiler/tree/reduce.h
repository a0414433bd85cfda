/* SPDX-License-Identifier: MIT
 *
 * What the passes on reductions share. A reduction is a nest of one-axis
 * reductions, the last axis innermost; along one axis it is unrolled, one chunk
 * or many, a chunk a plain loop or lanes. A chain (a contraction) has chunks
 * along its first axis; its accumulator goes through the loops of the others.
 *
 * In a strip, every accumulator is an array with an element for each point of a
 * strip of the innermost loop of the nest, and what touches accumulators runs
 * in a loop over the strip; see strip.c.
 */
#ifndef ILEX_COMPILER_REDUCE_H
#define ILEX_COMPILER_REDUCE_H

#include "compiler/tree/tree.h"

/* The strip for which a reduction is computed. */
typedef struct ix_strip {
    int axis;          /* variable of the loop that is cut */
    ilex_array *first; /* index of the strip's first point */
    ilex_array *width; /* number of its points */
    int64_t points;    /* at most so many */
} ix_strip;

/* One axis of a reduction. */
typedef struct ix_reduce_axis {
    ix_builder *b;
    ilex_array *n;
    int k;                 /* axis */
    const ix_strip *strip; /* NULL: one point */
    ix_op op;              /* combines */
    ilex_dtype acc;
    bool first_wins; /* no identity: the first element starts */
    ilex_array *lo, *hi;
    int64_t extent; /* -1: symbolic */
    int lanes;
    ilex_array **index; /* of the axes around, for _r<first> and on */
} ix_reduce_axis;

/* reduce.c: axes "k" and on of reduction "n", with "index" for those before: an
 * expression, or in a strip the array that holds a value for each point. */
ilex_array *ix_reduce_axes(ix_builder *b, ilex_array *n, int k,
                           ilex_array **index);
ix_stmt *ix_reduce_strip(ix_builder *b, ilex_array *n, int k,
                         ilex_array **index, const ix_strip *strip);

/* The expression with its guards and reductions as statements before it. */
ilex_array *ix_reduce_expand(ix_builder *b, ilex_array *x);

/* The element at "index" of the axis: an expression, outside strips. */
ilex_array *ix_reduce_element(ix_reduce_axis *x, ilex_array *index);

/* An accumulator: a cell, or in a strip an array, with a first value. */
ix_stmt *ix_reduce_accumulator(ix_reduce_axis *x, char prefix,
                               ilex_array *first);
ilex_array *ix_reduce_identity(const ix_reduce_axis *x);
/* What an accumulator of the axis starts with: the identity; for a chain that
 * turns out to have no elements, the value over nothing. */
ilex_array *ix_reduce_first(const ix_reduce_axis *x);

/* into = op(into, the element at "index"), of a chain all elements there;
 * "first" is the index of the first element that "into" takes. */
void ix_reduce_accumulate(ix_reduce_axis *x, ix_stmt *into, ilex_array *index,
                          ilex_array *first);

/* lanes.c: the elements [lo, hi), at most a chunk, into an accumulator */
void ix_reduce_chunk(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi,
                     ix_stmt *into);

/* chunks.c: the whole axis; the accumulator that holds the result */
ix_stmt *ix_reduce_chunks(ix_reduce_axis *x, ilex_array *empty);

/* position.c: argmax and argmin */
ilex_array *ix_reduce_position(ix_builder *b, ilex_array *n);

#endif
