/* SPDX-License-Identifier: MIT
 *
 * Origins of storages: kept by views, seen by programs, the sizes that follow
 * from them.
 */
#include "tests/unit/graph_fixture.h"

/* A field of f64 along I whose element with index i has the value i. */
static ilex_storage *
field(int64_t length, int64_t low, int64_t high, int64_t origin)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 1,
                              .shape = &length,
                              .axes = "I",
                              .halo = SHAPE(low, high),
                              .origin = &origin};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    double *x = ilex_storage_data(s);
    for (int64_t i = 0; i < length; i++)
        x[i] = (double)(origin - low + i);
    return s;
}

static ilex_storage *
scalar(void)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_F64, 0, SHAPE(0));
    ck_assert_ptr_nonnull(s);
    return s;
}

static double
value_of(const ilex_storage *s)
{
    return *(const double *)ilex_storage_const_data(s);
}

/* ---- views ---- */

/* Where a field along I begins with its halo, begins and ends inside, ends;
 * gives it back. */
static void
check_view(ilex_storage *s, int64_t first, int64_t lo, int64_t hi, int64_t end)
{
    int64_t a, b;
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    const int64_t *halo = ilex_storage_halo(s);
    ck_assert_int_eq(ilex_storage_domain(s, 0, &a, &b), ILEX_OK);
    ck_assert_int_eq(a, lo);
    ck_assert_int_eq(b, hi);
    ck_assert_int_eq(ilex_storage_origin(s)[0], lo);
    ck_assert_int_eq(lo - halo[0], first);
    ck_assert_int_eq(hi + halo[1], end);
    ilex_storage_release(s);
}

START_TEST(views)
{
    ilex_storage *s = field(10, 2, 1, 3);
    ilex_storage *like = ilex_storage_empty_like(ctx, s);
    check_view(like, 1, 3, 10, 11);
    check_view(ilex_storage_copy(ctx, s), 1, 3, 10, 11);
    check_view(ilex_storage_readonly(ctx, s), 1, 3, 10, 11);
    check_view(ilex_storage_interior(ctx, s), 3, 3, 10, 10);
    check_view(ilex_storage_with_halo(ctx, s, SHAPE(1, 1)), 2, 3, 11, 12);
    check_view(ilex_storage_with_origin(ctx, s, SHAPE(-7)), -9, -7, 0, 1);
    check_view(ilex_storage_with_origin(ctx, s, NULL), -2, 0, 7, 8);
    check_view(ilex_storage_reinterpret(ctx, s, "K"), 1, 3, 10, 11);
    /* as in NumPy */
    check_view(ilex_storage_slice(ctx, s, 0, 1, 9, 1), -1, 0, 7, 7);
    check_view(ilex_storage_slice(ctx, s, 0, 0, 10, 2), 0, 0, 5, 5);
    /* points keep their indices */
    check_view(ilex_storage_restrict(ctx, s, "I", 5, 8), 5, 5, 8, 8);
    check_view(ilex_storage_restrict(ctx, s, "I", 2, 11), 2, 3, 10, 11);
    check_view(ilex_storage_restrict(ctx, s, "I", 1, 3), 1, 1, 3, 3);
    check_view(ilex_storage_restrict(ctx, s, "I", 10, 11), 10, 10, 11, 11);
    ck_assert_str_eq(ilex_storage_source(s, "origin"), "given");
    ilex_storage_release(s);
}
END_TEST

START_TEST(several_axes)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 3,
                              .shape = SHAPE(4, 9, 6),
                              .axes = "IK",
                              .origin = SHAPE(5, 100, -2),
                              .fill = &(double){0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    char text[300];
    ilex_storage_print(s, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "[I:4, K:6] origin(I:5, K:-2)"));
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL);
    ck_assert_int_eq(ilex_storage_origin(t)[0], -2);
    ck_assert_int_eq(ilex_storage_origin(t)[1], 5);
    ilex_storage *row = ilex_storage_index(ctx, t, 0, 1);
    ck_assert_int_eq(ilex_storage_origin(row)[0], 5);
    ilex_storage_release(row);
    ilex_storage_release(t);
    ilex_storage_release(s);
    spec.origin = SHAPE(((int64_t)1 << 60) + 1, 0, 0);
    ck_assert_ptr_null(ilex_storage_new(ctx, &spec));
    ck_assert_int_eq(take_error(), ILEX_E_OVERFLOW);
}
END_TEST

