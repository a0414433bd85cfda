/* SPDX-License-Identifier: MIT
 *
 * Scans built from C: that they are those of text, that equal ones are one
 * node, what is refused, how the loops stand, that threads stay apart. Values
 * are in language.tsv.
 */
#include "lib/build/scan.h"
#include "runtime/jit/jit.h"
#include "tests/unit/graph_fixture.h"

/* A linear recurrence along k; the arrays are those of a module. */
static ilex_array *
linear_recurrence(ilex_array *a, ilex_array *b)
{
    ilex_array *y = ilex_scan_self(ctx, ILEX_F64, "k:n");
    ilex_array *v =
        ilex_map(ctx, "k:n", "where(k == 0, b[k], a[k]*y[k-1] + b[k])", "a", a,
                 "b", b, "y", y, NULL);
    ck_assert_msg(ilex_scan(ctx, "k", "forward", 1, &y, &v, &y) == ILEX_OK,
                  "%s", ilex_error_text(ctx));
    return y;
}

START_TEST(as_text)
{
    ilex_module *m = parse(
        "ilex 1\nprogram p\nsize n\nin a : f64[k:n]\nin b : f64[k:n]\n"
        "scan k forward y[k:n] = where(k == 0, b[k], a[k]*y[k-1] + b[k])\n"
        "scan k backward p[k=k:n] : f32 = where(k == n-1, 1, 2*p[k+1]),\n"
        "     q[k=k:n] = p[k]*p[k]\nout o = y\nout r = q\n");
    ilex_array *y =
        linear_recurrence(ilex_module_array(m, "a"), ilex_module_array(m, "b"));
    ck_assert_ptr_eq(y, ilex_module_array(m, "y"));
    ck_assert_ptr_eq(y, linear_recurrence(ilex_module_array(m, "a"),
                                          ilex_module_array(m, "b")));
    ilex_array *self[2], *value[2], *result[2];
    for (int i = 0; i < 2; i++)
        self[i] = ilex_scan_self(ctx, ILEX_F32, "k:n");
    ck_assert_ptr_ne(self[0], self[1]);
    value[0] = ilex_map(ctx, "k:n", "where(k == n-1, f32(1), 2*p[k+1])", "p",
                        self[0], NULL);
    value[1] = ilex_multiply(self[0], self[0]);
    ck_assert_int_eq(ilex_scan(ctx, "0", "backward", 2, self, value, result),
                     ILEX_OK);
    ck_assert_ptr_eq(result[0], ilex_module_array(m, "p"));
    ck_assert_ptr_eq(result[1], ilex_module_array(m, "q"));
    ilex_module_free(m);
}
END_TEST

#define CHUNK "4096"

/* What cumsum and cumprod make is what text and C say. */
START_TEST(in_chunks)
{
    ilex_module *m = parse(
        "ilex 1\nprogram p\nsize n\nin x : f32[k:n]\n"
        "scan k forward y[k:n] : f32 ="
        " where(k % " CHUNK " == 0, x[k], y[k-1] + x[k]) chunked sum\n"
        "scan k backward p[k:n] : f32 ="
        " where((n-1-k) % " CHUNK " == 0, x[k], p[k+1]*x[k]) chunked prod\n"
        "scan k forward z[k:n] : f32 ="
        " where(k % " CHUNK " == 0, x[k], z[k-1] + x[k])\n"
        "let s = cumsum(x)\nlet t = cumprod(x; reverse=1)\n"
        "out o = y\nout q = p\nout r = z\n");
    ilex_array *x = ilex_module_array(m, "x"), *y = ilex_module_array(m, "y");
    ilex_array *self = ilex_scan_self(ctx, ILEX_F32, "k:n"), *made;
    ilex_array *v =
        ilex_map(ctx, "k:n", "where(k % " CHUNK " == 0, x[k], y[k-1] + x[k])",
                 "x", x, "y", self, NULL);
    ck_assert_int_eq(
        ilex_scan(ctx, "k", "forward chunked sum", 1, &self, &v, &made),
        ILEX_OK);
    ck_assert_ptr_eq(made, y);
    ck_assert_ptr_ne(y, ilex_module_array(m, "z"));
    ck_assert_ptr_eq(y, ilex_module_array(m, "s"));
    ck_assert_ptr_eq(ilex_module_array(m, "p"), ilex_module_array(m, "t"));
    ilex_module_free(m);
}
END_TEST

