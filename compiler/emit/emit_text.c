/* SPDX-License-Identifier: MIT
 *
 * Names, sums of indices, and operations as text.
 */
#include "compiler/emit/emit.h"

#include <stdio.h>

const char *
ix_c_type(ilex_dtype dtype)
{
    static const char *const names[ILEX_NDTYPES] = {
        "u8",  "i8",  "i16", "i32", "i64", "u8",  "u16", "u32",
        "u64", "f32", "f64", "f32", "f64", "u16", "u16"};
    return names[dtype];
}

/* ---- lines ---- */

ix_text *
ix_emit_line(ix_emitter *e)
{
    if (e->lines)
        ix_emit_place(e);
    for (int i = 0; i < e->indent; i++)
        ix_text_put(e->t, "    ");
    return e->t;
}

void
ix_emit_put(ix_emitter *e, const char *fmt, ...)
{
    ix_text *t = ix_emit_line(e);
    va_list args;
    va_start(args, fmt);
    ix_text_vformat(t, fmt, args);
    va_end(args);
    ix_text_char(t, '\n');
}

void
ix_emit_rolled(ix_emitter *e)
{
    ix_emit_put(e, "ILEX_ROLLED");
    e->rolled = true;
}

void
ix_emit_open(ix_emitter *e, const char *fmt, ...)
{
    ix_text *t = ix_emit_line(e);
    va_list args;
    va_start(args, fmt);
    ix_text_vformat(t, fmt, args);
    va_end(args);
    ix_text_put(t, " {\n");
    e->indent++;
}

void
ix_emit_close(ix_emitter *e)
{
    e->indent--;
    ix_emit_put(e, "}");
}

/* ---- names ---- */

static ix_name
value_name(char prefix, int64_t number, ilex_dtype dtype)
{
    ix_name v = {"", ""};
    ix_value_text name = ix_value_name(prefix, number);
    memcpy(v.re, name.s, sizeof name.s);
    if (ix_dtype_is_complex(dtype)) {
        memcpy(v.im, name.s, sizeof name.s);
        strcat(v.re, "r");
        strcat(v.im, "i");
    }
    return v;
}

ix_name
ix_emit_defined(const ix_stmt *s)
{
    return value_name(s->prefix, s->number, s->dtype);
}

static const char *
element_text(const ix_emitter *e, const char *name, const char *index)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    ix_text_format(&t, "%s%s", name, index);
    const char *text = ix_text_string(&t);
    e->t->failed |= text == NULL;
    return text ? text : "";
}

ix_parts
ix_emit_scratch(const ix_emitter *e, const ix_stmt *scratch, const char *index)
{
    ix_name v = ix_emit_defined(scratch);
    if (ix_emit_is_watched(e, scratch))
        snprintf(v.im, sizeof v.im, "%sn",
                 ix_value_name(scratch->prefix, scratch->number).s);
    return (ix_parts){element_text(e, v.re, index),
                      v.im[0] ? element_text(e, v.im, index) : ""};
}

static ix_literal_spelling
spelling(const ix_emitter *e)
{
    return e->dialect->cuda    ? IX_LITERAL_CUDA
           : e->dialect->alone ? IX_LITERAL_C_HEADER
                               : IX_LITERAL_C;
}

ix_value_text
ix_emit_variable(const ix_emitter *e, int64_t variable)
{
    static const char *const types[] = {"i8", "i16", "i32", "i64"};
    ix_value_text v =
        ix_value_name(ix_variable_letter(e->kernel, variable), variable);
    for (size_t i = 0; i < IX_COUNT(types); i++)
        if (!strcmp(v.s, types[i]))
            strcat(v.s, "_");
    return v;
}

ix_name
ix_emit_leaf(const ix_emitter *e, const ilex_array *x)
{
    ix_name v = {"", ""};
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    switch (x->kind) {
    case IX_CONST:
        ix_literal_write(dtype, ix_const_value(x), false, spelling(e), v.re,
                         sizeof v.re);
        if (ix_dtype_is_complex(dtype))
            ix_literal_write(dtype, ix_const_value(x), true, spelling(e), v.im,
                             sizeof v.im);
        break;
    case IX_INDEX:
        strcpy(v.re, ix_emit_variable(e, x->attr[0]).s);
        break;
    case IX_SIZE:
        return value_name('n', x->attr[0], dtype);
    case IX_VALUE:
        return value_name((char)x->attr[1], x->attr[0], dtype);
    default: /* poison: recorded where it was made */
        e->t->failed = true;
    }
    return v;
}

static void
put_atom(const void *e, const ilex_array *x, ix_text *t)
{
    ix_text_put(t, ix_emit_leaf(e, x).re);
}

/* Of a sum that 32 bits may not hold. */
static void
put_wide_atom(const void *user, const ilex_array *x, ix_text *t)
{
    const ix_emitter *e = user;
    bool cast = x->kind != IX_CONST && ix_is_narrow(e->kernel, x);
    ix_text_put(t, cast ? "(i64)" : "");
    put_atom(e, x, t);
}

