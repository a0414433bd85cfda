/* SPDX-License-Identifier: MIT
 *
 * Views of storages and what works on them: slices against a plain model,
 * halos and alignment that are carried over, overlap against brute force,
 * elements of every dtype, copies, text, views as inputs of a program.
 */
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include <math.h>

#include "ilex/program.h"

/* ---- views ---- */

START_TEST(slice_all)
{
    for (int64_t n = 0; n < 6; n++) {
        ilex_storage *s = counting(1, SHAPE(n));
        for (int64_t start = -2; start < 8; start++)
            for (int64_t stop = -2; stop < 8; stop++)
                for (int64_t step = -3; step <= 3; step++) {
                    bool good = step > 0
                                    ? 0 <= start && start <= stop && stop <= n
                                    : step < 0 && -1 <= stop && stop <= start &&
                                          start < n;
                    ilex_storage *v =
                        ilex_storage_slice(ctx, s, 0, start, stop, step);
                    ck_assert_int_eq(v != NULL, good);
                    ck_assert_int_eq(take_error(),
                                     good ? ILEX_OK : ILEX_E_BOUNDS);
                    int64_t i = start, count = 0;
                    for (; good && (step > 0 ? i < stop : i > stop); i += step)
                        ck_assert_int_eq(at(v, count++, 0, 0), i);
                    ck_assert(!v || ilex_storage_count(v) == count);
                    ilex_storage_release(v);
                }
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(slice_extremes)
{
    ilex_storage *s = counting(1, SHAPE(5));
    ilex_storage *v = ilex_storage_slice(ctx, s, 0, 3, 5, INT64_MAX);
    ck_assert_int_eq(ilex_storage_shape(v)[0], 1);
    ck_assert_int_eq(at(v, 0, 0, 0), 3);
    ck_assert_ptr_null(ilex_storage_slice(ctx, s, 0, 3, -1, INT64_MIN));
    take_error();
    ck_assert_ptr_null(ilex_storage_slice(ctx, s, 1, 0, 1, 1));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_storage_index(ctx, s, 0, 5));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ilex_storage_release(v);
    ilex_storage_release(s);
}
END_TEST

/* Axis "k" of "t" is axis "j" of "s", with all that belongs to it. */
static void
check_axis(const ilex_storage *t, int k, const ilex_storage *s, int j)
{
    ck_assert_int_eq(t->shape[k], s->shape[j]);
    ck_assert_int_eq(t->stride[k], s->stride[j]);
    ck_assert_int_eq(t->halo[k][0], s->halo[j][0]);
    ck_assert_int_eq(t->halo[k][1], s->halo[j][1]);
    ck_assert_int_eq(t->origin[k], s->origin[j]);
    ck_assert_int_eq(t->aligned[k], s->aligned[j]);
    ck_assert_int_eq(ilex_storage_layout(t, k), ilex_storage_layout(s, j));
    ck_assert_int_eq(ilex_storage_fixed(t, k), ilex_storage_fixed(s, j));
    ck_assert_str_eq(ilex_storage_axis_name(t, k),
                     ilex_storage_axis_name(s, j));
}

/* By numbers, by letters, by names: the same view. */
START_TEST(transposed_by_words)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 3, .shape = SHAPE(5, 6, 7), .axes = "IJK",
                   .halo = SHAPE(1, 2, 0, 1, 3, 0), .origin = SHAPE(4, 5, 6),
                   .layout = "KIJ", .alignment = 64,
                   .fixed = (unsigned char[]){1, 0, 0}));
    ilex_storage *t[] = {
        ilex_storage_transpose(ctx, s, (int[]){2, 0, 1}),
        ilex_storage_transpose_axes(ctx, s, "KIJ"),
        ilex_storage_transpose_axes(ctx, s, "K, I, J"),
    };
    for (size_t i = 0; i < IX_COUNT(t); i++) {
        ck_assert_msg(t[i] != NULL, "%s", ilex_error_text(ctx));
        for (int k = 0; k < 3; k++)
            check_axis(t[i], k, s, (k + 2) % 3);
        ck_assert_ptr_eq(ilex_storage_at(t[i], SHAPE(6, 4, 5)),
                         ilex_storage_at(s, SHAPE(4, 5, 6)));
        ilex_storage_release(t[i]);
    }
    ilex_storage_release(s);
}
END_TEST

