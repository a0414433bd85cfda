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
    int first;
    for (size_t i = 0; i < l->nfields; i++) {
        const ix_field *f = &l->field[i];
        switch (f->kind) {
        case IX_FIELD_BUFFER:
            memcpy(to + f->offset, &r->s.base[f->index], 8);
            break;
        case IX_FIELD_VALUE:
            pack_value(r, f->index, to + f->offset);
            break;
        case IX_FIELD_STRIDE:
            first = r->p->c->buffer[f->index].first_stride;
            memcpy(to + f->offset, &r->s.stride[first + f->of], 8);
            break;
        case IX_FIELD_STATUS:
            memcpy(to + f->offset, &r->status, 8);
            break;
        case IX_FIELD_OFFSET:
            ix_value_store(f->number.dtype, to + f->offset, f->number.value);
            break;
        case IX_FIELD_FUNCTION:
            memcpy(to + f->offset, &r->p->elementwise[f->index], 8);
            break;
        case IX_FIELD_SIZE:
            memcpy(to + f->offset, &r->s.size[f->index], 8);
            break;
        }
    }
}

_Static_assert(sizeof(char *) == 8 && sizeof(int64_t) == 8 &&
                   sizeof(ilex_elementwise_function) == 8,
               "members of a kernel's arguments have 8 bytes");
