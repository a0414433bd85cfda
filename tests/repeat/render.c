/* SPDX-License-Identifier: MIT
 *
 * Both texts of a program.
 */
#define _GNU_SOURCE /* strdup */
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tests/repeat/repeat.h"

typedef struct writer {
    const repeat_program *p;
    bool once;                  /* without loops */
    int64_t step[REPEAT_DEPTH]; /* of the loops around, from 0 */
    ix_text *to;
} writer;

/* ---- names ---- */

/* What a name has behind it inside "depth" loops. */
static void
put_path(const writer *w, int depth)
{
    for (int i = 0; w->once && i < depth; i++)
        ix_text_format(w->to, "_%lld", (long long)w->step[i]);
}

/* A carried array after so many steps. */
static void
put_carried(const writer *w, int number, int64_t step, bool asked)
{
    const repeat_name *n = &w->p->name[number];
    ix_text_format(w->to, "u%d", number);
    put_path(w, n->depth);
    ix_text_format(w->to, "_%lld%s", (long long)step, asked ? "n" : "");
}

static void
put_size(const writer *w, int k, bool value, bool once)
{
    bool number = once || !w->p->symbolic;
    if (!number)
        ix_text_format(w->to, value ? "size(%s)" : "%s", repeat_size_names[k]);
    else
        ix_text_format(w->to, value ? "i64(%lld)" : "%lld",
                       (long long)w->p->size[k]);
}

static void
put_steps(const writer *w, int number)
{
    const repeat_loop *l = &w->p->loop[number];
    if (!w->once) {
        ix_text_format(w->to, "k%d", number);
    } else if (!l->until) {
        ix_text_format(w->to, "i64(%lld)", (long long)l->count);
    } else {
        ix_text_format(w->to, "k%d", number);
        put_path(w, l->depth);
        ix_text_format(w->to, "_%lld", (long long)l->count);
    }
}

/* The mark "kind" with its number. */
static void
put_mark(const writer *w, char kind, int k)
{
    const repeat_name *n = &w->p->name[k];
    const repeat_loop *l = &w->p->loop[kind == 't' || kind == 'i' ? k
                                       : n->loop >= 0             ? n->loop
                                                                  : 0];
    long long t = (long long)(l->first + w->step[l->depth]);
    if (kind == 'z' || kind == 'v' || kind == 'y') {
        put_size(w, k, kind == 'v', kind == 'y' && w->once);
    } else if (kind == 'k') {
        put_steps(w, k);
    } else if (kind == 't' || kind == 'i') {
        if (!w->once)
            ix_text_format(w->to, "t%d", k);
        else
            ix_text_format(w->to, kind == 't' ? "i64(%lld)" : "(%lld)", t);
    } else if (kind == 'l' || kind == 's') {
        ix_text_format(w->to, "%c%d", kind == 'l' ? 'l' : 's', k);
        put_path(w, n->depth);
    } else if (!w->once) {
        ix_text_format(w->to, kind == 'n' ? "next(u%d)" : "u%d", k);
    } else if (kind == 'r') {
        put_carried(w, k, l->count, false);
    } else {
        put_carried(w, k, w->step[n->depth] + (kind == 'n'),
                    kind == 'n' && l->until);
    }
}

static void
put_text(const writer *w, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "\1");
        ix_text_put_n(w->to, text, plain);
        text += plain;
        if (*text) {
            put_mark(w, text[1], atoi(text + 2));
            text += strcspn(text, ";") + 1;
        }
    }
}

static void
put_type(const writer *w, int number)
{
    const repeat_name *n = &w->p->name[number];
    static const char *const axes[2][4] = {
        {"", "[\1z0;]", "[\1z1;]", "[\1z0;, \1z1;]"},
        {"", "[I:\1z0;]", "[J:\1z1;]", "[I:\1z0;, J:\1z1;]"}};
    ix_text_put(w->to, ilex_dtype_name(n->dtype));
    put_text(w, axes[w->p->named][n->mask]);
}

static void
indent(const writer *w, int depth)
{
    for (int i = 0; i < depth && !w->once; i++)
        ix_text_put(w->to, "    ");
}

/* ---- with loops ---- */

static void
put_head(const writer *w, int number)
{
    const repeat_loop *l = &w->p->loop[number];
    ix_text_format(w->to, "loop t%d[", number);
    if (strcmp(l->lo, "0") != 0 || number % 2) {
        put_text(w, l->lo);
        ix_text_put(w->to, ":");
    }
    put_text(w, l->hi);
    ix_text_put(w->to, "]");
    for (int k = 0; k < l->ncarries; k++) {
        ix_text_format(w->to, "%s u%d", k ? "," : "", l->carry[k]);
        if (l->typed[k]) {
            ix_text_put(w->to, " : ");
            put_type(w, l->carry[k]);
        }
        ix_text_put(w->to, " = ");
        put_text(w, l->value[k]);
    }
    if (l->steps)
        ix_text_format(w->to, " steps k%d", number);
}

