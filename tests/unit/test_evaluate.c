/* SPDX-License-Identifier: MIT
 *
 * Runs without ceremony: numbers as arguments, sizes among the bindings,
 * outputs that are made, many steps.
 */
#include <float.h>
#include <limits.h>

#include "runtime/jit/jit.h"
#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

static const char *
compiled_jit(void)
{
    return ix_jit_tcc_available() ? "tcc" : "cc";
}

static ilex_storage *
field(int64_t n, double first)
{
    ilex_storage_spec spec = {
        .size = sizeof spec, .rank = 1, .shape = &n, .axes = "I"};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < n; i++)
        x[i] = first + (double)i;
    return s;
}

/* The only output of a program for these bindings, as text; else the error. */
static const char *
evaluated(const ilex_program *p, const ilex_binding *b, size_t n)
{
    static char text[1024];
    ilex_storage *y = NULL;
    if (ilex_evaluate(ctx, p, b, n, &y) == ILEX_OK) {
        ilex_storage_print(y, text, sizeof text);
    } else {
        ck_assert_ptr_null(y);
        snprintf(text, sizeof text, "%s: %s",
                 ilex_status_name(ilex_error_code(ctx)), ilex_error_text(ctx));
    }
    ilex_error_clear(ctx);
    ilex_storage_release(y);
    return text;
}

/* ---- numbers ---- */

/* An input s of a dtype, bound to a number, doubled or negated; what comes out,
 * or part of a message. */
static const struct {
    const char *dtype;
    ilex_binding s;
    const char *result;
} numbers[] = {
    {"f64", ILEX_BIND_F64("s", 0.1), "0.1"},
    {"f32", ILEX_BIND_F64("s", 0.1), "0.1"},
    {"f32", ILEX_BIND_F64("s", 1e300), "LITERAL: p: argument s is f32, which"},
    {"c64", ILEX_BIND_F64("s", 2.5), "2.5+0.0j"},
    {"c128", ILEX_BIND_C128("s", 1, -2), "1.0-2.0j"},
    {"f64", ILEX_BIND_C128("s", 1, 0), "ILEX_BIND_F64(\"s\", ...)"},
    {"i8", ILEX_BIND_I64("s", -128), "-128"},
    {"i8", ILEX_BIND_I64("s", 128), "LITERAL"},
    {"i64", ILEX_BIND_I64("s", INT64_MIN), "-9223372036854775808"},
    {"u64", ILEX_BIND_U64("s", UINT64_MAX), "18446744073709551615"},
    {"u64", ILEX_BIND_I64("s", -1), "LITERAL"},
    {"i64", ILEX_BIND_U64("s", UINT64_MAX), "LITERAL"},
    {"bool", ILEX_BIND_I64("s", 1), "true"},
    {"bool", ILEX_BIND_I64("s", 2), "LITERAL"},
    {"i32", ILEX_BIND_F64("s", 3),
     "BINDING_TYPE: p: argument s is i32; bind it to a storage, or to a number "
     "by ILEX_BIND_I64(\"s\", ...)"},
    {"f64", ILEX_BIND_I64("s", -3), "-3.0"},
    {"f64", ILEX_BIND_I64("s", ((int64_t)1 << 53) + 1), "LITERAL"},
    {"f64", ILEX_BIND_I64("s", INT64_MIN), "-9.223372e+18"},
    {"f64", ILEX_BIND_U64("s", UINT64_MAX), "LITERAL"},
    {"f32", ILEX_BIND_I64("s", (1 << 24) + 1), "LITERAL"},
    {"f32", ILEX_BIND_I64("s", (1 << 24) + 2), "16777218.0"},
    {"f16", ILEX_BIND_I64("s", 2049), "LITERAL"},
    {"c64", ILEX_BIND_I64("s", 7), "7.0+0.0j"},
    {"f64", ILEX_BIND_F64(NULL, 0.5), "0.5"},
    {"f64", ILEX_BIND("s", NULL), "BINDING: p: argument s is bound to NULL"},
    {"f64", ILEX_BIND_F64("t", 3), "there is no argument 't'"},
    {"f64[2]", ILEX_BIND_F64("s", 3),
     "argument s : f64[2] is bound to a number; numbers are for inputs without "
     "axes, so bind a storage"},
};

