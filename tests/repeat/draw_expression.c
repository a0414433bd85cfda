/* SPDX-License-Identifier: MIT
 *
 * Expressions over fields.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/repeat/repeat.h"

void
repeat_feature_drawn(repeat_shop *s, repeat_feature f)
{
    s->p->feature[f]++;
}

const char *
repeat_put(repeat_shop *s, const char *format, ...)
{
    repeat_program *p = s->p;
    char *text = p->pool + p->used;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof p->pool - p->used, format, list);
    va_end(list);
    if (n < 0 || p->used + (size_t)n + 1 >= sizeof p->pool)
        abort();
    p->used += (size_t)n + 1;
    return text;
}

ilex_dtype
repeat_draw_dtype(repeat_shop *s)
{
    static const ilex_dtype all[] = {ILEX_F64, ILEX_F64, ILEX_F64,  ILEX_F32,
                                     ILEX_I64, ILEX_I32, ILEX_BOOL, ILEX_C128};
    return all[diff_draw(&s->r, (int)IX_COUNT(all))];
}

const char *
repeat_type(repeat_shop *s, ilex_dtype d, unsigned mask)
{
    const char *name = ilex_dtype_name(d);
    bool named = s->p->named;
    const char *i = named ? "I:\1z0;" : "\1z0;",
               *j = named ? "J:\1z1;" : "\1z1;";
    return mask == 3   ? repeat_put(s, "%s[%s, %s]", name, i, j)
           : mask == 2 ? repeat_put(s, "%s[%s]", name, j)
           : mask == 1 ? repeat_put(s, "%s[%s]", name, i)
                       : name;
}

const repeat_value *
repeat_pick(repeat_shop *s, int dtype, unsigned axes, unsigned more)
{
    int found = 0, latest = s->nvalues > 12 && diff_chance(&s->r, 50)
                                ? s->nvalues - 10
                                : 0;
    const repeat_value *v = NULL;
    for (int i = latest; i < s->nvalues; i++) {
        const repeat_value *x = &s->value[i];
        if ((dtype >= 0 && x->dtype != (ilex_dtype)dtype) ||
            (s->names && x->ref[0] == 1 && x->ref[1] == 'n') ||
            (x->mask & axes) != axes || (x->mask & ~(axes | more)))
            continue;
        if (diff_draw(&s->r, ++found) == 0)
            v = x;
    }
    return v;
}

const char *
repeat_literal(repeat_shop *s, ilex_dtype d)
{
    int k = diff_between(&s->r, -8, 8);
    switch (d) {
    case ILEX_BOOL:
        return k % 2 ? "true" : "false";
    case ILEX_I32:
    case ILEX_I64:
        return repeat_put(s, "%s(%d)", ilex_dtype_name(d), k < 0 ? -k : k);
    case ILEX_C128:
        return repeat_put(s, "%.2fj", 0.25 * abs(k));
    default:
        return repeat_put(s, "%s(%.2f)", ilex_dtype_name(d), 0.25 * abs(k));
    }
}

int
repeat_pick_loop(repeat_shop *s)
{
    if (s->depth == 0)
        return -1;
    int at = diff_draw(&s->r, s->depth);
    if (at < s->depth - 1)
        repeat_feature_drawn(s, REPEAT_outer_step);
    return s->around[at];
}

/* Conversion of what has dtype "from". */
static const char *
converted(repeat_shop *s, ilex_dtype from, ilex_dtype to, const char *text)
{
    if (from == to)
        return text;
    if (from == ILEX_C128 && to == ILEX_BOOL)
        return repeat_put(s, "(real(%s) > 0.0)", text);
    if (from == ILEX_C128)
        return to == ILEX_F64
                   ? repeat_put(s, "real(%s)", text)
                   : repeat_put(s, "%s(real(%s))", ilex_dtype_name(to), text);
    if (to == ILEX_BOOL)
        return repeat_put(s, "(%s > %s)", text,
                          from == ILEX_BOOL ? "false" : "0");
    return repeat_put(s, "%s(%s)", ilex_dtype_name(to), text);
}

/* A value where an expression over "mask" reads it. */
static const char *
reference(repeat_shop *s, const repeat_value *v, unsigned mask)
{
    s->got |= v->mask;
    if (v->ref[1] == 'n')
        repeat_feature_drawn(s, v->depth + 1 < s->depth ? REPEAT_outer_next
                                                        : REPEAT_next_read);
    if (v->ref[1] == 'c' && v->depth + 1 < s->depth)
        repeat_feature_drawn(s, REPEAT_outer_carry);
    if (!s->p->named && v->mask == 1 && mask == 3)
        return repeat_put(s, "%s[:, None]", v->ref);
    return repeat_put(s, "%s", v->ref); /* "v" is for this loop */
}

/* ---- reads ---- */

