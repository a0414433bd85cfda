/* SPDX-License-Identifier: MIT
 *
 * The walk over a body: every scalar node once in every frame, operands before
 * users, with a stack of its own, so that no body is too deep for it. What a
 * walk finds out about a node is a number (or a pointer), which is remembered
 * and given to the node's users.
 */
#ifndef ILEX_LIB_WALK_H
#define ILEX_LIB_WALK_H

#include "lib/graph/node.h"

/* A condition that holds, or does not, where a place is read: one on indices,
 * or such joined with others, of which nothing is known (IX_HAS_CONDITION). */
typedef struct ix_guard {
    const ilex_array *condition;
    bool holds;
} ix_guard;

/* The ranges of the indices inside a body: _k over "box", reduction indices
 * over the boxes of the REDUCE nodes around the place in question, and the
 * guards of the branches of `where` that it is in; outermost first. */
typedef struct ix_frame {
    const ix_domain *box; /* of _k */
    int nreduce, nguard;
    const ilex_array **reduce;
    ix_guard *guard;
} ix_frame;

/* What opens a frame: the body of a reduction, a branch of a `where` whose
 * condition is one on indices, at least in part. */
enum {
    IX_WALK_REDUCTIONS = 1,
    IX_WALK_GUARDS = 2,
    /* the same branches, and those of other guards (ix_is_guard), without
     * conditions in the frame */
    IX_WALK_BRANCHES = 4
};

typedef enum ix_walk_step {
    IX_WALK_IN,   /* visit the operands, then leave */
    IX_WALK_OVER, /* neither: the value is known */
    IX_WALK_END   /* end the walk */
} ix_walk_step;

typedef struct ix_walk ix_walk;
struct ix_walk {
    ilex_context *ctx;
    const ix_mem *mem; /* NULL: the context's */
    unsigned frames;   /* what opens one: IX_WALK_REDUCTIONS, ... */
    unsigned within;   /* visit only nodes with one of these flags; 0: all */
    ix_frame frame;    /* around the node; "box" is the caller's */
    /* Before the operands; NULL: in. "*value" is 0 and may be set. */
    ix_walk_step (*enter)(ix_walk *w, ilex_array *n, size_t *value);
    /* After the operands, with their values; NULL: the value stays. The frame
     * is the one around "n" again. False ends the walk. */
    bool (*leave)(ix_walk *w, ilex_array *n, const size_t *operand,
                  size_t *value);
    void *user;
    ix_map *memo; /* values of the outermost frame; NULL: the walk's own */

    /* what follows is the walk's */
    struct ix_walk_entry *stack;
    size_t *value; /* of operands that are done */
    size_t last;   /* of the node that was met last */
    ix_map *inner; /* values of the frames that are open */
    size_t depth, stack_capacity, nvalues, value_capacity;
    size_t ninner, inner_capacity, reduce_capacity, guard_capacity;
    ix_map own;
};

/* Walks over what "body" reaches and is not remembered from an earlier call,
 * and puts its value into "*value" (which may be NULL). False when a function
 * ended the walk or memory ran out, which is recorded. A function of the walk
 * may walk with it again, in the outermost frame. */
bool ix_walk_body(ix_walk *w, const ilex_array *body, size_t *value);

/* Forgets the nodes, for another walk with the same memory. */
void ix_walk_forget(ix_walk *w);

/* Gives back the memory of the walk (not a memo that is the caller's). */
void ix_walk_free(ix_walk *w);

#endif