/* Shifts and element-wise arrays between a result and itself. */
START_TEST(through_arrays)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "K:n");
    ilex_array *s = ilex_scan_self(ctx, ILEX_F64, "K:n");
    ilex_array *before = ilex_add(ilex_shift(s, "K", -1), x);
    ilex_array *first = ilex_equal(ilex_index(ctx, "K"), ilex_i64(ctx, 0));
    ilex_array *v = ilex_where(first, x, ilex_multiply(before, before)), *y;
    ck_assert_msg(ilex_scan(ctx, "K", "forward", 1, &s, &v, &y) == ILEX_OK,
                  "%s", ilex_error_text(ctx));
    ilex_module *m = parse(
        "ilex 1\nprogram p\nsize n\nin x : f64[K:n]\n"
        "scan K forward s : f64[K:n] = "
        "where(index(K) == i64(0), x, (s[K-1] + x)*(s[K-1] + x))\nout o = s\n");
    ck_assert_ptr_eq(y, ilex_module_array(m, "s"));
    ilex_module_free(m);
}
END_TEST

/* ---- refused ---- */

static void
expect_error(ilex_status code, const char *text)
{
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(ilex_error_code(ctx), code);
    ilex_error_clear(ctx);
}

static void
refused(const char *axis, const char *direction, ilex_array *self,
        ilex_array *value, ilex_status code, const char *text)
{
    ilex_array *y = NULL;
    ck_assert_int_eq(ilex_scan(ctx, axis, direction, 1, &self, &value, &y),
                     code);
    ck_assert(ilex_is_poison(y));
    expect_error(code, text);
}

START_TEST(refusals)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"),
               *s = ilex_scan_self(ctx, ILEX_F64, "n"), *y;
    refused("1", "forward", s, x, ILEX_E_AXIS, "there is no axis '1' in [n]");
    refused("0", "along", s, x, ILEX_E_ARGUMENT,
            "the direction 'along' is neither forward nor backward");
    refused("0", "forward chunked max", s, x, ILEX_E_ARGUMENT,
            "the direction 'forward chunked max' is neither");
    refused(NULL, "forward", s, x, ILEX_E_ARGUMENT, "there is no axis (NULL)");
    refused("0", "forward", NULL, x, ILEX_E_ARGUMENT, "result 0 is NULL");
    refused("0", "forward", x, x, ILEX_E_ARGUMENT,
            "result 0 does not come from ilex_scan_self");
    refused("0", "forward", s, ilex_cast(x, ILEX_F32), ILEX_E_DTYPE,
            "a result is f64, but its value is f32");
    refused("0", "forward", s, ilex_roll(s, "0", "1"), ILEX_E_UNSUPPORTED,
            "a result reads itself through `roll`");
    refused("0", "forward", s, s, ILEX_E_ARGUMENT,
            "at the same level, where it is not known yet");
    ilex_array *t[2] = {s, ilex_scan_self(ctx, ILEX_F64, "m")}, *v[2] = {x, x},
               *r[2];
    ck_assert_int_eq(ilex_scan(ctx, "0", "forward", 2, t, v, r), ILEX_E_SHAPE);
    expect_error(ILEX_E_SHAPE, "the results of one scan have one domain");
    ck_assert(ilex_is_poison(ilex_scan_self(ctx, ILEX_F64, "")));
    expect_error(ILEX_E_RANK, "a result has an axis at least");
    y = ilex_add(s, x);
    ck_assert_ptr_null(ilex_compile(ctx, 1, &y, NULL));
    expect_error(ILEX_E_ARGUMENT, "a result of a scan is used before its scan");
}
END_TEST

/* ---- loops ---- */

/* The loops of the nests of all kernels, outermost first: p, or s or d
 * (down) for levels, with the axis; "|" between nests, ";" between kernels. */
static void
expect_loops(const char *range, const char *statement, const char *loops)
{
    char got[160] = "", text[400];
    ix_unit u;
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m, l\nassume n >= 1\n"
             "in i : i32[%s]\n%s\nout o = y\n",
             range, statement);
    run_passes(&u, parse(text), "peel");
    for (const ix_kernel *k = u.kernels; k; k = k->next) {
        for (const ix_stmt *nest = k->body; nest; nest = nest->next) {
            for (const ix_stmt *x = nest; x->kind == IX_STMT_FOR; x = x->body)
                snprintf(got + strlen(got), sizeof got - strlen(got), "%c%d ",
                         "spd"[x->parallel ? 1 : 2 * x->down], x -> number);
            strcat(got, nest->next ? "| " : "");
        }
        strcat(got, k->next ? "; " : "");
    }
    ck_assert_str_eq(got, loops);
    free_unit(&u);
}

