/* SPDX-License-Identifier: MIT
 *
 * Kernels of programs of jit=nvrtc: how arguments reach them, and which code
 * runs.
 */
#include "tests/cuda/cuda_test.h"

#include "runtime/program/program.h"

enum { N = 1000 };

/* More arguments than go by value. */
START_TEST(many_arguments)
{
    enum { MANY = 150 };
    static char program[MANY * 64 + 200];
    static ilex_binding bound[MANY + 1];
    static char names[MANY][8];
    size_t at =
        (size_t)sprintf(program, "ilex 1\nprogram many\nsize n, m, k\n");
    for (int i = 0; i < MANY; i++)
        at += (size_t)sprintf(program + at, "in x%d : f64[n, m, k]\n", i);
    at += (size_t)sprintf(program + at, "out y : f64[n, m, k] = x0");
    for (int i = 1; i < MANY; i++)
        at += (size_t)sprintf(program + at, " + x%d", i);
    sprintf(program + at, "\n");
    ilex_program *p = compile(program);
    ck_assert(p->c->source[IX_DIALECT_cuda].layout[0].indirect);
    double one = 1;
    ilex_storage_spec spec = SPEC(.rank = 3, .shape = SHAPE(N, 1, 2),
                                  .space = "device", .fill = &one);
    ilex_storage *all = ilex_storage_new(ctx, &spec);
    ilex_storage *y = ilex_storage_new(ctx, &spec);
    for (int i = 0; i < MANY; i++) {
        sprintf(names[i], "x%d", i);
        bound[i] = (ilex_binding)ILEX_BIND(names[i], all);
    }
    bound[MANY] = (ilex_binding)ILEX_BIND("y", y);
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, bound, MANY + 1, &call), "%s", call.error);
    ilex_storage *h = ilex_storage_to(ctx, y, "cpu");
    double v = 0;
    ck_assert_int_eq(ilex_storage_get_f64(h, SHAPE(N - 1, 0, 1), &v), ILEX_OK);
    ck_assert(v == MANY);
    ilex_storage_release(h);
    ilex_storage_release(all);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

/* Two kernels that are one function, with a scalar by value. */
START_TEST(shared_function)
{
    ilex_program *p = compile("ilex 1\nprogram shared\nsize n\n"
                              "assume n >= 9\nin a : f64\nin x : f64[n]\n"
                              "map s[n - 1] = a*x[_0 + 1] + f64(_0)\n"
                              "map t[n - 4] = a*x[_0 + 3] + f64(_0)\n"
                              "out y : f64[n - 1] = s\n"
                              "out z : f64[n - 4] = t\n");
    ck_assert_int_eq(p->c->source[IX_DIALECT_cuda].layout[1].function, 0);
    ilex_storage *a = make(HOST, 0, N, 3), *x = make(PAIR, 1, N, 0), *y, *z;
    double *v = ilex_storage_data(x);
    for (int i = 0; i < N; i++)
        v[i] = i * i;
    ilex_storage_spec spec = SPEC(.rank = 1, .shape = SHAPE(N - 1));
    spec.device = "gpu";
    y = ilex_storage_new(ctx, &spec);
    spec.shape = SHAPE(N - 4);
    z = ilex_storage_new(ctx, &spec);
    ilex_binding bound[] = {ILEX_BIND("a", a), ILEX_BIND("x", x),
                            ILEX_BIND("y", y), ILEX_BIND("z", z)};
    ilex_call call = {.size = sizeof call};
    ck_assert_msg(!ilex_run(p, bound, 4, &call), "%s", call.error);
    const double *have = ilex_storage_const_data(y),
                 *moved = ilex_storage_const_data(z);
    for (int i = 0; i < N - 1; i++)
        ck_assert(have[i] == 3.0 * (i + 1) * (i + 1) + i);
    for (int i = 0; i < N - 4; i++)
        ck_assert(moved[i] == 3.0 * (i + 3) * (i + 3) + i);
    ilex_storage_release(a);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_storage_release(z);
    ilex_program_release(p);
}
END_TEST

/* A size that 32 bits hold, and one that they do not: the code for either is
 * there once a run wants it. */
START_TEST(sizes_of_both_kinds)
{
    static const int64_t sizes[] = {5, 3000000000, 6, 4000000000};
    ilex_program *p = compile("ilex 1\nprogram sized\nsize n\n"
                              "map y[i:4] = f64(n + i)\nout z = y\n");
    ilex_storage *z = make(PAIR, 1, 4, 0);
    ilex_binding bound[] = {ILEX_BIND("z", z)};
    for (size_t k = 0; k < IX_COUNT(sizes); k++) {
        ilex_size_binding n = {"n", sizes[k]};
        ilex_call call = {.size = sizeof call, .sizes = &n, .size_count = 1};
        ck_assert_msg(!ilex_run(p, bound, 1, &call), "%s", call.error);
        const double *v = ilex_storage_const_data(z);
        for (int i = 0; i < 4; i++)
            ck_assert_double_eq(v[i], (double)(sizes[k] + i));
    }
    ilex_storage_release(z);
    ilex_program_release(p);
}
END_TEST

TCase *
cuda_kernels_cases(void)
{
    TCase *cases = tcase_create("kernels");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, many_arguments);
    tcase_add_test(cases, shared_function);
    tcase_add_test(cases, sizes_of_both_kinds);
    return cases;
}
