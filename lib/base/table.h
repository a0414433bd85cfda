/* SPDX-License-Identifier: MIT
 *
 * Open-addressing hash table of pointers: the one table behind interned
 * symbols, linear forms, domains and the weak consing table of nodes.
 */
#ifndef ILEX_LIB_TABLE_H
#define ILEX_LIB_TABLE_H

#include "lib/base/prelude.h"

typedef struct ix_table_entry {
    uint64_t hash;
    void *item; /* NULL: empty */
} ix_table_entry;

typedef struct ix_table {
    ix_table_entry *entries;
    size_t capacity; /* 0 or a power of two */
    size_t count;
} ix_table;

typedef bool (*ix_table_equal)(const void *item, const void *key);

/* The item with "hash" for which "equal" holds, else NULL. */
void *ix_table_find(const ix_table *table, uint64_t hash, const void *key,
                    ix_table_equal equal);

/* Adds an item that is not there yet; false when there is no memory. */
bool ix_table_add(ix_table *table, const ix_mem *mem, uint64_t hash,
                  void *item);

/* The same for an item that was just made, or NULL where it was not; it is
 * freed when there is no memory, and the result NULL. */
void *ix_table_keep(ix_table *table, const ix_mem *mem, uint64_t hash,
                    void *item);

/* Removes "item", if it is there. */
void ix_table_remove(ix_table *table, uint64_t hash, const void *item);

void ix_table_free(ix_table *table, const ix_mem *mem);

/* Pointer-keyed map to a size_t, for memo tables of passes. */
typedef struct ix_map_entry {
    const void *key; /* NULL: empty */
    size_t value;
} ix_map_entry;

/* A map of few keys needs no memory: most bodies are of a few nodes. */
enum { IX_MAP_FEW = 6 };

typedef struct ix_map {
    ix_map_entry *entries; /* by hash; NULL: the first "count" of "few" */
    size_t capacity, count;
    ix_map_entry few[IX_MAP_FEW];
} ix_map;

/* Where the value of "key" lives, or NULL if it has none. */
size_t *ix_map_find(const ix_map *map, const void *key);
/* Sets it; false when there is no memory. */
bool ix_map_set(ix_map *map, const ix_mem *mem, const void *key, size_t value);
/* Keys whose values are 0, 1, ..., each once, in the order of these. */
void ix_map_list(const ix_map *map, const void **keys);
/* Empties it, for others; memory that is not large is kept. */
void ix_map_clear(ix_map *map, const ix_mem *mem);
void ix_map_free(ix_map *map, const ix_mem *mem);

#endif