/* Parts by name: what is left as text, or an error. */
static const struct {
    const char *part, *head;
    ilex_status code;
} parts[] = {
    {"I=6:8, K=0", "f64[I:2, J:3] origin(I:6)", ILEX_OK},
    {" K = -2 , I = 5 ", "f64[J:3]", ILEX_OK},
    {"I=6:", "f64[I:3, J:3, K:6] origin(I:6, K:-2)", ILEX_OK},
    {"I=:6,K=:", "f64[I:1, J:3, K:6] origin(I:5, K:-2)", ILEX_OK},
    {"", "f64[I:6, J:3, K:6] halo(I:1:1) origin(I:5, K:-2)", ILEX_OK},
    {"I=4:10", "f64[I:6, J:3, K:6] halo(I:1:1) origin(I:5, K:-2)", ILEX_OK},
    {"I=4", "f64[J:3, K:6] origin(K:-2)", ILEX_OK},
    {"I=10", "", ILEX_E_BOUNDS},
    {"I=3:8", "", ILEX_E_BOUNDS},
    {"L=3", "", ILEX_E_AXIS},
    {"I=6, I=7", "", ILEX_E_DUPLICATE},
    {"I", "", ILEX_E_SYNTAX},
    {"I=", "", ILEX_E_SYNTAX},
    {"I=6;K=0", "", ILEX_E_SYNTAX},
    {"I=6,", "", ILEX_E_SYNTAX},
    {"I=99999999999999999999", "", ILEX_E_SYNTAX},
};

START_TEST(by_name)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 3,
                              .shape = SHAPE(6, 3, 6),
                              .axes = "IJK",
                              .halo = SHAPE(1, 1, 0, 0, 0, 0),
                              .origin = SHAPE(5, 0, -2),
                              .fill = &(double){0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    for (size_t i = 0; i < IX_COUNT(parts); i++) {
        char text[300];
        ilex_storage *t = ilex_storage_select(ctx, s, parts[i].part);
        ck_assert_msg(take_error() == parts[i].code && !t == !!parts[i].code,
                      "%s", parts[i].part);
        if (!t)
            continue;
        ilex_storage_print(t, text, sizeof text);
        text[strcspn(text, "\n")] = 0;
        ck_assert_str_eq(text, parts[i].head);
        ilex_storage_release(t);
    }
    ck_assert_ptr_null(ilex_storage_select(ctx, NULL, "I=3"));
    take_error();
    ilex_storage_release(s);
}
END_TEST

START_TEST(restricted_and_back)
{
    ilex_storage_spec spec = {
        .size = sizeof spec, .rank = 2, .shape = SHAPE(6, 3), .axes = "IJ"};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ilex_storage *a = ilex_storage_restrict(ctx, s, "I", 1, 5);
    ilex_storage *b = ilex_storage_select(ctx, a, "I=2:4, J=1");
    ilex_storage_release(a);
    ilex_storage *back = ilex_storage_unrestrict(ctx, b);
    ck_assert_ptr_eq(back, a);
    ck_assert_int_eq(ilex_storage_shape(back)[0], 4);
    ilex_storage *again = ilex_storage_unrestrict(ctx, back);
    ck_assert_ptr_eq(again, s);
    ck_assert_ptr_null(ilex_storage_unrestrict(ctx, s));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage *view = ilex_storage_interior(ctx, b);
    ck_assert_ptr_null(ilex_storage_unrestrict(ctx, view));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_storage_unrestrict(ctx, NULL));
    take_error();
    ilex_storage *all[] = {s, b, back, again, view};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
    ilex_storage *chain = ilex_storage_new(ctx, &spec);
    for (int i = 0; i < 200000; i++) { /* and no stack for each */
        ilex_storage *part = ilex_storage_restrict(ctx, chain, "I", 0, 6);
        ilex_storage_release(chain);
        chain = part;
    }
    ilex_storage_release(chain);
}
END_TEST

/* ---- sizes ---- */

/* Of a program whose input is on [I:<range>]: n*1000 + the sum of the field, or
 * the code of an error and a part of its message. */
