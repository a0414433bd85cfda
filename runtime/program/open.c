/* SPDX-License-Identifier: MIT
 *
 * Programs whose wrapped data come with a run.
 */
#include "runtime/program/program.h"

/* The number of the data that "buffer" wraps, of several that are one the
 * first. */
static size_t
number_of(const ix_held *held, const ix_compiled_buffer *buffer)
{
    size_t i = 0;
    while (held->data[i]->ext != buffer->data)
        i++;
    return i;
}

bool
ix_program_open(ilex_program *p, const ix_held *held)
{
    p->data = ix_mem_new(&p->mem, (p->c->narguments + 1) * sizeof *p->data);
    for (size_t i = 0; p->data && i < p->c->narguments; i++) {
        ix_compiled_buffer *b = &p->c->buffer[i];
        p->data[i] = SIZE_MAX;
        if (b->role != IX_COMPILED_DATA)
            continue;
        p->data[i] = number_of(held, b);
        b->role = IX_COMPILED_INPUT;
        ilex_storage_release(b->data);
        b->data = NULL;
    }
    return p->data != NULL;
}
