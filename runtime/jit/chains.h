/* SPDX-License-Identifier: MIT
 *
 * What code by compilers that make no vectors calls for contractions.
 */
#ifndef ILEX_RUNTIME_CHAINS_H
#define ILEX_RUNTIME_CHAINS_H

#include <stdint.h>

/* c[j] = fma(a[r*t], b[r*s + j*u], c[j]) for r = 0, 1, ..., n - 1, for each j
 * in [0, m). */
void ix_chain_f64(double *c, int64_t m, const double *b, int64_t s, int64_t u,
                  const double *a, int64_t t, int64_t n);
void ix_chain_f32(float *c, int64_t m, const float *b, int64_t s, int64_t u,
                  const float *a, int64_t t, int64_t n);

#endif
