/* SPDX-License-Identifier: MIT
 *
 * Construction of storages: what a spec gives, what it refuses, where the
 * elements lie, who frees what.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- defaults and resolution ---- */

START_TEST(defaults)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 4)));
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(ilex_storage_dtype(s), ILEX_F64);
    ck_assert_int_eq(ilex_storage_rank(s), 2);
    ck_assert_int_eq(ilex_storage_stride(s)[0], 4);
    ck_assert_int_eq(ilex_storage_stride(s)[1], 1);
    ck_assert_str_eq(ilex_storage_axis_name(s, 0), "");
    ck_assert_str_eq(ilex_storage_axis_name(s, 7), "");
    ck_assert_int_eq(ilex_storage_axis(s, "I"), -1);
    ck_assert_int_eq(ilex_storage_count(s), 12);
    ck_assert_int_eq(ilex_storage_bytes(s), 96);
    ck_assert_uint_ge(ilex_storage_allocated_bytes(s), 96);
    ck_assert_uint_eq(ilex_storage_alignment(s), 0);
    ck_assert(ilex_storage_contiguous(s) && ilex_storage_writable(s));
    ck_assert_str_eq(ilex_storage_name(s), "");
    ck_assert_ptr_eq(ilex_storage_data(s), ilex_storage_const_data(s));
    ilex_storage_release(s);
}
END_TEST

START_TEST(everything_given)
{
    double fill = 7;
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.dtype = "f32", .rank = 3, .shape = SHAPE(10, 12, 5),
                   .axes = "I, J+1/2, Level", .halo = SHAPE(2, 2, 1, 3, 0, 0),
                   .layout = "Level, K, I, J+1/2", .alignment = 64, .name = "u",
                   .fill = &fill, .flags = ILEX_STORAGE_READONLY));
    ck_assert_ptr_nonnull(s);
    ck_assert_str_eq(ilex_storage_axis_name(s, 1), "J+1/2");
    ck_assert_int_eq(ilex_storage_axis(s, "Level"), 2);
    ck_assert_int_eq(ilex_storage_halo(s)[3], 3);
    ck_assert_int_eq(ilex_storage_stride(s)[1], 1);
    ck_assert_int_eq(ilex_storage_stride(s)[0], 16);
    ck_assert_int_eq(ilex_storage_stride(s)[2], 160);
    ck_assert_int_eq(ilex_storage_layout(s, 2), 0);
    ck_assert_int_eq(ilex_storage_layout(s, 1), 2);
    ck_assert_int_eq(ilex_storage_aligned_index(s)[1], 1);
    ck_assert_uint_eq((uintptr_t)ilex_storage_at(s, SHAPE(5, 1, 4)) % 64, 0);
    ck_assert_str_eq(ilex_storage_name(s), "u");
    ck_assert_ptr_null(ilex_storage_data(s));
    ck_assert_int_eq(ilex_storage_fill(ctx, s, 1), ILEX_E_READONLY);
    ck_assert_int_eq(take_error(), ILEX_E_READONLY);

    ilex_storage *t = ilex_storage_new(ctx, &SPEC(.like = s, .dtype = "i16"));
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(ilex_storage_dtype(t), ILEX_I16);
    ck_assert_str_eq(ilex_storage_axis_name(t, 2), "Level");
    ck_assert_int_eq(ilex_storage_halo(t)[3], 3);
    ck_assert_int_eq(ilex_storage_layout(t, 2), 0);
    ck_assert_int_eq(ilex_storage_stride(t)[0], 32);
    ck_assert_uint_eq(ilex_storage_alignment(t), 64);
    ck_assert(ilex_storage_writable(t));
    ilex_storage_release(s);
    ilex_storage_release(t);
}
END_TEST

/* ---- refused specs ---- */

static double half = 0.5;
static char block[4096];
static const int repeated[] = {0, 0};

/* A size that is no struct's: nothing behind the struct is read. */
START_TEST(size_beyond)
{
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2,
                            sizeof(ilex_storage_spec) + (1 << 20)};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *fence = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(fence, MAP_FAILED);
    ck_assert_int_eq(mprotect(fence + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < IX_COUNT(sizes); i++) {
        ilex_storage_spec spec = {.size = sizes[i], .rank = 1};
        char *last = fence + page - sizeof spec;
        memcpy(last, &spec, sizeof spec);
        ck_assert_ptr_null(
            ilex_storage_new(ctx, (const ilex_storage_spec *)(void *)last));
        ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    }
    munmap(fence, 2 * page);
}
END_TEST

