/* SPDX-License-Identifier: MIT
 *
 * Names of loops: what loops of kernels are called, which one a name finds, and
 * what is said where it finds none or several. Directives: each kind reads and
 * prints; what a policy does to the loop at a cursor is noted by its name, what
 * is refused too.
 */
#include "compiler/schedule/schedule.h"
#include "tests/unit/graph_fixture.h"

#define HEAD                                                                   \
    "ilex 1\nprogram p\nsize n, m, k\nassume n >= 2\nassume m >= 2\n"          \
    "in a : f64[n, k]\nin b : f64[k, m]\nin w : f64[I:n, J:m]\n"               \
    "in x : f64[n, k, m]\n"

#define PIECES                                                                 \
    "map c[I:n, J:m] = where(J == 0, w[I, 1], w[I, J - 1])\nout o = c"

typedef struct kernels {
    ix_unit u;
} kernels;

/* The kernels of a program, with reductions as loops. */
static void
kernels_of(kernels *s, const char *lines)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "%s", lines);
    run_passes(&s->u, parse(text), "reduce");
}

static const char *
loops_of(kernels *s)
{
    ix_text t;
    ix_text_init(&t, &s->u.mem);
    ix_loops_put(&s->u, s->u.kernels, &t);
    return ix_text_string(&t);
}

static void
expect_loops(const char *lines, const char *names)
{
    kernels s;
    kernels_of(&s, lines);
    ck_assert_str_eq(loops_of(&s), names);
    free_unit(&s.u);
}

START_TEST(what_they_are_called)
{
    expect_loops("out q = w*2.0", "i0, i1");
    expect_loops("out s = argmax[1](a)",
                 "i0, r0.w as w1, r1.l#0 as j2, r1.w as w3, r1.l#1 as j4, r2 "
                 "as j5, r3 as j6");
    expect_loops("out s = sum[1](a)",
                 "i0, r0.q as q1, r0.l#0 as j2, r0.w as w3, r0.l#1 as j4, "
                 "r0.l#2 as j5, r0.h#0 as h6, r0.h#1 as h7");
    /* two axes of one reduction, which count on; another reduction's */
    expect_loops("out s = sum[1, 2](x)",
                 "i0, r0.q as q1, r0 as j2, r1.q as q3, r1.l#0 as j4, r1.w as "
                 "w5, r1.l#1 as j6, r1.l#2 as j7, r1.h#0 as h8, r1.h#1 as "
                 "h9, r0.h#0 as h10, r0.h#1 as h11");
    expect_loops("out s = exp(sum[1](a)) + argmax[1](a)",
                 "i0, r0.q as q1, r0.l#0 as j2, r0.w as w3, r0.l#1 as j4, "
                 "r0.l#2 as j5, r0.h#0 as h6, r0.h#1 as h7, r1.w as w8, "
                 "r2.l#0 as j9, r2.w as w10, r2.l#1 as j11, r3 as j12, "
                 "r4 as j13");
    /* pieces have loops over the same axes */
    expect_loops(PIECES, "i0#0, i1#0, i0#1, i1#1");
}
END_TEST

/* ---- finding ---- */

static void
expect_found(const char *name, int depth, size_t several)
{
    kernels s;
    kernels_of(&s, PIECES);
    ix_loops found;
    ix_cursor c;
    ix_refusal r = ix_cursor_find(&s.u, s.u.kernels, name, &c);
    ck_assert_msg(!r.class, "%s: %s", name, r.why);
    ck_assert_int_eq(c.depth, depth);
    ck_assert_int_eq(ix_cursor_loop(&c)->kind, IX_STMT_FOR);
    for (int i = 0; i < depth; i++)
        ck_assert_int_eq(c.around[i]->kind, IX_STMT_FOR);
    r = ix_loops_find(&s.u, s.u.kernels, name, &found);
    ck_assert_msg(!r.class, "%s: %s", name, r.why);
    ck_assert_uint_eq(found.n, several);
    free_unit(&s.u);
}

START_TEST(which_one)
{
    expect_found("i0#0", 0, 1);
    expect_found("i1#1", 1, 1);
    expect_found("i1*", 1, 2);
    expect_found("i0#1/i1", 1, 1);
    expect_found("i0/i1#1", 1, 1);
    expect_found("i0/i1*", 1, 2);
    expect_found("I#1", 0, 1);
    expect_found("I#0/J", 1, 1);
    expect_found("J*", 1, 2);
}
END_TEST

