/* SPDX-License-Identifier: MIT
 *
 * The disk cache of compiled objects. Who compiles makes a key of all that the
 * object depends on, looks it up, and stores what was compiled. Every answer
 * comes with its reason; a cache that fails costs time, never a result.
 */
#ifndef ILEX_RUNTIME_CACHE_H
#define ILEX_RUNTIME_CACHE_H

#include "lib/graph/context.h"
#include "runtime/cache/entry.h"
#include "runtime/cache/room.h"

/* The choices of option cache, in its order. */
typedef enum ix_cache_mode {
    IX_CACHE_MODE_OFF,
    IX_CACHE_MODE_RO,       /* look up */
    IX_CACHE_MODE_RW,       /* and store */
    IX_CACHE_MODE_MUST_HIT, /* look up, and fail where there is nothing */
} ix_cache_mode;

/* Zeroed: off. */
typedef struct ix_cache_setup {
    ix_cache_mode mode;
    const char *directory; /* option cache_dir; NULL or "": the user's */
    int64_t size;          /* option cache_size, in bytes */
    bool looks;            /* nothing will be stored: no directory is made */
    /* Told the reason of each miss, in the thread that looks up; or NULL. */
    void (*note)(void *user, ilex_level level, const char *text);
    void *note_user;
} ix_cache_setup;

/* What the options of the context say; notes go to its log. */
ix_cache_setup ix_cache_setup_of(ilex_context *ctx);

typedef struct ix_cache {
    ix_mem mem;
    ix_cache_setup setup;
    int dir; /* -1: there is no cache */
} ix_cache;

/* Opens the directory that the setup names; it is made where objects are
 * stored. If that is not possible, the cache is empty and stays so: "why" says
 * the reason, and, once in the process, so does a note. With mode off neither
 * does. To be closed in any case. */
void ix_cache_open(ix_cache *c, const ix_mem *mem, const ix_cache_setup *setup,
                   ix_error *why);
void ix_cache_close(ix_cache *c);

/* Finds the object for the key: it was checked, and its whole key is the same.
 * False and "why" if there is none; nothing is to be freed then. */
bool ix_cache_look_up(const ix_cache *c, const ix_cache_key *key,
                      ix_cache_entry *e, ix_error *why);

/* Stores an object where the setup says so; what prevents it is noted. False
 * without memory. */
bool ix_cache_store(const ix_cache *c, const ix_cache_content *content);

/* Takes back an entry that was found and cannot be used. */
void ix_cache_forget(const ix_cache *c, const ix_cache_key *key);

/* Appends what is known of a key that has no entry: in what the newest entry of
 * the same source differs. "t" fails without memory. */
void ix_cache_explain(const ix_cache *c, const ix_cache_key *key, ix_text *t);

/* Says something through the setup's note. */
void ix_cache_note(const ix_cache_setup *setup, ilex_level level,
                   const char *fmt, ...) IX_PRINTF(3, 4);

#endif
