/* SPDX-License-Identifier: MIT
 *
 * What runs over ranks would do, for grids of any number of ranks, without
 * running: points, messages, bytes of each rank.
 */
#ifndef ILEX_RUNTIME_FORECAST_H
#define ILEX_RUNTIME_FORECAST_H

#include "runtime/program/program.h"

/* Of one rank and run: points that its kernels compute; messages and bytes that
 * it gets when all halos are stale. */
typedef struct ix_forecast {
    int64_t points, messages, bytes;
} ix_forecast;

/* A program, sizes and a grid, whose group need not reach anybody. */
typedef struct ix_outlook {
    ix_sections s;
    ilex_grid *grid; /* of runs: that of the sections if there are several */
    ix_index_box *width[IX_SECTIONS]; /* by argument */
    int64_t *work;
    int64_t *from;  /* a number that grows, and for each place that which it
                       was when a message came from there last */
    int64_t points; /* of a run that is not over ranks */
    int64_t bytes;  /* of all arguments */
} ix_outlook;

/* "o" is to be closed, also after an error. */
ilex_status ix_outlook_open(ix_outlook *o, const ilex_program *p,
                            ilex_grid *grid, const ilex_size_binding *sizes,
                            size_t count, ix_error *err);
void ix_outlook_close(ix_outlook *o);

/* What rank "rank" would do; false where a range leaves 64 bits. */
bool ix_outlook_rank(const ix_outlook *o, int rank, ix_forecast *f);

#endif
