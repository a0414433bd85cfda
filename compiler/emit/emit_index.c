/* SPDX-License-Identifier: MIT
 *
 * Text that needs no statement: literals, and index expressions, which are
 * written where they are used.
 */
#include <stdio.h>

#include "compiler/emit/emit.h"
#include "lib/ops/dtype.h"

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

void
ix_emit_literal(ix_emitter *e, ilex_dtype part, ix_value v, bool imaginary,
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
    e->block[0].text.failed |= s == NULL;
    ix_text_free(&t);
}

/* ---- index expressions ---- */

/* An atom's text: loop variable, size, or the variable of an OP. */
static void
emit_atom(ix_emitter *e, ilex_array *x, ix_text *t, int *depth)
{
    int at = 0;
    if (x->kind == IX_INDEX) {
        at = e->index_depth[x->attr[0]];
        ix_text_format(t, "i%lld", (long long)x->attr[0]);
    } else if (x->kind == IX_RINDEX) {
        at = e->rindex_depth[x->attr[0]];
        ix_text_put(t, e->rindex_name[x->attr[0]]);
    } else if (x->kind == IX_SIZE) {
        e->uses_size[x->attr[0]] = true;
        ix_text_format(t, "n%lld", (long long)x->attr[0]);
    } else if (ix_is_poison(x)) {
        t->failed = true; /* recorded where it was made */
    } else {
        ix_name v = ix_emit_value(e, x);
        at = v.depth;
        ix_text_put(t, v.re);
    }
    *depth = at > *depth ? at : *depth;
}

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
emit_wide(ix_emitter *e, const ix_index_form *f, ix_text *t, int *depth)
{
    ix_text_put(t, "(i64)(");
    for (int i = 0; i < f->n; i++) {
        ix_text_format(t, "%lluul * (u64)", (unsigned long long)f->t[i].k);
        emit_atom(e, f->t[i].atom, t, depth);
        ix_text_put(t, " + ");
    }
    ix_text_format(t, "%lluul)", (unsigned long long)f->c);
}

void
ix_emit_index(ix_emitter *e, ilex_array *x, ix_text *t, int *depth)
{
    ix_index_form f;
    if (x->kind != IX_CONST && x->kind != IX_LINEAR) {
        emit_atom(e, x, t, depth);
        return;
    }
    ix_index_form_of(x, &f);
    if (is_wide(&f)) {
        emit_wide(e, &f, t, depth);
        return;
    }
    for (int i = 0; i < f.n; i++) {
        int64_t k = f.t[i].k;
        ix_text_put(t, i == 0 ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
        if (k != 1 && k != -1) {
            ix_text_uint(t, k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
            ix_text_put(t, " * ");
        }
        emit_atom(e, f.t[i].atom, t, depth);
    }
    if (f.n == 0)
        ix_text_int(t, f.c);
    else if (f.c)
        ix_text_format(
            t, " %c %llu", f.c < 0 ? '-' : '+',
            (unsigned long long)(f.c < 0 ? 0 - (uint64_t)f.c : (uint64_t)f.c));
}
