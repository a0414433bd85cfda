/* SPDX-License-Identifier: MIT
 *
 * Functions of whole storages: values as text, what remains of names, halos and
 * origins, and what is refused.
 */
#include <math.h>

#include "tests/suite.h"
#include "tests/unit/eager_fixture.h"

/* Of 2 x 3: 1 ... 6, along I with a halo of 1:0, and a permuted layout. */
static ilex_storage *u;
static ilex_storage *v; /* 10, 20, 30 along J */

static void
setup(void)
{
    u = make(SPEC(.rank = 2, .shape = (int64_t[]){2, 3}, .axes = "IJ",
                  .halo = (int64_t[]){1, 0, 0, 0}, .layout = "JI",
                  .origin = (int64_t[]){4, -1}),
             1);
    v = named("J", 1, (int64_t[]){3}, 10);
}

static void
done(void)
{
    ilex_storage_release(u);
    ilex_storage_release(v);
}

/* What is printed of "s" contains "want"; takes it. */
static void
check(ilex_storage *s, const char *want)
{
    char text[600];
    ck_assert_msg(s != NULL, "%s: %s", want, ilex_error_text(ctx));
    ilex_storage_print(s, text, sizeof text);
    char *at = text;
    for (char *p = text; *p; p++) /* on one line, one space between */
        if (*p != '\n' && (*p != ' ' || !strchr("[ ", p[-1])))
            *at++ = *p;
    *at = 0;
    ck_assert_msg(strstr(text, want), "%s\n%s", want, text);
    ilex_storage_release(s);
}

static void
refuse(const ilex_storage *s, ilex_status code, const char *message)
{
    ck_assert_ptr_null(s);
    ck_assert_msg(ilex_error_code(ctx) == code &&
                      strstr(ilex_error_text(ctx), message),
                  "%s: %s", message, ilex_error_text(ctx));
    take_error();
}

START_TEST(joined)
{
    setup();
    ilex_storage *two[] = {u, u};
    check(ilex_storage_concat(ctx, 2, two, "J"),
          "[[1 2 3 1 2 3] [4 5 6 4 5 6]]");
    check(ilex_storage_concat(ctx, 2, two, "J"),
          "i64[I:2, J:6] halo(I:1:0) origin(I:4, J:-1)");
    check(ilex_storage_concat(ctx, 2, two, "0"),
          "[[1 2 3] [4 5 6] [1 2 3] [4 5 6]]");
    ilex_storage *f = ilex_storage_scalar(ctx, ILEX_F32, 0.5);
    ilex_storage *half = ilex_storage_multiply(ctx, u, f);
    ilex_storage *mixed[] = {u, half};
    check(ilex_storage_concat(ctx, 2, mixed, "J"),
          "[[1.0 2.0 3.0 0.5 1.0 1.5]");
    check(ilex_storage_stack(ctx, 2, two, 0), "i64[2, 2, 3]");
    check(ilex_storage_stack(ctx, 2, mixed, -1),
          "[[[1.0 0.5] [2.0 1.0] [3.0 1.5]]");
    check(ilex_storage_stack(ctx, 1, &v, 1), "[[10] [20] [30]]");
    refuse(ilex_storage_concat(ctx, 2, two, "K"), ILEX_E_AXIS, "K");
    refuse(ilex_storage_concat(ctx, 2, two, "IJ"), ILEX_E_AXIS, "not one axis");
    refuse(ilex_storage_concat(ctx, 2, two, NULL), ILEX_E_AXIS, "not one axis");
    refuse(ilex_storage_concat(ctx, 0, NULL, "I"), ILEX_E_ARGUMENT,
           "no operands");
    refuse(ilex_storage_concat(ctx, 2, (ilex_storage *[]){u, NULL}, "I"),
           ILEX_E_ARGUMENT, "operand 1 is NULL");
    refuse(ilex_storage_concat(ctx, 2, (ilex_storage *[]){u, v}, "J"),
           ILEX_E_SHAPE, "operand 1 has another shape");
    refuse(ilex_storage_stack(ctx, 2, (ilex_storage *[]){u, v}, 0),
           ILEX_E_SHAPE, "another shape");
    refuse(ilex_storage_stack(ctx, 2, two, 3), ILEX_E_AXIS, "axis 3");
    refuse(ilex_storage_stack(ctx, 2, two, -4), ILEX_E_AXIS, "axis -4");
    ilex_storage_release(f);
    ilex_storage_release(half);
    done();
}
END_TEST

