/* SPDX-License-Identifier: MIT
 *
 * A driver that fails: every call of every function that storages use, one
 * after the other. Only the fake driver can be told to, so that these tests do
 * not exist on a real one. Each failure must be an error with the driver's
 * words, leave nothing allocated and no context behind, and be over when the
 * driver works again.
 */
#define _GNU_SOURCE
#include "tests/cuda/cuda_test.h"

#include <dlfcn.h>

#include "tests/cuda/fake.h"

static void (*control)(const char *function, int nth, int error,
                       fake_state *state);

/* What the fake holds, without a change of what fails. */
static fake_state
state(void)
{
    fake_state s;
    control(NULL, 0, 0, &s);
    return s;
}

/* ---- what is tried ---- */

/* Both sides: fill, up, change there, down. False where something failed. */
static bool
use_pair(void)
{
    double one = 1, *p = NULL, v = 0;
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(50), .device = "gpu",
                   .space = "pinned", .fill = &one));
    bool ok = s && (p = ilex_storage_device(ctx, s, ILEX_READ_WRITE)) != NULL;
    ok = ok && !cuda()->copy(IX_HOST_TO_DEVICE, 0, p + 3, &(double){4},
                             sizeof v, ix_storage_error(ctx));
    ok = ok && ilex_storage_synchronize(ctx, s) == ILEX_OK;
    ok = ok && !ilex_storage_get_f64(s, SHAPE(3), &v);
    ck_assert(!ok || v == 4);
    ilex_storage_release(s);
    return ok;
}

/* Memory of the device only: fill, copy, strided write, read. */
static bool
use_device(void)
{
    double two = 2, v = 0;
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(40),
                                    .space = "device", .fill = &two));
    ilex_storage *c = s ? ilex_storage_copy(ctx, s) : NULL;
    ilex_storage *odd = c ? ilex_storage_slice(ctx, c, 0, 1, 40, 2) : NULL;
    bool ok = odd && ilex_storage_fill(ctx, odd, 3) == ILEX_OK;
    ilex_storage *h = ok ? ilex_storage_to(ctx, c, "cpu") : NULL;
    ok = h && !ilex_storage_get_f64(h, SHAPE(39), &v);
    ck_assert(!ok || v == 3);
    ilex_storage_release(s);
    ilex_storage_release(c);
    ilex_storage_release(odd);
    ilex_storage_release(h);
    return ok;
}

static bool
use_unified(void)
{
    float three = 3;
    double v = 0;
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.dtype = "f32", .rank = 1,
                                    .shape = SHAPE(30), .space = "unified"));
    bool ok = s && ilex_storage_fill_raw(ctx, s, &three) == ILEX_OK &&
              ilex_storage_device(ctx, s, ILEX_READ_WRITE) &&
              ilex_storage_host(ctx, s, ILEX_READ);
    ok = ok && !ilex_storage_get_f64(s, SHAPE(29), &v);
    ck_assert(!ok || v == 3);
    ilex_storage_release(s);
    return ok;
}

/* A program with a temporary, from compiling to a result on the host. */
static bool
use_program(void)
{
    static const char text[] = "ilex 1\nprogram p\nsize n\nin x : f64[n]\n"
                               "map s[] = sum[t:n](x[t])\n"
                               "map y[n] = x[_0] + s[]\n"
                               "out z : f64[n] = y\n";
    double one = 1, v = 0;
    ilex_storage_spec spec =
        SPEC(.rank = 1, .shape = SHAPE(20), .device = "gpu", .fill = &one);
    ilex_storage *x = ilex_storage_new(ctx, &spec);
    ilex_storage *z = x ? ilex_storage_new(ctx, &spec) : NULL;
    /* what a context keeps of a program it keeps in vain here */
    ilex_context *own = ilex_context_new(NULL);
    ilex_option_set(own, "jit", "nvrtc");
    ilex_module *m = z ? ilex_module_parse(own, text, NULL) : NULL;
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_call call = {.size = sizeof call};
    ilex_status rc =
        p ? ilex_run(p, (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("z", z)},
                     2, &call)
          : ILEX_E_DEVICE;
    if (p && rc)
        ix_fail(ix_storage_error(ctx), rc, "%s", call.error);
    bool ok = !rc && ilex_storage_host(ctx, z, ILEX_READ) &&
              !ilex_storage_get_f64(z, SHAPE(19), &v);
    ck_assert(!ok || v == 21);
    ilex_program_release(p);
    ilex_module_free(m);
    ilex_context_free(own);
    ilex_storage_release(x);
    ilex_storage_release(z);
    return ok;
}

