/* SPDX-License-Identifier: MIT
 *
 * How the compiler grows: seconds to build graphs of several shapes and to
 * lower them to C, at four sizes, each twice the one before, with the exponent
 * of the growth from the first to the last; then a million nodes built, and
 * half a million printed and parsed. Medians of repeated measurements.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/measure/bench_util.h"

enum { SIZES = 4 };

/* ---- shapes: the last of "n" operations ---- */

/* By what y becomes y of w. */
static ilex_array *
combine(int i, ilex_array *y, ilex_array *w)
{
    switch (i % 3) {
    case 0:
        return ilex_add(y, w);
    case 1:
        return ilex_subtract(y, w);
    default:
        return ilex_multiply(y, w);
    }
}

/* Each uses the one before. */
static ilex_array *
chain(ilex_context *ctx, int n)
{
    ilex_array *y = ilex_input(ctx, "x", ILEX_F64, "n"),
               *w = ilex_input(ctx, "w", ILEX_F64, "n");
    for (int i = 0; i < n; i++)
        y = combine(i, y, w);
    return y;
}

/* Sums of pairs of what is not summed yet. */
static ilex_array *
tree(ilex_context *ctx, int n)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    int count = n / 2;
    ilex_array **y = malloc((size_t)count * sizeof(ilex_array *));
    for (int i = 0; i < count; i++)
        y[i] = ilex_multiply(x, ilex_lit(ctx, i + 2.5));
    for (; count > 1; count = (count + 1) / 2)
        for (int i = 0; i < count; i += 2)
            y[i / 2] = i + 1 < count ? ilex_add(y[i], y[i + 1]) : y[i];
    x = y[0];
    free(y);
    return x;
}

/* Values that are all used three times. */
static ilex_array *
ladder(ilex_context *ctx, int n)
{
    ilex_array *y = ilex_input(ctx, "x", ILEX_F64, "n"),
               *half = ilex_lit(ctx, 0.5);
    for (int i = 0; i < n / 3; i++)
        y = ilex_add(ilex_multiply(y, y), ilex_multiply(half, y));
    return y;
}

/* Each uses the one before and one of the thirty before that. */
static ilex_array *
dag(ilex_context *ctx, int n)
{
    enum { REACH = 32 };
    ilex_array *last[REACH], *y = NULL;
    for (int i = 0; i < REACH; i++)
        last[i] = ilex_input(ctx, i % 2 ? "x" : "w", ILEX_F64, "n");
    y = last[0];
    for (int i = 0; i < n; i++) {
        y = combine(i, y, last[(int)((long)i * 7919 % REACH)]);
        last[i % REACH] = y;
    }
    return y;
}

/* Stencils of three points, one of the other. */
static ilex_array *
stencils(ilex_context *ctx, int n)
{
    char domain[64];
    snprintf(domain, sizeof domain, "I:-%d:n+%d", n / 4, n / 4);
    ilex_array *y = ilex_input(ctx, "x", ILEX_F64, domain),
               *half = ilex_lit(ctx, 0.5), *quarter = ilex_lit(ctx, 0.25);
    for (int i = 0; i < n / 4; i++) {
        ilex_array *sides =
            ilex_add(ilex_shift(y, "I", -1), ilex_shift(y, "I", 1));
        y = ilex_add(ilex_multiply(quarter, sides), ilex_multiply(half, y));
    }
    return ilex_restrict(y, "I:n");
}

/* Parts one after another. */
static ilex_array *
parts(ilex_context *ctx, int n)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y;
    ilex_array **part = malloc((size_t)n * sizeof(ilex_array *));
    for (int i = 0; i < n; i++)
        part[i] = ilex_add(x, ilex_lit(ctx, i + 0.5));
    y = ilex_concat(ctx, n, part, NULL);
    free(part);
    return y;
}

static const struct {
    const char *name;
    ilex_array *(*build)(ilex_context *, int);
    int most;
} shapes[] = {{"chain", chain, 100000},       {"tree", tree, 100000},
              {"ladder", ladder, 100000},     {"random graph", dag, 10000},
              {"stencils", stencils, 100000}, {"concat", parts, 1000}};