START_TEST(one_number)
{
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < IX_COUNT(numbers); i++) {
            char text[200];
            ilex_option_set(ctx, "jit", turn ? compiled_jit() : "reference");
            sprintf(text, "ilex 1\nprogram p\nin s : %s\nout y = s\n",
                    numbers[i].dtype);
            ilex_program *p = compile(text);
            const char *got = evaluated(p, &numbers[i].s, 1);
            ck_assert_msg(strstr(got, numbers[i].result), "row %zu: %s", i,
                          got);
            ilex_program_release(p);
        }
}
END_TEST

/* Bindings without names are for arguments by place; beside them are others. */
START_TEST(by_place)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\nin a : f64\n"
                              "in b : f64\nin x : f64[n]\n"
                              "out y = a - b + f64(n)*x\n");
    ilex_storage *x = field(2, 10);
    const ilex_storage_spec one = {
        .size = sizeof one, .rank = 1, .shape = ILEX_LIST(int64_t, 2)};
    ilex_storage *plain = ilex_storage_new(ctx, &one);
    memcpy(ilex_storage_data(plain), ilex_storage_data(x), 2 * sizeof(double));
    const ilex_binding b[] = {ILEX_BIND_F64(NULL, 5), ILEX_BIND_I64(NULL, 3),
                              ILEX_BIND(NULL, plain)};
    const ilex_binding mixed[] = {ILEX_BIND_F64("b", 3), ILEX_BIND("x", plain),
                                  ILEX_BIND_F64("a", 5)};
    ck_assert_ptr_nonnull(strstr(evaluated(p, b, 3), "22.0 24.0"));
    ck_assert_ptr_nonnull(strstr(evaluated(p, mixed, 3), "22.0 24.0"));
    ck_assert_ptr_nonnull(
        strstr(evaluated(p, b, 2), "x : f64[n] is not bound"));
    ilex_storage_release(x);
    ilex_storage_release(plain);
    ilex_program_release(p);
}
END_TEST

