/* SPDX-License-Identifier: MIT
 *
 * How storages meet in eager operators: broadcasting by axis, what a new
 * result is made of, plain arrays.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/eager_fixture.h"

/* ---- broadcasting ---- */

START_TEST(by_name)
{
    ilex_storage *y =
        sum_of(named("IJ", 2, SHAPE(2, 3), 1), named("K", 1, SHAPE(4), 100));
    AXES(y, "I", "J", "K");
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(y, i / 12, i / 4 % 3, i % 4),
                         i / 4 + 1 + 100 * (i % 4 + 1));
    ilex_storage_release(y);
    y = sum_of(named("I", 1, SHAPE(3), 1), named("J", 1, SHAPE(3), 10));
    AXES(y, "I", "J");
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(at(y, i / 3, i % 3, 0), i / 3 + 1 + 10 * (i % 3 + 1));
    ilex_storage_release(y);
    y = sum_of(named("KJI", 3, SHAPE(4, 3, 2), 1),
               named("IJ", 2, SHAPE(2, 3), 100));
    AXES(y, "K", "J", "I");
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(y, i / 6, i / 2 % 3, i % 2),
                         i + 1 + 100 * (3 * (i % 2) + i / 2 % 3 + 1));
    ilex_storage_release(y);
    refuse_sum(named("IJ", 2, SHAPE(2, 3), 1), named("IJ", 2, SHAPE(2, 4), 1),
               NULL, ILEX_E_SHAPE);
    refuse_sum(named("I", 1, SHAPE(3), 1), named("I+1/2", 1, SHAPE(2), 1), NULL,
               ILEX_E_AXIS);
}
END_TEST

/* Length 1 is as good as no axis; its halo does not count then. */
START_TEST(length_one)
{
    ilex_storage *y =
        sum_of(make(SPEC(.rank = 3, .shape = SHAPE(1, 3, 1), .axes = "IJK",
                         .halo = SHAPE(1, 0, 1, 0, 0, 1)),
                    1),
               named("IK", 2, SHAPE(2, 4), 10));
    AXES(y, "I", "J", "K");
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(y, i / 12, i / 4 % 3, i % 4),
                         i / 4 % 3 + 1 + 10 * (4 * (i / 12) + i % 4 + 1));
    ck_assert_int_eq(y->halo[0][0], 0);
    ck_assert_int_eq(y->halo[1][0], 1);
    ck_assert_int_eq(y->halo[2][1], 0);
    ilex_storage_release(y);
    y = sum_of(make(SPEC(.rank = 1, .shape = SHAPE(1), .axes = "I",
                         .halo = SHAPE(0, 1)),
                    1),
               named("I", 1, SHAPE(1), 1));
    ck_assert_int_eq(y->shape[0], 1);
    ck_assert_int_eq(y->halo[0][1], 1);
    ilex_storage_release(y);
}
END_TEST

/* Masked axes, reversed and stepped views, transposed layouts. */
START_TEST(strides)
{
    ilex_storage *m = ilex_storage_new(
        ctx,
        &SPEC(.dtype = "i64", .rank = 2, .shape = SHAPE(3, 4), .axes = "IJ",
              .layout_map = (const int[]){-1, 0}, .fill = (const double[]){5}));
    ck_assert_int_eq(m->stride[0], 0);
    ilex_storage *wide = named("IJ", 2, SHAPE(6, 4), 1);
    ilex_storage *half = ilex_storage_slice(ctx, wide, 0, 5, 0, -2);
    ilex_storage *back = ilex_storage_slice(ctx, half, 1, 3, -1, -1);
    ilex_storage *y = sum_of(m, back);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(at(y, i / 4, i % 4, 0),
                         5 + 4 * (5 - 2 * (i / 4)) + 3 - i % 4 + 1);
    ck_assert(!ix_storage_self_overlap(y));
    ilex_storage *into = ilex_storage_slice(ctx, wide, 0, 0, 5, 2);
    ilex_storage *x[] = {y, y};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, into), into);
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(wide, i / 4, i % 4, 0),
                         i / 4 % 2 ? i + 1 : 2 * at(y, i / 8, i % 4, 0));
    ilex_storage *all[] = {wide, half, y, into, into};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* The halo is computed as well: it is a marker. Without it: its inside. */
