/* SPDX-License-Identifier: MIT
 *
 * Sizes from shapes: systems of equations, halos, bounds that do not start at
 * 0, and sizes that the caller gives.
 */
#include "lib/graph/context.h"
#include "tests/unit/graph_fixture.h"

enum { SIZES = 3, INPUTS = 3 };

/* Lengths of unnamed inputs of rank 1 as forms, lengths bound, n m k. */
static const struct {
    const char *form[INPUTS];
    int64_t length[INPUTS], size[SIZES];
} rows[] = {
    {{"n"}, {7}, {7, -1, -1}},
    {{"n"}, {0}, {0, -1, -1}},
    {{"2*n"}, {8}, {4, -1, -1}},
    {{"n+3"}, {8}, {5, -1, -1}},
    {{"5-n"}, {2}, {3, -1, -1}},
    {{"n", "m"}, {3, 4}, {3, 4, -1}},
    {{"n+m", "n"}, {9, 2}, {2, 7, -1}},
    {{"n+m", "2*n+m"}, {9, 11}, {2, 7, -1}},
    {{"2*n+3*m", "3*n+2*m"}, {23, 22}, {4, 5, -1}},
    {{"n+m", "m+k", "n+k"}, {5, 7, 6}, {2, 3, 4}},
    {{"n+m+k", "n+2*m+4*k", "n+3*m+9*k"}, {9, 22, 41}, {2, 4, 3}},
    {{"n", "n", "2*n"}, {5, 5, 10}, {5, -1, -1}},
    {{"3*n-2*m", "5*m-7*n+40"}, {1, 39}, {3, 4, -1}},
};

/* A program whose outputs are the sizes that it uses. */
static ilex_program *
program_of(size_t row)
{
    static const char *const names[SIZES] = {"n", "m", "k"};
    char text[600] = "ilex 1\nprogram p\nsize n, m, k\n";
    for (int i = 0; i < INPUTS; i++)
        if (rows[row].form[i] && strstr(rows[row].form[i], "-"))
            sprintf(text + strlen(text), "assume %s >= 0\n", rows[row].form[i]);
    for (int i = 0; i < INPUTS; i++)
        if (rows[row].form[i])
            sprintf(text + strlen(text), "in x%d : i64[%s]\n", i,
                    rows[row].form[i]);
    for (int s = 0; s < SIZES; s++)
        if (rows[row].size[s] >= 0)
            sprintf(text + strlen(text), "out y%d : i64 = size(%s)\n", s,
                    names[s]);
    return compile(text);
}

START_TEST(systems)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_program *p = program_of(i);
        ilex_storage *s[INPUTS + SIZES];
        char name[INPUTS + SIZES][4];
        ilex_binding bound[INPUTS + SIZES];
        size_t n = 0, inputs;
        for (int k = 0; k < INPUTS; k++)
            if (rows[i].form[k]) {
                sprintf(name[n], "x%d", k);
                s[n++] = counting(1, &rows[i].length[k]);
            }
        inputs = n;
        for (int k = 0; k < SIZES; k++)
            if (rows[i].size[k] >= 0) {
                sprintf(name[n], "y%d", k);
                s[n++] = counting(0, SHAPE(0));
            }
        for (size_t k = 0; k < n; k++)
            bound[k] = (ilex_binding)ILEX_BIND(name[k], s[k]);
        run_program(p, bound, n);
        for (size_t k = inputs; k < n; k++)
            ck_assert_msg(*(const int64_t *)ilex_storage_const_data(s[k]) ==
                              rows[i].size[name[k][1] - '0'],
                          "row %zu, size %c", i, name[k][1]);
        for (size_t k = 0; k < n; k++)
            ilex_storage_release(s[k]);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- fields ---- */

static ilex_storage *
field(int64_t length, int64_t low, int64_t high)
{
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "i64",
                              .rank = 1,
                              .shape = &length,
                              .axes = "I",
                              .halo = SHAPE(low, high),
                              .fill = &(double){0.0}};
    ilex_storage *s = ilex_storage_new(ctx, &spec);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* n of a program over in x : i64[I:<dom>]; negative: the code of an error. */
static int64_t
size_of(const char *dom, const char *halo, ilex_storage *x, int64_t given)
{
    char text[300];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p\nsize n\nin x : i64[I:%s]%s\n"
             "out y : i64 = size(n) + sum[I](x)\n",
             dom, halo);
    ilex_program *p = compile(text);
    ilex_storage *y = counting(0, SHAPE(0));
    ilex_call call = {.size = sizeof call};
    ilex_size_binding size = {"n", given};
    if (given >= 0) {
        call.sizes = &size;
        call.size_count = 1;
    }
    ilex_status rc = ilex_run(
        p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y)}, 2, &call);
    int64_t v =
        rc ? -(int64_t)rc : *(const int64_t *)ilex_storage_const_data(y);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
    return v;
}

