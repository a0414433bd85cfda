/* SPDX-License-Identifier: MIT
 *
 * Foreign functions of numbers: their values in fields, maps, reductions and
 * scans by every back end, of every type; what is registered, and what it is
 * part of. Errors of text are in text_errors.tsv.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/foreign_fixture.h"

static void
expect_error(ilex_status code, const char *text)
{
    ck_assert_msg(strstr(ilex_error_text(ctx), text) != NULL, "%s",
                  ilex_error_text(ctx));
    ck_assert_int_eq(take_error(), code);
}

#define GIVE(c, name, ...)                                                     \
    ck_assert_msg(!ilex_function_register((c), (name),                         \
                                          &ILEX_FUNCTION_SPEC(__VA_ARGS__)),   \
                  "%s", ilex_error_text(c))
#define NUMBERS(f) (ilex_elementwise_function)(f)

/* ---- values ---- */

enum { N = 7 };

/* The density of sea water (Wright 1997): temperature in degrees, salinity,
 * pressure in Pa. */
static double
wright(double t, double s, double p)
{
    double a = 7.057924e-4 + 3.480336e-7 * t - 1.112733e-7 * s;
    double b =
        5.790749e8 + 5.944068e5 * s +
        t * (3.516535e6 + t * (-4.002714e4 + 2.084372e2 * t) - 9.643486e3 * s);
    double l =
        1.704853e5 - 2.302158e2 * s +
        t * (7.904722e2 + t * (-7.984422 + 5.140652e-2 * t) - 3.079464 * s);
    return (p + b) / (l + a * (p + b));
}

static double
slope(double x, double y)
{
    return x > y ? x - y : sqrt(y);
}

#define WRIGHT                                                                 \
    "extern wright(t : f64, s : f64, p : f64) -> f64 pure elementwise cost "   \
    "40\n"
#define SLOPE "extern slope(x : f64, y : f64) -> f64 pure elementwise\n"

/* A column of water whose pressure the density decides, a field with a shift, a
 * map in whose reduction a function of text is called, and a branch. */
static const char sea[] =
    "ilex 1\nprogram sea\nsize n\nassume n >= 2\nin t : f64[I:n]\n" WRIGHT SLOPE
    "scan k forward p[k:n] = where(k == 0, 1e5, "
    "p[k-1] + 98.1*wright(t[k-1], 35, p[k-1]))\n"
    "let u : f64[I:n-1] = slope(t[I+1], 3)*slope(t, 2.0)\n"
    "function twice(a, b)\nlet c = slope(a, b) + slope(b, a)\nreturn c\nend\n"
    "map q[i:n] = sum[j:i+1](twice(t[j], t[i])) + "
    "where(i > 0, slope(t[i-1], 1), -1.0)\n"
    "out po = p\nout uo = u\nout qo = q\n";

static void
run_sea(const ilex_program *p, int threads, double out[3 * N])
{
    ilex_storage *t = vector(N, 4, 1.5), *s[3];
    s[0] = vector(N, 0, 0);
    s[1] = vector(N - 1, 0, 0);
    s[2] = vector(N, 0, 0);
    memset(out, 0, 3 * N * sizeof *out);
    ilex_binding b[] = {ILEX_BIND("t", t), ILEX_BIND("po", s[0]),
                        ILEX_BIND("uo", s[1]), ILEX_BIND("qo", s[2])};
    ilex_call call = {.size = sizeof call, .threads = threads};
    ck_assert_msg(!ilex_run(p, b, 4, &call), "%s", call.error);
    for (int i = 0; i < 3; i++) {
        memcpy(out + (size_t)i * N, ilex_storage_const_data(s[i]),
               (size_t)(N - (i == 1)) * sizeof *out);
        ilex_storage_release(s[i]);
    }
    ilex_storage_release(t);
}

static double
at(int i)
{
    return 4 + 1.5 * i;
}

static void
expect_sea(double want[3 * N])
{
    memset(want, 0, 3 * N * sizeof *want);
    for (int k = 0; k < N; k++)
        want[k] = k == 0
                      ? 1e5
                      : want[k - 1] + 98.1 * wright(at(k - 1), 35, want[k - 1]);
    for (int i = 0; i < N - 1; i++)
        want[N + i] = slope(at(i + 1), 3) * slope(at(i), 2);
    for (int i = 0; i < N; i++) {
        double sum = -0.0;
        for (int j = 0; j <= i; j++)
            sum += slope(at(j), at(i)) + slope(at(i), at(j));
        want[2 * N + i] = sum + (i > 0 ? slope(at(i - 1), 1) : -1);
    }
}

