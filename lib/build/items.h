/* SPDX-License-Identifier: MIT
 *
 * Subscripts of whole arrays, item by item: NumPy's basic and advanced
 * indexing on unnamed axes, absolute selection on named ones.
 */
#ifndef ILEX_LIB_ITEMS_H
#define ILEX_LIB_ITEMS_H

#include "lib/build/build.h"

typedef enum ix_item_kind {
    IX_ITEM_AT,      /* one index; the axis goes */
    IX_ITEM_RANGE,   /* lo:hi:step */
    IX_ITEM_ARRAY,   /* indices that are data */
    IX_ITEM_NEW,     /* an axis of length 1 that x lacks */
    IX_ITEM_ELLIPSIS /* all axes that other items do not take */
} ix_item_kind;

/* One for each axis, as many that x lacks, and the ellipsis. */
enum { IX_MOST_ITEMS = 2 * ILEX_MAX_RANK + 1 };

typedef struct ix_item {
    ix_item_kind kind;
    int axis;              /* of named axes: which one */
    const ix_lin *lo, *hi; /* AT: lo; RANGE: NULL where there is none */
    int64_t step;          /* RANGE; 1 if there is none */
    ilex_array *array;     /* ARRAY: of integers, or a mask */
    bool trusted;          /* ARRAY: no index is checked */
    bool counted;          /* ARRAY: where a mask is true */
} ix_item;

/* x[items]: y(i) = x(start + step*i), axes in order. Negative numbers count
 * from the end, ranges are cut at the ends, as in NumPy; what symbolic sizes
 * leave undecided is an error that proposes an assumption. Arrays of indices
 * are broadcast; their axes stand where the first of them stands if they and
 * the single indices are neighbours, else in front. A run fails where one of
 * their indices is outside. A mask takes as many axes as it has and stands for
 * as many arrays: where it is true. */
ilex_array *ix_build_items(ilex_context *ctx, ilex_array *x, int n,
                           const ix_item *item);

/* The same as a read of x, without new axes, for one mask as well. Its proofs
 * are the caller's. */
ilex_array *ix_build_gather(ilex_context *ctx, ilex_array *x, int n,
                            const ix_item *item);

/* Is "read" what an update takes, a subscripted read of x? */
bool ix_is_place(ilex_array *x, const ilex_array *read);

/* x[I=lo, J=lo:hi]: absolute, never cut; an open side is the interior's. */
ilex_array *ix_build_select(ilex_context *ctx, ilex_array *x, int n,
                            const ix_item *item);

#endif
