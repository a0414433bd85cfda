/* SPDX-License-Identifier: MIT
 *
 * Pass arguments: the struct that a kernel is called with. needs: flat
 * statements; gives: for each kernel exactly what it uses, pointers, strides
 * and sizes, and where they lie; breaks: nothing.
 */
#include <stdlib.h>

#include "compiler/compiler.h"
#include "compiler/tree/tree.h"

/* What a kernel uses, each once. */
typedef struct use {
    ix_field_kind kind;
    int of, axis; /* buffer and axis, size, or function */
} use;

typedef struct uses {
    ix_unit *u;
    ix_mem mem;
    ix_map seen;
    ix_walk walk;
    use *use;
    size_t count, capacity;
    bool fused; /* multiply-adds */
} uses;

static void
add_use(uses *l, ix_field_kind kind, int64_t of, int axis)
{
    uintptr_t code = ((uintptr_t)of * ILEX_MAX_RANK + (uintptr_t)axis) * 8 +
                     (uintptr_t)kind + 1;
    if (ix_map_find(&l->seen, (const void *)code))
        return;
    ix_map_set(&l->seen, &l->mem, (const void *)code, 1);
    ix_arena_grow(&l->u->arena, &l->use, &l->capacity, l->count + 1,
                  sizeof *l->use);
    l->use[l->count++] = (use){kind, (int)of, axis};
}

/* Of a grid each thread calls a function by its name. */
static void
note_function(uses *l, int number)
{
    if (!l->u->target->grid)
        add_use(l, IX_FIELD_FUNCTION, number, 0);
}

static ix_walk_step
note_node(ix_walk *w, ilex_array *x, size_t *value)
{
    uses *l = w->user;
    (void)value;
    if (x->kind == IX_SIZE)
        add_use(l, IX_FIELD_SIZE, x->attr[0], 0);
    if (x->kind == IX_VALUE && x->attr[0] <= IX_VALUE_OFFSET)
        add_use(l, IX_FIELD_OFFSET, IX_VALUE_OFFSET - x->attr[0], 0);
    if (x->kind == IX_APPLY)
        note_function(l, ix_unit_function(l->u, x));
    l->fused |=
        x->kind == IX_PRODUCT || (x->kind == IX_OP && ix_op_of(x) == IX_OP_FMA);
    return IX_WALK_IN;
}

static bool
note_stmt(void *user, ix_stmt *s)
{
    uses *l = user;
    ilex_array *const *index = ix_operands(s, IX_INDICES);
    ix_stmt_walk(&l->walk, s);
    if (s->kind == IX_STMT_CHECK && l->u->target->grid)
        add_use(l, IX_FIELD_STATUS, 0, 0);
    if (s->buffer >= 0 && !s->mem)
        add_use(l, IX_FIELD_BUFFER, s->buffer, 0);
    for (int k = 0; s->buffer >= 0 && k < s->n[IX_INDICES]; k++)
        if (!ix_index_is_zero(index[k]))
            add_use(l, IX_FIELD_STRIDE, s->buffer, k);
    return true;
}

/* Pointers, then strides, sizes, offsets, functions, each by number. */
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
    l->field[l->nfields++] = (ix_field){
        .kind = kind, .index = x->of, .axis = x->axis, .offset = (int)l->bytes};
    l->bytes += bytes;
}

/* Numbers by which kernels of a function differ are indices as sizes are. */
static void
note_narrow(ix_kernel_layout *l, int64_t limit)
{
    l->narrow = limit;
    for (size_t i = 0; i < l->nfields; i++) {
        const ix_literal *x = &l->field[i].number;
        if (l->field[i].kind == IX_FIELD_OFFSET && x->dtype == ILEX_I64 &&
            (x->value.i > limit || x->value.i < -limit))
            l->narrow = 0;
    }
}

static ix_kernel_layout *
lay_out(ix_unit *u, const ix_kernel *k, const uses *l)
{
    ix_kernel_layout *r = ix_arena_new(&u->arena, sizeof *r);
    r->field = ix_arena_new(&u->arena, (2 * l->count + 1) * sizeof *r->field);
    for (size_t i = 0; i < l->count; i++) {
        const use *x = &l->use[i];
        if (x->kind == IX_FIELD_OFFSET) {
            const ix_literal *number = &k->offset[x->of];
            size_t bytes = (size_t)ilex_dtype_bytes(number->dtype);
            add_field(r, x, x->kind, bytes, bytes);
            r->field[r->nfields - 1].number = *number;
            continue;
        }
        add_field(r, x, x->kind, 8, 8);
        if (x->kind == IX_FIELD_BUFFER &&
            ix_buffer_by_value(u, &u->buffer[x->of])) {
            ilex_dtype dtype = u->buffer[x->of].dtype;
            size_t bytes = ilex_dtype_bytes(dtype);
            add_field(r, x, IX_FIELD_VALUE,
                      ix_dtype_is_complex(dtype) ? bytes / 2 : bytes, bytes);
        }
    }
    r->bytes = (r->bytes + 7) / 8 * 8;
    r->indirect = u->target->argument_bytes &&
                  r->bytes > (size_t)u->target->argument_bytes;
    r->fused = l->fused;
    note_narrow(r, k->narrow ? k->narrow->limit : 0);
    return r;
}

/* What of "k" takes the place of the other kernel's buffers or sizes: "place"
 * is by their numbers. */
static void
note_places(int *place, const ix_ints *from, const ix_ints *to)
{
    for (size_t i = 0; i < from->count; i++)
        place[from->item[i]] = to->item[i];
}

/* The layout of the function's own kernel with the arguments of "k". */
static ix_kernel_layout *
lay_out_like(ix_unit *u, const ix_kernel *k, int *buffer, int *size)
{
    const ix_kernel_layout *its = k->like->layout;
    ix_kernel_layout *l = ix_arena_new(&u->arena, sizeof *l);
    *l = *its;
    l->field = ix_arena_new(&u->arena, (l->nfields + 1) * sizeof *l->field);
    note_places(buffer, &k->like->buffers, &k->buffers);
    note_places(size, &k->like->sizes, &k->sizes);
    for (size_t i = 0; i < l->nfields; i++) {
        ix_field *f = &l->field[i];
        *f = its->field[i];
        if (f->kind == IX_FIELD_OFFSET)
            f->number = k->offset[f->index];
        else if (f->kind != IX_FIELD_STATUS && f->kind != IX_FIELD_FUNCTION)
            f->index = (f->kind == IX_FIELD_SIZE ? size : buffer)[f->index];
    }
    note_narrow(l, k->like->narrow ? k->like->narrow->limit : 0);
    return l;
}

bool
ix_pass_arguments(ix_unit *u)
{
    if (u->reference)
        return true;
    int *buffer = ix_arena_new(&u->arena, (u->nbuffers + 1) * sizeof *buffer);
    int *size = ix_arena_new(&u->arena, (u->ctx->nparams + 1) * sizeof *size);
    for (ix_kernel *k = u->kernels; k; k = k->next) {
        uses l = {.u = u, .mem = ix_arena_mem(&u->arena)};
        if (k->like) {
            k->layout = lay_out_like(u, k, buffer, size);
            continue;
        }
        l.walk = (ix_walk){
            .ctx = u->ctx, .mem = &l.mem, .enter = note_node, .user = &l};
        ix_stmt_each(k->body, note_stmt, &l);
        ix_walk_free(&l.walk);
        if (l.count)
            qsort(l.use, l.count, sizeof *l.use, compare);
        k->layout = lay_out(u, k, &l);
        k->layout->function = k->number;
    }
    return u->ctx->error.code == ILEX_OK;
}
