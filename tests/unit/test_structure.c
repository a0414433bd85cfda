/* SPDX-License-Identifier: MIT
 *
 * Functions of whole arrays: their values for sizes that are not known when
 * programs are compiled, also 0; the public functions; concat by the stages it
 * becomes, and many parts.
 */
#include "ilex/kinds.h"
#include "tests/unit/graph_fixture.h"

enum { MOST = 200 };

/* ---- values ---- */

/* Numbers of a text; how many. */
static int
read_numbers(const char *text, int64_t *number)
{
    int n = 0;
    char *end;
    for (;; n++) {
        ck_assert_int_lt(n, MOST);
        number[n] = strtoll(text, &end, 10);
        if (end == text)
            return n;
        text = end;
    }
}

/* The expression over x : i64[domain] = 0, 1, 2, ... and n, as "shape: values",
 * on one back end. */
static void
check_value(const char *jit, const char *domain, int64_t n, const char *expr,
            const char *want)
{
    char text[600];
    int64_t shape[MOST], value[MOST], of_x[MOST];
    const char *values = strchr(want, ':') + 1;
    int rank = read_numbers(want, shape), count = read_numbers(values, value);
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n\nassume n >= %d\nin x : i64[%s]\n"
             "out y = i64(%s)\n",
             n < 3 ? (int)n : 3, domain, expr);
    ilex_program *p = compile(text);
    int rank_x = 0;
    for (const char *d = domain; *d; d += strcspn(d, ","), d += *d == ',')
        of_x[rank_x++] = strchr("0123456789", *(d + strspn(d, " ")))
                             ? strtoll(d, NULL, 10)
                             : n;
    ilex_storage *x = counting(rank_x, of_x);
    ilex_storage *y = ilex_storage_full(ctx, ILEX_I64, rank, shape, -77);
    const ilex_size_binding sizes[] = {{"n", n}};
    ilex_call call = {.size = sizeof call, .sizes = sizes, .size_count = 1};
    ck_assert_msg(
        !ilex_run(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)}, 2,
                  &call),
        "%s: %s", expr, call.error);
    const int64_t *got = ilex_storage_data(y);
    ck_assert_msg(ilex_storage_count(y) == count, "%s: %d values for %s", expr,
                  count, want);
    for (int i = 0; i < count; i++)
        ck_assert_msg(got[i] == value[i],
                      "%s, n = %d, %s: value %d is %d, not "
                      "%d",
                      expr, (int)n, jit, i, (int)got[i], (int)value[i]);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}

