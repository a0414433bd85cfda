/* SPDX-License-Identifier: MIT
 *
 * The routines for any processor, and which of the files is for the one that
 * there is.
 */
#include "lib/sort/sort.h"

#define IX_SORTED static
#define ix_call_routine ix_call_routine_v1
#include "lib/sort/text.h"
#undef ix_call_routine

#if defined(__x86_64__) && defined(__GNUC__)
void ix_call_routine_v3(const ix_routine *r);
void ix_call_routine_v4(const ix_routine *r);

void
ix_call_routine(const ix_routine *r)
{
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        ix_call_routine_v4(r);
    else if (__builtin_cpu_supports("avx2"))
        ix_call_routine_v3(r);
    else
        ix_call_routine_v1(r);
}
#else
void
ix_call_routine(const ix_routine *r)
{
    ix_call_routine_v1(r);
}
#endif
