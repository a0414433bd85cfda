/* SPDX-License-Identifier: MIT
 *
 * Which parts of halos go from one rank to another one along an axis of the
 * grid: both find the same list.
 */
#ifndef ILEX_RUNTIME_HALO_PIECES_H
#define ILEX_RUNTIME_HALO_PIECES_H

#include "runtime/halo/halo.h"

/* The points "box" of a halo, in indices of the one that gets them; the one
 * that has them calls them by "shift" less along axis "k". */
typedef struct ix_piece {
    const ix_halo *halo;
    int k;
    int64_t shift;
    ix_index_box box;
} ix_piece;

/* Calls "fn" for each piece that the rank at place "to" of axis "axis" of the
 * grid gets from the one at place "from". */
typedef void ix_piece_fn(void *user, const ix_piece *piece);
void ix_each_piece(const ix_halo *list, size_t n, int axis, int to, int from,
                   ix_piece_fn *fn, void *user);

/* The bytes of a piece. */
size_t ix_piece_bytes(const ix_piece *p);

/* Copies a piece to memory, where its elements lie one after the other in the
 * order of C, or back. */
void ix_piece_pack(const ix_piece *p, char *to);
void ix_piece_unpack(const ix_piece *p, char *from);

/* Copies a piece that is for the rank itself. */
void ix_piece_move(const ix_piece *p);

#endif
