/* SPDX-License-Identifier: MIT
 *
 * Canonical text: what is printed, and that reading it back gives the same
 * nodes, in this context and, as text, in a fresh one. Random graphs are made
 * from a seed (ILEX_SEED) in ILEX_FUZZ rounds.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "ilex/elementwise.h"
#include "lib/syntax/parse.h"
#include "lib/syntax/print.h"
#include "tests/suite.h"

static ilex_context *ctx;
static ilex_module *module;

static void
setup(void)
{
    ctx = ilex_context_new(NULL);
    module = ilex_module_new(ctx, "p");
    ck_assert_ptr_nonnull(module);
}

static void
teardown(void)
{
    ilex_module_free(module);
    ilex_context_free(ctx);
}

static void
output(const char *name, ilex_array *x)
{
    ck_assert_msg(ilex_module_output(module, name, x, NULL) == ILEX_OK, "%s",
                  ilex_error_text(ctx));
}

/* Text that gives the same nodes here, and the same text elsewhere. */
static char *
round_trip(ilex_module *m)
{
    char *text = ilex_module_print(m);
    ck_assert_msg(text != NULL, "%s", ilex_error_text(ctx));
    ilex_module *again = ilex_module_parse(ctx, text, "again");
    ck_assert_msg(again != NULL, "%s\n%s", ilex_error_text(ctx), text);
    ck_assert_uint_eq(again->noutputs, m->noutputs);
    for (size_t i = 0; i < m->noutputs; i++)
        ck_assert_msg(again->output[i].array == m->output[i].array &&
                          again->output[i].name == m->output[i].name &&
                          again->output[i].inplace == m->output[i].inplace,
                      "output %zu differs:\n%s", i, text);
    ilex_context *other = ilex_context_new(NULL);
    ilex_module *fresh = ilex_module_parse(other, text, "fresh");
    ck_assert_msg(fresh != NULL, "%s\n%s", ilex_error_text(other), text);
    char *second = ilex_module_print(fresh);
    ck_assert_str_eq(text, second);
    char *layout = ilex_text_fmt(other, text, NULL);
    ck_assert_str_eq(text, layout);
    ilex_text_free(other, layout);
    ilex_text_free(other, second);
    ilex_module_free(fresh);
    ilex_context_free(other);
    ilex_module_free(again);
    return text;
}

static void
expect(const char *body)
{
    char *text = round_trip(module);
    ck_assert_str_eq(strchr(strchr(text, '\n') + 1, '\n') + 1, body);
    ilex_text_free(ctx, text);
}

/* ---- what is printed ---- */

START_TEST(layout_of_loops)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize m\nin k : i64\n"
        "loop t[0:k max m] x : f64 = 1.0 steps n\n    next x = 0.5*x\n"
        "    stack a[t] = next(x) every 3\n"
        "    until x < 0.1\n    stack b[t] = x whole every 2  # rest\nend\n"
        "out aa = a\n";
    char *layout = ilex_text_fmt(ctx, text, NULL);
    ck_assert_msg(layout != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(layout, text);
    ilex_text_free(ctx, layout);
}
END_TEST

START_TEST(inlining)
{
    ilex_array *u =
        ilex_input(ctx, "u", ILEX_F64, "I:n, J:m halo(I:1:1, J:0:2)");
    ilex_array *d = ilex_subtract(ilex_shift(u, "I", 1), u);
    ilex_array *twice = ilex_multiply(d, d);
    output("v", ilex_add(twice, ilex_multiply(ilex_lit(ctx, 0.1),
                                              ilex_shift(twice, "J", 2))));
    expect("size n, m\n"
           "in u : f64[I:n, J:m] halo(I:1:1, J:0:2)\n"
           "let t0 = u[I+1] - u\n"
           "let t1 = t0*t0\n"
           "out v = t1 + 0.1*t1[J+2]\n");
}
END_TEST

START_TEST(restricted)
{
    ilex_array *u = ilex_input(ctx, "u", ILEX_F64, "I:n halo(I:1:1)");
    ilex_array *r = ilex_restrict(ilex_sin(u), "I:n");
    output("v", r);
    output("w", ilex_add(ilex_restrict(r, "I:0:n, K:4"), ilex_size(ctx, "m")));
    expect("size n, m\n"
           "in u : f64[I:n] halo(I:1:1)\n"
           "let t0 : f64[I:n] = sin(u)\n"
           "let t1 : f64[I:n, K:4] = t0\n"
           "out v : f64[I:n] = t0\n"
           "out w : f64[I:n, K:4] = t1 + f64(m)\n");
}
END_TEST