/* Every row is an error of its own. */
START_TEST(refused)
{
    ilex_storage *like = ilex_storage_ones(ctx, ILEX_F64, 1, SHAPE(3));
    const struct {
        ilex_storage_spec spec;
        ilex_status code;
    } rows[] = {
        {{.size = 0}, ILEX_E_ARGUMENT},
        {SPEC(.rank = 2), ILEX_E_SHAPE},
        {SPEC(.rank = 17, .shape = SHAPE(1)), ILEX_E_RANK},
        {SPEC(.rank = -1, .shape = SHAPE(1)), ILEX_E_RANK},
        {SPEC(.rank = 1, .shape = SHAPE(-1)), ILEX_E_SHAPE},
        {SPEC(.rank = 2, .shape = SHAPE(1ll << 40, 1ll << 40)),
         ILEX_E_OVERFLOW},
        {SPEC(.rank = 3, .shape = SHAPE(0, 1ll << 40, 1ll << 40)),
         ILEX_E_OVERFLOW},
        {SPEC(.rank = 2, .shape = SHAPE(1ll << 59, 1), .layout = "F",
              .alignment = 1 << 20),
         ILEX_E_MEMORY},
        {SPEC(.rank = 2, .shape = SHAPE(1ll << 59, 1), .alignment = 64),
         ILEX_E_OVERFLOW},
        {SPEC(.dtype = "f128", .rank = 1, .shape = SHAPE(1)), ILEX_E_DTYPE},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .axes = "IJK"), ILEX_E_RANK},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .axes = "II"), ILEX_E_DUPLICATE},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .axes = "I,"), ILEX_E_NAME},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .axes = "I, 2"), ILEX_E_NAME},
        {SPEC(.rank = 1, .shape = SHAPE(4), .halo = SHAPE(2, 3)), ILEX_E_HALO},
        {SPEC(.rank = 1, .shape = SHAPE(4), .halo = SHAPE(-1, 0)), ILEX_E_HALO},
        {SPEC(.rank = 1, .shape = SHAPE(4), .halo = SHAPE(1, INT64_MAX)),
         ILEX_E_HALO},
        {SPEC(.rank = 1, .shape = SHAPE(4), .alignment = 1u << 31),
         ILEX_E_ALIGNMENT},
        {SPEC(.rank = 1, .shape = SHAPE(4), .aligned_index = SHAPE(4)),
         ILEX_E_BOUNDS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .layout = "JI"), ILEX_E_AXIS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .layout = "0"), ILEX_E_AXIS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .layout = "00"), ILEX_E_AXIS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .axes = "IJ", .layout = "K"),
         ILEX_E_AXIS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .layout_map = repeated),
         ILEX_E_AXIS},
        {SPEC(.rank = 2, .shape = SHAPE(1, 1), .layout = "C",
              .layout_map = repeated),
         ILEX_E_ARGUMENT},
        {SPEC(.rank = 1, .shape = SHAPE(1), .preset = "gpu9"), ILEX_E_UNKNOWN},
        {SPEC(.rank = 1, .shape = SHAPE(1), .dtype = "i32", .fill = &half),
         ILEX_E_LITERAL},
        {SPEC(.rank = 1, .shape = SHAPE(1), .flags = 64), ILEX_E_ARGUMENT},
        {SPEC(.like = like, .rank = 1), ILEX_E_ARGUMENT},
        {SPEC(.like = like, .axes = "I"), ILEX_E_ARGUMENT},
        {SPEC(.rank = 1, .shape = SHAPE(1), .strides = SHAPE(1)),
         ILEX_E_ARGUMENT},
        {SPEC(.rank = 1, .shape = SHAPE(1), .flags = ILEX_STORAGE_COPY),
         ILEX_E_ARGUMENT},
        {SPEC(.rank = 1, .shape = SHAPE(1), .data = block, .fill = &half),
         ILEX_E_ARGUMENT},
        {SPEC(.rank = 2, .shape = SHAPE(2, 2), .data = block,
              .strides = SHAPE(1, 2), .layout = "C"),
         ILEX_E_ARGUMENT},
        {SPEC(.rank = 1, .shape = SHAPE(3), .data = block,
              .strides = SHAPE(INT64_MIN)),
         ILEX_E_OVERFLOW},
        {SPEC(.rank = 1, .shape = SHAPE(1ll << 20), .data = block,
              .strides = SHAPE(1ll << 50)),
         ILEX_E_OVERFLOW},
        {SPEC(.rank = 1, .shape = SHAPE(3), .data = (void *)(uintptr_t)16,
              .strides = SHAPE(-2)),
         ILEX_E_OVERFLOW},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(ctx, &rows[i].spec);
        ck_assert_msg(!s, "row %zu was accepted", i);
        ck_assert_msg(ilex_error_code(ctx) == rows[i].code, "row %zu: %s (%d)",
                      i, ilex_error_text(ctx), ilex_error_code(ctx));
        if (rows[i].code != ILEX_E_MEMORY)
            ck_assert_ptr_null(ilex_storage_new(NULL, &rows[i].spec));
        take_error();
    }
    ilex_storage_release(like);
}
END_TEST