START_TEST(index_and_transpose)
{
    ilex_storage *s = counting(3, SHAPE(3, 4, 5));
    ilex_storage *n = ilex_storage_reinterpret(ctx, s, "I, J, Level");
    ilex_storage *t = ilex_storage_transpose(ctx, n, (int[]){2, 0, 1});
    ilex_storage *r = ilex_storage_transpose(ctx, n, NULL);
    ilex_storage *v = ilex_storage_index(ctx, t, 1, 2);
    ck_assert_str_eq(ilex_storage_axis_name(t, 0), "Level");
    ck_assert_int_eq(at(t, 4, 2, 3), 2 * 20 + 3 * 5 + 4);
    ck_assert_int_eq(at(r, 4, 3, 2), 2 * 20 + 3 * 5 + 4);
    ck_assert_int_eq(ilex_storage_rank(v), 2);
    ck_assert_str_eq(ilex_storage_axis_name(v, 1), "J");
    ck_assert_int_eq(at(v, 4, 3, 0), 2 * 20 + 3 * 5 + 4);
    ck_assert_int_eq(ilex_storage_layout(v, 0), 1);
    ck_assert_int_eq(ilex_storage_layout(v, 1), 0);
    ck_assert(!ilex_storage_contiguous(t) && ilex_storage_contiguous(s));
    ck_assert_ptr_null(ilex_storage_transpose(ctx, s, (int[]){0, 1, 1}));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_storage_reinterpret(ctx, s, "IJ"));
    ck_assert_int_eq(take_error(), ILEX_E_RANK);
    ilex_storage_release(s);
    ilex_storage_release(n);
    ilex_storage_release(t);
    ilex_storage_release(r);
    ilex_storage_release(v);
}
END_TEST

START_TEST(halo_follows)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                  .rank = 2,
                                  .shape = SHAPE(10, 8),
                                  .axes = "IJ",
                                  .halo = SHAPE(2, 3, 1, 0)});
    const struct {
        int64_t start, stop, step, low, high;
    } rows[] = {
        {0, 10, 1, 2, 3}, {1, 9, 1, 1, 2},   {2, 7, 1, 0, 0},
        {4, 5, 1, 0, 0},  {0, 1, 1, 1, 0},   {9, 10, 1, 0, 1},
        {0, 10, 2, 0, 0}, {9, -1, -1, 0, 0}, {0, 0, 1, 0, 0},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *v = ilex_storage_slice(ctx, s, 0, rows[i].start,
                                             rows[i].stop, rows[i].step);
        ck_assert_int_eq(ilex_storage_halo(v)[0], rows[i].low);
        ck_assert_int_eq(ilex_storage_halo(v)[1], rows[i].high);
        ck_assert_int_eq(ilex_storage_halo(v)[2], 1);
        ilex_storage_release(v);
    }
    ilex_storage *in = ilex_storage_interior(ctx, s);
    ilex_storage *r = ilex_storage_restrict(ctx, s, "I", -1, 5);
    ilex_storage *h = ilex_storage_with_halo(ctx, in, SHAPE(1, 1, 0, 0));
    ck_assert_int_eq(ilex_storage_shape(in)[0], 5);
    ck_assert_int_eq(ilex_storage_shape(in)[1], 7);
    ck_assert_int_eq(ilex_storage_halo(in)[0], 0);
    ck_assert_ptr_eq(ilex_storage_const_data(in),
                     ilex_storage_at(s, SHAPE(2, 1)));
    ck_assert_int_eq(ilex_storage_shape(r)[0], 6);
    ck_assert_int_eq(ilex_storage_halo(r)[0], 1);
    ck_assert_int_eq(ilex_storage_halo(r)[1], 0);
    ck_assert_int_eq(ilex_storage_halo(h)[0], 1);
    ck_assert_ptr_null(ilex_storage_restrict(ctx, s, "I", -3, 5));
    ck_assert_int_eq(take_error(), ILEX_E_BOUNDS);
    ck_assert_ptr_null(ilex_storage_restrict(ctx, s, "K", 0, 1));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_storage_with_halo(ctx, in, SHAPE(3, 3, 0, 0)));
    ck_assert_int_eq(take_error(), ILEX_E_HALO);
    ilex_storage_release(in);
    ilex_storage_release(r);
    ilex_storage_release(h);
    ilex_storage_release(s);
}
END_TEST