START_TEST(halo_is_computed)
{
    ilex_storage_spec p = SPEC(.rank = 2, .shape = SHAPE(5, 6), .axes = "IJ",
                               .halo = SHAPE(1, 2, 2, 1));
    ilex_storage *y = sum_of(make(p, 1), make(p, 10));
    for (int i = 0; i < 30; i++)
        ck_assert_int_eq(at(y, i / 6, i % 6, 0), 11 * (i + 1));
    ilex_storage *inside = ilex_storage_interior(ctx, y);
    ilex_storage *x[] = {inside, inside};
    ck_assert_ptr_eq(ilex_eager(ctx, "subtract", 2, x, inside), inside);
    for (int i = 0; i < 30; i++) {
        bool in = i / 6 >= 1 && i / 6 < 3 && i % 6 >= 2 && i % 6 < 5;
        ck_assert_int_eq(at(y, i / 6, i % 6, 0), in ? 0 : 11 * (i + 1));
    }
    ilex_storage_release(inside);
    ilex_storage_release(inside);
    ilex_storage_release(y);
}
END_TEST

/* ---- what a new result is made of ---- */

START_TEST(result_axes)
{
    static const struct {
        const char *a, *b, *want;
    } rows[] = {{"JI", "JI", "JI"},  {"IJ", "JI", "IJ"},  {"KJI", "I", "KJI"},
                {"I", "KJI", "KJI"}, {"JK", "I", "IJK"},  {"KI", "J", "IJK"},
                {"KJ", "JI", "IJK"}, {"VI", "KV", "IKV"}, {"VW", "WU", "VWU"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *y =
            sum_of(named(rows[i].a, (int)strlen(rows[i].a), SHAPE(2, 2, 2), 1),
                   named(rows[i].b, (int)strlen(rows[i].b), SHAPE(2, 2, 2), 1));
        ck_assert_int_eq(y->rank, (int)strlen(rows[i].want));
        for (int k = 0; k < y->rank; k++)
            ck_assert_msg(y->axis[k][0] == rows[i].want[k], "row %zu", i);
        ilex_storage_release(y);
    }
    const int64_t *two = SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2);
    refuse_sum(named("ABCDEFGHI", 9, two, 1), named("JKLMNOPQR", 9, two, 1),
               NULL, ILEX_E_RANK);
}
END_TEST

START_TEST(result_halo)
{
    ilex_storage *y = sum_of(make(SPEC(.rank = 2, .shape = SHAPE(6, 5),
                                       .axes = "IJ", .halo = SHAPE(1, 2, 0, 3)),
                                  1),
                             make(SPEC(.rank = 2, .shape = SHAPE(5, 6),
                                       .axes = "JI", .halo = SHAPE(2, 1, 3, 0)),
                                  1));
    AXES(y, "I", "J");
    ck_assert(y->halo[0][0] == 3 && y->halo[0][1] == 2);
    ck_assert(y->halo[1][0] == 2 && y->halo[1][1] == 3);
    ilex_storage_release(y);
    refuse_sum(make(SPEC(.rank = 1, .shape = SHAPE(4), .axes = "I",
                         .halo = SHAPE(3, 0)),
                    1),
               make(SPEC(.rank = 1, .shape = SHAPE(4), .axes = "I",
                         .halo = SHAPE(0, 2)),
                    1),
               NULL, ILEX_E_HALO);
}
END_TEST

/* The largest aligned index, the least common multiple of the alignments, and
 * the memory is so aligned. Plain arrays have no say. */
