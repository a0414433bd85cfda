/* SPDX-License-Identifier: MIT
 *
 * Loads and stores. An address is a row pointer, hoisted to the loop that its
 * indices need, and a subscript in the innermost loop's index:
 *
 *     const f64 *const r3 = b0 + (i0 + 1) * s0_0 + i1 * s0_1;
 *     ...
 *         const f64 t5 = r3[(i2 - 1) * s0_2];
 */
#include <stdio.h>

#include "compiler/emit/emit.h"
#include "lib/ops/dtype.h"

/* An index split into the terms of the innermost loop and the others. */
typedef struct split_index {
    ix_index_form inner, outer;
    int outer_depth;
} split_index;

static int
atom_depth(ix_emitter *e, ilex_array *atom)
{
    int depth = 0;
    ix_text scratch;
    ix_text_init(&scratch, &e->mem);
    ix_emit_index(e, atom, &scratch, &depth);
    ix_text_free(&scratch);
    return depth;
}

/* The deepest loop that any index needs. */
static int
deepest_index(ix_emitter *e, int rank, ilex_array *const *index)
{
    int depth = 0;
    for (int k = 0; k < rank; k++) {
        ix_index_form f;
        ix_index_form_of(index[k], &f);
        for (int i = 0; i < f.n; i++) {
            int at = atom_depth(e, f.t[i].atom);
            depth = at > depth ? at : depth;
        }
    }
    return depth;
}

/* Terms at "depth" are inner; the constant goes with them if there are any. */
static void
split(ix_emitter *e, ilex_array *index, int depth, split_index *s)
{
    ix_index_form f;
    ix_index_form_of(index, &f);
    memset(s, 0, sizeof *s);
    for (int i = 0; i < f.n; i++) {
        int at = atom_depth(e, f.t[i].atom);
        ix_index_form *part = depth > 0 && at == depth ? &s->inner : &s->outer;
        part->t[part->n++] = f.t[i];
        if (part == &s->outer && at > s->outer_depth)
            s->outer_depth = at;
    }
    (s->inner.n ? &s->inner : &s->outer)->c = f.c;
}

/* " + (form) * s<buffer>_<k>" */
static void
put_term(ix_emitter *e, int buffer, int k, const ix_index_form *f, ix_text *t)
{
    int ignored = 0;
    bool atom = f->n == 1 && f->c == 0 && f->t[0].k == 1;
    ilex_array *x = ix_index_from(e->u->ctx, f);
    ix_text_put(t, t->length ? " + " : "");
    if (!f->n && f->c == 1) {
        ix_text_format(t, "s%d_%d", buffer, k);
    } else {
        ix_text_put(t, atom || (!f->n && f->c >= 0) ? "" : "(");
        ix_emit_index(e, x, t, &ignored);
        ix_text_put(t, atom || (!f->n && f->c >= 0) ? "" : ")");
        ix_text_format(t, " * s%d_%d", buffer, k);
    }
    e->uses_stride[e->first_stride[buffer] + k] = true;
}

static bool
complex_buffer(const ix_emitter *e, int buffer)
{
    return ix_dtype_is_complex(e->u->buffer[buffer].dtype);
}

/* The pointer for "offset", declared at "depth" unless it is known. */
static ix_name
row_pointer(ix_emitter *e, int buffer, const char *offset, int depth)
{
    ix_name base = {.id = e->block[0].id};
    e->uses_buffer[buffer] = true;
    snprintf(base.re, sizeof base.re, "b%d", buffer);
    if (!*offset)
        return base;
    for (size_t i = 0; i < e->nrows; i++)
        if (e->row[i].buffer == buffer && !strcmp(e->row[i].offset, offset) &&
            ix_emit_known(e, &e->row[i].name))
            return e->row[i].name;
    ix_name v = {.depth = depth, .id = e->block[depth].id};
    bool output = e->u->buffer[buffer].role == IX_ROLE_OUTPUT ||
                  e->u->buffer[buffer].role == IX_ROLE_TEMP;
    snprintf(v.re, sizeof v.re, "r%d", e->next++);
    ix_text *t = ix_emit_line(e, depth);
    ix_text_format(t, "%s%s *const %s = b%d + ", output ? "" : "const ",
                   ix_c_type(e->u->buffer[buffer].dtype), v.re, buffer);
    ix_text_put(t, complex_buffer(e, buffer) ? "2 * (" : "");
    ix_text_put(t, offset);
    ix_text_put(t, complex_buffer(e, buffer) ? ");\n" : ";\n");
    ix_arena_grow(e->arena, &e->row, &e->row_capacity, e->nrows + 1,
                  sizeof *e->row);
    e->row[e->nrows].buffer = buffer;
    e->row[e->nrows].offset = ix_arena_string(e->arena, offset);
    e->row[e->nrows++].name = v;
    return v;
}

