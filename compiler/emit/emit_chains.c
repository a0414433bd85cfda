/* SPDX-License-Identifier: MIT
 *
 * A row of accumulators that takes in products, one after the other, by a
 * function of libilex (runtime/jit/chains.c), where the compiler makes no
 * vectors, and calls one for each fma:
 *
 *     for (i64 r = 0; r < n; r++) {
 *         const f64 t3 = b0[r * s0_1];           ilex_chain_f64(a2, m,
 *         for (i64 j = 0; j < m; j++) {              &b1[0], s1_0, s1_1,
 *             const f64 t4 =                         &b0[0], s0_1, n);
 *                 b1[r * s1_0 + j * s1_1];
 *             a2[j] = fma(t3, t4, a2[j]);
 *         }
 *     }
 */
#include "compiler/emit/emit.h"

/* What stands in the loop over elements: what all take in of one, where the
 * others of it begin, if that is no argument, and what takes it in. */
typedef struct chain {
    const ix_stmt *loop, *number, *row, *points, *element, *sum;
} chain;

/* How often indices have that of a loop in them, by itself, plus others; 2
 * where not so. "axis" gets along which. */
static int
uses(const ix_stmt *s, const ix_stmt *loop, int *axis)
{
    int n = 0;
    for (int d = 0; d < s->n[IX_INDICES]; d++) {
        ix_index_form f;
        ix_index_form_of(ix_operands(s, IX_INDICES)[d], &f);
        for (int i = 0; i < f.n; i++)
            if (ix_scalar_uses_index(f.t[i].atom, loop->number)) {
                bool itself = f.t[i].atom->kind == IX_INDEX && f.t[i].k == 1;
                n += itself ? 1 : 2;
                *axis = d;
            }
    }
    return n;
}

int
ix_emit_axis(const ix_stmt *load, const ix_stmt *row, const ix_stmt *loop)
{
    int axis = -1, n = uses(load, loop, &axis);
    if (row && load->mem == row)
        n += uses(row, loop, &axis);
    return n == 1 ? axis : -1;
}

static bool
is_load(const ix_stmt *s, ilex_dtype dtype)
{
    return s && s->kind == IX_STMT_LOAD && s->buffer >= 0 && s->dtype == dtype;
}

/* Is a product of what two statements define added to an accumulator of its
 * own for each point? */
static bool
takes_in(const chain *c)
{
    const ix_stmt *s = c->sum;
    return s && !s->next && s->kind == IX_STMT_UPDATE && s->buffer < 0 &&
           s->mem->dtype == c->number->dtype && s->n[IX_INDICES] == 1 &&
           ix_first_operand(s, IX_INDICES)->kind == IX_INDEX &&
           ix_first_operand(s, IX_INDICES)->attr[0] == c->points->number &&
           ix_emit_multiplies(ix_update_value(s), c->number, c->element);
}

static bool
is_chain(const ix_emitter *e, const ix_stmt *loop, chain *c)
{
    const ix_stmt *s = loop->body;
    *c = (chain){.loop = loop};
    if (e->dialect->optimised || e->dialect->cuda || e->dialect->alone ||
        loop->step != 1 || loop->down || ix_for_while(loop) ||
        loop->n[IX_for_lo] != 1 || loop->n[IX_for_hi] != 1)
        return false;
    for (; s && s->kind != IX_STMT_FOR; s = s->next)
        if (s->kind == IX_STMT_ROW && !c->row)
            c->row = s;
        else if (s->kind == IX_STMT_LOAD && !c->number)
            c->number = s;
        else
            return false;
    c->points = s;
    if (!c->number || !s || !ix_emit_counts(s) || s->next ||
        ix_scalar_uses_index(ix_for_hi(s), loop->number))
        return false;
    c->element = s->body;
    c->sum = c->element ? c->element->next : NULL;
    ilex_dtype dtype = c->number->dtype;
    return (dtype == ILEX_F64 || dtype == ILEX_F32) &&
           is_load(c->number, dtype) && is_load(c->element, dtype) &&
           takes_in(c) && ix_emit_axis(c->number, c->row, loop) >= 0 &&
           ix_emit_axis(c->element, c->row, loop) >= 0 &&
           ix_emit_axis(c->element, c->row, s) >= 0;
}

/* ", &row[index], s1_0": an element, and how far apart others are. */
static void
put_element(ix_emitter *e, const chain *c, const ix_stmt *load, ix_text *t)
{
    ix_text_put(t, ", &");
    ix_emit_element(e, load, -1, t);
    ix_text_format(t, ", s%d_%d", load->buffer,
                   ix_emit_axis(load, c->row, c->loop));
}

bool
ix_emit_chain(ix_emitter *e, const ix_stmt *loop)
{
    chain c;
    if (!is_chain(e, loop, &c))
        return false;
    ix_value_text r = ix_emit_variable(e, loop->number);
    ix_emit_put(e, "{");
    e->indent++;
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const i64 %s = ", r.s);
    ix_emit_sum(e, ix_for_lo(loop), t);
    ix_text_format(t, ", %s = 0;\n", ix_emit_variable(e, c.points->number).s);
    if (c.row)
        ix_emit_row(e, c.row);
    t = ix_emit_line(e);
    ix_text_format(t, "ilex_chain_%s(%s, ", ix_c_type(c.number->dtype),
                   ix_emit_scratch(e, c.sum->mem, "").re);
    ix_emit_sum(e, ix_for_hi(c.points), t);
    put_element(e, &c, c.element, t);
    ix_text_format(t, ", s%d_%d", c.element->buffer,
                   ix_emit_axis(c.element, c.row, c.points));
    put_element(e, &c, c.number, t);
    ix_text_put(t, ", ");
    ix_emit_sum(e, ix_for_hi(loop), t);
    ix_text_format(t, " - %s);\n", r.s);
    ix_emit_close(e);
    e->chains = true;
    return true;
}