static void
put_line(const writer *w, const repeat_line *x)
{
    static const char *const words[] = {
        "", "", "next u%d = ", "until ", "stack s%d[t%d] = ", "end", ""};
    int depth = 0;
    for (const repeat_line *y = w->p->line; y < x; y++)
        depth += (y->kind == REPEAT_LOOP) - (y->kind == REPEAT_END);
    indent(w, depth - (x->kind == REPEAT_END));
    if (x->kind == REPEAT_LOOP)
        put_head(w, x->loop);
    else if (x->kind == REPEAT_NEXT)
        ix_text_format(w->to, words[REPEAT_NEXT], x->name);
    else if (x->kind == REPEAT_STACK)
        ix_text_format(w->to, words[REPEAT_STACK], x->name, x->loop);
    else
        ix_text_put(w->to, words[x->kind]);
    if (x->text)
        put_text(w, x->text);
    if (x->kind == REPEAT_STACK && w->p->loop[x->loop].until)
        ix_text_put(w->to, " whole");
    if (x->every > 1)
        ix_text_format(w->to, " every %d", x->every);
    ix_text_put(w->to, "\n");
}

/* ---- without ---- */

/* "let u3_1_0 : f64[I:5] = ": the first value. */
static void
put_first(writer *w, const repeat_loop *l)
{
    for (int k = 0; k < l->ncarries; k++) {
        ix_text_put(w->to, "let ");
        put_carried(w, l->carry[k], 0, false);
        ix_text_put(w->to, " : ");
        put_type(w, l->carry[k]);
        ix_text_put(w->to, " = ");
        put_text(w, l->value[k]);
        ix_text_put(w->to, "\n");
    }
}

static void
put_flag(const writer *w, const repeat_loop *l, const char *name, int64_t step)
{
    ix_text_format(w->to, "%s%d", name, (int)(l - w->p->loop));
    put_path(w, l->depth);
    ix_text_format(w->to, "_%lld", (long long)step);
}

/* What the step after is made of, if the step before said that it is not the
 * last: d is true from the step on that was. */
static void
put_masked(const writer *w, const repeat_loop *l)
{
    int64_t t = w->step[l->depth];
    for (int k = 0; k < l->ncarries; k++) {
        ix_text_put(w->to, "let ");
        put_carried(w, l->carry[k], t + 1, false);
        ix_text_put(w->to, t ? " = where(" : " = ");
        if (t) {
            put_flag(w, l, "d", t - 1);
            ix_text_put(w->to, ", ");
            put_carried(w, l->carry[k], t, false);
            ix_text_put(w->to, ", ");
        }
        put_carried(w, l->carry[k], t + 1, true);
        ix_text_put(w->to, t ? ")\n" : "\n");
    }
    ix_text_put(w->to, "let ");
    put_flag(w, l, "k", t + 1);
    ix_text_put(w->to, " = ");
    if (t) {
        put_flag(w, l, "k", t);
        ix_text_put(w->to, " + i64(!");
        put_flag(w, l, "d", t - 1);
        ix_text_put(w->to, ")\n");
    } else {
        ix_text_put(w->to, "i64(1)\n");
    }
}

static void
put_condition(const writer *w, const repeat_loop *l, const char *text)
{
    int64_t t = w->step[l->depth];
    ix_text_put(w->to, "let ");
    put_flag(w, l, "d", t);
    ix_text_put(w->to, " = ");
    put_text(w, text);
    if (t) {
        ix_text_put(w->to, " || ");
        put_flag(w, l, "d", t - 1);
    }
    ix_text_put(w->to, "\n");
}

/* One slice of a stack. */
static void
put_slice(const writer *w, const repeat_line *x, int64_t step)
{
    ix_text_format(w->to, "s%d", x->name);
    put_path(w, w->p->name[x->name].depth);
    ix_text_format(w->to, "_%lld", (long long)step);
}

static void
put_zero(const writer *w, ilex_dtype d)
{
    ix_text_format(w->to,
                   d == ILEX_BOOL   ? "false"
                   : d == ILEX_C128 ? "0.0j"
                                    : "%s(0)",
                   ilex_dtype_name(d));
}

/* Its element of a step: 0 where that was not made. */
static void
put_element(const writer *w, const repeat_line *x, int64_t step)
{
    static const char *const at[] = {"", "[i]", "[j]", "[i, j]"};
    const repeat_loop *l = &w->p->loop[x->loop];
    const repeat_name *n = &w->p->name[x->name];
    bool asked = l->until && step > 0;
    if (asked) {
        ix_text_put(w->to, "where(");
        put_flag(w, l, "d", step - 1);
        ix_text_put(w->to, ", ");
        put_zero(w, n->dtype);
        ix_text_put(w->to, ", ");
    }
    put_slice(w, x, step);
    ix_text_put(w->to, at[n->mask]);
    ix_text_put(w->to, asked ? ")" : "");
}