START_TEST(loops)
{
    expect_loops("n", "scan _0 forward y[n] = where(_0 == 0, 1, y[_0-1])",
                 "s0 | s0 ");
    expect_loops("n", "scan _0 backward y[n] = where(_0 == n-1, 1, y[_0+1])",
                 "d0 | d0 ");
    expect_loops("n",
                 "scan _1 forward y[n, m] = where(_1 == 0, 1, y[_0, _1-1])",
                 "p0 s1 | p0 s1 ");
    expect_loops("n",
                 "scan _0 forward y[n, m] = where(_0 == 0, 1, y[_0-1, _1])",
                 "p1 s0 | p1 s0 ");
    expect_loops(
        "n", "scan _1 forward y[n, m, l] = where(_1 == 0, 1, y[_0, _1-1, _2])",
        "p0 p2 s1 | p0 p2 s1 ");
    /* conditions on what is free divide first, one on both stays */
    expect_loops("n",
                 "scan _1 forward y[n, m] = where(_1 == 0, 1, "
                 "where(_0 < 2, y[_0, _1-1], "
                 "where(_0 < 4, 4, where(_0 < _1, 2, 3))))",
                 "p0 s1 | p0 s1 | p0 s1 | p0 s1 | p0 s1 | p0 s1 ");
    expect_loops("n", "let z = zeros(m)\nlet y = add_at(z[i], 1.0)",
                 "p0 ; s0 ");
}
END_TEST

/* ---- threads ---- */

/* A column that a thread has between two scans is no other thread's: the
 * values are those of one thread, whatever runs at once. */
/* Levels whose index is divided: strips where they come in the order of the
 * levels, else a condition at each; the same values. */
START_TEST(strips)
{
    enum { N = 100 };
    static const char *const texts[] = {
        "where(k % 32 == 0, 0.5*y[k-1] + x[k//16], y[k-1] + x[k])",
        "where((n-1-k) % 32 == 0, 0.5*y[k-1], y[k-1] + x[k])",
        "where((k+7) % 32 != 0, y[k-1] + x[(k+7)//32], 2.0*x[k])",
        "where(k % 32 == 0, x[k], y[k-1] + x[(k+1)//32])"};
    for (size_t i = 0; i < IX_COUNT(texts); i++) {
        ilex_storage *y[2], *x = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(N));
        char text[300];
        for (int k = 0; k < N; k++)
            ((double *)ilex_storage_data(x))[k] = 1.0 / (k + 3);
        snprintf(text, sizeof text,
                 "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                 "scan k forward y[k:n] : f64 = where(k == 0, x[k], %s)\n"
                 "out o = y\n",
                 texts[i]);
        for (int j = 0; j < 2; j++) {
            const char *jit = ix_jit_tcc_available() ? "tcc" : "cc";
            ilex_option_set(ctx, "jit", j ? jit : "reference");
            ilex_program *p = compile(text);
            y[j] = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(N));
            run_program(
                p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("o", y[j])},
                2);
            ilex_program_release(p);
        }
        ck_assert_mem_eq(ilex_storage_const_data(y[0]),
                         ilex_storage_const_data(y[1]), sizeof(double) * N);
        ilex_storage_release(x);
        ilex_storage_release(y[0]);
        ilex_storage_release(y[1]);
    }
}
END_TEST

START_TEST(threads)
{
    enum { N = 512, M = 512 };
    ilex_option_set(ctx, "jit", ix_jit_tcc_available() ? "tcc" : "cc");
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize n, m\nin x : f64[n, m]\n"
                "scan _1 forward a[n, m] = where(_1 == 0, x[_0, 0], "
                "0.5*a[_0, _1-1] + x[_0, _1])\n"
                "scan _1 backward b[n, m] = where(_1 == m-1, a[_0, _1], "
                "0.5*b[_0, _1+1] + a[_0, _1])\nout y = b\n");
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(N, M));
    ilex_storage *one = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(N, M));
    ilex_storage *many = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(N, M));
    for (int i = 0; i < N * M; i++)
        ((double *)ilex_storage_data(x))[i] = i / M + i % 7;
    ilex_call call = {.size = sizeof call, .threads = 1};
    ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", one)};
    ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
    for (int run = 0; run < 20; run++) {
        call.threads = 4;
        bound[1].storage = many;
        ck_assert_msg(!ilex_run(p, bound, 2, &call), "%s", call.error);
        ck_assert_mem_eq(ilex_storage_const_data(one),
                         ilex_storage_const_data(many), sizeof(double) * N * M);
    }
    ilex_storage_release(x);
    ilex_storage_release(one);
    ilex_storage_release(many);
    ilex_program_release(p);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("scan", as_text, in_chunks, through_arrays, refusals,
                     loops, strips, threads);
}
