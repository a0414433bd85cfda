/* SPDX-License-Identifier: MIT
 *
 * Loops: heads, bodies, what is carried.
 */
#include "tests/repeat/repeat.h"

enum { MOST_TIMES = 60 };

/* ---- the head ---- */

static void
range(repeat_shop *s, repeat_loop *l, const char *lo, const char *hi,
      int64_t first, int64_t end)
{
    l->lo = lo;
    l->hi = hi;
    l->first = first;
    l->count = end > first ? end - first : 0;
    repeat_feature_drawn(s, l->count == 0   ? REPEAT_no_step
                            : l->count == 1 ? REPEAT_one_step
                                            : REPEAT_many_steps);
    if (first != 0)
        repeat_feature_drawn(s, REPEAT_steps_from);
}

static void
draw_range(repeat_shop *s, repeat_loop *l)
{
    static const int literal[] = {0, 1, 2, 3, 3, 5, 8, 13, 20};
    static const int from[] = {0, 0, 0, 1, 2, -2};
    const int64_t *size = s->p->size;
    int64_t room = MOST_TIMES / s->times;
    int lo = from[diff_draw(&s->r, 6)], nt = s->depth ? 3 : 2;
    if (s->p->wild) { /* what no step reads is read before the loop */
        repeat_feature_drawn(s, REPEAT_literal_steps);
        range(s, l, "1", room > 1 ? "3" : "2", 1, room > 1 ? 3 : 2);
        return;
    }
    if (diff_chance(&s->r, 8) && size[0] - size[1] <= room) {
        repeat_feature_drawn(s, REPEAT_crossed_range);
        range(s, l, "\1y1;", "\1y0;", size[1], size[0]);
        return;
    }
    if (diff_chance(&s->r, 50) && size[nt] <= room) {
        repeat_feature_drawn(s, REPEAT_symbolic_steps);
        const char *hi = lo ? repeat_put(s, "\1y%d;%+d", nt, lo < 0 ? 0 : lo)
                            : repeat_put(s, "\1y%d;", nt);
        lo = lo < 0 ? 0 : lo;
        range(s, l, lo ? repeat_put(s, "%d", lo) : "0", hi, lo, size[nt] + lo);
        return;
    }
    int64_t n = literal[diff_draw(&s->r, s->depth ? 5 : 9)];
    n = n < room ? n : room;
    repeat_feature_drawn(s, REPEAT_literal_steps);
    range(s, l, repeat_put(s, "%d", lo), repeat_put(s, "%d", (int)(lo + n)), lo,
          lo + n);
}

static void
count_carry(repeat_shop *s, ilex_dtype d, unsigned mask)
{
    repeat_feature_drawn(s, d == ILEX_F64    ? REPEAT_carry_f64
                            : d == ILEX_F32  ? REPEAT_carry_f32
                            : d == ILEX_I64  ? REPEAT_carry_i64
                            : d == ILEX_I32  ? REPEAT_carry_i32
                            : d == ILEX_BOOL ? REPEAT_carry_bool
                                             : REPEAT_carry_c128);
    repeat_feature_drawn(s, mask == 3 ? REPEAT_rank_2
                            : mask    ? REPEAT_rank_1
                                      : REPEAT_rank_0);
}

void
repeat_draw_carry(repeat_shop *s, repeat_loop *l, int number, ilex_dtype d,
                  unsigned mask)
{
    int k = l->ncarries++;
    const repeat_value *v;
    count_carry(s, d, mask);
    l->carry[k] = repeat_new_name(s, d, mask, number, s->depth);
    l->typed[k] = true;
    v = diff_chance(&s->r, 50) ? repeat_pick(s, (int)d, mask, 0) : NULL;
    if (v) {
        repeat_feature_drawn(s, REPEAT_first_value);
        l->value[k] = repeat_put(s, "%s", v->ref);
        l->typed[k] = diff_chance(&s->r, 40);
    } else if (diff_chance(&s->r, 40)) {
        repeat_feature_drawn(s, REPEAT_first_literal);
        l->value[k] = repeat_literal(s, d);
    } else {
        l->value[k] = repeat_expression(s, mask, d, 2);
    }
}

static void
draw_carry(repeat_shop *s, repeat_loop *l, int number)
{
    static const unsigned masks[] = {0, 1, 1, 2, 3, 3};
    ilex_dtype d = repeat_draw_dtype(s);
    repeat_draw_carry(s, l, number, d, masks[diff_draw(&s->r, 6)]);
}

/* ---- the body ---- */

