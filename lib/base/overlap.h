/* SPDX-License-Identifier: MIT
 *
 * Which bytes an array touches, and whether two of them share one. The text is
 * also that of kernels compiled ahead of time (compiler/run/run.h).
 */
#ifndef ILEX_BASE_OVERLAP_H
#define ILEX_BASE_OVERLAP_H

#include "ilex/base.h"

#include "lib/base/view.inc"

/* From the first element to the first byte of an array, and to that behind the
 * last one: nothing if it is empty; 0 if they leave 64 bits. */
int ix_view_span(const ix_view *v, int64_t *lo, int64_t *hi);

/* Do two arrays share a byte? May be true where it takes too long to tell. */
int ix_view_overlap(const ix_view *a, const ix_view *b);

/* May elements of an array share memory? */
int ix_view_overlaps_itself(const ix_view *v);

#endif
