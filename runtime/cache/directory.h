/* SPDX-License-Identifier: MIT
 *
 * The directory of the cache: where it is, and whether nobody else could have
 * put anything there.
 */
#ifndef ILEX_RUNTIME_CACHE_DIRECTORY_H
#define ILEX_RUNTIME_CACHE_DIRECTORY_H

#include <stdatomic.h>

#include "lib/base/prelude.h"
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

/* ---- lock.c ----
 *
 * Locks of the cache. They keep its size and save work; nothing is wrong where
 * there are none, or where somebody holds one for ever.
 */

/* Is "name" the name of a file that is locked? Of an entry's? */
bool ix_cache_is_lock(const char *name);
bool ix_cache_is_spare(const char *name);

/* Whoever removes or writes in the directory "dir" holds its lock, so that the
 * limit on its size holds. -1 and "why" if another process has it for two
 * seconds. Where the file system has no locks everybody gets it. */
int ix_cache_lock(int dir, ix_error *why);
void ix_cache_unlock(int lock);

/* Whoever makes the entry "name" holds its lock, so that others wait for what
 * is made instead of making it, too. -1 after "limit_ms" milliseconds, when
 * "stop" is set (it may be NULL), or without locks: then everybody makes it.
 * "*waited": another process had it. */
int ix_cache_reserve(int dir, const char *name, int64_t limit_ms,
                     const atomic_bool *stop, bool *waited);
void ix_cache_unreserve(int dir, const char *name, int lock);

#endif
