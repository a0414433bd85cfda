/* SPDX-License-Identifier: MIT
 *
 * Programs: inputs, functions, loops, outputs.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/repeat/repeat.h"

const char *const repeat_feature_names[REPEAT_FEATURES] = {
#define REPEAT_FEATURE(name) #name,
#include "tests/repeat/features.def"
#undef REPEAT_FEATURE
};

const char *const repeat_size_names[REPEAT_SIZES] = {"n", "m", "nt", "mt"};

static void
line(repeat_shop *s, const char *text, const char *once)
{
    repeat_add_line(
        s, (repeat_line){.kind = REPEAT_LINE, .text = text, .once = once});
}

/* Lengths of 3 and more, which programs may rely on. */
static void
draw_sizes(repeat_shop *s)
{
    int64_t *size = s->p->size;
    size[0] = diff_between(&s->r, 3, 6);
    size[1] = diff_between(&s->r, 3, 6);
    size[2] = diff_chance(&s->r, 20)   ? diff_draw(&s->r, 2)
              : diff_chance(&s->r, 20) ? 20
                                       : diff_between(&s->r, 2, 8);
    size[3] = diff_draw(&s->r, 4);
    if (diff_chance(&s->r, 5)) {
        size[diff_draw(&s->r, 2)] = 300;
        repeat_feature_drawn(s, REPEAT_long_axis);
    }
    repeat_feature_drawn(s, s->p->symbolic ? REPEAT_symbolic_lengths
                                           : REPEAT_literal_lengths);
    repeat_feature_drawn(s, s->p->named ? REPEAT_named : REPEAT_unnamed);
}

static void
draw_functions(repeat_shop *s)
{
    const char *axis = s->p->named ? "I:" : "",
               *moved = s->p->named ? "a[I+1; 0.0]" : "a[::-1]";
    line(s,
         "function mix(a, b)\n    let c = 0.5*a + tanh(b)\n    return c\nend\n"
         "function both(a, b)\n    let c = where(a > b, a, b)\n"
         "    let d = a - 0.25*b\n    return c, d\nend",
         NULL);
    line(s,
         repeat_put(s,
                    "function turn(a : f64[%sq], b : f64)\n"
                    "    let c = %s*b + a\n"
                    "    return c\nend",
                    axis, moved),
         NULL);
    line(s,
         "function often(a, b)\n    loop z[1:4] w = a\n"
         "        next w = 0.5*w + tanh(w) + b*f64(z)\n    end\n"
         "    return w\nend",
         "function often(a, b)\n"
         "    let w1 = 0.5*a + tanh(a) + b*f64(i64(1))\n"
         "    let w2 = 0.5*w1 + tanh(w1) + b*f64(i64(2))\n"
         "    let w3 = 0.5*w2 + tanh(w2) + b*f64(i64(3))\n"
         "    return w3\nend");
}

static void
draw_input(repeat_shop *s, int k, ilex_dtype d, unsigned mask)
{
    bool real = d == ILEX_F64 || d == ILEX_F32;
    repeat_value *v = &s->value[s->nvalues++];
    *v = (repeat_value){.dtype = d, .mask = mask, .loop = -1, .input = true};
    snprintf(v->ref, sizeof v->ref, "x%d", k);
    s->p->ninputs = k + 1;
    s->p->input[k] = (repeat_name){.dtype = d, .mask = mask};
    line(s, repeat_put(s, "in x%d : %s", k, repeat_type(s, d, mask)), NULL);
    if (real && diff_chance(&s->r, 70)) { /* mostly finite numbers */
        line(s,
             repeat_put(s, "let y%d = where(absolute(x%d) < 1e3, x%d, 0.5)", k,
                        k, k),
             NULL);
        v->ref[0] = 'y';
        v->input = false;
    }
}

