/* SPDX-License-Identifier: MIT
 *
 * Bump arena: what a pass allocates lives until the whole arena is freed.
 *
 * Allocation never returns NULL: when memory runs out, control jumps to the
 * arena's "oom" point, which the owner sets with IX_ARENA_TRY before the
 * first allocation. Code between the two must hold nothing that is not in the
 * arena or reachable from its owner (no isl object, no open file, no lock).
 */
#ifndef ILEX_LIB_ARENA_H
#define ILEX_LIB_ARENA_H

#include <setjmp.h>

#include "lib/base/prelude.h"

typedef struct ix_arena_block ix_arena_block;

enum { IX_ARENA_CLASSES = 48 };

typedef struct ix_arena {
    ix_mem mem;
    ix_arena_block *blocks;
    size_t bytes; /* handed out so far */
    /* blocks of ix_arena_mem that were given back, of 2^k bytes and more */
    struct ix_arena_sized *spare[IX_ARENA_CLASSES];
    jmp_buf oom;
} ix_arena;

/* Sets the point to which failing allocations jump; true the first time,
 * false when memory ran out. */
#define IX_ARENA_TRY(arena) (setjmp((arena)->oom) == 0)

void ix_arena_init(ix_arena *arena, const ix_mem *mem);
void ix_arena_free(ix_arena *arena);

/* Zeroed memory, aligned to 16 bytes. */
void *ix_arena_new(ix_arena *arena, size_t bytes);
/* The same, or NULL: for who holds what is not in the arena. */
void *ix_arena_take(ix_arena *arena, size_t bytes);
char *ix_arena_string(ix_arena *arena, const char *text);

/* An allocator whose blocks live as long as the arena at most: for texts and
 * tables of a pass, which then need not be freed when memory runs out. Those
 * that are freed serve again. */
ix_mem ix_arena_mem(ix_arena *arena);
/* The same, which gives NULL when there is no memory. */
ix_mem ix_arena_soft_mem(ix_arena *arena);

/* Doubles "*array" (of "*capacity" items of "item" bytes) when it cannot hold
 * "need" items; the old block stays in the arena. */
void ix_arena_enlarge(ix_arena *arena, void *array, size_t *capacity,
                      size_t need, size_t item);
static inline void
ix_arena_grow(ix_arena *arena, void *array, size_t *capacity, size_t need,
              size_t item)
{
    if (need > *capacity)
        ix_arena_enlarge(arena, array, capacity, need, item);
}

#endif
