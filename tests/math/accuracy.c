/* SPDX-License-Identifier: MIT
 *
 * How exact the elementary functions are, beyond what `make check` looks at:
 *
 *     accuracy [--count=N] [--step=S] [NAME...]
 *
 * N arguments of f64 (10^8) and every S-th number of f32 (each), by default
 * for all functions. A line a function and dtype: the largest error in units
 * of the last place, where, and on f32 how many results are not the correctly
 * rounded ones. libm's long double is the filter; MPFR decides where that is
 * close to the middle of two numbers of f32, and confirms each larger error.
 */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ops/functions.h"

#include "lib/ops/eval_types.h"
#include "tests/math/arguments.h"

/* the order of includes counts */
/* clang-format off */
#define D f64
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_exp.inc"
#include "lib/ops/elementary_log.inc"
#include "lib/ops/elementary_power.inc"
#include "lib/ops/elementary_trig.inc"
#include "lib/ops/elementary_arc.inc"
#include "lib/ops/elementary_gamma.inc"
#undef D
#define D f32
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_f32.inc"
#undef D
/* clang-format on */

/* ---- the table ---- */

static long double
logaddexpl(long double x, long double y)
{
    long double d = x == y ? 0 : fabsl(x - y);
    return (x > y ? x : y) + log1pl(expl(-d));
}

static void
mpfr_logaddexp(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode)
{
    mpfr_t large;
    mpfr_init2(large, 64);
    mpfr_max(large, x, y, mode);
    mpfr_sub(r, x, y, mode);
    mpfr_abs(r, r, mode);
    mpfr_neg(r, r, mode);
    mpfr_exp(r, r, mode);
    mpfr_log1p(r, r, mode);
    mpfr_add(r, r, large, mode);
    mpfr_clear(large);
}

static void
mpfr_log_gamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode)
{
    int sign;
    mpfr_lgamma(r, &sign, x, mode);
}

#define MATH_1(ENUM, name, libm, mpfr, low, high, ulp, ulp32, on_f64, on_f32)  \
    static double double_##ENUM(double x, double y)                            \
    {                                                                          \
        (void)y;                                                               \
        return name##_f64(x);                                                  \
    }                                                                          \
    static float float_##ENUM(float x, float y)                                \
    {                                                                          \
        (void)y;                                                               \
        return name##_f32(x);                                                  \
    }                                                                          \
    static long double long_##ENUM(long double x, long double y)               \
    {                                                                          \
        (void)y;                                                               \
        return libm##l(x);                                                     \
    }                                                                          \
    static void mpfr_##ENUM(mpfr_t r, const mpfr_t x, const mpfr_t y)          \
    {                                                                          \
        (void)y;                                                               \
        mpfr_##mpfr(r, x, MPFR_RNDN);                                          \
    }
#define MATH_2(ENUM, name, libm, mpfr, low, high, low2, high2, ulp, ulp32,     \
               on_f64, on_f32)                                                 \
    static double double_##ENUM(double x, double y)                            \
    {                                                                          \
        return name##_f64(x, y);                                               \
    }                                                                          \
    static float float_##ENUM(float x, float y)                                \
    {                                                                          \
        return name##_f32(x, y);                                               \
    }                                                                          \
    static long double long_##ENUM(long double x, long double y)               \
    {                                                                          \
        return libm##l(x, y);                                                  \
    }                                                                          \
    static void mpfr_##ENUM(mpfr_t r, const mpfr_t x, const mpfr_t y)          \
    {                                                                          \
        mpfr_##mpfr(r, x, y, MPFR_RNDN);                                       \
    }
#include "tests/math/functions.def"

typedef struct function {
    const char *name;
    double (*on_f64)(double, double);
    float (*on_f32)(float, float);
    long double (*near)(long double, long double);
    void (*exact)(mpfr_t r, const mpfr_t x, const mpfr_t y);
    int arity;
    double low, high, low2, high2;
} function;

static const function functions[] = {
#define MATH_1(ENUM, name, libm, mpfr, low, high, ulp, ulp32, on_f64, on_f32)  \
    {#name, double_##ENUM, float_##ENUM, long_##ENUM, mpfr_##ENUM,             \
     1,     low,           high,         0,           0},
#define MATH_2(ENUM, name, libm, mpfr, low, high, low2, high2, ulp, ulp32,     \
               on_f64, on_f32)                                                 \
    {#name, double_##ENUM, float_##ENUM, long_##ENUM, mpfr_##ENUM,             \
     2,     low,           high,         low2,        high2},
#include "tests/math/functions.def"
};

/* ---- errors ---- */

static mpfr_t arg[2], result, difference;

typedef struct worst {
    double error, x, y;
    uint64_t wrong, count;
} worst;

/* The unit of the last place of numbers of the size of "want". */
static long double
unit_of(int single, long double want)
{
    int e, least = single ? -149 : -1074;
    (void)frexpl(want, &e);
    e -= single ? 24 : 53;
    return ldexpl(1, e > least ? e : least);
}

