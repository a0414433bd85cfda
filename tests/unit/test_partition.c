/* SPDX-License-Identifier: MIT
 *
 * Pass partition: what is stored and what is computed again.
 */
#include "tests/unit/graph_fixture.h"

#define HEAD "ilex 1\nprogram p\nsize n, m\nassume n >= 1 && m >= 1\n"
#define FIELD HEAD "in u : f64[I:n, J:m] halo(I:3:3, J:3:3)\n"

static const struct {
    const char *what, *text;
    size_t stages, temporaries; /* with the outputs' stages */
} rows[] = {
    {"horizontal diffusion with a limiter is one loop nest",
     FIELD "in c : f64\n"
           "let lap = 4.0*u - (u[I+1] + u[I-1] + u[J+1] + u[J-1])\n"
           "let rx = lap[I+1] - lap\n"
           "let fx = where(rx*(u[I+1] - u) > 0.0, 0.0, rx)\n"
           "let ry = lap[J+1] - lap\n"
           "let fy = where(ry*(u[J+1] - u) > 0.0, 0.0, ry)\n"
           "out v : f64[I:n, J:m] = u - c*(fx - fx[I-1] + fy - fy[J-1])\n",
     1, 0},
    {"what is read once is computed there",
     FIELD "let e = exp(sin(u)) + sqrt(u)\nlet f = e[I+1]*2.0\n"
           "out v : f64[I:n, J:m] = f + 1.0\n",
     1, 0},
    {"what is cheap is computed again",
     FIELD "let e = u + 1.0\n"
           "out v : f64[I:n, J:m] = e[I+1] + e[I-1] + e[J+1] + e[J-1] + e\n",
     1, 0},
    {"what is expensive and read often is stored",
     FIELD "let e = exp(sin(u))*pow\nout v : f64[I:n, J:m] = "
           "e[I+1] + e[I-1] + e[J+1] + e[J-1] + e\n",
     2, 1},
    {"a reduction is stored",
     FIELD "let s = sum[I](u)\nout v : f64[I:n, J:m] = u - s\n", 2, 1},
    {"unless it is the output",
     HEAD "in w : f64[I:n, J:m]\nout v : f64[J:m] = sum[I](w)\n", 1, 0},
    {"what feeds a reduction is computed in its loop",
     HEAD "in w : f64[I:n, J:m]\nlet e = exp(w)*2.0\n"
          "out v : f64[J:m] = sum[I](e)\n",
     1, 0},
    {"what a reduction repeats for every row is stored",
     HEAD "in a : f64[I:n, K:m]\nin b : f64[K:m]\nlet e = exp(b)*sin(b)\n"
          "out v : f64[I:n] = sum[K](a*e)\n",
     2, 1},
    {"conditions are stored where they would multiply",
     HEAD "in h : f64[I:n, J:m]\n"
          "map u[I=I:-1:n+1, J=J:m] = h[min(max(I, 0), n-1), J]\n"
          "out v : f64[I:n, J:m] = u[I+1] - u[I-1]\n",
     2, 1},
    {"an output that others read is read, not computed again",
     FIELD "out e : f64[I:n, J:m] = exp(sin(u))*exp(cos(u))*tanh(u)\n"
           "out v : f64[I:n, J:m] = e + e*e\n",
     2, 0},
    {"an output of an output is a copy",
     FIELD "out e : f64[I:n, J:m] = u*u\nout v : f64[I:n, J:m] = e\n", 3, 1},
    {"an input that is an output is copied",
     FIELD "out v : f64[I:n, J:m] = u\n", 1, 0},
    {"skipped neighbours are left out in the loop that reduces them",
     HEAD "in c : i32[V:n, L:3] -> E skip -1\nin u : f64[E:m, K:m]\n"
          "in s : f64[V:n, L:3]\n"
          "out v = sum[L](2.0*remap(u, c)*s + s)\n",
     1, 0},
    {"unless two tables skip some",
     HEAD "in c : i32[V:n, L:3] -> E skip -1\nin u : f64[E:m, K:m]\n"
          "in d : i32[V:n, L:3] -> E skip -1\n"
          "out v = sum[L](remap(u, c)*remap(u, d))\n",
     2, 1},
    {"two outputs are two stages",
     FIELD "out v : f64[I:n, J:m] = u*2.0\nout w : f64[I:n, J:m] = u*3.0\n", 2,
     0},
};

static void
check_row(size_t i)
{
    char text[2048];
    ix_unit u;
    size_t temporaries = 0;
    const char *pow = strstr(rows[i].text, "*pow\n");
    snprintf(text, sizeof text, "%s", rows[i].text);
    if (pow) /* stands for something long */
        snprintf(text, sizeof text, "%.*s%s%s", (int)(pow - rows[i].text),
                 rows[i].text, "*exp(cos(u))*tanh(u)", pow + 4);
    run_passes(&u, parse(text), "partition");
    for (size_t k = 0; k < u.nbuffers; k++)
        temporaries += u.buffer[k].role == IX_ROLE_TEMP;
    ck_assert_msg(u.nstages == rows[i].stages &&
                      temporaries == rows[i].temporaries,
                  "%s: %zu stages, %zu temporaries", rows[i].what, u.nstages,
                  temporaries);
    free_unit(&u);
}

