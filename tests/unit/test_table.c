/* SPDX-License-Identifier: MIT
 *
 * Hash tables and pointer maps against plain arrays, with hashes that collide.
 */
#include "lib/base/table.h"
#include "tests/unit/graph_fixture.h"

enum { ITEMS = 2000, SLOTS = 97 };

typedef struct item {
    int key;
} item;

static item items[ITEMS];
static bool present[ITEMS];

static bool
same_key(const void *a, const void *key)
{
    return ((const item *)a)->key == *(const int *)key;
}

/* Few different hashes, some next to each other, some at the table's end. */
static uint64_t
hash_of(int key)
{
    return key % 3 ? (uint64_t)(key % SLOTS) : UINT64_MAX - (uint64_t)(key % 5);
}

static void
compare(const ix_table *t)
{
    size_t count = 0;
    for (int k = 0; k < ITEMS; k++) {
        void *found = ix_table_find(t, hash_of(k), &k, same_key);
        ck_assert_ptr_eq(found, present[k] ? (void *)&items[k] : NULL);
        count += present[k];
    }
    ck_assert_uint_eq(t->count, count);
}

START_TEST(table_against_array)
{
    ix_table t = {0};
    for (int k = 0; k < ITEMS; k++)
        items[k].key = k;
    compare(&t);
    for (int step = 0; step < 20000; step++) {
        int k = (int)draw(0, ITEMS - 1);
        if (present[k])
            ix_table_remove(&t, hash_of(k), &items[k]);
        else
            ck_assert(ix_table_add(&t, &ix_mem_default, hash_of(k), &items[k]));
        present[k] = !present[k];
        if (step % 2000 == 0)
            compare(&t);
    }
    compare(&t);
    ix_table_remove(&t, 12345, &t); /* what is not there */
    compare(&t);
    ix_table_free(&t, &ix_mem_default);
    ck_assert_uint_eq(t.capacity, 0);
}
END_TEST

START_TEST(map_against_array)
{
    ix_map map = {0};
    size_t value[ITEMS] = {0};
    ck_assert_ptr_null(ix_map_find(&map, &items[0]));
    for (int step = 0; step < 10000; step++) {
        int k = (int)draw(0, ITEMS - 1);
        value[k] = (size_t)step + 1;
        ck_assert(ix_map_set(&map, &ix_mem_default, &items[k], value[k]));
    }
    size_t count = 0;
    for (int k = 0; k < ITEMS; k++) {
        const size_t *found = ix_map_find(&map, &items[k]);
        ck_assert_uint_eq(found ? *found : 0, value[k]);
        count += value[k] != 0;
    }
    ck_assert_uint_eq(map.count, count);
    ix_map_free(&map, &ix_mem_default);
}
END_TEST

static void *
refuse(void *user, void *block, size_t bytes)
{
    (void)user, (void)block, (void)bytes;
    return NULL;
}

/* What cannot grow stays as it was. */
START_TEST(no_memory)
{
    const ix_mem none = {refuse, NULL};
    ix_table t = {0};
    ix_map map = {0};
    ck_assert(!ix_table_add(&t, &none, 1, &items[0]));
    ck_assert_uint_eq(t.count, 0);
    for (size_t i = 0; i < IX_MAP_FEW; i++) /* few keys need no memory */
        ck_assert(ix_map_set(&map, &none, &items[i], i));
    ck_assert(!ix_map_set(&map, &none, &items[IX_MAP_FEW], 1));
    for (size_t i = 0; i < IX_MAP_FEW; i++)
        ck_assert_uint_eq(*ix_map_find(&map, &items[i]), i);
    ck_assert_ptr_null(ix_map_find(&map, &items[IX_MAP_FEW]));
    ck_assert_uint_eq(map.count, IX_MAP_FEW);
    int added = 0;
    while (ix_table_add(&t, added ? &none : &ix_mem_default, 1, &items[added]))
        added++;
    ck_assert_uint_eq(t.count, (size_t)added);
    items[0].key = 5;
    ck_assert_ptr_eq(ix_table_find(&t, 1, &(int){5}, same_key), &items[0]);
    ix_table_free(&t, &ix_mem_default);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("table", table_against_array, map_against_array,
                     no_memory);
}
