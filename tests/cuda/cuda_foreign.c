/* SPDX-License-Identifier: MIT
 *
 * Programs on a device that call functions of the host with its memory.
 */
#include "tests/cuda/cuda_test.h"

#include <dlfcn.h>

#include "tests/cuda/fake.h"

enum { N = 1000 };

/* Launches that are not done, as far as the fake driver knows; 0 with a real
 * one. */
static int
count_pending(void)
{
    void (*control)(const char *, int, int, fake_state *);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *p = library ? dlsym(library, "fake_cuda_control") : NULL;
    fake_state s = {.pending = 0};
    memcpy(&control, &p, sizeof control);
    if (p)
        control(NULL, 0, 0, &s);
    return s.pending;
}

/* r[i] = x[n - 1 - i], by copies, where everything before is done. */
static int
reverse(const ilex_function_call *call)
{
    const ilex_function_array *x = &call->argument[0], *r = &call->result[0];
    int64_t n = x->shape[0];
    double *copy = call->device == 0 ? malloc((size_t)n * sizeof *copy) : NULL;
    if (!copy || x->stride[0] != 1 || r->stride[0] != 1 || count_pending())
        return snprintf(call->error, call->error_bytes, "not ready");
    move(IX_DEVICE_TO_HOST, 0, copy, x->data, (size_t)n * sizeof *copy);
    for (int64_t i = 0; i < n / 2; i++) {
        double other = copy[i];
        copy[i] = copy[n - 1 - i];
        copy[n - 1 - i] = other;
    }
    move(IX_HOST_TO_DEVICE, 0, r->data, copy, (size_t)n * sizeof *copy);
    free(copy);
    return *(const int *)call->user;
}

static ilex_storage *
both_sides(double value)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(N),
                                    .device = "gpu", .fill = &value));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* Between kernels: what it is given is stored, what it gives is read. */
START_TEST(between_kernels)
{
    int status = 0;
    ilex_function_spec spec = {
        .size = sizeof spec, .device = reverse, .user = &status};
    ilex_storage *x = both_sides(0.5), *y = both_sides(-1);
    ilex_call call = {.size = sizeof call};
    const ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("y", y),
                              ILEX_BIND_F64("a", 2)};
    ck_assert_int_eq(ilex_function_register(ctx, "reverse", &spec), ILEX_OK);
    ilex_program *p = compile("ilex 1\nprogram back\nsize n\n"
                              "extern reverse(x : f64[m]) -> f64[m] pure\n"
                              "in a : f64\nin x : f64[n]\n"
                              "let r = reverse(x*arange(n))\n"
                              "out y : f64[n] = a*r + 1\n");
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(!ilex_run(p, b, 3, &call), "%s", call.error);
        ck_assert(get(y, 0) == N && get(y, N - 1) == 1);
        ck_assert(get(y, 10) == N - 10);
    }
    status = 7;
    ck_assert_int_eq(ilex_run(p, b, 3, &call), ILEX_E_FUNCTION);
    ck_assert_ptr_nonnull(strstr(call.error, "failed with status 7"));
    ilex_program_release(p);
    p = compile("ilex 1\nprogram number\nsize n\n"
                "extern reverse(x : f64) -> f64 pure\n"
                "in a : f64\nin x : f64[n]\n"
                "let r = reverse(a)\nout y : f64[n] = x*r\n");
    ck_assert_int_eq(ilex_run(p, b, 3, &call), ILEX_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(call.error, "is given a, which lies on"));
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

/* In loops on a device the text runs that was registered; a name that the
 * program does not call is none of its source. */
START_TEST(elementwise)
{
    ilex_function_spec spec = {
        .size = sizeof spec,
        .elementwise_cuda =
            "__device__ double saturate(double x, double most)\n"
            "{\n    return x < most ? x : most;\n}"};
    ilex_storage *x = both_sides(0.5), *y = both_sides(-1);
    ilex_call call = {.size = sizeof call};
    const ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("y", y),
                              ILEX_BIND_F64("a", 2)};
    ck_assert_int_eq(ilex_function_register(ctx, "saturate", &spec), ILEX_OK);
    spec.elementwise_cuda = "no source at all";
    ck_assert_int_eq(ilex_function_register(ctx, "unused", &spec), ILEX_OK);
    ilex_program *p =
        compile("ilex 1\nprogram bounded\nsize n\n"
                "extern saturate(x : f64, most : f64) -> f64 pure elementwise\n"
                "in a : f64\nin x : f64[n]\n"
                "out y : f64[n] = saturate(x*arange(n), a) + saturate(9, x)\n");
    ck_assert_msg(!ilex_run(p, b, 3, &call), "%s", call.error);
    ck_assert(get(y, 0) == 0.5 && get(y, 1) == 1);
    ck_assert(get(y, 4) == 2.5 && get(y, N - 1) == 2.5);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
}
END_TEST

TCase *
cuda_foreign_cases(void)
{
    TCase *cases = tcase_create("foreign");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_test(cases, between_kernels);
    tcase_add_test(cases, elementwise);
    return cases;
}
