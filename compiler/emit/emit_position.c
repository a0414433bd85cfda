/* SPDX-License-Identifier: MIT
 *
 * argmax and argmin: one loop nest with a counter, the first extremum wins.
 */
#include <stdio.h>

#include "compiler/emit/emit_reduce.h"
#include "lib/ops/dtype.h"

static void
note_better(ix_reduce_axis *x, const ix_name *v)
{
    ix_emitter *e = x->e;
    int m = x->number;
    ix_reduction r = ix_reduction_of(x->n);
    ix_code_template code = ix_reduction_better_template(r, x->acc);
    ix_name best = ix_reduce_name(x, "a", "");
    ix_code_names names = {.loop = x->acc,
                           .result = ILEX_BOOL,
                           .x = {v->re, best.re},
                           .xi = {v->im, best.im}};
    e->block[0].text.failed |=
        !ix_function_set_need_template(&e->functions, code, x->acc);
    ix_text *t = ix_emit_line(e, e->depth);
    ix_text_format(t, "u8 g%d = ", m);
    ix_code_write(t, code.re, &names, &e->dialect->functions);
    ix_text_put(t, ";\n");
    ix_emit_put(e, e->depth, "if (c%d == 0)", m);
    ix_emit_put(e, e->depth, "    g%d = 1;", m);
    ix_emit_open(e);
    ix_emit_put(e, e->depth, "%s = %s;", best.re, v->re);
    if (x->complex)
        ix_emit_put(e, e->depth, "%s = %s;", best.im, v->im);
    ix_emit_put(e, e->depth, "t%d = c%d;", m, m);
    char header[32];
    snprintf(header, sizeof header, "if (g%d)", m);
    ix_emit_close(e, header);
    ix_emit_put(e, e->depth, "c%d++;", m);
}

/* Loops over axes "k" and on; the innermost compares. */
static void
emit_position(ix_reduce_axis *first, int k)
{
    ix_emitter *e = first->e;
    ix_reduce_axis x;
    char header[256];
    ix_reduce_axis_of(&x, e, first->n, k);
    ix_reduce_open(&x);
    if (k + 1 < x.n->interior->rank) {
        emit_position(first, k + 1);
    } else {
        ix_name v = ix_emit_value(e, x.n->ops[0]);
        note_better(first, &v);
    }
    snprintf(header, sizeof header, "for (i64 %s = %s; %s < %s; %s++)", x.r,
             x.lo, x.r, x.hi, x.r);
    ix_reduce_close(&x, header);
}

ix_name
ix_emit_position(ix_emitter *e, ilex_array *n)
{
    ix_reduce_axis x = {.e = e, .n = n, .acc = (ilex_dtype)n->ops[0]->dtype};
    x.number = e->next++;
    x.type = ix_c_type(x.acc);
    x.complex = ix_dtype_is_complex(x.acc);
    char fmt[64];
    bool real = ix_dtype_is_real(ix_dtype_part(x.acc));
    snprintf(fmt, sizeof fmt, "%s a%d# = %s;", x.type, x.number,
             real ? "0.0" : "0");
    ix_reduce_put(&x, fmt, "", "");
    ix_emit_put(e, e->depth, "i64 t%d = 0;", x.number);
    ix_emit_put(e, e->depth, "i64 c%d = 0;", x.number);
    ix_name t = {.depth = e->depth, .id = e->block[e->depth].id};
    snprintf(t.re, sizeof t.re, "t%d", x.number);
    emit_position(&x, 0);
    return t;
}
