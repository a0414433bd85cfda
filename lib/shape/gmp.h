/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out in GMP, with whose numbers isl computes: GMP ends the
 * process then. Its functions are replaced by others that take blocks from the
 * same malloc() and differ only inside of ix_gmp_run, which they leave.
 */
#ifndef ILEX_LIB_GMP_H
#define ILEX_LIB_GMP_H

#include "lib/base/prelude.h"

/* Calls "body" with "arg". Where GMP gets no memory, the block "*reserve" is
 * freed, which is NULL from then on, and it tries again; false if that was of
 * no use and the body was left: what it had made of isl is lost. A host that
 * has set functions of its own for GMP keeps them. */
bool ix_gmp_run(void **reserve, void (*body)(void *arg), void *arg);

#endif
