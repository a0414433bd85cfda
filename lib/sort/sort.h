/* SPDX-License-Identifier: MIT
 *
 * Routines that sort rows of arrays. Their text is C that needs nothing of
 * Ilex: sources of programs that are compiled ahead of time quote it
 * (compiler/host).
 */
#ifndef ILEX_LIB_SORT_H
#define ILEX_LIB_SORT_H

#include "ilex/function.h"
#include "lib/base/prelude.h"

#include "lib/sort/types.inc"

/* Carries out a call; what it is given is as the node says. */
void ix_call_routine(const ix_routine *r);

#endif
