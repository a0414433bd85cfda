/* SPDX-License-Identifier: MIT
 *
 * A temporary that is computed again at a loop (compute.c, compute_nests.c).
 */
#ifndef ILEX_COMPILER_COMPUTE_H
#define ILEX_COMPILER_COMPUTE_H

#include "compiler/loop/box.h"

typedef struct ix_computing {
    ix_unit *u;
    const ix_cursor *at; /* L */
    int buffer;          /* T */
    ix_kernel *by;       /* that writes it */
    bool others;         /* kernels read it, too */
    const ix_access **read;
    size_t n;
    ix_box box; /* of T, that an iteration reads: inclusive bounds, and from
                   where it counts, or NULL */
    int made;   /* the buffer that an iteration has */
    ilex_array *const *index; /* of the store of a nest that is moved */
    bool crowded;             /* a loop has too many bounds, or a sum terms */
} ix_computing;

/* The kernel that writes it, as it was before its loops were transformed. */
static inline const ix_kernel *
ix_compute_naive(const ix_computing *x)
{
    return &x->u->tree.kernel[x->by->number];
}

/* Where its index along an axis is in what an iteration has; NULL: the sum has
 * too many terms. */
ilex_array *ix_compute_index(const ix_computing *x, int d, ilex_array *index);
/* The statement, which is about it, with the indices "index". */
ix_stmt *ix_compute_element(ix_computing *x, ix_stmt *s,
                            ilex_array *const *index);

/* The nests as they stand in L; NULL: bounds or sums are too large. */
ix_stmt *ix_compute_nests(ix_computing *x);

#endif
