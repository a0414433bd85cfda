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

#if defined(__SSE2__) && defined(__GNUC__)

#include "lib/base/fpenv.inc"

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
