/* SPDX-License-Identifier: MIT
 *
 * Rows of scratch memory, of constant length, as values of vector types:
 *
 *     ILEX_ROW
 *     for (i64 v4 = 0; v4 < 16; v4 += ILEX_WIDE(f64)) {
 *         const f64v t3 = *(f64v *)&d2[16 * v1 + v4];
 *         *(f64v *)&d5[v4] =
 *             fma_f64v(ILEX_SPLAT_f64(t2), t3, *(f64v *)&d5[v4]);
 *     }
 *
 * A compiler would unroll such loops, to find vectors in what that makes: the
 * blocks of a contraction take three times as long to compile then. What copies
 * a buffer does so where its stride is 1, to memory that is no block of
 * registers, as those are seen when all is unrolled.
 */
#include "compiler/emit/emit.h"

/* Of a vector; in a block. */
enum { MOST_BYTES = 64, MOST_ROWS = 16 };
/* Of a block that heads.def has. */
enum { BLOCK_BYTES = 128, BLOCK_ROWS = 6 };

/* ---- which loops ---- */

/* The definition of a value in the loop, or NULL. */
static const ix_stmt *
defined_in(const ix_stmt *loop, const ilex_array *x)
{
    const ix_stmt *s = loop->body;
    while (s && !(s->kind == IX_STMT_LOAD && x->kind == IX_VALUE &&
                  x->attr[0] == s->number))
        s = s->next;
    return s;
}

/* Is a factor the same for all lanes, or loaded for each? */
static bool
is_factor(const ix_stmt *loop, const ilex_array *x)
{
    return x->kind == IX_CONST || x->kind == IX_VALUE || defined_in(loop, x);
}

static bool
is_row_of(const ix_stmt *loop, const ix_stmt *s, ilex_dtype part)
{
    const ilex_array *x;
    switch (s->kind) {
    case IX_STMT_LOAD:
        return ix_dtype_part(s->dtype) == part &&
               ix_stmt_moves_along(s, loop) &&
               (s->buffer < 0 || !ix_dtype_is_complex(s->dtype));
    case IX_STMT_STORE:
        x = ix_store_value(s);
        return s->buffer < 0 && ix_dtype_part(s->mem->dtype) == part &&
               s->mem->dtype == (ilex_dtype)x->dtype && defined_in(loop, x) &&
               ix_stmt_moves_along(s, loop);
    case IX_STMT_UPDATE:
        x = ix_update_value(s);
        return s->buffer < 0 && x->kind == IX_PRODUCT &&
               ix_dtype_part(s->mem->dtype) == part &&
               is_factor(loop, x->ops[0]) && is_factor(loop, x->ops[1]) &&
               ix_stmt_moves_along(s, loop);
    default:
        return false;
    }
}

/* Is it stored in memory that registers have no room for? */
static bool
is_long(const ix_emitter *e, const ix_stmt *s)
{
    return s->kind == IX_STMT_STORE &&
           s->mem->extent * (int64_t)ilex_dtype_bytes(s->mem->dtype) >
               e->target->vector_registers * e->target->wide_bytes;
}

bool
ix_emit_counts(const ix_stmt *loop)
{
    const ilex_array *lo = ix_for_lo(loop);
    return loop->step == 1 && !loop->down && !ix_for_while(loop) &&
           loop->n[IX_for_lo] == 1 && loop->n[IX_for_hi] == 1 &&
           ix_index_is_zero(lo);
}

/* Does a loop run over whole vectors of one dtype, and read buffers only to
 * copy them? */
static bool
is_rows(const ix_emitter *e, const ix_stmt *loop)
{
    const ix_stmt *s = loop->body;
    const ilex_array *hi = ix_for_hi(loop);
    if (!e->dialect->optimised || loop->how != IX_VECTOR ||
        !ix_emit_counts(loop) || hi->kind != IX_CONST ||
        s->kind != IX_STMT_LOAD)
        return false;
    ilex_dtype part = ix_dtype_part(s->dtype);
    bool rows = (part == ILEX_F64 || part == ILEX_F32) &&
                hi->attr[0] * (int64_t)ilex_dtype_bytes(part) % MOST_BYTES == 0;
    bool copies = s->buffer >= 0;
    for (; s && rows; s = s->next)
        rows = is_row_of(loop, s, part) &&
               (copies ? s == loop->body || is_long(e, s)
                       : s->kind != IX_STMT_LOAD || s->buffer < 0);
    return rows;
}

/* ---- what they look like ---- */