static const struct {
    const char *range;
    int64_t length, low, high, origin, n; /* n given, -1: it is not */
    double sum;
    ilex_status code;
    const char *message;
} rows[] = {
    {"1:n+1", 5, 0, 0, 1, -1, 5015, ILEX_OK, ""},
    {"1:n+1", 5, 0, 0, 0, -1, 0, ILEX_E_SIZE,
     "[I:1:n+1] begins at I=1, its array at 0, or 0 with its halo; set the "
     "origin of the array to 1, or give n with the arguments"},
    {"1:n+1", 5, 0, 0, 0, 4, 4010, ILEX_OK, ""},
    {"1:n+1", 5, 0, 0, 0, 5, 0, ILEX_E_HALO, "set its origin to 1"},
    {"1:n+1", 6, 0, 0, 0, 6, 0, ILEX_E_HALO, "set its origin to 1"},
    {"1:n+1", 5, 0, 0, 1, 4, 0, ILEX_E_SIZE, "the shapes say 5"},
    {"1:n", 12, 1, 1, 1, -1, 11055, ILEX_OK, ""},
    {"1:n", 12, 1, 1, 0, -1, 0, ILEX_E_SIZE, "set the origin"},
    {"1:n", 12, 0, 0, 1, -1, 13078, ILEX_OK, ""},
    {"-1:n+1", 8, 1, 1, 0, -1, 6020, ILEX_OK, ""}, /* with its halo */
    {"-1:n+1", 8, 1, 1, 0, 5, 5014, ILEX_OK, ""},
    {"-1:n+1", 8, 2, 2, 0, -1, 0, ILEX_E_SIZE, "set the origin"},
    {"-1:n+1", 8, 2, 2, 0, 3, 3005, ILEX_OK, ""},
    {"n", 8, 2, 2, 3, -1, 0, ILEX_E_SIZE, "set the origin of the array to 0"},
    {"n", 8, 2, 2, 0, 5, 0, ILEX_E_SIZE, "the shapes say 4"},
    {"-3:n", 8, 3, 0, 0, -1, 5004, ILEX_OK, ""},
    {"-3:n", 8, 3, 0, 0, 6, 0, ILEX_E_HALO, "a halo of at least 3:1 there"},
    {"-3:n", 8, 0, 1, 0, 4, 0, ILEX_E_HALO, "set its origin to -3"},
    {"-3:n", 9, 0, 1, 0, 4, 0, ILEX_E_HALO, "a halo of at least 3:0 there"},
};

static ilex_status
run_on(const ilex_program *p, ilex_storage *x, ilex_storage *y,
       const ilex_size_binding *sizes, size_t count, char *message)
{
    ilex_call call = {.size = sizeof call, .sizes = sizes, .size_count = count};
    ilex_status rc = ilex_run(
        p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)}, 2, &call);
    strcpy(message, call.error);
    return rc;
}

START_TEST(sizes)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        char text[200], message[1024];
        sprintf(text,
                "ilex 1\nprogram p\nsize n\nassume n >= 1\n"
                "in x : f64[I:%s]\nout y = 1000.0*size(n) + sum[I](x)\n",
                rows[i].range);
        ilex_program *p = compile(text);
        ilex_storage *x =
            field(rows[i].length, rows[i].low, rows[i].high, rows[i].origin);
        ilex_storage *y = scalar();
        ilex_size_binding n = {"n", rows[i].n};
        ilex_status rc = run_on(p, x, y, &n, rows[i].n >= 0, message);
        ck_assert_msg(rc == rows[i].code && strstr(message, rows[i].message),
                      "row %zu: %d %s", i, (int)rc, message);
        ck_assert_msg(rc || value_of(y) == rows[i].sum, "row %zu: %g", i,
                      value_of(y));
        ilex_storage_release(x);
        ilex_storage_release(y);
        ilex_program_release(p);
    }
}
END_TEST

/* Both ends are sizes: the beginning is the origin, or what the call says. */
START_TEST(symbolic_beginning)
{
    char message[1024];
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize a, b\nassume b >= a\nin x : "
                "f64[I:a:b]\nout y = 1000.0*size(b) + sum[I](x)\n");
    ilex_storage *x = field(10, 2, 1, 3), *y = scalar();
    ck_assert_msg(!run_on(p, x, y, NULL, 0, message), "%s", message);
    ck_assert_double_eq(value_of(y), 10042); /* 3 to 9 */
    const ilex_size_binding box[] = {{"a", 5}, {"b", 8}};
    ck_assert_msg(!run_on(p, x, y, box, 2, message), "%s", message);
    ck_assert_double_eq(value_of(y), 8018);
    const ilex_size_binding from[] = {{"a", 3}, {"b", 8}};
    ck_assert_msg(!run_on(p, x, y, from, 2, message), "%s", message);
    ck_assert_double_eq(value_of(y), 8025);
    ck_assert_msg(!run_on(p, x, y, from, 1, message), "%s", message);
    ck_assert_double_eq(value_of(y), 10042);
    const ilex_size_binding beyond[] = {{"a", 5}, {"b", 12}};
    ck_assert_int_eq(run_on(p, x, y, beyond, 2, message), ILEX_E_HALO);
    ck_assert_int_eq(run_on(p, x, y, beyond, 1, message), ILEX_E_SIZE);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