START_TEST(back_ends)
{
    double want[3 * N], got[3 * N];
    expect_sea(want);
    GIVE(ctx, "wright", .elementwise = NUMBERS(wright));
    GIVE(ctx, "slope", .elementwise = NUMBERS(slope));
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], sea);
        for (int threads = 1; p && threads < 4; threads++) {
            run_sea(p, threads, got);
            for (int i = 0; i < 3 * N; i++)
                ck_assert_msg(want[i] == got[i], "%s: %d: %.17g, not %.17g",
                              jits[j], i, got[i], want[i]);
        }
        ilex_program_release(p);
    }
}
END_TEST

/* ---- types ---- */

/* y = 1*a + 2*b + ..., of 1, 3 and 8 numbers of each type. */
#define FUNCTIONS(name, type)                                                  \
    static type name##_1(type a)                                               \
    {                                                                          \
        return (type)(a + 1);                                                  \
    }                                                                          \
    static type name##_3(type a, type b, type c)                               \
    {                                                                          \
        return (type)(a + 2 * b + 3 * c);                                      \
    }                                                                          \
    static type name##_8(type a, type b, type c, type d, type e, type f,       \
                         type g, type h)                                       \
    {                                                                          \
        return (type)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g +      \
                      8 * h);                                                  \
    }
FUNCTIONS(i32, int32_t)
FUNCTIONS(i64, int64_t)
FUNCTIONS(u32, uint32_t)
FUNCTIONS(u64, uint64_t)
FUNCTIONS(f32, float)
FUNCTIONS(f64, double)

static const struct {
    const char *dtype, *big; /* near the end of the type's numbers */
    double plus_one;
    ilex_elementwise_function f[3];
} types[] = {
#define TYPE(name, big, plus)                                                  \
    {                                                                          \
#name, big, plus,                                                      \
        {                                                                      \
            NUMBERS(name##_1), NUMBERS(name##_3), NUMBERS(name##_8)            \
        }                                                                      \
    }
    TYPE(i32, "-2147483647", -2147483646.0),
    TYPE(i64, "-4503599627370497", -4503599627370496.0),
    TYPE(u32, "4294967294", 4294967295.0),
    TYPE(u64, "u64(4503599627370497)", 4503599627370498.0),
    TYPE(f32, "0.5", 1.5),
    TYPE(f64, "1e-3", 1.001)};

static double
value_of(const char *jit, const char *text)
{
    ilex_storage *o = vector(1, 0, 0);
    ilex_program *p = compile_for(jit, text);
    double r = NAN;
    if (p) {
        run_program(p, (ilex_binding[]){ILEX_BIND("o", o)}, 1);
        r = *(const double *)ilex_storage_const_data(o);
    }
    ilex_program_release(p);
    ilex_storage_release(o);
    return r;
}

START_TEST(dtypes)
{
    static const char declared[] = "extern f(%s) -> %s pure elementwise\n";
    static const int counts[] = {1, 3, 8};
    for (size_t k = 0; k < 3 * IX_COUNT(types) * 3; k++) {
        const char *d = types[k / 9].dtype, *jit = jits[k % 3];
        char parameters[200] = "", arguments[200] = "", text[800];
        double want = 0, n = counts[k / 3 % 3];
        for (int i = 0; i < (int)n; i++) {
            size_t a = strlen(parameters), b = strlen(arguments);
            snprintf(parameters + a, sizeof parameters - a, "%sp%d : %s",
                     i ? ", " : "", i, d);
            snprintf(arguments + b, sizeof arguments - b,
                     "%s%s(arange(1) + %d)", i ? ", " : "", d, i + 3);
            want += (i + 3) * (i + 1);
        }
        if (n == 1) {
            snprintf(arguments, sizeof arguments, "%s", types[k / 9].big);
            want = types[k / 9].plus_one;
        }
        GIVE(ctx, "f", .elementwise = types[k / 9].f[k / 3 % 3]);
        size_t at = (size_t)snprintf(text, sizeof text, "ilex 1\nprogram p\n");
        at += (size_t)snprintf(text + at, sizeof text - at, declared,
                               parameters, d);
        snprintf(text + at, sizeof text - at, "out o : f64[1] = f64(f(%s))\n",
                 arguments);
        double got = value_of(jit, text);
        ck_assert_msg(isnan(got) || got == want,
                      "%s, %s of %d: %.17g, not %.17g", jit, d, (int)n, got,
                      want);
    }
}
END_TEST

/* ---- what programs are linked with ---- */

static const char half[] = "ilex 1\nprogram p\nextern f(x : f64) -> f64 pure "
                           "elementwise\nout o : f64[1] = f(3)\n";

static double
halve(double x)
{
    return x / 2;
}

static double
negate(double x)
{
    return -x;
}

START_TEST(unregistered)
{
    ilex_module *m = parse(half);
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNKNOWN,
                 "program p calls f for elements, which is not registered;");
    give(ctx, "f", gauss, NULL);
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNKNOWN, "not registered as a function of numbers;");
    GIVE(ctx, "f", .elementwise = NUMBERS(halve));
    ilex_option_set(ctx, "jit", "nvrtc");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNSUPPORTED, "no source of it in CUDA; give");
    ilex_option_set(ctx, "jit", "reference");
    GIVE(ctx, "f", .elementwise_cuda = "");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_UNKNOWN, "not registered as a function of numbers;");
    ilex_module_free(m);
}
END_TEST

