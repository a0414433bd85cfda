/* SPDX-License-Identifier: MIT
 *
 * The plain C that programs are compared with: one function for each kernel
 * of kernels.def. "n" are its sizes and "b" its arrays, dense in C order,
 * halos included.
 */
#ifndef ILEX_BENCH_KERNELS_H
#define ILEX_BENCH_KERNELS_H

#include <stdint.h>

#define BENCH_KERNEL(name, arguments, tolerance, program)                      \
    void plain_##name(const int64_t *n, double *const *b);
#include "bench/kernels.def"

#endif