static const struct {
    const char *domain;
    int64_t n;
    const char *expr, *want;
} rows[] = {
    {"n", 3, "concat(x, x + 10, x*0)", "9: 0 1 2 10 11 12 0 0 0"},
    {"n", 0, "concat(x, arange(2), x)", "2: 0 1"},
    {"n", 0, "concat(x, x)", "0:"},
    {"n, 2", 3, "concat(x, full(n, 1; value=9); axis=-1)",
     "3 3: 0 1 9 2 3 9 4 5 9"},
    {"n, 2", 0, "concat(x, x; axis=1)", "0 4:"},
    {"n, 2", 2, "concat(concat(x, x; axis=1), concat(x + 10, x + 20; axis=1))",
     "4 4: 0 1 0 1 2 3 2 3 10 11 20 21 12 13 22 23"},
    {"n, 2", 3,
     "slice(concat(sum[1](x), sum[1](x)); start=[0], stop=[1]) + "
     "slice(sum[1](x); start=[1], stop=[2])",
     "1: 6"},
    {"n", 3, "concat(x)", "3: 0 1 2"},
    {"n", 3, "stack(x, x + 5)", "2 3: 0 1 2 5 6 7"},
    {"n", 3, "stack(x, x + 5; axis=-1)", "3 2: 0 5 1 6 2 7"},
    {"n", 3, "stack(sum(x), 7, max(x))", "3: 3 7 2"},
    {"n", 3, "pad(x; low=1, high=2)", "6: 0 0 1 2 0 0"},
    {"n", 0, "pad(x; low=1, high=2, value=9)", "3: 9 9 9"},
    {"n", 4, "pad(x; low=n, value=sum(x))", "8: 6 6 6 6 0 1 2 3"},
    {"n", 4, "pad(x; low=2, high=3, wrap)", "9: 2 3 0 1 2 3 0 1 2"},
    {"n", 4, "pad(x; low=2, high=1, mode=edge)", "7: 0 0 0 1 2 3 3"},
    {"n", 4, "pad(x; low=2, high=2, reflect)", "8: 2 1 0 1 2 3 2 1"},
    {"n", 4, "pad(x; low=2, high=2, symmetric)", "8: 1 0 0 1 2 3 3 2"},
    {"2", 1, "pad(x; low=5, high=4, wrap)", "11: 1 0 1 0 1 0 1 0 1 0 1"},
    {"3", 1, "pad(x; low=5, reflect)", "8: 1 0 1 2 1 0 1 2"},
    {"2", 1, "pad(x; low=5, symmetric)", "7: 0 0 1 1 0 0 1"},
    {"1", 1, "pad(x; low=2, reflect)", "3: 0 0 0"},
    {"2, n", 3, "pad(x; low=[0, 1], high=[1, 0], edge)",
     "3 4: 0 0 1 2 3 3 4 5 3 3 4 5"},
    {"2, 1, 2", 1, "pad(x; low=1, wrap)",
     "3 2 3: 3 2 3 3 2 3 1 0 1 1 0 1 3 2 3 3 2 3"},
    {"n", 3, "tile(x; by=2)", "6: 0 1 2 0 1 2"},
    {"n", 3, "tile(x; by=0)", "0:"},
    {"3", 2, "tile(x; by=n)", "6: 0 1 2 0 1 2"},
    {"n", 2, "tile(x; by=[2, 2])", "2 4: 0 1 0 1 0 1 0 1"},
    {"n, 2", 2, "tile(x; by=2)", "2 4: 0 1 0 1 2 3 2 3"},
    {"n", 3, "repeat(x; by=2)", "6: 0 0 1 1 2 2"},
    {"2, n", 2, "repeat(x; by=2, axis=0)", "4 2: 0 1 0 1 2 3 2 3"},
    {"2, 2", 2, "repeat(x; by=2)", "8: 0 0 1 1 2 2 3 3"},
    {"1", 3, "repeat(x + 4; by=n)", "3: 4 4 4"},
    {"n, n", 3, "diagonal(x)", "3: 0 4 8"},
    {"n, n", 3, "diagonal(x; offset=-1)", "2: 3 7"},
    {"2, n, 2", 2, "diagonal(x; axis1=2, axis2=0)", "2 2: 0 5 2 7"},
    {"n, n", 3, "trace(x)", ": 12"},
    {"n, n", 0, "trace(x)", ": 0"},
    {"2, 3", 1, "trace(x; offset=5)", ": 0"},
    {"2, n", 3, "tril(x + 1)", "2 3: 1 0 0 4 5 0"},
    {"2, n", 3, "triu(x + 1; k=1)", "2 3: 0 2 3 0 0 6"},
    {"n", 2, "eye(n; dtype=i64)", "2 2: 1 0 0 1"},
    {"n", 2, "eye(n, n + 1; k=1)", "2 3: 0 1 0 0 0 1"},
    {"n", 0, "eye(n)", "0 0:"},
    {"n", 3, "arange(n)", "3: 0 1 2"},
    {"n", 3, "arange(-1, n)", "4: -1 0 1 2"},
    {"n", 3, "arange(n, -1, -1)", "4: 3 2 1 0"},
    {"n", 3, "arange(0, 2*n - 1, 2)", "3: 0 2 4"},
    {"n", 3, "arange(5, 2)", "0:"},
    {"n", 3, "4*linspace(n; start=0, stop=1)", "3: 0 2 4"},
    {"n", 1, "linspace(n; start=5, stop=1)", "1: 5"},
    {"n", 0, "linspace(n; start=5, stop=1)", "0:"},
    {"n", 4, "linspace(n; start=0, stop=8, endpoint=0)", "4: 0 2 4 6"},
    {"n", 2, "indices(n, 2)", "2 2 2: 0 0 1 1 0 1 0 1"},
    {"n", 2, "full(n, 2; value=7)", "2 2: 7 7 7 7"},
    {"n", 2, "zeros(n) + ones(n)", "2: 1 1"},
    {"n", 2, "full_like(x; value=7) + zeros_like(x) + ones_like(x)", "2: 8 8"},
    {"1, n, 1", 3, "squeeze(x)", "3: 0 1 2"},
    {"1, n, 1", 3, "squeeze(x; axes=-1)", "1 3: 0 1 2"},
    {"n", 3, "expand_dims(x; axes=[0, -1])", "1 3 1: 0 1 2"},
    {"n", 2, "broadcast_to(x; shape=[2, n])", "2 2: 0 1 0 1"},
    {"n, 1", 2, "broadcast_to(x; shape=[n, 2])", "2 2: 0 0 1 1"},
    {"2, n, 2", 1, "moveaxis(x; from=0, to=-1)", "1 2 2: 0 2 1 3"},
    {"2, n", 3, "transpose(x)", "3 2: 0 3 1 4 2 5"},
    {"2, n", 3, "transpose(x; axes=[1, 0])", "3 2: 0 3 1 4 2 5"},
    {"n, 2", 2, "flip(x)", "2 2: 3 2 1 0"},
    {"2, 3", 1, "reshape(x; shape=[-1, 2], order=F)", "3 2: 0 4 3 2 1 5"},
    {"n, 4", 2, "reshape(x; shape=[n, -1, 2])", "2 2 2: 0 1 2 3 4 5 6 7"},
    {"0, n", 3, "reshape(x; shape=[-1, 3])", "0 3:"},
    {"n, n", 2, "reshape(tile(x; by=[2, 2]); shape=[n, 2, n, 2])",
     "2 2 2 2: 0 1 0 1 2 3 2 3 0 1 0 1 2 3 2 3"},
};

