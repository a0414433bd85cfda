/* SPDX-License-Identifier: MIT
 *
 * The arguments of a kernel: what a run knows of its buffers, strides and sizes
 * in the order that the kernel's struct has them.
 */
#include "runtime/program/program.h"

/* The element of a buffer of rank 0 that lies on the host; zeros where a
 * pointer leads to it. */
static void
pack_value(const ix_run *r, int buffer, char *to)
{
    size_t bytes = (size_t)ilex_dtype_bytes(r->p->c->buffer[buffer].dtype);
    if (r->value && r->value[buffer])
        memcpy(to, r->value[buffer], bytes);
    else
        memset(to, 0, bytes);
}

size_t
ix_most_arguments(const ix_compiled *c, int dialect)
{
    size_t most = 0;
    for (size_t i = 0; dialect >= 0 && i < c->nkernels; i++)
        if (c->source[dialect].layout[i].bytes > most)
            most = c->source[dialect].layout[i].bytes;
    return most;
}

void
ix_pack_arguments(const ix_run *r, const ix_kernel_layout *l, char *to)
{
    const void *const table[] = {[IX_FIELD_BUFFER] = r->base,
                                 [IX_FIELD_STRIDE] = r->stride,
                                 [IX_FIELD_SIZE] = r->size};
    for (size_t i = 0; i < l->nfields; i++) {
        const ix_field *f = &l->field[i];
        if (f->kind == IX_FIELD_VALUE)
            pack_value(r, f->index, to + f->offset);
        else
            memcpy(to + f->offset,
                   (const char *)table[f->kind] + 8 * (size_t)f->index, 8);
    }
}

_Static_assert(sizeof(char *) == 8 && sizeof(int64_t) == 8,
               "members of a kernel's arguments have 8 bytes");
