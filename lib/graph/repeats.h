/* SPDX-License-Identifier: MIT
 *
 * The loops of a graph, and which arrays are made anew in each of their steps:
 * those that depend on what the loop carries, or on the number of its step.
 * Others stand outside, wherever they are read.
 */
#ifndef ILEX_LIB_REPEATS_H
#define ILEX_LIB_REPEATS_H

#include "lib/graph/node.h"

/* ---- what a LOOP node says ---- */

static inline int32_t
ix_repeat_step(const ilex_array *n)
{
    return (int32_t)n->attr[0];
}
static inline int
ix_repeat_carries(const ilex_array *n)
{
    return (int)n->attr[1];
}
static inline int
ix_repeat_stacks(const ilex_array *n)
{
    return (int)n->attr[2];
}
static inline ilex_array *
ix_repeat_carried(const ilex_array *n, int k)
{
    return n->ops[1 + k];
}
static inline ilex_array *
ix_repeat_first(const ilex_array *n, int k)
{
    return n->ops[1 + ix_repeat_carries(n) + k];
}
static inline ilex_array *
ix_repeat_next(const ilex_array *n, int k)
{
    return n->ops[1 + 2 * ix_repeat_carries(n) + k];
}
static inline ilex_array *
ix_repeat_stacked(const ilex_array *n, int k)
{
    return n->ops[1 + 3 * ix_repeat_carries(n) + k];
}
/* Every so many steps, from the first one on, have an element of the stack. */
static inline int64_t
ix_repeat_every(const ilex_array *n, int k)
{
    return n->attr[4 + k];
}
/* The condition after which there is no further step, or NULL. */
static inline ilex_array *
ix_repeat_until(const ilex_array *n)
{
    return n->attr[3] ? n->ops[n->nops - 1] : NULL;
}

/* The loop that was there first of those equal to "n", which are the same but
 * for which leaves stand for what they carry; poison when there is no memory.
 */
ilex_array *ix_repeat_known(ilex_array *n);

/* ---- those of a graph ---- */

enum { IX_REPEATS = 64 };

typedef struct ix_repeats {
    ilex_context *ctx;
    const ix_mem *mem;
    /* Sizes whose numbers are arrays of the list; of others the masks are. */
    const int32_t *counted;
    ilex_array *const *number;
    size_t ncounted;
    int n;
    const ilex_array *loop[IX_REPEATS]; /* inner ones first */
    int around[IX_REPEATS]; /* the innermost loop around it, or -1 */
    int depth[IX_REPEATS];  /* how many are around it */
    int *inside; /* of each array the innermost loop in whose steps it is made,
                    or -1; NULL: there are no loops */
} ix_repeats;

/* Finds those in a list of arrays, operands first; "ctx" and "mem" are set.
 * False after an error: what a loop carries is used outside of it, or by two
 * loops. "program" is for messages. */
bool ix_repeats_find(ix_repeats *l, const char *program,
                     ilex_array *const *array, size_t n);
void ix_repeats_free(ix_repeats *l);

/* Is an array whose innermost loop is "inside" (-1: none) made in the steps of
 * loop "i"? */
static inline bool
ix_repeats_within(const ix_repeats *l, int inside, int i)
{
    while (inside >= 0 && inside != i)
        inside = l->around[inside];
    return inside == i;
}

/* Puts the list, and "inside", in the order in which the arrays are made: what
 * is in a loop directly before it. False when there is no memory. */
bool ix_repeats_gather(ix_repeats *l, ilex_array **array, size_t n);

#endif
