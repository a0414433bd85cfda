/* SPDX-License-Identifier: MIT
 *
 * Locks of the cache. They keep its size and save work; nothing is wrong where
 * there are none, or where somebody holds one for ever.
 */
#ifndef ILEX_RUNTIME_CACHE_LOCK_H
#define ILEX_RUNTIME_CACHE_LOCK_H

#include <stdatomic.h>

#include "lib/base/prelude.h"

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