/* Equal programs, and equal source in the disk cache, call what was registered
 * where and when they were compiled. */
START_TEST(per_context)
{
    ilex_option_set(ctx, "verify", "0"); /* else programs are not kept */
    for (int j = 0; j < 3; j++) {
        GIVE(ctx, "f", .elementwise = NUMBERS(halve));
        double a = value_of(jits[j], half);
        GIVE(ctx, "f", .elementwise = NUMBERS(negate));
        double b = value_of(jits[j], half);
        ck_assert(isnan(a) || (a == 1.5 && b == -3));
    }
}
END_TEST

/* Kernels that differ by their functions are not one. */
START_TEST(different_functions)
{
    static const char text[] =
        "ilex 1\nprogram p\nsize n, m\nin x : f64[n]\nin y : f64[m]\n"
        "extern f(x : f64) -> f64 pure elementwise\n"
        "extern g(x : f64) -> f64 pure elementwise\n"
        "out o : f64[n] = f(x)\nout q : f64[m] = g(y)\n";
    GIVE(ctx, "f", .elementwise = NUMBERS(halve));
    GIVE(ctx, "g", .elementwise = NUMBERS(negate));
    for (int j = 0; j < 3; j++) {
        ilex_program *p = compile_for(jits[j], text);
        ilex_storage *x = vector(3, 1, 1), *o = vector(3, 0, 0),
                     *y = vector(4, 1, 1), *q = vector(4, 0, 0);
        if (p)
            run_program(p,
                        (ilex_binding[]){ILEX_BIND("x", x), ILEX_BIND("y", y),
                                         ILEX_BIND("o", o), ILEX_BIND("q", q)},
                        4);
        const double *a = ilex_storage_const_data(o),
                     *b = ilex_storage_const_data(q);
        ck_assert(!p || (a[2] == 1.5 && b[3] == -4));
        ilex_storage_release(x);
        ilex_storage_release(y);
        ilex_storage_release(o);
        ilex_storage_release(q);
        ilex_program_release(p);
    }
}
END_TEST

/* ---- in expressions on storages ---- */

/* Multiplies an array by the user's number. */
static int
times(const ilex_function_call *call)
{
    for (int64_t i = 0; i < call->argument[0].shape[0]; i++)
        *element(&call->result[0], i, 0) =
            *(const double *)call->user * *element(&call->argument[0], i, 0);
    return 0;
}

/* The last element of the expression's value for x = 1, 2, 3. */
static double
last_of(const char *expression, const char *name)
{
    ilex_storage *x = vector(3, 1, 1);
    ilex_storage *y = ilex_eval(ctx, expression, name, x, NULL);
    double r = y ? ((const double *)ilex_storage_const_data(y))[2] : NAN;
    ilex_storage_release(x);
    ilex_storage_release(y);
    return r;
}

/* They call what is registered with a declaration when they are evaluated, also
 * where a program of the same text is kept. */