static void
draw_inputs(repeat_shop *s)
{
    int k = 0;
    for (unsigned mask = 0; mask < 4; mask++)
        draw_input(s, k++, ILEX_F64, mask);
    draw_input(s, k++, ILEX_I64, 1);
    for (int more = diff_between(&s->r, 1, 4); more > 0; more--)
        draw_input(s, k++, repeat_draw_dtype(s), (unsigned)diff_draw(&s->r, 4));
    if (s->p->named || diff_chance(&s->r, 50))
        return;
    repeat_feature_drawn(s, REPEAT_counted);
    line(s, "let few = compress(x1, x1 > 0.25)\nlet least : f64 = sum(few)",
         NULL);
    repeat_value *v = &s->value[s->nvalues++];
    *v = (repeat_value){.dtype = ILEX_F64, .loop = -1};
    snprintf(v->ref, sizeof v->ref, "least");
}

/* The input that a carried array is first, or -1. */
static int
first_input(const repeat_shop *s, const repeat_value *v)
{
    int number, input, end = 0;
    if (v->ref[1] != 'r' || sscanf(v->ref + 2, "%d", &number) != 1)
        return -1;
    const repeat_loop *l = &s->p->loop[v->loop];
    for (int i = 0; i < l->ncarries; i++)
        if (l->carry[i] == number &&
            sscanf(l->value[i], "x%d%n", &input, &end) == 1 &&
            !l->value[i][end])
            return input;
    return -1;
}

/* In the place of an input, rather the one that the loop began with. */
static const char *
draw_inplace(repeat_shop *s, const repeat_value *v, unsigned *taken)
{
    const repeat_program *p = s->p;
    int first = first_input(s, v), k = diff_draw(&s->r, p->ninputs);
    if (first >= 0 && diff_chance(&s->r, 70))
        k = first;
    if (*taken >> k & 1 || p->input[k].dtype != v->dtype ||
        p->input[k].mask != v->mask)
        return "";
    *taken |= 1u << k;
    repeat_feature_drawn(s,
                         k == first ? REPEAT_inplace_of_first : REPEAT_inplace);
    return repeat_put(s, " inplace x%d", k);
}

static void
draw_outputs(repeat_shop *s)
{
    unsigned taken = 0;
    for (int i = 0, k = 0; i < s->nvalues; i++) {
        const repeat_value *v = &s->value[i];
        bool looped = v->ref[0] == 1 && (v->ref[1] == 'r' || v->ref[1] == 'k');
        if (!looped && (v->ref[0] != 1 || !diff_chance(&s->r, 25)))
            continue;
        line(s,
             repeat_put(s, "out o%d : %s = %s%s", k++,
                        repeat_type(s, v->dtype, v->mask), v->ref,
                        draw_inplace(s, v, &taken)),
             NULL);
    }
}

void
repeat_draw(repeat_program *p, uint64_t seed, uint64_t number)
{
    static repeat_shop shop;
    repeat_shop *s = &shop;
    memset(p, 0, sizeof *p - sizeof p->pool);
    memset(s, 0, sizeof *s);
    s->p = p;
    s->r = diff_random_of(seed, number, 41);
    s->times = 1;
    p->seed = seed;
    p->number = number;
    p->named = diff_chance(&s->r, 50);
    p->symbolic = diff_chance(&s->r, 70);
    p->wild = diff_chance(&s->r, 10);
    draw_sizes(s);
    draw_functions(s);
    draw_inputs(s);
    for (int i = diff_draw(&s->r, 3); i > 0; i--)
        repeat_draw_statement(s);
    if (diff_chance(&s->r, 25))
        repeat_draw_stencil(s);
    else
        repeat_draw_loop(s);
    if (diff_chance(&s->r, 40))
        repeat_draw_statement(s);
    if (diff_chance(&s->r, 25)) {
        repeat_feature_drawn(s, REPEAT_second_loop);
        if (diff_chance(&s->r, 30))
            repeat_draw_stencil(s);
        else
            repeat_draw_loop(s);
    }
    draw_outputs(s);
}
