/* SPDX-License-Identifier: MIT
 *
 * The functions of the host that programs of a context may call, by name.
 */
#ifndef ILEX_LIB_FUNCTION_H
#define ILEX_LIB_FUNCTION_H

#include "ilex/function.h"
#include "lib/graph/context.h"
#include "lib/ops/eval.h"

/* What is registered under "name"; NULL if nothing is. */
const ilex_function_spec *ix_function_find(const ilex_context *ctx,
                                           const char *name);

/* Registers the function, whose name is one; "declaration", as the printer
 * writes it, takes the place of the spec's. NULL: none. */
ilex_status ix_function_register(ilex_context *ctx, const char *name,
                                 const ilex_function_spec *spec,
                                 const char *declaration);

/* The declaration in a spec that a caller gives; NULL: none. */
const char *ix_function_declared(const ilex_function_spec *spec);

/* Name and declaration of the i-th function that is registered, of
 * ctx->nfunctions. */
const char *ix_function_name(const ilex_context *ctx, size_t i);
const char *ix_function_declaration(const ilex_context *ctx, size_t i);

/* The result of a function of "n" numbers of "dtype", all of that type. */
ix_value ix_function_apply(ilex_elementwise_function f, ilex_dtype dtype, int n,
                           const ix_value *arg);

#endif
