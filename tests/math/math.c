/* SPDX-License-Identifier: MIT
 *
 * Elementary functions: known results, errors against libm's long double, and
 * the bits of a million results each, by the evaluator and by TinyCC. What
 * other compilers make of the same text: compilers.sh.
 *
 *     math [NAME...]
 *
 * prints one TAP line a function.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/eager/eager.h"
#include "tests/math/arguments.h"

enum { HASHED = 1000000, MEASURED = 100000, COMPILED = 50000 };

/* ---- the table ---- */

static long double
logaddexpl(long double x, long double y)
{
    long double d = x == y ? 0 : fabsl(x - y);
    return (x > y ? x : y) + log1pl(expl(-d));
}

#define MATH_1(ENUM, name, libm, mpfr, low, high, ulp, ulp32, on_f64, on_f32)  \
    static long double exact_##ENUM(long double x, long double y)              \
    {                                                                          \
        (void)y;                                                               \
        return libm##l(x);                                                     \
    }
#define MATH_2(ENUM, name, libm, mpfr, low, high, low2, high2, ulp, ulp32,     \
               on_f64, on_f32)                                                 \
    static long double exact_##ENUM(long double x, long double y)              \
    {                                                                          \
        return libm##l(x, y);                                                  \
    }
#include "tests/math/functions.def"

typedef struct function {
    ix_op op;
    const char *name;
    int arity;
    long double (*exact)(long double, long double);
    double low, high, low2, high2, ulp[2];
    uint64_t hash[2];
} function;

static const function functions[] = {
#define MATH_1(ENUM, name, libm, mpfr, low, high, ulp, ulp32, on_f64, on_f32)  \
    {IX_OP_##ENUM, #name, 1, exact_##ENUM, low,                                \
     high,         0,     0, {ulp, ulp32}, {on_f64, on_f32}},
#define MATH_2(ENUM, name, libm, mpfr, low, high, low2, high2, ulp, ulp32,     \
               on_f64, on_f32)                                                 \
    {IX_OP_##ENUM, #name, 2,     exact_##ENUM, low,                            \
     high,         low2,  high2, {ulp, ulp32}, {on_f64, on_f32}},
#include "tests/math/functions.def"
};

static const struct {
    ix_op op;
    double x, y, result;
} specials[] = {
#define SPECIAL(ENUM, x, y, result) {IX_OP_##ENUM, x, y, result},
#include "tests/math/special.def"
};

/* ---- one result ---- */

static ilex_dtype
dtype_of(bool single)
{
    return single ? ILEX_F32 : ILEX_F64;
}

static double
evaluate(const function *f, bool single, double x, double y)
{
    ix_value args[2] = {{.f = x}, {.f = y}}, r;
    ix_op_eval(f->op, dtype_of(single), args, &r);
    return r.f;
}

static bool
same(double a, double b)
{
    return (a != a && b != b) || (a == b && !signbit(a) == !signbit(b));
}

/* How far "got" is from "want", in units of the last place of "size", the
 * larger of "want" and what the error is measured by beside it. */
static double
error_of(bool single, double got, long double want, double size)
{
    int least = single ? -149 : -1074, digits = single ? 24 : 53, e;
    double near = single ? (float)want : (double)want;
    if (near != near || near - near != 0 || got - got != 0)
        return same(got, near) ? 0 : INFINITY;
    (void)frexpl(fmaxl(fabsl(want), size), &e);
    e = e - digits > least ? e - digits : least;
    return (double)fabsl(ldexpl(got - want, -e));
}

/* By what the error is measured where the result cancels: that of logaddexp by
 * its operands, that of lgamma between its poles by 1. */
static double
size_of(const function *f, double x, double y)
{
    if (f->op == IX_OP_LGAMMA)
        return x < 0;
    bool cancels = f->op == IX_OP_LOGADDEXP && isfinite(x) && isfinite(y);
    return cancels ? fmax(fabs(x), fabs(y)) : 0;
}

/* ---- the checks ---- */

static int failures;

static void
fail(const function *f, bool single, const char *what, double x, double y,
     double got)
{
    if (failures++ < 20)
        printf("# %s of %s: %s(%a, %a) is %a\n", what,
               ilex_dtype_name(dtype_of(single)), f->name, x, y, got);
}

