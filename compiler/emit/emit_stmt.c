/* SPDX-License-Identifier: MIT
 *
 * Statements as text, one function for each kind.
 */
#include "compiler/emit/emit.h"

#include <stdio.h>

static void
emit_block(ix_emitter *e, const ix_stmt *list)
{
    e->indent++;
    ix_emit_stmts(e, list);
    e->indent--;
}

/* ---- loops ---- */

static void
emit_loop(ix_emitter *e, const ix_stmt *s)
{
    char letter = e->kernel->variable[s->number];
    if (s->how == IX_VECTOR && *e->dialect->vector_pragma)
        ix_emit_put(e, "%s", e->dialect->vector_pragma);
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "for (i64 %c%d = ", letter, s->number);
    ix_emit_sum(e, s->lo[0], t);
    ix_text_format(t, "; %c%d < ", letter, s->number);
    ix_emit_sum(e, s->hi[0], t);
    if (s->step == 1)
        ix_text_format(t, "; %c%d++) {\n", letter, s->number);
    else
        ix_text_format(t, "; %c%d += %lld) {\n", letter, s->number,
                       (long long)s->step);
    emit_block(e, s->body);
    ix_emit_put(e, "}");
}

static bool
is_grid(const ix_stmt *s)
{
    return s && s->kind == IX_STMT_FOR && s->how == IX_GRID;
}

/* Declares from<k>, to<k>, len<k> of a loop of the grid. */
static void
emit_extent(ix_emitter *e, const ix_stmt *s, int k)
{
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const i64 from%d = ", k);
    ix_emit_sum(e, s->lo[0], t);
    ix_text_put(t, ";\n");
    t = ix_emit_line(e);
    ix_text_format(t, "const i64 to%d = ", k);
    ix_emit_sum(e, s->hi[0], t);
    ix_text_put(t, ";\n");
    ix_emit_put(e, "const i64 len%d = to%d > from%d ? to%d - from%d : 0;", k, k,
                k, k, k);
}

/* The variables of "n" loops from the flat number f of a point, the last
 * varies fastest. */
static void
emit_indices(ix_emitter *e, const ix_stmt *s, int k, int n)
{
    if (k + 1 < n)
        emit_indices(e, s->body, k + 1, n);
    char letter = e->kernel->variable[s->number];
    if (k == 0) {
        ix_emit_put(e, "const i64 %c%d = from%d + f;", letter, s->number, k);
        return;
    }
    ix_emit_put(e, "const i64 %c%d = from%d + f %% len%d;", letter, s->number,
                k, k);
    ix_emit_put(e, "f = f / len%d;", k);
}

/* A thread for each point of the loops of a grid. */
static void
emit_grid(ix_emitter *e, const ix_stmt *s)
{
    const ix_stmt *last = s;
    int n = 1;
    ix_emit_put(e, "{");
    e->indent++;
    emit_extent(e, s, 0);
    for (; is_grid(last->body) && !last->body->next; n++) {
        last = last->body;
        emit_extent(e, last, n);
    }
    ix_text *t = ix_emit_line(e);
    ix_text_put(t, "const i64 total = ");
    for (int k = 0; k < n; k++)
        ix_text_format(t, "%slen%d", k ? " * " : "", k);
    ix_text_put(t, ";\n");
    ix_emit_put(e, "for (i64 g = (i64)blockIdx.x * blockDim.x + threadIdx.x;"
                   " g < total; g += (i64)gridDim.x * blockDim.x) {");
    e->indent++;
    ix_emit_put(e, "i64 f = g;");
    emit_indices(e, s, 0, n);
    ix_emit_stmts(e, last->body);
    e->indent--;
    ix_emit_put(e, "}");
    e->indent--;
    ix_emit_put(e, "}");
}

/* ---- branches ---- */

static void
emit_branch(ix_emitter *e, const ix_stmt *s)
{
    ix_emit_put(e, "if (%s) {", ix_emit_leaf(e, s->value).re);
    emit_block(e, s->body);
    while (s->other && s->other->kind == IX_STMT_IF && !s->other->next) {
        s = s->other;
        ix_emit_put(e, "} else if (%s) {", ix_emit_leaf(e, s->value).re);
        emit_block(e, s->body);
    }
    if (s->other) {
        ix_emit_put(e, "} else {");
        emit_block(e, s->other);
    }
    ix_emit_put(e, "}");
}

/* ---- values and memory ---- */

/* const T t = element; */
static void
emit_load(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_defined(s);
    bool complex = ix_dtype_is_complex(s->dtype);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e);
        ix_text_format(t, "const %s %s = ", ix_c_type(s->dtype),
                       part ? v.im : v.re);
        ix_emit_element(e, &s->at, complex ? part : -1, t);
        bool truth = s->dtype == ILEX_BOOL && !s->at.scratch;
        ix_text_put(t, truth ? " != 0;\n" : ";\n");
    }
}

static ix_code_template
template_of(const ilex_array *x, ilex_dtype *loop)
{
    if (x->kind == IX_OP) {
        *loop = ix_loop_of(x);
        return ix_op_template(ix_op_of(x), *loop);
    }
    *loop = (ilex_dtype)x->dtype;
    return ix_cast_template((ilex_dtype)x->ops[0]->dtype, *loop);
}

