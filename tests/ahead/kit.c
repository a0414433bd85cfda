/* SPDX-License-Identifier: MIT
 *
 * Plans of programs compiled ahead of time, from two libraries: what they run
 * is what the function runs, what is wrong is said, and nothing is written.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frost_scaled.h"
#include "frost_sums.h"
#include "heat_many.h"
#include "heat_s2.h"
#include "heat_scaled.h"

enum { N = 5, M = 4, WIDE = (N + 2) * (M + 2) };

static int bad;
static char text[400];

static void
expect(int right, const char *what)
{
    if (right)
        return;
    bad++;
    printf("%s: %s\n", what, text);
}

static double u[WIDE], other[WIDE], v[N * M], want[N * M], room[N * M + 1];

static void
fill(double *a, int seed)
{
    for (int i = 0; i < WIDE; i++)
        a[i] = (i * seed) % 17;
}

static heat_scaled_args
arguments(void)
{
    heat_scaled_args a;
    heat_scaled_args_init(&a);
    a.n = N;
    a.m = M;
    a.c = 2;
    a.u.data = u;
    a.v.data = v;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

static int
is_wanted(const double *got, double c, const double *from)
{
    heat_scaled_dense(N, M, c, from, want);
    return memcmp(got, want, sizeof want) == 0;
}

static void
try_plan(void)
{
    heat_scaled_args a = arguments();
    heat_scaled_plan plan;
    expect(heat_scaled_prepare(&plan, &a) == 0, "a plan is made");
    a.u.data = NULL; /* the plan has its own */
    expect(heat_scaled_run(&plan) == 0 && is_wanted(v, 2, u), "a plan runs");
    fill(u, 5);
    plan.args.c = 3;
    expect(heat_scaled_run(&plan) == 0 && is_wanted(v, 3, u),
           "a plan sees numbers and elements of now");
    expect(heat_scaled_point(&plan, 1, other) == 0 &&
               heat_scaled_run(&plan) == 0 && is_wanted(v, 3, other),
           "an array lies elsewhere");
    expect(heat_scaled_point(&plan, 2, room) == 0 &&
               heat_scaled_run(&plan) == 0 && is_wanted(room, 3, other),
           "an output lies elsewhere");
    expect(heat_scaled_point(&plan, 2, (char *)room + 1) ==
               HEAT_SCALED_E_ALIGNMENT,
           "an output is not aligned");
    expect(heat_scaled_point(&plan, 2, other + 3) == HEAT_SCALED_E_OVERLAP &&
               strstr(text, "heat_scaled: output v overlaps argument u"),
           "an output overlaps an input");
    expect(heat_scaled_point(&plan, 1, NULL) == HEAT_SCALED_E_BINDING,
           "an input is nowhere");
    expect(heat_scaled_point(&plan, 3, u) == HEAT_SCALED_E_ARGUMENT,
           "no such array");
    memset(room, 0, sizeof room);
    expect(heat_scaled_run(&plan) == 0 && is_wanted(room, 3, other),
           "after errors arrays are where they were");
}

static void
try_wrong_plan(void)
{
    heat_scaled_args a = arguments();
    heat_scaled_plan plan;
    a.u.shape[0] = N; /* its halo is missing */
    expect(heat_scaled_prepare(&plan, &a) != 0, "a wrong plan is refused");
    memset(v, 7, sizeof v);
    expect(heat_scaled_run(&plan) == HEAT_SCALED_E_ARGUMENT, "it does not run");
    expect(heat_scaled_point(&plan, 1, u) == HEAT_SCALED_E_ARGUMENT,
           "nor move");
}

/* A plan points into itself; what is NULL is no argument. */
static void
try_copied_plan(void)
{
    heat_scaled_args a = arguments();
    heat_scaled_plan plan, copy;
    expect(heat_scaled_prepare(&plan, &a) == 0, "a plan is made");
    copy = plan;
    expect(heat_scaled_run(&copy) == HEAT_SCALED_E_ARGUMENT &&
               heat_scaled_point(&copy, 1, u) == HEAT_SCALED_E_ARGUMENT,
           "a copy of a plan is none");
    expect(heat_scaled_point(&plan, 0, u) == HEAT_SCALED_E_ARGUMENT,
           "a number lies where it is");
    heat_scaled_args_init(NULL);
    expect(heat_scaled_prepare(NULL, &a) == HEAT_SCALED_E_ARGUMENT &&
               heat_scaled_prepare(&plan, NULL) == HEAT_SCALED_E_ARGUMENT &&
               heat_scaled_run(NULL) == HEAT_SCALED_E_ARGUMENT &&
               heat_scaled_point(NULL, 1, u) == HEAT_SCALED_E_ARGUMENT,
           "nothing is no plan");
}

/* Temporaries, indices that are data: checked in each run. */
static void
try_sums(void)
{
    static double x[] = {1, 2, 3, 4, 5, 6}, y[3];
    static int64_t at[] = {2, 0, 1};
    frost_sums_args a;
    frost_sums_plan plan;
    frost_sums_args_init(&a);
    a.n = 3;
    a.m = 2;
    a.x.data = x;
    a.at.data = at;
    a.y.data = y;
    a.error = text;
    a.error_bytes = sizeof text;
    expect(frost_sums_prepare(&plan, &a) == 0, "sums are prepared");
    for (int i = 0; i < 3; i++)
        expect(frost_sums_run(&plan) == 0 && y[0] == 1 && y[1] == 3.0 / 11,
               "sums run again");
    at[1] = 3;
    expect(frost_sums_run(&plan) == FROST_SUMS_E_BOUNDS &&
               strstr(text, "frost_sums: index 3 of "),
           "an index is outside");
    at[1] = 1;
    expect(frost_sums_run(&plan) == 0 && y[1] == 7.0 / 11, "and is not again");
}

/* Lengths are counted anew in each run. */
static void
try_many(void)
{
    static double x[] = {1, -2, 3, -4}, y[4];
    int64_t n = -1;
    heat_many_args a;
    heat_many_plan plan;
    heat_many_args_init(&a);
    a.n = 4;
    a.x.data = x;
    a.y.data = y;
    a.y.shape[0] = 4;
    a.k = &n;
    expect(heat_many_prepare(&plan, &a) == 0 && heat_many_run(&plan) == 0 &&
               n == 2 && y[1] == 3,
           "two are counted");
    x[3] = 4;
    expect(heat_many_run(&plan) == 0 && n == 3 && y[2] == 4, "three are");
}

int
main(void)
{
    fill(u, 3);
    fill(other, 7);
    try_plan();
    try_wrong_plan();
    try_copied_plan();
    try_sums();
    try_many();
    double a[N * M], b[N * M];
    expect(frost_scaled_dense(N, M, 1, u, a) == 0 &&
               heat_scaled_dense(N, M, 1, u, b) == 0 &&
               memcmp(a, b, sizeof a) == 0 && heat_s2_dense(N, M, u, b) == 0 &&
               memcmp(a, b, sizeof a) != 0,
           "two libraries are beside one another");
    expect(heat_scaled_selftest() == 0 && frost_sums_selftest() == 0,
           "selftest");
    return bad != 0;
}
