/* SPDX-License-Identifier: MIT
 *
 * Loops over stencils, of which the compiler makes several steps at a time:
 * fields of one rank, read at points around.
 */
#include "tests/repeat/repeat.h"

enum { MOST_STEPS = 45, WIDE = 2 };

/* ---- bodies ---- */

/* One that may be read; the loop carries some. */
static const repeat_value *
pick_field(repeat_shop *s, ilex_dtype d)
{
    const repeat_value *v;
    do
        v = repeat_pick(s, (int)d, 3, 0);
    while (!v);
    return v;
}

/* A field at a point around; "mode" says what is beyond its ends. */
static const char *
neighbour(repeat_shop *s, const char *x, int reach, const char *mode)
{
    return repeat_put(s, "%s[i%+d, j%+d%s]", x,
                      diff_between(&s->r, -reach, reach),
                      diff_between(&s->r, -reach, reach), mode);
}

/* A sum of some of a field's points. */
static const char *
sum_of_points(repeat_shop *s, ilex_dtype d, int reach, const char *mode)
{
    const repeat_value *v = pick_field(s, d);
    const char *text = repeat_put(s, "%s[i, j]", v->ref);
    for (int n = diff_between(&s->r, 1, 4); n > 0; n--)
        text =
            repeat_put(s, "%s %c %s", text, diff_chance(&s->r, 70) ? '+' : '-',
                       neighbour(s, v->ref, reach, mode));
    return repeat_put(s, "%s*(%s)", diff_chance(&s->r, 50) ? "0.25" : "0.5",
                      text);
}

/* Which points have all those around. */
static const char *
inside(repeat_shop *s, int reach)
{
    const char *rows = repeat_put(s, "i >= %d && i < \1z0;-%d", reach, reach),
               *columns =
                   repeat_put(s, "j >= %d && j < \1z1;-%d", reach, reach);
    return repeat_put(s, "%s && %s", rows, columns);
}

/* Defines a field; its number. */
static int
draw_field(repeat_shop *s, ilex_dtype d)
{
    static const char *const modes[] = {"; edge", "; 0", "; 1"};
    int reach = diff_between(&s->r, 1, WIDE);
    const char *text;
    s->names = true;
    if (diff_chance(&s->r, 60)) {
        const repeat_value *v = pick_field(s, d);
        repeat_feature_drawn(s, REPEAT_stencil_inside);
        text = repeat_put(s, "where(%s, %s, %s[i, j])", inside(s, reach),
                          sum_of_points(s, d, reach, ""), v->ref);
    } else {
        repeat_feature_drawn(s, REPEAT_stencil_mode);
        text = sum_of_points(s, d, reach, modes[diff_draw(&s->r, 3)]);
    }
    s->names = false;
    int number = repeat_new_name(s, d, 3, -1, s->depth);
    repeat_add_line(
        s, (repeat_line){.kind = REPEAT_LINE,
                         .text = repeat_put(s, "map \1l%d;%s = %s(%s)", number,
                                            repeat_brackets(s, 3),
                                            ilex_dtype_name(d), text)});
    repeat_readable(s, 'l', number);
    return number;
}

static void
draw_next(repeat_shop *s, int number, int k, ilex_dtype d)
{
    int name = s->p->loop[number].carry[k];
    const repeat_value *v = pick_field(s, d);
    const char *text = diff_chance(&s->r, 15)
                           ? repeat_put(s, "%s", v->ref)
                           : repeat_put(s, "\1l%d;", draw_field(s, d));
    if (diff_chance(&s->r, 30))
        text = repeat_put(s, "0.5*\1c%d; + tanh(%s)", name, text);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_NEXT,
                                     .loop = number,
                                     .name = name,
                                     .text = text});
    repeat_readable(s, 'n', name);
}

/* ---- loops ---- */

static void
draw_range(repeat_shop *s, repeat_loop *l)
{
    l->first = diff_chance(&s->r, 20) ? 2 : 0;
    l->lo = l->first ? "2" : "0";
    if (diff_chance(&s->r, 60)) {
        l->count = s->p->size[2];
        l->hi = l->first ? "\1y2;+2" : "\1y2;";
        repeat_feature_drawn(s, REPEAT_symbolic_steps);
    } else {
        l->count = diff_draw(&s->r, MOST_STEPS);
        l->hi = repeat_put(s, "%d", (int)(l->first + l->count));
        repeat_feature_drawn(s, REPEAT_literal_steps);
    }
}

void
repeat_draw_stencil(repeat_shop *s)
{
    static const ilex_dtype all[] = {ILEX_F64, ILEX_F64, ILEX_F32};
    int number = s->p->nloops++, saved = s->nvalues;
    int n = diff_between(&s->r, 1, REPEAT_CARRIES);
    ilex_dtype d = all[diff_draw(&s->r, 3)];
    repeat_loop *l = &s->p->loop[number];
    *l = (repeat_loop){.depth = s->depth};
    repeat_feature_drawn(s, REPEAT_stencil);
    if (number == 0 && diff_chance(&s->r, 30)) { /* several strips */
        s->p->size[1] = 300;
        repeat_feature_drawn(s, REPEAT_long_axis);
    }
    draw_range(s, l);
    while (n-- > 0)
        repeat_draw_carry(s, l, number, d, 3);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_LOOP, .loop = number});
    repeat_enter(s, number);
    for (n = diff_draw(&s->r, 3); n > 0; n--)
        draw_field(s, d);
    for (int k = 0; k < l->ncarries; k++)
        draw_next(s, number, k, d);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_END, .loop = number});
    repeat_leave(s, number, saved);
}