/* The stack of the slices: a map that selects. */
static void
put_stack(const writer *w, const repeat_line *x)
{
    const repeat_loop *l = &w->p->loop[x->loop];
    const repeat_name *n = &w->p->name[x->name];
    static const char *const axes[2][4] = {
        {"", ", i:\1z0;", ", j:\1z1;", ", i:\1z0;, j:\1z1;"},
        {"", ", I=i:\1z0;", ", J=j:\1z1;", ", I=i:\1z0;, J=j:\1z1;"}};
    int64_t count = (l->count + x->every - 1) / x->every;
    ix_text_format(w->to, "map s%d", x->name);
    put_path(w, n->depth);
    if (w->p->named && n->mask)
        ix_text_format(w->to, "[t%d=t:%lld", x->loop, (long long)count);
    else
        ix_text_format(w->to, "[t:%lld", (long long)count);
    put_text(w, axes[w->p->named][n->mask]);
    ix_text_put(w->to, "] = ");
    for (int64_t t = 0; t + 1 < count; t++) {
        ix_text_format(w->to, "where(t == %lld, ", (long long)t);
        put_element(w, x, t * x->every);
        ix_text_put(w->to, ", ");
    }
    if (count)
        put_element(w, x, (count - 1) * x->every);
    else
        put_zero(w, n->dtype);
    for (int64_t t = 0; t + 1 < count; t++)
        ix_text_put(w->to, ")");
    ix_text_put(w->to, "\n");
}

static int
end_of(const repeat_program *p, int at)
{
    int loop = p->line[at].loop;
    while (p->line[at].kind != REPEAT_END || p->line[at].loop != loop)
        at++;
    return at;
}

static void put_lines(writer *w, int at, int end);

static void
put_steps_of(writer *w, int at, int end)
{
    const repeat_program *p = w->p;
    const repeat_loop *l = &p->loop[p->line[at].loop];
    put_first(w, l);
    if (l->until && !l->count) {
        ix_text_put(w->to, "let ");
        put_flag(w, l, "k", 0);
        ix_text_put(w->to, " = i64(0)\n");
    }
    for (int64_t t = 0; t < l->count; t++) {
        w->step[l->depth] = t;
        put_lines(w, at + 1, end);
        if (l->until)
            put_masked(w, l);
    }
    w->step[l->depth] = 0;
    for (int i = at; i < end; i++)
        if (p->line[i].kind == REPEAT_STACK &&
            p->line[i].loop == p->line[at].loop && !p->line[i].gone)
            put_stack(w, &p->line[i]);
}

static void
put_lines(writer *w, int at, int end)
{
    const repeat_program *p = w->p;
    for (; at < end; at++) {
        const repeat_line *x = &p->line[at];
        int last;
        if (x->kind == REPEAT_LOOP) {
            last = end_of(p, at);
            if (!x->gone)
                put_steps_of(w, at, last);
            at = last;
            continue;
        }
        if (x->gone || x->kind == REPEAT_OUT)
            continue;
        if (x->kind == REPEAT_UNTIL) {
            put_condition(w, &p->loop[x->loop], x->text);
            continue;
        }
        if (x->kind == REPEAT_NEXT) {
            const repeat_loop *l = &p->loop[x->loop];
            ix_text_put(w->to, "let ");
            put_carried(w, x->name, w->step[l->depth] + 1, l->until);
            ix_text_put(w->to, " : ");
            put_type(w, x->name);
            ix_text_put(w->to, " = ");
        } else if (x->kind == REPEAT_STACK) {
            ix_text_put(w->to, "let ");
            put_slice(w, x, w->step[p->loop[x->loop].depth]);
            ix_text_put(w->to, " = ");
        }
        put_text(w, x->once ? x->once : x->text);
        ix_text_put(w->to, "\n");
    }
}

/* ---- all ---- */

/* Inputs that loops have are declared before everything. */
static void
put_inputs(const writer *w)
{
    for (int i = 0; i < w->p->nlines; i++)
        if (w->p->line[i].kind == REPEAT_OUT) {
            put_text(w, w->p->line[i].text);
            ix_text_put(w->to, "\n");
        }
}

char *
repeat_render(const repeat_program *p, bool once)
{
    ix_text t;
    writer w = {.p = p, .once = once, .to = &t};
    ix_text_init(&t, &ix_mem_default);
    ix_text_put(&t, "ilex 1\nprogram repeated\n");
    if (p->symbolic)
        ix_text_put(&t, "size n, m, nt, mt\nassume n >= 3 && m >= 3\n");
    put_inputs(&w);
    for (int i = 0; i < p->nlines; i++) {
        const repeat_line *x = &p->line[i];
        if (once) {
            put_lines(&w, 0, p->nlines);
            break;
        }
        if (x->gone && x->kind == REPEAT_LOOP)
            i = end_of(p, i);
        else if (!x->gone && x->kind != REPEAT_OUT)
            put_line(&w, x);
    }
    char *text = strdup(ix_text_string(&t));
    ix_text_free(&t);
    if (!text)
        abort();
    return text;
}
