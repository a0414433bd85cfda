/* SPDX-License-Identifier: MIT */
#include "lib/base/table.h"

/* Linear probing, at most 2/3 full; removal moves later entries back, so
 * there are no tombstones. */

void *
ix_table_find(const ix_table *table, uint64_t hash, const void *key,
              ix_table_equal equal)
{
    if (!table->capacity)
        return NULL;
    size_t mask = table->capacity - 1;
    for (size_t i = hash & mask; table->entries[i].item; i = (i + 1) & mask)
        if (table->entries[i].hash == hash &&
            equal(table->entries[i].item, key))
            return table->entries[i].item;
    return NULL;
}

static void
insert(ix_table_entry *entries, size_t mask, ix_table_entry e)
{
    size_t i = e.hash & mask;
    while (entries[i].item)
        i = (i + 1) & mask;
    entries[i] = e;
}

static bool
rehash(ix_table *table, const ix_mem *mem)
{
    size_t cap = table->capacity ? table->capacity * 2 : 64;
    ix_table_entry *fresh = ix_mem_new(mem, cap * sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].item)
            insert(fresh, cap - 1, table->entries[i]);
    ix_mem_free(mem, table->entries);
    table->entries = fresh;
    table->capacity = cap;
    return true;
}

bool
ix_table_add(ix_table *table, const ix_mem *mem, uint64_t hash, void *item)
{
    if (3 * (table->count + 1) > 2 * table->capacity && !rehash(table, mem))
        return false;
    insert(table->entries, table->capacity - 1, (ix_table_entry){hash, item});
    table->count++;
    return true;
}

void *
ix_table_keep(ix_table *table, const ix_mem *mem, uint64_t hash, void *item)
{
    if (item && ix_table_add(table, mem, hash, item))
        return item;
    ix_mem_free(mem, item);
    return NULL;
}

/* Closes the hole at "i" by moving entries that probe across it. */
static void
close_hole(ix_table *table, size_t i)
{
    size_t mask = table->capacity - 1;
    for (size_t j = (i + 1) & mask; table->entries[j].item;
         j = (j + 1) & mask) {
        size_t home = table->entries[j].hash & mask;
        if (((j - home) & mask) >= ((j - i) & mask)) {
            table->entries[i] = table->entries[j];
            i = j;
        }
    }
    table->entries[i].item = NULL;
}

void
ix_table_remove(ix_table *table, uint64_t hash, const void *item)
{
    if (!table->capacity)
        return;
    size_t mask = table->capacity - 1;
    for (size_t i = hash & mask; table->entries[i].item; i = (i + 1) & mask)
        if (table->entries[i].item == item) {
            close_hole(table, i);
            table->count--;
            return;
        }
}

void
ix_table_free(ix_table *table, const ix_mem *mem)
{
    ix_mem_free(mem, table->entries);
    memset(table, 0, sizeof *table);
}

/* Where "key" is, or the free entry where it would be. */
static ix_map_entry *
slot_of(const ix_map *map, const void *key)
{
    size_t mask = map->capacity - 1;
    size_t i = ix_mix(0, (uintptr_t)key) & mask;
    while (map->entries[i].key && map->entries[i].key != key)
        i = (i + 1) & mask;
    return &map->entries[i];
}

size_t *
ix_map_find(const ix_map *map, const void *key)
{
    if (map->entries) {
        ix_map_entry *e = slot_of(map, key);
        return e->key ? &e->value : NULL;
    }
    for (size_t i = 0; i < map->count; i++)
        if (map->few[i].key == key)
            return (size_t *)(uintptr_t)&map->few[i].value;
    return NULL;
}

static bool
grow_map(ix_map *map, const ix_mem *mem)
{
    ix_map fresh = {.capacity = map->entries ? map->capacity * 2 : 32};
    fresh.entries = ix_mem_new(mem, fresh.capacity * sizeof *fresh.entries);
    if (!fresh.entries)
        return false;
    const ix_map_entry *old = map->entries ? map->entries : map->few;
    size_t nold = map->entries ? map->capacity : map->count;
    for (size_t i = 0; i < nold; i++)
        if (old[i].key)
            *slot_of(&fresh, old[i].key) = old[i];
    fresh.count = map->count;
    ix_map_free(map, mem);
    *map = fresh;
    return true;
}

bool
ix_map_set(ix_map *map, const ix_mem *mem, const void *key, size_t value)
{
    size_t *known = map->entries ? NULL : ix_map_find(map, key);
    if (known) {
        *known = value;
        return true;
    }
    if (!map->entries && map->count < IX_MAP_FEW) {
        map->few[map->count++] = (ix_map_entry){key, value};
        return true;
    }
    if (3 * (map->count + 1) > 2 * map->capacity && !grow_map(map, mem))
        return false;
    ix_map_entry *e = slot_of(map, key);
    map->count += e->key == NULL;
    *e = (ix_map_entry){key, value};
    return true;
}

void
ix_map_list(const ix_map *map, const void **keys)
{
    const ix_map_entry *e = map->entries ? map->entries : map->few;
    size_t n = map->entries ? map->capacity : map->count;
    for (size_t i = 0; i < n; i++)
        if (e[i].key)
            keys[e[i].value] = e[i].key;
}

void
ix_map_clear(ix_map *map, const ix_mem *mem)
{
    enum { KEEP = 256 }; /* entries that are worth clearing */
    if (map->capacity > KEEP)
        ix_map_free(map, mem);
    else if (map->entries && map->count)
        memset(map->entries, 0, map->capacity * sizeof *map->entries);
    map->count = 0;
}

void
ix_map_free(ix_map *map, const ix_mem *mem)
{
    ix_mem_free(mem, map->entries);
    memset(map, 0, sizeof *map);
}