START_TEST(numbers_in_a_run)
{
    for (int turn = 0; turn < 2; turn++) {
        ilex_option_set(ctx, "jit", turn ? compiled_jit() : "reference");
        ilex_program *p = compile("ilex 1\nprogram p\nsize n\nin u : f64[I:n]\n"
                                  "in dt : f64\nin k : i32\n"
                                  "out v : f64[I:n] = u + dt*f64(k)\n");
        ilex_storage *u = field(1000, 1), *v = field(1000, 0);
        const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_F64("dt", 0.5),
                                  ILEX_BIND_I64("k", -3), ILEX_BIND("v", v)};
        ilex_call call = {.size = sizeof call, .threads = 3};
        ck_assert_msg(!ilex_run(p, b, 4, &call), "%s", call.error);
        const double *x = ilex_storage_const_data(v);
        for (int i = 0; i < 1000; i++)
            ck_assert_double_eq(x[i], i - 0.5);
        const ilex_binding twice[] = {ILEX_BIND("u", u),
                                      ILEX_BIND_F64("dt", 0.5),
                                      ILEX_BIND_F64("dt", 0.5)};
        ck_assert_ptr_nonnull(strstr(evaluated(p, twice, 3), "bound twice"));
        const ilex_binding output[] = {
            ILEX_BIND("u", u), ILEX_BIND_F64("dt", 0.5), ILEX_BIND_I64("k", 0),
            ILEX_BIND_F64("v", 0.5)};
        ck_assert_ptr_nonnull(
            strstr(evaluated(p, output, 4), "v : f64[I:n] is bound to a num"));
        ck_assert_ptr_nonnull(strstr(evaluated(p, b, 2), "k : i32[] is not"));
        ilex_storage_release(u);
        ilex_storage_release(v);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- sizes ---- */

START_TEST(sizes)
{
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize n, m\nin u : f64[I:n+2]\n"
                "out v : f64[J:m, I:n] = 2.0*u\n");
    ilex_storage *u = field(5, 1);
    const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_I64("m", 4)};
    ilex_size_binding s[] = {{"m", -1}, {"n", -1}};
    ck_assert_int_eq(ilex_program_solve(ctx, p, b, 2, s, 2), ILEX_OK);
    ck_assert(s[0].value == 4 && s[1].value == 3);
    ck_assert_ptr_nonnull(strstr(evaluated(p, b, 2), "f64[J:4, I:3]"));
    ck_assert_ptr_nonnull(strstr(evaluated(p, b, 1), "size m follows from no"));
    ck_assert_int_eq(ilex_program_solve(ctx, p, b, 1, s, 2), ILEX_E_SIZE);
    take_error();
    s[0].name = "q";
    ck_assert_int_eq(ilex_program_solve(ctx, p, b, 2, s, 2), ILEX_E_SIZE);
    take_error();
    ck_assert_int_eq(ilex_program_solve(ctx, p, b, 2, NULL, 2),
                     ILEX_E_ARGUMENT);
    take_error();
    const ilex_binding other[] = {ILEX_BIND("u", u), ILEX_BIND_I64("m", 4),
                                  ILEX_BIND_I64("n", 2)};
    ck_assert_ptr_nonnull(strstr(evaluated(p, other, 3), "the shapes say 3"));
    ilex_program *few =
        compile("ilex 1\nprogram p\nsize n\nassume n >= 3\nin x : f64[n]\n"
                "out v = x[2:]\n");
    ilex_storage *one =
        ilex_storage_from(ctx, ILEX_F64, 1, SHAPE(1), (double[]){1.0});
    const ilex_binding too_few[] = {ILEX_BIND("x", one)};
    ck_assert_ptr_nonnull(
        strstr(evaluated(few, too_few, 1), "violate the assumption n >= 3"));
    ilex_storage_release(one);
    ilex_program_release(few);
    const ilex_binding array[] = {ILEX_BIND("u", u), ILEX_BIND("m", u)};
    ck_assert_ptr_nonnull(strstr(evaluated(p, array, 2),
                                 "m is a size, which is bound to an integer"));
    ilex_storage_release(u);
    ilex_program_release(p);
    /* an input and a size of one name are two things */
    p = compile("ilex 1\nprogram p\nsize n\nin n : i32\nin x : i32[n]\n"
                "out v : i32[n] = x + n\n");
    int32_t numbers_of[] = {1, 2};
    ilex_storage *x = ilex_storage_from(ctx, ILEX_I32, 1, SHAPE(2), numbers_of);
    const ilex_binding same[] = {ILEX_BIND("x", x), ILEX_BIND_I64("n", 40)};
    ck_assert_str_eq(evaluated(p, same, 2), "i32[2] 'v'\n[41 42]\n");
    ilex_storage_release(x);
    ilex_program_release(p);
}
END_TEST

/* ---- outputs ---- */

START_TEST(outputs)
{
    ilex_program *p = compile(
        "ilex 1\nprogram p\nsize n\nassume n >= 3\nin u : f64[I:n]\n"
        "out a : f32[I:1:n-1] = f32(u[I-1] + u[I+1])\nout b = sum[I](u)\n"
        "out c : f64[I:n] = u*u\n");
    ilex_storage *u = field(5, 1), *c = field(5, 0), *y[3];
    char text[200];
    const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND("c", c)};
    ck_assert_int_eq(ilex_evaluate(ctx, p, b, 2, y), ILEX_OK);
    ilex_storage_print(y[0], text, sizeof text);
    ck_assert_str_eq(text, "f32[I:3] origin(I:1) 'a'\n[4.0 6.0 8.0]\n");
    ilex_storage_print(y[1], text, sizeof text);
    ck_assert_str_eq(text, "f64[] 'b'\n15.0\n");
    ck_assert_ptr_eq(y[2], c);
    ck_assert_double_eq(((double *)ilex_storage_data(c))[4], 25);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(y[i]);
    ck_assert_int_eq(ilex_evaluate(NULL, p, b, 2, y), ILEX_OK);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(y[i]);
    ck_assert_int_eq(ilex_evaluate(NULL, p, b + 1, 1, y), ILEX_E_BINDING);
    ck_assert(!y[0] && !y[1] && !y[2]);
    ck_assert_int_eq(ilex_evaluate(ctx, p, b, 2, NULL), ILEX_E_ARGUMENT);
    take_error();
    ck_assert_int_eq(ilex_evaluate(ctx, NULL, b, 2, y), ILEX_E_ARGUMENT);
    take_error();
    ck_assert_int_eq(ilex_evaluate(ctx, p, NULL, 2, y), ILEX_E_ARGUMENT);
    take_error();
    ilex_storage_release(u);
    ilex_storage_release(c);
    ilex_program_release(p);
}
END_TEST

