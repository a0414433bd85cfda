/* SPDX-License-Identifier: MIT
 *
 * Square matrices in the last two axes, for each point of those in front.
 */
#ifndef ILEX_LIB_SQUARE_H
#define ILEX_LIB_SQUARE_H

#include "lib/build/structure.h"

typedef struct ix_square {
    ilex_context *ctx;
    const char *what;                    /* the function, for messages */
    int d;                               /* axes */
    const ix_lin *length[ILEX_MAX_RANK]; /* of those in front of the last two */
    const ix_lin *rows;
} ix_square;

/* Those of "a", which is floating on unnamed axes; false after an error. */
bool ix_square_open(ix_square *m, ilex_context *ctx, const char *what,
                    ilex_array *a);

/* An operand as a floating array on unnamed axes. */
ilex_array *ix_square_floating(ilex_context *ctx, const char *what,
                               ilex_array *x);

/* "b" as matrices of as many rows, of one column each where it has one axis. */
ilex_array *ix_square_right_side(const ix_square *m, ilex_array *b);

/* The axes in front become those that they have in common with "b"; false after
 * an error. */
bool ix_square_join(ix_square *m, const ilex_array *b);

/* The axes in front, then these lengths. */
const ix_domain *ix_square_shape(const ix_square *m, const ix_lin *rows,
                                 const ix_lin *columns);

/* "x", an array of matrices, for each point of the axes in front. */
ilex_array *ix_square_stretched(const ix_square *m, ilex_array *x);

#endif
