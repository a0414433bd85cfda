/* SPDX-License-Identifier: MIT
 *
 * The ranges of a reduced index in which a guard lets anything in: a reduction
 * of where(k <= i, x[k], 0) needs no element behind i. A condition becomes
 * disjuncts, of which one holds wherever it does; a disjunct is bounds of the
 * index and a gate that does not speak of it.
 */
#ifndef ILEX_COMPILER_RANGES_H
#define ILEX_COMPILER_RANGES_H

#include "compiler/lower/reduce.h"

enum { IX_RANGE_DISJUNCTS = 6, IX_RANGE_BOUNDS = 6 };

/* Where the index is at least each of bound[0] and below each of bound[1], and
 * the gate holds; a gate that is NULL does. */
typedef struct ix_disjunct {
    ilex_array *gate;
    int n[2];
    ilex_array *bound[2][IX_RANGE_BOUNDS];
} ix_disjunct;

/* Disjuncts, which may overlap; none: the condition never holds. */
typedef struct ix_disjuncts {
    int n;
    ix_disjunct disjunct[IX_RANGE_DISJUNCTS];
    bool exact; /* it holds in all of them */
} ix_disjuncts;

/* The disjuncts outside of which the elements of axis "x" are those that a
 * reduction may leave out. False where there is nothing to gain. */
bool ix_disjuncts_of(const ix_reduce_axis *x, ix_disjuncts *disjuncts);

/* The body of the reduction where its guard is known to hold. */
ilex_array *ix_disjuncts_body(const ix_reduce_axis *x);

/* Of an axis: ranges as values, in no order; "lo" to "hi" holds all of them. */
struct ix_ranges {
    int n;
    ilex_array *range[2][IX_RANGE_DISJUNCTS];
    ilex_array *lo, *hi;
    ilex_array *first; /* what accumulators start with */
    bool zeros;        /* +0.0 counts where something is left out */
};

#endif
