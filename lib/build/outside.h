/* SPDX-License-Identifier: MIT
 *
 * What is read outside of an array: a value, or an element of the array itself.
 */
#ifndef ILEX_LIB_OUTSIDE_H
#define ILEX_LIB_OUTSIDE_H

#include "lib/build/build.h"

typedef enum ix_outside {
    IX_OUTSIDE_VALUE,
    IX_OUTSIDE_WRAP,      /* round: the other end goes on */
    IX_OUTSIDE_EDGE,      /* the nearest element */
    IX_OUTSIDE_REFLECT,   /* mirrored at the last element */
    IX_OUTSIDE_SYMMETRIC, /* mirrored behind the last element */
    IX_OUTSIDE_MODES
} ix_outside;

/* "wrap", "edge", ...; "" for a value. */
extern const char *const ix_outside_names[IX_OUTSIDE_MODES];

/* The mode called "word"; false if there is none. */
bool ix_outside_find(const char *word, size_t length, ix_outside *mode);

/* The index of element "j", counted from the first and beyond the ends, on an
 * axis of constant length c > 0: back and forth, or round. */
ilex_array *ix_outside_folded(ilex_context *ctx, ix_outside mode, ilex_array *j,
                              int64_t c);

/* The index that stands for "at" below the first element of an axis, or behind
 * the last ("above"), folded at that end once. */
ilex_array *ix_outside_other(ilex_context *ctx, ix_outside mode,
                             const ix_axis *ax, ilex_array *at, bool above);

/* The element of "x" (slot "slot" of a lambda over "dom") at indices that may
 * be outside of its interior. Folded at one end once where the length is
 * symbolic: what is further out is found by the proof of the lambda's reads.
 * "value", of x's dtype, is for IX_OUTSIDE_VALUE. */
typedef struct ix_outside_read {
    const ilex_array *x;
    int slot;
    const ix_domain *dom;
    ix_outside mode;
    ilex_array *value;
} ix_outside_read;
ilex_array *ix_outside_load(ilex_context *ctx, const ix_outside_read *read,
                            ilex_array *const *index);

#endif
