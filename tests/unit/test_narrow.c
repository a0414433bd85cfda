/* SPDX-License-Identifier: MIT
 *
 * Kernels of a device for indices of 32 bits: which runs are theirs, and that
 * the others get their results right, too. Memory that is far apart is asked
 * for without pages.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* ---- how far elements are apart ---- */

static const struct apart {
    ilex_dtype dtype;
    int64_t stride; /* of x[3], in elements */
    bool narrow;
} aparts[] = {
    {ILEX_U8, 1, true},
    {ILEX_U8, INT32_MAX / 3, true},
    {ILEX_U8, INT32_MAX / 3 + 1, false},
    {ILEX_U8, (int64_t)1 << 30, false}, /* element 2 is 2^31 away */
    {ILEX_U8, -((int64_t)1 << 30), false},
    {ILEX_U8, -(INT32_MAX / 3), true},
    {ILEX_C64, INT32_MAX / 6, true}, /* in parts */
    {ILEX_C64, INT32_MAX / 6 + 1, false},
};

/* Each element of x is its own. */
START_TEST(elements_far_apart)
{
    const struct apart *r = &aparts[_i];
    int64_t each = (int64_t)ilex_dtype_bytes(r->dtype);
    int64_t far = r->stride < 0 ? -r->stride : r->stride;
    size_t bytes = (size_t)(2 * far * each + each);
    char text[200];
    snprintf(text, sizeof text,
             "ilex 1\nprogram apart\nin x : %s[3]\nmap y[i:3] = x[i]\n"
             "out z = y\n",
             ilex_dtype_name(r->dtype));
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return; /* addresses are scarce */
    unsigned char *first = memory + (r->stride < 0 ? 2 * far * each : 0);
    for (int i = 0; i < 3; i++)
        first[i * r->stride * each] = (unsigned char)(i + 1);
    ilex_module *m = parse(text);
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *x = ilex_storage_wrap(ctx, r->dtype, 1, (const int64_t[]){3},
                                        &r->stride, first, NULL, NULL);
    ilex_storage *z =
        ilex_storage_zeros(ctx, r->dtype, 1, (const int64_t[]){3});
    run_program(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("z", z)}, 2);
    ck_assert_int_eq(cuda_shim_grid_asked()->narrow, r->narrow);
    const unsigned char *v = ilex_storage_const_data(z);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(v[i * each], i + 1);
    ilex_storage_release(x);
    ilex_storage_release(z);
    ilex_program_release(p);
    ilex_module_free(m);
    munmap(memory, bytes);
}
END_TEST

/* ---- sizes, and what is computed with them ---- */

/* Threads of a grid go on behind the end of a loop; its range is as large as a
 * size. */
#define MOST ((int64_t)INT32_MAX - (1 << 24))

static const struct sized {
    const char *value; /* of y[i:4] */
    int64_t n;
    bool narrow;
    int64_t first, second; /* y[0], y[1] */
} sizes[] = {
    {"n + i", MOST / 2, true, MOST / 2, MOST / 2 + 1},
    {"n + i", MOST / 2 + 1, false, MOST / 2 + 1, MOST / 2 + 2},
    {"n + i", 3000000000, false, 3000000000, 3000000001},
    {"3*n + i", MOST / 4, true, MOST / 4 * 3, MOST / 4 * 3 + 1},
    {"3*n + i", MOST / 4 + 1, false, MOST / 4 * 3 + 3, MOST / 4 * 3 + 4},
    {"n//2 + n//2 + i", MOST / 2 - 1, true, MOST / 2 - 1, MOST / 2},
    {"n//2 + n//2 + i", MOST / 2 + 1, false, MOST / 2 + 1, MOST / 2 + 2},
    {"n%1000 + i", 700000007, true, 7, 8},
    {"max(n - 5, 7*i)", 3, true, 0, 7},
    {"min(n - 5, 7*i)", 3, true, -2, -2},
    {"n//1099511627776 + i", 1000000, true, 0, 1}, /* a shift by 40 */
    /* such a value has 64 bits in either kernel */
    {"1000*n + i", 2000000000, true, 2000000000000, 2000000000001},
    {"n*n + i", 2000000000, false, 4000000000000000000, 4000000000000000001},
    {"(n + i)*(n + i)", 1000000000, true, 1000000000000000000,
     1000000002000000001},
    {"max(-i, n - 1)", 0, true, 0, -1},
    {"1000000*i*i + n", 1, true, 1, 1000001},
};

