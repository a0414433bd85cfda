/* SPDX-License-Identifier: MIT
 *
 * Tuples: nodes of several results, which RESULT nodes take out of them.
 */
#ifndef ILEX_LIB_TUPLE_H
#define ILEX_LIB_TUPLE_H

#include "lib/build/build.h"

/* Result "k" of a tuple. */
ilex_array *ix_build_result(ilex_array *tuple, int k);

/* How many there are. */
static inline int
ix_tuple_count(const ilex_array *n)
{
    int parameters = n->kind == IX_FOREIGN ? n->nops - 1 : 0;
    return n->ops[0]->nops - parameters;
}

/* What stands for one in the tuple: its body, or its TYPE. */
static inline ilex_array *
ix_tuple_body(const ilex_array *n, int k)
{
    return n->ops[0]->ops[k];
}

/* The domain of one. */
static inline const ix_domain *
ix_tuple_domain(const ilex_array *n, int k)
{
    const ilex_array *body = ix_tuple_body(n, k);
    return body->kind == IX_TYPE ? body->interior : n->interior;
}

#endif
