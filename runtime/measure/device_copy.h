/* SPDX-License-Identifier: MIT
 *
 * What a device's own copy does: from memory of the device to memory of the
 * device, waited for as runs are.
 */
#ifndef ILEX_MEASURE_DEVICE_COPY_H
#define ILEX_MEASURE_DEVICE_COPY_H

#include "lib/base/prelude.h"
#include "runtime/measure/bench_util.h"

/* Bytes a second, read and written, that copies of "bytes" bytes reach on the
 * first device: "rounds" samples of "least" seconds or more. */
ilex_status bench_device_copy(size_t bytes, int rounds, double least,
                              bench_samples *rate, ix_error *err);

#endif
