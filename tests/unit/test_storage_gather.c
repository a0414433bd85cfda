/* SPDX-License-Identifier: MIT
 *
 * Elements chosen by integers and masks, assignment with conversion, dense
 * copies, and random views that survive every round trip.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include <math.h>
#include <unistd.h>

/* A storage of i64 with the elements given. */
static ilex_storage *
row(int64_t n, const int64_t *v)
{
    return ilex_storage_from(ctx, ILEX_I64, 1, &n, v);
}

static void
release_all(size_t n, ilex_storage *const *s)
{
    for (size_t i = 0; i < n; i++)
        ilex_storage_release(s[i]);
}

/* ---- integers ---- */

START_TEST(take_one_axis)
{
    ilex_storage *s = counting(3, SHAPE(3, 4, 5));
    ilex_storage *key = row(3, (int64_t[]){3, 0, -1});
    ilex_storage *r =
        ilex_storage_take(ctx, s, (const ilex_storage *[]){NULL, key, NULL});
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_rank(r), 3);
    ck_assert_int_eq(ilex_storage_shape(r)[1], 3);
    ck_assert(ilex_storage_contiguous(r));
    ck_assert_str_eq(ilex_storage_axis_name(r, 0), "");
    for (int64_t i = 0; i < 3; i++)
        for (int64_t k = 0; k < 5; k++) {
            ck_assert_int_eq(at(r, i, 0, k), 20 * i + 15 + k);
            ck_assert_int_eq(at(r, i, 1, k), 20 * i + k);
            ck_assert_int_eq(at(r, i, 2, k), 20 * i + 15 + k);
        }
    release_all(3, (ilex_storage *[]){s, key, r});
}
END_TEST

/* Neighbouring keys keep their place, others come first; both broadcast. */
START_TEST(take_several_axes)
{
    ilex_storage *s = counting(3, SHAPE(3, 4, 5));
    ilex_storage *a = row(2, (int64_t[]){2, 0}), *b = row(2, (int64_t[]){1, 3});
    ilex_storage *c = ilex_storage_from(ctx, ILEX_U8, 2, SHAPE(3, 1),
                                        (unsigned char[]){4, 2, 0});
    ilex_storage *r =
        ilex_storage_take(ctx, s, (const ilex_storage *[]){NULL, a, c});
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_shape(r)[1], 3);
    ck_assert_int_eq(ilex_storage_shape(r)[2], 2);
    ck_assert_int_eq(at(r, 1, 0, 0), 20 + 10 + 4);
    ck_assert_int_eq(at(r, 2, 2, 1), 40);
    ilex_storage *q =
        ilex_storage_take(ctx, s, (const ilex_storage *[]){a, NULL, b});
    ck_assert_int_eq(ilex_storage_rank(q), 2);
    ck_assert_int_eq(ilex_storage_shape(q)[0], 2);
    ck_assert_int_eq(ilex_storage_shape(q)[1], 4);
    ck_assert_int_eq(at(q, 0, 3, 0), 40 + 15 + 1);
    ck_assert_int_eq(at(q, 1, 2, 0), 10 + 3);
    release_all(6, (ilex_storage *[]){s, a, b, c, r, q});
}
END_TEST

/* Keys with names meet by name. */
START_TEST(keys_by_name)
{
    ilex_storage *s = counting(2, SHAPE(4, 5));
    ilex_storage *a0 = ilex_storage_from(ctx, ILEX_I64, 2, SHAPE(2, 3),
                                         (int64_t[]){0, 1, 2, 3, 0, 1});
    ilex_storage *b0 = ilex_storage_from(ctx, ILEX_I64, 2, SHAPE(3, 2),
                                         (int64_t[]){4, 3, 2, 1, 0, 4});
    ilex_storage *a = ilex_storage_reinterpret(ctx, a0, "IJ");
    ilex_storage *b = ilex_storage_reinterpret(ctx, b0, "JI");
    ilex_storage *r = ilex_storage_take(ctx, s, (const ilex_storage *[]){a, b});
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 3; j++)
            ck_assert_int_eq(at(r, i, j, 0),
                             5 * at(a, i, j, 0) + at(b, j, i, 0));
    release_all(6, (ilex_storage *[]){s, a0, b0, a, b, r});
}
END_TEST

