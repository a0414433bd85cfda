/* SPDX-License-Identifier: MIT
 *
 * Names, literals, sums of indices, and operations as text.
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

/* ---- literals ---- */

static void
real_literal(bool cuda, bool single, double v, ix_text *t)
{
    if (v - v != 0) {
        const char *inf = !cuda    ? "1e999"
                          : single ? "__int_as_float(0x7f800000)"
                                   : "__longlong_as_double(0x7ff0000000000000)";
        const char *nan = !cuda    ? "(1e999 - 1e999)"
                          : single ? "__int_as_float(0x7fc00000)"
                                   : "__longlong_as_double(0x7ff8000000000000)";
        ix_text_format(t, "(%s%s%s)", single && !cuda ? "(f32)" : "",
                       v < 0 ? "-" : "", v != v ? nan : inf);
        return;
    }
    bool sign = v < 0 || (v == 0 && 1 / v < 0);
    ix_text_put(t, sign ? "(" : "");
    if (v == 0)
        ix_text_put(t, sign ? "-0.0" : "0.0");
    else
        ix_text_real(t, v, single);
    ix_text_put(t, single ? "f" : "");
    ix_text_put(t, sign ? ")" : "");
}

static void
integer_literal(ilex_dtype dtype, ix_value v, ix_text *t)
{
    if (ix_dtype_kind(dtype) == 'u' || dtype == ILEX_BOOL) {
        ix_text_uint(t, v.u);
        ix_text_put(t, dtype == ILEX_U64 ? "UL" : dtype == ILEX_U32 ? "U" : "");
    } else if (v.i == INT64_MIN) {
        ix_text_put(t, "(-9223372036854775807L - 1)");
    } else {
        const char *wide = dtype == ILEX_I64 ? "L" : "";
        ix_text_format(t, v.i < 0 ? "(%lld%s)" : "%lld%s", (long long)v.i,
                       wide);
    }
}

static void
put_literal(ix_emitter *e, ilex_dtype part, ix_value v, bool imaginary,
            char *text)
{
    ix_text t;
    ix_text_init(&t, &e->mem);
    if (ix_dtype_is_real(part))
        real_literal(e->dialect->cuda, part == ILEX_F32, imaginary ? v.im : v.f,
                     &t);
    else
        integer_literal(part, v, &t);
    const char *s = ix_text_string(&t);
    snprintf(text, IX_NAME, "%s", s ? s : "");
    e->t->failed |= s == NULL;
    ix_text_free(&t);
}

/* ---- names ---- */

/* What the letters of value names stand for where they are words. */
static const char *
word_of(char prefix)
{
    static char letter[2];
    letter[0] = prefix;
    return prefix == 'L' ? "lo" : prefix == 'H' ? "hi" : letter;
}

static ix_name
value_name(char prefix, int number, ilex_dtype dtype)
{
    ix_name v = {"", ""};
    bool complex = ix_dtype_is_complex(dtype);
    if (number < 0) {
        snprintf(v.re, sizeof v.re, number == IX_VALUE_BEGIN ? "begin" : "end");
        return v;
    }
    snprintf(v.re, sizeof v.re, "%s%d%s", word_of(prefix), number,
             complex ? "r" : "");
    snprintf(v.im, sizeof v.im, "%s%di", word_of(prefix), number);
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
    ilex_dtype dtype = (ilex_dtype)x->dtype, part = ix_dtype_part(dtype);
    switch (x->kind) {
    case IX_CONST:
        put_literal(e, part, ix_const_value(x), false, v.re);
        if (ix_dtype_is_complex(dtype))
            put_literal(e, part, ix_const_value(x), true, v.im);
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
