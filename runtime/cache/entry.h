/* SPDX-License-Identifier: MIT
 *
 * Entries: one file holds one object with its key. What is read was checked
 * from the first byte to the last; what is written appears whole or not at all.
 */
#ifndef ILEX_RUNTIME_CACHE_ENTRY_H
#define ILEX_RUNTIME_CACHE_ENTRY_H

#include "runtime/cache/key.h"

/* The bytes of an entry in memory of this process. */
typedef struct ix_cache_entry {
    ix_mem mem;
    char *file;
    const char *key, *made, *object; /* within */
    size_t key_length, made_length, object_length;
} ix_cache_entry;

typedef enum ix_cache_found {
    IX_CACHE_VALID,
    IX_CACHE_ABSENT,
    IX_CACHE_UNREADABLE, /* nothing is known of what it holds */
    IX_CACHE_BAD         /* it is damaged, foreign or of another format */
} ix_cache_found;

/* Reads the entry "name" of the directory "dir" and checks it: a regular file
 * of this user with one name that others cannot write, of the lengths that its
 * head says, whose sum is right and whose key has this name. Anything but
 * VALID comes with "why" and has nothing to be freed. Where "fd" is not NULL
 * the file stays open there. */
ix_cache_found ix_cache_entry_read(int dir, const char *name, const ix_mem *mem,
                                   ix_cache_entry *e, int *fd, ix_error *why);
void ix_cache_entry_free(ix_cache_entry *e);

/* Checks an entry; with "remove" a bad one is removed. False and "why" if it
 * cannot be used. */
bool ix_cache_verify(int dir, const char *name, bool remove, ix_error *why);

/* Takes away what has the name of an entry: a file, a link, an empty directory;
 * one that is not empty is called NAME.directory from then on. False if it is
 * still there. */
bool ix_cache_entry_remove(int dir, const char *name);

/* What becomes an entry. */
typedef struct ix_cache_content {
    const ix_cache_key *key;
    const char *made; /* what made the object, its first line for readers */
    const void *object;
    size_t object_length;
} ix_cache_content;

/* Bytes of the file. */
int64_t ix_cache_entry_size(const ix_cache_content *c);

/* Writes a temporary file and gives it the entry's name; false and "why" if
 * that fails, then nothing is left. */
bool ix_cache_entry_write(int dir, const ix_cache_content *c, ix_error *why);

/* Names of temporary files say who writes: "tmp.HOST.PROCESS.NUMBER". Is "name"
 * one, and is its writer known to be dead? */
bool ix_cache_is_temporary(const char *name);
bool ix_cache_is_orphan(const char *name);

#endif
