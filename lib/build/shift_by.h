/* SPDX-License-Identifier: MIT
 *
 * Shifts by integers that are data.
 */
#ifndef ILEX_LIB_SHIFT_BY_H
#define ILEX_LIB_SHIFT_BY_H

#include "lib/build/outside.h"

/* By how much along each axis (NULL: not at all), of rank 0; what is read
 * outside of the interior, if "outside", else runs check that nothing is read
 * outside of where x is known, unless "trusted". */
typedef struct ix_shift_by {
    ilex_array *by[ILEX_MAX_RANK];
    bool trusted, outside;
    ix_outside mode;
    ilex_array *value; /* of rank 0, for IX_OUTSIDE_VALUE */
} ix_shift_by;

/* y(i) = x(i + by) along named axes. */
ilex_array *ix_build_shift_by(ilex_context *ctx, ilex_array *x,
                              const ix_shift_by *s);

/* Of an index of such a read: the load of "by", and the index that it is added
 * to; NULL for any other index. */
const ilex_array *ix_shift_by_of(const ilex_array *index, int *k);

#endif