static const char *
next_value(repeat_shop *s, const repeat_name *n, int number)
{
    const repeat_value *v = repeat_pick(s, (int)n->dtype, n->mask, 0);
    int kind = diff_draw(&s->r, 20);
    bool real = n->dtype == ILEX_F64 || n->dtype == ILEX_F32;
    if (kind < 4 && v) {
        repeat_feature_drawn(s, REPEAT_next_copies);
        return repeat_put(s, "%s", v->ref);
    }
    if (kind == 4) {
        repeat_feature_drawn(s, REPEAT_next_literal);
        return repeat_literal(s, n->dtype);
    }
    const char *x = repeat_expression(s, n->mask, n->dtype, 3);
    if (kind < 8 && n->dtype != ILEX_BOOL)
        return repeat_put(s, "%s + \1c%d;", x, number);
    if (kind < 14 && real)
        return repeat_put(s, "0.5*\1c%d; + tanh(%s)", number, x);
    return x;
}

static void
draw_next(repeat_shop *s, int number, int k)
{
    repeat_loop *l = &s->p->loop[number];
    const repeat_name *n = &s->p->name[l->carry[k]];
    l->given[k] = true;
    repeat_add_line(s, (repeat_line){.kind = REPEAT_NEXT,
                                     .loop = number,
                                     .name = l->carry[k],
                                     .text = next_value(s, n, l->carry[k])});
    repeat_readable(s, 'n', l->carry[k]);
}

/* x[t], of an input of the loop's own. */
static void
draw_table(repeat_shop *s, int number)
{
    const repeat_loop *l = &s->p->loop[number];
    int deep = s->depth > 1 && diff_chance(&s->r, 30) ? s->around[0] : -1;
    unsigned mask = (unsigned)diff_draw(&s->r, 2);
    const char *add = l->first < 0 ? repeat_put(s, "+%d", (int)-l->first) : "",
               *at = repeat_step_index(s, number), *more = "",
               *named = s->p->named ? repeat_put(s, "T%d:", number) : "",
               *axis = s->p->named ? repeat_put(s, "T%d=", number) : "";
    int y = repeat_new_name(s, ILEX_F64, mask, -1, s->depth);
    if (deep >= 0 && s->p->loop[deep].first >= 0 && s->p->loop[deep].count) {
        at = repeat_put(s, "%s+\1i%d;", at, deep);
        more = repeat_put(s, "+%s", s->p->loop[deep].hi);
        repeat_feature_drawn(s, REPEAT_outer_step);
    }
    repeat_feature_drawn(s, REPEAT_table);
    repeat_add_line(
        s, (repeat_line){.kind = REPEAT_OUT,
                         .text = repeat_put(s, "in t%dx%d : f64[%s%s%s%s%s]",
                                            number, y, named, l->hi, add, more,
                                            !mask         ? ""
                                            : s->p->named ? ", I:\1z0;"
                                                          : ", \1z0;")});
    repeat_add_line(
        s, (repeat_line){.kind = REPEAT_LINE,
                         .text = repeat_put(s, "let \1l%d; = t%dx%d[%s%s]", y,
                                            number, y, axis, at)});
    repeat_readable(s, 'l', y);
}

static void
draw_until(repeat_shop *s, int number)
{
    repeat_loop *l = &s->p->loop[number];
    const repeat_value *b = repeat_pick(s, ILEX_BOOL, 1, 2);
    const char *text;
    l->until = true;
    repeat_feature_drawn(s, REPEAT_until);
    switch (diff_draw(&s->r, 5)) {
    case 0:
        text = repeat_put(s, "\1t%d; >= %d", number,
                          (int)l->first + diff_draw(&s->r, 6));
        break;
    case 1:
        repeat_feature_drawn(s, REPEAT_until_never);
        text = repeat_put(s, "\1t%d; < %d", number, (int)l->first);
        break;
    case 2:
        text = b ? repeat_put(s, "any(%s)", b->ref)
                 : repeat_expression(s, 0, ILEX_BOOL, 3);
        break;
    default:
        text = repeat_expression(s, 0, ILEX_BOOL, 4);
    }
    repeat_add_line(s, (repeat_line){.kind = REPEAT_UNTIL,
                                     .loop = number,
                                     .text = repeat_put(s, "bool(%s)", text)});
}

/* ---- stacks ---- */

static int
draw_stack(repeat_shop *s, int number)
{
    ilex_dtype d = repeat_draw_dtype(s);
    unsigned mask = (unsigned)diff_draw(&s->r, 4);
    s->got = 0;
    const char *text = repeat_put(s, "%s(%s)", ilex_dtype_name(d),
                                  repeat_expression(s, mask, d, 3));
    if (s->got != mask) {
        int y = repeat_new_name(s, d, mask, -1, s->depth);
        repeat_add_line(s, (repeat_line){.kind = REPEAT_LINE,
                                         .text = repeat_put(
                                             s, "let \1l%d; : %s = %s", y,
                                             repeat_type(s, d, mask), text)});
        text = repeat_put(s, "\1l%d;", y);
    }
    int e = repeat_new_name(s, d, mask, number, s->depth - 1);
    s->p->loop[number].stacks = true;
    repeat_feature_drawn(s, mask ? REPEAT_stack_array : REPEAT_stack_scalar);
    int every = diff_chance(&s->r, 30) ? diff_between(&s->r, 2, 4) : 1;
    repeat_add_line(s, (repeat_line){.kind = REPEAT_STACK,
                                     .loop = number,
                                     .name = e,
                                     .text = text,
                                     .every = every});
    if (every > 1)
        repeat_feature_drawn(s, REPEAT_stack_every);
    if (s->p->loop[number].until)
        repeat_feature_drawn(s, REPEAT_stack_whole);
    return e;
}

