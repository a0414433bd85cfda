/* SPDX-License-Identifier: MIT
 *
 * Programs for ranks: axes that a grid divides, and in which sections arrays
 * are computed.
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

/* lists.c: operand "slot" of the lambda at position "reader", which is the
 * array at position "of", is read along "axis" at indices that are data; the
 * bodies and domains of arrays of these, whose operands are the reader's. */
enum { IX_LISTED_LOADS = 4 };
typedef struct ix_listing {
    size_t reader, of;
    int slot, axis, n;
    int known; /* the first section in which its places can be known */
    ilex_array *body[IX_LISTED_LOADS];
    const ix_domain *dom[IX_LISTED_LOADS];
} ix_listing;

/* places.c: of the arrays of a unit, by position, which are needed. */
typedef struct ix_places {
    ix_unit *u;
    ix_divided_axes axes;
    uint32_t
        *divided; /* along which axes it is known near a part alone: bits */
    int *section; /* the first in which it can be computed; of what a loop
                     carries the last one before its steps */
    bool *sent;
    bool *strict;     /* a rank can compute its own part alone */
    bool *moved;      /* it is read elsewhere than at a point of a part */
    bool *whole;      /* its own domain is asked for */
    int *begin, *end; /* of each loop the sections that are its steps */
    int last;         /* the last section */
    ix_listing *listing;
    size_t nlistings, listing_capacity;
} ix_places;
/* Finds them; "u" and "axes" are set. False after an error. */
bool ix_unit_places(ix_places *p);

/* The loop that carries an array, or whose result it is, and which one; -1:
 * none. */
int ix_places_loop(const ix_places *p, const ilex_array *n, int *k);
/* The first section in which the array at position "i" can be read; one of loop
 * "loop", if that is not -1. */
int ix_places_within(const ix_places *p, size_t i, int loop);

/* Is "index" that of an axis of "n" which lies on divided axis "axis", moved by
 * a number, and are points along it computed in any order? */
bool ix_places_near(const ix_places *p, const ilex_array *n, int axis,
                    const ilex_array *index);

/* Adds what the lambda at position "i" reads so; false after an error. One that
 * is there, or NULL; finds "known" of one, false after an error. */
bool ix_places_list(ix_places *p, size_t i);
ix_listing *ix_places_listing(const ix_places *p, size_t reader, int slot);
bool ix_places_know(ix_places *p, ix_listing *l);
/* What reads so what a loop carries, which is "n" or gives "n", and which is
 * read at its place alone beside: it needs no copy; NULL: nothing. Is a listing
 * one of these? */
const ix_listing *ix_places_direct(const ix_places *p, const ilex_array *n);
bool ix_places_is_direct(const ix_places *p, const ix_listing *l);

/* summands.c: reductions along divided axes read arrays of what they add up,
 * without the axes behind the divided ones; false after an error. */
bool ix_unit_summands(ix_unit *u, const ix_divided_axes *d);

#endif
