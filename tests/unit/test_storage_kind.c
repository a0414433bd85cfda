/* SPDX-License-Identifier: MIT
 *
 * The registers of the process: kinds of strides and ids of lengths.
 */
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

START_TEST(kinds)
{
    ilex_storage *a = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(4, 5));
    ilex_storage *b = ilex_storage_zeros(ctx, ILEX_F32, 2, SHAPE(7, 5));
    ilex_storage *c = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(4, 6));
    ilex_storage *t = ilex_storage_transpose(ctx, a, NULL);
    ilex_storage *u = ilex_storage_new(
        ctx, &SPEC(.like = a, .flags = ILEX_STORAGE_UNKNOWN_KIND));
    ck_assert_uint_ne(ilex_storage_kind(a), 0);
    ck_assert_uint_eq(ilex_storage_kind(a), ilex_storage_kind(b));
    ck_assert_uint_ne(ilex_storage_kind(a), ilex_storage_kind(c));
    ck_assert_uint_ne(ilex_storage_kind(a), ilex_storage_kind(t));
    ck_assert_uint_eq(ilex_storage_kind(u), 0);
    for (int i = 0; i < 300; i++) {
        ilex_storage *x = ilex_storage_new(
            ctx, &SPEC(.rank = 2, .shape = SHAPE(1 + draw(4), 1 + draw(4)),
                       .layout = draw(2) ? "C" : "F",
                       .alignment = draw(2) ? 64 : 1));
        bool same = !memcmp(x->stride, a->stride, 2 * sizeof *a->stride);
        ck_assert_int_eq(ilex_storage_kind(x) == ilex_storage_kind(a), same);
        ilex_storage_release(x);
    }
    ilex_storage *all[] = {a, b, c, t, u};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

START_TEST(ids)
{
    ilex_storage_spec part = SPEC(.rank = 2, .shape = SHAPE(4, 5), .id = 3);
    ilex_storage *a = ilex_storage_new(ctx, &part);
    part.dtype = "i8";
    ilex_storage *b = ilex_storage_new(ctx, &part);
    ilex_storage *v = ilex_storage_slice(ctx, b, 0, 0, 2, 1);
    part.shape = SHAPE(4, 6);
    ck_assert_ptr_null(ilex_storage_new(ctx, &part));
    ck_assert_int_eq(take_error(), ILEX_E_SHAPE);
    part.rank = 1;
    ck_assert_ptr_null(ilex_storage_new(ctx, &part));
    ck_assert_int_eq(take_error(), ILEX_E_SHAPE);
    ilex_storage_release(a);
    ilex_storage_release(b);
    ck_assert_ptr_null(ilex_storage_new(ctx, &part));
    take_error();
    ilex_storage_release(v);
    a = ilex_storage_new(ctx, &part);
    ck_assert_ptr_nonnull(a);
    ilex_storage_release(a);
}
END_TEST

/* The kind of a view of "rank" axes over bytes. */
static uint64_t
kind_of(int rank, int64_t first, int64_t second)
{
    static char bytes[80000];
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.dtype = "i8", .rank = rank, .shape = SHAPE(2, 2),
                   .data = bytes, .strides = SHAPE(first, second)));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    uint64_t kind = ilex_storage_kind(s);
    ilex_storage_release(s);
    return kind;
}

/* Of thousands, many share a bucket of the register: still each has its own,
 * also those that differ in the last stride or in the number of axes. When
 * the register is full, new ones are unknown and old ones are not. The last
 * test: the register belongs to the process. */
START_TEST(many_kinds)
{
    static uint64_t kind[4000][3];
    for (int64_t i = 0; i < 4000; i++)
        for (int k = 0; k < 3; k++)
            kind[i][k] = kind_of(k < 2 ? 2 : 1, i + 2, k + 1);
    for (int64_t i = 0; i < 4000; i++)
        for (int k = 0; k < 3; k++) {
            ck_assert_uint_ne(kind[i][k], 0);
            ck_assert_uint_ne(kind[i][k], kind[i][(k + 1) % 3]);
            ck_assert_uint_eq(kind[i][k], kind_of(k < 2 ? 2 : 1, i + 2, k + 1));
        }
    int64_t known = 0;
    for (int64_t i = 0; i < 70000; i++)
        known += kind_of(2, i + 4002, 1) != 0;
    ck_assert_int_lt(known, 65536 - 12000 + 1);
    ck_assert_int_gt(known, 65536 - 12000 - 2000);
    ck_assert_uint_eq(kind_of(2, 70001 + 4002, 1), 0);
    ck_assert_uint_eq(kind_of(2, 5, 1), kind[3][0]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_kind");
    TCase *tests = tcase_create("storage_kind");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, kinds);
    tcase_add_test(tests, ids);
    tcase_add_test(tests, many_kinds);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
