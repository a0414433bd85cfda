/* SPDX-License-Identifier: MIT
 *
 * Programs on a CUDA device, for tests that have storages of the host: their
 * bytes travel to the device and back in one block with guards between the
 * arrays.
 */
#ifndef ILEX_TESTS_CUDA_DEVICE_H
#define ILEX_TESTS_CUDA_DEVICE_H

#include "ilex.h"

/* Compiles for jit=nvrtc, which stays set. NULL on error, which is recorded in
 * the context: ILEX_E_UNSUPPORTED where a device, the driver or NVRTC is
 * missing, and what is missing. */
ilex_program *cuda_device_compile(ilex_context *ctx, ilex_module *module);

/* ilex_run() on device 0, then brings the outputs back. Arguments may share
 * all of their memory or none. ILEX_E_INTERNAL when bytes beside an array, or
 * of an input, changed. */
ilex_status cuda_device_run(const ilex_program *p, const ilex_binding *bindings,
                            size_t count, ilex_call *call);

#endif
