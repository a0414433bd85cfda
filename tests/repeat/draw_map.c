/* SPDX-License-Identifier: MIT
 *
 * Expressions over indices, the bodies of `map` and `scan`.
 */
#include <stdlib.h>

#include "tests/repeat/repeat.h"

static const char *const length[] = {"\1z0;", "\1z1;"};
static const char *const variable[] = {"i", "j"};

const char *
repeat_brackets(repeat_shop *s, unsigned mask)
{
    static const char *const text[2][4] = {
        {"", "i:\1z0;", "j:\1z1;", "i:\1z0;, j:\1z1;"},
        {"", "I=i:\1z0;", "J=j:\1z1;", "I=i:\1z0;, J=j:\1z1;"}};
    return repeat_put(s, "[%s]", text[s->p->named][mask]);
}

const char *
repeat_step_index(repeat_shop *s, int loop)
{
    int64_t lo = s->p->loop[loop].first;
    repeat_feature_drawn(s, REPEAT_step_index);
    return lo < 0 ? repeat_put(s, "\1i%d;+%d", loop, (int)-lo)
                  : repeat_put(s, "\1i%d;", loop);
}

/* An integer that is data, anywhere. */
static const char *
whole(repeat_shop *s, unsigned mask)
{
    const repeat_value *p = repeat_pick(s, ILEX_I64, 0, mask);
    int loop = repeat_pick_loop(s);
    const char *step = loop >= 0 && diff_chance(&s->r, 40)
                           ? repeat_put(s, "+\1t%d;", loop)
                           : "";
    if (!p)
        return repeat_put(s, "i64(1)%s", step);
    return repeat_put(s, "%s%s%s", p->ref,
                      p->mask == 3   ? "[i, j]"
                      : p->mask == 2 ? "[j]"
                      : p->mask == 1 ? "[i]"
                                     : "",
                      step);
}

/* Where along an axis of which "mask" has the index, or not. */
static const char *
place(repeat_shop *s, unsigned mask, int axis, bool *outside, bool *data)
{
    const char *n = length[axis], *i = variable[axis];
    int kind = s->p->wild && diff_chance(&s->r, 30) ? 3 : diff_draw(&s->r, 9);
    if (!(mask >> axis & 1)) {
        i = variable[1 - axis];
        if (!mask || kind < 2)
            return "1";
        return repeat_put(s, "min(%s, %s-1)", i, n);
    }
    switch (kind) {
    case 0:
        return repeat_put(s, "min(%s+1, %s-1)", i, n);
    case 1:
        return repeat_put(s, "(%s+1)%%%s", i, n);
    case 2:
        return repeat_put(s, "%s-1-%s", n, i);
    case 3:
        if (s->scan)
            return i; /* text of such scans is not read again */
        repeat_feature_drawn(s, REPEAT_gather);
        *data = true;
        const char *at = whole(s, mask);
        if (s->p->wild && *at != 'i' && diff_chance(&s->r, 40)) {
            repeat_feature_drawn(s, REPEAT_wild_gather);
            return at;
        }
        return repeat_put(s, "min(max(%s, 0), \1v%d;-1)", at, axis);
    case 4:
        if (!*outside) {
            *outside = true;
            return repeat_put(s, "%s%+d", i, diff_chance(&s->r, 50) ? 1 : -1);
        } /* fall through */
    default:
        return i;
    }
}

/* An array at a point. */
static const char *
element(repeat_shop *s, const repeat_value *v, unsigned mask)
{
    static const char *const modes[] = {"wrap", "edge", "0"};
    bool outside = v->dtype == ILEX_C128 || v->dtype == ILEX_BOOL;
    bool was = outside, data = false;
    const char *at[2] = {"", ""};
    if (!v->mask)
        return repeat_put(s, "%s", v->ref);
    for (int k = 0; k < 2; k++)
        if (v->mask >> k & 1)
            at[k] = place(s, mask, k, &outside, &data);
    const char *mode =
        outside && !was
            ? repeat_put(s, "; %s", modes[data ? 2 : diff_draw(&s->r, 3)])
            : "";
    return repeat_put(s, "%s[%s%s%s%s]", v->ref, at[0],
                      v->mask == 3 ? ", " : "", at[1], mode);
}

