/* SPDX-License-Identifier: MIT
 *
 * check-cuda: what can only be tested with a CUDA device. cuda_memory.c tries
 * allocation and copies, cuda_sync.c the state of two buffers, cuda_exchange.c
 * the exchange formats, cuda_program.c programs and eager operators,
 * cuda_kernels.c what kernels get and which run,
 * cuda_prepared.c prepared calls, cuda_foreign.c calls of foreign functions,
 * cuda_fault.c failures (under the fake driver only);
 * the golden runner then runs its kernels (cuda_device.c). cuda_main.c is the
 * command.
 *
 * Everything goes through the real driver, runtime/memory/cuda_driver.c; that
 * it is talking to the fake one of fake.h is unknown to all but cuda_fault.c.
 */
#ifndef ILEX_TESTS_CUDA_TEST_H
#define ILEX_TESTS_CUDA_TEST_H

#include "ilex.h"
#include "runtime/jit/jit.h"
#include "tests/unit/pair_fixture.h"

TCase *cuda_memory_cases(void);
TCase *cuda_sync_cases(void);
TCase *cuda_exchange_cases(void);
TCase *cuda_program_cases(void);
TCase *cuda_kernels_cases(void);
TCase *cuda_prepared_cases(void);
TCase *cuda_foreign_cases(void);

/* NULL unless the driver is the fake one. */
TCase *cuda_fault_cases(void);

/* The driver, which must be there. */
static inline const ix_driver *
cuda(void)
{
    ix_error err;
    ix_error_clear(&err);
    const ix_driver *driver = ix_cuda_driver(&err);
    ck_assert_msg(driver != NULL, "%s", err.text);
    return driver;
}

/* The status of an operator on the device whose result is "y": without NVRTC
 * there are no kernels. */
static inline ilex_status
computed_there(const ilex_storage *y)
{
    bool can = ix_nvrtc_available();
    ck_assert((y != NULL) == can);
    return can ? ILEX_OK : ILEX_E_UNSUPPORTED;
}

/* A copy that must work. */
static inline void
move(ix_direction direction, int device, void *to, const void *from, size_t n)
{
    ix_error err;
    ix_error_clear(&err);
    ck_assert_msg(!cuda()->copy(direction, device, to, from, n, &err), "%s",
                  err.text);
}

/* Reads and writes an f64 of a storage on its device, by copies of 8 bytes:
 * "offset" counts elements from element (0, ..., 0). */
static inline double
device_get(const ilex_storage *s, int64_t offset)
{
    double v = -1;
    const double *p = ilex_storage_device(ctx, s, ILEX_READ);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    move(IX_DEVICE_TO_HOST, ilex_storage_device_index(s), &v, p + offset,
         sizeof v);
    return v;
}

static inline void
device_set(const ilex_storage *s, int64_t offset, double v)
{
    double *p = ilex_storage_device(ctx, s, ILEX_READ_WRITE);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    move(IX_HOST_TO_DEVICE, ilex_storage_device_index(s), p + offset, &v,
         sizeof v);
}

/* A program of jit=nvrtc. */
static inline ilex_program *
compile(const char *program)
{
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "nvrtc"), ILEX_OK);
    ilex_module *m = ilex_module_parse(ctx, program, NULL);
    ck_assert_msg(m != NULL, "%s", ilex_error_text(ctx));
    ilex_program *p = ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_program_backend(p), "nvrtc");
    ilex_module_free(m);
    return p;
}

/* How a storage lies. */
typedef enum where { HOST, PAIR, GPU, GPU1, UNIFIED } where;

/* A number, n elements, n elements that are written. */
static const struct {
    where a, x, y;
} places[] = {{HOST, PAIR, PAIR},       {PAIR, PAIR, PAIR},
              {GPU, GPU, GPU},          {HOST, GPU, PAIR},
              {HOST, UNIFIED, UNIFIED}, {UNIFIED, GPU, PAIR},
              {HOST, PAIR, GPU}};
enum { PLACES = sizeof places / sizeof *places };

/* "n" elements of f64 along each axis, all of one value. */
static inline ilex_storage *
make(where w, int rank, int64_t n, double value)
{
    ilex_storage_spec p = SPEC(.rank = rank, .shape = SHAPE(n), .fill = &value);
    p.device = w == PAIR ? "gpu" : w == GPU1 ? "cuda:1" : NULL;
    p.managed = w == GPU1 ? "none" : NULL;
    p.space = w == GPU ? "device" : w == UNIFIED ? "unified" : NULL;
    ilex_storage *s = ilex_storage_new(ctx, &p);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

#endif
