/* SPDX-License-Identifier: MIT
 *
 * f16 and bf16: every value there and back, every tie and what lies next to
 * it, arithmetic beside a model that rounds by frexp and rint alone, sums, and
 * where arrays of them go.
 */
#include <math.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "runtime/storage/storage.h"
#include "tests/unit/graph_fixture.h"

enum { ALL = 65536 };

static const char *const backends[] = {"reference", "tcc", "cc"};
enum { ALL_BACKENDS = 3, QUICK = 2 };

typedef struct format {
    ilex_dtype dtype;
    const char *name;
    int digits, most; /* behind the point; the largest exponent */
} format;
static const format formats[] = {{ILEX_F16, "f16", 10, 15},
                                 {ILEX_BF16, "bf16", 7, 127}};

/* ---- the model ---- */

static bool
is_nan(const format *f, int bits)
{
    return (bits & 0x7fff) > (2 * f->most + 1) << f->digits;
}

static double
number(const format *f, int bits)
{
    int e = (bits & 0x7fff) >> f->digits,
        fraction = bits & ((1 << f->digits) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (e == 2 * f->most + 1)
        return fraction ? NAN : sign * INFINITY;
    if (e == 0)
        return sign * ldexp(fraction, 1 - f->most - f->digits);
    return sign * ldexp(fraction + (1 << f->digits), e - f->most - f->digits);
}

/* "x" as the nearest number of the format. */
static double
nearest(const format *f, double x)
{
    int e;
    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &e);
    e = e - 1 < 1 - f->most ? 1 - f->most : e - 1;
    double r = ldexp(rint(ldexp(x, f->digits - e)), e - f->digits);
    return fabs(r) >= ldexp(1, f->most + 1) ? copysign(INFINITY, x) : r;
}

static bool
same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* ---- storages ---- */

static ilex_storage *
every_value(const format *f)
{
    ilex_storage *s = ilex_storage_zeros(ctx, f->dtype, 1, (int64_t[]){ALL});
    uint16_t *bits = ilex_storage_data(s);
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    return s;
}

static ilex_storage *
compute(const char *backend, const char *expression, ilex_storage *x,
        ilex_storage *y)
{
    ilex_option_set(ctx, "jit", backend);
    ilex_storage *r =
        ilex_eval(ctx, expression, "x", x, y ? "y" : NULL, y, NULL);
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    return r;
}

static double
at(const ilex_storage *s, int64_t i)
{
    return ix_value_load(s->dtype,
                         s->data + i * (int64_t)ilex_dtype_bytes(s->dtype))
        .f;
}

/* ---- conversions ---- */

START_TEST(values)
{
    const format *f = &formats[_i];
    for (int bits = 0; bits < ALL; bits++) {
        double x = number(f, bits);
        ck_assert(same(ix_half_number(f->dtype, (uint16_t)bits), x));
        int back = ix_half_bits(f->dtype, x);
        ck_assert(is_nan(f, bits) ? is_nan(f, back) : back == bits);
    }
}
END_TEST

START_TEST(values_compiled)
{
    const format *f = &formats[_i];
    static const char *const ways[] = {"f32(x)", "f64(x)", "c64(x)",  "c128(x)",
                                       "i64(x)", "u8(x)",  "bool(x)", "+x"};
    ilex_storage *x = every_value(f);
    for (size_t w = 0; w < IX_COUNT(ways); w++) {
        ilex_storage *r = compute("reference", ways[w], x, NULL);
        for (int b = 1; b < (w % 4 ? QUICK : ALL_BACKENDS); b++) {
            ilex_storage *y = compute(backends[b], ways[w], x, NULL);
            for (int i = 0; i < ALL; i++) {
                char *p = r->data + (size_t)i * ilex_dtype_bytes(r->dtype);
                char *q = y->data + (size_t)i * ilex_dtype_bytes(y->dtype);
                ck_assert_msg(
                    ix_value_same(r->dtype, ix_value_load(r->dtype, p),
                                  ix_value_load(r->dtype, q)),
                    "%s by %s: %x", ways[w], backends[b], (unsigned)i);
            }
            ilex_storage_release(y);
        }
        for (int i = 0; w < 2 && i < ALL; i++)
            ck_assert(same(at(r, i), number(f, i)));
        ilex_storage_release(r);
    }
    ilex_storage_release(x);
}
END_TEST

/* Numbers, the ties between them and what is next to these, as "from". */
static ilex_storage *
hard_numbers(const format *f, ilex_dtype from)
{
    int64_t n = 0;
    ilex_storage *s = ilex_storage_zeros(ctx, from, 1, (int64_t[]){3 * ALL});
    for (int bits = 0; bits < ALL; bits++) {
        double a = number(f, bits), b = number(f, bits + 1);
        double middle =
            isfinite(b) ? (a + b) / 2 : a * (1 + ldexp(1, -f->digits - 2));
        double three[3] = {middle, 0, 0};
        for (int side = 1; side < 3; side++) {
            double to = side == 1 ? INFINITY : -INFINITY;
            three[side] = from == ILEX_F32
                              ? (double)nextafterf((float)middle, (float)to)
                              : nextafter(middle, to);
        }
        for (int k = 0; k < 3; k++, n++)
            ix_value_store(from, s->data + n * (int64_t)ilex_dtype_bytes(from),
                           (ix_value){.f = three[k]});
    }
    return s;
}