static void
expect_refused(const char *name, const char *why)
{
    kernels s;
    kernels_of(&s, PIECES);
    ix_cursor c;
    ix_refusal r = ix_cursor_find(&s.u, s.u.kernels, name, &c);
    ck_assert_int_eq(r.class, IX_REFUSAL_NAME);
    ck_assert_str_eq(r.why, why);
    free_unit(&s.u);
}

#define ALL ", only i0#0, i1#0, i0#1, i1#1"

START_TEST(none_or_several)
{
    expect_refused("i1", "i1 may be one of the loops i1#0, i1#1; i1* is each "
                         "of them");
    expect_refused("i0/i1", "i0/i1 may be one of the loops i1#0, i1#1; i0/i1* "
                            "is each of them");
    expect_refused("i2", "there is no loop i2" ALL);
    expect_refused("i1#2",
                   "there is no loop i1#2" ALL "; did you mean 'i1#0'?");
    expect_refused("i1/i0",
                   "there is no loop i1/i0" ALL "; did you mean 'i1#0'?");
    expect_refused("i0#0/i1#1", "there is no loop i0#0/i1#1" ALL);
    expect_refused("", "there is no loop " ALL);
}
END_TEST

/* ---- directives ---- */

static const char *
put_with(void (*put)(const ix_directive *, ix_text *), const ix_directive *d)
{
    static char text[500];
    ix_text t;
    ix_text_init(&t, ix_context_mem(ctx));
    put(d, &t);
    ck_assert_uint_lt(t.length, sizeof text);
    strcpy(text, ix_text_string(&t));
    ix_text_free(&t);
    return text;
}

/* Every kind of directive reads what it prints; what explain says has no word
 * that stands for another one. */
START_TEST(texts)
{
    kernels s;
    kernels_of(&s, "out q = w*2.0");
    for (int row = 0; row < IX_NLOOPS; row++)
        for (unsigned words = 0; words < 3; words++) {
            ix_directive d = {.row = (ix_loop_row)row,
                              .loop = {"i1/i0.o#2", "i1", "i2", "i3"},
                              .name = "acc",
                              .n = 7,
                              .words = words};
            ix_directive again;
            char text[500];
            ix_text wrong;
            ix_text_init(&wrong, &s.u.mem);
            strcpy(text, put_with(ix_directive_put, &d));
            ck_assert_msg(ix_directive_parse(&s.u, text, strlen(text),
                                             IX_LOOP_split, &again, &wrong),
                          "%s", ix_text_string(&wrong));
            ck_assert_str_eq(put_with(ix_directive_put, &again), text);
            const char *meaning = put_with(ix_directive_explain, &d);
            ck_assert_msg(!strpbrk(meaning, "[]|") && !strstr(meaning, "LOOP"),
                          "%s", meaning);
        }
    free_unit(&s.u);
}
END_TEST

START_TEST(of_a_policy)
{
    kernels s;
    kernels_of(&s, PIECES);
    ix_kernel *k = s.u.kernels;
    ix_cursor c;
    ck_assert(!ix_cursor_find(&s.u, k, "i1#0", &c).class);
    ck_assert(ix_schedule_at(&s.u, &c, "split LOOP 8 peel"));
    ck_assert(ix_schedule_at(&s.u, &c, "vector LOOP"));
    ck_assert_ptr_null(k->schedule->refused);
    ck_assert(!ix_schedule_at(&s.u, &c, "jam LOOP"));
    ck_assert_uint_eq(k->schedule->n, 2);
    ck_assert_str_eq(put_with(ix_directive_put, &k->schedule->item[0]),
                     "split i1#0 8 peel");
    ck_assert_str_eq(put_with(ix_directive_explain, &k->schedule->item[0]),
                     "i1#0 becomes i1.o by 8 around i1.i over its 8 points; "
                     "those that are left are a loop i1.t");
    ck_assert_str_eq(put_with(ix_directive_put, &k->schedule->item[1]),
                     "vector i1.i");
    ck_assert_str_eq(k->schedule->refused,
                     "jam i1.i is refused (shape): there is no loop for its "
                     "points to move past");
    ck_assert(!ix_schedule_at(&s.u, &c, "jamm LOOP"));
    ck_assert_int_eq(take_error(), ILEX_E_INTERNAL);
    free_unit(&s.u);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("schedule", what_they_are_called, which_one,
                     none_or_several, texts, of_a_policy);
}
