/* SPDX-License-Identifier: MIT
 *
 * What every file of the library may use: asserts, checked arithmetic,
 * hashing, memory through the user's allocator, the error record.
 *
 * Names of locals with a fixed meaning everywhere: ctx context, n node,
 * dom domain, k axis, d rank, err error record, t text sink, mem allocator.
 */
#ifndef ILEX_LIB_PRELUDE_H
#define ILEX_LIB_PRELUDE_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ilex/base.h"

#define IX_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define IX_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* ---- checked 64-bit arithmetic: false on overflow, *r then unspecified ----
 */

static inline bool
ix_add(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}

static inline bool
ix_sub(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_sub_overflow(a, b, r);
}

static inline bool
ix_mul(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}

/* Floor division and remainder with the divisor's sign; "b" is not 0. */
static inline int64_t
ix_floordiv(int64_t a, int64_t b)
{
    int64_t q = b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    return b != -1 && a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

static inline int64_t
ix_floormod(int64_t a, int64_t b)
{
    int64_t r = b == -1 ? 0 : a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* The greatest number that divides both; 0 of two zeros. */
static inline int64_t
ix_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = b == -1 ? 0 : a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}

/* ---- hashing ---- */

static inline uint64_t
ix_mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
}

static inline uint64_t
ix_hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t word = 0;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, b + i, sizeof word);
        h = ix_mix(h, word);
    }
    word = 0;
    if (i < n) /* "p" may be NULL where there are no bytes */
        memcpy(&word, b + i, n - i);
    return ix_mix(ix_mix(h, word), n);
}

/* ---- the error record: fixed size, so that the first one never allocates ----
 *
 * More of them, where an owner collects them: lib/base/errors.h. */

enum { IX_ERROR_TEXT = 4096 };

typedef struct ix_error {
    ilex_status code;
    const char *operation;  /* static string or NULL */
    int operand;            /* -1: none */
    int line, column;       /* 0: none */
    struct ix_errors *more; /* takes those after this one; NULL: nobody does */
    const char *file;       /* NULL: none; a symbol of the context */
    char text[IX_ERROR_TEXT];
} ix_error;

/* Records an error, or hands it to "more" if one is recorded already; returns
 * "code". "err" may be NULL. The sentence says what, where, what was expected.
 */
ilex_status ix_fail(ix_error *err, ilex_status code, const char *fmt, ...)
    IX_PRINTF(3, 4);
ilex_status ix_fail_v(ix_error *err, ilex_status code, const char *fmt,
                      va_list args) IX_PRINTF(3, 0);

/* Records ILEX_E_MEMORY. */
ilex_status ix_fail_memory(ix_error *err);

/* The same for functions that return whether they could, or what they made. */
#define ix_fail_false(...) ((void)ix_fail(__VA_ARGS__), false)
#define ix_fail_null(...) ((void)ix_fail(__VA_ARGS__), NULL)
#define ix_fail_memory_false(err) ((void)ix_fail_memory(err), false)
#define ix_fail_memory_null(err) ((void)ix_fail_memory(err), NULL)

/* Makes a record of nothing, also of memory that holds anything. */
void ix_error_clear(ix_error *err);

/* ---- memory ---- */

typedef ilex_allocator ix_mem;

/* malloc, realloc and free as an allocator. */
extern const ix_mem ix_mem_default;

/* Zeroed block of "bytes" (at least 1), NULL when there is no memory. */
void *ix_mem_new(const ix_mem *mem, size_t bytes);
/* Resizes as realloc; the old block stays valid when NULL is returned. */
void *ix_mem_resize(const ix_mem *mem, void *block, size_t bytes);
static inline void
ix_mem_free(const ix_mem *mem, void *block)
{
    if (block)
        mem->resize(mem->user, block, 0);
}

/* Grows "*array" of "*capacity" items of "item" bytes to hold "need" items;
 * false when there is no memory (nothing changed then). */
bool ix_mem_enlarge(const ix_mem *mem, void *array, size_t *capacity,
                    size_t need, size_t item);
static inline bool
ix_mem_grow(const ix_mem *mem, void *array, size_t *capacity, size_t need,
            size_t item)
{
    return need <= *capacity ||
           ix_mem_enlarge(mem, array, capacity, need, item);
}

#endif
