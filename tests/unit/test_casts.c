/* SPDX-License-Identifier: MIT
 *
 * Numbers that become integers and floating point again: bit by bit what the
 * definition says (rounded to zero, never -0) on every back end, in loops that
 * compilers vectorise and in single elements. A compiler that takes the pair
 * of conversions for trunc() gives -0 for -0.5.
 */
#include "tests/unit/graph_fixture.h"

static const char *const backends[] = {"reference", "tcc", "cc"};
static const char *const ints[] = {"i8", "i16", "i32", "i64",
                                   "u8", "u16", "u32", "u64"};

/* From a number by way of an integer, I, to a result, R. */
static const char *const ways[] = {
    "R(I(a))",      "R(i64(I(a)))",
    "R(abs(I(a)))", "R(where(a < 1, I(a), I(7)))",
    "R(f64(I(a)))", "maximum(R(I(a)), R(-1))",
};

static const double values[] = {-0.5, 0.5,  -0.0, 0.0,  -0.25, 0.75, -1.0, 1.0,
                                -1.5, 99.5, -7.0, 63.0, -1e-9, 1e-9, -0.9, 2.0};

enum { OUTPUTS = IX_COUNT(ints) * IX_COUNT(ways), LONG = 203 };

static double
value_at(int64_t i)
{
    return values[i % (int64_t)IX_COUNT(values)];
}

/* What way "w" by integer type "k" makes of a value in the range of all types
 * but for its sign. */
static double
expected(double x, size_t k, size_t w)
{
    int whole = (int)x;
    if (ints[k][0] == 'u' && whole < 0)
        whole = 0;
    if (w == 2 && whole < 0)
        whole = -whole;
    if (w == 3 && !(x < 1))
        whole = 7;
    if (w == 5 && whole < -1)
        whole = -1;
    return (double)whole;
}

/* Appends "way" with I and R replaced by the names of dtypes. */
static void
put_way(char *text, const char *way, const char *by, const char *result)
{
    char *t = text + strlen(text);
    for (const char *s = way; *s; s++)
        t += sprintf(t, "%.*s", *s == 'I' || *s == 'R' ? 4 : 1,
                     *s == 'I'   ? by
                     : *s == 'R' ? result
                                 : s);
}

/* The program from "from" to "result" by every integer type on every way; with
 * "scalar" on one number instead of n. */
static void
put_program(char *text, const char *from, const char *result, bool scalar)
{
    sprintf(text, "ilex 1\nprogram p\n%sin a : %s%s\n",
            scalar ? "" : "size n\n", from, scalar ? "" : "[n]");
    for (size_t i = 0; i < OUTPUTS; i++) {
        sprintf(text + strlen(text), "out o%d = ", (int)i);
        put_way(text, ways[i / IX_COUNT(ints)], ints[i % IX_COUNT(ints)],
                result);
        strcat(text, "\n");
    }
}

/* Part "i" of a storage of reals or of complex numbers. */
static double
part(const ilex_storage *s, ilex_dtype dtype, int64_t i)
{
    const void *data = ilex_storage_const_data(s);
    bool narrow = dtype == ILEX_F32 || dtype == ILEX_C64;
    return narrow ? (double)((const float *)data)[i]
                  : ((const double *)data)[i];
}