START_TEST(take_refused)
{
    ilex_storage *s = counting(2, SHAPE(3, 4));
    ilex_storage *far = row(2, (int64_t[]){0, 3});
    ilex_storage *low = row(1, (int64_t[]){-4}),
                 *three = row(3, (int64_t[3]){0});
    ilex_storage *real = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(2));
    ilex_storage *one = ilex_storage_full(ctx, ILEX_I64, 0, NULL, 1);
    ilex_storage *huge =
        ilex_storage_from(ctx, ILEX_U64, 1, SHAPE(1), (uint64_t[]){UINT64_MAX});
    const struct {
        const ilex_storage *key[2];
        ilex_status code;
        const char *part;
    } rows[] = {{{far, NULL}, ILEX_E_BOUNDS, "key 3 "},
                {{low, NULL}, ILEX_E_BOUNDS, "key -4 "},
                {{huge, NULL}, ILEX_E_BOUNDS, "key 18446744073709551615 "},
                {{real, NULL}, ILEX_E_DTYPE, "f64"},
                {{far, three}, ILEX_E_SHAPE, "broadcast"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_ptr_null(ilex_storage_take(ctx, s, rows[i].key));
        ck_assert_msg(strstr(ilex_error_text(ctx), rows[i].part) != NULL, "%s",
                      ilex_error_text(ctx));
        ck_assert_int_eq(take_error(), rows[i].code);
        ck_assert_int_eq(ilex_storage_put(ctx, s, rows[i].key, one),
                         rows[i].code);
        take_error();
        for (int64_t k = 0; k < 12; k++)
            ck_assert_int_eq(at(s, k / 4, k % 4, 0), k);
    }
    release_all(7, (ilex_storage *[]){s, far, low, three, real, one, huge});
}
END_TEST

START_TEST(put_values)
{
    ilex_storage *s = counting(2, SHAPE(3, 4));
    ilex_storage *key = row(3, (int64_t[]){2, 0, 2});
    ilex_storage *v = ilex_storage_from(ctx, ILEX_I32, 2, SHAPE(3, 1),
                                        (int32_t[]){100, 200, 300});
    ck_assert_int_eq(
        ilex_storage_put(ctx, s, (const ilex_storage *[]){key, NULL}, v),
        ILEX_OK);
    for (int64_t j = 0; j < 4; j++) {
        ck_assert_int_eq(at(s, 2, j, 0), 300);
        ck_assert_int_eq(at(s, 0, j, 0), 200);
        ck_assert_int_eq(at(s, 1, j, 0), 4 + j);
    }
    ilex_storage *back = ilex_storage_slice(ctx, s, 0, 2, -1, -1);
    ilex_storage *all = row(3, (int64_t[]){0, 1, 2});
    ck_assert_int_eq(
        ilex_storage_put(ctx, s, (const ilex_storage *[]){all, NULL}, back),
        ILEX_OK);
    ck_assert(at(s, 0, 1, 0) == 300 && at(s, 2, 1, 0) == 200);
    ilex_storage *r = ilex_storage_readonly(ctx, s);
    ck_assert_int_eq(
        ilex_storage_put(ctx, r, (const ilex_storage *[]){all, NULL}, back),
        ILEX_E_READONLY);
    take_error();
    release_all(6, (ilex_storage *[]){s, key, v, back, all, r});
}
END_TEST

/* ---- masks ---- */