START_TEST(large_sizes)
{
    const struct sized *r = &sizes[_i];
    char text[200];
    snprintf(text, sizeof text,
             "ilex 1\nprogram sized\nsize n\nmap y[i:4] = %s\nout z = y\n",
             r->value);
    ilex_module *m = parse(text);
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *z =
        ilex_storage_zeros(ctx, ILEX_I64, 1, (const int64_t[]){4});
    ilex_size_binding n = {"n", r->n};
    ilex_call call = {.size = sizeof call, .sizes = &n, .size_count = 1};
    ck_assert_msg(ilex_run(p, &(ilex_binding)ILEX_BIND("z", z), 1, &call) ==
                      ILEX_OK,
                  "%s", call.error);
    const int64_t *v = ilex_storage_const_data(z);
    ck_assert_int_eq(cuda_shim_grid_asked()->narrow, r->narrow);
    ck_assert_int_eq(v[0], r->first);
    ck_assert_int_eq(v[1], r->second);
    ilex_storage_release(z);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* An index that is data is checked before it has 32 bits: 2^32 is no 0. */
START_TEST(index_of_64_bits)
{
    const int64_t index[] = {1, (int64_t)1 << 32}, length = 2;
    ilex_module *m = parse("ilex 1\nprogram index\nin x : f64[5]\n"
                           "in o : i64[2]\nmap y[i:2] = x[o[i]]\nout z = y\n");
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *x =
        ilex_storage_zeros(ctx, ILEX_F64, 1, (const int64_t[]){5});
    ilex_storage *z = ilex_storage_zeros(ctx, ILEX_F64, 1, &length);
    ilex_storage *o = ilex_storage_from(ctx, ILEX_I64, 1, &length, index);
    ilex_call call = {.size = sizeof call};
    const ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("z", z),
                              ILEX_BIND("o", o)};
    ck_assert_int_eq(ilex_run(p, b, 3, &call), ILEX_E_BOUNDS);
    ck_assert(cuda_shim_grid_asked()->narrow);
    ck_assert_msg(strstr(call.error, "4294967296") != NULL, "%s", call.error);
    ilex_storage_release(x);
    ilex_storage_release(z);
    ilex_storage_release(o);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* Kernels of one function: the number of the second is an index as well. */
START_TEST(number_of_a_shared_function)
{
    ilex_program *p;
    ilex_module *m = parse("ilex 1\nprogram numbers\nsize n, m\n"
                           "in x : i64[n]\nin y : i64[m]\n"
                           "map s[i:n] = x[i] + (i + 3)\n"
                           "map t[i:m] = y[i] + (i + 2147483647)\n"
                           "out a = s\nout b = t\n");
    p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert(strstr(cuda_shim_source(p), "k1_body") == NULL);
    ilex_storage *x = counting(1, SHAPE(3)), *y = counting(1, SHAPE(2));
    ilex_storage *a = counting(1, SHAPE(3)), *b = counting(1, SHAPE(2));
    run_program(p,
                (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y),
                                 ILEX_BIND("a", a), ILEX_BIND("b", b)},
                4);
    const int64_t *v = ilex_storage_const_data(a);
    const int64_t *w = ilex_storage_const_data(b);
    ck_assert(cuda_shim_grid_asked()->narrow);
    ck_assert(v[0] == 3 && v[1] == 5 && v[2] == 7);
    ck_assert(w[0] == 2147483647 && w[1] == 2147483649);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("narrow");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, elements_far_apart, 0, (int)IX_COUNT(aparts));
    tcase_add_loop_test(tests, large_sizes, 0, (int)IX_COUNT(sizes));
    tcase_add_test(tests, index_of_64_bits);
    tcase_add_test(tests, number_of_a_shared_function);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