START_TEST(values)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        for (int k = 0; k < 2; k++) {
            close_context(); /* assumptions of the row before */
            open_context();
            check_value(k ? "tcc" : "reference", rows[i].domain, rows[i].n,
                        rows[i].expr, rows[i].want);
        }
}
END_TEST

/* On named axes a pad keeps the indices. */
START_TEST(named_pad)
{
    assume("n >= 5");
    ilex_array *u = ilex_input(ctx, "u", ILEX_I64, "I:2:n, J:m halo(I:1:1)");
    ilex_array *y = ilex_pad(u, (const char *[]){"1", NULL},
                             (const char *[]){"2", "m"}, NULL, NULL);
    char text[80];
    ilex_array_domain(y, text, sizeof text);
    check_fine();
    ck_assert_str_eq(text, "I:1:n+2, J:2*m");
    /* the halo is not a part of what is padded, even by nothing */
    for (int mode = 0; mode < 2; mode++) {
        y = ilex_pad(u, NULL, NULL, NULL, mode ? "wrap" : NULL);
        ck_assert_ptr_eq(y->interior, u->interior);
        ck_assert_ptr_eq(y->valid, u->interior);
    }
}
END_TEST

/* ---- the public functions ---- */

/* Is "y" what the text says of x : f64[n, 4]? Equal nodes are one. */
static void
same(ilex_array *x, ilex_array *y, const char *text)
{
    ilex_array *want = ilex_expr(ctx, text, "x", x, NULL);
    check_fine();
    ck_assert_msg(y == want, "%s", text);
}

