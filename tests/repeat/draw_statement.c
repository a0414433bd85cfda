/* SPDX-License-Identifier: MIT
 *
 * Lines that define an array of those before.
 */
#include <stdlib.h>

#include "tests/repeat/repeat.h"

void
repeat_add_line(repeat_shop *s, repeat_line line)
{
    if (s->p->nlines == REPEAT_LINES)
        abort();
    s->p->line[s->p->nlines++] = line;
}

int
repeat_new_name(repeat_shop *s, ilex_dtype d, unsigned mask, int loop,
                int depth)
{
    if (s->p->nnames == REPEAT_VALUES)
        abort();
    s->p->name[s->p->nnames] = (repeat_name){d, mask, loop, depth};
    return s->p->nnames++;
}

void
repeat_readable(repeat_shop *s, char mark, int number)
{
    const repeat_name *n = &s->p->name[number];
    repeat_value *v = &s->value[s->nvalues];
    if (s->nvalues++ == REPEAT_VALUES)
        abort();
    *v = (repeat_value){
        .dtype = n->dtype, .mask = n->mask, .loop = n->loop, .depth = n->depth};
    snprintf(v->ref, sizeof v->ref, "\1%c%d;", mark, number);
}

int
repeat_define(repeat_shop *s, char mark, ilex_dtype d, unsigned mask, int loop,
              int depth)
{
    int number = repeat_new_name(s, d, mask, loop, depth);
    repeat_readable(s, mark, number);
    return number;
}

/* A line whose text has the new name's number at %d, first in it. */
static void
define(repeat_shop *s, ilex_dtype d, unsigned mask, const char *head,
       const char *rest)
{
    int number = repeat_new_name(s, d, mask, -1, s->depth);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_LINE,
                                     .text = repeat_put(s, "%s\1l%d;%s", head,
                                                        number, rest)});
    repeat_readable(s, 'l', number);
}

static unsigned
draw_mask(repeat_shop *s)
{
    static const unsigned masks[] = {0, 1, 1, 2, 3, 3};
    return masks[diff_draw(&s->r, 6)];
}

static bool
statement_let(repeat_shop *s)
{
    ilex_dtype d = repeat_draw_dtype(s);
    unsigned mask = draw_mask(s);
    s->got = 0;
    const char *text = repeat_expression(s, mask, d, 4);
    if (s->got != mask || diff_chance(&s->r, 50)) {
        define(s, d, mask, "let ",
               repeat_put(s, " : %s = %s", repeat_type(s, d, mask), text));
        return true;
    }
    define(s, d, mask, "let ",
           repeat_put(s, " = %s(%s)", ilex_dtype_name(d), text));
    return true;
}

static bool
statement_map(repeat_shop *s)
{
    ilex_dtype d = repeat_draw_dtype(s);
    unsigned mask = draw_mask(s);
    const char *body = repeat_point(s, mask, d, 3);
    repeat_feature_drawn(s, REPEAT_map);
    define(s, d, mask, "map ",
           repeat_put(s, "%s = %s(%s)", repeat_brackets(s, mask),
                      ilex_dtype_name(d), body));
    return true;
}

static bool
statement_scan(repeat_shop *s)
{
    static const ilex_dtype all[] = {ILEX_F64, ILEX_F32, ILEX_I64, ILEX_F64};
    ilex_dtype d = all[diff_draw(&s->r, 4)];
    unsigned mask = 1 + (unsigned)diff_draw(&s->r, 3);
    int axis = mask == 3 ? diff_draw(&s->r, 2) : (int)mask - 1;
    bool back = diff_chance(&s->r, 30), two = diff_chance(&s->r, 40);
    const char *i = axis ? "j" : "i", *name = ilex_dtype_name(d),
               *at = mask != 3 ? repeat_put(s, "%s%s1", i, back ? "+" : "-")
                     : axis    ? (back ? "i, j+1" : "i, j-1")
                               : (back ? "i+1, j" : "i-1, j"),
               *here = mask == 3 ? "i, j" : i,
               *first = back ? repeat_put(s, "%s == \1z%d;-1", i, axis)
                             : repeat_put(s, "%s == 0", i);
    s->scan = true;
    const char *a = repeat_point(s, mask, d, 1),
               *b = repeat_point(s, mask, d, 2);
    s->scan = false;
    int y = s->p->nnames, z = y + 1;
    const char *more =
        two ? repeat_put(s, ",\n    \1l%d;%s : %s = \1l%d;[%s] + (%s)", z,
                         repeat_brackets(s, mask), name, y, here, a)
            : "";
    repeat_feature_drawn(s, two ? REPEAT_scan_two : REPEAT_scan);
    define(s, d, mask,
           repeat_put(s, "scan %s %s ", i, back ? "backward" : "forward"),
           repeat_put(s, "%s : %s = where(%s, %s, %s(%s) + %s\1l%d;[%s])%s",
                      repeat_brackets(s, mask), name, first, a, name, b,
                      d == ILEX_I64 ? "" : "0.5*", y, at, more));
    if (two)
        repeat_define(s, 'l', d, mask, -1, s->depth);
    return true;
}