START_TEST(constants)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F32, "3");
    output("a", ilex_multiply(x, ilex_f32(ctx, 0.1f)));
    output("b", ilex_multiply(x, ilex_f64(ctx, 0.1)));
    output("c", ilex_maximum(x, ilex_lit(ctx, -__builtin_inf())));
    output("d", ilex_add(x, ilex_c128(ctx, -0.0, __builtin_nan(""))));
    output("e", ilex_lit(ctx, 2));
    output("f", ilex_negative(ilex_f64(ctx, 1)));
    output("g", ilex_full(ctx, "2, 3", ilex_i32(ctx, -7)));
    output("h", ilex_where(ilex_bool(ctx, 1), x, ilex_lit_int(ctx, 0)));
    output("i", ilex_add(ilex_cast(x, ILEX_C128), ilex_c128(ctx, 0.5, -0.0)));
    expect("in x : f32[3]\n"
           "out a : f32[3] = x*0.1\n"
           "out b : f64[3] = x*f64(0.1)\n"
           "out c : f32[3] = maximum(x, -inf)\n"
           "out d : c128[3] = x + c128(-0.0, nan)\n"
           "out e : f64 = 2.0\n"
           "out f : f64 = -f64(1.0)\n"
           "out g : i32[2, 3] = -7\n"
           "out h : f32[3] = where(true, x, 0.0)\n"
           "out i : c128[3] = c128(x) + c128(0.5, -0.0)\n");
}
END_TEST

START_TEST(structure)
{
    ilex_array *a = ilex_input(ctx, "a", ILEX_F32, "n, 2*n");
    ilex_array *b = ilex_permute(a, NULL);
    ilex_array *ops[] = {a, b};
    const char *start[] = {"n-1", "1"}, *stop[] = {NULL, NULL};
    const int64_t step[] = {-1, 1};
    ilex_assume(ctx, "n >= 1 && (n + 2) % 4 == 0 && 2*n <= k && k == m + 3");
    output("c", ilex_einsum(ctx, "ij,jk->ik", 2, ops));
    output("d", ilex_slice(a, start, stop, step));
    output("e", ilex_reshape(b, "2*n, 1, n", "F"));
    output("f", ilex_sum(ilex_cast(a, ILEX_F64), "0", 0));
    output("g", ilex_mean(a, NULL, 0));
    output("h", ilex_max(a, "1", 1));
    output("i", ilex_arange(ctx, "m", 5, -2));
    output("j", ilex_roll(ilex_input(ctx, "u", ILEX_F32, "I:1:n+1 halo(I:1:1)"),
                          "-1", "3*n - 2"));
    expect("size n, k, m\n"
           "assume n >= 1\n"
           "assume (n + 2) % 4 == 0\n"
           "assume k >= 2*n\n"
           "assume k == m + 3\n"
           "in a : f32[n, 2*n]\n"
           "in u : f32[I:1:n+1] halo(I:1:1)\n"
           "node t0 = permute(a; axes=[1, 0])\n"
           "einsum t1[i, k] = a[i, j]*t0[j, k]\n"
           "node t2 = slice(a; start=[n-1, 1], stop=[-1, 2*n], step=[-1, 1])\n"
           "reshape t3[2*n, 1, n] = t0 order F\n"
           "map t4[n, 1] = max[_r0:2*n](a[_0, _r0])\n"
           "map t5[m] = -2*_0 + 5\n"
           "node t6 = roll(u; axis=I, by=-2)\n"
           "out c : f32[n, n] = t1\n"
           "out d : f32[n, 2*n-1] = t2\n"
           "out e : f32[2*n, 1, n] = t3\n"
           "out f : f64[2*n] = sum[0](f64(a))\n"
           "out g : f32 = mean[0, 1](a)\n"
           "out h : f32[n, 1] = t4\n"
           "out i : i64[m] = t5\n"
           "out j : f32[I:1:n+1] = t6\n");
}
END_TEST

/* Names of the program that look like the printer's own. */
START_TEST(taken_names)
{
    ilex_array *a = ilex_input(ctx, "t0", ILEX_F64, "t1, n");
    ilex_array *b = ilex_add(a, ilex_size(ctx, "n"));
    ilex_array *c = ilex_multiply(b, b);
    output("t2", ilex_add(c, ilex_sin(c)));
    output("n", ilex_multiply(ilex_size(ctx, "n"), b));
    expect("size t1, n\n"
           "in t0 : f64[t1, n]\n"
           "let t1 = t0 + f64(size(n))\n"
           "let t3 = t1*t1\n"
           "out t2 : f64[t1, n] = t3 + sin(t3)\n"
           "out n : f64[t1, n] = f64(size(n))*t1\n");
}
END_TEST

START_TEST(depth)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    for (int i = 0; i < 12; i++)
        x = ilex_sin(x);
    output("y", x);
    expect("size n\n"
           "in x : f64[n]\n"
           "let t0 = sin(sin(sin(sin(sin(sin(sin(sin(sin(x)))))))))\n"
           "out y : f64[n] = sin(sin(sin(t0)))\n");
}
END_TEST

