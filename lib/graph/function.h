/* SPDX-License-Identifier: MIT
 *
 * The functions of the host that programs of a context may call, by name.
 */
#ifndef ILEX_LIB_FUNCTION_H
#define ILEX_LIB_FUNCTION_H

#include "ilex/function.h"
#include "lib/graph/context.h"

/* What is registered under "name"; NULL if nothing is. */
const ilex_function_spec *ix_function_find(const ilex_context *ctx,
                                           const char *name);

#endif
