/* SPDX-License-Identifier: MIT
 *
 * Complex functions: all special values of Annex G (annex_g.tsv), errors
 * against libm's long double, relative to the modulus of the result, and the
 * bits by the evaluator and by TinyCC. What other compilers make of the same
 * text: compilers.sh.
 *
 *     complex [--errors] [NAME...]
 *
 * prints one TAP line a function; --errors: the largest error and where, too.
 */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/eager/eager.h"
#include "tests/math/complex.h"

typedef long double complex exact;

/* ---- exact results, or what is close enough to them ---- */

static exact
of_parts(long double re, long double im)
{
    union {
        long double part[2];
        exact number;
    } u = {{re, im}};
    return u.number;
}

static exact
exact_true_divide(exact x, exact y)
{
    long double a = creall(x), b = cimagl(x), c = creall(y), d = cimagl(y);
    long double s = c * c + d * d;
    return of_parts((a * c + b * d) / s, (b * c - a * d) / s);
}

static exact
exact_reciprocal(exact x, exact y)
{
    (void)y;
    return exact_true_divide(1, x);
}

static exact
exact_sign(exact x, exact y)
{
    (void)y;
    long double m = cabsl(x);
    return m != 0 ? of_parts(creall(x) / m, cimagl(x) / m) : 0;
}

static exact
exact_exp2(exact x, exact y)
{
    (void)y;
    long double e = exp2l(creall(x)), a = cimagl(x) * logl(2);
    return of_parts(e * cosl(a), e * sinl(a));
}

static exact
exact_expm1(exact x, exact y)
{
    (void)y;
    long double a = creall(x), b = cimagl(x), h = sinl(b / 2);
    return of_parts(expm1l(a) * cosl(b) - 2 * h * h, expl(a) * sinl(b));
}

static exact
exact_log2(exact x, exact y)
{
    (void)y;
    return of_parts(creall(clogl(x)) / logl(2), cimagl(clogl(x)) / logl(2));
}

static exact
exact_log10(exact x, exact y)
{
    (void)y;
    return of_parts(creall(clogl(x)) / logl(10), cimagl(clogl(x)) / logl(10));
}

static exact
exact_log1p(exact x, exact y)
{
    (void)y;
    long double a = creall(x), b = cimagl(x), d = a * (2 + a) + b * b;
    if (fabsl(a) < 0.5L && fabsl(b) < 0.5L)
        return of_parts(log1pl(d) / 2, atan2l(b, 1 + a));
    return clogl(of_parts(1 + a, b));
}

static exact
exact_power(exact x, exact y)
{
    long double n = fabsl(creall(y));
    exact r = 1;
    if (cimagl(y) != 0 || n > 4 || n != floorl(n))
        return cexpl(y * clogl(x));
    for (int i = 0; i < (int)n; i++)
        r *= x;
    return creall(y) < 0 ? exact_reciprocal(r, 0) : r;
}

#define LIBM(name, libm)                                                       \
    static exact exact_##name(exact x, exact y)                                \
    {                                                                          \
        (void)y;                                                               \
        return libm(x);                                                        \
    }
LIBM(sqrt, csqrtl)
LIBM(exp, cexpl)
LIBM(log, clogl)
LIBM(sin, csinl)
LIBM(cos, ccosl)
LIBM(tan, ctanl)
LIBM(sinh, csinhl)
LIBM(cosh, ccoshl)
LIBM(tanh, ctanhl)
LIBM(arcsin, casinl)
LIBM(arccos, cacosl)
LIBM(arctan, catanl)
LIBM(arcsinh, casinhl)
LIBM(arccosh, cacoshl)
LIBM(arctanh, catanhl)

typedef struct function {
    ix_op op;
    const char *name;
    int arity;
    double re, im;
    exact (*exact)(exact, exact);
    uint64_t hash[2];
} function;