/* Lengths that the run counts. */
START_TEST(counted)
{
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                "size c = count_nonzero(x > 2)\nout y = compress(x, x > 2)\n");
    ilex_storage *x = ilex_storage_from(ctx, ILEX_F64, 1, SHAPE(6),
                                        (double[]){1, 5, 2, 7, 3, 0});
    const ilex_binding b[] = {ILEX_BIND("x", x)};
    ck_assert_str_eq(evaluated(p, b, 1), "f64[3] 'y'\n[5.0 7.0 3.0]\n");
    const ilex_binding given[] = {ILEX_BIND("x", x), ILEX_BIND_I64("c", 3)};
    ck_assert_ptr_nonnull(strstr(evaluated(p, given, 2), "counted by the run"));
    ilex_storage_release(x);
    ilex_program_release(p);
}
END_TEST

/* ---- steps ---- */

START_TEST(steps)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\nin u : f64[I:n]\n"
                              "in w : f64[I:n]\nin k : f64\n"
                              "out un : f64[I:n] = k*u + w\n"
                              "out wn : f64[I:n] = w + 1.0\n");
    ilex_storage *s[4] = {field(3, 1), field(3, 0), field(3, 9), field(3, 9)};
    ilex_binding b[] = {ILEX_BIND("u", s[0]), ILEX_BIND("w", s[1]),
                        ILEX_BIND("un", s[2]), ILEX_BIND("wn", s[3]),
                        ILEX_BIND_F64("k", 2)};
    ilex_call call = {.size = sizeof call};
    ck_assert_int_eq(ilex_run_steps(p, b, 5, 0, "u=un", &call), ILEX_OK);
    ck_assert_ptr_eq(b[0].storage, s[0]);
    ck_assert_double_eq(((double *)ilex_storage_data(s[2]))[0], 9);
    ck_assert_msg(!ilex_run_steps(p, b, 5, 3, " u = un,w=wn ", &call), "%s",
                  call.error);
    /* u: 1 2 4 -> (2, 5, 12) ... of w 0 1 2: 2*u + w three times */
    const double *u = ilex_storage_const_data(b[0].storage);
    const double *w = ilex_storage_const_data(b[1].storage);
    for (int i = 0; i < 3; i++) {
        double x = 1 + i, y = i;
        for (int t = 0; t < 3; t++) {
            x = 2 * x + y;
            y += 1;
        }
        ck_assert_double_eq(u[i], x);
        ck_assert_double_eq(w[i], y);
    }
    ck_assert_ptr_eq(b[0].storage, s[2]); /* three exchanges */
    ck_assert_str_eq(b[0].name, "u");
    ck_assert_int_eq(ilex_run_steps(p, b, 5, 2, NULL, &call), ILEX_OK);
    ck_assert_ptr_eq(b[0].storage, s[2]);
    static const char *const bad[] = {"u",         "u=",       "=un",  "u=un;",
                                      "u=un w=wn", "u=q",      "q=un", ",u=un",
                                      "u=u",       "u=un, w=w"};
    for (size_t i = 0; i < IX_COUNT(bad); i++) {
        ilex_status rc = ilex_run_steps(p, b, 5, 1, bad[i], &call);
        ck_assert_msg(rc == ILEX_E_ARGUMENT || rc == ILEX_E_BINDING, "%s",
                      bad[i]);
        ck_assert_ptr_nonnull(strstr(call.error, "swaps"));
        ck_assert_ptr_eq(b[0].storage, s[2]);
    }
    ilex_binding number = ILEX_BIND_F64("a", 2);
    ilex_binding mixed[] = {b[0], b[1], b[2], b[3], b[4], number, number};
    mixed[6].name = "c";
    static const char *const of_numbers[] = {"u=a", "a=un", "a=c"};
    for (size_t i = 0; i < IX_COUNT(of_numbers); i++) {
        ck_assert_int_eq(ilex_run_steps(p, mixed, 7, 1, of_numbers[i], &call),
                         ILEX_E_BINDING);
        ck_assert_ptr_nonnull(strstr(call.error, "'a' is bound to a number"));
    }
    call.every = -3;
    ck_assert_int_eq(ilex_run(p, b, 5, &call), ILEX_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(call.error, "every -3 steps"));
    call.every = 0;
    ck_assert_int_eq(ilex_run_steps(p, b, 4, 1, "u=un", &call), ILEX_E_BINDING);
    ck_assert_ptr_eq(b[0].storage, s[2]);
    ck_assert_int_eq(ilex_run_steps(p, b, 5, -1, NULL, NULL), ILEX_E_ARGUMENT);
    ck_assert_int_eq(ilex_run_steps(p, b, 5, -1, NULL, &call), ILEX_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(call.error, "steps is negative"));
    ck_assert_int_eq(ilex_run(NULL, b, 5, &call), ILEX_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(call.error, "the program is NULL"));
    ilex_size_binding unnamed = {NULL, 1};
    ilex_call other = {
        .size = sizeof other, .sizes = &unnamed, .size_count = 1};
    ck_assert_int_eq(ilex_run(p, b, 5, &other), ILEX_E_SIZE);
    ck_assert_ptr_nonnull(strstr(other.error, "the name of a size is NULL"));
    for (int i = 0; i < 4; i++)
        ilex_storage_release(s[i]);
    ilex_program_release(p);
}
END_TEST

