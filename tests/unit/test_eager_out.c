/* SPDX-License-Identifier: MIT
 *
 * Results that are given to eager operators: broadcasting to them, conversion,
 * overlap; and reductions, by axis, with and without such a result.
 */
#define _GNU_SOURCE
#include <math.h>

#include "tests/suite.h"
#include "tests/unit/eager_fixture.h"

/* ---- results that are given ---- */

static ilex_storage *
of_dtype(const char *dtype, const char *axes, int rank, const int64_t *shape)
{
    ilex_storage *s = ilex_storage_new(ctx, &SPEC(.dtype = dtype, .rank = rank,
                                                  .shape = shape, .axes = axes,
                                                  .fill = (const double[]){0}));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    return s;
}

/* Broadcast along axes of the result alone; never shrunk or grown. */
START_TEST(out_broadcasts)
{
    ilex_storage *out = ilex_storage_new(
        ctx, &SPEC(.dtype = "i64", .rank = 3, .shape = SHAPE(4, 3, 2),
                   .axes = "KJI", .halo = SHAPE(1, 1, 0, 0, 0, 1),
                   .layout = "IJK", .alignment = 32, .name = "out"));
    ilex_storage *x[] = {named("I", 1, SHAPE(2), 1),
                         named("IJ", 2, SHAPE(2, 1), 10)};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, out), out);
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(out, i / 6, i / 2 % 3, i % 2), 11 * (i % 2 + 1));
    ck_assert(out->halo[0][0] == 1 && out->alignment == 32);
    ck_assert_str_eq(ilex_storage_name(out), "out");
    const struct {
        const char *axes;
        int rank;
        int64_t shape[3];
        ilex_status want;
    } rows[] = {{"I", 1, {3}, ILEX_E_SHAPE},
                {"V", 1, {2}, ILEX_E_AXIS},
                {"V", 1, {1}, ILEX_E_AXIS},
                {"IJ", 2, {2, 2}, ILEX_E_SHAPE},
                {"K", 1, {0}, ILEX_E_SHAPE}};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        refuse_sum(named(rows[i].axes, rows[i].rank, rows[i].shape, 1),
                   ilex_storage_retain(x[0]), out, rows[i].want);
    ilex_storage *one = of_dtype("i64", "IJ", 2, SHAPE(2, 1));
    refuse_sum(named("IJ", 2, SHAPE(2, 3), 1), ilex_storage_retain(x[0]), one,
               ILEX_E_SHAPE);
    refuse_sum(named("K", 1, SHAPE(4), 1), ilex_storage_retain(x[0]), one,
               ILEX_E_AXIS);
    ck_assert_int_eq(at(one, 1, 0, 0), 0);
    ilex_storage *all[] = {out, out, one, x[0], x[1]};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* Without names it must have the shape that named operands broadcast to: I and
 * J of equal length are not taken for one axis. */
START_TEST(out_without_names)
{
    ilex_storage *out = of_dtype("i64", NULL, 2, SHAPE(3, 3));
    ilex_storage *x[] = {named("I", 1, SHAPE(3), 1),
                         named("J", 1, SHAPE(3), 10)};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, out), out);
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(at(out, i / 3, i % 3, 0),
                         i / 3 + 1 + 10 * (i % 3 + 1));
    refuse_sum(ilex_storage_retain(x[0]), named("I", 1, SHAPE(3), 1), out,
               ILEX_E_SHAPE);
    refuse_sum(ilex_storage_retain(x[0]), named("J", 1, SHAPE(2), 1), out,
               ILEX_E_SHAPE);
    refuse_sum(ilex_storage_retain(x[0]), named("J", 1, SHAPE(1), 1), out,
               ILEX_E_SHAPE);
    ck_assert_int_eq(ilex_eager_assign(ctx, out, x[0]), ILEX_E_SHAPE);
    take_error();
    ilex_storage *all[] = {out, out, x[0], x[1]};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* Converted within a kind or upwards; ilex_eager_assign() converts anything. */
