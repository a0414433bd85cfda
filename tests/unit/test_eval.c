/* SPDX-License-Identifier: MIT
 *
 * Operator table and evaluator beyond the golden files: names, the laws of
 * ops.def on random values of every dtype, reductions, memory.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "tests/suite.h"

enum { ROUNDS = 400 };

static uint64_t state;

/* The next random number (xorshift). */
static uint64_t
next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* A real number, every third one special. */
static double
random_real(void)
{
    static const double special[] = {
        0.0, -0.0, 1.0, -1.0, 0.5,       2.0,      INFINITY, -INFINITY,
        NAN, 1e30, 3.0, -7.0, 0x1p-1074, 0x1p-149, 1e-300,   100.0,
    };
    uint64_t r = next_random();
    if (r >> 40 & 1)
        return special[(r >> 20) % IX_COUNT(special)];
    return (double)(int64_t)r * 0x1p-58;
}

/* A value of "dtype", cut to what the dtype can hold. */
static ix_value
random_value(ilex_dtype dtype)
{
    char kind = ix_dtype_kind(dtype);
    ix_value v = {.f = random_real(), .im = random_real()};
    ix_value raw = {.u = next_random() >> (next_random() % 64)};
    if (kind == 'f' || kind == 'c')
        ix_cast_eval(ILEX_C128, dtype, &v, &v);
    else
        ix_cast_eval(ILEX_I64, dtype, &raw, &v);
    return v;
}

/* "op" of "x" and "y", both of dtype "loop". */
static ix_value
apply(ix_op op, ilex_dtype loop, ix_value x, ix_value y)
{
    ix_value args[3] = {x, y, y}, r;
    ix_op_eval(op, loop, args, &r);
    return r;
}

/* Asserts the laws of "op" in dtype "d" on one triple. */
static void
check_laws(ix_op op, ilex_dtype d, ix_value x, ix_value y, ix_value z)
{
    const ix_op_info *info = ix_op_info_of(op);
    char kind = ix_dtype_kind(d);
    bool exact = kind != 'f' && kind != 'c';
    ilex_dtype types[3] = {d, d, d}, loop, r;
    if (!ix_op_type(op, types, &loop, &r) || loop != d)
        return;
    if (info->laws & IX_LAW_COMMUTES ||
        (exact && info->laws & IX_LAW_COMMUTES_INT))
        ck_assert_msg(ix_value_same(r, apply(op, d, x, y), apply(op, d, y, x)),
                      "%s %s", info->name, ilex_dtype_name(d));
    if (r != d)
        return;
    if (info->laws & IX_LAW_IDEMPOTENT)
        ck_assert(ix_value_same(d, apply(op, d, x, x), x));
    if (exact && info->laws & IX_LAW_ASSOCIATES_INT)
        ck_assert_msg(ix_value_same(d, apply(op, d, apply(op, d, x, y), z),
                                    apply(op, d, x, apply(op, d, y, z))),
                      "%s %s", info->name, ilex_dtype_name(d));
    ix_value once = apply(op, d, x, x);
    if (info->laws & IX_LAW_INVOLUTION)
        ck_assert(ix_value_same(d, apply(op, d, once, once), x));
    if (info->laws & IX_LAW_PROJECTION && kind != 'c')
        ck_assert(ix_value_same(d, apply(op, d, once, once), once));
}

START_TEST(laws)
{
    state = 20240229;
    for (int op = 0; op < IX_NOPS; op++)
        for (int d = 0; d < ILEX_NDTYPES; d++)
            for (int k = 0; k < ROUNDS; k++) {
                ilex_dtype dtype = (ilex_dtype)d;
                ix_value x = random_value(dtype), y = random_value(dtype);
                check_laws((ix_op)op, dtype, x, y, random_value(dtype));
            }
}
END_TEST

