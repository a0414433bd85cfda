/* SPDX-License-Identifier: MIT
 *
 * A temporary that is computed where it is read (inline.c, inline_read.c).
 */
#ifndef ILEX_COMPILER_INLINE_H
#define ILEX_COMPILER_INLINE_H

#include "compiler/loop/distances.h"

enum { IX_MOST_PIECES = 64 };

typedef struct ix_inlining {
    ix_unit *u;
    int buffer;
    int npieces; /* statements that store it, each in a kernel */
    const ix_access *piece[IX_MOST_PIECES];
    ix_kernel *by[IX_MOST_PIECES];
    const char *wrong; /* about how it is stored or read, or NULL */
    ix_kernel *last;   /* that reads it, or NULL */
    ix_stmt *becomes;  /* stores of what reads in a kernel become */

    /* while reads are replaced */
    ix_kernel *k;
    ix_accesses *a; /* of the list */
    const ix_stmt *stmt;
    bool too_large;      /* index sums */
    const char *unknown; /* no branch can find out whether it reads this piece;
                            NULL: all can */
    int among;
} ix_inlining;

/* The pieces of which a read, of "a", may be; returns how many. It is of the
 * first one if of none that is known, as what is read was stored. */
int ix_inline_pieces(const ix_inlining *x, ix_accesses *a,
                     const ix_access *read, int *piece);

/* The statement computes what it has read. */
void ix_inline_stmt(ix_inlining *x, ix_stmt *s);

#endif