START_TEST(moved)
{
    setup();
    check(ilex_storage_roll(ctx, u, "J", 1), "[[3 1 2] [6 4 5]]");
    check(ilex_storage_roll(ctx, u, "1", -4), "[[2 3 1] [5 6 4]]");
    check(ilex_storage_roll(ctx, u, "I", 1), "halo(I:1:0) origin(I:4, J:-1)");
    check(ilex_storage_roll(ctx, u, "I", 3), "[[4 5 6] [1 2 3]]");
    const int64_t low[] = {1, 0}, high[] = {0, 2};
    check(ilex_storage_pad(ctx, u, low, high, 7, NULL),
          "[[7 7 7 7 7] [1 2 3 7 7] [4 5 6 7 7]]");
    check(ilex_storage_pad(ctx, u, low, NULL, 7, NULL),
          "i64[I:3, J:3] origin(I:4");
    check(ilex_storage_pad(ctx, v, high + 1, high + 1, 0, "wrap"),
          "[20 30 10 20 30 10 20]");
    check(ilex_storage_pad(ctx, v, NULL, (int64_t[]){20}, 0, "edge"), "30 30]");
    refuse(ilex_storage_pad(ctx, v, NULL, low, 0, "frob"), ILEX_E_ARGUMENT,
           "frob");
    refuse(ilex_storage_pad(ctx, v, (int64_t[]){-1}, NULL, 0, NULL),
           ILEX_E_ARGUMENT, "pad");
    ilex_storage *none = ilex_storage_slice(ctx, v, 0, 1, 1, 1);
    check(ilex_storage_roll(ctx, none, "J", 5), "i64[J:0]");
    ilex_storage_release(none);
    done();
}
END_TEST

START_TEST(shaped)
{
    setup();
    check(ilex_storage_reshape(ctx, u, 1, (int64_t[]){6}),
          "i64[6][1 2 3 4 5 6]");
    check(ilex_storage_reshape(ctx, u, 3, (int64_t[]){3, -1, 2}),
          "[[[1 2]] [[3 4]] [[5 6]]]");
    refuse(ilex_storage_reshape(ctx, u, 1, (int64_t[]){7}), ILEX_E_SHAPE, "6");
    refuse(ilex_storage_reshape(ctx, u, 2, (int64_t[]){-1, -1}), ILEX_E_SHAPE,
           "6");
    refuse(ilex_storage_reshape(ctx, u, 2, (int64_t[]){-1, 4}), ILEX_E_SHAPE,
           "6");
    refuse(ilex_storage_reshape(ctx, u, 2, NULL), ILEX_E_SHAPE, "6");
    check(ilex_storage_arange(ctx, ILEX_F32, 0, 1, 0.25),
          "f32[4][0.0 0.25 0.5 0.75]");
    check(ilex_storage_arange(ctx, ILEX_I8, 5, 0, -2), "i8[3][5 3 1]");
    check(ilex_storage_arange(ctx, ILEX_C64, 0, 2, 1), "[0.0+0.0j 1.0+0.0j]");
    check(ilex_storage_arange(ctx, ILEX_F64, 3, 0, 1), "f64[0]");
    refuse(ilex_storage_arange(ctx, ILEX_I8, 0, 300, 100), ILEX_E_LITERAL, "");
    refuse(ilex_storage_arange(ctx, ILEX_F64, 0, 1, 0), ILEX_E_ARGUMENT,
           "the step is not 0");
    refuse(ilex_storage_arange(ctx, ILEX_F64, 0, NAN, 1), ILEX_E_ARGUMENT,
           "finite");
    refuse(ilex_storage_arange(ctx, ILEX_F64, 0, 1e18, 1), ILEX_E_OVERFLOW,
           "these are 1e+18 elements");
    done();
}
END_TEST

START_TEST(computed)
{
    setup();
    check(ilex_storage_cumsum(ctx, u, "J"), "[[1 3 6] [4 9 15]]");
    check(ilex_storage_cumsum(ctx, u, "-2"),
          "i64[I:2, J:3] halo(I:1:0) origin(I:4, J:-1)");
    check(ilex_storage_var(ctx, u, "J", 0), "f64[I:2] halo(I:1:0) origin(I:4)");
    check(ilex_storage_var(ctx, u, "I", 1), "[4.5 4.5 4.5]");
    check(ilex_storage_std(ctx, v, NULL, 1), "10.0");
    check(ilex_storage_matmul(ctx, u, v), "i64[2][140 320]");
    check(ilex_storage_einsum(ctx, "ij,kj->ik", 2, (ilex_storage *[]){u, u}),
          "[[14 32] [32 77]]");
    check(ilex_storage_einsum(ctx, "ij,j", 2, (ilex_storage *[]){u, v}),
          "i64[2][140 320]");
    check(ilex_storage_einsum(ctx, "...j->...", 1, &u), "[6 15]");
    refuse(ilex_storage_einsum(ctx, "ij,jk->ik", 2, (ilex_storage *[]){u, u}),
           ILEX_E_EINSUM, "");
    refuse(ilex_storage_einsum(ctx, "ij\nout y = 3", 1, &u), ILEX_E_EINSUM,
           "a line");
    refuse(ilex_storage_einsum(ctx, NULL, 1, &u), ILEX_E_EINSUM, "a line");
    refuse(ilex_storage_matmul(ctx, u, u), ILEX_E_SHAPE, "");
    refuse(ilex_storage_matmul(ctx, u, NULL), ILEX_E_ARGUMENT,
           "operand 1 is NULL");
    refuse(ilex_storage_var(ctx, u, "", 0), ILEX_E_AXIS, "no axes");
    refuse(ilex_storage_cumsum(ctx, u, "Q"), ILEX_E_AXIS, "Q");
    done();
}
END_TEST

