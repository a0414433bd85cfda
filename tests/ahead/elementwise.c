/* SPDX-License-Identifier: MIT
 *
 * A program compiled ahead of time that calls functions of numbers of ours.
 * calls.sh builds it.
 */
#include <stdio.h>

#include "elementwise.h"
#include "elementwise_functions.h"

enum { N = 50 };

int
main(void)
{
    double t[N], p[N], r[N], s[N], f[N - 1], a[N - 2], h[N - 3];
    float c[9], e[9];
    int bad = 0;
    elementwise_args args;
    elementwise_args_init(&args);
    for (int i = 0; i < N; i++) {
        t[i] = 0.25 * i;
        p[i] = 3 - i;
        c[i % 9] = (float)(i % 9);
    }
    args.n = N;
    args.t.data = t;
    args.p.data = p;
    args.c.data = c;
    args.r.data = r;
    args.s.data = s;
    args.f.data = f;
    args.a.data = a;
    args.h.data = h;
    args.e.data = e;
    int rc = elementwise(&args);
    for (int i = 0; i < N && !rc; i++) {
        double sum = -0.0;
        for (int j = 0; j <= i; j++)
            sum += (eos(t[j], p[j]) - 1000) * eos(t[j], p[i]);
        bad += r[i] != 2 * (eos(t[i], p[i]) - 1000) + t[i] || s[i] != sum;
        bad += i >= 1 && f[i - 1] != gain(t[i], p[i]);
        bad += i >= 2 && a[i - 2] != eos(t[i], p[i]);
        bad += i >= 3 && h[i - 3] != eos(p[i], t[i]);
        bad += i < 9 && e[i] != dim(i > 0 ? c[i - 1] : 2);
    }
    printf("status %d, %d wrong\n", rc, bad);
    return rc || bad;
}
