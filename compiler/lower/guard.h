/* SPDX-License-Identifier: MIT
 *
 * Conditions that guard reads become branches.
 */
#ifndef ILEX_COMPILER_GUARD_H
#define ILEX_COMPILER_GUARD_H

#include "compiler/tree/tree.h"

/* The expression with its guards as statements before it; what is in their
 * branches becomes what b->expand makes of it. */
ilex_array *ix_guard_expand(ix_builder *b, ilex_array *x);
/* The same for what a kernel has; false after an error. */
bool ix_guard_kernel(ix_unit *u, ix_kernel *k);

#endif