static bool (*const uses[])(void) = {use_pair, use_device, use_unified,
                                     use_program};

/* ---- failures ---- */

/* A failure of giving back is nobody's error: a context that cannot be entered
 * any more keeps its memory. */
static const struct {
    const char *function;
    int error;
    ilex_status status;
    bool keeps;
} rows[] = {
    {"cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY, ILEX_E_MEMORY, false},
    {"cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY, ILEX_E_MEMORY, false},
    {"cuMemAllocManaged", CUDA_ERROR_NOT_SUPPORTED, ILEX_E_DEVICE, false},
    {"cuMemcpyHtoD_v2", CUDA_ERROR_INVALID_VALUE, ILEX_E_DEVICE, false},
    {"cuMemcpyDtoH_v2", CUDA_ERROR_INVALID_VALUE, ILEX_E_DEVICE, false},
    {"cuMemcpyDtoD_v2", CUDA_ERROR_INVALID_VALUE, ILEX_E_DEVICE, false},
    {"cuCtxSynchronize", 700, ILEX_E_DEVICE, false},
    {"cuCtxPushCurrent_v2", CUDA_ERROR_INVALID_CONTEXT, ILEX_E_DEVICE, true},
    {"cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY, ILEX_E_MEMORY,
     false},
    {"cuDeviceGet", CUDA_ERROR_INVALID_DEVICE, ILEX_E_DEVICE, false},
    {"cuDeviceGetAttribute", CUDA_ERROR_INVALID_VALUE, ILEX_E_DEVICE, false},
    {"cuModuleLoadData", 218, ILEX_E_DEVICE, false},
    {"cuModuleGetFunction", CUDA_ERROR_NOT_FOUND, ILEX_E_DEVICE, false},
    {"cuLaunchKernel", 701, ILEX_E_DEVICE, false},
};

/* Fails call "nth" of a row's function; false once there are fewer calls. */
static bool
try_failure(size_t row, int nth, bool (*use)(void))
{
    fake_state before = state();
    int live = heap.live;
    char code[16];
    control(rows[row].function, nth, rows[row].error, NULL);
    bool ok = use();
    fake_state after = state();
    ck_assert_int_eq(heap.live, live);
    ck_assert_int_eq(after.depth, 0);
    if (!rows[row].keeps)
        ck_assert_int_eq(after.blocks, before.blocks);
    if (!rows[row].keeps)
        ck_assert_int_eq(after.modules, before.modules);
    if (!rows[row].keeps)
        ck_assert_int_eq(after.pending + after.early, 0);
    if (ok)
        return false;
    snprintf(code, sizeof code, "(%d)", rows[row].error);
    ck_assert_msg(strstr(ilex_error_text(ctx), "CUDA:") &&
                      strstr(ilex_error_text(ctx), code),
                  "%s, call %d: %s", rows[row].function, nth,
                  ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), rows[row].status);
    return true;
}

START_TEST(failures)
{
    size_t row = (size_t)_i;
    int failed = 0;
    for (size_t u = 0; u < IX_COUNT(uses); u++) {
        int nth = 1;
        while (try_failure(row, nth, uses[u])) {
            ck_assert_int_lt(nth, 100);
            failed++;
            nth++;
        }
        ck_assert_msg(uses[u](), "%s", ilex_error_text(ctx));
    }
    ck_assert_msg(failed > 0, "%s was never called", rows[row].function);
}
END_TEST

/* A copy that fails changes no state and can be tried again. */
START_TEST(state_after_failure)
{
    ilex_storage *s = pair(10, 1);
    control("cuMemcpyHtoD_v2", 1, CUDA_ERROR_INVALID_VALUE, NULL);
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ_WRITE));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert_int_eq(ilex_storage_transfers(s).to_device, 0);
    ck_assert(device_get(s, 9) == 1);
    device_set(s, 9, 6);
    control("cuMemcpyDtoH_v2", 1, CUDA_ERROR_INVALID_VALUE, NULL);
    ck_assert_ptr_null(ilex_storage_host(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(get(s, 9) == 6);
    ilex_storage_release(s);
}
END_TEST

/* Contexts are made of the devices that are used, once, and not left behind on
 * the thread. */
START_TEST(contexts)
{
    cuda();
    ck_assert_int_eq(state().retained, 0);
    ck_assert(use_pair() && use_device());
    ck_assert_int_eq(state().retained, 1);
    ck_assert_int_eq(state().depth, 0);
    ck_assert_int_eq(state().blocks, 0);
}
END_TEST

/* What was launched is done when a run returns, also a run that fails, and
 * before what it uses is given back. */
START_TEST(nothing_pending)
{
    ck_assert(use_program());
    ck_assert_int_eq(state().pending, 0);
    control("cuLaunchKernel", 2, 701, NULL); /* the first one is on its way */
    ck_assert(!use_program());
    take_error();
    fake_state after = state();
    ck_assert_int_eq(after.pending, 0);
    ck_assert_int_eq(after.early, 0);
    ck_assert_int_eq(after.blocks, 0);
}
END_TEST

/* The time of a kernel is that until it is done: each is waited for, where
 * otherwise the end of a run waits for all. */
START_TEST(timed_kernels)
{
    double one = 1;
    ilex_storage_spec spec =
        SPEC(.rank = 1, .shape = SHAPE(20), .space = "device", .fill = &one);
    ilex_storage *x = ilex_storage_new(ctx, &spec);
    ilex_storage *y = ilex_storage_new(ctx, &spec);
    ilex_binding bound[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ck_assert(!ilex_option_set(ctx, "jit", "nvrtc") &&
              !ilex_option_set(ctx, "fuse", "0"));
    ilex_module *m = ilex_module_parse(ctx,
                                       "ilex 1\nprogram p\nsize n\n"
                                       "in x : f64[n]\nlet a = exp(x)\n"
                                       "let b = sin(a)\n"
                                       "out y : f64[n] = b + 1\n",
                                       NULL);
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ilex_kernel_time t = ILEX_KERNEL_TIME();
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_uint_eq(ilex_program_kernel_count(p), 3);
    ck_assert(!ilex_run(p, bound, 2, NULL));
    control("cuCtxSynchronize", 2, 700, NULL);
    ck_assert(!ilex_run(p, bound, 2, NULL)); /* waits once */
    ilex_program_profile(p, 1);
    control("cuCtxSynchronize", 2, 700, NULL);
    ck_assert_int_eq(ilex_run(p, bound, 2, NULL), ILEX_E_DEVICE);
    control(NULL, 0, 0, NULL);
    ilex_program_profile(p, 1);
    ck_assert(!ilex_run(p, bound, 2, NULL) && !ilex_run(p, bound, 2, NULL));
    for (size_t i = 0; i < 3; i++) {
        ck_assert(!ilex_program_kernel_time(p, i, &t));
        ck_assert_uint_eq(t.calls, 2);
        ck_assert(t.seconds > 0);
    }
    ilex_program_release(p);
    ilex_module_free(m);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ck_assert_int_eq(state().early, 0);
}
END_TEST

/* A kernel of somebody else's, y[i] = 7. */
static const char seven[] = FAKE_PTX
    "typedef double f64;\ntypedef long long i64;\n"
    "typedef struct { f64 *y; } k0_args;\n"
    "__global__ void\n"
    "k0(const k0_args a, const i64 begin, const i64 end)\n"
    "{\n    for (i64 i = begin; i < end; i++)\n        a.y[i] = 7;\n}\n";

/* The host reads unified memory when the device has written it, whoever
 * launched that. */
START_TEST(unified_waits)
{
    void *module = NULL, *function = NULL;
    ix_error *err = ix_storage_error(ctx);
    double v = 0;
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(30), .space = "unified"));
    ck_assert(s && !cuda()->load(0, seven, &module, err) &&
              !cuda()->find(0, module, "k0", &function, err));
    double *y = ilex_storage_device(ctx, s, ILEX_READ_WRITE);
    int64_t begin = 0, end = 30;
    void *parameters[] = {&y, &begin, &end};
    const unsigned one[3] = {1, 1, 1};
    ck_assert(!cuda()->launch(0, function, one, one, parameters, err));
    ck_assert_int_eq(state().pending, 1);
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(29), &v), ILEX_OK);
    ck_assert(v == 7);
    cuda()->unload(0, module);
    ilex_storage_release(s);
    ck_assert_int_eq(state().early, 0);
}
END_TEST

TCase *
cuda_fault_cases(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *p = library ? dlsym(library, "fake_cuda_control") : NULL;
    if (!p)
        return NULL;
    memcpy(&control, &p, sizeof p);
    TCase *cases = tcase_create("fault");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, failures, 0, IX_COUNT(rows));
    tcase_add_test(cases, state_after_failure);
    tcase_add_test(cases, contexts);
    tcase_add_test(cases, nothing_pending);
    tcase_add_test(cases, timed_kernels);
    tcase_add_test(cases, unified_waits);
    return cases;
}