START_TEST(public_functions)
{
    assume("n >= 4");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n, 4");
    ilex_array *two[] = {x, x};
    ilex_array *one = ilex_lit_int(ctx, 1);
    same(x, ilex_concat(ctx, 2, two, "-1"), "concat(x, x; axis=1)");
    same(x, ilex_concat(ctx, 2, two, NULL), "concat(x, x)");
    same(x, ilex_stack(ctx, 2, two, -1), "stack(x, x; axis=2)");
    same(x,
         ilex_pad(x, (const char *[]){"1", "2"}, (const char *[]){"0", "2"},
                  NULL, "wrap"),
         "pad(x; low=[1, 2], high=[0, 2], wrap)");
    same(x, ilex_pad(x, NULL, (const char *[]){"1", "1"}, one, NULL),
         "pad(x; high=1, value=1)");
    same(x, ilex_tile(x, "2, 3"), "tile(x; by=[2, 3])");
    same(x, ilex_repeat(x, "2", "1"), "repeat(x; by=2, axis=1)");
    same(x, ilex_diagonal(x, 1, NULL, NULL), "diagonal(x; offset=1)");
    same(x, ilex_trace(x, 0, "1", "0"), "trace(x; axis1=1, axis2=0)");
    same(x, ilex_tril(x, -1), "tril(x; k=-1)");
    same(x, ilex_triu(x, 1), "triu(x; k=1)");
    same(x, ilex_eye(ctx, "n", 1, ILEX_F32), "eye(n; k=1, dtype=f32)");
    same(x, ilex_range(ctx, "1, n", ILEX_I64), "arange(1, n)");
    same(x, ilex_linspace(ctx, "n", one, ilex_lit(ctx, 2.0), 1),
         "linspace(n; start=1, stop=2.0)");
    same(x, ilex_indices(ctx, "n, 2", ILEX_I64), "indices(n, 2)");
    same(x, ilex_filled(ctx, "n, 2", one, ILEX_U8),
         "full(n, 2; value=1, dtype=u8)");
    same(x, ilex_zeros(ctx, "n", ILEX_F64), "zeros(n)");
    same(x, ilex_ones(ctx, "n", ILEX_F64), "ones(n)");
    same(x, ilex_full_like(x, one, ILEX_I8), "full_like(x; value=1, dtype=i8)");
    same(x, ilex_zeros_like(x, ILEX_F64), "zeros_like(x)");
    same(x, ilex_ones_like(x, ILEX_F64), "ones_like(x)");
    same(x, ilex_squeeze(ilex_expand_dims(x, "0"), NULL),
         "squeeze(expand_dims(x; axes=0))");
    same(x, ilex_broadcast_to(x, "3, n, 4"),
         "broadcast_to(x; shape=[3, n, 4])");
    same(x, ilex_moveaxis(x, "0", "-1"), "moveaxis(x; from=0, to=1)");
    same(x, ilex_transpose(x, NULL), "transpose(x)");
    same(x, ilex_transpose(x, (int[]){1, 0}), "transpose(x)");
    same(x, ilex_reshape_to(x, "-1", "C"), "reshape(x; shape=[-1], order=C)");
    ilex_array *y = ilex_transpose(x, NULL);
    same(x, ilex_matmul(x, y, 0), "matmul(x, transpose(x))");
    same(x, ilex_dot(y, x, 0), "dot(transpose(x), x)");
    same(x, ilex_vdot(x, x, 0), "vdot(x, x)");
    same(x, ilex_inner(x, x, 0), "inner(x, x)");
    same(x, ilex_outer(ilex_sum(x, "0", 0), one), "outer(sum[0](x), 1)");
    same(x, ilex_tensordot(x, x, "0, 0", 0), "tensordot(x, x; axes=[0, -2])");
    same(x, ilex_tensordot(x, y, "[0, 1], [1, 0]", 0),
         "tensordot(x, transpose(x); axes=[[0, 1], [1, 0]])");
    same(x, ilex_tensordot(x, y, "1", 0), "tensordot(x, transpose(x); axes=1)");
    same(x, ilex_tensordot(x, x, NULL, 0), "tensordot(x, x)");
    same(x, ilex_vecdot(x, x, "0", 0), "vecdot(x, x; axis=-2)");
    same(x, ilex_vecdot(x, ilex_sum(x, "0", 0), "-1", 0),
         "vecdot(x, sum[0](x))");
    same(x, ilex_matmul(x, y, 1), "matmul(x, transpose(x); rounded=1)");
    same(x, ilex_dot(y, x, 1), "dot(transpose(x), x; rounded=1)");
    same(x, ilex_vdot(x, x, 1), "vdot(x, x; rounded=1)");
    same(x, ilex_inner(x, x, 1), "inner(x, x; rounded=1)");
    same(x, ilex_tensordot(x, y, "1", 1),
         "tensordot(x, transpose(x); axes=1, rounded=1)");
    same(x, ilex_vecdot(x, x, "0", 1), "vecdot(x, x; axis=0, rounded=1)");
    ck_assert_ptr_ne(ilex_vdot(x, x, 1), ilex_vdot(x, x, 0));
    ilex_array *m = ilex_greater(x, ilex_lit_int(ctx, 2));
    same(x, ilex_var(x, NULL, 0, 0), "var(x)");
    same(x, ilex_std(x, "-1", 1, 1), "std[1](x; keep=1, ddof=1)");
    same(x, ilex_reduce(x, "var", "0", 0, m, NULL), "var[0](x; where=x > 2)");
    same(x, ilex_reduce(x, "max", "0", 1, m, one),
         "max[0](x; where=x > 2, initial=1, keep=1)");
    same(x, ilex_reduce(x, "sum", NULL, 0, NULL, NULL), "sum(x)");
    ck_assert(ilex_is_poison(ilex_reduce(x, "total", NULL, 0, NULL, NULL)));
    ck_assert_int_eq(take_error(), ILEX_E_UNKNOWN);
    ck_assert(ilex_is_poison(ilex_reduce(x, "std", NULL, 0, NULL, one)));
    ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
    same(x, ilex_reshape(x, "-1", "C"), "reshape(x; shape=[-1], order=C)");
}
END_TEST