START_TEST(alignment_follows)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                  .rank = 2,
                                  .shape = SHAPE(6, 10),
                                  .aligned_index = SHAPE(2, 3),
                                  .alignment = 128});
    const struct {
        int axis;
        int64_t start, stop, step;
        size_t alignment;
        int64_t aligned;
    } rows[] = {
        {1, 1, 10, 1, 128, 2}, {1, 4, 10, 1, 0, 0},  {1, 0, 3, 1, 0, 0},
        {1, 1, 10, 2, 128, 1}, {1, 0, 10, 2, 0, 0},  {1, 9, -1, -1, 128, 6},
        {0, 0, 2, 1, 128, 0},  {0, 3, 6, 1, 128, 0}, {0, 0, 6, 1, 128, 2},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *v = ilex_storage_slice(
            ctx, s, rows[i].axis, rows[i].start, rows[i].stop, rows[i].step);
        ck_assert_msg(v->alignment == rows[i].alignment, "row %zu", i);
        ck_assert_msg(v->aligned[rows[i].axis] == rows[i].aligned, "row %zu",
                      i);
        const char *p = ilex_storage_at(v, ilex_storage_aligned_index(v));
        ck_assert(!v->alignment || (uintptr_t)p % v->alignment == 0);
        ilex_storage_release(v);
    }
    ilex_storage_release(s);
}
END_TEST

/* ---- overlap against brute force ---- */

/* A random view of "s": slices, an index now and then, a transposition. */
static ilex_storage *
draw_view(ilex_storage *s)
{
    ilex_storage *v = ilex_storage_retain(s), *next;
    for (int k = s->rank - 1; k >= 0; k--) {
        int64_t n = v->shape[k], step = 1 + draw(3), a = draw(2) ? 0 : draw(n),
                b;
        b = draw(2) ? n : a + draw(n - a + 1);
        if (draw(6) == 0)
            next = ilex_storage_index(ctx, v, k, draw(n));
        else if (draw(2) || a == b)
            next = ilex_storage_slice(ctx, v, k, a, b, step);
        else
            next = ilex_storage_slice(ctx, v, k, b - 1, a - 1, -step);
        ilex_storage_release(v);
        v = next;
    }
    next = ilex_storage_transpose(ctx, v, NULL);
    ilex_storage_release(v);
    return next;
}

/* Adds 1 to the byte counters of every element of "v"; "base" is the first
 * byte of the memory. The elements are visited by their flat index. */
static void
mark(const ilex_storage *v, const char *base, unsigned char *hits)
{
    int64_t count = ilex_storage_count(v), index[ILEX_MAX_RANK];
    size_t bytes = ilex_dtype_bytes(v->dtype);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (int k = 0; k < v->rank; k++) {
            index[k] = rest % v->shape[k];
            rest /= v->shape[k];
        }
        const char *p = ilex_storage_at(v, index);
        for (size_t b = 0; b < bytes; b++)
            hits[p - base + (ptrdiff_t)b]++;
    }
}

START_TEST(overlap_is_exact)
{
    int yes = 0, no = 0;
    ilex_storage *s = counting(3, SHAPE(4, 5, 6));
    const char *base = s->data;
    for (int i = 0; i < 20000; i++) {
        unsigned char hits[2][4 * 5 * 6 * 8] = {{0}};
        ilex_storage *a = draw_view(s), *b = draw_view(s);
        bool meet = false, twice = false;
        mark(a, base, hits[0]);
        mark(b, base, hits[1]);
        for (size_t k = 0; k < sizeof hits[0]; k++) {
            meet |= hits[0][k] && hits[1][k];
            twice |= hits[0][k] > 1;
        }
        ck_assert_int_eq(ix_storage_overlap(a, b), meet);
        ck_assert_int_eq(ix_storage_overlap(b, a), meet);
        ck_assert_int_eq(ix_storage_self_overlap(a), twice);
        yes += meet;
        no += !meet;
        ilex_storage_release(a);
        ilex_storage_release(b);
    }
    ck_assert_msg(yes > 1000 && no > 1000, "%d %d", yes, no);
    ilex_storage_release(s);
    double x = 0; /* no element is any other one's */
    ilex_storage *none = ilex_storage_wrap(ctx, ILEX_F64, 2, SHAPE(3, 0),
                                           SHAPE(0, 1), &x, NULL, NULL);
    ck_assert(none && !ix_storage_self_overlap(none));
    ilex_storage_release(none);
}
END_TEST