/* ---- layouts ---- */

START_TEST(layouts)
{
    const struct {
        const char *axes, *layout;
        int map[3];
        int64_t stride[3];
    } rows[] = {
        {NULL, NULL, {0, 1, 2}, {20, 5, 1}},
        {NULL, "C", {0}, {20, 5, 1}},
        {NULL, "F", {0}, {1, 3, 12}},
        {"IJK", "KJI", {0}, {1, 3, 12}},
        {"IJK", "K,I,J", {0}, {4, 1, 12}},
        {"KJI", "IJK", {0}, {1, 3, 12}},
        {"IJV", "X V K I J", {0}, {4, 1, 12}},
        {NULL, "2, 0, 1", {0}, {4, 1, 12}},
        {NULL, "201", {0}, {4, 1, 12}},
        {NULL, NULL, {2, 0, 1}, {1, 15, 3}},
        {NULL, NULL, {-1, 1, 0}, {0, 1, 4}},
        {NULL, NULL, {-1, -1, 0}, {0, 0, 1}},
        {NULL, NULL, {-1, -1, -1}, {0, 0, 0}},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage_spec p =
            SPEC(.rank = 3, .shape = SHAPE(3, 4, 5), .axes = rows[i].axes,
                 .layout = rows[i].layout);
        if (!p.layout)
            p.layout_map = rows[i].map;
        ilex_storage *s = ilex_storage_new(ctx, &p);
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        for (int k = 0; k < 3; k++)
            ck_assert_msg(ilex_storage_stride(s)[k] == rows[i].stride[k],
                          "row %zu axis %d", i, k);
        ilex_storage_release(s);
    }
}
END_TEST

/* ---- buffers of the caller ---- */

static void
count_release(void *user, void *data)
{
    ck_assert_ptr_nonnull(user);
    (void)data;
    ++*(int *)user;
}

