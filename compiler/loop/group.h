/* SPDX-License-Identifier: MIT
 *
 * Groups of threads that do a point of a grid together.
 */
#ifndef ILEX_COMPILER_LOOP_GROUP_H
#define ILEX_COMPILER_LOOP_GROUP_H

#include "compiler/loop/loop.h"

/* Can the lanes of reductions in what a point does be those of a group? */
ix_refusal ix_group_look(ix_unit *u, const ix_kernel *k, ix_stmt *body);
/* They are. */
void ix_group_mark(ix_unit *u, ix_kernel *k, ix_stmt *body);

#endif
