/* SPDX-License-Identifier: MIT
 *
 * The clock that compiling and runs are timed by.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "lib/base/clock.h"

#include <time.h>

double
ix_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
