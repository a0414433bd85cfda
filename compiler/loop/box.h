/* SPDX-License-Identifier: MIT
 *
 * The box of elements that one iteration of a loop touches, whatever the loops
 * around it are at: from where on, of which constant lengths.
 */
#ifndef ILEX_COMPILER_BOX_H
#define ILEX_COMPILER_BOX_H

#include "compiler/loop/distances.h"

/* Bounds of an index, each of which holds. */
typedef struct ix_ends {
    int n;
    ilex_array *x[IX_MOST_BOUNDS];
} ix_ends;

/* Index from + z of it is there for z in [0, n), and where there are "lo" and
 * "hi" in [lo, hi) of each. */
typedef struct ix_box_axis {
    ilex_array *from;
    int64_t n;
    ix_ends lo, hi;
} ix_box_axis;

typedef struct ix_box {
    int rank;
    bool exact;  /* each access is made at all of its elements, and no others */
    bool always; /* unless it is empty, each access is made */
    ix_box_axis axis[ILEX_MAX_RANK];
} ix_box;

/* Bounds of accesses to one buffer, or scratch memory, that are made in the
 * cursor's loop: each index is at least each of "lo", at most each of "hi". */
void ix_box_bounds(const ix_accesses *a, const ix_cursor *c,
                   const ix_access *const *access, size_t n, ix_box *box);
/* Where an axis with such bounds begins and how long it is at most: the
 * shortest such pair; false: there is none of constant length. */
bool ix_box_measure(ix_unit *u, ix_box_axis *ax);
/* Is an index, or a difference, known to be at least 0? */
bool ix_index_is_positive(ix_unit *u, const ilex_array *x);

/* The box of such accesses; it is in that of the buffer. */
ix_refusal ix_box_of(const ix_accesses *a, const ix_cursor *c,
                     const ix_access *const *access, size_t n, ix_box *box);

/* ---- copy.c: memory for the elements of a box ---- */

typedef struct ix_copy {
    ix_box box;
    int axis[ILEX_MAX_RANK]; /* of the box, innermost last */
    bool workspace;
    bool odd;         /* rows have room for an odd number of elements */
    ix_stmt *scratch; /* on the stack; NULL: */
    int buffer;       /* a temporary of a part of a run */
} ix_copy;

/* The order of the axes: last, innermost, those along which the accesses move
 * with the loops that cursors are at, one each. */
ix_refusal ix_copy_order(ix_unit *u, ix_copy *copy,
                         const ix_access *const *access, size_t n,
                         const ix_cursor *c, int nloops);
/* Is it too large? And may it be there? */
ix_refusal ix_copy_fits(ix_unit *u, const ix_copy *copy, ilex_dtype dtype,
                        bool updates);
/* Makes the memory, one for an iteration of the loop; its statement, if it has
 * one, is to stand before all others there. */
void ix_copy_make(ix_unit *u, ix_kernel *k, const ix_stmt *loop, ix_copy *copy,
                  ilex_dtype dtype);
/* Where an element of the box is; has it a place, a sum? */
bool ix_copy_has(ix_unit *u, const ix_copy *copy, ilex_array *const *index);
ix_element ix_copy_element(ix_unit *u, const ix_copy *copy,
                           ilex_array *const *index);

/* ---- axes.c: scratch memory has one index, but seen from a loop axes ---- */

typedef struct ix_strides {
    int rank;
    int64_t by[ILEX_MAX_RANK]; /* of each axis, that of the last one is 1 */
} ix_strides;

/* The axes along which accesses run in a loop with "depth" others around it,
 * and the accesses with an index for each; false: there are too many. */
bool ix_strides_of(ix_unit *u, const ix_access **access, size_t n, int depth,
                   ix_strides *s);
/* An index along each axis; false: one is no sum. And the index again, or
 * NULL. */
bool ix_strides_split(ix_unit *u, const ix_strides *s, const ilex_array *x,
                      ilex_array **index);
ilex_array *ix_strides_sum(ix_unit *u, const ix_strides *s,
                           ilex_array *const *index);
/* Are different indices of the box different elements? */
bool ix_strides_apart(const ix_strides *s, const ix_box *box);

#endif
