/* SPDX-License-Identifier: MIT
 *
 * Values of stores for what is read of them in the same iteration.
 */
#ifndef ILEX_COMPILER_FORWARD_H
#define ILEX_COMPILER_FORWARD_H

#include "compiler/tree/tree.h"

/* Do stores "readers", which are to stand behind "stores" in one loop, read of
 * what nests "written" store only elements that "stores" do there? */
bool ix_forward_may(ix_unit *u, ix_stmt *written, const ix_stmt *stores,
                    ix_stmt *readers);
/* What they read of these becomes the value that is stored. */
void ix_forward(ix_unit *u, const ix_stmt *stores, ix_stmt *readers);

#endif
