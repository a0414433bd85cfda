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
        "u8",  "i8",  "i16", "i32", "i64", "u8", "u16",
        "u32", "u64", "f32", "f64", "f32", "f64"};
    return names[dtype];
}

/* ---- lines ---- */

ix_text *
ix_emit_line(ix_emitter *e)
{
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

/* ---- names ---- */

/* Letters that stand for words: "lo3". */
static ix_name
value_name(char prefix, int number, ilex_dtype dtype)
{
    ix_name v = {"", ""};
    char word[3] = {prefix, '\0', '\0'};
    bool complex = ix_dtype_is_complex(dtype);
    if (prefix == 'L' || prefix == 'H')
        memcpy(word, prefix == 'L' ? "lo" : "hi", sizeof word);
    if (number < 0) {
        snprintf(v.re, sizeof v.re, number == IX_VALUE_BEGIN ? "begin" : "end");
        return v;
    }
    snprintf(v.re, sizeof v.re, "%s%d%s", word, number, complex ? "r" : "");
    snprintf(v.im, sizeof v.im, "%s%di", word, number);
    return v;
}

ix_name
ix_emit_defined(const ix_stmt *s)
{
    return value_name(s->prefix, s->number, s->dtype);
}

ix_name
ix_emit_scratch(const ix_stmt *scratch, const char *index)
{
    ix_name v = ix_emit_defined(scratch), r = {"", ""};
    snprintf(r.re, sizeof r.re, "%.20s%.27s", v.re, index);
    snprintf(r.im, sizeof r.im, "%.20s%.27s", v.im, index);
    return r;
}

ix_name
ix_emit_leaf(ix_emitter *e, const ilex_array *x)
{
    ix_name v = {"", ""};
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    switch (x->kind) {
    case IX_CONST:
        ix_literal_write(dtype, ix_const_value(x), false, e->dialect->cuda,
                         v.re, sizeof v.re);
        if (ix_dtype_is_complex(dtype))
            ix_literal_write(dtype, ix_const_value(x), true, e->dialect->cuda,
                             v.im, sizeof v.im);
        break;
    case IX_INDEX:
        snprintf(v.re, sizeof v.re, "%c%d", e->kernel->variable[x->attr[0]],
                 (int)x->attr[0]);
        break;
    case IX_SIZE:
        snprintf(v.re, sizeof v.re, "n%d", (int)x->attr[0]);
        break;
    case IX_VALUE:
        return value_name((char)x->attr[1], (int)x->attr[0], dtype);
    default: /* poison: recorded where it was made */
        e->t->failed = true;
    }
    return v;
}

/* ---- sums ---- */

/* Factors that may lead out of 64 bits: only values do, never accesses. */
static bool
is_wide(const ix_index_form *f)
{
    const int64_t most = (int64_t)1 << 31;
    bool wide = f->c > most || f->c < -most;
    for (int i = 0; i < f->n; i++)
        wide |= f->t[i].k > most || f->t[i].k < -most;
    return wide && f->n > 0;
}

/* "(i64)(3ul * (u64)i0 + 5ul)": a form that wraps. */
static void
put_wide(ix_emitter *e, const ix_index_form *f, ix_text *t)
{
    ix_text_put(t, "(i64)(");
    for (int i = 0; i < f->n; i++)
        ix_text_format(t, "%lluul * (u64)%s + ", (unsigned long long)f->t[i].k,
                       ix_emit_leaf(e, f->t[i].atom).re);
    ix_text_format(t, "%lluul)", (unsigned long long)f->c);
}

/* " + 3 * i0", without the sign for the first term. */
static void
put_term(ix_emitter *e, int64_t k, const ilex_array *atom, bool first,
         ix_text *t)
{
    ix_text_put(t, first ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
    if (k != 1 && k != -1) {
        ix_text_uint(t, k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
        ix_text_put(t, " * ");
    }
    ix_text_put(t, ix_emit_leaf(e, atom).re);
}

/* Terms with a positive factor come first: "n1 - s3". */
void
ix_emit_sum(ix_emitter *e, const ilex_array *x, ix_text *t)
{
    ix_index_form f;
    ix_index_form_of(x, &f);
    if (is_wide(&f)) {
        put_wide(e, &f, t);
        return;
    }
    bool first = true;
    for (int negative = 0; negative < 2; negative++)
        for (int i = 0; i < f.n; i++)
            if ((f.t[i].k < 0) == negative) {
                put_term(e, f.t[i].k, f.t[i].atom, first, t);
                first = false;
            }
    if (f.n == 0)
        ix_text_int(t, f.c);
    else if (f.c)
        ix_text_format(
            t, " %c %llu", f.c < 0 ? '-' : '+',
            (unsigned long long)(f.c < 0 ? 0 - (uint64_t)f.c : (uint64_t)f.c));
}

/* ---- operations ---- */

void
ix_emit_template(ix_emitter *e, ix_code_template code,
                 const ix_code_names *names, const char *start,
                 const char *note)
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
        ix_text_format(t, "%s%s = ", start, into[i]);
        ix_code_write(t, parts[i], names, &e->dialect->functions);
        if (note && e->names && i == 0)
            ix_text_format(t, "; /* %s */\n", note);
        else
            ix_text_put(t, ";\n");
    }
}

/* A pair reads both parts of its operands, which may be what it stores to. */
void
ix_emit_combine(ix_emitter *e, ix_op op, ilex_dtype loop, const ix_name *a,
                const ix_name *b, const ix_name *into)
{
    ix_code_template code = ix_op_template(op, loop);
    bool pair = code.kind == IX_CODE_PAIR;
    ix_name v = pair ? value_name('t', e->next++, loop) : *into;
    ix_code_names names = {.loop = loop,
                           .result = loop,
                           .x = {a->re, b->re},
                           .xi = {a->im, b->im},
                           .re = v.re,
                           .im = v.im};
    char start[32];
    snprintf(start, sizeof start, "const %s ", ix_c_type(loop));
    ix_emit_template(e, code, &names, pair ? start : "", NULL);
    if (pair) {
        ix_emit_put(e, "%s = %s;", into->re, v.re);
        ix_emit_put(e, "%s = %s;", into->im, v.im);
    }
}
