/* SPDX-License-Identifier: MIT
 *
 * Limited diffusion moves height about and neither makes nor loses any: on a
 * periodic field the mean stays what it was, to rounding, while the variance
 * shrinks. The field is made periodic in two ways, by `%` in the index with
 * constant sizes and by `where` with symbolic ones, which agree bit for bit,
 * and so do all back ends.
 */
#include <ilex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NI = 32, NJ = 24, STEPS = 100, COUNT = NI * NJ };

#define STEP                                                                   \
    "let lap = u[I+1] + u[I-1] + u[J+1] + u[J-1] - 4.0*u\n"                    \
    "let rx = lap[I+1] - lap\n"                                                \
    "let fx = where(rx*(u[I+1] - u) > 0.0, 0.0, rx)\n"                         \
    "let ry = lap[J+1] - lap\n"                                                \
    "let fy = where(ry*(u[J+1] - u) > 0.0, 0.0, ry)\n"

static const char *const programs[] = {
    "ilex 1\nprogram remainder\n"
    "in h : f64[I:32, J:24]\n"
    "map u[I=i:-2:34, J=j:-2:26] = h[i % 32, j % 24]\n" STEP
    "out v : f64[I:32, J:24] = u - 0.015625*(fx - fx[I-1] + fy - fy[J-1])\n",

    "ilex 1\nprogram cases\nsize n, m\nassume n >= 2 && m >= 2\n"
    "in h : f64[I:n, J:m]\n"
    "map a[I:-2:n+2, J:m] = "
    "where(I < 0, h[I+n, J], where(I >= n, h[I-n, J], h[I, J]))\n"
    "map u[I:-2:n+2, J:-2:m+2] = "
    "where(J < 0, a[I, J+m], where(J >= m, a[I, J-m], a[I, J]))\n" STEP
    "out v : f64[I:n, J:m] = u - 0.015625*(fx - fx[I-1] + fy - fy[J-1])\n"};

/* A rough field: hills with noise. */
static void
start(double *h)
{
    uint32_t x = 1;
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            x = x * 1664525u + 1013904223u;
            h[i * NJ + j] = 100 + 30 * sin(0.6 * i) * cos(0.4 * j) +
                            (double)(x >> 16) / 6553.6;
        }
}

/* Mean and variance, in long double: the sum is to be better than what it
 * judges. */
static void
moments(const double *h, double *mean, double *variance)
{
    long double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++)
        sum += h[i];
    for (int i = 0; i < COUNT; i++)
        squares += (h[i] - sum / COUNT) * (h[i] - sum / COUNT);
    *mean = (double)(sum / COUNT);
    *variance = (double)(squares / COUNT);
}

/* Runs all steps over "field", with a second one to swap it with. */
static ilex_status
smooth(ilex_context *ctx, const ilex_program *p, double *field)
{
    static double other[COUNT];
    int64_t shape[] = {NI, NJ};
    ilex_storage *now =
        ilex_storage_wrap(ctx, ILEX_F64, 2, shape, NULL, field, NULL, NULL);
    ilex_storage *next =
        ilex_storage_wrap(ctx, ILEX_F64, 2, shape, NULL, other, NULL, NULL);
    ilex_call call = {.size = sizeof call};
    ilex_status status = now && next ? ILEX_OK : ILEX_E_MEMORY;
    for (int step = 0; step < STEPS && status == ILEX_OK; step++) {
        ilex_binding arguments[] = {ILEX_BIND("h", now), ILEX_BIND("v", next)};
        ilex_storage *swap = now;
        status = ilex_run(p, arguments, 2, &call);
        now = next;
        next = swap;
    }
    if (status == ILEX_OK && STEPS % 2)
        memcpy(field, other, sizeof other);
    if (status != ILEX_OK)
        printf("%s\n", call.error);
    ilex_storage_release(now);
    ilex_storage_release(next);
    return status;
}

/* Checks one program on one back end; "*runs" counts those that ran, and the
 * first leaves its result in "first". Returns the number of failures. */
static int
check(const char *text, const char *jit, double *first, int *runs)
{
    static double field[COUNT];
    double mean[2], variance[2];
    ilex_context *ctx = ilex_context_new(NULL);
    ilex_module *m = NULL;
    if (ctx && ilex_option_set(ctx, "jit", jit) == ILEX_OK)
        m = ilex_module_parse(ctx, text, "conserve");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    int failed = 0;
    start(field);
    moments(field, &mean[0], &variance[0]);
    if (!p) {
        printf("%s: %s\n", jit, ctx ? ilex_error_text(ctx) : "no memory");
        failed = ctx && ilex_error_code(ctx) != ILEX_E_TOOLCHAIN &&
                 ilex_error_code(ctx) != ILEX_E_UNSUPPORTED;
    } else if (smooth(ctx, p, field) != ILEX_OK) {
        failed = 1;
    } else {
        moments(field, &mean[1], &variance[1]);
        failed += fabs(mean[1] - mean[0]) > 1e-12 * mean[0];
        failed += !(variance[1] < 0.98 * variance[0]);
        if ((*runs)++ == 0)
            memcpy(first, field, sizeof field);
        failed += memcmp(first, field, sizeof field) != 0;
        printf("%-9s %-9s mean %.13f -> %.13f, variance %.3f -> %.3f%s\n", jit,
               ilex_program_name(p), mean[0], mean[1], variance[0], variance[1],
               failed ? "  WRONG" : "");
    }
    ilex_program_release(p);
    ilex_module_free(m);
    ilex_context_free(ctx);
    return failed;
}

int
main(void)
{
    static const char *const backends[] = {"reference", "tcc", "cc"};
    static double first[COUNT];
    int failed = 0, runs = 0;
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < 2; i++)
            failed += check(programs[i], backends[b], first, &runs);
    return failed || runs < 2;
}