START_TEST(ties)
{
    const format *f = &formats[_i];
    for (int wide = 0; wide < 2; wide++) {
        ilex_storage *x = hard_numbers(f, wide ? ILEX_F64 : ILEX_F32);
        char text[16];
        snprintf(text, sizeof text, "%s(x)", f->name);
        static double want[3 * ALL];
        for (int i = 0; i < 3 * ALL; i++)
            want[i] = nearest(f, at(x, i));
        for (int b = 0; b < ALL_BACKENDS; b++) {
            ilex_storage *y = compute(backends[b], text, x, NULL);
            for (int i = 0; i < 3 * ALL; i++)
                ck_assert_msg(same(at(y, i), want[i]), "%s of %a by %s is %a",
                              text, at(x, i), backends[b], at(y, i));
            ilex_storage_release(y);
        }
        ilex_storage_release(x);
    }
}
END_TEST

/* Integers are rounded once, too: those near a tie that f64 would lose. */
START_TEST(integers)
{
    const format *f = &formats[_i];
    enum { N = 64 * 64 };
    static const char *const types[] = {"i64", "u64", "i32", "i16", "u16"};
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_U64, 1, (int64_t[]){N});
    uint64_t *u = ilex_storage_data(s);
    for (int i = 0; i < N; i++) {
        int top = i / 64, low = i % 64;
        u[i] = (uint64_t)1 << top;
        u[i] += top > f->digits ? u[i] >> (f->digits + 1) : 0;
        u[i] += low < top ? (uint64_t)1 << low : 0;
        u[i] -= i & 1;
    }
    for (size_t t = 0; t < IX_COUNT(types); t++)
        for (int b = 0; b < (t ? QUICK : ALL_BACKENDS); b++) {
            char text[64];
            snprintf(text, sizeof text, "%s(%s(x))", f->name, types[t]);
            ilex_storage *y = compute(backends[b], text, s, NULL);
            for (int i = 0; i < N; i++) {
                long double v = t == 0   ? (long double)(int64_t)u[i]
                                : t == 1 ? (long double)u[i]
                                : t == 2 ? (long double)(int32_t)u[i]
                                : t == 3 ? (long double)(int16_t)u[i]
                                         : (long double)(uint16_t)u[i];
                int e = v == 0 ? 0 : ilogbl(v);
                long double r =
                    ldexpl(rintl(ldexpl(v, f->digits - e)), e - f->digits);
                double want = fabsl(r) >= ldexpl(1, f->most + 1)
                                  ? copysign(INFINITY, (double)r)
                                  : (double)r;
                ck_assert_msg(same(at(y, i), want), "%s of %llu by %s: %a",
                              text, (unsigned long long)u[i], backends[b],
                              at(y, i));
            }
            ilex_storage_release(y);
        }
    ilex_storage_release(s);
}
END_TEST

/* ---- arithmetic ---- */

static float
operate(char op, float a, float b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return a / b;
    }
}

/* Every number with some, in f32 and rounded; results that are stored, and in
 * one kernel with what follows. */
START_TEST(arithmetic)
{
    const format *f = &formats[_i];
    static const double others[] = {-0.1, 1000, 6e-8};
    static double want[ALL], then[ALL];
    ilex_storage *x = every_value(f);
    for (int k = 0; k < 4 * (int)IX_COUNT(others); k++) {
        char op = "+-*/"[k % 4], text[2][32];
        double other = nearest(f, others[k / 4]);
        ilex_storage *y = ilex_storage_scalar(ctx, f->dtype, other);
        for (int i = 0; i < ALL; i++) {
            float a = (float)number(f, i);
            want[i] = nearest(f, (double)operate(op, a, (float)other));
            then[i] = nearest(f, (double)((float)want[i] * a));
        }
        snprintf(text[0], sizeof text[0], "x %c y", op);
        snprintf(text[1], sizeof text[1], "(x %c y) * x", op);
        for (int b = 0; b < ALL_BACKENDS; b++)
            for (int fused = 0; fused < 2; fused++) {
                ilex_storage *r = compute(backends[b], text[fused], x, y);
                ck_assert_int_eq(r->dtype, f->dtype);
                for (int i = 0; i < ALL; i++)
                    ck_assert_msg(same(at(r, i), fused ? then[i] : want[i]),
                                  "%s of %a and %a by %s: %a", text[fused],
                                  number(f, i), other, backends[b], at(r, i));
                ilex_storage_release(r);
            }
        ilex_storage_release(y);
    }
    ilex_storage_release(x);
}
END_TEST

/* The bits of the number next to that of "i" on the way to an infinity. */
static int
next_to(const format *f, int i, bool down)
{
    if (is_nan(f, i) || number(f, i) == (down ? -INFINITY : INFINITY))
        return i;
    if ((i & 0x7fff) == 0)
        return down ? 0x8001 : 1;
    return (number(f, i) < 0) == down ? i + 1 : i - 1;
}

