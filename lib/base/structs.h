/* SPDX-License-Identifier: MIT
 *
 * Structs of callers, which may be of another version of the headers.
 */
#ifndef ILEX_LIB_STRUCTS_H
#define ILEX_LIB_STRUCTS_H

#include "lib/base/prelude.h"

/* May a struct be taken that says that it has "size" bytes, of which every
 * version has the first "least", and this one "ours"? What a later version has
 * added is zero then; a size that no version will have is not believed. */
static inline bool
ix_struct_is_known(const void *given, size_t size, size_t least, size_t ours)
{
    enum { MOST_ADDED = 4096 };
    bool known = size >= least && (size <= ours || size - ours <= MOST_ADDED);
    for (size_t i = ours; known && i < size; i++)
        known = ((const char *)given)[i] == 0;
    return known;
}

#endif