START_TEST(masks_match_by_axis)
{
    ilex_storage *c = counting(2, SHAPE(3, 4));
    ilex_storage *s = ilex_storage_reinterpret(ctx, c, "IJ");
    ilex_storage *m0 = ilex_storage_zeros(ctx, ILEX_BOOL, 2, SHAPE(4, 3));
    ilex_storage *m = ilex_storage_reinterpret(ctx, m0, "JI");
    ilex_storage_set_i64(m, SHAPE(3, 0), 1);
    ilex_storage_set_i64(m, SHAPE(1, 2), 1);
    ilex_storage *r = ilex_storage_take_mask(ctx, s, m);
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_shape(r)[0], 2);
    ck_assert(at(r, 0, 0, 0) == 3 && at(r, 1, 0, 0) == 9);
    ilex_storage *v = row(2, (int64_t[]){-1, -2});
    ck_assert_int_eq(ilex_storage_put_mask(ctx, s, m, v), ILEX_OK);
    ck_assert(at(s, 0, 3, 0) == -1 && at(s, 2, 1, 0) == -2);
    ck_assert_int_eq(at(s, 2, 0, 0), 8);
    ilex_storage *one = ilex_storage_full(ctx, ILEX_I64, 0, NULL, 50);
    ck_assert_int_eq(ilex_storage_put_mask(ctx, s, m, one), ILEX_OK);
    ck_assert(at(s, 0, 3, 0) == 50 && at(s, 2, 1, 0) == 50);
    ck_assert_ptr_null(ilex_storage_take_mask(ctx, s, m0));
    ck_assert_int_eq(take_error(), ILEX_E_SHAPE);
    ck_assert_ptr_null(ilex_storage_take_mask(ctx, s, s));
    ck_assert_int_eq(take_error(), ILEX_E_DTYPE);
    ilex_storage *three = row(3, (int64_t[3]){0});
    ck_assert_int_eq(ilex_storage_put_mask(ctx, s, m, three), ILEX_E_SHAPE);
    take_error();
    release_all(8, (ilex_storage *[]){c, s, m0, m, r, v, one, three});
}
END_TEST

/* ---- assignment ---- */

START_TEST(conversions)
{
    const struct {
        ilex_dtype from, to;
        double value, want;
        ilex_status rc;
    } rows[] = {
        {ILEX_BOOL, ILEX_U8, 1, 1, ILEX_OK},
        {ILEX_U8, ILEX_I8, 200, -56, ILEX_OK},
        {ILEX_I64, ILEX_I16, 65537, 1, ILEX_OK},
        {ILEX_I32, ILEX_F32, -3, -3, ILEX_OK},
        {ILEX_F64, ILEX_F32, 1e300, INFINITY, ILEX_OK},
        {ILEX_F32, ILEX_C64, 2.5, 2.5, ILEX_OK},
        {ILEX_I8, ILEX_U8, 1, 0, ILEX_E_DTYPE},
        {ILEX_F32, ILEX_I64, 1, 0, ILEX_E_DTYPE},
        {ILEX_C64, ILEX_F64, 1, 0, ILEX_E_DTYPE},
        {ILEX_I8, ILEX_BOOL, 1, 0, ILEX_E_DTYPE},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *f =
            ilex_storage_full(ctx, rows[i].from, 1, SHAPE(1), rows[i].value);
        ilex_storage *t = ilex_storage_zeros(ctx, rows[i].to, 2, SHAPE(2, 3));
        double v[2];
        ck_assert_int_eq(ilex_storage_assign(ctx, t, f), rows[i].rc);
        ck_assert_int_eq(take_error(), rows[i].rc);
        ilex_storage_get_c128(t, SHAPE(1, 2), v);
        ck_assert_msg(v[0] == rows[i].want, "row %zu", i);
        ilex_storage_release(f);
        ilex_storage_release(t);
    }
}
END_TEST

