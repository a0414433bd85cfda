/* SPDX-License-Identifier: MIT
 *
 * Keys: everything that the bytes of an object depend on, as a text of named
 * parts. Entries hold the whole text, which is compared; the name of the file
 * is made of digests of it and need not be unique.
 */
#ifndef ILEX_RUNTIME_CACHE_KEY_H
#define ILEX_RUNTIME_CACHE_KEY_H

#include "lib/base/digest.h"
#include "lib/base/text.h"

/* Hexadecimal digits: as many of the digest of the parts called "source" as of
 * the digest of all others. Entries of the same source so stand together. */
enum { IX_CACHE_NAME = 4 * IX_DIGEST_BYTES, IX_CACHE_SOURCE_NAME = 32 };

typedef struct ix_cache_key {
    ix_text text; /* "name length\nbytes\n" for each part */
    char name[IX_CACHE_NAME + 1];
} ix_cache_key;

void ix_cache_key_init(ix_cache_key *key, const ix_mem *mem);
void ix_cache_key_free(ix_cache_key *key);

/* Appends a part; "name" is a word. */
void ix_cache_key_add(ix_cache_key *key, const char *name, const char *bytes);
/* Makes the name when all parts are there; false without memory. */
bool ix_cache_key_end(ix_cache_key *key);

/* The name that a key with this text has; false if the text is none. */
bool ix_cache_key_name(const char *text, size_t length,
                       char name[IX_CACHE_NAME + 1]);
/* Is "name" the name of a file that holds an entry? */
bool ix_cache_key_is_name(const char *name);

/* One part of a text. */
typedef struct ix_cache_part {
    const char *name, *bytes;
    size_t name_length, length;
} ix_cache_part;

/* Reads the part at "*at" and moves on; false at the end, or if the text is
 * no key. Reads nothing outside it. */
bool ix_cache_key_read(const char *text, size_t length, size_t *at,
                       ix_cache_part *part);

/* Appends to "t" in which parts the key "text" differs from "key": "compiler
 * was ..., is ...". */
void ix_cache_key_differences(const ix_cache_key *key, const char *text,
                              size_t length, ix_text *t);

/* ---- identity.c ----
 *
 * Who compiles for what: the parts of a key that say which machine code comes
 * out of a source.
 */

/* Appends the architecture, the system, and what this processor can do: what
 * -march=native stands for. */
void ix_cache_put_machine(ix_text *t);

/* Appends which file the compiler "path" is: where links lead, size, inode and
 * time of change. False and "why" if there is no such file. */
bool ix_cache_put_compiler(const char *path, ix_text *t, ix_error *why);

#endif
