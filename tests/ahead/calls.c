/* SPDX-License-Identifier: MIT
 *
 * A program compiled ahead of time that calls a function of ours, three times:
 * what it is given, what becomes of its results, and of its failures. calls.sh
 * builds it.
 */
#include <stdio.h>
#include <string.h>

#include "foreign.h"

enum { N = 50 };

static int calls, status, bad;
static double u[N + 4], v[N], w[N];
static int32_t k;
static char text[200];

/* r[i] = u[i-1]*s + u[i+1], and how many; u has a halo of one point. */
int
filter(const ilex_function_call *call)
{
    const ilex_function_array *a = call->argument, *r = call->result;
    const double *from = (const double *)a[0].data;
    const double *s = (const double *)a[1].data;
    calls++;
    if (call->size != sizeof *call || call->argument_count != 2 ||
        call->result_count != 2 || call->user || call->device != -1 ||
        *call->error || a[0].rank != 1 || a[1].rank != 0 ||
        a[0].lower[0] != -1 || r[0].lower[0] != 0 ||
        a[0].shape[0] != r[0].shape[0] + 2 || a[0].dtype != r[0].dtype)
        bad++;
    for (int64_t i = 0; i < r[0].shape[0]; i++)
        ((double *)r[0].data)[i * r[0].stride[0]] =
            from[i * a[0].stride[0]] * *s + from[(i + 2) * a[0].stride[0]];
    *(int32_t *)r[1].data = (int32_t)r[0].shape[0] + calls;
    if (status)
        snprintf(call->error, call->error_bytes, "no more of %d", calls);
    return status;
}

static double
filtered(int i, double factor, double s)
{
    return factor * u[i + 1] * s + factor * u[i + 3];
}

static void
check(int good, const char *what)
{
    if (!good) {
        printf("%s; %s\n", what, text);
        bad++;
    }
}

int
main(void)
{
    foreign_args args;
    int wrong = 0;
    for (int i = 0; i < N + 4; i++)
        u[i] = i * i % 17 / 3.0;
    foreign_args_init(&args);
    args.u.data = u;
    args.u.shape[0] = N + 4;
    args.s = 0.7;
    args.v.data = v;
    args.w.data = w;
    args.k.data = &k;
    args.error = text;
    args.error_bytes = sizeof text;
    check(foreign(&args) == 0 && (calls == 2 || calls == 3), "a run");
    for (int i = 0; i < N; i++) {
        double a = filtered(i, 1.0, 0.7), b = filtered(i, 2.0, 1.7);
        wrong += v[i] != a + b || w[i] != a - b;
    }
    check(wrong == 0 && k > N, "results are others");
    status = 7;
    calls = 0;
    check(foreign(&args) == FOREIGN_E_FUNCTION && calls == 1 &&
              strstr(text, "filter failed with status 7: no more of 1"),
          "a failure is no error");
    check(!strcmp(foreign_error_text(FOREIGN_E_FUNCTION),
                  "a foreign function failed"),
          "what the error means");
    calls = 0;
    status = 0;
    check(foreign_dense(0, u, 1.0, v, w, &k) == 0 && calls == 2,
          "a run over nothing but a count");
    return bad != 0;
}