/* Length 1 is as good as missing, on either side of the names. */
START_TEST(length_one_repeats)
{
    ilex_storage *t0 = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(3, 4));
    ilex_storage *t = ilex_storage_reinterpret(ctx, t0, "IJ");
    ilex_storage *c = counting(3, SHAPE(4, 1, 1));
    ilex_storage *f = ilex_storage_reinterpret(ctx, c, "JIK");
    ck_assert_int_eq(ilex_storage_assign(ctx, t, f), ILEX_OK);
    for (int64_t i = 0; i < 12; i++)
        ck_assert_int_eq(at(t, i / 4, i % 4, 0), i % 4);
    ilex_storage *j = ilex_storage_transpose_axes(ctx, t, "JI");
    ck_assert_int_eq(ilex_storage_shape(j)[0], 4);
    ck_assert_ptr_null(ilex_storage_transpose_axes(ctx, t, "J"));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    ck_assert_ptr_null(ilex_storage_transpose_axes(ctx, t, "JJ"));
    ck_assert_int_eq(take_error(), ILEX_E_AXIS);
    release_all(5, (ilex_storage *[]){t0, t, c, f, j});
}
END_TEST

START_TEST(dense_copies)
{
    ilex_storage *s = counting(2, SHAPE(3, 4));
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL);
    int copied = -1;
    ilex_storage *same = ilex_storage_ensure_contiguous(ctx, s, &copied);
    ck_assert(same == s && copied == 0);
    ilex_storage *dense = ilex_storage_ensure_contiguous(ctx, t, &copied);
    ck_assert(dense != t && copied == 1);
    ck_assert(ilex_storage_contiguous(dense));
    ck_assert_int_eq(at(dense, 3, 1, 0), 7);
    ilex_storage *padded = ilex_storage_new(
        ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 3), .alignment = 64));
    ilex_storage *packed = ilex_storage_ensure_contiguous(ctx, padded, NULL);
    ck_assert(packed != padded && ilex_storage_contiguous(packed));
    release_all(6, (ilex_storage *[]){s, t, same, dense, padded, packed});
}
END_TEST

/* ---- random views ---- */

/* A random storage of i32 whose elements are their numbers in C order. */
static ilex_storage *
random_storage(void)
{
    int rank = 1 + (int)draw(4), map[4], places = 0;
    int64_t shape[4], halo[8], aligned[4];
    unsigned char axis[4] = {0, 1, 2, 3};
    for (int k = 0; k < rank; k++) {
        int other = k + (int)draw(rank - k);
        unsigned char swap = axis[k];
        axis[k] = axis[other];
        axis[other] = swap;
        shape[k] = draw(6) ? 1 + draw(5) : draw(2);
        halo[2 * k] = draw(shape[k] + 1);
        halo[2 * k + 1] = draw(shape[k] - halo[2 * k] + 1);
        aligned[k] = shape[k] ? draw(shape[k]) : 0;
    }
    for (int k = 0; k < rank; k++)
        map[axis[k]] = draw(10) ? places++ : -1;
    static const char *const spaces[] = {"normal", "hugepage"};
    double fill = (double)draw(100);
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.dtype = "i32", .rank = rank, .shape = shape, .halo = halo,
                   .axes = (const char *[]){"", "I", "IJ", "IJK", "IJKL"}[rank],
                   .layout_map = map, .aligned_index = aligned,
                   .alignment = (size_t)1 << draw(13), .space = spaces[draw(2)],
                   .fill = &fill));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; i < ix_storage_count(s); i++) {
        int64_t rest = i, index[4];
        for (int k = rank - 1; k >= 0; k--) {
            index[k] = rest % shape[k];
            rest /= shape[k];
        }
        ck_assert_int_eq(ilex_storage_set_i64(s, index, i), ILEX_OK);
    }
    return s;
}

/* A random chain of views of "s", which is released. */
static ilex_storage *
random_view(ilex_storage *s)
{
    for (int i = 0; i < 3; i++) {
        int k = (int)draw(s->rank);
        int64_t n = s->shape[k], lo = draw(n + 1), hi = lo + draw(n - lo + 1);
        ilex_storage *v = NULL;
        switch (draw(5)) {
        case 0:
            v = ilex_storage_slice(ctx, s, k, lo, hi, 1 + draw(3));
            break;
        case 1:
            v = n ? ilex_storage_slice(ctx, s, k, n - 1, -1, -1 - draw(3))
                  : ilex_storage_retain(s);
            break;
        case 2:
            v = ilex_storage_transpose(ctx, s, NULL);
            break;
        case 3:
            v = ilex_storage_interior(ctx, s);
            break;
        default:
            v = n && s->rank > 1 ? ilex_storage_index(ctx, s, k, draw(n))
                                 : ilex_storage_retain(s);
        }
        ck_assert_msg(v != NULL, "%s", ilex_error_text(ctx));
        ilex_storage_release(s);
        s = v;
    }
    return s;
}