/* ---- maps, from text ---- */

static const char *const maps[] = {
    "map y[i:n-2] = sum[s:3](w[s]*x[i+s])",
    "map y[i=i:-2:n+2] = x[min(max(i, 0), n-1)]",
    "map y[i:n] = x[i%4] + x[(n-1-i)%4] + f64(3*(i%5) - (2*i + 1)%7)",
    "map y[n, 4] = x[_0]*f64(_1)",
    "map y[i:n] = where(i < 2 || i >= n - 2 && !(i == 3), x[i], x[n-1-i])",
    "map y[i:n] = mean[s:2, t:1:m](x[i]*f64(s + t)) + max[_r0:3](f64(_r0))",
    "map y[i:n] = argmax[s:3](w[s]*x[i]) + size(n)*m",
    "map y[i=i:1:n-1] valid(i=i:0:n) = x[i]",
    "map y[i:n] reads(x, x, w) = _in1[i] + _in0[0]",
    "map y[n:n] = x[n]*f64(size(n))",
    "map y[I+1/2:n] = x[_0]*f64(_0)",
    "map y[j:n] = x[j] + x[n-1-j]",
    "map y[n] = x[_0//2]",
    "map y[k=_0:n, s=j:n] = x[_0]*x[j]",
    "scan k forward y[k:n] = where(k == 0, x[k], y[k-1] + x[k])",
    "scan k backward y[a:n, k:m] = where(k == m-1, 1.0, y[a, k+1]*f64(a))",
    "scan k forward y[c=k:n] = where(k == 0, 1.0, y[k-1]*x[k])",
    "map y[] = sum[s:n](x[s]) + f32(0.1)",
    "map y[i:n] = sum[_r3:2](x[i]*f64(_r3))",
    "map y[i:n] = sum[s:min(i+1, 2):min(i+2, 3)](w[s] + 1.0)",
    "map y[i:max(0, n-3):min(n, m+n)] = x[i]*f64(size(max(n-3, m))*2-1)",
    "map y[i:min(n, m, 5)] = x[i] + sum[s:max(m-n, 0):m](f64(s))",
    "map y[i:n*min(n, m)] = f64(min(n, m))*f64(i%size(min(n, m)+1))",
    "map y[i:n] = sum[a:2](sum[b:2](w[a]*w[b])*w[a])",
    "map y[i:n] = f64(i//2*3 - -(i//5) - 4*(-i//3))",
    "map y[i:n] = power(x[i], 2) - -x[i]*-1.5 - (x[i] - (x[i] - 1.0))",
    "map y[i:n] = z[i]*c64(0.5, -0.0) + 2.0",
    "map y[i:n] = x[i]/(x[i]*(x[i]/x[i]))",
    "const y : f32[2, 2] = {1, 0.1, -0.0, inf}",
};

START_TEST(map_texts)
{
    char text[600];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m\nassume n >= 8 && m >= 1\n"
             "in w : f32[s:3]\nin x : f64[i:n]\nin z : c64[i:n]\n%s\n"
             "out o = y\n",
             maps[_i]);
    ilex_module *m = ilex_module_parse(ctx, text, NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_text_free(ctx, round_trip(m));
    ilex_module_free(m);
}
END_TEST

/* ---- random graphs ---- */

enum { MAX_ARRAYS = 40 };

static uint32_t seed;

static uint32_t
draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

static ilex_array *
random_constant(void)
{
    static const double values[] = {0, 1, -1, 0.1, 2.5, 1e300, -0.0, 3};
    double v = values[draw(IX_COUNT(values))];
    switch (draw(6)) {
    case 0:
        return ilex_lit_int(ctx, (int64_t)draw(5) - 2);
    case 1:
        return ilex_f32(ctx, (float)v);
    case 2:
        return ilex_f64(ctx, v);
    case 3:
        return ilex_i32(ctx, (int32_t)draw(9) - 4);
    case 4:
        return ilex_size(ctx, "n");
    default:
        return ilex_lit(ctx, v);
    }
}

/* A random operator on arrays of the list and constants. */
static ilex_array *
random_op(ilex_array **list, uint32_t n)
{
    ix_op op = (ix_op)draw(IX_NOPS);
    ilex_array *args[3];
    for (int i = 0; i < ix_op_info_of(op)->arity; i++)
        args[i] = draw(4) ? list[draw(n)] : random_constant();
    return ix_build_op(ctx, op, args);
}

/* Does "x" extend without bounds along an axis, as index does? */
static bool
is_unbounded(const ilex_array *x)
{
    bool any = false;
    for (int k = 0; k < ix_rank(x); k++)
        any |= ix_lin_is(x->interior->ax[k].hi, IX_UNBOUNDED);
    return any;
}

