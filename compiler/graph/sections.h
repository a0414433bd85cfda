/* SPDX-License-Identifier: MIT
 *
 * Programs for ranks: axes that a grid divides.
 */
#ifndef ILEX_COMPILER_SECTIONS_H
#define ILEX_COMPILER_SECTIONS_H

#include "compiler/unit.h"

/* The axes of a grid, by their names. */
typedef struct ix_divided_axes {
    int n;
    const char *name[ILEX_MAX_RANK];
    size_t length[ILEX_MAX_RANK];
} ix_divided_axes;

/* Which of them axis "k" of an array lies on, itself or as I+1/2; -1: none. */
int ix_divided_axis(const ix_divided_axes *d, const ilex_array *x, int k);

/* What an index is that is moved by a number, else itself. */
static inline const ilex_array *
ix_index_moved(const ilex_array *index)
{
    bool moved =
        index->kind == IX_LINEAR && index->nops == 1 && index->attr[1] == 1;
    return moved ? index->ops[0] : index;
}

/* The names of a text "I,J". */
void ix_divided_axes_read(const char *text, ix_divided_axes *d);

/* summands.c: reductions along divided axes read arrays of what they add up,
 * without the axes behind the divided ones; false after an error. */
bool ix_unit_summands(ix_unit *u, const ix_divided_axes *d);

#endif
