/* SPDX-License-Identifier: MIT
 *
 * What tests of kernels for a device share: a program is run by the reference
 * back end, then in grids of three shapes, from the first thread on and from
 * the last one.
 */
#ifndef ILEX_TESTS_UNIT_GRID_FIXTURE_H
#define ILEX_TESTS_UNIT_GRID_FIXTURE_H

#include "runtime/program/program.h"
#include "tests/differential/cuda_shim.h"
#include "tests/unit/graph_fixture.h"

/* Runs a program on what "user" says; its result, which the caller releases. */
typedef ilex_storage *(*result_fn)(const void *user, ilex_program *p);

/* The program of a text for a device, whose results have the bits of the
 * reference, "bytes" of them; the caller releases it. */
static inline ilex_program *
compare_on_device(const char *name, const char *text, result_fn result_of,
                  const void *user, size_t bytes)
{
    enum { RUNS = 6 };
    ilex_module *m = parse(text);
    ck_assert_int_eq(ilex_option_set(ctx, "jit", "reference"), ILEX_OK);
    ilex_program *whole = ilex_compile_module(m);
    ck_assert_msg(whole != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *expected = result_of(user, whole);
    ilex_program *p = cuda_shim_compile(m, NULL);
    ck_assert_msg(p != NULL, "%s: %s", text, ilex_error_text(ctx));
    for (int run = 0; run < RUNS; run++) {
        cuda_shim_backwards(run % 2);
        ilex_storage *y = result_of(user, p);
        ck_assert_msg(!memcmp(ilex_storage_const_data(y),
                              ilex_storage_const_data(expected), bytes),
                      "%s: run %d differs", name, run);
        ilex_storage_release(y);
    }
    cuda_shim_backwards(0);
    ilex_storage_release(expected);
    ilex_program_release(whole);
    ilex_module_free(m);
    return p;
}

#endif
