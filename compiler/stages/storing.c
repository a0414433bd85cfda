/* SPDX-License-Identifier: MIT
 *
 * Which buffer an array is stored in, and how others read it then.
 */
#include "compiler/stages/partition.h"

int
ix_partition_output(ix_partition *p, const ilex_array *n)
{
    ix_unit *u = p->u;
    int output = -1, count = 0;
    for (size_t k = 0; k < u->nroots; k++)
        if (u->root[k] == n) {
            output = (int)k;
            count++;
        }
    bool whole = u->need[ix_unit_position(u, n)] == n->interior;
    bool own = n->nops > 0; /* an input has a buffer already */
    return count == 1 && whole && own ? output : -1;
}

/* A new temporary for the array at position "i". */
static int
temporary_of(ix_partition *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    int buffer = ix_unit_temporary(u, u->need[i], (ilex_dtype)n->dtype);
    u->buffer[buffer].array = ix_unit_program(u, n);
    return buffer;
}

int
ix_partition_buffer(ix_partition *p, size_t i)
{
    int output = ix_partition_output(p, p->u->order[i]);
    p->of[i].stored = true;
    if (p->of[i].into)
        return p->of[i].buffer = p->of[i].into - 1;
    return p->of[i].buffer =
               output < 0 ? temporary_of(p, i) : (int)p->first_output + output;
}

void
ix_partition_store(ix_partition *p, size_t i)
{
    int buffer = ix_partition_buffer(p, i);
    ix_unit_store(p->u, buffer, p->u->need[i], p->of[i].body, p->u->order[i]);
}

ilex_array *
ix_partition_read(ix_partition *p, const ilex_array *n)
{
    const ix_partition_info *x = ix_partition_of(p, n);
    return x->stored ? ix_unit_load(p->u, x->buffer) : x->body;
}
