/* SPDX-License-Identifier: MIT
 *
 * The floating-point environment of whatever computes values: round to
 * nearest, subnormal numbers kept, no traps. Bits must not depend on what the
 * host has set, nor on which thread made a worker.
 *
 * On x86-64 values are computed by SSE, so MXCSR says all; the C library looks
 * at the x87 control word where it reads and prints numbers. Reading both costs
 * little, and they are only written where the host's differ.
 */
#ifndef ILEX_LIB_FPENV_H
#define ILEX_LIB_FPENV_H

#if defined(__x86_64__)

typedef struct ix_fpenv {
    unsigned mxcsr;
    unsigned short x87;
} ix_fpenv;

enum { IX_MXCSR = 0x1f80, IX_MXCSR_FLAGS = 0x3f, IX_X87 = 0x37f };

static inline int
ix_fpenv_odd(ix_fpenv e)
{
    return (e.mxcsr & ~(unsigned)IX_MXCSR_FLAGS) != IX_MXCSR || e.x87 != IX_X87;
}

static inline void
ix_fpenv_set(ix_fpenv e)
{
    __builtin_ia32_ldmxcsr(e.mxcsr);
    __asm__ volatile("fldcw %0" : : "m"(e.x87));
}

/* Sets the default; what was set before, for ix_fpenv_leave(). */
static inline ix_fpenv
ix_fpenv_enter(void)
{
    ix_fpenv before = {__builtin_ia32_stmxcsr(), 0};
    __asm__ volatile("fnstcw %0" : "=m"(before.x87));
    if (ix_fpenv_odd(before))
        ix_fpenv_set((ix_fpenv){IX_MXCSR, IX_X87});
    return before;
}

static inline void
ix_fpenv_leave(ix_fpenv before)
{
    if (ix_fpenv_odd(before))
        ix_fpenv_set(before);
}

#else

#include <fenv.h>

typedef fenv_t ix_fpenv;

static inline ix_fpenv
ix_fpenv_enter(void)
{
    ix_fpenv before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void
ix_fpenv_leave(ix_fpenv before)
{
    fesetenv(&before);
}

#endif

#endif