START_TEST(halos)
{
    ck_assert_int_eq(size_of("n", "", field(10, 0, 0), -1), 10);
    ck_assert_int_eq(size_of("n", "", field(10, 2, 3), -1), 5);
    ck_assert_int_eq(size_of("n", " halo(I:1:1)", field(10, 1, 1), -1), 8);
    ck_assert_int_eq(size_of("n+1", "", field(10, 1, 1), -1), 7);
    ck_assert_int_eq(size_of("n", "", field(10, 1, 1), 8), 8);
    ck_assert_int_eq(size_of("n", "", field(10, 1, 1), 7), -ILEX_E_SIZE);
    ck_assert_int_eq(size_of("n", "", field(10, 1, 1), 9), -ILEX_E_SIZE);
}
END_TEST

/* A domain from -2 to n+2 is covered by a storage with a halo of 2: index 0 is
 * the first point inside; what reaches further is not the size's business. */
START_TEST(not_from_zero)
{
    ck_assert_int_eq(size_of("-2:n+2", "", field(14, 2, 2), -1), 10);
    ck_assert_int_eq(size_of("-2:n+2", "", field(14, 2, 2), 9), 9);
    ck_assert_int_eq(size_of("-2:n+2", "", field(14, 2, 2), 11), -ILEX_E_HALO);
    ck_assert_int_eq(size_of("-2:n+2", "", field(14, 1, 1), 9), -ILEX_E_HALO);
}
END_TEST

START_TEST(queries)
{
    ilex_program *p = compile("ilex 1\nprogram p\nsize n, unused, m\n"
                              "in x : f64[I:n, J:2*m] halo(I:1:2)\n"
                              "out y : f64[I:n, J:m] = x[I+2] + x[I-1]\n");
    const ilex_size_binding sizes[] = {{"m", 4}, {"n", 3}};
    int64_t lo[2], hi[2], halo[4];
    ck_assert_uint_eq(ilex_program_size_count(p), 2);
    ck_assert_str_eq(ilex_program_size_name(p, 0), "n");
    ck_assert_str_eq(ilex_program_size_name(p, 1), "m");
    ck_assert_int_eq(ilex_program_extents(p, 0, sizes, 2, lo, hi, halo),
                     ILEX_OK);
    ck_assert(lo[0] == 0 && hi[0] == 3 && lo[1] == 0 && hi[1] == 8);
    ck_assert(halo[0] == 1 && halo[1] == 2 && halo[2] == 0 && halo[3] == -4);
    ck_assert_int_eq(ilex_program_extents(p, 1, sizes, 2, NULL, NULL, NULL),
                     ILEX_OK);
    ilex_program_release(p);
}
END_TEST

/* Nothing is declared: the program says what it reads. */
START_TEST(as_wide_as_read)
{
    ilex_program *p =
        compile("ilex 1\nprogram p\nsize n\nassume n >= 1\n"
                "in x : f64[I:n, J:n] halo(auto)\nlet d = x[I+2] - x[I-1]\n"
                "out y : f64[I:1:n+1, J:n] = d[J-3]\nout z = sum[I](d)\n");
    int64_t lo[2], hi[2], halo[4];
    ck_assert_str_eq(ilex_program_argument(p, 0).reads, "I:-1:n+3, J:-3:n");
    ck_assert_int_eq(ilex_program_extents(p, 0, &(ilex_size_binding){"n", 5}, 1,
                                          lo, hi, halo),
                     ILEX_OK);
    ck_assert(lo[0] == 0 && hi[0] == 5 && lo[1] == 0 && hi[1] == 5);
    ck_assert(halo[0] == 1 && halo[1] == 3 && halo[2] == 3 && halo[3] == 0);
    ilex_program_release(p);
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n halo(auto)");
    char text[60];
    ilex_array_domain(ilex_shift(x, "I", 1000), text, sizeof text);
    ck_assert_str_eq(text, "I:n");
    static const char *const data[] = {
        "in j : i32[I:n]\nmap y[I:n] = x[j[I]]\nout o = y\n",
        "in s : i32\nout o = x[I+s]\n",
        "in s : i32\nlet y = x[I+1] + 1\nout o = y[I+s; wrap]\n",
        "in j : i32[I:n]\nmap y[I:n] = sum[k:j[I]](x[k])\nout o = y\n"};
    for (size_t i = 0; i < IX_COUNT(data); i++) {
        char program[300];
        sprintf(program,
                "ilex 1\nprogram p\nsize n\nassume n >= 1\nin x : "
                "f64[I:n] halo(auto)\n%s",
                data[i]);
        ilex_module *m = parse(program);
        ck_assert_ptr_null(ilex_compile_module(m));
        ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "halo(auto)"));
        ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
        ilex_module_free(m);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("solve", systems, halos, not_from_zero, queries,
                     as_wide_as_read);
}