START_TEST(decisions)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_row(i);
}
END_TEST

/* Without fusion every array has a stage of its own. */
START_TEST(no_fusion)
{
    ix_unit u;
    ck_assert_int_eq(ilex_option_set(ctx, "fuse", "0"), ILEX_OK);
    run_passes(&u,
               parse(FIELD "let a = u + 1.0\nlet b = a*a\nlet c = sqrt(b)\n"
                           "out v : f64[I:n, J:m] = c - b\n"),
               "partition");
    ck_assert_uint_eq(u.nstages, 5); /* and the output's domain */
    free_unit(&u);
}
END_TEST

/* A long chain is cut where a body would outgrow its budget. */
START_TEST(budget)
{
    ix_unit u;
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    for (int i = 0; i < 3000; i++)
        x = ilex_add(x, ilex_f64(ctx, i));
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_int_eq(ilex_module_output(m, "y", x, NULL), ILEX_OK);
    run_passes(&u, m, "partition");
    ck_assert_uint_gt(u.nstages, 3);
    ck_assert_uint_lt(u.nstages, 30);
    free_unit(&u);
}
END_TEST

/* In a graph too long for one body what several bodies need is not computed in
 * each: no more than a few statements for each of its arrays. */
START_TEST(shared_work)
{
    enum { NODES = 3000, WINDOW = 50 };
    ix_unit u;
    ilex_array *x[NODES + 2];
    uint32_t state = 1;
    int64_t statements = 0;
    x[0] = ilex_input(ctx, "a", ILEX_F64, "I:n");
    x[1] = ilex_input(ctx, "b", ILEX_F64, "I:n");
    for (int i = 2; i < NODES + 2; i++) {
        int operand[2], window = i < WINDOW ? i : WINDOW;
        for (int k = 0; k < 2; k++) {
            state = state * 1664525u + 1013904223u;
            operand[k] = i - 1 - (int)((state >> 8) % (uint32_t)window);
        }
        x[i] = ilex_add(x[operand[0]], x[operand[1]]);
    }
    ilex_array *sum = x[NODES + 1];
    for (int i = NODES - WINDOW; i < NODES; i++)
        sum = ilex_add(sum, x[i]);
    ilex_module *m = ilex_module_new(ctx, "p");
    ck_assert_int_eq(ilex_module_output(m, "y", sum, NULL), ILEX_OK);
    run_passes(&u, m, "partition");
    for (size_t i = 0; i < u.nstages; i++)
        statements += ix_measure(&u, 1, &u.stage[i].body);
    ck_assert_int_lt(statements, 12 * NODES);
    free_unit(&u);
}
END_TEST

/* Buffers cover what is read of them: inputs with halo, temporaries grown. */
START_TEST(boxes)
{
    ix_unit u;
    run_passes(&u,
               parse(HEAD
                     "in h : f64[I:n, J:m] halo(I:2:2)\n"
                     "map c[I=I:-1:n+1, J=J:m] = where(I < n, h[I-1, J], 0.0)\n"
                     "out v : f64[I:n, J:m] = c[I+1] - c[I-1]\n"),
               "partition");
    ck_assert_uint_eq(u.nbuffers, 3);
    ck_assert_str_eq(ix_domain_show(ctx, u.buffer[0].box).s, "I:-2:n, J:m");
    ck_assert_str_eq(ix_domain_show(ctx, u.buffer[1].box).s, "I:n, J:m");
    ck_assert_str_eq(ix_domain_show(ctx, u.buffer[2].box).s, "I:-1:n+1, J:m");
    free_unit(&u);
}
END_TEST

/* Comments say which element of which array a variable is, also of arrays
 * inside others that are read at a shift. */
START_TEST(origins)
{
    static const char *const notes[] = {"/* lap */",      "/* lap[I+1] */",
                                        "/* lap[I-1] */", "/* rx[I-1] */",
                                        "/* fx[I-1] */",  "/* fx[I-1, J+1] */"};
    ilex_module *m = parse(
        FIELD "let lap = 4.0*u - (u[I+1] + u[I-1])\nlet rx = lap[I+1] - lap\n"
              "let fx = where(rx*u > 0.0, 0.0, rx)\nlet g = fx - fx[I-1]\n"
              "out v : f64[I:n, J:m] = g + g[J+1]\n");
    char *source = ilex_module_emit(m, "c");
    ck_assert_msg(source != NULL, "%s", ilex_error_text(ctx));
    for (size_t i = 0; i < IX_COUNT(notes); i++)
        ck_assert_msg(strstr(source, notes[i]), "no %s in\n%s", notes[i],
                      source);
    ilex_text_free(ctx, source);
    ilex_module_free(m);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("partition", decisions, no_fusion, budget, shared_work,
                     boxes, origins);
}
