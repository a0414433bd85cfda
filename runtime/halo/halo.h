/* SPDX-License-Identifier: MIT
 *
 * Halos of storages on a grid, brought up to date from the ranks that have the
 * points.
 *
 * It goes axis by axis: along each divided axis a rank sends to those that are
 * at other places of it, and what it got along the axes before goes with it,
 * so that corners need no messages of their own. All that one rank has for
 * another along an axis is one message, of however many storages.
 */
#ifndef ILEX_RUNTIME_HALO_H
#define ILEX_RUNTIME_HALO_H

#include "runtime/storage/division.h"

/* A storage and how wide its halo is to be, per axis: low, high. */
typedef struct ix_halo {
    ilex_storage *s;
    ix_index_box width;
} ix_halo;

/* Is the halo not as wide as it is to be? It is to be no narrower than it is
 * then. */
bool ix_halo_is_stale(ix_halo *h);

/* An exchange under way. */
typedef struct ix_exchange ix_exchange;

/* Begins to bring "n" halos of storages on one grid up to date. "meaning" says
 * what the ranks do, in numbers, "what" in words, which live as long as the
 * exchange. NULL after an error. */
ix_exchange *ix_exchange_begin(const ix_halo *list, size_t n,
                               const uint64_t meaning[2], const char *what,
                               ix_error *err);

/* Returns when they are; frees the exchange, also after an error. */
ilex_status ix_exchange_finish(ix_exchange *x, ix_error *err);
/* Frees one whose halos nobody wants any more. */
void ix_exchange_drop(ix_exchange *x);

#endif