static ilex_array *
random_structure(ilex_array *x)
{
    static const char *const domains[] = {"I:1:n-1, J:m", "I:n, J:m, K:3",
                                          "n, m", "4, n, m"};
    switch (draw(9)) {
    case 0:
        return ix_rank(x) ? ilex_shift(x, "I", (int64_t)draw(5) - 2) : x;
    case 1:
        return ilex_restrict(x, domains[draw(4)]);
    case 2:
        return ilex_permute(x, NULL);
    case 3:
        return ix_build_reduce(ctx, (ix_reduction)draw(IX_NREDUCTIONS), x,
                               draw(1u << ix_rank(x)), draw(4) == 0);
    case 4:
        return ilex_cast(x, (ilex_dtype)draw(ILEX_NDTYPES));
    case 5:
        return ilex_expr(ctx, "x[I+1/2]", "x", x, NULL);
    case 6:
        return ilex_index(ctx, draw(2) ? "I" : "J");
    case 7:
        return ilex_roll(x, "0", draw(2) ? "1" : "m - 2*n");
    default:
        return ilex_reshape(x, "n, m", draw(2) ? "C" : "F");
    }
}

/* A graph grown from a few inputs; what fails is left out. */
static void
random_graph(uint32_t start)
{
    ilex_array *list[MAX_ARRAYS];
    uint32_t n = 0, outputs = 0;
    char name[16];
    seed = start * 2654435761u + 1;
    ilex_assume(ctx, "n >= 8 && m >= 3");
    list[n++] = ilex_input(ctx, "u", ILEX_F64, "I:n, J:m halo(I:3:3)");
    list[n++] = ilex_input(ctx, "c", ILEX_F32, "J:m");
    list[n++] = ilex_input(ctx, "a", ILEX_I32, "n, m");
    list[n++] = ilex_input(ctx, "b", ILEX_F64, "m");
    list[n++] = ilex_input(ctx, "s", ILEX_C64, "");
    while (n < MAX_ARRAYS) {
        ilex_array *x =
            draw(3) ? random_op(list, n) : random_structure(list[draw(n)]);
        if (is_unbounded(x))
            x = ilex_restrict(x, "I:n, J:m");
        if (!ilex_is_poison(x))
            list[n++] = x;
        ilex_error_clear(ctx);
    }
    for (uint32_t i = n - 1; i >= n - 6; i--) {
        snprintf(name, sizeof name, "v%u", (unsigned)outputs++);
        output(name, list[i]);
    }
}

START_TEST(random_graphs)
{
    const char *rounds = getenv("ILEX_FUZZ"), *first = getenv("ILEX_SEED");
    uint32_t base = first ? (uint32_t)atol(first) : 1;
    for (uint32_t i = 0; i < (rounds ? (uint32_t)atoi(rounds) : 200); i++) {
        random_graph(base + i);
        ilex_text_free(ctx, round_trip(module));
        teardown();
        setup();
    }
}
END_TEST

/* ---- size ---- */

/* A chain prints without recursion on it, and reads back. */
START_TEST(long_chain)
{
    enum { LENGTH = 20000 };
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    for (int i = 0; i < LENGTH; i++)
        x = ilex_add(x, ilex_lit_int(ctx, i % 7));
    output("y", x);
    ilex_text_free(ctx, round_trip(module));
}
END_TEST

START_TEST(dump)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n halo(I:1:1)");
    ilex_array *y = ilex_sum(ilex_multiply(ilex_shift(x, "I", 1), x), NULL, 0);
    ix_text t;
    ix_text_init(&t, ix_context_mem(ctx));
    ix_print_scalar(ctx, y->ops[1]->ops[0], &t);
    ix_text_put(&t, "\n");
    ix_print_scalar(ctx, y->ops[0], &t);
    ix_text_put(&t, "\n");
    ck_assert_int_eq(ix_print_arrays(ctx, 1, &y, NULL, &t), ILEX_OK);
    ck_assert_str_eq(ix_text_string(&t), "_in0[_0]*_in1[_0]\n"
                                         "sum[_r0:n](_in0[_r0])\n"
                                         "ilex 1\nprogram dump\nsize n\n"
                                         "in x : f64[I:n] halo(I:1:1)\n"
                                         "out v0 : f64 = sum[I](x[I+1]*x)\n");
    ix_text_free(&t);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("text");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, layout_of_loops);
    tcase_add_test(tests, inlining);
    tcase_add_test(tests, restricted);
    tcase_add_test(tests, constants);
    tcase_add_test(tests, structure);
    tcase_add_test(tests, taken_names);
    tcase_add_test(tests, depth);
    tcase_add_loop_test(tests, map_texts, 0, (int)IX_COUNT(maps));
    tcase_add_test(tests, random_graphs);
    tcase_add_test(tests, long_chain);
    tcase_add_test(tests, dump);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
