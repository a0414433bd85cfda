/* SPDX-License-Identifier: MIT
 *
 * The ranges of a reduced index in which a guard lets anything in: a reduction
 * of where(k <= i, x[k], 0) needs no element behind i. A condition becomes
 * parts, of which one holds wherever it does; a part is bounds of the index
 * and a gate that does not speak of it.
 */
#ifndef ILEX_COMPILER_RANGES_H
#define ILEX_COMPILER_RANGES_H

#include "compiler/lower/reduce.h"

enum { IX_RANGE_PARTS = 6, IX_RANGE_BOUNDS = 6 };

/* Where the index is at least each of bound[0] and below each of bound[1], and
 * the gate holds; a gate that is NULL does. */
typedef struct ix_part {
    ilex_array *gate;
    int n[2];
    ilex_array *bound[2][IX_RANGE_BOUNDS];
} ix_part;

/* Parts, which may overlap; none: the condition never holds. */
typedef struct ix_parts {
    int n;
    ix_part part[IX_RANGE_PARTS];
    bool exact; /* it holds in all of them */
} ix_parts;

/* The parts outside of which the elements of axis "x" are those that a
 * reduction may leave out. False where there is nothing to gain. */
bool ix_parts_of(const ix_reduce_axis *x, ix_parts *parts);

/* The body of the reduction where its guard is known to hold. */
ilex_array *ix_parts_body(const ix_reduce_axis *x);

/* Of an axis: ranges as values, in no order; "lo" to "hi" holds all of them. */
struct ix_ranges {
    int n;
    ilex_array *part[2][IX_RANGE_PARTS];
    ilex_array *lo, *hi;
    ilex_array *first; /* what accumulators start with */
    bool zeros;        /* +0.0 counts where something is left out */
};

#endif
