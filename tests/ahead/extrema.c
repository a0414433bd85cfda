/* SPDX-License-Identifier: MIT
 *
 * A program compiled ahead of time whose bounds are a min or max of sizes, for
 * all small sizes, and with code for one choice of them. calls.sh builds it.
 */
#include <stdio.h>
#include <string.h>

#include "extrema.h"

enum { MOST = 12 };

static double u[MOST], v[MOST], x[MOST], y[MOST];
static char text[300];
static int bad;

static void
check(int good, const char *what, int n, int m)
{
    if (!good) {
        printf("n=%d, m=%d: %s; %s\n", n, m, what, text);
        bad++;
    }
}

static extrema_args
arguments(int n, int m)
{
    extrema_args a;
    extrema_args_init(&a);
    for (int i = 0; i < MOST; i++) {
        u[i] = i + 1;
        v[i] = i % 3;
        x[i] = y[i] = -1;
    }
    a.u.data = u;
    a.u.shape[0] = n;
    a.v.data = v;
    a.v.shape[0] = m;
    a.x.data = x;
    a.y.data = y;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

static void
run(int n, int m)
{
    int from = n > 3 ? n - 3 : 0, to = n < m + 1 ? n : m + 1, wrong = 0;
    int common = n < m ? n : m, rc;
    extrema_args a = arguments(n, m);
    *text = 0;
    rc = extrema(&a);
    if (n > m && n > 8) {
        check(rc == EXTREMA_E_ASSUMPTION && strstr(text, "max(m, 8) >= n"),
              "an assumption is violated", n, m);
        return;
    }
    for (int i = 0; i < MOST; i++) {
        int inside = from + i < to;
        wrong += x[i] != (inside ? 2.0 * u[from + i] : -1.0);
        wrong += y[i] != (i < m ? common * (common + 1) / 2 * v[i] : -1.0);
    }
    check(rc == 0 && wrong == 0, "other results", n, m);
}

int
main(void)
{
    for (int n = 0; n < MOST; n++)
        for (int m = 0; m < MOST; m++)
            run(n, m);
    return bad != 0;
}
