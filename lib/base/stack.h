/* SPDX-License-Identifier: MIT
 *
 * A stack of its own for what is not Ilex's and for what recurses deep: texts
 * that nest, index arithmetic. Hosts call from threads whose stacks are small.
 */
#ifndef ILEX_LIB_STACK_H
#define ILEX_LIB_STACK_H

#include "lib/base/prelude.h"

/* Calls "body" with "arg" on a thread with a stack of a few MB, to which no
 * signal is delivered, and waits for it; on the caller's stack if that is such
 * a thread's, or if there is none to be had. */
void ix_on_stack(void (*body)(void *arg), void *arg);

/* What recurses is safe on any stack as deep as this. */
enum { IX_SHALLOW = 32 };

#endif
