/* SPDX-License-Identifier: MIT
 *
 * What is decided about loops.
 */
#ifndef ILEX_COMPILER_SCHEDULE_H
#define ILEX_COMPILER_SCHEDULE_H

#include "compiler/loop/loop.h"

/* Transforms the loops of a kernel as is best for the target. */
void ix_policy(ix_unit *u, ix_kernel *k);

#endif