static bool
is_same(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* Every part of output "o" has the bits of the definition. */
static void
check_output(const ilex_storage *s, const ilex_storage *a, size_t o,
             ilex_dtype from, ilex_dtype dtype, const char *who)
{
    size_t k = o % IX_COUNT(ints), w = o / IX_COUNT(ints);
    bool complex = dtype == ILEX_C64 || dtype == ILEX_C128;
    for (int64_t i = 0; i < ilex_storage_count(s); i++) {
        double x = part(a, from, i), want = expected(x, k, w),
               have = part(s, dtype, complex ? 2 * i : i);
        ck_assert_msg(is_same(want, have), "%s: %s of %g by %s is %g, not %g",
                      who, ways[w], x, ints[k], have, want);
        ck_assert(!complex || is_same(part(s, dtype, 2 * i + 1), 0.0));
    }
}

/* A storage of "values", repeated. */
static ilex_storage *
repeated(ilex_dtype dtype, int rank, int64_t n)
{
    ilex_storage *a = ilex_storage_zeros(ctx, dtype, rank, &n);
    void *data = ilex_storage_data(a);
    for (int64_t i = 0; i < ilex_storage_count(a); i++) {
        if (dtype == ILEX_F32)
            ((float *)data)[i] = (float)value_at(i);
        else
            ((double *)data)[i] = value_at(i);
    }
    return a;
}

static void
run_length(const ilex_program *p, ilex_dtype from, ilex_dtype to, int rank,
           int64_t n, const char *who)
{
    char names[OUTPUTS][16];
    ilex_binding bound[OUTPUTS + 1];
    ilex_storage *a = repeated(from, rank, n);
    for (size_t o = 0; o < OUTPUTS; o++) {
        sprintf(names[o], "o%d", (int)o);
        bound[o] = (ilex_binding)ILEX_BIND(
            names[o], ilex_storage_zeros(ctx, to, rank, &n));
    }
    bound[OUTPUTS] = (ilex_binding)ILEX_BIND("a", a);
    run_program(p, bound, OUTPUTS + 1);
    for (size_t o = 0; o < OUTPUTS; o++) {
        check_output(bound[o].storage, a, o, from, to, who);
        ilex_storage_release(bound[o].storage);
    }
    ilex_storage_release(a);
}

static void
check_pair(ilex_dtype from, ilex_dtype to, bool scalar)
{
    static char text[100 * OUTPUTS];
    put_program(text, ilex_dtype_name(from), ilex_dtype_name(to), scalar);
    for (size_t i = 0; i < IX_COUNT(backends); i++) {
        ck_assert_int_eq(ilex_option_set(ctx, "jit", backends[i]), ILEX_OK);
        ilex_module *m = parse(text);
        ilex_program *p = ilex_compile_module(m);
        ilex_module_free(m);
        ck_assert_msg(p || take_error() == ILEX_E_UNSUPPORTED, "%s: %s",
                      backends[i], text);
        if (p && scalar)
            run_length(p, from, to, 0, 1, backends[i]);
        for (int64_t n = 1; p && !scalar && n <= LONG; n += LONG - 1)
            run_length(p, from, to, 1, n, backends[i]);
        ilex_program_release(p);
    }
}

START_TEST(from_f32)
{
    check_pair(ILEX_F32, ILEX_F32, false);
    check_pair(ILEX_F32, ILEX_F64, false);
    check_pair(ILEX_F32, ILEX_C64, false);
    check_pair(ILEX_F32, ILEX_C128, false);
}
END_TEST

START_TEST(from_f64)
{
    check_pair(ILEX_F64, ILEX_F32, false);
    check_pair(ILEX_F64, ILEX_F64, false);
    check_pair(ILEX_F64, ILEX_C64, false);
    check_pair(ILEX_F64, ILEX_C128, false);
}
END_TEST

START_TEST(one_number)
{
    check_pair(ILEX_F32, ILEX_F32, true);
    check_pair(ILEX_F64, ILEX_F64, true);
    check_pair(ILEX_F64, ILEX_C128, true);
}
END_TEST

/* What is rounded to float stays so in double: gcc may compute both parts of a
 * complex number, or two numbers, at once. */
static const char rounded_text[] =
    "ilex 1\nprogram p\nsize n\nin z : c128[n]\nin s : c128\n"
    "in a : f64\nin b : f64\n"
    "out o0 = c128(c64(z))\nout o1 = c128(c64(s))\n"
    "out o2 = c128(reciprocal(c64(s)))\nout o3 = c128(c64(z)/c64(s))\n"
    "out o4 = sqrt(reciprocal(c64(z)))\nout o5 = stack(f64(f32(a)), "
    "f64(f32(b)))\nout o6 = f64(logaddexp(f32(a), f32(b)))\n";
enum { ROUNDED = 7 };

static void
run_rounded(const char *jit, ilex_storage **result)
{
    static double z[] = {0.1, 0.3, 1.7, -0.6, 3e-9, 0.7, 1e30, 0.2, -1.1, 0.7};
    ilex_storage *all =
        ilex_storage_wrap(ctx, ILEX_C128, 1, SHAPE(5), NULL, z, NULL, NULL);
    ilex_storage *one =
        ilex_storage_wrap(ctx, ILEX_C128, 0, NULL, NULL, z + 8, NULL, NULL);
    const ilex_binding b[] = {ILEX_BIND("z", all), ILEX_BIND("s", one),
                              ILEX_BIND_F64("a", 0.1), ILEX_BIND_F64("b", 0.7)};
    ck_assert_int_eq(ilex_option_set(ctx, "jit", jit), ILEX_OK);
    ilex_program *p = compile(rounded_text);
    ck_assert_msg(!ilex_evaluate(ctx, p, b, IX_COUNT(b), result), "%s",
                  ilex_error_text(ctx));
    ilex_program_release(p);
    ilex_storage_release(all);
    ilex_storage_release(one);
}

START_TEST(rounded)
{
    ilex_storage *want[ROUNDED], *have[ROUNDED];
    run_rounded("reference", want);
    for (size_t i = 1; i < IX_COUNT(backends); i++) {
        run_rounded(backends[i], have);
        for (int o = 0; o < ROUNDED; o++) {
            size_t bytes = ilex_dtype_bytes(ilex_storage_dtype(want[o])) *
                           (size_t)ilex_storage_count(want[o]);
            ck_assert_msg(!memcmp(ilex_storage_const_data(want[o]),
                                  ilex_storage_const_data(have[o]), bytes),
                          "%s: o%d", backends[i], o);
            ilex_storage_release(have[o]);
        }
    }
    for (int o = 0; o < ROUNDED; o++)
        ilex_storage_release(want[o]);
}
END_TEST

int
main(void)
{
    return RUN_TESTS("casts", from_f32, from_f64, one_number, rounded);
}