START_TEST(out_converts)
{
    static const char *const kinds[] = {"bool", "u16", "i16", "f32", "c64"};
    ilex_storage *x[2];
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++) {
            x[0] = x[1] = of_dtype(kinds[from], "I", 1, SHAPE(3));
            ck_assert_int_eq(ilex_storage_fill(ctx, x[0], 1), ILEX_OK);
            ilex_storage *out = of_dtype(kinds[to], "I", 1, SHAPE(3));
            ilex_storage *y = ilex_eager(ctx, "maximum", 2, x, out);
            ck_assert_msg((y == out) == (from <= to), "%s to %s", kinds[from],
                          kinds[to]);
            ck_assert_int_eq(take_error(), y ? ILEX_OK : ILEX_E_DTYPE);
            ck_assert_int_eq(ilex_storage_fill(ctx, out, 0), ILEX_OK);
            ck_assert_int_eq(ilex_eager_assign(ctx, out, x[0]), ILEX_OK);
            double v[2];
            ck_assert_int_eq(ilex_storage_get_c128(out, SHAPE(2), v), ILEX_OK);
            ck_assert(v[0] == 1 && v[1] == 0);
            ilex_storage_release(y);
            ilex_storage_release(out);
            ilex_storage_release(x[0]);
        }
    ilex_storage *out = of_dtype("i8", "I", 1, SHAPE(3));
    x[0] = x[1] = of_dtype("f64", "I", 1, SHAPE(3));
    ck_assert_int_eq(ilex_storage_fill(ctx, x[0], -1e9), ILEX_OK);
    ck_assert_int_eq(ilex_eager_assign(ctx, out, x[0]), ILEX_OK);
    int64_t v;
    ck_assert_int_eq(ilex_storage_get_i64(out, SHAPE(1), &v), ILEX_OK);
    ck_assert_int_eq(v, -128);
    ilex_storage_release(out);
    ilex_storage_release(x[0]);
}
END_TEST

