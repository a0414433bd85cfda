/* SPDX-License-Identifier: MIT
 *
 * Domains as objects: products of index ranges, to compute with before fields
 * are made on them. They are immutable and belong to their context, nothing is
 * to be freed: two of the same ranges in the same order are one pointer.
 * Bounds are those of text ("I:1:n-1, J:2*m"); what depends on the sizes is
 * proved, with the assumptions in force where it needs them.
 *
 * After an error functions return NULL (-1 where they return a number), and so
 * they do, without a further one, where a domain they get is NULL. Errors:
 * those of text; ILEX_E_UNDECIDED with an assumption to add where the sizes
 * leave it open; ILEX_E_AXIS for axes that are not there. All functions are for
 * the context thread.
 */
#ifndef ILEX_DOMAIN_H
#define ILEX_DOMAIN_H

#include "base.h"
#include "kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ilex_domain ilex_domain;

/* From text, "I:1:n-1, J:m": half-open ranges, one for each axis. Sizes come to
 * exist by being named. ILEX_E_EMPTY where a length is not known to be >= 0. */
ILEX_API const ilex_domain *ilex_domain_parse(ilex_context *ctx,
                                              const char *text);

/* The domain of an array. */
ILEX_API const ilex_domain *ilex_domain_of(const ilex_array *x);

/* As text, of which at most `size` bytes with the final NUL are written to
 * `text`; returns the length it needs without it. */
ILEX_API size_t ilex_domain_text(ilex_context *ctx, const ilex_domain *d,
                                 char *text, size_t size);

/* Number of axes. */
ILEX_API int ilex_domain_rank(const ilex_domain *d);

/* The points in both: axis by axis, by name, [max of the lower, min of the
 * upper bounds); an axis that one of them lacks is unbounded there. Axes come
 * in the order of `a`, then of `b`. ILEX_E_EMPTY if there are none for any
 * sizes. In text `domain c = a & b`. */
ILEX_API const ilex_domain *ilex_domain_intersect(ilex_context *ctx,
                                                  const ilex_domain *a,
                                                  const ilex_domain *b);

/* The points in one or the other, which may overlap; ILEX_E_SHAPE unless they
 * are a product of ranges: along one axis at most the two differ and are
 * adjacent or overlap, or one holds the other. */
ILEX_API const ilex_domain *ilex_domain_union(ilex_context *ctx,
                                              const ilex_domain *a,
                                              const ilex_domain *b);

/* Moved: "I+1, J-n" adds to the bounds along these axes; by half a cell,
 * "I+1/2", to the staggered axis or from it. A field u is known on d moved by
 * "I-1" as u[I+1]. */
ILEX_API const ilex_domain *ilex_domain_translate(ilex_context *ctx,
                                                  const ilex_domain *d,
                                                  const char *shifts);

/* A part by indices, "I=2:5, J=3": ranges stay as they are written, an open
 * side is d's, a single index takes the axis away. ILEX_E_BOUNDS where it is
 * not inside d. */
ILEX_API const ilex_domain *ilex_domain_restrict(ilex_context *ctx,
                                                 const ilex_domain *d,
                                                 const char *ranges);

/* A part by places, "I=1:-1": counted from where d begins, negative numbers
 * from where it ends. Otherwise as ilex_domain_restrict. */
ILEX_API const ilex_domain *
ilex_domain_slice(ilex_context *ctx, const ilex_domain *d, const char *ranges);

/* Is a point, "I=3, J=n-1", or a range of points, "I=2:5, J=3", inside? Every
 * axis is spoken of, unless the text ends with "...": "I=3, ...". 1 if it is
 * for all sizes, 0 if it is not for any; else -1 (ILEX_E_UNDECIDED). */
ILEX_API int ilex_domain_contains(ilex_context *ctx, const ilex_domain *d,
                                  const char *position);

/* x on the domain, as ilex_restrict. The result belongs to the current scope.
 */
ILEX_API ilex_array *ilex_restrict_to(ilex_array *x, const ilex_domain *d);

#ifdef __cplusplus
}
#endif
#endif
