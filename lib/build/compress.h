/* SPDX-License-Identifier: MIT
 *
 * Masks: the elements where one is true, how many there are, where they are.
 */
#ifndef ILEX_LIB_COMPRESS_H
#define ILEX_LIB_COMPRESS_H

#include "lib/build/build.h"

/* "x" as a bounded array of bool, true where it is not 0; poison after an
 * error. */
ilex_array *ix_build_mask(ilex_context *ctx, const char *what, ilex_array *x);

/* "x", whose axes have no names, as one axis in C order. */
ilex_array *ix_flattened(ilex_array *x);

/* Where the true elements of a mask of bool are, in C order: their indices
 * along each axis, arrays on one axis of the counted length, into "index".
 * False after an error. */
bool ix_mask_places(ilex_array *mask, ilex_array **index);

/* How many elements of each chunk of a mask (IX_CHUNK) are true; NULL where it
 * has not one axis or its chunks cannot be counted. */
ilex_array *ix_mask_chunk_counts(ilex_array *mask);

/* What a COMPRESS is made of: an update, at the numbers of true elements
 * before, of an array that is longer by one; its beginning. */
ilex_array *ix_compress_expanded(ilex_array *n);

/* The same of one axis as a COMPACT, whose chunks know where they begin; NULL
 * where chunks cannot be counted. */
ilex_array *ix_compress_chunked(ilex_array *n);

#endif
