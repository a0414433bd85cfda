/* SPDX-License-Identifier: MIT
 *
 * Computing with domains. Functions return NULL after an error, and where an
 * argument is NULL; "what" names the operation in messages.
 */
#ifndef ILEX_LIB_BOX_H
#define ILEX_LIB_BOX_H

#include "ilex/domain.h"
#include "lib/graph/node.h"

/* What is said of axis "k": an index ("hi" is NULL), or a range with perhaps
 * open sides. */
typedef struct ix_box_item {
    int axis;
    bool single;
    const ix_lin *lo, *hi; /* single: lo */
} ix_box_item;

/* "below" where the index of an axis is less than "at", else "above", each on
 * its own side only. */
ilex_array *ix_build_meet(ilex_context *ctx, int32_t axis, const ix_lin *at,
                          ilex_array *below, ilex_array *above);

/* The points in both, axes by name, those of "a" first. */
const ix_domain *ix_box_intersect(ilex_context *ctx, const char *what,
                                  const ix_domain *a, const ix_domain *b);

const ix_domain *ix_box_union(ilex_context *ctx, const ix_domain *a,
                              const ix_domain *b);

/* Each bound of axis k plus by[k] (NULL: 0), under the name that is given
 * (0: its own). */
const ix_domain *ix_box_move(ilex_context *ctx, const ix_domain *d,
                             const ix_lin *const *by, const int32_t *name);

/* The part that items say; "relative": they count from the ends of "d". */
const ix_domain *ix_box_part(ilex_context *ctx, const ix_domain *d, int count,
                             const ix_box_item *items, bool relative);

/* Are the points of the items inside? IX_UNKNOWN is recorded as an error. */
ix_tri ix_box_contains(ilex_context *ctx, const ix_domain *d, int count,
                       const ix_box_item *items);

static inline const ix_domain *
ix_box_of(const ilex_domain *d)
{
    return (const ix_domain *)d;
}

static inline const ilex_domain *
ix_box_public(const ix_domain *d)
{
    return (const ilex_domain *)d;
}

#endif