START_TEST(names)
{
    ix_op op = IX_NOPS;
    for (int k = 0; k < IX_NOPS; k++) {
        const ix_op_info *info = ix_op_info_of((ix_op)k);
        ck_assert(ix_op_find(info->name, strlen(info->name), &op));
        ck_assert_int_eq(op, k);
        ck_assert_int_eq(info->infix != NULL, info->precedence != 0);
        if (!info->infix)
            continue;
        ck_assert(ix_op_find_infix(info->infix, strlen(info->infix),
                                   info->arity, &op));
        ck_assert_int_eq(op, k);
    }
    ck_assert(ix_op_find("max", 3, &op) && op == IX_OP_MAXIMUM);
    ck_assert(ix_op_find("select", 6, &op) && op == IX_OP_WHERE);
    ck_assert(!ix_op_find("ad", 2, &op));
    ck_assert(ix_op_find_infix("+", 1, 1, &op) && op == IX_OP_POSITIVE);
    ck_assert(!ix_op_find_infix("*", 1, 1, &op));
}
END_TEST

/* Each type rule leads to a cell that computes something: a template exists
 * exactly for the dtypes that are loop dtypes. */
START_TEST(templates)
{
    for (int op = 0; op < IX_NOPS; op++)
        for (int d = 0; d < ILEX_NDTYPES; d++) {
            ilex_dtype types[3] = {(ilex_dtype)d, (ilex_dtype)d, (ilex_dtype)d};
            ilex_dtype loop, result;
            bool defined = ix_op_type((ix_op)op, types, &loop, &result);
            ix_code_template code = ix_op_template((ix_op)op, (ilex_dtype)d);
            bool word = defined && op == IX_OP_PHILOX && loop == ILEX_U64;
            ck_assert_int_eq(defined && (loop == (ilex_dtype)d || word),
                             code.kind != IX_CODE_NONE);
        }
}
END_TEST

/* Combining the identity with x gives x. */
START_TEST(identities)
{
    ilex_dtype acc, result;
    state = 77;
    for (int r = 0; r < IX_NREDUCTIONS; r++) {
        ix_reduction red = (ix_reduction)r;
        if (ix_reduction_info_of(red)->by_index)
            continue;
        for (int k = 0; k < ROUNDS * ILEX_NDTYPES; k++) {
            ilex_dtype d = (ilex_dtype)(k % ILEX_NDTYPES);
            ck_assert(ix_reduction_type(red, d, &acc, &result));
            if (red == IX_REDUCTION_PROD && ix_dtype_is_complex(acc))
                continue;
            ix_value x = random_value(acc);
            ix_value first = ix_reduction_identity(red, acc);
            ix_op op = ix_reduction_op(red);
            ck_assert_msg(ix_value_same(acc, apply(op, acc, first, x), x) &&
                              ix_value_same(acc, apply(op, acc, x, first), x),
                          "%s %s", ix_reduction_info_of(red)->name,
                          ilex_dtype_name(acc));
        }
    }
}
END_TEST

START_TEST(empty)
{
    ix_value v;
    ck_assert(ix_reduction_empty(IX_REDUCTION_SUM, ILEX_F64, &v));
    ck_assert(v.f == 0 && !signbit(v.f));
    ck_assert(ix_reduction_empty(IX_REDUCTION_PROD, ILEX_I64, &v) && v.i == 1);
    ck_assert(ix_reduction_empty(IX_REDUCTION_ALL, ILEX_BOOL, &v) && v.u == 1);
    ck_assert(ix_reduction_empty(IX_REDUCTION_ANY, ILEX_BOOL, &v) && v.u == 0);
    ck_assert(ix_reduction_empty(IX_REDUCTION_MEAN, ILEX_F64, &v));
    ck_assert(isnan(v.f));
    ck_assert(!ix_reduction_empty(IX_REDUCTION_MAX, ILEX_F64, &v));
    ck_assert(!ix_reduction_empty(IX_REDUCTION_ARGMIN, ILEX_I64, &v));
}
END_TEST