static const function functions[] = {
#define COMPLEX(ENUM, name, arity, re, im, on_c128, on_c64)                    \
    {IX_OP_##ENUM, #name, arity, re, im, exact_##name, {on_c128, on_c64}},
#include "tests/math/complex.def"
};

/* ---- one result ---- */

typedef struct pair {
    double part[2];
} pair;

static int failures;
static bool shows_errors;

static ilex_dtype
dtype_of(bool single)
{
    return single ? ILEX_C64 : ILEX_C128;
}

static pair
evaluate(ix_op op, bool single, const pair *x)
{
    ix_value r, args[2] = {{.f = x[0].part[0], .im = x[0].part[1]},
                           {.f = x[1].part[0], .im = x[1].part[1]}};
    ix_op_eval(op, dtype_of(single), args, &r);
    return (pair){{r.f, r.im}};
}

static bool
same(double a, double b)
{
    return (a != a && b != b) || (a == b && !signbit(a) == !signbit(b));
}

static void
fail(const char *name, bool single, const char *what, const pair *x, pair got)
{
    if (failures++ < 20)
        printf("# %s of %s: %s(%a, %a; %a, %a) is %a, %a\n", what,
               ilex_dtype_name(dtype_of(single)), name, x[0].part[0],
               x[0].part[1], x[1].part[0], x[1].part[1], got.part[0],
               got.part[1]);
}

/* The unit in the last place of a number of this size. */
static long double
unit_of(bool single, long double size)
{
    int least = single ? -149 : -1074, digits = single ? 24 : 53, e;
    (void)frexpl(size, &e);
    return ldexpl(1, e - digits > least ? e - digits : least);
}

/* How far "got" is from "want" in units of the last place of its modulus; 0
 * where that is no finite number, infinite if "got" is none then. */
static double
error_of(bool single, pair got, exact want)
{
    long double a = creall(want), b = cimagl(want), m = hypotl(a, b);
    long double most = single ? 0x1.fffffep127L : 0x1.fffffffffffffp1023L;
    if (!(m <= most))
        return 0;
    long double e = hypotl(got.part[0] - a, got.part[1] - b);
    return e == e ? (double)(e / unit_of(single, m)) : INFINITY;
}

/* ---- special values ---- */

enum { COLUMNS = 7 };

static const double normal[2][5] = {
    {0x1p-1074, 0.5, 3, 1e10, 0x1.fffffffffffffp1023},
    {0x1p-149, 0.5, 3, 1e10, 0x1.fffffep127}};

static bool
is_several(const char *text)
{
    return text[*text == '-'] == 'x';
}

/* The k-th number that "text" of an operand stands for. */
static double
operand(const char *text, bool single, int k)
{
    const char *digits = text + (*text == '-');
    double x = is_several(text) ? normal[single][k] : strtod(digits, NULL);
    return digits > text ? -x : x;
}

/* A number "pi/4", "3pi/4/log2", "0x1p-80"... */
static double
number(const char *text)
{
    char *end;
    double x = strncmp(text, "pi", 2) ? strtod(text, &end) : 1;
    const char *pi = strstr(text, "pi");
    if (!pi)
        return x;
    x *= acos(-1);
    x /= strncmp(pi + 2, "/2", 2) ? strncmp(pi + 2, "/4", 2) ? 1 : 4 : 2;
    return strstr(pi, "log") ? x / log(strstr(pi, "log2") ? 2 : 10) : x;
}

/* Whether a part is as "text" says; numbers but 0 up to "slack". */
static bool
is_part(double got, const char *text, bool turned, double slack)
{
    bool any = !strncmp(text, "+-", 2);
    const char *digits = text + (any ? 2 : *text == '-');
    double want = number(digits);
    want = (*text == '-') != turned ? -want : want;
    got = any ? fabs(got) : got;
    want = any ? fabs(want) : want;
    if (want == 0 || want - want != 0)
        return same(got, want);
    return fabs(got - want) <= slack;
}

/* One operand of a row, turned by the symmetry "s": 1 conj, 2 odd, 4 even. */
static void
check_operand(const function *f, char **column, bool single, int k, int s)
{
    pair x[2] = {{{0, 0}}, {{0, 0}}};
    for (int i = 0; i < 2 * f->arity; i++) {
        double v = operand(column[1 + i], single, i % 2 ? k % 5 : k / 5);
        v = !(s & 6) != !(s & 1 && i % 2) ? -v : v;
        if (single && v - v == 0 && (float)v != v)
            return;
        x[i / 2].part[i % 2] = v;
    }
    char **want = column + 1 + 2 * f->arity;
    pair got = evaluate(f->op, single, x);
    double a = got.part[0], b = got.part[1];
    double slack = 4 * (single ? 0x1p-23 : 0x1p-52);
    bool good = is_part(a, want[0], s & 2, slack) &&
                is_part(b, want[1], !(s & 2) != !(s & 1), slack);
    if (!strcmp(want[0], "inf?"))
        good = isinf(a) || isinf(b);
    if (!good)
        fail(f->name, single, "special value", x, got);
}

/* All operands of a row that the symmetries in "has" give. */
static void
check_row(const function *f, char **column, int has, bool single)
{
    bool several = false;
    for (int i = 1; i <= 2 * f->arity; i++)
        several |= is_several(column[i]);
    for (int s = 0; s < 8; s++)
        for (int k = 0; !(s & ~has) && k < (several ? 25 : 1); k++)
            check_operand(f, column, single, k, s);
}

static int
split(char *line, char **column)
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *t = strtok(line, "\t"); t && n < COLUMNS; t = strtok(NULL, "\t"))
        column[n++] = t;
    return n;
}