/* What the loop around reads of a stack; its sum is an output where a run
 * counts how long it is. */
static void
use_stack(repeat_shop *s, int e)
{
    ilex_dtype d = s->p->name[e].dtype;
    int y = repeat_new_name(s, d == ILEX_BOOL ? ILEX_I64 : d, 0, -1, s->depth);
    repeat_add_line(
        s, (repeat_line){
               .kind = REPEAT_LINE,
               .text = repeat_put(s, "let \1l%d; = %s(sum(\1s%d;))", y,
                                  ilex_dtype_name(s->p->name[y].dtype), e)});
    repeat_readable(s, 'l', y);
    if (s->depth == 0)
        repeat_add_line(
            s, (repeat_line){.kind = REPEAT_LINE,
                             .text = repeat_put(s, "out e%d = \1s%d;", e, e)});
}

static void
draw_body(repeat_shop *s, int number)
{
    repeat_loop *l = &s->p->loop[number];
    int lines = diff_between(&s->r, 1, s->depth > 1 ? 2 : 5);
    bool none = l->count == 0 && (!s->p->symbolic || l->hi[0] != 1);
    if (!none && diff_chance(&s->r, 50)) /* x[t] of no step is refused */
        draw_table(s, number);
    for (int i = 0; i < lines; i++) {
        int k = diff_draw(&s->r, l->ncarries);
        if (s->depth < REPEAT_DEPTH && s->times < MOST_TIMES / 2 &&
            s->p->nloops < REPEAT_LOOPS && diff_chance(&s->r, 12))
            repeat_draw_loop(s);
        else
            repeat_draw_statement(s);
        if (diff_chance(&s->r, 40) && !l->given[k])
            draw_next(s, number, k);
    }
    for (int k = 0; k < l->ncarries; k++)
        if (!l->given[k])
            draw_next(s, number, k);
}

void
repeat_enter(repeat_shop *s, int number)
{
    const repeat_loop *l = &s->p->loop[number];
    s->around[s->depth++] = number;
    s->times *= l->count > 1 ? l->count : 1;
    for (int k = 0; k < l->ncarries; k++)
        repeat_readable(s, 'c', l->carry[k]);
}

void
repeat_leave(repeat_shop *s, int number, int values)
{
    const repeat_loop *l = &s->p->loop[number];
    s->depth--;
    s->nvalues = values;
    for (int k = 0; k < l->ncarries; k++)
        repeat_readable(s, 'r', l->carry[k]);
}

/* Is the length of a stack known not to be negative? */
static bool
may_stack(const repeat_loop *l)
{
    return l->lo[0] != 1;
}

void
repeat_draw_loop(repeat_shop *s)
{
    int number = s->p->nloops++, saved = s->nvalues, stack[2], nstacks = 0;
    int n = diff_between(&s->r, 1, REPEAT_CARRIES);
    int64_t times = s->times;
    repeat_loop *l = &s->p->loop[number];
    *l = (repeat_loop){.depth = s->depth, .steps = diff_chance(&s->r, 40)};
    draw_range(s, l);
    while (n-- > 0)
        draw_carry(s, l, number);
    if (s->depth)
        repeat_feature_drawn(s, s->depth > 1 ? REPEAT_nested_twice
                                             : REPEAT_nested);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_LOOP, .loop = number});
    repeat_enter(s, number);
    draw_body(s, number);
    if (diff_chance(&s->r, 30) && !s->p->wild) /* steps behind the end fail */
        draw_until(s, number);
    if (may_stack(l) && diff_chance(&s->r, 50))
        for (n = diff_between(&s->r, 1, 2); n > 0; n--)
            stack[nstacks++] = draw_stack(s, number);
    repeat_add_line(s, (repeat_line){.kind = REPEAT_END, .loop = number});
    s->times = times;
    repeat_leave(s, number, saved);
    if (l->steps) {
        repeat_feature_drawn(s, REPEAT_steps_name);
        repeat_name *k =
            &s->p->name[repeat_new_name(s, ILEX_I64, 0, number, s->depth)];
        repeat_value *v = &s->value[s->nvalues++];
        *v = (repeat_value){
            .dtype = ILEX_I64, .loop = number, .depth = k->depth};
        snprintf(v->ref, sizeof v->ref, "\1k%d;", number);
    }
    for (int i = 0; i < nstacks; i++)
        use_stack(s, stack[i]);
}
