/* SPDX-License-Identifier: MIT
 *
 * Grids inside of the runtime. A grid divides indices, not arrays: fields of
 * other lengths on one axis are cut at the same indices.
 */
#ifndef ILEX_RUNTIME_GRID_H
#define ILEX_RUNTIME_GRID_H

#include "runtime/group/group.h"

enum { IX_GRID_NAME = 72 }; /* bytes of the name of an axis */

/* A divided axis. Part p has cut[p] <= i < cut[p + 1]; the first and the last
 * one have what is before and behind as well. */
typedef struct ix_grid_axis {
    char name[IX_GRID_NAME];
    int ranks;
    int step;  /* from a rank to the one at the next place */
    int place; /* this rank's */
    bool periodic;
    int of; /* along which axis it is divided, whose ranks and place it has, as
               axes of chunks are; else -1 */
    int64_t *cut;
} ix_grid_axis;

/* A box of indices: [from, to) of each axis. Of widths: low, high. */
typedef struct ix_index_box {
    int64_t k[ILEX_MAX_RANK][2];
} ix_index_box;

/* How wide a halo is, under a key of 128 bits that says of what. */
typedef struct ix_grid_width {
    uint64_t key[2];
    ix_index_box width;
} ix_grid_width;

enum { IX_GRID_WIDTHS = 64 };

struct ilex_grid {
    atomic_size_t count;
    ilex_group *group;
    int naxes;
    uint64_t hash; /* of how it divides which indices, the same on all ranks */
    ix_grid_axis axis[ILEX_MAX_RANK];
    ilex_grid *open; /* see below; NULL: nobody asked */
    void *kept;      /* what runs leave for the next ones, until it ends */
    void (*forget)(void *kept);
    void *again; /* the last run that may come again, or NULL */
    void (*forget_again)(void *again);
    ix_grid_width widths[IX_GRID_WIDTHS]; /* found out before, by key */
};

/* The same without periodic axes, which belongs to it: of arrays in between
 * that go beyond the domain, where each point is one of its own, and have axes
 * of chunks. NULL: no memory. One thread at a time. */
ilex_grid *ix_grid_open(ilex_grid *g);
/* Adds, if it is not there, an axis that is called so to one of these: of
 * chunks of "length" indices along axis "of", a part has those that begin in
 * it. False: no memory, or too many axes. */
bool ix_grid_add_chunks(ilex_grid *open, const char *name, int of,
                        int64_t length);
/* Are these one, or one of these the other one's? */
static inline bool
ix_grid_same(const ilex_grid *a, const ilex_grid *b)
{
    return a == b || a->open == b || b->open == a;
}

/* The divided axis that an axis called "name" lies on, itself or as I+1/2; -1:
 * none. */
int ix_grid_find(const ilex_grid *g, const char *name);

/* The indices [*lo, *hi) of those in [first, end) that part "p" has. */
void ix_grid_cut(const ix_grid_axis *a, int p, int64_t first, int64_t end,
                 int64_t *lo, int64_t *hi);

/* The indices of part "p", with all that is before and behind if it is an end
 * of an axis that is not periodic, or divided among several ranks. */
static inline void
ix_grid_range(const ix_grid_axis *a, int p, int64_t range[2])
{
    bool open = !a->periodic || a->ranks == 1;
    range[0] = open && p == 0 ? INT64_MIN : a->cut[p];
    range[1] = open && p == a->ranks - 1 ? INT64_MAX : a->cut[p + 1];
}

/* Those of this rank, for each axis of the grid. */
static inline void
ix_grid_here(const ilex_grid *g, ix_index_box *part)
{
    for (int k = 0; k < g->naxes; k++)
        ix_grid_range(&g->axis[k], g->axis[k].place, part->k[k]);
}

/* How far it is round a periodic axis. */
static inline int64_t
ix_grid_period(const ix_grid_axis *a)
{
    return a->cut[a->ranks] - a->cut[0];
}

/* The rank that is at place "p" of axis "k", elsewhere where this one is. */
static inline int
ix_grid_rank(const ilex_grid *g, int k, int p)
{
    return g->group->rank + (p - g->axis[k].place) * g->axis[k].step;
}

#endif