/* Notes a stride that the kernel's body takes as a parameter, so that stride 1
 * is a compile-time fact in one of its copies. */
static void
note_inner(ix_emitter *e, int buffer, int axis)
{
    for (size_t i = 0; i < e->ninner; i++)
        if (e->inner[i].buffer == buffer && e->inner[i].axis == axis)
            return;
    ix_arena_grow(e->arena, &e->inner, &e->inner_capacity, e->ninner + 1,
                  sizeof *e->inner);
    e->inner[e->ninner++] = (ix_inner_stride){buffer, axis};
}

/* The pointer and, in "subscript", the text inside the brackets; the depth at
 * which both are known. */
static ix_name
address(ix_emitter *e, int buffer, int rank, ilex_array *const *index,
        ix_text *subscript, int *depth)
{
    ix_text offset;
    int row_depth = 0, inner_axes = 0, inner_axis = 0;
    *depth = deepest_index(e, rank, index);
    ix_text_init(&offset, &e->mem);
    for (int k = 0; k < rank; k++) {
        split_index s;
        split(e, index[k], *depth, &s);
        if (s.outer.n || s.outer.c) {
            put_term(e, buffer, k, &s.outer, &offset);
            row_depth = s.outer_depth > row_depth ? s.outer_depth : row_depth;
        }
        if (s.inner.n) {
            put_term(e, buffer, k, &s.inner, subscript);
            inner_axes++;
            inner_axis = k;
        }
    }
    if (inner_axes == 1)
        note_inner(e, buffer, inner_axis);
    const char *s = ix_text_string(&offset);
    e->block[0].text.failed |= s == NULL;
    ix_name row = row_pointer(e, buffer, s ? s : "", row_depth);
    ix_text_free(&offset);
    if (!subscript->length)
        ix_text_char(subscript, '0');
    return row;
}

/* "row[subscript]" or, for a part of a complex element,
 * "row[2 * (subscript) + part]". */
static void
put_element(ix_text *t, const ix_name *row, const char *subscript, int part)
{
    if (part < 0)
        ix_text_format(t, "%s[", row->re);
    else
        ix_text_format(t, "%s[2 * (", row->re);
    ix_text_put(t, subscript);
    ix_text_put(t, part < 0 ? "]" : part ? ") + 1]" : ")]");
}

ix_name
ix_emit_load(ix_emitter *e, ilex_array *n)
{
    int buffer = (int)n->attr[0], depth, number;
    ix_text subscript;
    ix_name v = {.depth = 0};
    ix_text_init(&subscript, &e->mem);
    ix_name row = address(e, buffer, n->nops, n->ops, &subscript, &depth);
    const char *s = ix_text_string(&subscript);
    bool complex = complex_buffer(e, buffer);
    depth = depth < e->floor ? e->floor : depth;
    v.depth = depth;
    v.id = e->block[depth].id;
    number = e->next++;
    snprintf(v.re, sizeof v.re, "t%d%s", number, complex ? "r" : "");
    snprintf(v.im, sizeof v.im, "t%di", number);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e, depth);
        ix_text_format(t, "const %s %s = ", ix_c_type((ilex_dtype)n->dtype),
                       part ? v.im : v.re);
        put_element(t, &row, s ? s : "", complex ? part : -1);
        ix_text_put(t, n->dtype == ILEX_BOOL ? " != 0;\n" : ";\n");
    }
    ix_text_free(&subscript);
    return v;
}

void
ix_emit_store(ix_emitter *e, int buffer, int rank, const ix_name *v)
{
    ilex_array *index[ILEX_MAX_RANK];
    ix_text subscript;
    int depth;
    ix_text_init(&subscript, &e->mem);
    for (int k = 0; k < rank; k++)
        index[k] = ix_scalar_index(e->u->ctx, k);
    ix_name row = address(e, buffer, rank, index, &subscript, &depth);
    const char *s = ix_text_string(&subscript);
    bool complex = complex_buffer(e, buffer);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e, e->depth);
        put_element(t, &row, s ? s : "", complex ? part : -1);
        ix_text_format(t, " = %s;\n", part ? v->im : v->re);
    }
    ix_text_free(&subscript);
}
