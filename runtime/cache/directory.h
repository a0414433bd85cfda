/* SPDX-License-Identifier: MIT
 *
 * The directory of the cache: where it is, and whether nobody else could have
 * put anything there.
 */
#ifndef ILEX_RUNTIME_CACHE_DIRECTORY_H
#define ILEX_RUNTIME_CACHE_DIRECTORY_H

#include "lib/base/text.h"

/* Writes the path of the directory to "path": "given", an absolute path; if it
 * is empty, the folder of the user's caches. False and "why" if there is none:
 * neither the current nor the temporary directory ever takes its place. */
bool ix_cache_directory_path(const char *given, ix_text *path, ix_error *why);

/* Opens the directory "path". It belongs to this user and nobody else may enter
 * it; each directory on the way, and each link, belongs to this user or to
 * root, and nobody else may write there, unless only owners may remove files
 * ("sticky"). With "create" its last two components are made if they are not
 * there. -1 and "why" on failure, with code UNKNOWN if there is none. All that
 * is done in it goes through the descriptor, so it does not matter who renames
 * what on the way later. */
int ix_cache_directory_open(const ix_mem *mem, const char *path, bool create,
                            ix_error *why);

#endif
