/* SPDX-License-Identifier: MIT */
#include "lib/base/arena.h"

struct ix_arena_block {
    ix_arena_block *next;
    size_t used, size;
    _Alignas(16) unsigned char data[];
};

void
ix_arena_init(ix_arena *arena, const ix_mem *mem)
{
    memset(arena, 0, sizeof *arena);
    arena->mem = *mem;
}

void
ix_arena_free(ix_arena *arena)
{
    for (ix_arena_block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        ix_mem_free(&arena->mem, b);
    }
    arena->blocks = NULL;
}

/* A fresh block of at least "bytes", blocks doubling up to 1 MiB; NULL when
 * there is no memory. */
static ix_arena_block *
new_block(ix_arena *arena, size_t bytes)
{
    size_t size = arena->blocks ? arena->blocks->size * 2 : 4096;
    if (size > (1u << 20))
        size = 1u << 20;
    if (size < bytes)
        size = bytes;
    ix_arena_block *b = ix_mem_resize(&arena->mem, NULL, sizeof *b + size);
    if (!b)
        return NULL;
    b->next = arena->blocks;
    b->used = 0;
    b->size = size;
    return arena->blocks = b;
}

static void *
take(ix_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    ix_arena_block *b = arena->blocks;
    if (!b || b->size - b->used < bytes)
        b = new_block(arena, bytes);
    if (!b)
        return NULL;
    void *p = b->data + b->used;
    b->used += bytes;
    arena->bytes += bytes;
    return p;
}

void *
ix_arena_take(ix_arena *arena, size_t bytes)
{
    void *p = take(arena, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *
ix_arena_new(ix_arena *arena, size_t bytes)
{
    void *p = ix_arena_take(arena, bytes);
    if (!p)
        longjmp(arena->oom, 1);
    return p;
}

char *
ix_arena_string(ix_arena *arena, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(ix_arena_new(arena, n), text, n);
}

void
ix_arena_enlarge(ix_arena *arena, void *array, size_t *capacity, size_t need,
                 size_t item)
{
    size_t cap = *capacity < 8 ? 8 : *capacity * 2;
    if (cap < need)
        cap = need;
    void *old, *p = ix_arena_new(arena, cap * item);
    memcpy(&old, array, sizeof old);
    if (*capacity)
        memcpy(p, old, *capacity * item);
    memcpy(array, &p, sizeof p);
    *capacity = cap;
}

/* ---- as an allocator ---- */

/* Blocks know their size, for growing and for the next who needs one. */
typedef struct ix_arena_sized {
    _Alignas(16) size_t bytes;
    union {
        struct ix_arena_sized *next; /* of those that were given back */
        unsigned char data[16];
    };
} sized;

static sized *
sized_of(void *block)
{
    unsigned char *data = block;
    return block ? (sized *)(void *)(data - offsetof(sized, data)) : NULL;
}

/* The largest k for which 2^k <= bytes; bytes > 0. */
static int
class_of(size_t bytes)
{
    int k = 63 - __builtin_clzll(bytes);
    return k < IX_ARENA_CLASSES ? k : IX_ARENA_CLASSES - 1;
}

static void
give_back(ix_arena *arena, sized *block)
{
    sized **spare = &arena->spare[class_of(block->bytes)];
    block->next = *spare;
    *spare = block;
}

/* A block of "bytes" or more, from those that were given back if there is
 * one. */
static sized *
take_sized(ix_arena *arena, size_t bytes)
{
    bytes = bytes < 16 ? 16 : (bytes + 15) & ~(size_t)15;
    sized **spare = &arena->spare[class_of(2 * bytes - 1)], *block = *spare;
    if (block && block->bytes >= bytes) {
        *spare = block->next;
        return block;
    }
    block = take(arena, offsetof(sized, data) + bytes);
    if (block)
        block->bytes = bytes;
    return block;
}

static void *
resize_if_possible(void *user, void *block, size_t bytes)
{
    ix_arena *arena = user;
    sized *old = sized_of(block);
    if (old && bytes > 0 && bytes <= old->bytes)
        return block;
    sized *fresh =
        bytes > 0 && bytes <= SIZE_MAX / 4 ? take_sized(arena, bytes) : NULL;
    if (fresh && old)
        memcpy(fresh->data, old->data, old->bytes);
    if (old && (fresh || bytes == 0))
        give_back(arena, old);
    return fresh ? fresh->data : NULL;
}

static void *
resize_in_arena(void *user, void *block, size_t bytes)
{
    ix_arena *arena = user;
    void *p = resize_if_possible(arena, block, bytes);
    if (!p && bytes > 0)
        longjmp(arena->oom, 1);
    return p;
}

ix_mem
ix_arena_mem(ix_arena *arena)
{
    return (ix_mem){resize_in_arena, arena};
}

ix_mem
ix_arena_soft_mem(ix_arena *arena)
{
    return (ix_mem){resize_if_possible, arena};
}
