/* SPDX-License-Identifier: MIT
 *
 * How far a loop over steps is, of the run or of the program: one line on
 * standard error that is written over ten times a second, on a terminal alone,
 * from half a second on.
 */
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/base/clock.h"

#define PATIENCE 0.5 /* seconds without a word */
#define INTERVAL 0.1 /* seconds between two lines */

ix_cli_progress
ix_cli_progress_begin(void)
{
    double now = ix_clock();
    return (ix_cli_progress){
        .shown = isatty(2), .began = now, .told = now - INTERVAL + PATIENCE};
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

/* Is it time for another line? */
static bool
is_due(ix_cli_progress *p, double now)
{
    bool due = p->shown && now - p->told >= INTERVAL;
    if (due) {
        p->told = now;
        p->lines = true;
    }
    return due;
}

void
ix_cli_progress_tell(ix_cli_progress *p, const ix_cli_run *r)
{
    double now = ix_clock();
    if (r->steps == 1 || r->done == 0 || !is_due(p, now))
        return;
    double rest = (now - p->began) / (double)r->done;
    rest *= (double)(r->steps - r->done);
    fprintf(stderr, "\rstep %lld of %lld, %.1f s left\033[K",
            (long long)r->done, (long long)r->steps, rest);
    fflush(stderr);
}

int
ix_cli_progress_step(void *user, int64_t step)
{
    ix_cli_progress *p = user;
    double now = ix_clock();
    if (is_due(p, now)) {
        fprintf(stderr, "\rstep %lld of a loop of the program, %.1f s\033[K",
                (long long)step, now - p->began);
        fflush(stderr);
    }
    return 0;
}

void
ix_cli_progress_wipe(ix_cli_progress *p)
{
    if (p->lines)
        fputs("\r\033[K", stderr);
    p->lines = false;
}
