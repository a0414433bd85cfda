/* SPDX-License-Identifier: MIT
 *
 * Pass arguments: the struct that a kernel is called with. needs: placed
 * statements; gives: for each kernel exactly what it uses, pointers, strides
 * and sizes, and where they lie; breaks: nothing.
 */
#include <stdlib.h>

#include "compiler/compiler.h"
#include "compiler/tree/tree.h"

enum { PARAMETERS = 4000 }; /* bytes that CUDA passes by value, and a reserve */

/* What a kernel uses, each once. */
typedef struct use {
    ix_field_kind kind;
    int of, axis; /* buffer and axis, or size */
} use;

typedef struct uses {
    ix_unit *u;
    ix_mem mem;
    ix_map seen;
    use *use;
    size_t count, capacity;
} uses;

static void
add_use(uses *l, ix_field_kind kind, int64_t of, int axis)
{
    uintptr_t code = ((uintptr_t)of * ILEX_MAX_RANK + (uintptr_t)axis) * 4 +
                     (uintptr_t)kind + 1;
    if (ix_map_find(&l->seen, (const void *)code))
        return;
    ix_map_set(&l->seen, &l->mem, (const void *)code, 1);
    ix_arena_grow(&l->u->arena, &l->use, &l->capacity, l->count + 1,
                  sizeof *l->use);
    l->use[l->count++] = (use){kind, (int)of, axis};
}

static bool
note_sizes(void *user, ilex_array *x)
{
    if (x->kind == IX_SIZE)
        add_use(user, IX_FIELD_SIZE, x->attr[0], 0);
    for (int i = 0; i < x->nops; i++)
        note_sizes(user, x->ops[i]);
    return true;
}

static bool
is_zero(const ilex_array *x)
{
    return x->kind == IX_CONST && x->attr[0] == 0;
}

static bool
note_stmt(void *user, ix_stmt *s)
{
    const ix_element *e = &s->at;
    ix_stmt_exprs(s, note_sizes, user);
    if (!ix_stmt_has_element(s) || e->scratch)
        return true;
    if (!e->row)
        add_use(user, IX_FIELD_BUFFER, e->buffer, 0);
    for (int k = 0; k < e->rank; k++)
        if (!is_zero(e->index[k]))
            add_use(user, IX_FIELD_STRIDE, e->buffer, k);
    return true;
}

/* Pointers, then strides, then sizes, each by number. */
static int
compare(const void *a, const void *b)
{
    const use *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return x->axis < y->axis ? -1 : x->axis > y->axis;
}

static void
add_field(ix_kernel_layout *l, const use *x, ix_field_kind kind, size_t align,
          size_t bytes)
{
    l->bytes = (l->bytes + align - 1) / align * align;
    l->field[l->nfields++] = (ix_field){kind, x->of, x->axis, (int)l->bytes};
    l->bytes += bytes;
}

/* On a GPU a scalar that lies on the host comes by value: a pointer to it would
 * lead nowhere. */
static bool
by_value(const ix_unit *u, const use *x)
{
    const ix_buffer *b = &u->buffer[x->of];
    return u->cuda && x->kind == IX_FIELD_BUFFER && b->box->rank == 0 &&
           (b->role == IX_ROLE_INPUT || b->role == IX_ROLE_DATA);
}

static ix_kernel_layout *
lay_out(ix_unit *u, const uses *l)
{
    ix_kernel_layout *r = ix_arena_new(&u->arena, sizeof *r);
    r->field = ix_arena_new(&u->arena, (2 * l->count + 1) * sizeof *r->field);
    for (size_t i = 0; i < l->count; i++) {
        const use *x = &l->use[i];
        add_field(r, x, x->kind, 8, 8);
        if (by_value(u, x)) {
            ilex_dtype dtype = u->buffer[x->of].dtype;
            size_t bytes = ilex_dtype_bytes(dtype);
            add_field(r, x, IX_FIELD_VALUE,
                      ix_dtype_is_complex(dtype) ? bytes / 2 : bytes, bytes);
        }
    }
    r->bytes = (r->bytes + 7) / 8 * 8;
    r->indirect = u->cuda && r->bytes > PARAMETERS;
    return r;
}

bool
ix_pass_arguments(ix_unit *u)
{
    if (u->reference)
        return true;
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        uses l = {.u = u, .mem = ix_arena_mem(&u->arena)};
        ix_stmt_each(k->body, note_stmt, &l);
        if (l.count)
            qsort(l.use, l.count, sizeof *l.use, compare);
        k->layout = lay_out(u, &l);
    }
    return u->ctx->error.code == ILEX_OK;
}
