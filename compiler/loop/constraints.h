/* SPDX-License-Identifier: MIT
 *
 * Linear constraints on whole numbers, for questions about distances: small,
 * and asked often, so by elimination here and not by isl.
 */
#ifndef ILEX_COMPILER_CONSTRAINTS_H
#define ILEX_COMPILER_CONSTRAINTS_H

#include "lib/graph/context.h"

enum { IX_UNKNOWNS = 32, IX_CONSTRAINTS = 128 };

/* c + the sum of k[i] times unknown i is 0, or at least 0. */
typedef struct ix_constraint {
    int64_t c, k[IX_UNKNOWNS];
    bool equal;
    bool some; /* it is so in some solutions: where they are sought, not where
                  none is */
} ix_constraint;

typedef struct ix_constraints {
    int n, unknowns;
    bool loose; /* there was no room for one, or one was too large: more
                   satisfies them than should */
    bool dark;  /* see below */
    ix_constraint row[IX_CONSTRAINTS];
} ix_constraints;

void ix_constrain(ix_constraints *s, const ix_constraint *row);

/* IX_NO: there is shown to be no solution; IX_YES: that there is one. */
ix_tri ix_constraints_solvable(const ix_constraints *s);

#endif