START_TEST(evaluated)
{
    static double two = 2, three = 3;
    static const char f[] = "f(x : f64) -> f64 pure elementwise",
                      g[] = "g(x : f64[n]) -> f64[n] pure";
    for (int j = 0; j < 3; j++) {
        ilex_option_set(ctx, "jit", jits[j]);
        for (int again = 0; again < 2; again++) {
            ilex_kept kept, then;
            GIVE(ctx, "f", .elementwise = NUMBERS(halve), .declaration = f);
            double a = last_of("1.0 + f(x)", "x");
            if (isnan(a)) /* built without the back end */
                break;
            ck_assert_double_eq(a, 2.5);
            ilex_programs_kept(&kept);
            ck_assert_double_eq(last_of("1.0 + f(x)", "x"), 2.5);
            ilex_programs_kept(&then);
            ck_assert_uint_eq(then.hits, kept.hits + 1);
            GIVE(ctx, "f", .elementwise = NUMBERS(negate), .declaration = f);
            ck_assert_double_eq(last_of("1.0 + f(x)", "x"), -2);
            GIVE(ctx, "g", .host = times, .user = &two, .declaration = g);
            ck_assert_double_eq(last_of("g(f(x))", "x"), -6);
            GIVE(ctx, "g", .host = times, .user = &three, .declaration = g);
            ck_assert_double_eq(last_of("g(f(x))", "x"), -9);
        }
        ilex_error_clear(ctx);
    }
    ilex_option_set(ctx, "jit", "reference");
    ck_assert_double_eq(last_of("f + 0.5", "f"), 3.5); /* a storage */
    ck_assert(isnan(last_of("ff(x)", "x")));
    expect_error(ILEX_E_UNKNOWN, "there is no function 'ff'");
    GIVE(ctx, "ff", .host = times, .user = &two);
    ck_assert(isnan(last_of("ff(x)", "x")));
    expect_error(ILEX_E_UNKNOWN, "'ff' is registered without its types");
}
END_TEST

/* ---- declarations that the host makes ---- */

START_TEST(declared)
{
    static const char text[] = "f(x:f64)->f64 pure   elementwise";
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n"), *y;
    ck_assert(ilex_is_poison(ilex_map(ctx, "i:n", "f(x[i])", "x", x, NULL)));
    expect_error(ILEX_E_UNKNOWN, "'f'");
    GIVE(ctx, "f", .elementwise = NUMBERS(halve), .declaration = text);
    y = ilex_map(ctx, "I:n", "f(x[I])", "x", x, NULL);
    ck_assert_msg(!ilex_is_poison(y), "%s", ilex_error_text(ctx));
    ck_assert_ptr_eq(y, ilex_expr(ctx, "f(x)", "x", x, NULL));
    ilex_array *z = NULL;
    ck_assert(!ilex_foreign(ctx, text, 1, &x, 1, &z));
    ck_assert_ptr_eq(y, z);
    ck_assert(ilex_is_elementwise(y));
    ilex_module *m = parse(half);
    ilex_program_release(ilex_compile_module(m));
    ck_assert_int_eq(take_error(), ILEX_OK);
    ilex_module_free(m);
    m = parse("ilex 1\nprogram p\nextern f(x : f32) -> f32 pure elementwise\n"
              "out o : f32 = f(1)\n");
    ck_assert_ptr_null(ilex_compile_module(m));
    expect_error(ILEX_E_DUPLICATE,
                 "program p declares f(x : f32) -> f32 pure elementwise, which "
                 "is registered as f(x : f64) -> f64 pure elementwise");
    ilex_module_free(m);
    ilex_function_spec spec = {.size = sizeof spec,
                               .elementwise = NUMBERS(halve),
                               .declaration = "g(x : f64) -> f64 pure"};
    ck_assert(ilex_function_register(ctx, "f", &spec));
    expect_error(ILEX_E_NAME, "the function f is declared by another name");
    spec.declaration = "f(x : f64) pure";
    ck_assert(ilex_function_register(ctx, "f", &spec));
    expect_error(ILEX_E_SYNTAX, "expected '->'");
}
END_TEST

/* ---- text and hashes ---- */

static char *
text_of(ilex_context *c, const char *text, uint8_t hash[16])
{
    ilex_module *m = ilex_module_parse(c, text, NULL);
    ck_assert_msg(m && !ilex_module_hash(m, hash), "%s", ilex_error_text(c));
    char *printed = ilex_module_print(m);
    ck_assert_ptr_nonnull(printed);
    ilex_module_free(m);
    return printed;
}

/* Printed programs declare each function once and are read again; the
 * declaration is part of the hash, the registration and the context are not. */
START_TEST(printed)
{
    uint8_t hash[3][16];
    char *once = text_of(ctx, sea, hash[0]);
    ck_assert_ptr_nonnull(strstr(once, WRIGHT SLOPE));
    ck_assert_ptr_null(strstr(strstr(once, SLOPE) + 1, "extern"));
    GIVE(ctx, "slope", .elementwise = NUMBERS(slope));
    ilex_context *other = ilex_context_new(NULL);
    char *again = text_of(other, once, hash[1]);
    ck_assert_str_eq(again, once);
    ck_assert(!memcmp(hash[0], hash[1], sizeof *hash));
    char costly[2000];
    snprintf(costly, sizeof costly, "%s", once);
    memcpy(strstr(costly, "cost 40"), "cost 41", 7);
    ilex_text_free(other, text_of(other, costly, hash[2]));
    ck_assert(memcmp(hash[0], hash[2], sizeof *hash) != 0);
    ilex_text_free(ctx, once);
    ilex_text_free(other, again);
    ilex_context_free(other);
}
END_TEST