/* ---- concat ---- */

/* The stages of a program of x : f64[n], y : f64[m], and its temporaries. */
static void
check_stages(const char *statements, size_t stages, size_t temporaries)
{
    char text[500];
    ix_unit u;
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n, m\nassume n >= 2\nin x : f64[n]\n"
             "in y : f64[m]\nin z : f64[n, m]\n%s\n",
             statements);
    run_passes(&u, parse(text), "partition");
    size_t count = 0;
    for (size_t i = 0; i < u.nbuffers; i++)
        count += u.buffer[i].role == IX_ROLE_TEMP;
    ck_assert_msg(u.nstages == stages && count == temporaries,
                  "%s: %zu stages, %zu temporaries", statements, u.nstages,
                  count);
    free_unit(&u);
}

START_TEST(stages)
{
    /* parts are computed where they are stored, reductions too */
    check_stages("out a = concat(x + 1, 2*y, x)", 3, 0);
    check_stages("out a = concat(sum[1](z), x)", 2, 0);
    /* a tree of concats is flat, along other axes too */
    check_stages("out a = concat(concat(x, y), concat(y, concat(x, x + 1)))", 5,
                 0);
    check_stages("let r = concat(z, z; axis=1)\nout a = concat(r, r*2)", 4, 1);
    check_stages("out a = concat(concat(z, z; axis=1), concat(z, 2*z; axis=1))",
                 4, 0);
    /* a concat with other readers is stored once */
    check_stages("let c = concat(x, y)\nout a = concat(c, x)\nout b = c", 4, 0);
    check_stages("let c = concat(x, y)\nout b = slice(c; start=[1], stop=[n])",
                 3, 1);
    /* a part that others read, and costs something, is stored */
    check_stages("let e = exp(exp(exp(x)))\nlet f = exp(exp(exp(e)))\n"
                 "out a = concat(f, f)",
                 3, 1);
}
END_TEST

/* Sum of the elements of an i64 storage. */
static int64_t
total(ilex_storage *s)
{
    const int64_t *data = ilex_storage_data(s);
    int64_t sum = 0;
    for (int64_t i = 0; i < ilex_storage_count(s); i++)
        sum += data[i] * (i + 1);
    return sum;
}

/* y = 0 ... parts-1, made of "parts" parts: at once, or one after another. */
static void
check_many(int parts, bool at_once)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_I64, "k");
    const char *name = "y";
    const ilex_compile_spec spec = {.size = sizeof spec, .names = &name};
    ilex_array **part = calloc((size_t)parts, sizeof *part), *y = x;
    for (int i = 0; i < parts; i++) {
        part[i] = ilex_add(x, ilex_lit_int(ctx, i));
        if (!at_once && i)
            y = ilex_concat(ctx, 2, (ilex_array *[]){y, part[i]}, "0");
    }
    if (at_once)
        y = ilex_concat(ctx, parts, part, "0");
    free(part);
    check_fine();

    ilex_program *p = ilex_compile(ctx, 1, &y, &spec);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    int64_t n = parts, want = 0;
    ilex_storage *zero = ilex_storage_zeros(ctx, ILEX_I64, 1, SHAPE(1));
    ilex_storage *all = ilex_storage_full(ctx, ILEX_I64, 1, &n, -1);
    run_program(p, (ilex_binding[]){ILEX_BIND("x", zero), ILEX_BIND("y", all)},
                2);
    for (int64_t i = 0; i < n; i++)
        want += i * (i + 1);
    ck_assert_int_eq(total(all), want);
    ilex_storage_release(zero);
    ilex_storage_release(all);
    ilex_program_release(p);
}

START_TEST(many)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "tcc"), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "verify", "0"), ILEX_OK);
    check_many(4097, true); /* the last node of a tree has one part */
    check_many(5000, true);
    check_many(5000, false);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("structure", values, named_pad, public_functions, stages,
                     many);
}
