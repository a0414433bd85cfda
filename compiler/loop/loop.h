/* SPDX-License-Identifier: MIT
 *
 * Loop transformations, rows of loops.def: each is a function on the statements
 * of a kernel at a loop, with a precondition. Where that does not hold it is
 * refused, and the statements are as before. None changes the order in which an
 * element or a cell is updated, so none changes a bit of a result.
 */
#ifndef ILEX_COMPILER_LOOP_H
#define ILEX_COMPILER_LOOP_H

#include "compiler/tree/tree.h"
#include "lib/base/text.h"

#include <stdarg.h>

typedef enum ix_refusal_class {
    IX_REFUSAL_NONE,
#define IX_REFUSAL(CLASS, text) IX_REFUSAL_##CLASS,
#include "compiler/loop/loops.def"
} ix_refusal_class;

/* Why a transformation was not done; NONE: it was. */
typedef struct ix_refusal {
    ix_refusal_class class;
    const char *why; /* a sentence, of the unit's arena */
} ix_refusal;

/* A loop of a kernel: where its statement hangs, and the loops and branches
 * around it, outermost first. */
enum { IX_DEEP = 64 };
typedef struct ix_cursor {
    ix_kernel *k;
    ix_stmt **at;
    int depth;
    ix_stmt *around[IX_DEEP];
} ix_cursor;

static inline ix_stmt *
ix_cursor_loop(const ix_cursor *c)
{
    return *c->at;
}

/* How the rest of a loop is done whose length is no multiple of the split's. */
typedef enum ix_rest { IX_REST_MIN, IX_REST_PEEL } ix_rest;

/* Loop L becomes L.o, by "by", and L.i over [0, by), at which the cursor is
 * then: index L is L.o + L.i. */
ix_refusal ix_loop_split(ix_unit *u, ix_cursor *c, int64_t by, ix_rest rest);

/* The points of a loop move inward. */
ix_refusal ix_loop_jam(ix_unit *u, ix_cursor *c);

/* A refusal with a sentence. */
ix_refusal ix_refuse(ix_unit *u, ix_refusal_class class, const char *format,
                     ...) IX_PRINTF(3, 4);

#endif
