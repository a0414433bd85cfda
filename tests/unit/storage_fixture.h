/* SPDX-License-Identifier: MIT
 *
 * What the tests of storages and their files share: an allocator that counts
 * and can fail, a context over it, random numbers, and shorthands.
 */
#ifndef ILEX_TESTS_STORAGE_FIXTURE_H
#define ILEX_TESTS_STORAGE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/storage/storage.h"

typedef struct budget {
    int left; /* requests until failure; negative: no limit */
    int live; /* blocks alive */
} budget;

static budget heap = {-1, 0};
static ilex_context *ctx;

static void *
budget_resize(void *user, void *block, size_t bytes)
{
    budget *b = user;
    if (bytes == 0) {
        b->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->left == 0 || bytes > (size_t)1 << 32)
        return NULL;
    b->left -= b->left > 0;
    void *p = realloc(block, bytes);
    b->live += p && !block;
    return p;
}

/* Memory of a user's device, which is host memory here: functions of a preset.
 */
static inline void *
preset_allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static inline void
preset_free(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

static inline void
open_context(void)
{
    ilex_context_spec spec = {.size = sizeof spec,
                              .allocator = {budget_resize, &heap}};
    heap = (budget){-1, 0};
    ctx = ilex_context_new(&spec);
    ck_assert_ptr_nonnull(ctx);
}

/* Nothing of the test may be alive after the context. */
static inline void
close_context(void)
{
    ilex_context_free(ctx);
    ck_assert_int_eq(heap.live, 0);
}

/* The recorded error, which is cleared. */
static inline ilex_status
take_error(void)
{
    ilex_status code = ilex_error_code(ctx);
    ilex_error_clear(ctx);
    return code;
}

static uint64_t seed = 1;

/* A number from 0 to n - 1. */
static inline int64_t
draw(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

#define SPEC(...)                                                              \
    ((ilex_storage_spec){.size = sizeof(ilex_storage_spec), __VA_ARGS__})
#define SHAPE(...) ((int64_t[]){__VA_ARGS__})

/* A storage of i64 whose elements are 0, 1, 2, ... in C order. */
static inline ilex_storage *
counting(int rank, const int64_t *shape)
{
    int64_t n = 1, index[ILEX_MAX_RANK];
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_I64, rank, shape);
    ck_assert_ptr_nonnull(s);
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int k = rank - 1; k >= 0; k--) {
            index[k] = rest % shape[k];
            rest /= shape[k];
        }
        ck_assert_int_eq(ilex_storage_set_i64(s, index, i), ILEX_OK);
    }
    return s;
}

/* The i64 element (i), (i, j) or (i, j, k). */
static inline int64_t
at(const ilex_storage *s, int64_t i, int64_t j, int64_t k)
{
    int64_t v = -1;
    ck_assert_int_eq(ilex_storage_get_i64(s, SHAPE(i, j, k), &v), ILEX_OK);
    return v;
}

#endif
