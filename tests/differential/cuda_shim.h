/* SPDX-License-Identifier: MIT
 *
 * CUDA kernels on the CPU, for tests: a C compiler builds generated CUDA
 * source behind a header that defines what CUDA's compiler knows, and a run
 * executes the threads of a small grid one after another. The grid has fewer
 * threads than most kernels have points, so that grid-stride loops are tried;
 * threads run forwards or backwards, so that what depends on their order
 * differs.
 */
#ifndef ILEX_TESTS_CUDA_SHIM_H
#define ILEX_TESTS_CUDA_SHIM_H

#include "compiler/run/run.h"
#include "ilex.h"
#include "lib/base/text.h"

/* Compiles a module to CUDA source and that with the C compiler and "cflags",
 * or where these are NULL with libtcc if it was built, in a tenth of the time.
 * The program is bound, run and released like any other: ilex_run(). NULL on
 * error, which is recorded in the module's context. */
ilex_program *cuda_shim_compile(ilex_module *module, const char *cflags);

/* The same without compiling the source: such a program can be bound and asked
 * for its source, but not run. */
ilex_program *cuda_shim_lower(ilex_module *module);

/* The CUDA source of such a program, as NVRTC takes it. */
const char *cuda_shim_source(const ilex_program *p);

/* Runs of this thread execute the grid backwards from now on, or not. */
void cuda_shim_backwards(int backwards);

/* What a device would have been asked for by this thread's first launch, which
 * is of a kernel for indices of 32 bits where that may be. */
const ix_grid *cuda_shim_grid_asked(void);

/* Compiles CUDA source, for indices of 32 bits or any, for sm_90 where NVRTC is
 * found: ILEX_OK, also with
 * "*skipped" set where it is not. */
ilex_status cuda_shim_ptx(const char *source, int narrow, int *skipped,
                          ix_error *err);

#endif
