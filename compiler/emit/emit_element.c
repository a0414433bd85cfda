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
        ix_text_put(t, plain ? "" : "(");
        ix_emit_sum(e, x, t);
        ix_text_put(t, plain ? " * " : ") * ");
    }
    ix_text_format(t, "s%d_%d", buffer, k);
}

void
ix_emit_offset(const ix_emitter *e, const ix_element *at, ix_text *t)
{
    bool first = true;
    for (int k = 0; k < at->rank; k++)
        put_term(e, at->buffer, k, at->index[k], t, &first);
    if (first)
        ix_text_char(t, '0');
}

void
ix_emit_row(ix_emitter *e, const ix_stmt *s)
{
    const ix_buffer *b = &e->u->buffer[s->at.buffer];
    bool complex = ix_dtype_is_complex(b->dtype);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "%s%s *const r%d = b%d + %s",
                   ix_buffer_is_written(b) ? "" : "const ", ix_c_type(b->dtype),
                   s->number, s->at.buffer, complex ? "2 * (" : "");
    ix_emit_offset(e, &s->at, t);
    ix_text_put(t, complex ? ");\n" : ";\n");
}

ix_name
ix_emit_scratch_element(const ix_emitter *e, const ix_element *at)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    if (at->rank) {
        ix_text_char(&t, '[');
        ix_emit_sum(e, at->index[0], &t);
        ix_text_char(&t, ']');
    }
    const char *index = ix_text_string(&t);
    e->t->failed |= index == NULL;
    ix_name v = ix_emit_scratch(at->scratch, index ? index : "");
    ix_text_free(&t);
    return v;
}

/* "row[subscript]" or, for a part of a complex element,
 * "row[2 * (subscript) + part]". */
void
ix_emit_element(const ix_emitter *e, const ix_element *at, int part, ix_text *t)
{
    if (at->scratch) {
        ix_name v = ix_emit_scratch_element(e, at);
        ix_text_put(t, part == 1 ? v.im : v.re);
        return;
    }
    ix_text_format(t, at->row ? "r%d[" : "b%d[",
                   at->row ? at->row->number : at->buffer);
    ix_text_put(t, part < 0 ? "" : "2 * (");
    ix_emit_offset(e, at, t);
    ix_text_put(t, part < 0 ? "]" : part ? ") + 1]" : ")]");
}