/* *(f64v *)&d5[v4] */
static const char *
vector_at(ix_emitter *e, ilex_dtype part, const char *element)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    ix_text_format(&t, "*(%sv *)&%s", ix_c_type(part), element);
    const char *s = ix_text_string(&t);
    e->t->failed |= !s;
    return s ? s : "";
}

static void
put_load(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_defined(s);
    bool complex = ix_dtype_is_complex(s->dtype);
    const char *type = ix_c_type(s->dtype);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e);
        ix_text_format(t, "const %sv %s = *(const %sv *)&", type,
                       part ? v.im : v.re, type);
        ix_emit_element(e, s, complex ? part : -1, t);
        ix_text_put(t, ";\n");
    }
}

static void
put_store(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_leaf(e, ix_store_value(s));
    ix_parts at = ix_emit_scratch_element(e, s);
    ilex_dtype part = ix_dtype_part(s->mem->dtype);
    ix_emit_put(e, "%s = %s;", vector_at(e, part, at.re), v.re);
    if (ix_dtype_is_complex(s->mem->dtype))
        ix_emit_put(e, "%s = %s;", vector_at(e, part, at.im), v.im);
}

/* acc = fma(a, b, acc), for each part. */
static void
put_product(ix_emitter *e, const ix_stmt *loop, const ix_stmt *s)
{
    const ilex_array *x = ix_update_value(s);
    ilex_dtype part = ix_dtype_part(s->mem->dtype);
    const char *type = ix_c_type(part);
    ix_name f[2];
    const char *open[2];
    ix_parts at = ix_emit_scratch_element(e, s);
    const ix_product_step *p = NULL;
    for (int i = 0; i < 2; i++) {
        f[i] = ix_emit_leaf(e, x->ops[i]);
        open[i] = defined_in(loop, x->ops[i]) ? "" : "ILEX_SPLAT_";
    }
    while ((p = ix_product_next((ilex_dtype)x->ops[0]->dtype,
                                (ilex_dtype)x->ops[1]->dtype, p))) {
        const char *acc = vector_at(e, part, p->acc ? at.im : at.re);
        ix_emit_put(e, "%s = fma_%sv(%s%s%s(%s), %s%s(%s), %s);", acc, type,
                    p->minus ? "-" : "", open[0], *open[0] ? type : "",
                    p->a ? f[0].im : f[0].re, open[1], *open[1] ? type : "",
                    p->b ? f[1].im : f[1].re, acc);
    }
}

static void
put_rows(ix_emitter *e, const ix_stmt *loop)
{
    ix_value_text v = ix_emit_variable(e, loop->number);
    ix_emit_put(e, "ILEX_ROW");
    ix_emit_open(e, "for (i64 %s = 0; %s < %lld; %s += ILEX_WIDE(%s))", v.s,
                 v.s, (long long)ix_for_hi(loop)->attr[0], v.s,
                 ix_c_type(loop->body->dtype));
    for (const ix_stmt *s = loop->body; s; s = s->next)
        if (s->kind == IX_STMT_LOAD)
            put_load(e, s);
        else if (s->kind == IX_STMT_STORE)
            put_store(e, s);
        else
            put_product(e, loop, s);
    ix_emit_close(e);
    e->rows = true;
}

/* Is a loop of few iterations around one over vectors, which are in registers
 * if both are unrolled? */
static bool
is_block(const ix_emitter *e, const ix_stmt *loop)
{
    const ix_stmt *s = loop->body;
    return s->kind == IX_STMT_FOR && !s->next && is_rows(e, s) &&
           s->body->buffer < 0 && ix_for_hi(loop)->kind == IX_CONST &&
           loop->n[IX_for_hi] == 1 && ix_for_hi(loop)->attr[0] <= MOST_ROWS;
}

/* ---- blocks ahead of time ---- */

/* Is an index "k" times that of a loop, if there is one, plus that of another,
 * plus c, or what else there is? */
static bool
is_sum(const ilex_array *x, const ix_stmt *a, int64_t k, const ix_stmt *b,
       int64_t c)
{
    ix_index_form f;
    int found = 0;
    ix_index_form_of(x, &f);
    for (int i = 0; i < f.n; i++) {
        const ilex_array *v = f.t[i].atom;
        const ix_stmt *loop = f.t[i].k == k ? a : f.t[i].k == 1 ? b : NULL;
        if (v->kind == IX_INDEX && loop && v->attr[0] == loop->number)
            found++;
        else if (!a || ix_scalar_uses_index(v, a->number) ||
                 ix_scalar_uses_index(v, b->number))
            return false;
    }
    return found == 1 + (a != NULL) && (a || f.c == c);
}