static void
same_elements(const ilex_storage *a, const ilex_storage *b)
{
    ck_assert_int_eq(a->rank, b->rank);
    for (int64_t i = 0; i < ix_storage_count(a); i++) {
        int64_t rest = i, index[4] = {0}, x, y;
        for (int k = a->rank - 1; k >= 0; k--) {
            index[k] = rest % a->shape[k];
            rest /= a->shape[k];
        }
        ck_assert_int_eq(ilex_storage_get_i64(a, index, &x), ILEX_OK);
        ck_assert_int_eq(ilex_storage_get_i64(b, index, &y), ILEX_OK);
        ck_assert_int_eq(x, y);
    }
}

/* Printing, copying, packing, taking everything, and one file in fifty. */
START_TEST(random_round_trips)
{
    char text[4096], path[] = "/tmp/ilex-view-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    for (int i = 0; i < 10000; i++) {
        ilex_storage *s = random_view(random_storage());
        const char *lo, *hi;
        if (ix_storage_reach(s, &lo, &hi))
            ck_assert(lo >= s->memory->base &&
                      hi <= s->memory->base + s->memory->bytes);
        ck_assert_uint_gt(ilex_storage_print(s, text, sizeof text), 0);
        ilex_storage *copy = ilex_storage_copy(ctx, s);
        ilex_storage *dense = ilex_storage_ensure_contiguous(ctx, s, NULL);
        const ilex_storage *none[ILEX_MAX_RANK] = {NULL};
        ilex_storage *all = ilex_storage_take(ctx, s, none);
        ilex_storage *file = NULL;
        ck_assert(copy && dense && all);
        same_elements(s, copy);
        same_elements(s, dense);
        same_elements(s, all);
        if (i % 50 == 0) {
            ck_assert_int_eq(ilex_npy_write(ctx, path, s), ILEX_OK);
            file = ilex_npy_read(ctx, path);
            ck_assert_ptr_nonnull(file);
            same_elements(s, file);
        }
        release_all(5, (ilex_storage *[]){s, copy, dense, all, file});
    }
    unlink(path);
}
END_TEST

/* ---- no memory ---- */

START_TEST(no_memory)
{
    ilex_storage *s = counting(2, SHAPE(3, 4));
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL);
    ilex_storage *key = row(2, (int64_t[]){2, 0});
    ilex_storage *m = ilex_storage_ones(ctx, ILEX_BOOL, 2, SHAPE(3, 4));
    for (int n = 0; n < 8; n++) {
        heap.left = n;
        ilex_storage *r =
            ilex_storage_take(ctx, s, (const ilex_storage *[]){key, NULL});
        ilex_storage *q = r ? ilex_storage_take_mask(ctx, s, m) : NULL;
        ilex_storage *d =
            q ? ilex_storage_ensure_contiguous(ctx, t, NULL) : NULL;
        ck_assert(d || take_error() == ILEX_E_MEMORY);
        heap.left = -1;
        release_all(3, (ilex_storage *[]){r, q, d});
    }
    release_all(4, (ilex_storage *[]){s, t, key, m});
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_gather");
    TCase *tests = tcase_create("gather");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, take_one_axis);
    tcase_add_test(tests, take_several_axes);
    tcase_add_test(tests, keys_by_name);
    tcase_add_test(tests, take_refused);
    tcase_add_test(tests, put_values);
    tcase_add_test(tests, masks_match_by_axis);
    tcase_add_test(tests, conversions);
    tcase_add_test(tests, length_one_repeats);
    tcase_add_test(tests, dense_copies);
    tcase_add_test(tests, random_round_trips);
    tcase_add_test(tests, no_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