/* ---- elements ---- */

/* Which doubles each dtype takes, from the left. */
START_TEST(set_checks)
{
    const double values[] = {0,    1,    -1,    127,     128,  255,
                             256,  -129, 0.5,   NAN,     1e10, -1e10,
                             1e19, 1e20, 1e300, INFINITY};
    const struct {
        ilex_dtype dtype;
        const char *fits;
    } rows[] = {
        {ILEX_BOOL, "11--------------"}, {ILEX_I8, "1111------------"},
        {ILEX_U8, "11-111----------"},   {ILEX_I16, "11111111--------"},
        {ILEX_U16, "11-1111---------"},  {ILEX_I32, "11111111--------"},
        {ILEX_U32, "11-1111---------"},  {ILEX_I64, "11111111--11----"},
        {ILEX_U64, "11-1111---1-1---"},  {ILEX_F32, "11111111111111-1"},
        {ILEX_F64, "1111111111111111"},  {ILEX_C64, "11111111111111-1"},
        {ILEX_C128, "1111111111111111"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_zeros(ctx, rows[i].dtype, 0, NULL);
        for (size_t k = 0; k < IX_COUNT(values); k++) {
            double v[2];
            ilex_status rc = ilex_storage_set_f64(s, NULL, values[k]);
            ck_assert_msg((rc == ILEX_OK) == (rows[i].fits[k] == '1'),
                          "%s of %g: %d", ilex_dtype_name(rows[i].dtype),
                          values[k], rc);
            ilex_storage_get_c128(s, NULL, v);
            ck_assert(rc || isnan(values[k]) ||
                      fabs(v[0] - values[k]) <= fabs(values[k]) * 1e-7 ||
                      v[0] == values[k]);
        }
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(set_and_get)
{
    double f;
    int64_t i;
    ilex_storage *u = ilex_storage_zeros(ctx, ILEX_U64, 1, SHAPE(2));
    ilex_storage *c = ilex_storage_zeros(ctx, ILEX_C128, 1, SHAPE(2));
    ilex_storage *r = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(2));
    ck_assert_int_eq(ilex_storage_set_f64(u, SHAPE(0), 0x1p63), ILEX_OK);
    ck_assert_int_eq(ilex_storage_get_i64(u, SHAPE(0), &i), ILEX_E_LITERAL);
    ck_assert_int_eq(ilex_storage_set_i64(u, SHAPE(0), -1), ILEX_E_LITERAL);
    ck_assert_int_eq(ilex_storage_set_i64(u, SHAPE(2), 1), ILEX_E_BOUNDS);
    ck_assert_int_eq(ilex_storage_set_i64(u, SHAPE(-1), 1), ILEX_E_BOUNDS);
    ck_assert_int_eq(ilex_storage_get_f64(u, SHAPE(2), &f), ILEX_E_BOUNDS);
    ck_assert_int_eq(ilex_storage_get_f64(c, SHAPE(0), &f), ILEX_E_DTYPE);
    ck_assert_int_eq(ilex_storage_get_i64(r, SHAPE(0), &i), ILEX_E_DTYPE);
    ck_assert_int_eq(ilex_storage_set_c128(r, SHAPE(0), (double[]){1, 2}),
                     ILEX_E_LITERAL);
    ck_assert_int_eq(ilex_storage_set_i64(r, SHAPE(0), INT64_MIN), ILEX_OK);
    ck_assert_int_eq(ilex_storage_get_f64(r, SHAPE(0), &f), ILEX_OK);
    ck_assert(f == -0x1p63);
    ilex_storage *ro = ilex_storage_readonly(ctx, r);
    ck_assert_int_eq(ilex_storage_set_f64(ro, SHAPE(0), 1), ILEX_E_READONLY);
    ilex_storage_release(ro);
    ilex_storage_release(u);
    ilex_storage_release(c);
    ilex_storage_release(r);
}
END_TEST

/* ---- many elements ---- */

START_TEST(assign)
{
    ilex_storage *s = counting(2, SHAPE(3, 4));
    ilex_storage *n = ilex_storage_reinterpret(ctx, s, "IJ");
    ilex_storage *t = ilex_storage_zeros(ctx, ILEX_I64, 3, SHAPE(4, 2, 3));
    ilex_storage *m = ilex_storage_reinterpret(ctx, t, "JKI");
    ck_assert_int_eq(ilex_storage_assign(ctx, m, n), ILEX_OK);
    for (int64_t i = 0; i < 24; i++)
        ck_assert_int_eq(at(m, i / 6, i / 3 % 2, i % 3), i % 3 * 4 + i / 6);
    ck_assert_int_eq(ilex_storage_assign(ctx, n, m), ILEX_E_AXIS);
    take_error();
    ck_assert_int_eq(ilex_storage_assign(ctx, t, s), ILEX_E_SHAPE);
    take_error();
    ilex_storage *f = ilex_storage_zeros(ctx, ILEX_F64, 2, SHAPE(3, 4));
    ck_assert_int_eq(ilex_storage_assign(ctx, s, f), ILEX_E_DTYPE);
    take_error();

    ilex_storage *r = ilex_storage_slice(ctx, s, 1, 3, -1, -1);
    ck_assert_int_eq(ilex_storage_assign(ctx, r, s), ILEX_OK);
    for (int64_t i = 0; i < 12; i++)
        ck_assert_int_eq(at(s, i / 4, i % 4, 0), i / 4 * 4 + 3 - i % 4);
    ck_assert_int_eq(ilex_storage_fill(ctx, r, 5), ILEX_OK);
    ck_assert_int_eq(at(s, 2, 3, 0), 5);
    ck_assert_int_eq(ilex_storage_fill(ctx, r, 0.5), ILEX_E_LITERAL);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "0.5"));
    take_error();
    ilex_storage *all[] = {s, n, t, m, f, r};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

START_TEST(copies_of_views)
{
    ilex_storage *s = counting(3, SHAPE(4, 5, 6));
    for (int i = 0; i < 2000; i++) {
        ilex_storage *v = draw_view(s), *c = ilex_storage_copy(ctx, v);
        int64_t index[3], x = 0, y = 0;
        ck_assert_int_eq(ilex_storage_count(v), ilex_storage_count(c));
        for (int j = 0; j < 10 && ilex_storage_count(v); j++) {
            for (int k = 0; k < v->rank; k++)
                index[k] = draw(v->shape[k]);
            ilex_storage_get_i64(v, index, &x);
            ilex_storage_get_i64(c, index, &y);
            ck_assert_int_eq(x, y);
        }
        ilex_storage_release(v);
        ilex_storage_release(c);
    }
    ilex_storage_release(s);
}
END_TEST

/* ---- text ---- */

static void
expect_text(ilex_storage *s, const char *want)
{
    char text[4096], cut[8];
    size_t n = ilex_storage_print(s, text, sizeof text);
    ck_assert_str_eq(text, want);
    ck_assert_uint_eq(n, strlen(want));
    ck_assert_uint_eq(ilex_storage_print(s, cut, sizeof cut), n);
    ck_assert_int_eq(memcmp(cut, want, 7), 0);
    ck_assert_uint_eq(ilex_storage_print(s, NULL, 0), n);
    ilex_storage_release(s);
}

START_TEST(text)
{
    ilex_storage *s = counting(2, SHAPE(2, 6));
    ilex_storage *n = ilex_storage_reinterpret(ctx, s, "IJ");
    ilex_storage_release(s);
    s = ilex_storage_with_halo(ctx, n, SHAPE(0, 1, 2, 2));
    ilex_storage_release(n);
    expect_text(s, "i64[I:2, J:6] halo(I:0:1, J:2:2)\n"
                   "[[ 0  1  2  3  4  5]\n"
                   " [ 6  7  8  9 10 11]]\n");
    expect_text(counting(2, SHAPE(60, 80)),
                "i64[60, 80]\n"
                "[[   0    1    2 ...   77   78   79]\n"
                " [  80   81   82 ...  157  158  159]\n"
                " [ 160  161  162 ...  237  238  239]\n"
                " ...\n"
                " [4560 4561 4562 ... 4637 4638 4639]\n"
                " [4640 4641 4642 ... 4717 4718 4719]\n"
                " [4720 4721 4722 ... 4797 4798 4799]]\n");
    expect_text(ilex_storage_full(ctx, ILEX_F64, 0, NULL, 1.0 / 3),
                "f64[]\n0.33333333\n");
    expect_text(ilex_storage_full(ctx, ILEX_C64, 1, SHAPE(2), -0.1),
                "c64[2]\n[-0.1+0.0j -0.1+0.0j]\n");
    expect_text(ilex_storage_ones(ctx, ILEX_BOOL, 2, SHAPE(1, 2)),
                "bool[1, 2]\n[[true true]]\n");
    expect_text(ilex_storage_zeros(ctx, ILEX_U64, 2, SHAPE(3, 0)),
                "u64[3, 0]\n[]\n");
    expect_text(ilex_storage_full(ctx, ILEX_U64, 1, SHAPE(1), 0x1p63),
                "u64[1]\n[9223372036854775808]\n");
    int64_t many[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    s = ilex_storage_zeros(ctx, ILEX_U8, 16, many);
    ck_assert_uint_lt(ilex_storage_print(s, NULL, 0), 400);
    ilex_storage_release(s);
}
END_TEST

/* ---- views as inputs ---- */

/* A program reads views of every stride as it reads packed copies of them; what
 * that costs, bench/storage.c measures. */
START_TEST(strided_as_packed)
{
    enum { N = 13, M = 40, WIDE = 2 * M + 3 };
    ilex_module *m = ilex_module_parse(
        ctx,
        "ilex 1\nprogram scale\nsize n, m\nin u : i64[i:n, j:m]\n"
        "out v : i64[i:n, j:m] = 3*u + 1\n",
        "test");
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *wide = counting(2, SHAPE(N, WIDE));
    ilex_storage *tall = counting(2, SHAPE(M, N));
    ilex_storage *one = counting(1, SHAPE(M));
    ilex_storage *views[] = {
        ilex_storage_slice(ctx, wide, 1, 2, M + 2, 1),
        ilex_storage_slice(ctx, wide, 1, M - 1, -1, -1),
        ilex_storage_slice(ctx, wide, 1, 1, 2 * M + 1, 2),
        ilex_storage_transpose(ctx, tall, NULL),
        ilex_storage_new(ctx,
                         &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                              .dtype = "i64",
                                              .rank = 2,
                                              .shape = SHAPE(N, M),
                                              .strides = SHAPE(0, 1),
                                              .data = ilex_storage_data(one)}),
    };
    for (size_t i = 0; i < IX_COUNT(views); i++) {
        ck_assert_msg(views[i] != NULL, "%s", ilex_error_text(ctx));
        int copied = 0;
        ilex_storage *in[2] = {
            views[i], ilex_storage_ensure_contiguous(ctx, views[i], &copied)};
        ck_assert(copied && ilex_storage_contiguous(in[1]));
        ilex_storage *out[2];
        for (int k = 0; k < 2; k++) {
            out[k] = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(N, M));
            ck_assert_int_eq(ilex_run(p,
                                      (ilex_binding[]){ILEX_BIND("u", in[k]),
                                                       ILEX_BIND("v", out[k])},
                                      2, NULL),
                             ILEX_OK);
        }
        ck_assert_mem_eq(ilex_storage_data(out[0]), ilex_storage_data(out[1]),
                         N * M * sizeof(int64_t));
        ck_assert_int_eq(at(out[0], N - 1, M - 1, 0),
                         3 * at(views[i], N - 1, M - 1, 0) + 1);
        ilex_storage *all[] = {in[0], in[1], out[0], out[1]};
        for (int k = 0; k < 4; k++)
            ilex_storage_release(all[k]);
    }
    ilex_storage_release(wide);
    ilex_storage_release(tall);
    ilex_storage_release(one);
    ilex_program_release(p);
    ilex_module_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_view");
    TCase *tests = tcase_create("views");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, slice_all);
    tcase_add_test(tests, slice_extremes);
    tcase_add_test(tests, index_and_transpose);
    tcase_add_test(tests, transposed_by_words);
    tcase_add_test(tests, halo_follows);
    tcase_add_test(tests, alignment_follows);
    tcase_add_test(tests, overlap_is_exact);
    tcase_add_test(tests, set_checks);
    tcase_add_test(tests, set_and_get);
    tcase_add_test(tests, assign);
    tcase_add_test(tests, copies_of_views);
    tcase_add_test(tests, text);
    tcase_add_test(tests, strided_as_packed);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
