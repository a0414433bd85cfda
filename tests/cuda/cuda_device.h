/* SPDX-License-Identifier: MIT
 *
 * Programs on a CUDA device, for tests: generated source is compiled by NVRTC,
 * loaded by the driver and launched over storages of the host, whose bytes
 * travel there and back in one block with guards between the arrays.
 */
#ifndef ILEX_TESTS_CUDA_DEVICE_H
#define ILEX_TESTS_CUDA_DEVICE_H

#include "ilex.h"

typedef struct cuda_program cuda_program;

/* Compiles and loads. NULL on error, which is recorded in the module's
 * context: ILEX_E_UNSUPPORTED where a device, the driver or NVRTC is missing,
 * and what is missing. */
cuda_program *cuda_device_compile(ilex_module *module);
void cuda_device_release(cuda_program *p);

/* Binds as ilex_run() does, launches every kernel, and brings the outputs
 * back. No two arguments may share memory. ILEX_E_INTERNAL when bytes beside
 * an array, or of an input, changed. */
ilex_status cuda_device_run(const cuda_program *p, const ilex_binding *bindings,
                            size_t count, ilex_call *call);

#endif
