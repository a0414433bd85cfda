/* SPDX-License-Identifier: MIT
 *
 * Reductions that need an element: an error over nothing, unless nothing
 * evaluates them.
 */
#include "tests/unit/graph_fixture.h"

#define HEAD "ilex 1\nprogram p\nsize n, m, k\nin x : f64[n, m, k]\n"
#define GUARDED(condition)                                                     \
    "ilex 1\nprogram p\nsize n, k\nin x : f64[n, 1, k]\n"                      \
    "map y[i:n] = where(" condition                                            \
    ", max[r:k](x[i, 0, r]), 7.0)\nout z = y\n"

static const struct {
    const char *text;
    int rank;
    int64_t n, m, k;
    bool fails;
} rows[] = {
    {HEAD "out y = max[0, 1, 2](x)\n", 0, 2, 3, 4, false},
    {HEAD "out y = max[0, 1, 2](x)\n", 0, 0, 3, 4, true},
    {HEAD "out y = max[0, 1, 2](x)\n", 0, 2, 3, 0, true},
    {HEAD "out y = max[2](x)\n", 2, 2, 3, 0, true},
    {HEAD "out y = max[2](x)\n", 2, 2, 0, 0, false},
    {HEAD "out y = argmin[2](x)\n", 2, 2, 3, 0, true},
    {HEAD "out y = sum[2](x)\n", 2, 2, 3, 0, false},
    {HEAD "map y[i:n] = sum[j:m](max[r:k](x[i, j, r]))\nout z = y\n", 1, 2, 3,
     0, true},
    {HEAD "map y[i:n] = sum[j:m](max[r:k](x[i, j, r]))\nout z = y\n", 1, 2, 0,
     0, false},
    {GUARDED("i < k"), 1, 2, 1, 0, false},
    {GUARDED("i < 1"), 1, 2, 1, 0, true},
    {GUARDED("i < 1"), 1, 0, 1, 0, false},
};

static void
check_row(size_t i, const char *jit)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_program *p = compile(rows[i].text);
    int64_t shape[] = {rows[i].n, rows[i].m, rows[i].k};
    bool whole = strstr(rows[i].text, "arg") != NULL;
    ilex_storage *x = ilex_storage_zeros(ctx, ILEX_F64, 3, shape);
    ilex_storage *y = ilex_storage_zeros(ctx, whole ? ILEX_I64 : ILEX_F64,
                                         rows[i].rank, shape);
    ilex_call call = {.size = sizeof call};
    const char *out = strstr(rows[i].text, "out z") ? "z" : "y";
    ilex_status rc = ilex_run(
        p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND(out, y)}, 2, &call);
    ck_assert_msg(rc == (rows[i].fails ? ILEX_E_EMPTY_REDUCTION : ILEX_OK),
                  "row %zu, %s: %s", i, jit, call.error);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}

START_TEST(by_reference)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_row(i, "reference");
}
END_TEST

START_TEST(by_tcc)
{
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_row(i, "tcc");
}
END_TEST

int
main(void)
{
    return RUN_TESTS("nonempty", by_reference, by_tcc);
}