static void
check_specials(const function *f, bool single)
{
    for (size_t i = 0; i < IX_COUNT(specials); i++) {
        double x = specials[i].x, y = specials[i].y;
        double want = single ? (float)specials[i].result : specials[i].result;
        if (specials[i].op != f->op ||
            (single && (!same(x, (float)x) || !same(y, (float)y))))
            continue;
        double got = evaluate(f, single, x, y);
        if (!same(got, want))
            fail(f, single, "special value", x, y, got);
    }
}

/* The next arguments. */
static void
draw(math_random *r, const function *f, bool single, double *x, double *y)
{
    *x = math_argument(r, f->low, f->high, single);
    *x = single ? (float)*x : *x;
    *y = f->arity > 1 ? math_second(r, *x, f->low2, f->high2, single) : 0;
    *y = single ? (float)*y : *y;
}

static void
check_errors(const function *f, bool single)
{
    math_random r = math_start();
    uint64_t hash = 0;
    double largest = 0;
    for (int i = 0; i < HASHED; i++) {
        double x, y;
        draw(&r, f, single, &x, &y);
        double got = evaluate(f, single, x, y);
        hash = math_hash(hash, got);
        if (i >= MEASURED)
            continue;
        double error = error_of(single, got, f->exact(x, y), size_of(f, x, y));
        largest = error > largest ? error : largest;
        if (error > f->ulp[single])
            fail(f, single, "error", x, y, got);
    }
    if (hash != f->hash[single]) {
        failures++;
        printf("# %s on %s: hash 0x%" PRIx64 ", largest error %.4f\n", f->name,
               ilex_dtype_name(dtype_of(single)), hash, largest);
    }
}

static ilex_storage *
storage_of(ilex_context *ctx, bool single, const double *v)
{
    int64_t n = COMPILED;
    ilex_storage *s = ilex_storage_empty(ctx, dtype_of(single), 1, &n);
    if (!s)
        abort();
    for (int64_t i = 0; i < n; i++)
        ix_value_store(dtype_of(single), s->data + i * (single ? 4 : 8),
                       (ix_value){.f = v[i]});
    return s;
}

/* The same bits by TinyCC. */
static void
check_compiled(ilex_context *ctx, const function *f, bool single)
{
    static double v[2][COMPILED];
    math_random r = math_start();
    for (int i = 0; i < COMPILED; i++)
        draw(&r, f, single, &v[0][i], &v[1][i]);
    ilex_storage *x[2] = {storage_of(ctx, single, v[0]),
                          storage_of(ctx, single, v[1])};
    ilex_storage *y = ilex_eager(ctx, f->name, (size_t)f->arity, x, NULL);
    if (!y) {
        failures++;
        printf("# %s\n", ilex_error_text(ctx));
    }
    for (int i = 0; y && i < COMPILED; i++) {
        ix_value got =
            ix_value_load(dtype_of(single), y->data + i * (single ? 4 : 8));
        if (!same(got.f, evaluate(f, single, v[0][i], v[1][i])))
            fail(f, single, "TinyCC", v[0][i], v[1][i], got.f);
    }
    ilex_storage_release(x[0]);
    ilex_storage_release(x[1]);
    ilex_storage_release(y);
}

static bool
is_wanted(const function *f, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], f->name) == 0)
            return true;
    return argc < 2;
}

int
main(int argc, char **argv)
{
    int number = 0, failed = 0;
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx || ilex_option_set(ctx, "jit", "tcc") != ILEX_OK)
        return 1;
    for (size_t k = 0; k < IX_COUNT(functions); k++) {
        const function *f = &functions[k];
        if (!is_wanted(f, argc, argv))
            continue;
        failures = 0;
        for (int single = 0; single < 2; single++) {
            check_specials(f, single);
            check_errors(f, single);
            check_compiled(ctx, f, single);
        }
        printf("%s %d - %s\n", failures ? "not ok" : "ok", ++number, f->name);
        failed += failures != 0;
    }
    printf("1..%d\n", number);
    ilex_context_free(ctx);
    return failed != 0;
}