/* ---- runs ---- */

/* Runs of one program whose storages lie differently each time. */
START_TEST(many_origins)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n\nassume n >= 3\n"
                              "in x : f64[I:n]\n"
                              "out y : f64[I:1:n-1] = x[I-1] + x[I+1]\n");
    for (int turn = 0; turn < 12; turn++) {
        char message[1024];
        int64_t low = turn % 3, at = turn % 2;
        ilex_storage *x = field(9 + low, low, 0, 0);
        ilex_storage *y = field(at ? 7 : 9, 0, 0, at);
        ck_assert_msg(!run_on(p, x, y, NULL, 0, message), "%s", message);
        const double *v = ilex_storage_const_data(y);
        for (int64_t i = 1; i < 8; i++)
            ck_assert_double_eq(v[i - at], 2 * (double)i);
        ilex_storage_release(x);
        ilex_storage_release(y);
    }
    ilex_program_release(p);
}
END_TEST

/* Which of the storages gives a size may change from run to run. */
START_TEST(many_ways_to_sizes)
{
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize m, n\n"
                "in x : f64[I:2:m+2]\nin z : f64[I:1:n+1]\n"
                "out y = sum[I](x) + sum[I](z) + 100.0*size(n)\n");
    ilex_storage *x = field(9, 0, 0, 0), *y = scalar();
    for (int turn = 0; turn < 4; turn++) {
        ilex_storage *z = field(turn % 2 ? 9 : 5, 0, 0, turn % 2 ? 0 : 1);
        const ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("z", z),
                                  ILEX_BIND("y", y), ILEX_BIND_I64("m", 3),
                                  ILEX_BIND_I64("n", 5)};
        run_program(p, b, turn % 2 ? 5 : 4);
        ck_assert_double_eq(value_of(y), 2 + 3 + 4 + 15 + 500);
        ilex_storage_release(z);
    }
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

START_TEST(wrapped_in_a_graph)
{
    ilex_storage *s = field(10, 2, 1, 3);
    ilex_array *x = ilex_data(ctx, s);
    char text[40];
    ilex_array_domain(x, text, sizeof text);
    ck_assert_str_eq(text, "I:3:10");
    ilex_array *y = ilex_sum(ilex_shift(x, "I", -2), NULL, 0);
    ilex_program *p = ilex_compile(ctx, 1, &y, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *out = scalar();
    run_program(p, (ilex_binding[]){ILEX_BIND("_ilex_out0", out)}, 1);
    ck_assert_double_eq(value_of(out), 1 + 2 + 3 + 4 + 5 + 6 + 7);
    ilex_storage_release(out);
    ilex_storage_release(s);
    ilex_program_release(p);
}
END_TEST

/* Eager operators take elements by their place in memory: origins agree. */
START_TEST(eager)
{
    ilex_storage *a = field(6, 1, 1, 3), *b = field(6, 0, 1, 3);
    ilex_storage *c = field(6, 1, 1, 4), *one = field(1, 0, 0, 9);
    check_view(ilex_storage_add(ctx, a, b), 2, 3, 7, 8);
    check_view(ilex_storage_add(ctx, a, one), 2, 3, 7, 8);
    check_view(ilex_storage_add(ctx, one, a), 2, 3, 7, 8);
    check_view(ilex_storage_negative(ctx, a), 2, 3, 7, 8);
    ck_assert_ptr_null(ilex_storage_add(ctx, a, c));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx),
                                 "axis I begins at 3 in one storage and at 4"));
    ck_assert_int_eq(take_error(), ILEX_E_ORIGIN);
    ck_assert_ptr_null(ilex_eager(ctx, "negative", 1, &a, c));
    ck_assert_int_eq(take_error(), ILEX_E_ORIGIN);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_storage_release(c);
    ilex_storage_release(one);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("origin", views, several_axes, by_name,
                     restricted_and_back, sizes, symbolic_beginning,
                     many_origins, many_ways_to_sizes, wrapped_in_a_graph,
                     eager);
}
