/* SPDX-License-Identifier: MIT
 *
 * Conjugate gradients for the Poisson equation on a square with values of 0
 * around it, written as on paper: each line is an expression on storages, of
 * which Ilex makes one program.
 *
 *     conjugate_gradients [N [PICTURE.png]]
 */
#include <ilex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static ilex_context *ctx;

static ilex_storage *
need(ilex_storage *s)
{
    if (s)
        return s;
    fprintf(stderr, "conjugate_gradients: %s\n", ilex_error_text(ctx));
    exit(1);
}

/* Puts a new storage in the place of an old one. */
static void
set(ilex_storage **old, ilex_storage *new)
{
    ilex_storage_release(*old);
    *old = need(new);
}

static double
value_of(const ilex_storage *s)
{
    return *(const double *)ilex_storage_const_data(s);
}

int
main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoi(argv[1]) : 100;
    double one = 1;
    int steps = 0;
    ctx = ilex_context_new(NULL);
    if (!ctx)
        return 1;

    /* right-hand side 1, first guess 0 */
    ilex_storage_spec grid = {.size = sizeof grid,
                              .rank = 2,
                              .shape = (int64_t[]){n, n},
                              .axes = "IJ",
                              .fill = &one};
    ilex_storage *r = need(ilex_storage_new(ctx, &grid));
    ilex_storage *x = need(ilex_storage_zeros_like(ctx, r));
    ilex_storage *p = need(ilex_storage_copy(ctx, r));
    ilex_storage *rr = need(ilex_eval(ctx, "sum(r*r)", "r", r, NULL));
    ilex_storage *q = NULL, *a = NULL, *next = NULL;
    double first = value_of(rr);

    for (; value_of(rr) > 1e-20 * first && steps < 10 * n; steps++) {
        set(&q, ilex_eval(ctx,
                          "4.0*p - p[I+1; 0.0] - p[I-1; 0.0] - p[J+1; 0.0]"
                          " - p[J-1; 0.0]",
                          "p", p, NULL));
        set(&a, ilex_eval(ctx, "rr/sum(p*q)", "rr", rr, "p", p, "q", q, NULL));
        set(&x, ilex_eval(ctx, "x + a*p", "x", x, "a", a, "p", p, NULL));
        set(&r, ilex_eval(ctx, "r - a*q", "r", r, "a", a, "q", q, NULL));
        set(&next, ilex_eval(ctx, "sum(r*r)", "r", r, NULL));
        set(&p, ilex_eval(ctx, "r + next/rr*p", "r", r, "next", next, "rr", rr,
                          "p", p, NULL));
        ilex_storage *swap = rr;
        rr = next;
        next = swap;
    }

    ilex_storage *top = need(ilex_eval(ctx, "max(x)", "x", x, NULL));
    printf("%lld x %lld: %d steps, residual %.1e, the middle is %.6f high\n",
           (long long)n, (long long)n, steps, sqrt(value_of(rr) / first),
           value_of(top) / (double)((n + 1) * (n + 1)));
    if (argc > 2 && ilex_png_write(ctx, argv[2], x, NULL))
        need(NULL);
    bool solved = value_of(rr) <= 1e-20 * first;
    ilex_storage *const all[] = {r, x, p, rr, q, a, next, top};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ilex_storage_release(all[i]);
    ilex_context_free(ctx);
    return !solved;
}
