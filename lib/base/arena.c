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

void *
ix_arena_take(ix_arena *arena, size_t bytes)
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
    return memset(p, 0, bytes);
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
ix_arena_grow(ix_arena *arena, void *array, size_t *capacity, size_t need,
              size_t item)
{
    if (need <= *capacity)
        return;
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

/* Blocks of ix_arena_mem know their size, for growing. */
typedef struct sized {
    _Alignas(16) size_t bytes;
    unsigned char data[];
} sized;

static void *
resize_if_possible(void *user, void *block, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    sized *old =
        block
            ? (sized *)(void *)((unsigned char *)block - offsetof(sized, data))
            : NULL;
    sized *fresh = ix_arena_take(user, sizeof *fresh + bytes);
    if (!fresh)
        return NULL;
    fresh->bytes = bytes;
    if (old)
        memcpy(fresh->data, old->data, old->bytes < bytes ? old->bytes : bytes);
    return fresh->data;
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