START_TEST(result_alignment)
{
    ilex_storage_spec p = SPEC(.rank = 2, .shape = SHAPE(5, 6), .axes = "IJ",
                               .alignment = 64, .aligned_index = SHAPE(1, 4));
    ilex_storage_spec q = SPEC(.rank = 2, .shape = SHAPE(6, 5), .axes = "JI",
                               .alignment = 24, .aligned_index = SHAPE(2, 3));
    ilex_storage_spec r = SPEC(.rank = 2, .shape = SHAPE(5, 6),
                               .alignment = 256, .aligned_index = SHAPE(4, 5));
    ilex_storage *y = sum_of(make(p, 1), make(q, 1));
    ck_assert_uint_eq(y->alignment, 192);
    ck_assert(y->aligned[0] == 3 && y->aligned[1] == 4);
    for (int64_t i = 0; i < 5; i++) {
        uintptr_t a = (uintptr_t)ilex_storage_at(y, SHAPE(i, 4));
        ck_assert_uint_eq(a % 192, 0);
    }
    y = sum_of(y, make(r, 1));
    ck_assert_uint_eq(y->alignment, 192);
    ck_assert(y->aligned[0] == 3 && y->aligned[1] == 4);
    ilex_storage_release(y);

    /* without an alignment the index is still passed on */
    p.alignment = 0;
    y = sum_of(make(p, 1), named("I", 1, SHAPE(5), 1));
    ck_assert_uint_eq(y->alignment, 0);
    ck_assert(y->aligned[0] == 1 && y->aligned[1] == 4);
    ilex_storage_release(y);

    /* an index that was cut off is no index of the result */
    p.alignment = 64;
    ilex_storage *whole = make(p, 1);
    y = sum_of(ilex_storage_slice(ctx, whole, 1, 0, 3, 1),
               named("J", 1, SHAPE(3), 1));
    ck_assert_int_lt(y->aligned[1], 3);
    ilex_storage_release(y);
    ilex_storage_release(whole);

    p.alignment = 1u << 30;
    q.alignment = 3;
    refuse_sum(make(SPEC(.rank = 1, .shape = SHAPE(1), .axes = "I",
                         .alignment = 1u << 20),
                    1),
               make(SPEC(.rank = 1, .shape = SHAPE(1), .axes = "I",
                         .alignment = (1u << 20) - 1),
                    1),
               NULL, ILEX_E_ALIGNMENT);
}
END_TEST

static void
check_strides(ilex_storage *y, int64_t i, int64_t j, int64_t k)
{
    ck_assert_msg(y->stride[0] == i && y->stride[1] == j && y->stride[2] == k,
                  "strides %lld %lld %lld", (long long)y->stride[0],
                  (long long)y->stride[1], (long long)y->stride[2]);
    ilex_storage_release(y);
}

START_TEST(result_layout)
{
    const int64_t *shape = SHAPE(2, 3, 4), *two = SHAPE(2, 3);
    ilex_storage_spec kji =
        SPEC(.rank = 3, .shape = shape, .axes = "IJK", .layout = "KJI");
    ilex_storage_spec jik =
        SPEC(.rank = 2, .shape = two, .axes = "IJ", .layout = "JKI");
    check_strides(sum_of(make(kji, 1), named("IJK", 3, shape, 1)), 1, 2, 6);
    check_strides(sum_of(named("IJK", 3, shape, 1), make(kji, 1)), 12, 4, 1);

    /* the words of the first one place an axis that it lacks */
    check_strides(sum_of(make(jik, 1), named("K", 1, SHAPE(4), 1)), 1, 8, 2);

    /* a layout that says nothing of an axis: it comes last */
    ilex_storage *c = make(jik, 1);
    int64_t swapped[6] = {1, 2, 3, 4, 5, 6};
    ilex_storage *w = ilex_storage_wrap(ctx, ILEX_I64, 2, two, SHAPE(1, 2),
                                        swapped, NULL, NULL);
    ilex_storage *ji = ilex_storage_reinterpret(ctx, w, "IJ");
    check_strides(sum_of(ji, named("K", 1, SHAPE(4), 1)), 4, 8, 1);

    /* a plain array has no say beside names, alone it has */
    ilex_storage *f = make(
        SPEC(.rank = 3, .shape = shape, .layout_map = (const int[]){2, 0, 1}),
        1);
    ilex_storage *g = ilex_storage_retain(f);
    check_strides(sum_of(f, named("IJK", 3, shape, 1)), 12, 4, 1);
    check_strides(sum_of(g, make(SPEC(.rank = 3, .shape = shape), 1)), 1, 8, 2);

    /* presets, masked axes */
    check_strides(
        sum_of(make(SPEC(.rank = 3, .shape = shape, .preset = "cpu_ifirst"), 1),
               make(SPEC(.rank = 3, .shape = shape), 1)),
        1, 32, 8);
    check_strides(sum_of(make(SPEC(.rank = 3, .shape = shape, .axes = "IJK",
                                   .layout_map = (const int[]){1, -1, 0}),
                              1),
                         named("J", 1, SHAPE(3), 1)),
                  3, 1, 6);
    ilex_storage_release(c);
    ilex_storage_release(w);
}
END_TEST