/* The sum of products along the other axis. */
static const char *
inner_sum(repeat_shop *s, unsigned mask, ilex_dtype d)
{
    int axis = mask == 1;
    const repeat_value *a = repeat_pick(s, (int)d, 3, 0),
                       *b = repeat_pick(s, (int)d, 1u << axis, 0);
    if (mask == 3 || !mask || !a || !b || d == ILEX_BOOL)
        return NULL;
    repeat_feature_drawn(s, REPEAT_inner_sum);
    return repeat_put(s, "%s(sum[q:%s](%s[%s]*%s[q]))", ilex_dtype_name(d),
                      length[axis], a->ref, axis ? "i, q" : "q, j", b->ref);
}

static const char *
condition(repeat_shop *s, unsigned mask)
{
    static const char *const signs[] = {"<", ">=", "=="};
    int loop = repeat_pick_loop(s);
    const char *sign = signs[diff_draw(&s->r, 3)], *i = mask & 1 ? "i" : "j";
    const repeat_value *b = repeat_pick(s, ILEX_BOOL, 0, mask);
    if (b && diff_chance(&s->r, 40))
        return element(s, b, mask);
    if (loop >= 0 && diff_chance(&s->r, 50))
        return repeat_put(s, "%s %s \1t%d;", mask ? i : "1", sign, loop);
    return repeat_put(s, "%s %s %d", mask ? i : "2", sign, diff_draw(&s->r, 4));
}

static const char *
point_leaf(repeat_shop *s, unsigned mask, ilex_dtype d)
{
    const char *name = ilex_dtype_name(d);
    const repeat_value *v =
        repeat_pick(s, diff_chance(&s->r, 80) ? (int)d : -1, 0, 3);
    int loop = repeat_pick_loop(s);
    if (d == ILEX_F64 && diff_chance(&s->r, 6)) {
        repeat_feature_drawn(s, REPEAT_random);
        return loop >= 0 && s->p->loop[loop].first >= 0
                   ? repeat_put(s, "random(7, %s, \1t%d;)",
                                mask & 1 ? "i"
                                : mask   ? "j"
                                         : "3",
                                loop)
                   : repeat_put(s, "random(%d, %s)", diff_draw(&s->r, 9),
                                mask & 1 ? "i"
                                : mask   ? "j"
                                         : "3");
    }
    if (loop >= 0 && d != ILEX_BOOL && diff_chance(&s->r, 8)) {
        repeat_feature_drawn(s, REPEAT_step_value);
        return repeat_put(s, "%s(\1t%d;)", name, loop);
    }
    if (!v || diff_chance(&s->r, 8))
        return repeat_literal(s, d);
    const char *text = element(s, v, mask);
    if (v->dtype == d)
        return text;
    if (v->dtype == ILEX_C128)
        text = repeat_put(s, "real(%s)", text);
    return d == ILEX_BOOL ? repeat_put(s, "(%s > %s)", text,
                                       v->dtype == ILEX_BOOL ? "false" : "0")
                          : repeat_put(s, "%s(%s)", name, text);
}

const char *
repeat_point(repeat_shop *s, unsigned mask, ilex_dtype d, int depth)
{
    static const char *const signs[] = {" + ", " - ", "*"};
    static const char *const truths[] = {" && ", " || ", " != "};
    const char *x = NULL;
    int kind = diff_draw(&s->r, 10);
    if (depth <= 0 || kind < 3)
        return point_leaf(s, mask, d);
    if (kind == 3)
        x = inner_sum(s, mask, d);
    if (x)
        return x;
    x = repeat_point(s, mask, d, depth - 1);
    const char *y = repeat_point(s, mask, d, depth - 1);
    if (kind < 6) {
        repeat_feature_drawn(s, REPEAT_where);
        return repeat_put(s, "where(%s, %s, %s)", condition(s, mask), x, y);
    }
    if (kind == 6 && (d == ILEX_F64 || d == ILEX_F32))
        return repeat_put(s, "tanh(%s)", x);
    return repeat_put(s, "((%s)%s(%s))", x,
                      (d == ILEX_BOOL ? truths : signs)[diff_draw(&s->r, 3)],
                      y);
}
