/* SPDX-License-Identifier: MIT
 *
 * The order of a graph: every array that roots reach once, operands first, with
 * a stack of its own. A body belongs to its array; a scalar that is a root
 * stands for itself.
 */
#ifndef ILEX_LIB_ORDER_H
#define ILEX_LIB_ORDER_H

#include "lib/graph/node.h"

typedef struct ix_order {
    ilex_context *ctx;
    ilex_array **array;
    size_t n;
    ix_map number; /* of each array: its place in the list */

    /* what follows is the walk's */
    struct ix_order_entry *stack;
    size_t capacity, depth, stack_capacity;
} ix_order;

/* Appends what "root" reaches and is not listed yet. False when there is no
 * memory, which is recorded. */
bool ix_order_from(ix_order *o, ilex_array *root);

/* The i-th operand of a listed array, which is listed before it; NULL if there
 * are no more. */
static inline ilex_array *
ix_order_operand(const ilex_array *n, int i)
{
    return ix_is_array(n) ? ix_operand(n, i) : NULL;
}

void ix_order_free(ix_order *o);

#endif
