/* SPDX-License-Identifier: MIT
 *
 * What a storage on a grid is a part of, and how much of its halo is what the
 * other ranks have now: the widths that were exchanged, until the memory is
 * written. All ranks write it at the same places of their programs, so that
 * all know of all what is current, without a message.
 */
#ifndef ILEX_RUNTIME_DIVISION_H
#define ILEX_RUNTIME_DIVISION_H

#include "runtime/group/grid.h"
#include "runtime/storage/storage.h"

struct ix_division {
    ilex_grid *grid;
    int axis[ILEX_MAX_RANK];   /* of the grid; -1: it is whole */
    bool round[ILEX_MAX_RANK]; /* it is a whole turn of a periodic axis */
    bool bounded;              /* its halo outside of the whole is nobody's */
    ix_index_box whole;        /* without its halo */
    uint64_t writes;           /* of the memory, when "current" was so */
    uint64_t age;              /* of the group, then */
    ix_index_box current;
};

/* Points outside of the whole along axis "k", low (0) or high, which are those
 * of the ends. */
static inline int64_t
ix_division_outside(const ilex_storage *s, int k, int side)
{
    const struct ix_division *d = s->division;
    return d->round[k] || d->bounded ? 0 : s->halo[k][side];
}

/* Was it neither written since it was exchanged, nor may others have failed to
 * do that? */
bool ix_division_is_same(const ilex_storage *s);

/* How far the halo of axis "k" is current, low and high. */
void ix_division_current(const ilex_storage *s, int k, int64_t width[2]);

/* The halo is current so far now: "width" per axis of the storage. */
void ix_division_exchanged(ilex_storage *s, const ix_index_box *width);

/* The indices of axis "k" that are a part's: those inside, and at the ends of
 * the whole its halo, unless that is another part's. */
void ix_division_owned(const ilex_storage *s, int k, int place, int64_t *lo,
                       int64_t *hi);

/* The part of "s" that a box of indices is, as a view without counts; the box
 * is inside of what "s" covers. */
void ix_division_view(const ilex_storage *s, const ix_index_box *box,
                      ilex_storage *view);
/* The same elements one after the other, in the order of C, at "data". */
void ix_division_pack(const ilex_storage *view, char *data,
                      ilex_storage *packed);

#endif