/* const T t = op(...); */
static void
emit_operation(ix_emitter *e, const ix_stmt *s)
{
    const ilex_array *x = s->value;
    const char *type = ix_c_type(s->dtype);
    ix_name args[3], v = ix_emit_defined(s);
    ix_code_names names = {.result = s->dtype, .re = v.re, .im = v.im};
    ix_code_template code = template_of(x, &names.loop);
    char start[32];
    for (int i = 0; i < x->nops; i++) {
        args[i] = ix_emit_leaf(e, x->ops[i]);
        names.x[i] = args[i].re;
        names.xi[i] = args[i].im;
    }
    if (code.kind == IX_CODE_CALL_PAIR)
        ix_emit_put(e, "%s %s, %s;", type, v.re, v.im);
    snprintf(start, sizeof start, "const %s ", type);
    ix_emit_template(e, code, &names, start, s->note);
}

static void
emit_let(ix_emitter *e, const ix_stmt *s)
{
    if (!s->value) {
        emit_load(e, s);
        return;
    }
    if (s->value->kind == IX_OP || s->value->kind == IX_CAST) {
        emit_operation(e, s);
        return;
    }
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "const i64 %s = ", ix_emit_defined(s).re);
    ix_emit_sum(e, s->value, t);
    ix_text_put(t, ";\n");
}

/* Extents as text behind a name. */
static void
put_extents(const ix_stmt *s, char *text, size_t size)
{
    if (s->scratch == IX_SCRATCH_CELL)
        *text = '\0';
    else if (s->scratch == IX_SCRATCH_ARRAY)
        snprintf(text, size, "[%d]", (int)s->extent);
    else if (s->extent)
        snprintf(text, size, "[%d][%d]", IX_STACK_DEPTH, (int)s->extent);
    else
        snprintf(text, size, "[%d]", IX_STACK_DEPTH);
}

static void
emit_scratch(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_defined(s), first = {"", ""};
    bool complex = ix_dtype_is_complex(s->dtype),
         stack = s->scratch == IX_SCRATCH_STACK;
    const char *type = ix_c_type(s->dtype);
    char extents[32];
    put_extents(s, extents, sizeof extents);
    if (stack && e->names)
        ix_emit_put(e,
                    "/* %s%d: stack of partial results, d%d deep, one a "
                    "chunk; c%d: chunks so far */",
                    "p", s->number, s->number, s->number);
    if (s->value)
        first = ix_emit_leaf(e, s->value);
    for (int part = 0; part <= complex; part++)
        ix_emit_put(e, "%s %s%s%s%s;", type, part ? v.im : v.re, extents,
                    s->value ? " = " : "", part ? first.im : first.re);
    if (stack) {
        ix_emit_put(e, "i32 d%d = 0;", s->number);
        ix_emit_put(e, "i64 c%d = 0;", s->number);
    }
}

static void
emit_store(ix_emitter *e, const ix_stmt *s)
{
    ix_name v = ix_emit_leaf(e, s->value);
    bool complex = ix_dtype_is_complex((ilex_dtype)s->value->dtype);
    for (int part = 0; part <= complex; part++) {
        ix_text *t = ix_emit_line(e);
        ix_emit_element(e, &s->at, complex ? part : -1, t);
        ix_text_format(t, " = %s;\n", part ? v.im : v.re);
    }
}

/* The text of one part of an element as a name. */
static void
name_part(ix_emitter *e, const ix_element *at, int part, char *name)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    ix_emit_element(e, at, part, &t);
    const char *s = ix_text_string(&t);
    snprintf(name, IX_NAME, "%s", s ? s : "");
    e->t->failed |= s == NULL;
    ix_text_free(&t);
}

static void
emit_update(ix_emitter *e, const ix_stmt *s)
{
    ilex_dtype dtype = (ilex_dtype)s->value->dtype;
    bool complex = ix_dtype_is_complex(dtype);
    ix_name v = ix_emit_leaf(e, s->value), at = {"", ""};
    name_part(e, &s->at, complex ? 0 : -1, at.re);
    if (complex)
        name_part(e, &s->at, 1, at.im);
    ix_emit_combine(e, s->op, dtype, &at, &v, &at);
}

/* if (value < lo || value >= hi) { tell; return 1; } */
static void
emit_check(ix_emitter *e, const ix_stmt *s)
{
    const char *value = ix_emit_leaf(e, s->value).re;
    ix_text *t = ix_emit_line(e);
    ix_text_format(t, "if (%s < ", value);
    ix_emit_sum(e, s->lo[0], t);
    ix_text_format(t, " || %s >= ", value);
    ix_emit_sum(e, s->hi[0], t);
    ix_text_put(t, ") {\n");
    e->indent++;
    ix_emit_put(e, "local->node = %d;", s->number);
    ix_emit_put(e, "local->index = %s;", ix_emit_leaf(e, s->width).re);
    ix_emit_put(e, "local->value = %s;", value);
    ix_emit_put(e, "return 1;");
    e->indent--;
    ix_emit_put(e, "}");
}

static void
emit_for(ix_emitter *e, const ix_stmt *s)
{
    if (is_grid(s))
        emit_grid(e, s);
    else
        emit_loop(e, s);
}

void
ix_emit_stmts(ix_emitter *e, const ix_stmt *list)
{
    static void (*const emit[IX_NSTMTS])(ix_emitter *, const ix_stmt *) = {
        [IX_STMT_FOR] = emit_for,          [IX_STMT_IF] = emit_branch,
        [IX_STMT_LET] = emit_let,          [IX_STMT_ROW] = ix_emit_row,
        [IX_STMT_SCRATCH] = emit_scratch,  [IX_STMT_STORE] = emit_store,
        [IX_STMT_CHECK] = emit_check,      [IX_STMT_UPDATE] = emit_update,
        [IX_STMT_RECORD] = ix_emit_record, [IX_STMT_FOLD] = ix_emit_fold,
        [IX_STMT_PUSH] = ix_emit_push,     [IX_STMT_POP] = ix_emit_pop};
    for (const ix_stmt *s = list; s; s = s->next)
        emit[s->kind](e, s);
}
