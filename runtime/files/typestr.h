/* SPDX-License-Identifier: MIT
 *
 * Type strings, "<f8": byte order, kind, bytes.
 */
#ifndef ILEX_RUNTIME_TYPESTR_H
#define ILEX_RUNTIME_TYPESTR_H

#include "ilex/exchange.h"
#include "lib/base/prelude.h"

/* The dtype that "text" names, where single bytes may have any order and
 * others one of "<>="; false if there is none. "*swapped": the bytes are in
 * the other order than this machine's. */
bool ix_typestr_read(const char *text, ilex_dtype *dtype, bool *swapped);

#endif
