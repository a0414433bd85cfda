/* SPDX-License-Identifier: MIT
 *
 * How far a loop over steps is: one line on standard error that is written over
 * ten times a second, on a terminal alone, from half a second on.
 */
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/base/clock.h"

#define PATIENCE 0.5 /* seconds without a word */
#define INTERVAL 0.1 /* seconds between two lines */

ix_cli_progress
ix_cli_progress_begin(const ix_cli_run *r)
{
    double now = ix_clock();
    return (ix_cli_progress){.shown = r->steps > 1 && isatty(2),
                             .began = now,
                             .told = now - INTERVAL + PATIENCE};
}

int64_t
ix_cli_progress_steps(const ix_cli_progress *p, const ix_cli_run *r,
                      int64_t most)
{
    if (!p->shown || most <= 1)
        return most;
    double each = (ix_clock() - p->began) / (double)(r->done ? r->done : 1);
    if (r->done == 0 || each * (double)most < INTERVAL)
        return r->done == 0 ? 1 : most;
    int64_t n = (int64_t)(INTERVAL / each);
    return n < 1 ? 1 : n > most ? most : n;
}

void
ix_cli_progress_tell(ix_cli_progress *p, const ix_cli_run *r)
{
    double now = ix_clock();
    if (!p->shown || now - p->told < INTERVAL || r->done == 0)
        return;
    double rest = (now - p->began) / (double)r->done;
    rest *= (double)(r->steps - r->done);
    fprintf(stderr, "\rstep %lld of %lld, %.1f s left\033[K",
            (long long)r->done, (long long)r->steps, rest);
    fflush(stderr);
    p->told = now;
    p->lines = true;
}

void
ix_cli_progress_wipe(ix_cli_progress *p)
{
    if (p->lines)
        fputs("\r\033[K", stderr);
    p->lines = false;
}