static int
symmetry_of(char **column, int n)
{
    int has = 0;
    for (int i = 2; i < n; i++)
        has |= !strcmp(column[i], "conj")  ? 1
               : !strcmp(column[i], "odd") ? 2
                                           : 4;
    return has;
}

static void
check_specials(const function *f)
{
    char path[512], line[256], *column[COLUMNS];
    const char *source = getenv("srcdir");
    int has = 0, rows = 0;
    snprintf(path, sizeof path, "%s/tests/math/annex_g.tsv",
             source ? source : ".");
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        int n = *line == '#' ? 0 : split(line, column);
        if (n > 1 && !strcmp(column[0], "symmetry") &&
            !strcmp(column[1], f->name)) {
            has = symmetry_of(column, n);
        } else if (n > 0 && !strcmp(column[0], f->name)) {
            rows++;
            failures += n != 3 + 2 * f->arity;
            check_row(f, column, has, false);
            check_row(f, column, has, true);
        }
    }
    if (file)
        fclose(file);
    if (rows < 12) {
        failures++;
        printf("# %s: no rows of %s\n", path, f->name);
    }
}

/* ---- errors and bits ---- */

static void
draw(math_random *r, const function *f, bool single, pair *x)
{
    math_complex(r, f->re, f->im, single, x[0].part);
    x[1] = (pair){{0, 0}};
    if (f->arity > 1)
        math_complex(r, f->re, f->im, single, x[1].part);
}

/* Whether long double is exact enough: not where an angle is large. */
static bool
is_known(const function *f, const pair *x)
{
    exact l = 0;
    if (f->op == IX_OP_EXP2)
        return fabs(x[0].part[1]) < 500;
    if (f->op == IX_OP_POWER)
        l = of_parts(x[1].part[0], x[1].part[1]) *
            clogl(of_parts(x[0].part[0], x[0].part[1]));
    return f->op != IX_OP_POWER ||
           (cabsl(l) < 750 &&
            cabsl(of_parts(x[1].part[0], x[1].part[1])) < 0x1p40L);
}

/* Of what is not known so the modulus of exp2 is. */
static double
error_at(const function *f, bool single, const pair *x, pair got)
{
    exact a = of_parts(x[0].part[0], x[0].part[1]);
    exact b = of_parts(x[1].part[0], x[1].part[1]);
    if (is_known(f, x))
        return error_of(single, got, f->exact(a, b));
    if (f->op != IX_OP_EXP2 || !isfinite(x[0].part[1]))
        return 0;
    pair size = {{(double)hypotl(got.part[0], got.part[1]), 0}};
    return error_of(single, size, exp2l(x[0].part[0]));
}