/* ---- timing ---- */

static ilex_context *
new_context(void)
{
    ilex_context *ctx = ilex_context_new(NULL);
    if (ctx) {
        ilex_option_set(ctx, "jit", "tcc");
        ilex_option_set(ctx, "reuse", "0");
        ilex_size(ctx, "n");
    }
    return ctx;
}

/* Builds and lowers a shape of "n" operations; 0 and a message on error. */
static int
time_shape(int shape, int n, bench_samples *build, bench_samples *lower)
{
    ilex_context *ctx = new_context();
    if (!ctx)
        return 0;
    double start = bench_now();
    ilex_array *y = shapes[shape].build(ctx, n);
    bench_add(build, bench_now() - start);
    ilex_program *p = y ? ilex_compile(ctx, 1, &y, NULL) : NULL;
    if (p)
        bench_add(lower, ilex_program_lower_seconds(p));
    else
        fprintf(stderr, "%s of %d: %s\n", shapes[shape].name, n,
                ilex_error_text(ctx));
    ilex_program_release(p);
    ilex_context_free(ctx);
    return p != NULL;
}

static int
measure_shape(int shape, int times)
{
    double first = 0, last = 0;
    for (int k = SIZES - 1; k >= 0; k--) {
        static bench_samples build, lower;
        int n = shapes[shape].most >> k;
        for (int i = 0; i < times; i++)
            if (!time_shape(shape, n, &build, &lower))
                return 0;
        bench_summary b = bench_summarize(&build), l = bench_summarize(&lower);
        printf("%-14s %8d %10.1f %10.1f\n", shapes[shape].name, n,
               1e3 * b.median, 1e3 * l.median);
        build.count = lower.count = 0;
        last = l.median;
        first = k == SIZES - 1 ? last : first;
    }
    printf("%-14s grows as n^%.2f\n", shapes[shape].name,
           log2(last / first) / (SIZES - 1));
    fflush(stdout);
    return 1;
}

/* ---- many nodes ---- */

static int
measure_build(int n)
{
    ilex_context *ctx = new_context();
    double start = bench_now();
    int ok = ctx && ilex_error_code(ctx) == ILEX_OK && chain(ctx, n) != NULL;
    printf("%-40s %8.2f s\n", "1,000,000 operations built",
           bench_now() - start);
    ilex_context_free(ctx);
    return ok;
}

static int
measure_text(int n)
{
    ilex_context *ctx = new_context(), *other = new_context();
    ilex_module *m = ilex_module_new(ctx, "many"), *again = NULL;
    ilex_module_output(m, "y", tree(ctx, n), NULL);
    double start = bench_now();
    char *text = ilex_module_print(m);
    double printed = bench_now();
    if (text)
        again = ilex_module_parse(other, text, "many");
    double parsed = bench_now();
    printf("%-40s %8.2f s\n%-40s %8.2f s\n", "500,000 operations printed",
           printed - start, "500,000 operations parsed", parsed - printed);
    int ok = again != NULL;
    if (!ok)
        fprintf(stderr, "%s\n", ilex_error_text(text ? other : ctx));
    ilex_text_free(ctx, text);
    ilex_module_free(again);
    ilex_module_free(m);
    ilex_context_free(other);
    ilex_context_free(ctx);
    return ok;
}

int
main(int argc, char **argv)
{
    int quick = argc == 2 && strcmp(argv[1], "-q") == 0, ok = 1;
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: scale [-q]\n");
        return 2;
    }
    printf("%-14s %8s %10s %10s  (medians)\n", "shape", "n", "build ms",
           "lower ms");
    for (int i = 0; ok && i < (int)(sizeof shapes / sizeof *shapes); i++)
        ok = measure_shape(i, quick ? 1 : 5);
    ok = ok && measure_build(1000000) && measure_text(500000);
    return !ok;
}