/* ---- expressions ---- */

/* A field of f64 with the values of its indices. */
static ilex_storage *
ramp(const char *axes, int rank, const int64_t *shape, const int64_t *halo,
     const int64_t *origin)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = rank,
                              .shape = shape,
                              .axes = axes,
                              .halo = halo,
                              .origin = origin};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    int64_t inner = rank ? shape[rank - 1] : 1;
    int64_t first = rank && origin ? origin[rank - 1] : 0;
    first -= rank && halo ? halo[2 * rank - 2] : 0;
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < ilex_storage_count(s); i++)
        x[i] = (double)(first + i % inner);
    return s;
}

/* What an expression of u and v gives: the head of its text, and its sum. */
static void
check_value(const char *expression, ilex_storage *u, ilex_storage *v,
            const char *head, double sum)
{
    char text[200] = "";
    ilex_storage *y = ilex_eval(ctx, expression, "u", u, "v", v, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_print(y, text, sizeof text);
    ck_assert_msg(!strncmp(text, head, strlen(head)), "%s", text);
    double total = 0;
    const double *x = ilex_storage_const_data(y);
    for (int64_t i = 0; i < ilex_storage_count(y); i++)
        total += x[i];
    ck_assert_double_eq(total, sum);
    ilex_storage_release(y);
}

START_TEST(expressions)
{
    for (int turn = 0; turn < 2; turn++) {
        ilex_option_set(ctx, "jit", turn ? compiled_jit() : "reference");
        for (int64_t n = 5; n < 300; n += 67) { /* numbers, then sizes */
            double d = (double)n;
            char head[60];
            ilex_storage *u = ramp("I", 1, SHAPE(n + 2), SHAPE(1, 1), NULL);
            ilex_storage *v = ramp("I", 1, SHAPE(n - 1), NULL, SHAPE(1));
            sprintf(head, "f64[I:%d] origin(I:1)\n", (int)n - 1);
            check_value("u[I+1] - u[I-1] + v", u, v, head,
                        2 * (d - 1) + d * (d - 1) / 2);
            sprintf(head, "f64[I:%d]\n", (int)n);
            check_value("u + 0.0*sum(v)", u, v, head, d * (d - 1) / 2);
            check_value("sum(v)*1.0", u, v, "f64[]", d * (d - 1) / 2);
            ilex_storage *w = ramp(NULL, 2, SHAPE(3, n), NULL, NULL);
            ilex_storage *x = ramp(NULL, 1, SHAPE(n), NULL, NULL);
            sprintf(head, "f64[3, %d]\n", (int)n);
            check_value("u*2.0 - v", w, x, head, 3 * d * (d - 1) / 2);
            ilex_storage_release(u);
            ilex_storage_release(v);
            ilex_storage_release(w);
            ilex_storage_release(x);
        }
    }
}
END_TEST

/* A long axis changes its length without another program, a halo does not. */
START_TEST(kept)
{
    const ilex_program *seen[4];
    for (int i = 0; i < 4; i++) {
        int64_t n = i < 2 ? 100 + i : 100, low = i == 2;
        ilex_storage *u = ramp("I", 1, SHAPE(n), SHAPE(low, 0), NULL);
        const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_F64("k", i)};
        ilex_storage *y = ilex_eval_with(ctx, "u*k", b, 2);
        ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
        ck_assert_double_eq(((double *)ilex_storage_data(y))[7], 7.0 * i);
        seen[i] = ix_kept_last();
        ilex_storage_release(y);
        ilex_storage_release(u);
    }
    ck_assert_ptr_eq(seen[0], seen[1]);
    ck_assert_ptr_eq(seen[0], seen[3]);
    ck_assert_ptr_ne(seen[0], seen[2]);
    ilex_option_set(ctx, "fuse", "0");
    ilex_storage *u = ramp("I", 1, SHAPE(100), NULL, NULL);
    const ilex_binding b[] = {ILEX_BIND("u", u), ILEX_BIND_F64("k", 2)};
    ilex_storage_release(ilex_eval_with(ctx, "u*k", b, 2));
    ck_assert_ptr_ne(seen[0], ix_kept_last());
    /* more than are kept */
    for (int i = 0; i < 300; i++) {
        char text[40];
        sprintf(text, "u*k + %d.0", i);
        ilex_storage *y = ilex_eval_with(ctx, text, b, 2);
        ck_assert_double_eq(((double *)ilex_storage_data(y))[7], 14.0 + i);
        ilex_storage_release(y);
    }
    ilex_storage_release(u);
}
END_TEST

