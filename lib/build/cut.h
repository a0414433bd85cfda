/* SPDX-License-Identifier: MIT
 *
 * A program with messages, cut into parts that each run between them: of what
 * needs the same messages.
 */
#ifndef ILEX_LIB_CUT_H
#define ILEX_LIB_CUT_H

#include "lib/build/module.h"

/* What of a program can be computed when messages have come, bits by number,
 * and other parts have been made. */
typedef struct ix_cut_part {
    ilex_module *module;
    uint64_t *needs;
    size_t nreads; /* how many of its inputs are read */
    bool inplace;  /* of outputs in the place of inputs alone */
    size_t *after, nafter;
} ix_cut_part;

/* Parts in an order in which they may be made once all has come. */
typedef struct ix_cut {
    ix_cut_part *part;
    size_t n;
    int *from; /* of each message the part that makes what it sends, or -1 */
} ix_cut;

/* The name of an array, with a number, that one part makes and others read. */
#define IX_CUT_KEPT "_ilex_kept"

/* Cuts a program; false after an error. The caller frees what there is, also
 * then. */
bool ix_module_cut(ilex_module *m, ix_cut *cut);
void ix_cut_free(const ilex_context *ctx, ix_cut *cut);

#endif