static bool
statement_cumulative(repeat_shop *s)
{
    static const char *const names[] = {"cumsum", "cummax", "cummin"};
    const repeat_value *v = repeat_pick(s, ILEX_F64, 0, 3);
    if (!v || !v->mask)
        return false;
    int k = v->mask == 3 ? diff_draw(&s->r, 2) : 0;
    bool second = v->mask == 2 || k;
    repeat_feature_drawn(s, REPEAT_cumulative);
    define(s, ILEX_F64, v->mask, "let ",
           repeat_put(s, " = %s(%s; axis=%s%s)", names[diff_draw(&s->r, 3)],
                      v->ref,
                      !s->p->named ? (k ? "1" : "0") : (second ? "J" : "I"),
                      diff_chance(&s->r, 30) ? ", reverse=1" : ""));
    return true;
}

/* An einsum of matrices and vectors that are there; NULL: not these. */
static const char *
contraction(repeat_shop *s, const repeat_value *const *x, unsigned *mask)
{
    const repeat_value *a = x[0], *b = x[1], *u = x[2], *v = x[3];
    switch (diff_draw(&s->r, 4)) {
    case 0:
        *mask = 3;
        return a && b ? repeat_put(s, "[i, j] = %s[i, k]*%s[p, k]*%s[p, j]",
                                   a->ref, b->ref, a->ref)
                      : NULL;
    case 1:
        *mask = 2;
        return a && u ? repeat_put(s, "[j] = %s[i, j]*%s[i]", a->ref, u->ref)
                      : NULL;
    case 2:
        *mask = 1;
        return a && b ? repeat_put(s, "[i] = %s[i, j]*%s[i, j]", a->ref, b->ref)
                      : NULL;
    default:
        *mask = 3;
        return u && v ? repeat_put(s, "[i, j] = %s[i]*%s[j]", u->ref, v->ref)
                      : NULL;
    }
}

/* Products, on unnamed axes. */
static bool
statement_product(repeat_shop *s)
{
    static const ilex_dtype all[] = {ILEX_F64, ILEX_F32, ILEX_C128, ILEX_I32};
    static const unsigned masks[] = {3, 3, 1, 2};
    ilex_dtype d = all[diff_draw(&s->r, 4)];
    const repeat_value *x[4];
    unsigned mask;
    for (int i = 0; i < 4; i++)
        x[i] = repeat_pick(s, (int)d, masks[i], 0);
    if (s->p->named)
        return false;
    if (x[0] && x[3] && diff_chance(&s->r, 40)) {
        repeat_feature_drawn(s, REPEAT_matmul);
        define(s, d, 1, "let ",
               repeat_put(s, " = matmul(%s, %s)", x[0]->ref, x[3]->ref));
        return true;
    }
    const char *text = contraction(s, x, &mask);
    if (text) {
        repeat_feature_drawn(s, REPEAT_einsum);
        define(s, d, mask, "einsum ", text);
    }
    return text != NULL;
}

/* Some elements replaced or added to. */
static bool
statement_update(repeat_shop *s)
{
    static const char *const names[] = {"add_at", "max_at", "min_at"};
    const repeat_value *v = repeat_pick(s, -1, 1, 2);
    const repeat_value *p = repeat_pick(s, ILEX_I64, 1, 0), *w;
    if (!v)
        return false;
    unsigned rest = v->mask & 2;
    bool added = v->dtype == ILEX_F64 || v->dtype == ILEX_I64;
    if (s->p->named) {
        repeat_feature_drawn(s, REPEAT_update);
        define(s, v->dtype, v->mask, "let ",
               repeat_put(s, " = update(%s[I=1], %s)", v->ref,
                          (w = repeat_pick(s, (int)v->dtype, 0, rest))
                              ? w->ref
                              : repeat_literal(s, v->dtype)));
        return true;
    }
    w = repeat_pick(s, (int)v->dtype, v->mask, 0);
    if (p && w && diff_chance(&s->r, 60)) {
        repeat_feature_drawn(s, added ? REPEAT_add_at : REPEAT_update);
        define(s, v->dtype, v->mask, "let ",
               repeat_put(s, " = %s(%s[%s %% \1v0;], %s)",
                          added ? names[diff_draw(&s->r, 3)] : "update", v->ref,
                          p->ref, w->ref));
        return true;
    }
    repeat_feature_drawn(s, REPEAT_update);
    w = repeat_pick(s, (int)v->dtype, rest, 0);
    define(s, v->dtype, v->mask, "let ",
           repeat_put(s, " = update(%s[%s], %s)", v->ref, w ? "1" : "1:",
                      w ? w->ref : repeat_literal(s, v->dtype)));
    return true;
}