/* A named array moved: u[I+1; wrap]. */
static const char *
shifted(repeat_shop *s, unsigned mask, ilex_dtype d)
{
    static const char *const outside[] = {"wrap",      "edge", "reflect",
                                          "symmetric", NULL,   NULL};
    unsigned axis = mask == 3 ? 1u << diff_draw(&s->r, 2) : mask;
    const repeat_value *v =
        s->p->named && mask ? repeat_pick(s, (int)d, axis, mask) : NULL;
    int by = diff_between(&s->r, -2, 2), loop = repeat_pick_loop(s);
    const char *how = outside[diff_draw(&s->r, 6)], *step = "";
    if (!v)
        return NULL;
    if (loop >= 0 && diff_chance(&s->r, 20) && how && !s->p->symbolic &&
        (!strcmp(how, "wrap") || !strcmp(how, "edge"))) {
        step = repeat_put(s, "+\1i%d;", loop);
        repeat_feature_drawn(s, REPEAT_step_shift);
    }
    s->got |= v->mask;
    repeat_feature_drawn(s, REPEAT_shift);
    return repeat_put(s, "%s[%s%+d%s; %s]", v->ref, axis == 1 ? "I" : "J", by,
                      step, how ? how : repeat_literal(s, d));
}

/* An array that has more axes, summed over these. */
static const char *
reduced(repeat_shop *s, unsigned mask, ilex_dtype d)
{
    static const char *const numbers[] = {"sum", "max", "min", "mean",
                                          "argmax"};
    static const char *const truths[] = {"any", "all"};
    const repeat_value *v = repeat_pick(s, -1, 0, 3), *m = NULL;
    unsigned over = v ? v->mask & ~mask : 0;
    if (!over)
        return NULL;
    bool all = over == v->mask;
    const char *axes = all           ? ""
                       : s->p->named ? (over == 1 ? "[I]" : "[J]")
                                     : (over == 1 ? "[0]" : "[1]"),
               *op = d == ILEX_BOOL ? truths[diff_draw(&s->r, 2)]
                                    : numbers[diff_draw(&s->r, all ? 4 : 5)];
    bool complex = v->dtype == ILEX_C128;
    if (complex)
        op = "sum";
    else if (v->dtype == ILEX_BOOL && d != ILEX_BOOL)
        op = "sum";
    if (diff_chance(&s->r, 20) && strcmp(op, "argmax") != 0)
        m = repeat_pick(s, ILEX_BOOL, v->mask, 0);
    s->got |= v->mask & mask;
    repeat_feature_drawn(s, m ? REPEAT_masked_reduction : REPEAT_reduction);
    const char *text =
        m ? repeat_put(s, "%s%s(%s; where=%s)", op, axes, v->ref, m->ref)
          : repeat_put(s, "%s%s(%s)", op, axes, v->ref);
    if (complex)
        return converted(s, ILEX_C128, d, text);
    return d == ILEX_BOOL && *op != 'a' ? repeat_put(s, "(%s > 0)", text)
           : d == ILEX_BOOL             ? text
                            : repeat_put(s, "%s(%s)", ilex_dtype_name(d), text);
}

static const char *
leaf(repeat_shop *s, unsigned mask, ilex_dtype d)
{
    int loop = repeat_pick_loop(s);
    const repeat_value *v =
        repeat_pick(s, diff_chance(&s->r, 75) ? (int)d : -1, 0, mask);
    if (loop >= 0 && diff_chance(&s->r, 10)) {
        repeat_feature_drawn(s, REPEAT_step_value);
        return d == ILEX_BOOL
                   ? repeat_put(s, "(\1t%d; %% 2 == %d)", loop,
                                diff_draw(&s->r, 2))
                   : repeat_put(s, "%s(\1t%d;)", ilex_dtype_name(d), loop);
    }
    if (!v || diff_chance(&s->r, 8))
        return repeat_literal(s, d);
    return converted(s, v->dtype, d, reference(s, v, mask));
}

/* ---- operators ---- */

/* "x" in the place of @. */
static const char *
filled(repeat_shop *s, const char *pattern, const char *x)
{
    int before = (int)strcspn(pattern, "@");
    return repeat_put(s, "(%.*s%s%s)", before, pattern, x,
                      pattern + before + 1);
}

