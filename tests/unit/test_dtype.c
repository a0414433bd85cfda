/* SPDX-License-Identifier: MIT
 *
 * Element types: names both ways, kinds, promotion as a lattice. The table of
 * all promoted pairs is checked by test_op.c.
 */
#include <check.h>
#include <stdlib.h>

#include "lib/ops/dtype.h"
#include "tests/suite.h"

START_TEST(names)
{
    for (int k = 0; k < ILEX_NDTYPES; k++) {
        ilex_dtype d = (ilex_dtype)k, found = ILEX_NDTYPES;
        const char *name = ilex_dtype_name(d), *numpy = ix_dtype_numpy(d);
        ck_assert(ix_dtype_find(name, strlen(name), &found));
        ck_assert_int_eq(found, d);
        ck_assert(ix_dtype_find_numpy(numpy, strlen(numpy), &found));
        ck_assert_int_eq(found, d);
        ck_assert(!ix_dtype_find(name, strlen(name) - 1, &found));
        ck_assert(ix_dtype_of(ix_dtype_kind(d), ilex_dtype_bytes(d), &found));
        ck_assert_int_eq(found, d == ILEX_BF16 ? ILEX_F16 : d);
    }
}
END_TEST

START_TEST(outside)
{
    ilex_dtype none = ILEX_NDTYPES;
    ck_assert_uint_eq(ilex_dtype_bytes(none), 0);
    ck_assert_str_eq(ilex_dtype_name(none), "?");
    ck_assert_int_eq(ix_dtype_kind(none), '?');
    ck_assert(!ix_dtype_find("f15", 3, &none));
    ck_assert(!ix_dtype_find("", 0, &none));
    ck_assert(!ix_dtype_of('i', 16, &none));
}
END_TEST

START_TEST(parts)
{
    ck_assert_int_eq(ix_dtype_part(ILEX_C64), ILEX_F32);
    ck_assert_int_eq(ix_dtype_part(ILEX_C128), ILEX_F64);
    ck_assert_int_eq(ix_dtype_part(ILEX_I16), ILEX_I16);
    ck_assert_int_eq(ix_dtype_float(ILEX_BOOL), ILEX_F32);
    ck_assert_int_eq(ix_dtype_float(ILEX_U16), ILEX_F32);
    ck_assert_int_eq(ix_dtype_float(ILEX_I32), ILEX_F64);
    ck_assert_int_eq(ix_dtype_float(ILEX_C64), ILEX_C64);
}
END_TEST

/* Promotion commutes, is idempotent, and never lowers the size; but f16 and
 * bf16 with wide integers are f32, which is in turn f64 with these. */
START_TEST(promotion)
{
    for (int i = 0; i < ILEX_NDTYPES; i++)
        for (int j = 0; j < ILEX_NDTYPES; j++) {
            ilex_dtype a = (ilex_dtype)i, b = (ilex_dtype)j;
            ilex_dtype p = ilex_dtype_promote(a, b);
            ck_assert_int_eq(p, ilex_dtype_promote(b, a));
            if (ix_dtype_is_half(b) && ix_dtype_is_integer(a))
                continue;
            ck_assert_int_eq(p, ilex_dtype_promote(p, a));
            ck_assert_uint_ge(ilex_dtype_bytes(p), ilex_dtype_bytes(a));
            ck_assert_int_eq(a == b ? a : p, p);
        }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("dtype");
    TCase *tests = tcase_create("dtype");
    tcase_add_test(tests, names);
    tcase_add_test(tests, outside);
    tcase_add_test(tests, parts);
    tcase_add_test(tests, promotion);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
