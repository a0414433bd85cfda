/* SPDX-License-Identifier: MIT
 *
 * Elements: row pointers and subscripts.
 *
 *     const f64 *const r3 = b0 + (i0 + 1) * s0_0 + i1 * s0_1;
 *     ...
 *         const f64 t5 = r3[(i2 - 1) * s0_2];
 */
#include "compiler/emit/emit.h"

/* " + (sum) * s<buffer>_<k>"; nothing for 0. */
static void
put_term(const ix_emitter *e, int buffer, int k, const ilex_array *x,
         ix_text *t, bool *first)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    if (f.n == 0 && f.c == 0)
        return;
    bool plain = f.n == 0 ? f.c >= 0 : f.n == 1 && f.c == 0 && f.t[0].k == 1;
    ix_text_put(t, *first ? "" : " + ");
    *first = false;
    if (f.n || f.c != 1) {
        plain |= ix_emit_is_wide(e, x);
        ix_text_put(t, plain ? "" : "(");
        ix_emit_index(e, x, t);
        ix_text_put(t, plain ? " * " : ") * ");
    }
    ix_text_format(t, "s%d_%d", buffer, k);
}

void
ix_emit_offset(const ix_emitter *e, const ix_stmt *s, ix_text *t)
{
    bool first = true;
    for (int k = 0; k < s->n[IX_INDICES]; k++)
        put_term(e, s->buffer, k, ix_operands(s, IX_INDICES)[k], t, &first);
    if (first)
        ix_text_char(t, '0');
}

void
ix_emit_row(ix_emitter *e, const ix_stmt *s)
{
    const ix_buffer *b = &e->u->buffer[s->buffer];
    bool complex = ix_dtype_is_complex(b->dtype);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "%s%s *const r%d = b%d + %s",
                   ix_buffer_is_written(b) ? "" : "const ", ix_c_type(b->dtype),
                   s->number, s->buffer, complex ? "2 * (" : "");
    ix_emit_offset(e, s, t);
    ix_text_put(t, complex ? ");\n" : ";\n");
}

ix_parts
ix_emit_scratch_element(const ix_emitter *e, const ix_stmt *s)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    if (s->mem->spread)
        ix_text_put(&t, "[own]");
    else if (s->n[IX_INDICES]) {
        ix_text_char(&t, '[');
        ix_emit_sum(e, ix_first_operand(s, IX_INDICES), &t);
        ix_text_char(&t, ']');
    }
    const char *index = ix_text_string(&t);
    e->t->failed |= index == NULL;
    ix_parts v = ix_emit_scratch(e, s->mem, index ? index : "");
    ix_text_free(&t);
    return v;
}

/* "r3" or "b0", from which an element counts. */
static void
put_row(const ix_stmt *s, ix_text *t)
{
    ix_text_format(t, s->mem ? "r%d" : "b%d",
                   s->mem ? s->mem->number : s->buffer);
}

/* "row[subscript]" or, for a part of a complex element,
 * "row[2 * (subscript) + part]". */
void
ix_emit_element(const ix_emitter *e, const ix_stmt *s, int part, ix_text *t)
{
    if (s->buffer < 0) {
        ix_parts v = ix_emit_scratch_element(e, s);
        ix_text_put(t, part == 1 ? v.im : v.re);
        return;
    }
    put_row(s, t);
    ix_text_put(t, part < 0 ? "[" : "[2 * (");
    ix_emit_offset(e, s, t);
    ix_text_put(t, part < 0 ? "]" : part ? ") + 1]" : ")]");
}

/* ILEX_FETCH(row, offset); */
void
ix_emit_fetch(ix_emitter *e, const ix_stmt *s)
{
    bool complex = ix_dtype_is_complex(e->u->buffer[s->buffer].dtype);
    if (!e->dialect->optimised)
        return;
    ix_text *t = ix_emit_line(e);
    ix_text_put(t, "ILEX_FETCH(");
    put_row(s, t);
    ix_text_put(t, complex ? ", 2 * (" : ", ");
    ix_emit_offset(e, s, t);
    ix_text_put(t, complex ? "));\n" : ");\n");
    e->fetches = true;
}