static const char *
unary(repeat_shop *s, ilex_dtype d, const char *x)
{
    static const char *const real[] = {
        "tanh(@)",           "sin(@)",
        "absolute(@)",       "exp(-absolute(@))",
        "sqrt(absolute(@))", "floor(@)",
        "0.5*(@)",           "-(@)",
        "(@)/3.0",           "clip(@, -1.5, 2.5)"};
    static const char *const whole[] = {"(@) % 5", "(@)//3", "absolute(@)",
                                        "-(@)",    "3*(@)",  "(@) ^ 5"};
    static const char *const complex[] = {"conj(@)", "0.5j*(@)", "-(@)",
                                          "(@)*0.5"};
    if (d == ILEX_BOOL)
        return filled(s, "!(@)", x);
    if (d == ILEX_C128)
        return filled(s, complex[diff_draw(&s->r, 4)], x);
    if (d == ILEX_F64 || d == ILEX_F32)
        return filled(s, real[diff_draw(&s->r, (int)IX_COUNT(real))], x);
    return filled(s, whole[diff_draw(&s->r, (int)IX_COUNT(whole))], x);
}

static const char *
binary(repeat_shop *s, ilex_dtype d, const char *x, const char *y)
{
    static const char *const signs[] = {" + ", " - ", "*"};
    static const char *const truths[] = {" && ", " || ", " == ", " != "};
    int k = diff_draw(&s->r, 6);
    if (d == ILEX_BOOL)
        return repeat_put(s, "((%s)%s(%s))", x, truths[k % 4], y);
    if (d == ILEX_C128 || k < 3)
        return repeat_put(s, "((%s)%s(%s))", x, signs[k % 3], y);
    if (k == 5 && (d == ILEX_F64 || d == ILEX_F32))
        return repeat_put(s, "(%s)/(1.0 + absolute(%s))", x, y);
    return repeat_put(s, "%s(%s, %s)", k % 2 ? "minimum" : "maximum", x, y);
}

/* Two numbers compared. */
static const char *
compared(repeat_shop *s, unsigned mask, int depth)
{
    static const char *const signs[] = {">", "<", ">=", "<=", "==", "!="};
    static const ilex_dtype all[] = {ILEX_F64, ILEX_F32, ILEX_I64, ILEX_I32};
    ilex_dtype d = all[diff_draw(&s->r, 4)];
    const char *x = repeat_expression(s, mask, d, depth - 1),
               *y = repeat_expression(s, mask, d, depth - 2);
    return repeat_put(s, "(%s %s %s)", x, signs[diff_draw(&s->r, 6)], y);
}

/* One side of an index and the other. */
static const char *
divided(repeat_shop *s, unsigned mask, ilex_dtype d, int depth)
{
    static const char *const where[2][4] = {
        {"I < 1", "I >= 1 && I < \1z0;-1", "I != 2", "1 <= I"},
        {"J == 0", "J >= 2", "J >= 1 && J < \1z1;-1", "J < \1z1;-1"}};
    unsigned axis = mask == 3 ? 1u << diff_draw(&s->r, 2) : mask;
    const repeat_value *v =
        s->p->named && mask ? repeat_pick(s, (int)d, axis, mask) : NULL;
    if (!v)
        return NULL;
    const char *x = reference(s, v, mask),
               *y = repeat_expression(s, mask, d, depth - 1);
    if (diff_chance(&s->r, 50)) {
        const char *t = x;
        x = y;
        y = t;
    }
    repeat_feature_drawn(s, REPEAT_concat_where);
    return repeat_put(s, "concat_where(%s, %s, %s)",
                      where[axis - 1][diff_draw(&s->r, 4)], x, y);
}

static const char *
call(repeat_shop *s, unsigned mask, ilex_dtype d, int depth)
{
    if (d != ILEX_F64 && d != ILEX_F32)
        return NULL;
    const char *x = repeat_expression(s, mask, d, depth - 1),
               *y = repeat_expression(s, mask, d, depth - 1);
    repeat_feature_drawn(s, REPEAT_function_value);
    return repeat_put(s, "mix(%s(%s), %s(%s))", ilex_dtype_name(d), x,
                      ilex_dtype_name(d), y);
}

const char *
repeat_expression(repeat_shop *s, unsigned mask, ilex_dtype d, int depth)
{
    const char *x = NULL;
    int kind = diff_draw(&s->r, 20);
    if (depth <= 0 || kind < 4)
        return leaf(s, mask, d);
    if (kind < 7)
        x = shifted(s, mask, d);
    else if (kind < 9)
        x = divided(s, mask, d, depth);
    else if (kind < 11)
        x = reduced(s, mask, d);
    else if (kind < 12)
        x = call(s, mask, d, depth);
    else if (d == ILEX_BOOL && kind < 18)
        x = compared(s, mask, depth);
    if (x)
        return x;
    x = repeat_expression(s, mask, d, depth - 1);
    if (diff_chance(&s->r, 30))
        return unary(s, d, x);
    const char *y = repeat_expression(s, mask, d, depth - 1);
    if (diff_chance(&s->r, 20)) {
        repeat_feature_drawn(s, REPEAT_where);
        return repeat_put(s, "where(%s, %s, %s)",
                          repeat_expression(s, mask, ILEX_BOOL, depth - 1), x,
                          y);
    }
    return binary(s, d, x, y);
}
