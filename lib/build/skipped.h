/* SPDX-License-Identifier: MIT
 *
 * Fields some of whose points have no value, because a connectivity skips the
 * neighbour: how operators and reductions take them apart.
 */
#ifndef ILEX_LIB_SKIPPED_H
#define ILEX_LIB_SKIPPED_H

#include "lib/build/build.h"

/* The masks of the operands of an operator: true where there is a neighbour. A
 * result has a value where all hold. */
typedef struct ix_skips {
    int n;
    ilex_array *mask[ILEX_MAX_RANK];
} ix_skips;

/* Puts values in the place of operands with skips, whose masks are added to
 * "*s" (which begins with n = 0); whether there are any. Operands may be NULL.
 */
bool ix_skips_take(ix_skips *s, int count, ilex_array **args);

/* "x", the values, with the masks; x itself without any. */
ilex_array *ix_skips_put(const ix_skips *s, ilex_array *x);

/* All masks and "mask" (NULL: none) as one, for a reduction of "x" over "axes":
 * the local axis of each has to be among them, else poison. */
ilex_array *ix_skips_mask(const ix_skips *s, const char *reduction,
                          const ilex_array *x, uint32_t axes, ilex_array *mask);

#endif
