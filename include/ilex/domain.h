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

/* ---- without text ---- */

enum { ILEX_FORM_TERMS = 8 };

/* constant + factor[0]*size[0] + ... + factor[terms - 1]*size[terms - 1]: a
 * length or a bound. A size is a name, or what is computed from sizes, as text
 * ("n*m", "min(n, m)"). */
typedef struct ilex_form {
    int64_t constant;
    int terms;
    int64_t factor[ILEX_FORM_TERMS];
    const char *size[ILEX_FORM_TERMS];
} ilex_form;

/* The name of an axis, "" of an unnamed one. Lives as long as the context.
 * ILEX_E_AXIS for a number that no axis has. */
ILEX_API const char *ilex_domain_axis(ilex_context *ctx, const ilex_domain *d,
                                      int axis);

/* The range [lower, upper) of an axis; `lower` and `upper` may be NULL. Texts
 * live as long as the context. ILEX_E_AXIS; ILEX_E_LIMIT for more terms. */
ILEX_API ilex_status ilex_domain_range(ilex_context *ctx, const ilex_domain *d,
                                       int axis, ilex_form *lower,
                                       ilex_form *upper);

/* The length of an axis, upper - lower. */
ILEX_API ilex_status ilex_domain_length(ilex_context *ctx, const ilex_domain *d,
                                        int axis, ilex_form *length);

/* The domain of ranges [lower[k], upper[k]), k < rank, along axes of these
 * names; `axes` NULL: unnamed ones; `lower` NULL: from 0. Errors are those of
 * ilex_domain_parse. */
ILEX_API const ilex_domain *ilex_domain_new(ilex_context *ctx, int rank,
                                            const char *const *axes,
                                            const ilex_form *lower,
                                            const ilex_form *upper);

/* An input on a domain, as ilex_input. The result belongs to the current scope.
 */
ILEX_API ilex_array *ilex_input_on(ilex_context *ctx, const char *name,
                                   ilex_dtype dtype, const ilex_domain *d);

/* ---- items of a subscript ---- */

typedef enum ilex_item_kind {
    ILEX_ITEM_INDEX, /* one index, start; the axis goes */
    ILEX_ITEM_SLICE, /* start:stop:step */
    ILEX_ITEM_ARRAY, /* the array: integers, or a mask */
    ILEX_ITEM_NEW,   /* a new axis of length 1 */
    ILEX_ITEM_REST   /* all axes that no other item takes: "..." */
} ilex_item_kind;

/* What does not matter to the kind is not looked at. */
typedef struct ilex_item {
    ilex_item_kind kind;
    const ilex_form *start, *stop; /* SLICE: NULL where there is none */
    int64_t step;                  /* 0: 1 */
    ilex_array *array;
} ilex_item;

/* x[items], as NumPy has it: the subscript of unnamed axes in text. Also what
 * ilex_update(x, where, ...) and its like take for a place, without new axes.
 * ILEX_E_AXIS where axes have names (ilex_domain_restrict), ILEX_E_RANK,
 * ILEX_E_BOUNDS, and others of subscripts. The result belongs to the current
 * scope. */
ILEX_API ilex_array *ilex_subscript(ilex_array *x, size_t count,
                                    const ilex_item *items);

/* ---- computing with domains ---- */

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