START_TEST(result_dtype)
{
    ilex_storage *x[] = {ilex_storage_ones(ctx, ILEX_I8, 1, SHAPE(2)),
                         ilex_storage_ones(ctx, ILEX_U8, 1, SHAPE(2))};
    ilex_storage *y = ilex_eager(ctx, "add", 2, x, NULL);
    ck_assert_int_eq(y->dtype, ILEX_I16);
    ilex_storage *z = ilex_eager(ctx, "less", 2, x, NULL);
    ck_assert_int_eq(z->dtype, ILEX_BOOL);
    ilex_storage *w = ilex_eager_reduce(ctx, "sum", x[1], NULL, NULL);
    ck_assert_int_eq(w->dtype, ILEX_U64);
    ilex_storage *all[] = {x[0], x[1], y, z, w};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* ---- plain arrays beside storages ---- */

START_TEST(plain_arrays)
{
    const int64_t *shape = SHAPE(2, 3, 4);
    ilex_storage *y = sum_of(named("KJI", 3, shape, 100),
                             make(SPEC(.rank = 3, .shape = shape), 1));
    AXES(y, "K", "J", "I");
    ck_assert_int_eq(at(y, 1, 2, 3), 2424);
    ck_assert_int_eq(at(y, 1, 0, 0), 1313);
    ilex_storage_release(y);
    y = sum_of(make(SPEC(.rank = 3, .shape = SHAPE(1, 3, 1)), 1),
               named("IJK", 3, shape, 100));
    AXES(y, "I", "J", "K");
    ck_assert_int_eq(at(y, 1, 2, 3), 2403);
    ck_assert_int_eq(at(y, 1, 0, 3), 1601);
    ilex_storage_release(y);
    y = sum_of(named("IJ", 2, SHAPE(2, 3), 100),
               make(SPEC(.rank = 0, .shape = shape), 7));
    ck_assert_int_eq(at(y, 1, 2, 0), 607);
    ilex_storage_release(y);
    y = sum_of(named("JI", 2, SHAPE(2, 3), 100),
               make(SPEC(.rank = 2, .shape = SHAPE(2, 3)), 1));
    AXES(y, "J", "I");
    ck_assert_int_eq(at(y, 1, 2, 0), 606);
    ilex_storage_release(y);

    /* anything else is refused */
    const struct {
        int rank;
        int64_t shape[4];
    } rows[] = {{1, {4}},    {2, {3, 4}}, {3, {2, 3, 5}},    {3, {2, 1, 3}},
                {2, {1, 1}}, {1, {1}},    {4, {1, 2, 3, 4}}, {3, {0, 3, 4}}};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        refuse_sum(named("IJK", 3, shape, 1),
                   make(SPEC(.rank = rows[i].rank, .shape = rows[i].shape), 1),
                   NULL, ILEX_E_SHAPE);
    refuse_sum(named("IJ", 2, SHAPE(1, 4), 1),
               make(SPEC(.rank = 2, .shape = SHAPE(3, 4)), 1), NULL,
               ILEX_E_SHAPE);
    refuse_sum(named("IJ", 2, SHAPE(2, 3), 1),
               make(SPEC(.rank = 2, .shape = SHAPE(2, 1)), 1), NULL,
               ILEX_E_SHAPE);

    /* the shape of a result that is given */
    ilex_storage *out = named("IJK", 3, shape, 1);
    ilex_storage *x[] = {named("K", 1, SHAPE(4), 100),
                         make(SPEC(.rank = 3, .shape = shape), 1)};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, out), out);
    ck_assert_int_eq(at(out, 1, 2, 3), 424);
    ck_assert_int_eq(at(out, 0, 0, 1), 202);
    refuse_sum(ilex_storage_retain(x[0]),
               make(SPEC(.rank = 2, .shape = SHAPE(3, 4)), 1), out,
               ILEX_E_SHAPE);
    ilex_storage *all[] = {out, out, x[0], x[1]};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_match");
    TCase *t = tcase_create("match");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, by_name);
    tcase_add_test(t, length_one);
    tcase_add_test(t, strides);
    tcase_add_test(t, halo_is_computed);
    tcase_add_test(t, result_axes);
    tcase_add_test(t, result_halo);
    tcase_add_test(t, result_alignment);
    tcase_add_test(t, result_layout);
    tcase_add_test(t, result_dtype);
    tcase_add_test(t, plain_arrays);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
