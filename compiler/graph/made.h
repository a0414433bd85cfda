/* SPDX-License-Identifier: MIT
 *
 * Outputs of the sections of a program for ranks.
 */
#ifndef ILEX_COMPILER_MADE_H
#define ILEX_COMPILER_MADE_H

#include "compiler/graph/sections.h"

enum { IX_MADE_NAME = 64 };

typedef enum ix_made_kind {
    IX_MADE_ARRAY,
    IX_MADE_ELEMENT,
    IX_MADE_ZEROS,
    IX_MADE_COUNT,
    IX_MADE_PLACES,
    IX_MADE_OUTPUT
} ix_made_kind;

/* An output of a section: the array at position "of" on a domain; of a stack
 * the element of a step, or zeros; how many steps a loop has; at which places
 * an array is read; one of the program's. */
typedef struct ix_made {
    ix_made_kind kind;
    int section;
    char name[IX_MADE_NAME];
    size_t of;
    const ix_domain *dom;
    int loop, number;
    const ix_listing *list;
    const ix_output *out;
} ix_made;

/* Calls "fn" for those of all sections, until it is false. */
typedef bool ix_made_fn(void *user, const ix_made *x);
bool ix_each_made(const ix_places *p, ix_made_fn *fn, void *user);

/* What the array at position "i" is called that is sent; the domain on which it
 * is: its axes have names, as those of a storage do. NULL after an error. */
void ix_made_name(const ix_places *p, size_t i, char *name);
const ix_domain *ix_made_domain(const ix_places *p, size_t i);

/* Places that are read are outputs by themselves, which need not be made again
 * while they are the same: behind each section there is one for these. It is
 * made in this turn. */
static inline int
ix_made_turn(const ix_made *x)
{
    return 2 * x->section + (x->kind == IX_MADE_PLACES);
}
/* Of each turn the number of its section, which those without outputs share
 * with the next one, behind the last one how many there are; NULL after an
 * error. */
int *ix_made_numbers(const ix_places *p);

#endif