/* One name, one declaration, in bodies too. */
START_TEST(two_declarations)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n"), *y[2];
    ck_assert(
        !ilex_foreign(ctx, "f(x : f64) -> f64 pure elementwise", 1, &x, 1, y));
    ck_assert(!ilex_foreign(ctx, "f(y : f64) -> f64 pure elementwise", 1, &x, 1,
                            y + 1));
    ck_assert_ptr_ne(y[0], y[1]);
    ck_assert_ptr_null(ilex_compile(ctx, 2, y, NULL));
    expect_error(ILEX_E_DUPLICATE,
                 "the foreign function f is declared in two ways");
}
END_TEST

static int calls_of_liar;

/* Not pure: 1 at first, 0 after some calls. */
static double
liar(double x)
{
    return calls_of_liar++ < 5000 ? 1 + 0 * x : 0;
}

/* A mask that is another one when it is computed again: results are nobody's,
 * but nothing outside is read or written. */
START_TEST(not_pure)
{
    enum { LENGTH = 5000 };
    const char *text =
        "ilex 1\nprogram p\nsize n\nextern f(x : f64) -> f64 pure elementwise "
        "cost 1\nin x : f64[n]\nlet m : bool[n] = f(x) > 0.5\n"
        "size c = count_nonzero(m)\nout y : f64[c] = compress(x, m)\n";
    GIVE(ctx, "f", .elementwise = NUMBERS(liar));
    ilex_option_set(ctx, "jit", "tcc");
    ilex_module *m = parse(text);
    ilex_program *p = ilex_compile_module(m);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *x = vector(LENGTH, 0, 1), *y = vector(LENGTH, 0, 0);
    ilex_binding b[] = {ILEX_BIND("x", x), ILEX_BIND("y", y)};
    ilex_call call = {.size = sizeof call, .threads = 1};
    calls_of_liar = 0;
    ck_assert_msg(!ilex_run(p, b, 2, &call), "%s", call.error);
    ck_assert_int_eq(calls_of_liar, 2 * LENGTH);
    ilex_storage_release(x);
    ilex_storage_release(y);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

/* Source in CUDA, ahead of time, holds the text of a function that has one, and
 * declares another, which no library can leave out. */
START_TEST(ahead)
{
    char dir[] = "/tmp/ilex-test-XXXXXX", path[64], source[1 << 16] = "";
    ilex_library_spec spec = {.size = sizeof spec, .directory = dir, .cuda = 1};
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ilex_option_set(ctx, "cc", "/none/nvcc");
    for (int text = 0; text < 2; text++) {
        if (text)
            GIVE(ctx, "f",
                 .elementwise_cuda =
                     "__device__ double f(double x) { return x; }");
        ilex_module *m = parse(half);
        spec.kind = ILEX_LIBRARY_FILES;
        ck_assert_msg(!ilex_emit_library(ctx, &m, 1, &spec), "%s",
                      ilex_error_text(ctx));
        snprintf(path, sizeof path, "%s/p.cu", dir);
        FILE *f = fopen(path, "r");
        ck_assert_ptr_nonnull(f);
        source[fread(source, 1, sizeof source - 1, f)] = '\0';
        fclose(f);
        const char *defined = strstr(source, "{ return x; }"),
                   *prototype = strstr(source, "__device__ double f(double);");
        ck_assert(text ? defined && !prototype : prototype && !defined);
        spec.kind = ILEX_LIBRARY_OBJECT;
        ck_assert(ilex_emit_library(ctx, &m, 1, &spec) != ILEX_OK);
        expect_error(text ? ILEX_E_TOOLCHAIN : ILEX_E_UNSUPPORTED,
                     text ? "/none/nvcc" : "link both with nvcc -rdc=true");
        ilex_module_free(m);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const end[] = {"cu", "h", "json"};
        snprintf(path, sizeof path, "%s/p.%s", dir, end[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("apply", back_ends, dtypes, unregistered, per_context,
                     different_functions, evaluated, declared, printed,
                     two_declarations, not_pure, ahead);
}