/* One storage of a value. */
static ilex_storage *
one(double value)
{
    return ilex_storage_full(ctx, ILEX_F64, 1, (int64_t[]){1}, value);
}

static int
close_to(double x, double y, double rtol, double atol)
{
    ilex_storage *a = one(x), *b = one(y);
    int r = ilex_storage_allclose(ctx, a, b, rtol, atol);
    ilex_storage_release(a);
    ilex_storage_release(b);
    return r;
}

START_TEST(closeness)
{
    setup();
    ck_assert_int_eq(close_to(1, 1.1, 0.1, 0), 1);
    ck_assert_int_eq(close_to(1.1, 1, 0.05, 0), 0);
    ck_assert_int_eq(close_to(10, 11, 0.095, 0), 1); /* relative to y */
    ck_assert_int_eq(close_to(11, 10, 0.095, 0), 0);
    ck_assert_int_eq(close_to(0, 1e-9, 0, 1e-8), 1);
    ck_assert_int_eq(close_to(INFINITY, INFINITY, 0, 0), 1);
    ck_assert_int_eq(close_to(1, INFINITY, 1, 1), 0);
    ck_assert_int_eq(close_to(NAN, NAN, 1, 1), 0);
    ilex_storage *bytes = ilex_storage_full(ctx, ILEX_U8, 1, (int64_t[]){3}, 1);
    ilex_storage *more = ilex_storage_full(ctx, ILEX_U8, 1, (int64_t[]){3}, 2);
    ck_assert_int_eq(ilex_storage_allclose(ctx, bytes, more, 0, 1), 1);
    ck_assert_int_eq(ilex_storage_allclose(ctx, bytes, more, 0, 0.5), 0);
    ck_assert_int_eq(ilex_storage_allclose(ctx, u, v, 0, 100), 1);
    ck_assert_int_eq(ilex_storage_allclose(ctx, u, NULL, 0, 0), -1);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage_release(bytes);
    ilex_storage_release(more);
    done();
}
END_TEST

static int given_back;

static void
give_back(void *user, void *data)
{
    (void)data;
    *(int *)user = ++given_back;
}

/* A storage that notes when it goes. */
static ilex_storage *
wrapped(double *data, int *when)
{
    return ilex_storage_wrap(ctx, ILEX_F64, 1, (int64_t[]){1}, NULL, data,
                             give_back, when);
}

START_TEST(scopes)
{
    static double data = 3;
    static int when[4]; /* noted when the context goes, too */
    given_back = 0;
    ck_assert_ptr_null(ilex_storage_temporary(ctx, NULL));
    ilex_storage *a = ilex_storage_temporary(ctx, wrapped(&data, &when[0]));
    size_t outer = ilex_storage_scope_begin(ctx);
    ilex_storage *b = ilex_storage_temporary(ctx, wrapped(&data, &when[1]));
    size_t inner = ilex_storage_scope_begin(ctx);
    ilex_storage_temporary(ctx, wrapped(&data, &when[2]));
    ilex_storage *sum = ilex_storage_add(
        ctx, a, ilex_storage_temporary(ctx, wrapped(&data, &when[3])));
    ck_assert_int_eq(given_back, 0);
    ilex_storage_scope_end(ctx, inner);
    ck_assert_int_eq(when[3], 1);
    ck_assert_int_eq(when[2], 2);
    ck_assert_int_eq(when[1], 0);
    ilex_storage_retain(b);
    ilex_storage_scope_end(ctx, outer);
    ck_assert_int_eq(when[1], 0);
    ilex_storage_release(b);
    ck_assert_int_eq(when[1], 3);
    check(sum, "6.0");
    ck_assert_int_eq(when[0], 0); /* the context's, to its end */
}
END_TEST

/* Lengths beyond those that programs take as numbers, and none. */
START_TEST(lengths)
{
    for (int64_t n = 0; n < 400; n = 2 * n + 1) {
        ilex_storage *x = ilex_storage_arange(ctx, ILEX_I64, 0, (double)n, 1);
        ilex_storage *s = ilex_storage_cumsum(ctx, x, "0");
        ilex_storage *p =
            n ? ilex_storage_pad(ctx, x, &n, &n, 0, "wrap") : NULL;
        ck_assert_msg(s && (p || !n), "%s", ilex_error_text(ctx));
        const int64_t *sum = ilex_storage_const_data(s);
        const int64_t *padded = p ? ilex_storage_const_data(p) : NULL;
        for (int64_t i = 0; i < n; i++)
            ck_assert_int_eq(sum[i], i * (i + 1) / 2);
        for (int64_t i = 0; i < 3 * n; i++)
            ck_assert_int_eq(padded[i], i % n);
        ilex_storage_release(x);
        ilex_storage_release(s);
        ilex_storage_release(p);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_arrays");
    TCase *t = tcase_create("out");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, joined);
    tcase_add_test(t, moved);
    tcase_add_test(t, shaped);
    tcase_add_test(t, computed);
    tcase_add_test(t, closeness);
    tcase_add_test(t, scopes);
    tcase_add_test(t, lengths);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
