/* SPDX-License-Identifier: MIT
 *
 * Scans: results on one domain, computed level by level along one of its axes.
 */
#ifndef ILEX_LIB_SCAN_H
#define ILEX_LIB_SCAN_H

#include "lib/build/tuple.h"

/* What stands for a result of a scan over "dom" until the scan closes; "name"
 * (a symbol, 0: none) is used in messages. "untyped": its dtype is not known
 * yet, text finds it out. */
ilex_array *ix_build_self(ilex_context *ctx, int32_t name, ilex_dtype dtype,
                          bool untyped, const ix_domain *dom);
static inline bool
ix_is_untyped(const ilex_array *n)
{
    return n->kind == IX_SELF && n->attr[2] != 0;
}

/* A self on the domain of the result alone. */
ilex_array *ix_self_inside(ilex_array *self);

/* What becomes of the one result of a scan in chunks of IX_CHUNK_SCAN levels:
 * l, as the body says, in the first one, elsewhere y(k) = P(c) + l(k) with c
 * the chunk of k and P(c) = ((l(end of 0) + l(end of 1)) + ...) + l(end of
 * c-1); or the same with `*`. So the body begins anew where a chunk does. */
typedef enum ix_combining {
    IX_COMBINE_NOT,
    IX_COMBINE_SUM,
    IX_COMBINE_PROD
} ix_combining;
/* " chunked sum", " chunked prod" or "", as text says it. */
const char *ix_combining_text(ix_combining chunks);

typedef struct ix_scan_spec {
    int axis;
    bool backward; /* the last level is the first that is computed */
    int count;
    ilex_array *const *self;  /* of each result */
    ilex_array *const *value; /* over the selves */
    ix_combining chunks;
} ix_scan_spec;

/* The tuple of results. */
ilex_array *ix_build_scan(ilex_context *ctx, const ix_scan_spec *spec);

/* The SCAN of a TUPLE of bodies over "n" operands. Nothing is proved here. */
ilex_array *ix_scan_node(ilex_context *ctx, const ix_scan_spec *spec,
                         const ix_domain *dom, ilex_array *tuple, int n,
                         ilex_array *const *operands);

/* ---- what a SCAN node says ---- */

static inline int
ix_scan_axis(const ilex_array *n)
{
    return (int)n->attr[0];
}
static inline bool
ix_scan_is_backward(const ilex_array *n)
{
    return n->attr[1] != 0;
}
static inline ix_combining
ix_scan_chunks(const ilex_array *n)
{
    return (ix_combining)n->attr[2];
}

/* The level that has index _<axis>, counted from the first one of axis "ax". */
ilex_array *ix_scan_level(ilex_context *ctx, int axis, const ix_axis *ax,
                          bool backward);
/* The index of a level. */
ilex_array *ix_scan_index(ilex_context *ctx, ilex_array *level,
                          const ix_axis *ax, bool backward);

#endif
