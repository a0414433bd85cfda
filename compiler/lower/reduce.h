/* SPDX-License-Identifier: MIT
 *
 * What the passes on reductions share. A reduction is a nest of one-axis
 * reductions, the last axis innermost; along one axis it is unrolled, one chunk
 * or many, a chunk a plain loop or lanes. A chain (a contraction) has chunks
 * along its first axis; its accumulator goes through the loops of the others.
 */
#ifndef ILEX_COMPILER_REDUCE_H
#define ILEX_COMPILER_REDUCE_H

#include "compiler/tree/tree.h"

/* Where an axis has elements that count; ranges.h */
typedef struct ix_ranges ix_ranges;

/* One axis of a reduction. */
typedef struct ix_reduce_axis {
    ix_builder *b;
    ilex_array *n;
    int k;        /* axis */
    int variable; /* of the first loop over it, or -1 */
    ix_op op;     /* combines */
    ilex_dtype acc;
    bool first_wins; /* no identity: the first element starts */
    bool empty;      /* what is one chunk may have no elements at all */
    ilex_array *lo, *hi;
    int64_t extent; /* -1: symbolic */
    int lanes;
    ilex_array **index; /* of the axes around, for _r<first> and on */
    ilex_array *body;
    const ix_ranges *ranges; /* NULL: from lo to hi */
} ix_reduce_axis;

/* reduce.c: makes the statements of a kernel from its nests */
bool ix_reduce_kernel(ix_unit *u, ix_kernel *k);
/* Updates of a kernel that keep extremes become branches; false after an
 * error. */
bool ix_reduce_extremum(ix_unit *u, ix_kernel *k);

/* axes "k" and on of reduction "n", with "index" for those before */
ilex_array *ix_reduce_axes(ix_builder *b, ilex_array *n, int k,
                           ilex_array **index);

/* The expression with its guards and reductions as statements before it. */
ilex_array *ix_reduce_expand(ix_builder *b, ilex_array *x);

/* The element at "index" of the axis. */
ilex_array *ix_reduce_element(ix_reduce_axis *x, ilex_array *index);

/* An accumulator, a cell, with a first value. */
ix_stmt *ix_reduce_accumulator(ix_reduce_axis *x, char prefix,
                               ilex_array *first);
ilex_array *ix_reduce_identity(const ix_reduce_axis *x);
/* What an accumulator of the axis starts with: the identity; where a chain, or
 * the only chunk, turns out to have no elements, the value over nothing. */
ilex_array *ix_reduce_first(const ix_reduce_axis *x);

/* into = op(into, the element at "index"), of a chain all elements there;
 * "first" is the index of the first element that "into" takes. */
void ix_reduce_accumulate(ix_reduce_axis *x, ix_stmt *into, ilex_array *index,
                          ilex_array *first);

/* into = op(into, value) */
void ix_reduce_update(ix_reduce_axis *x, ix_stmt *into, ilex_array *value);

/* lanes.c: the elements [lo, hi), at most a chunk, into an accumulator */
void ix_reduce_chunk(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi,
                     ix_stmt *into);

/* bounded.c: an axis whose guard lets only ranges of it in. Sets x->ranges; or
 * "never": nothing is let in. False if all of the axis may be. */
bool ix_reduce_bound(ix_reduce_axis *x, bool *never);
/* The elements of [lo, hi) that are in the ranges, into an accumulator. */
void ix_reduce_bounded(ix_reduce_axis *x, ilex_array *lo, ilex_array *hi,
                       ix_stmt *into);
/* A loop over a new variable of the axis; and without what is outside [lo, hi),
 * where the range of all elements that are let in begins and ends. */
ix_stmt *ix_reduce_loop(ix_reduce_axis *x, ix_variable_role role,
                        ilex_array *lo, ilex_array *hi);
ix_stmt *ix_reduce_narrow(ix_reduce_axis *x, const ix_stmt *loop,
                          ilex_array *lo, ilex_array *hi);

/* chunks.c: the whole axis; the accumulator that holds the result */
ix_stmt *ix_reduce_chunks(ix_reduce_axis *x, ilex_array *empty);

/* outside.c: the depth of the block in which a reduction is computed */
int ix_reduce_depth(ix_builder *b, const ilex_array *n);

/* position.c: argmax and argmin */
ilex_array *ix_reduce_position(ix_builder *b, ilex_array *n);

#endif
