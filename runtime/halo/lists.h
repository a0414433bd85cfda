/* SPDX-License-Identifier: MIT
 *
 * Elements that ranks send each other one by one, where places that are data
 * say which they read, as of the neighbours in a mesh: who reads an element
 * asks its rank once, and gets it in each exchange.
 */
#ifndef ILEX_RUNTIME_HALO_LISTS_H
#define ILEX_RUNTIME_HALO_LISTS_H

#include "runtime/storage/division.h"

/* Which elements along an axis of a storage go where. */
typedef struct ix_list ix_list;

/* Finds those along axis "k" of "x", which a grid divides, that are at the
 * places in "n" arrays of i64, of this rank's part of them; others than those
 * of "x" are left out. By all ranks; "what" is for messages. NULL after an
 * error. */
ix_list *ix_list_find(const ilex_storage *x, int k,
                      const ilex_storage *const *places, size_t n,
                      const char *what, ix_error *err);
void ix_list_free(ix_list *l);

/* Gets them from those who have them: of "x", or of another storage of the same
 * whole. By all ranks. */
ilex_status ix_list_exchange(const ix_list *l, ilex_storage *x,
                             const char *what, ix_error *err);

#endif