/* What MPFR makes of it. */
static void
compute_exactly(const function *f, double x, double y)
{
    mpfr_set_d(arg[0], x, MPFR_RNDN);
    mpfr_set_d(arg[1], y, MPFR_RNDN);
    f->exact(result, arg[0], arg[1]);
}

/* By what an error is measured: near 0 that of logaddexp by the operands, that
 * of lgamma between its poles by 1. */
static long double
size_of(const function *f, double x, double y, long double want)
{
    if (strcmp(f->name, "lgamma") == 0 && x < 0)
        return fmaxl(fabsl(want), 1);
    bool cancels = strcmp(f->name, "logaddexp") == 0;
    return cancels ? fmaxl(fabsl(want), fmaxl(fabsl(x), fabsl(y))) : want;
}

static double
exact_error(const function *f, int single, double x, double y, double got)
{
    compute_exactly(f, x, y);
    long double want = mpfr_get_ld(result, MPFR_RNDN);
    mpfr_sub_d(difference, result, got, MPFR_RNDN);
    long double unit = unit_of(single, size_of(f, x, y, want));
    return fabs((double)(mpfr_get_ld(difference, MPFR_RNDN) / unit));
}

/* Notes the error of f(x, y) = got where it is the largest so far. */
static void
note(worst *w, const function *f, int single, double x, double y, double got,
     long double want)
{
    double near = single ? (float)want : (double)want;
    if (near - near != 0 || got - got != 0) {
        if (near != got && (near == near || got == got)) {
            w->error = INFINITY;
            w->x = x;
            w->y = y;
        }
        return;
    }
    double error =
        fabs((double)((got - want) / unit_of(single, size_of(f, x, y, want))));
    if (error <= w->error)
        return;
    error = exact_error(f, single, x, y, got);
    if (error > w->error)
        *w = (worst){error, x, y, w->wrong, w->count};
}

/* The number of f32 next to f(x, y). */
static float
rounded(const function *f, float x, float y, long double near)
{
    float low = (float)(near * (1 - 0x1p-57L));
    float high = (float)(near * (1 + 0x1p-57L));
    if (low == high || near != near)
        return low;
    compute_exactly(f, x, y);
    return mpfr_get_flt(result, MPFR_RNDN);
}

/* ---- functions ---- */

static void
try_single(worst *w, const function *f, float x, float y)
{
    float got = f->on_f32(x, y);
    long double near = f->near(x, y);
    float want = rounded(f, x, y, near);
    w->count++;
    w->wrong += got != want && (got == got || want == want);
    if (got != want)
        note(w, f, 1, x, y, got, near);
}

static void
print(const function *f, int single, const worst *w)
{
    printf("%-10s %s  %.4f at %a", f->name, single ? "f32" : "f64", w->error,
           w->x);
    if (f->arity > 1)
        printf(", %a", w->y);
    if (single)
        printf("; %llu of %llu not correctly rounded",
               (unsigned long long)w->wrong, (unsigned long long)w->count);
    printf("\n");
    fflush(stdout);
}

static void
measure(const function *f, int64_t count, int64_t step)
{
    math_random r = math_start();
    worst w = {0, 0, 0, 0, 0};
    for (int64_t i = 0; i < count; i++) {
        double x = math_argument(&r, f->low, f->high, 0);
        double y = f->arity > 1 ? math_second(&r, x, f->low2, f->high2, 0) : 0;
        note(&w, f, 0, x, y, f->on_f64(x, y), f->near(x, y));
    }
    print(f, 0, &w);
    w = (worst){0.5, 0, 0, 0, 0};
    for (int64_t i = 0; f->arity == 1 && i < (int64_t)1 << 32; i += step) {
        uint32_t bits = (uint32_t)i;
        float x;
        memcpy(&x, &bits, sizeof x);
        try_single(&w, f, x, 0);
    }
    for (int64_t i = 0; f->arity > 1 && i < count; i++) {
        float x = (float)math_argument(&r, f->low, f->high, 1);
        try_single(&w, f, x, (float)math_second(&r, x, f->low2, f->high2, 1));
    }
    print(f, 1, &w);
}

int
main(int argc, char **argv)
{
    int64_t count = 100000000, step = 1;
    int named = 0;
    mpfr_inits2(200, arg[0], arg[1], result, difference, (mpfr_ptr)0);
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--count=", 8) == 0)
            count = atoll(argv[k] + 8);
        else if (strncmp(argv[k], "--step=", 7) == 0)
            step = atoll(argv[k] + 7);
        else
            named++;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int k = named ? 1 : argc - 1; k < argc; k++)
            if (!named || strcmp(argv[k], functions[i].name) == 0)
                measure(&functions[i], count, step);
    mpfr_clears(arg[0], arg[1], result, difference, (mpfr_ptr)0);
    return 0;
}
