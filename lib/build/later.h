/* SPDX-License-Identifier: MIT
 *
 * Kinds of nodes that this version does not have (ilex/later.def).
 */
#ifndef ILEX_LIB_LATER_H
#define ILEX_LIB_LATER_H

#include <stdbool.h>
#include <stddef.h>

/* Is this the name of one in text? */
bool ix_is_later(const char *text, size_t length);

#endif
