/* SPDX-License-Identifier: MIT
 *
 * The routines for processors with AVX-512.
 */
#include "lib/sort/sort.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(                                                  \
    __attribute__((target("avx512f,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#endif
void ix_call_routine_v4(const ix_routine *r);
#define IX_SORTED
#define ix_call_routine ix_call_routine_v4
#include "lib/sort/text.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
