/* SPDX-License-Identifier: MIT
 *
 * Room in the directory: all that lies there together stays below a limit. What
 * was not used for the longest time goes first.
 */
#ifndef ILEX_RUNTIME_CACHE_ROOM_H
#define ILEX_RUNTIME_CACHE_ROOM_H

#include "runtime/cache/key.h"

typedef enum ix_cache_kind {
    IX_CACHE_ENTRY,
    IX_CACHE_TEMPORARY,
    IX_CACHE_LOCK, /* a lock */
    IX_CACHE_OTHER /* not the cache's: counted, never removed */
} ix_cache_kind;

/* One file of the directory. */
typedef struct ix_cache_file {
    char name[IX_CACHE_NAME + 16]; /* of OTHER its start */
    ix_cache_kind kind;
    int64_t bytes;
    int64_t used; /* seconds since 1970 */
} ix_cache_file;

/* All of them, those not used for the longest time first. */
typedef struct ix_cache_files {
    ix_mem mem;
    ix_cache_file *file;
    size_t n, capacity;
    int64_t bytes;
} ix_cache_files;

/* Those whose names begin with "start". False and "why" on failure; the list is
 * to be freed in any case. */
bool ix_cache_list(int dir, const ix_mem *mem, const char *start,
                   ix_cache_files *l, ix_error *why);
void ix_cache_files_free(ix_cache_files *l);

/* What was removed. */
typedef struct ix_cache_removed {
    size_t entries, temporaries;
    int64_t bytes;
} ix_cache_removed;

/* Under the lock of the directory. Removes temporary files whose writer is dead
 * or that are older than an hour, locks as old, then entries until "need" bytes
 * more fit below "limit". False and "why" if they do not fit. "removed" is
 * added to. */
bool ix_cache_make_room(int dir, const ix_mem *mem, int64_t limit, int64_t need,
                        ix_cache_removed *removed, ix_error *why);

/* Under the lock. Removes all that is the cache's but the lock. */
bool ix_cache_clear(int dir, const ix_mem *mem, ix_cache_removed *removed,
                    ix_error *why);

/* Notes that the entry was used now, at most once a minute. */
void ix_cache_touch(int entry);

#endif