START_TEST(wrap_shares)
{
    double a[6] = {0, 1, 2, 3, 4, 5};
    int released = 0;
    ilex_storage *s =
        ilex_storage_wrap(ctx, ILEX_F64, 2, SHAPE(2, 3), SHAPE(-3, 1), a + 3,
                          count_release, &released);
    ck_assert_ptr_nonnull(s);
    ilex_storage *v = ilex_storage_index(ctx, s, 0, 1);
    ilex_storage_release(s);
    ck_assert_int_eq(released, 0);
    ck_assert_int_eq(ilex_storage_set_f64(v, SHAPE(2), 9), ILEX_OK);
    ck_assert(a[2] == 9);
    ck_assert_uint_eq(ilex_storage_allocated_bytes(v), sizeof a);
    ilex_storage_release(v);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(release_once)
{
    double a[8] = {0};
    const struct {
        ilex_storage_spec spec;
        bool good;
    } rows[] = {
        {SPEC(.rank = 1, .shape = SHAPE(8), .data = a), true},
        {SPEC(.rank = 1, .shape = SHAPE(8), .data = a,
              .flags = ILEX_STORAGE_COPY),
         true},
        {SPEC(.rank = 1, .shape = SHAPE(0), .data = a), true},
        {SPEC(.rank = 1, .shape = SHAPE(-8), .data = a), false},
        {SPEC(.rank = 1, .shape = SHAPE(2), .data = (char *)a + 1), false},
        {SPEC(.rank = 1, .shape = SHAPE(2), .data = a + 1, .alignment = 4096),
         false},
        {SPEC(.rank = 2, .shape = SHAPE(2, 3), .data = a,
              .strides = SHAPE(3, 1), .alignment = 16),
         false},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        int released = 0;
        ilex_storage_spec p = rows[i].spec;
        p.release = count_release;
        p.release_user = &released;
        ilex_storage *s = ilex_storage_new(ctx, &p);
        ck_assert_msg((s != NULL) == rows[i].good, "row %zu", i);
        ilex_storage_release(s);
        ck_assert_msg(released == 1, "row %zu", i);
        take_error();
    }
    int released = 0;
    ck_assert_ptr_null(ilex_storage_wrap(ctx, ILEX_F64, 1, SHAPE(1), NULL, NULL,
                                         count_release, &released));
    ck_assert_int_eq(released, 1);
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage *none = ilex_storage_wrap(ctx, ILEX_F64, 1, SHAPE(0), NULL,
                                           NULL, count_release, &released);
    ck_assert_ptr_nonnull(none);
    ck_assert_int_eq(released, 2);
    ilex_storage_release(none);
}
END_TEST

START_TEST(from_copies)
{
    int32_t a[6] = {0, 1, 2, 3, 4, 5};
    ilex_storage *s = ilex_storage_from(ctx, ILEX_I32, 2, SHAPE(3, 2), a);
    ilex_storage *f = ilex_storage_new(
        ctx, &SPEC(.dtype = "i32", .rank = 2, .shape = SHAPE(3, 2), .data = a,
                   .flags = ILEX_STORAGE_COPY, .layout = "F"));
    ck_assert(s && f);
    memset(a, 0, sizeof a);
    ck_assert_int_eq(at(s, 2, 0, 0), 4);
    ck_assert_int_eq(at(f, 2, 0, 0), 4);
    ck_assert_int_eq(f->stride[1], 3);
    ck_assert_ptr_null(ilex_storage_from(ctx, ILEX_I32, 1, SHAPE(2), NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage *one = ilex_storage_full(ctx, ILEX_C64, 0, NULL, 3);
    double v[2];
    ck_assert_int_eq(ilex_storage_get_c128(one, NULL, v), ILEX_OK);
    ck_assert(v[0] == 3 && v[1] == 0);
    ilex_storage_release(one);
    ilex_storage_release(s);
    ilex_storage_release(f);
}
END_TEST

/* ---- failing allocations, threads ---- */

START_TEST(no_memory)
{
    int released = 0, runs = 0;
    double a[4] = {0};
    for (int n = 0; n < 12; n++, runs++) {
        heap.left = n;
        ilex_storage *s = ilex_storage_ones(ctx, ILEX_F64, 1, SHAPE(9));
        ilex_storage *w = ilex_storage_wrap(ctx, ILEX_F64, 1, SHAPE(4), NULL, a,
                                            count_release, &released);
        ilex_storage *v = s ? ilex_storage_slice(ctx, s, 0, 8, -1, -2) : NULL;
        ilex_storage *r = v ? ilex_storage_reinterpret(ctx, v, "I") : NULL;
        ck_assert(r || take_error() == ILEX_E_MEMORY);
        heap.left = -1;
        ilex_storage_release(s);
        ilex_storage_release(w);
        ilex_storage_release(v);
        ilex_storage_release(r);
    }
    ck_assert_int_eq(released, runs);
}
END_TEST

static void *
share(void *storage)
{
    for (int i = 0; i < 2000; i++) {
        ilex_storage *s = ilex_storage_retain(storage);
        ilex_storage *v = ilex_storage_slice(NULL, s, 0, i % 3, 5, 1);
        ck_assert_int_eq(ilex_storage_shape(v)[0], 5 - i % 3);
        ilex_storage_release(v);
        ilex_storage_release(s);
    }
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[4];
    ilex_storage *s = ilex_storage_ones(NULL, ILEX_F64, 1, SHAPE(5));
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, share, s);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(atomic_load(&s->count), 1);
    ck_assert_uint_eq(atomic_load(&s->memory->count), 1);
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage");
    TCase *tests = tcase_create("construction");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, everything_given);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, size_beyond);
    tcase_add_test(tests, layouts);
    tcase_add_test(tests, wrap_shares);
    tcase_add_test(tests, release_once);
    tcase_add_test(tests, from_copies);
    tcase_add_test(tests, no_memory);
    tcase_add_test(tests, threads);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
