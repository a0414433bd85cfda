/* SPDX-License-Identifier: MIT
 *
 * What a program costs by its own count, at given sizes.
 */
#ifndef ILEX_MEASURE_COUNTS_H
#define ILEX_MEASURE_COUNTS_H

#include <ilex.h>

typedef struct bench_counts {
    double operations, read, written; /* bytes, the last two */
} bench_counts;

/* Reads the text of stage "counts" of a module; 0 if it cannot be read, or
 * mentions a size that "sizes" lacks. */
int bench_counts_read(const char *text, const ilex_size_binding *sizes,
                      size_t count, bench_counts *c);

#endif
