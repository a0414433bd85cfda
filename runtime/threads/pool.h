/* SPDX-License-Identifier: MIT
 *
 * The thread pool of the process.
 */
#ifndef ILEX_RUNTIME_POOL_H
#define ILEX_RUNTIME_POOL_H

#include "lib/base/prelude.h"

/* Processors that the process may use; asked of the system once. */
int ix_pool_cores(void);

/* Calls body(arg, i) for 0 <= i < n on at most "threads" threads, the caller's
 * among them, in the default floating-point environment (lib/base/fpenv.h);
 * returns when all are done. */
void ix_pool_run(int threads, int64_t n, void (*body)(void *arg, int64_t i),
                 void *arg);

/* Looks at a number for a while, until it is (or "other": is not) "value": some
 * microseconds, for what comes sooner than a thread that sleeps would wake. */
void ix_pool_watch(_Atomic int64_t *number, int64_t value, bool other);

#endif
