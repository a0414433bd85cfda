/* SPDX-License-Identifier: MIT
 *
 * Who is told how many steps a run has made: a function for ilex_call, and what
 * it saw.
 */
#ifndef ILEX_TESTS_WATCH_H
#define ILEX_TESTS_WATCH_H

#include <check.h>
#include <stdint.h>

typedef struct watch {
    int64_t last, calls, cancel; /* at step "cancel" */
} watch;

static int
watched(void *user, int64_t step)
{
    watch *w = user;
    ck_assert_int_gt(step, w->last);
    w->last = step;
    w->calls++;
    return step == w->cancel;
}

#endif