static void
check_errors(const function *f, bool single)
{
    math_random r = math_start();
    uint64_t hash = 0;
    double largest = 0;
    pair x[2], where[2] = {{{0, 0}}, {{0, 0}}};
    for (int i = 0; i < COMPLEX_OPERANDS; i++) {
        draw(&r, f, single, x);
        pair got = evaluate(f->op, single, x);
        hash = math_hash(math_hash(hash, got.part[0]), got.part[1]);
        double error = error_at(f, single, x, got);
        if (error > largest) {
            largest = error;
            memcpy(where, x, sizeof where);
        }
        if (error > (single ? 0.75 : 4))
            fail(f->name, single, "error", x, got);
    }
    if (shows_errors)
        printf("# %s on %s: %.3f at %a, %a; %a, %a\n", f->name,
               ilex_dtype_name(dtype_of(single)), largest, where[0].part[0],
               where[0].part[1], where[1].part[0], where[1].part[1]);
    if (hash != f->hash[single]) {
        failures++;
        printf("# %s on %s: hash 0x%" PRIx64 "\n", f->name,
               ilex_dtype_name(dtype_of(single)), hash);
    }
}

/* The same bits by TinyCC. */
static void
check_compiled(ilex_context *ctx, const function *f, bool single)
{
    ilex_dtype dtype = dtype_of(single);
    int64_t n = COMPLEX_OPERANDS, bytes = (int64_t)ilex_dtype_bytes(dtype);
    ilex_storage *x[2] = {ilex_storage_empty(ctx, dtype, 1, &n),
                          ilex_storage_empty(ctx, dtype, 1, &n)};
    pair v[2];
    math_random r = math_start();
    for (int64_t i = 0; i < n; i++) {
        draw(&r, f, single, v);
        for (int k = 0; k < 2; k++)
            ix_value_store(dtype, x[k]->data + i * bytes,
                           (ix_value){.f = v[k].part[0], .im = v[k].part[1]});
    }
    ilex_storage *y = ilex_eager(ctx, f->name, (size_t)f->arity, x, NULL);
    if (!y) {
        failures++;
        printf("# %s\n", ilex_error_text(ctx));
    }
    r = math_start();
    for (int64_t i = 0; y && i < n; i++) {
        draw(&r, f, single, v);
        ix_value got = ix_value_load(dtype, y->data + i * bytes);
        pair want = evaluate(f->op, single, v);
        if (!same(got.f, want.part[0]) || !same(got.im, want.part[1]))
            fail(f->name, single, "TinyCC", v, (pair){{got.f, got.im}});
    }
    ilex_storage_release(x[0]);
    ilex_storage_release(x[1]);
    ilex_storage_release(y);
}

static bool
is_wanted(const char *name, int argc, char **argv)
{
    int names = 0;
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--errors"))
            continue;
        if (!strcmp(argv[k], name))
            return true;
        names++;
    }
    return names == 0;
}

int
main(int argc, char **argv)
{
    static const function real[] = {
        {.op = IX_OP_ABSOLUTE, .name = "absolute", .arity = 1},
        {.op = IX_OP_ANGLE, .name = "angle", .arity = 1}};
    int number = 0, failed = 0;
    ilex_context *ctx = ilex_context_new(NULL);
    if (!ctx || ilex_option_set(ctx, "jit", "tcc") != ILEX_OK)
        return 1;
    for (int k = 1; k < argc; k++)
        shows_errors |= !strcmp(argv[k], "--errors");
    for (size_t k = 0; k < IX_COUNT(functions) + IX_COUNT(real); k++) {
        bool complex_result = k < IX_COUNT(functions);
        const function *f =
            complex_result ? &functions[k] : &real[k - IX_COUNT(functions)];
        if (!is_wanted(f->name, argc, argv))
            continue;
        failures = 0;
        check_specials(f);
        for (int single = 0; complex_result && single < 2; single++) {
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