/* The same elements elsewhere. */
static bool
statement_moved(repeat_shop *s)
{
    const repeat_value *v = repeat_pick(s, -1, 1, 2);
    const char *text;
    if (!v)
        return false;
    const char *x = v->ref;
    repeat_feature_drawn(s, REPEAT_moved);
    switch (diff_draw(&s->r, s->p->named ? 2 : 6)) {
    case 0:
        text = repeat_put(s, "roll(%s; axis=%s, by=%d)", x,
                          s->p->named ? "I" : "0", diff_between(&s->r, -2, 2));
        break;
    case 1:
        text = repeat_put(s, "flip(%s; axes=%s)", x, s->p->named ? "I" : "0");
        break;
    case 2:
        text = repeat_put(s, "%s[::-1]", x);
        break;
    case 3:
        text = repeat_put(s, "concat(%s[1:], %s[:1]; axis=0)", x, x);
        break;
    case 4:
        text = repeat_put(s, "pad(%s[1:]; low=[1%s], high=0)", x,
                          v->mask == 3 ? ", 0" : "");
        break;
    default:
        repeat_feature_drawn(s, REPEAT_reshaped);
        text = v->mask == 3
                   ? repeat_put(s,
                                "reshape(reshape(%s; shape=[-1])[::-1]; "
                                "shape=[\1z0;, \1z1;])",
                                x)
                   : repeat_put(s, "reshape(%s; shape=[1, \1z0;])[0]", x);
    }
    define(s, v->dtype, v->mask, "let ", repeat_put(s, " = %s", text));
    return true;
}

/* Two results, a type, or a loop inside. */
static bool
statement_call(repeat_shop *s)
{
    const repeat_value *a = repeat_pick(s, ILEX_F64, 1, 0),
                       *b = repeat_pick(s, ILEX_F64, 0, 3);
    int kind = diff_draw(&s->r, 3), y = s->p->nnames;
    if (!a || !b)
        return false;
    if (kind == 0) {
        repeat_feature_drawn(s, REPEAT_function_two);
        define(s, ILEX_F64, b->mask, "let ",
               repeat_put(s, ", \1l%d; = both(%s, 0.5)", y + 1, b->ref));
        repeat_define(s, 'l', ILEX_F64, b->mask, -1, s->depth);
        return true;
    }
    repeat_feature_drawn(s, kind == 1 ? REPEAT_function_typed
                                      : REPEAT_function_loop);
    define(
        s, ILEX_F64, 1, "let ",
        repeat_put(s, " = %s(%s, 0.25)", kind == 1 ? "turn" : "often", a->ref));
    return true;
}

/* A length that is counted where the statement stands. */
static bool
statement_counted(repeat_shop *s)
{
    static const char *const texts[] = {
        " = sum(compress(%s, %s > 0.25))", " = sum(sort(compress(%s, %s < 0)))",
        " = sum(compress(sin(%s), floor(8*%s) %% 2 == 0))",
        " = sum(cumsum(compress(%s, %s != 0.5)))"};
    unsigned mask = diff_chance(&s->r, 50) ? 1 : 2;
    const repeat_value *v = repeat_pick(s, ILEX_F64, mask, 0),
                       *w = repeat_pick(s, ILEX_F64, mask, 0);
    if (!v || !w || s->p->named)
        return false;
    repeat_feature_drawn(s, REPEAT_counted_inside);
    define(s, ILEX_F64, 0, "let ",
           repeat_put(s, texts[diff_draw(&s->r, 4)], v->ref, w->ref));
    return true;
}

void
repeat_draw_statement(repeat_shop *s)
{
    static bool (*const all[])(repeat_shop *) = {
        statement_map,        statement_map,    statement_scan,
        statement_product,    statement_let,    statement_let,
        statement_cumulative, statement_update, statement_moved,
        statement_call,       statement_let,    statement_counted};
    bool done = false;
    for (int tries = 0; tries < 20 && !done; tries++) {
        int k = diff_draw(&s->r, (int)IX_COUNT(all));
        s->names = k < 4;
        done = all[k](s);
    }
    s->names = false;
}