/* A length that is fixed is a number in the program. */
START_TEST(fixed_lengths)
{
    const ilex_program *seen[3];
    for (int i = 0; i < 3; i++) {
        int64_t n = 100 + i / 2;
        ilex_storage_spec spec = {.size = sizeof spec,
                                  .rank = 2,
                                  .shape = SHAPE(n, 70 + i),
                                  .axes = "IJ",
                                  .fill = &(double){2},
                                  .fixed = (unsigned char[]){1, 0}};
        ilex_storage *u = ilex_storage_new(ctx, &spec);
        ilex_storage *y = ilex_eval(ctx, "sum[I](u)", "u", u, NULL);
        ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
        ck_assert_double_eq(((double *)ilex_storage_data(y))[9],
                            2.0 * (double)n);
        seen[i] = ix_kept_last();
        ck_assert_uint_eq(ilex_program_size_count(seen[i]), 1);
        ilex_storage_release(y);
        ilex_storage_release(u);
    }
    ck_assert_ptr_eq(seen[0], seen[1]);
    ck_assert_ptr_ne(seen[0], seen[2]);
}
END_TEST

START_TEST(refused_expressions)
{
    ilex_storage *u = ramp("I", 1, SHAPE(100), NULL, NULL);
    ilex_storage *v = ramp("I", 1, SHAPE(90), NULL, NULL);
    static const struct {
        const char *text, *message;
        ilex_status code;
    } bad[] = {
        {"sum(u[I+1])", "it is known for I=0:", ILEX_E_BOUNDS},
        {"u +", "expected", ILEX_E_SYNTAX},
        {"u + q", "'q'", ILEX_E_UNKNOWN},
        {"u\nout z = u", "one expression", ILEX_E_SYNTAX},
        {"", "expected", ILEX_E_SYNTAX},
        {"index(I)", "no bounds", ILEX_E_EMPTY},
    };
    for (size_t i = 0; i < IX_COUNT(bad); i++) {
        ck_assert_ptr_null(ilex_eval(ctx, bad[i].text, "u", u, "v", v, NULL));
        ck_assert_msg(strstr(ilex_error_text(ctx), bad[i].message), "%s: %s",
                      bad[i].text, ilex_error_text(ctx));
        ck_assert_int_eq(take_error(), bad[i].code);
    }
    ck_assert_ptr_null(ilex_eval(ctx, "u", "u", NULL, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_BINDING);
    ck_assert_ptr_null(ilex_eval(ctx, "u", "3", u, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_NAME);
    ck_assert_ptr_null(ilex_eval(ctx, NULL, "u", u, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage_release(u);
    ilex_storage_release(v);
}
END_TEST

/* ---- integers with a sign and without ---- */

static const int64_t edges[] = {
    0,  1,         -1,        1LL << 53,    (1LL << 53) + 1,
    -7, INT64_MIN, INT64_MAX, INT64_MAX - 1};
enum { EDGES = IX_COUNT(edges), PAIRS = EDGES * EDGES };

/* All pairs of edges: in i64 the first, the bits of the other in u64. */
static ilex_storage *
edge_pairs(ilex_dtype dtype)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = ilex_dtype_name(dtype),
                              .rank = 1,
                              .shape = SHAPE(PAIRS)};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    int64_t *x = ilex_storage_data(s);
    for (int i = 0; i < PAIRS; i++)
        x[i] = edges[dtype == ILEX_I64 ? i % EDGES : i / EDGES];
    return s;
}

/* -1, 0 or 1: how an i64 lies to a u64. */
static int
order_of(int64_t x, uint64_t y)
{
    if (x < 0)
        return -1;
    return ((uint64_t)x > y) - ((uint64_t)x < y);
}

/* Compared exactly, whichever comes first. */
START_TEST(mixed_signs)
{
    static const struct {
        const char *text;
        bool holds[3]; /* of x below y, equal, above */
    } rows[] = {
        {"u < v", {1, 0, 0}},  {"u <= v", {1, 1, 0}}, {"u > v", {0, 0, 1}},
        {"u >= v", {0, 1, 1}}, {"u == v", {0, 1, 0}}, {"u != v", {1, 0, 1}},
        {"v < u", {0, 0, 1}},  {"v <= u", {0, 1, 1}}, {"v > u", {1, 0, 0}},
        {"v >= u", {1, 1, 0}}, {"v == u", {0, 1, 0}}, {"v != u", {1, 0, 1}},
    };
    ilex_storage *u = edge_pairs(ILEX_I64), *v = edge_pairs(ILEX_U64);
    for (size_t k = 0; k < 2 * IX_COUNT(rows); k++) {
        ilex_option_set(ctx, "jit", k % 2 ? compiled_jit() : "reference");
        ilex_storage *y =
            ilex_eval(ctx, rows[k / 2].text, "u", u, "v", v, NULL);
        ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
        const bool *is = ilex_storage_const_data(y);
        for (int i = 0; i < PAIRS; i++) {
            int order = order_of(edges[i % EDGES], (uint64_t)edges[i / EDGES]);
            ck_assert_msg(is[i] == rows[k / 2].holds[order + 1],
                          "%s of pair %d", rows[k / 2].text, i);
        }
        ilex_storage_release(y);
    }
    ilex_storage_release(u);
    ilex_storage_release(v);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("evaluate", one_number, by_place, numbers_in_a_run, sizes,
                     outputs, counted, steps, expressions, kept, fixed_lengths,
                     refused_expressions, mixed_signs);
}
