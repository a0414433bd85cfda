/* SPDX-License-Identifier: MIT
 *
 * The routines for processors with AVX2.
 */
#include "lib/sort/sort.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))),                  \
                             apply_to = function)
#else
#pragma GCC target("avx2")
#endif
void ix_call_routine_v3(const ix_routine *r);
#define IX_SORTED
#define ix_call_routine ix_call_routine_v3
#include "lib/sort/text.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
