/* SPDX-License-Identifier: MIT
 *
 * Calls of functions of the host: what text and C declare, as a node.
 */
#ifndef ILEX_LIB_FOREIGN_H
#define ILEX_LIB_FOREIGN_H

#include "lib/build/tuple.h"

/* A result or a parameter: its dtype and the box on which it is known. */
typedef struct ix_foreign_type {
    ilex_dtype dtype;
    const ix_domain *box;
} ix_foreign_type;

typedef struct ix_foreign_spec {
    int32_t name, declaration; /* symbols; the declaration with the name */
    int64_t cost;              /* operations an element of its results */
    int nresults, nparameters;
    const ix_foreign_type *type; /* of results, then of parameters */
    ilex_array *const *argument; /* each known on its parameter's box */
} ix_foreign_spec;

/* The tuple of its results. An argument that is a part of an array at the same
 * indices is that array: of which part is said by the parameter's box. */
ilex_array *ix_build_foreign(ilex_context *ctx, const ix_foreign_spec *spec);

/* Calls "fn" for each foreign function of numbers in the body of "n", if it has
 * one, until one returns false; false then and after an error. "mem": of the
 * arena where "fn" takes memory of one that jumps; NULL: the context's. */
typedef bool ix_apply_fn(void *user, const ilex_array *apply);
bool ix_apply_each(const ilex_array *n, const ix_mem *mem, ix_apply_fn *fn,
                   void *user);

/* ---- what a FOREIGN or an APPLY node says ---- */

static inline int32_t
ix_foreign_name(const ilex_array *n)
{
    return (int32_t)n->attr[0];
}
static inline int32_t
ix_foreign_declaration(const ilex_array *n)
{
    return (int32_t)n->attr[1];
}
static inline int64_t
ix_foreign_cost(const ilex_array *n)
{
    return n->attr[2];
}
/* The box of argument "i" that the function is given. */
static inline const ix_domain *
ix_foreign_box(const ilex_array *n, int i)
{
    return ix_tuple_body(n, ix_tuple_count(n) + i)->interior;
}

#endif