static bool
is_value_of(const ilex_array *x, const ix_stmt *s)
{
    return x->kind == IX_VALUE && x->attr[0] == s->number;
}

bool
ix_emit_multiplies(const ilex_array *x, const ix_stmt *a, const ix_stmt *b)
{
    ilex_array *const *f = x->ops;
    return x->kind == IX_PRODUCT &&
           ((is_value_of(f[0], a) && is_value_of(f[1], b)) ||
            (is_value_of(f[0], b) && is_value_of(f[1], a)));
}

/* Does a loop add, to row r of a block, the row of the panel that "loop" is at,
 * times the number that was loaded before? */
static bool
is_row_of_block(const ix_emitter *e, const ix_stmt *loop, const ix_stmt *load,
                int r)
{
    const ix_stmt *row = load->next;
    if (load->kind != IX_STMT_LOAD || load->buffer < 0 || !row ||
        row->kind != IX_STMT_FOR || !is_rows(e, row))
        return false;
    const ix_stmt *panel = row->body, *sum = panel->next;
    int64_t width = BLOCK_BYTES / (int64_t)ilex_dtype_bytes(panel->dtype);
    return load->dtype == panel->dtype && !ix_dtype_is_complex(panel->dtype) &&
           ix_for_hi(row)->attr[0] == width &&
           ix_emit_axis(load, NULL, loop) >= 0 && sum && !sum->next &&
           sum->kind == IX_STMT_UPDATE && sum->mem->dtype == panel->dtype &&
           ix_emit_multiplies(ix_update_value(sum), load, panel) &&
           is_sum(ix_first_operand(panel, IX_INDICES), loop, width, row, 0) &&
           is_sum(ix_first_operand(sum, IX_INDICES), NULL, 0, row, r * width);
}

/* Is it a block of a contraction, all rows of it, which take in elements? */
static bool
is_whole_block(const ix_emitter *e, const ix_stmt *loop)
{
    int r = 0;
    const ix_stmt *s = loop->body, *first = s;
    if (!e->dialect->alone || e->dialect->cuda || !ix_emit_counts(loop))
        return false;
    for (; s && is_row_of_block(e, loop, s, r); s = s->next->next, r++)
        if (s->buffer != first->buffer ||
            ix_emit_axis(s, NULL, loop) != ix_emit_axis(first, NULL, loop) ||
            s->next->body->mem != first->next->body->mem ||
            s->next->body->next->mem != first->next->body->next->mem)
            return false;
    return !s && r == BLOCK_ROWS;
}

/* What the head of the file has for blocks. */
static void
put_whole_block(ix_emitter *e, const ix_stmt *loop)
{
    const ix_stmt *first = loop->body, *row = first->next;
    const char *type = ix_c_type(first->dtype);
    ix_emit_put(e, "{");
    e->indent++;
    ix_emit_put(e, "const i64 %s = 0, %s = 0;",
                ix_emit_variable(e, loop->number).s,
                ix_emit_variable(e, row->number).s);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const %s *const rows[] = {", type);
    for (const ix_stmt *s = first; s; s = s->next->next) {
        ix_text_put(t, s == first ? "&" : ", &");
        ix_emit_element(e, s, -1, t);
    }
    ix_text_put(t, "};\n");
    t = ix_emit_line(e);
    ix_text_format(t, "ilex_block_%s(", type);
    ix_emit_sum(e, ix_for_hi(loop), t);
    ix_text_format(t, ", &%s, %s, rows, s%d_%d);\n",
                   ix_emit_scratch_element(e, row->body).re,
                   ix_emit_scratch(e, row->body->next->mem, "").re,
                   first->buffer, ix_emit_axis(first, NULL, loop));
    ix_emit_close(e);
    e->blocks = true;
}

bool
ix_emit_rows(ix_emitter *e, const ix_stmt *loop)
{
    if (is_whole_block(e, loop)) {
        put_whole_block(e, loop);
        return true;
    }
    if (is_block(e, loop)) {
        ix_emit_put(e, "ILEX_ROW");
        ix_emit_loop(e, loop);
        return true;
    }
    if (!is_rows(e, loop))
        return false;
    const ix_stmt *load = loop->body;
    if (load->buffer < 0) {
        put_rows(e, loop);
        return true;
    }
    ix_emit_open(e, "if (s%d_%d == 1)", load->buffer, load->n[IX_INDICES] - 1);
    put_rows(e, loop);
    e->indent--;
    ix_emit_open(e, "} else");
    ix_emit_rolled(e);
    ix_emit_loop(e, loop);
    ix_emit_close(e);
    return true;
}
