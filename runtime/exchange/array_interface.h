/* SPDX-License-Identifier: MIT
 *
 * Checks of ilex_array_interface that its three users share.
 */
#ifndef ILEX_RUNTIME_ARRAY_INTERFACE_H
#define ILEX_RUNTIME_ARRAY_INTERFACE_H

#include "runtime/exchange/exchange.h"

/* "__array_interface__" or "__cuda_array_interface__". */
const char *ix_array_interface_name(int kind);

/* Is "a" there, of a size we know, and of a kind that exists? */
bool ix_array_interface_known(const ilex_array_interface *a, int kind,
                              ix_error *err);

/* Empties what we know of "a" but its size, sets the kind. */
void ix_array_interface_clear(ilex_array_interface *a, int kind);

#endif
