/* SPDX-License-Identifier: MIT
 *
 * The order of a graph.
 */
#include "lib/graph/order.h"

/* An array whose operands are being visited, and the next of them. */
typedef struct ix_order_entry {
    ilex_array *n;
    int next;
} ix_order_entry;

/* Puts an array on the stack unless it was there before. */
static bool
push(ix_order *o, ilex_array *n)
{
    const ix_mem *mem = &o->ctx->mem;
    if (ix_map_find(&o->number, n))
        return true;
    if (!ix_map_set(&o->number, mem, n, SIZE_MAX) ||
        !ix_mem_grow(mem, &o->stack, &o->stack_capacity, o->depth + 1,
                     sizeof *o->stack))
        return false;
    o->stack[o->depth++] = (ix_order_entry){n, 0};
    return true;
}

/* Lists the array on top of the stack, whose operands are listed. */
static bool
pop(ix_order *o)
{
    ilex_array *n = o->stack[--o->depth].n;
    if (!ix_mem_grow(&o->ctx->mem, &o->array, &o->capacity, o->n + 1,
                     sizeof *o->array))
        return false;
    *ix_map_find(&o->number, n) = o->n;
    o->array[o->n++] = n;
    return true;
}

bool
ix_order_from(ix_order *o, ilex_array *root)
{
    bool ok = push(o, root);
    while (ok && o->depth > 0) {
        ix_order_entry *top = &o->stack[o->depth - 1];
        ilex_array *operand = ix_order_operand(top->n, top->next++);
        ok = operand ? push(o, operand) : pop(o);
    }
    return ok;
}

void
ix_order_free(ix_order *o)
{
    const ix_mem *mem = &o->ctx->mem;
    ix_map_free(&o->number, mem);
    ix_mem_free(mem, o->array);
    ix_mem_free(mem, o->stack);
}