/* Shares elements with operands in every way: as they were before. */
START_TEST(out_overlaps)
{
    ilex_storage *s = named("IJ", 2, SHAPE(4, 4), 1);
    ilex_storage *t = ilex_storage_reinterpret(ctx, s, "JI");
    ilex_storage *x[] = {s, t};
    ck_assert_ptr_eq(ilex_eager(ctx, "add", 2, x, s), s);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(at(s, i / 4, i % 4, 0),
                         i + 1 + 4 * (i % 4) + i / 4 + 1);
    ilex_storage *row = ilex_storage_index(ctx, s, 0, 2);
    x[1] = row;
    ck_assert_ptr_eq(ilex_eager(ctx, "subtract", 2, x, s), s);
    for (int j = 0; j < 4; j++)
        ck_assert_int_eq(at(s, 2, j, 0), 0);
    ilex_storage *twice = ilex_storage_new(
        ctx, &SPEC(.dtype = "i64", .rank = 2, .shape = SHAPE(4, 4),
                   .axes = "IJ", .layout_map = (const int[]){-1, 0}));
    x[1] = s;
    ck_assert_ptr_null(ilex_eager(ctx, "add", 2, x, twice));
    ck_assert_int_eq(take_error(), ILEX_E_OVERLAP);
    ilex_storage *all[] = {s, s, s, t, row, twice};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* ---- reductions ---- */

static ilex_storage *
reduced(const char *name, ilex_storage *x, const char *axes)
{
    ilex_storage *y = ilex_eager_reduce(ctx, name, x, axes, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    return y;
}

START_TEST(reduce_by_axis)
{
    static const struct {
        const char *list;
        unsigned mask;
    } rows[] = {{"K", 4},   {"IJ", 3},  {"J, I", 3}, {"-1", 4}, {"0, -1", 5},
                {"I,K", 5}, {"", 0},    {"1", 2},    {"KI", 5}, {" I , J ", 3},
                {NULL, 7},  {"JKI", 7}, {"2,1,0", 7}};
    ilex_storage *x =
        make(SPEC(.rank = 3, .shape = SHAPE(2, 3, 4), .axes = "IJK",
                  .layout = "KIJ", .halo = SHAPE(0, 1, 1, 0, 1, 2),
                  .alignment = 16, .aligned_index = SHAPE(1, 2, 3)),
             1);
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *y = reduced("sum", x, rows[i].list);
        int64_t sums[24] = {0};
        int kept = 0;
        for (int e = 0; e < 24; e++) {
            int index[] = {e / 12, e / 4 % 3, e % 4}, at_sum = 0;
            for (int k = 0; k < 3; k++)
                if (!(rows[i].mask >> k & 1))
                    at_sum = at_sum * (int)x->shape[k] + index[k];
            sums[at_sum] += e + 1;
        }
        for (int k = 0; k < 3; k++)
            if (!(rows[i].mask >> k & 1)) {
                ck_assert_str_eq(y->axis[kept], x->axis[k]);
                ck_assert_int_eq(y->shape[kept], x->shape[k]);
                ck_assert_int_eq(y->halo[kept][0], x->halo[k][0]);
                ck_assert_int_eq(y->halo[kept][1], x->halo[k][1]);
                ck_assert_int_eq(y->aligned[kept++], x->aligned[k]);
            }
        ck_assert_int_eq(y->rank, kept);
        ck_assert_uint_eq(y->alignment, 16);
        int64_t index[3] = {0}, v;
        for (int64_t e = 0; e < ilex_storage_count(y); e++) {
            ck_assert_int_eq(ilex_storage_get_i64(y, index, &v), ILEX_OK);
            ck_assert_msg(v == sums[e], "row %zu", i);
            for (int k = kept - 1; k >= 0 && ++index[k] == y->shape[k]; k--)
                index[k] = 0;
        }
        ilex_storage_release(y);
    }
    static const char *const bad[] = {"Q",           "3",   "-4",   "-",
                                      "KK",          "I,",  "01",   "I,0",
                                      "99999999999", "0x1", "I+1/2"};
    for (size_t i = 0; i < IX_COUNT(bad); i++) {
        ck_assert_msg(!ilex_eager_reduce(ctx, "sum", x, bad[i], NULL), "'%s'",
                      bad[i]);
        ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    }
    ilex_storage_release(x);
}
END_TEST

/* Longer names, layouts of what is left. */
START_TEST(reduce_names)
{
    ilex_storage *x = named("I, Vertex, J+1/2", 3, SHAPE(2, 3, 4), 1);
    ilex_storage *y = reduced("max", x, "Vertex");
    AXES(y, "I", "J+1/2");
    ck_assert_int_eq(at(y, 1, 3, 0), 24);
    ilex_storage *z = reduced("min", y, "J+1/2");
    AXES(z, "I");
    ck_assert_int_eq(at(z, 1, 0, 0), 21);
    ilex_storage *f = make(SPEC(.rank = 3, .shape = SHAPE(2, 3, 4),
                                .axes = "IJK", .layout = "KJI"),
                           1);
    ilex_storage *w = reduced("sum", f, "J");
    ck_assert(w->stride[0] == 1 && w->stride[1] == 2);
    ilex_storage *all[] = {x, y, z, f, w};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

static double
only(ilex_storage *s)
{
    double v;
    ck_assert_int_eq(s->rank, 0);
    ck_assert_int_eq(ilex_storage_get_f64(s, NULL, &v), ILEX_OK);
    ilex_storage_release(s);
    return v;
}

/* all, any, max, min over all axes: a storage of rank 0. */
START_TEST(extrema)
{
    const double values[] = {3, -1, 0, 2};
    ilex_storage *x = ilex_storage_from(ctx, ILEX_F64, 2, SHAPE(2, 2), values);
    ck_assert(only(reduced("max", x, NULL)) == 3);
    ck_assert(only(reduced("min", x, NULL)) == -1);
    ck_assert(only(reduced("all", x, NULL)) == 0);
    ck_assert(only(reduced("any", x, NULL)) == 1);
    ck_assert_int_eq(ilex_storage_set_f64(x, SHAPE(1, 0), NAN), ILEX_OK);
    ck_assert(isnan(only(reduced("max", x, NULL))));
    ck_assert(isnan(only(reduced("min", x, NULL))));
    ck_assert(only(reduced("all", x, NULL)) == 1);
    ck_assert(only(reduced("argmax", x, NULL)) == 2);
    ilex_storage *none = ilex_storage_empty(ctx, ILEX_F64, 1, SHAPE(0));
    static const char *const undefined[] = {"max", "min", "argmax", "argmin"};
    for (int i = 0; i < 4; i++) {
        ck_assert_ptr_null(
            ilex_eager_reduce(ctx, undefined[i], none, NULL, NULL));
        ck_assert_int_eq(take_error(), ILEX_E_EMPTY_REDUCTION);
    }
    ck_assert(only(reduced("all", none, NULL)) == 1);
    ck_assert(only(reduced("any", none, NULL)) == 0);
    ck_assert(only(reduced("sum", none, NULL)) == 0);
    ck_assert(only(reduced("prod", none, NULL)) == 1);
    ck_assert(isnan(only(reduced("mean", none, NULL))));
    ilex_storage_release(none);
    ilex_storage_release(x);
}
END_TEST

/* `out` of a reduction: other dtype, more axes, another order, overlap. */
START_TEST(reduce_out)
{
    ilex_storage *x = named("IJK", 3, SHAPE(2, 3, 4), 1);
    ilex_storage *exact = of_dtype("i64", "IJ", 2, SHAPE(2, 3));
    ilex_storage *turned = of_dtype("f32", "JI", 2, SHAPE(3, 2));
    ilex_storage *more = of_dtype("i64", "IJV", 3, SHAPE(2, 3, 2));
    ilex_storage *plain = of_dtype("i64", NULL, 2, SHAPE(2, 3));
    ilex_storage *out[] = {exact, turned, more, plain};
    for (int n = 0; n < 4; n++) {
        ck_assert_ptr_eq(ilex_eager_reduce(ctx, "sum", x, "K", out[n]), out[n]);
        for (int i = 0; i < 6; i++) {
            double v;
            bool t = n == 1;
            ck_assert_int_eq(
                ilex_storage_get_f64(
                    out[n], SHAPE(t ? i % 3 : i / 3, t ? i / 3 : i % 3, 1), &v),
                ILEX_OK);
            ck_assert(v == 16 * i + 10);
        }
        ilex_storage_release(out[n]);
    }
    const struct {
        const char *dtype, *axes;
        int rank;
        int64_t shape[3];
        ilex_status want;
    } rows[] = {{"bool", "IJ", 2, {2, 3}, ILEX_E_DTYPE},
                {"i64", "I", 1, {2}, ILEX_E_AXIS},
                {"i64", "IJ", 2, {2, 1}, ILEX_E_SHAPE},
                {"i64", "IJ", 2, {1, 3}, ILEX_E_SHAPE},
                {"i64", NULL, 1, {3}, ILEX_E_SHAPE},
                {"i64", NULL, 2, {3, 2}, ILEX_E_SHAPE}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *bad =
            of_dtype(rows[i].dtype, rows[i].axes, rows[i].rank, rows[i].shape);
        ck_assert_ptr_null(ilex_eager_reduce(ctx, "sum", x, "K", bad));
        ck_assert_msg(ilex_error_code(ctx) == rows[i].want, "row %zu: %s", i,
                      ilex_error_text(ctx));
        take_error();
        ilex_storage_release(bad);
    }

    /* the sums over K, written over part of what is summed */
    ilex_storage *part = ilex_storage_index(ctx, x, 2, 1);
    ck_assert_ptr_eq(ilex_eager_reduce(ctx, "sum", x, "K", part), part);
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(at(x, i / 12, i / 4 % 3, i % 4),
                         i % 4 == 1 ? 16 * (i / 4) + 10 : i + 1);
    /* and over no axis: a copy in reversed order */
    ilex_storage *k = ilex_storage_new(
        ctx, &SPEC(.dtype = "i64", .rank = 1, .shape = SHAPE(5), .axes = "I",
                   .fill = (const double[]){1}));
    ck_assert_int_eq(ilex_storage_set_i64(k, SHAPE(0), 9), ILEX_OK);
    ilex_storage *r = ilex_storage_slice(ctx, k, 0, 4, -1, -1);
    ck_assert_ptr_eq(ilex_eager_reduce(ctx, "sum", k, "", r), r);
    ck_assert(at(k, 4, 0, 0) == 9 && at(k, 0, 0, 0) == 1);
    ilex_storage *all[] = {x, exact, turned, more, plain, part, part, k, r, r};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("eager_out");
    TCase *t = tcase_create("out");
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, out_broadcasts);
    tcase_add_test(t, out_without_names);
    tcase_add_test(t, out_converts);
    tcase_add_test(t, out_overlaps);
    tcase_add_test(t, reduce_by_axis);
    tcase_add_test(t, reduce_names);
    tcase_add_test(t, extrema);
    tcase_add_test(t, reduce_out);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