/* What is about bits: every number has its own, and neighbours. */
START_TEST(bits)
{
    const format *f = &formats[_i];
    ilex_storage *x = every_value(f);
    int nan = ((2 * f->most + 1) << f->digits) | 1 << (f->digits - 1);
    for (int b = 0; b < QUICK; b++) {
        ilex_storage *r = compute(backends[b], "bits(x)", x, NULL);
        ck_assert_int_eq(r->dtype, ILEX_U16);
        const uint16_t *v = ilex_storage_const_data(r);
        for (int i = 0; i < ALL; i++)
            ck_assert_int_eq(v[i], is_nan(f, i) ? nan : i);
        ilex_storage *y = compute(backends[b], "from_bits(x)", r, NULL);
        for (int i = 0; i < ALL && f->dtype == ILEX_F16; i++)
            ck_assert(same(at(y, i), number(f, i)));
        ck_assert_int_eq(y->dtype, ILEX_F16);
        ilex_storage_release(y);
        ilex_storage_release(r);
        for (int down = 0; down < 2; down++) {
            y = ilex_storage_scalar(ctx, f->dtype, down ? -INFINITY : INFINITY);
            r = compute(backends[b], "nextafter(x, y)", x, y);
            for (int i = 0; i < ALL; i++)
                ck_assert_msg(same(at(r, i), number(f, next_to(f, i, down))),
                              "%x by %s: %a", (unsigned)i, backends[b],
                              at(r, i));
            ilex_storage_release(y);
            ilex_storage_release(r);
        }
    }
    ilex_storage_release(x);
}
END_TEST

/* ---- sums ---- */

/* 3,000 ones are 2,048 where each sum is f16, 256 where it is bf16. */
START_TEST(sums)
{
    const format *f = &formats[_i];
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"sum(x)", 3000},
                {"mean(x)", 1},
                {"vdot(x, x)", 3000},
                {"max(cumsum(x; axis=1))", 3000},
                {"prod(x)", 1},
                {"max(x)", 1},
                {"sum(x; where=x > 0)", 3000},
                {"var(x)", 0},
                {"max(segment_sum(x[0], i32(x[0]); segments=2))", 3000},
                {"max(sum[0](x))", 1}};
    ilex_storage *x = ilex_storage_ones(ctx, f->dtype, 2, (int64_t[]){1, 3000});
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        for (int b = 0; b < QUICK; b++) {
            ilex_storage *y = compute(backends[b], rows[i].text, x, NULL);
            ck_assert_int_eq(y->dtype, f->dtype);
            ck_assert_msg(at(y, 0) == nearest(f, rows[i].value), "%s by %s: %g",
                          rows[i].text, backends[b], at(y, 0));
            ilex_storage_release(y);
        }
    ilex_storage_release(x);
}
END_TEST

/* ---- types ---- */

START_TEST(promotion)
{
    static const char expected[2][ILEX_NDTYPES + 1] = {
        /* b i8 i16.. u8 u16.. f32 f64 c64 c128 f16 bf16: h half, s d c z */
        "hhssshsss"
        "sdczhs",
        "hhssshsss"
        "sdczsh"};
    for (int i = 0; i < ILEX_NDTYPES; i++) {
        const format *f = &formats[_i];
        ilex_dtype p = ilex_dtype_promote(f->dtype, (ilex_dtype)i);
        char c = expected[_i][i];
        ck_assert_int_eq(p, c == 'h'   ? f->dtype
                            : c == 's' ? ILEX_F32
                            : c == 'd' ? ILEX_F64
                            : c == 'c' ? ILEX_C64
                                       : ILEX_C128);
    }
}
END_TEST

START_TEST(elements)
{
    const format *f = &formats[_i];
    int64_t index = 0;
    double v;
    ilex_storage *s = ilex_storage_zeros(ctx, f->dtype, 1, (int64_t[]){2});
    ck_assert_int_eq(ilex_storage_set_f64(s, &index, 0.1), ILEX_OK);
    ck_assert_int_eq(ilex_storage_get_f64(s, &index, &v), ILEX_OK);
    ck_assert(v == nearest(f, 0.1));
    ck_assert_int_eq(ilex_storage_set_f64(s, &index, 3.4e39), ILEX_E_LITERAL);
    ck_assert_int_eq(ilex_storage_set_i64(s, &index, -7), ILEX_OK);
    ck_assert(at(s, 0) == -7);
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("half");
    TCase *tests = tcase_create("half");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, values, 0, 2);
    tcase_add_loop_test(tests, values_compiled, 0, 2);
    tcase_add_loop_test(tests, ties, 0, 2);
    tcase_add_loop_test(tests, integers, 0, 2);
    tcase_add_loop_test(tests, arithmetic, 0, 2);
    tcase_add_loop_test(tests, bits, 0, 2);
    tcase_add_loop_test(tests, sums, 0, 2);
    tcase_add_loop_test(tests, promotion, 0, 2);
    tcase_add_loop_test(tests, elements, 0, 2);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
