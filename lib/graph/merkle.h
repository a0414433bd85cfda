/* SPDX-License-Identifier: MIT
 *
 * Merkle hashes of nodes: what a graph means, whatever context it is in and in
 * whatever order it was made. Names count, numbers of symbols and sizes do not.
 */
#ifndef ILEX_LIB_MERKLE_H
#define ILEX_LIB_MERKLE_H

#include "lib/base/digest.h"
#include "lib/graph/node.h"

/* A walk that hashes arrays of one program: wrapped data are numbered in the
 * order in which it meets them. Zero it and set ctx. */
typedef struct ix_merkle {
    ilex_context *ctx;
    bool *size;     /* per parameter: it occurs; NULL: not asked, and then parts
                       whose hash is known are not entered */
    bool foreign;   /* it calls functions of the host; known with "size" */
    ix_map data;    /* their numbers */
    ix_map carried; /* numbers of what loops carry, likewise */
    ix_map seen;    /* of what reaches these: the place in "own" + 1 */
    ix_digest *own;
    size_t nown, own_capacity;
    struct ix_merkle_place *stack;
    size_t depth, stack_capacity;
} ix_merkle;

/* The hash of "n"; false when there is no memory, which is recorded. */
bool ix_merkle_node(ix_merkle *w, ilex_array *n, ix_digest *hash);
void ix_merkle_free(ix_merkle *w);

/* What assumptions say, independent of the context. */
void ix_merkle_env(ix_digester *d, const ix_env *env);

#endif