START_TEST(better)
{
    ix_value one = {.f = 1}, two = {.f = 2}, nan = {.f = NAN};
    ix_reduction max = IX_REDUCTION_ARGMAX, min = IX_REDUCTION_ARGMIN;
    ck_assert(ix_reduction_better(max, ILEX_F64, two, one));
    ck_assert(!ix_reduction_better(max, ILEX_F64, one, one));
    ck_assert(ix_reduction_better(max, ILEX_F32, nan, two));
    ck_assert(!ix_reduction_better(max, ILEX_F32, nan, nan));
    ck_assert(!ix_reduction_better(min, ILEX_F64, one, nan));
    ck_assert(ix_reduction_better(min, ILEX_C128, one, two));
    ck_assert(!ix_reduction_better(min, ILEX_C64, one, one));
    ck_assert(ix_reduction_better(min, ILEX_U8, (ix_value){.u = 3},
                                  (ix_value){.u = 200}));
}
END_TEST

/* Values survive a store and a load at any alignment; the operands of an
 * evaluation may be its result. */
START_TEST(memory)
{
    char block[20];
    state = 5;
    for (int k = 0; k < ROUNDS * ILEX_NDTYPES; k++) {
        ilex_dtype d = (ilex_dtype)(k % ILEX_NDTYPES);
        ix_value v = random_value(d);
        memset(block, 0x5a, sizeof block);
        ix_value_store(d, block + 1, v);
        ck_assert(ix_value_same(d, ix_value_load(d, block + 1), v));
        ck_assert_int_eq(block[0], 0x5a);
        ck_assert_int_eq(block[1 + ilex_dtype_bytes(d)], 0x5a);
    }
    block[0] = 7;
    ck_assert_uint_eq(ix_value_load(ILEX_BOOL, block).u, 1);
    ix_value args[2] = {{.f = 3}, {.f = 4}};
    ix_op_eval(IX_OP_SUBTRACT, ILEX_F64, args, &args[1]);
    ck_assert(args[1].f == -1);
}
END_TEST

/* Distance from |x| > 0 to the next larger number of so many digits. */
static double
unit(double x, int digits)
{
    int exponent = 0;
    (void)frexp(x, &exponent);
    return ldexp(1, exponent - digits);
}

/* logaddexp where its result is near 0, against extended precision: 4 units of
 * the result in f32, of the largest number at hand in f64. */
START_TEST(logaddexp_near_zero)
{
    state = 7;
    for (int k = 0; k < 200 * ROUNDS; k++) {
        double x = -3.0 * (double)(next_random() >> 11) * 0x1p-53 - 0x1p-20,
               off = (double)(next_random() >> 54) * 0x1p-26;
        float xs = (float)x, ys = (float)(log1p(-exp(x)) + off);
        ix_value v[2] = {{.f = xs}, {.f = ys}}, narrow, wide;
        long double want =
            log1pl(expm1l((long double)xs) + expl((long double)ys));
        ix_op_eval(IX_OP_LOGADDEXP, ILEX_F32, v, &narrow);
        ix_op_eval(IX_OP_LOGADDEXP, ILEX_F64, v, &wide);
        double r = (double)want, most = fmax(fabs(r), -fmin(v[0].f, v[1].f));
        ck_assert_msg(fabs(r) < 1e-9 || fabs(narrow.f - r) <= 4 * unit(r, 24),
                      "f32: logaddexp(%a, %a) is %a, not %a", v[0].f, v[1].f,
                      narrow.f, r);
        ck_assert_msg(fabsl((long double)wide.f - want) <=
                          (long double)(4 * unit(most, 53)),
                      "f64: logaddexp(%a, %a) is %a, not %a", v[0].f, v[1].f,
                      wide.f, r);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eval");
    TCase *tests = tcase_create("eval");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, laws);
    tcase_add_test(tests, names);
    tcase_add_test(tests, templates);
    tcase_add_test(tests, identities);
    tcase_add_test(tests, empty);
    tcase_add_test(tests, better);
    tcase_add_test(tests, logaddexp_near_zero);
    tcase_add_test(tests, memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