bool
ix_emit_is_wide(const ix_emitter *e, const ilex_array *x)
{
    return e->dialect->cuda && !ix_is_narrow(e->kernel, x);
}

void
ix_emit_sum(const ix_emitter *e, const ilex_array *x, ix_text *t)
{
    bool casts = ix_emit_is_wide(e, x);
    ix_sum_put(&(ix_sum_writer){" * ", casts ? put_wide_atom : put_atom, e}, x,
               t);
}

void
ix_emit_index(const ix_emitter *e, const ilex_array *x, ix_text *t)
{
    bool cast = ix_emit_is_wide(e, x);
    bool sum = x->kind == IX_LINEAR;
    ix_text_put(t, !cast ? "" : sum ? "(index_t)(" : "(index_t)");
    ix_emit_sum(e, x, t);
    ix_text_put(t, cast && sum ? ")" : "");
}

static const char *
index_type(const ix_emitter *e, const ilex_array *x)
{
    return ix_is_narrow(e->kernel, x) ? "index_t" : "i64";
}

const char *
ix_emit_loop_type(const ix_emitter *e, const ix_stmt *loop)
{
    return index_type(e, ix_scalar_index(e->u->ctx, loop->number));
}

const char *
ix_emit_let_type(const ix_emitter *e, const ix_stmt *let)
{
    return let->dtype == ILEX_I64 ? index_type(e, ix_value_of(e->u, let))
                                  : ix_c_type(let->dtype);
}

/* ---- operations ---- */

/* Whether CUDA's compiler must not see how an integer was computed: by which
 * operator, -1 a conversion, in which dtype, and what it is. */
static bool
is_hidden(int op, ilex_dtype loop, ilex_dtype result)
{
    static const bool hidden[IX_NOPERATORS] = {
        [IX_OP_MAXIMUM] = true, [IX_OP_MINIMUM] = true,
        [IX_OP_ABOVE] = true,   [IX_OP_BELOW] = true,
        [IX_OP_WHERE] = true,   [IX_OP_ABSOLUTE] = true};
    if (result == ILEX_I16 || result == ILEX_U16)
        return true;
    return op >= 0 && hidden[op] && ix_dtype_is_integer(loop) &&
           ilex_dtype_bytes(loop) <= sizeof(int32_t);
}

ix_code_template
ix_emit_hidden(ix_emitter *e, ix_code_template code, int op, ilex_dtype loop,
               ilex_dtype result)
{
    if (!e->dialect->cuda || !is_hidden(op, loop, result))
        return code;
    ix_text t;
    ix_text_init(&t, &e->mem);
    ix_text_format(&t, "(T)opaque_i32((i32)(%s))", code.re);
    const char *hidden = ix_text_string(&t);
    e->hides = true;
    e->t->failed |= !hidden;
    code.re = hidden ? hidden : code.re;
    return code;
}

void
ix_emit_template(ix_emitter *e, ix_code_template code,
                 const ix_code_names *names, const char *type, const char *note)
{
    const char *parts[2] = {code.re,
                            code.kind == IX_CODE_PAIR ? code.im : NULL};
    const char *into[2] = {names->re, names->im};
    e->t->failed |=
        !ix_function_set_need_template(&e->functions, code, names->loop);
    if (code.kind == IX_CODE_CALL_PAIR) {
        ix_text *t = ix_emit_line(e);
        ix_code_write(t, code.re, names, &e->dialect->functions);
        ix_text_put(t, ";\n");
        return;
    }
    for (int i = 0; i < 2 && parts[i]; i++) {
        ix_text *t = ix_emit_line(e);
        if (type)
            ix_text_format(t, "const %s ", type);
        ix_text_format(t, "%s = ", into[i]);
        ix_code_write(t, parts[i], names, &e->dialect->functions);
        if (note && e->names && i == 0)
            ix_text_format(t, "; /* %s */\n", note);
        else
            ix_text_put(t, ";\n");
    }
}

/* A pair reads both parts of its operands, which may be what it stores to. */
void
ix_emit_combine(ix_emitter *e, ix_op op, ilex_dtype loop, ix_parts a,
                ix_parts b, ix_parts into)
{
    ix_code_template code =
        ix_emit_hidden(e, ix_op_template(op, loop), (int)op, loop, loop);
    bool pair = code.kind == IX_CODE_PAIR;
    ix_name apart = {"", ""};
    if (pair)
        apart = value_name('t', e->next++, loop);
    ix_parts v = pair ? (ix_parts){apart.re, apart.im} : into;
    ix_code_names names = {.loop = loop,
                           .result = loop,
                           .x = {a.re, b.re},
                           .xi = {a.im, b.im},
                           .re = v.re,
                           .im = v.im};
    ix_emit_template(e, code, &names, pair ? ix_c_type(loop) : NULL, NULL);
    if (pair) {
        ix_emit_put(e, "%s = %s;", into.re, v.re);
        ix_emit_put(e, "%s = %s;", into.im, v.im);
    }
}
