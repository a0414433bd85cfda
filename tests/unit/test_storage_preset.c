/* SPDX-License-Identifier: MIT
 *
 * Presets and their layouts, sources of values, masked axes, fixed lengths, and
 * misuse of a spec.
 */
#include "tests/suite.h"
#include "tests/unit/traits_fixture.h"

static const int64_t tens[5] = {10, 11, 12, 13, 14};

/* ---- layouts of presets ---- */

static void
check_layout(const char *preset, const char *axes, int rank,
             const unsigned char *selector, const int *want)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = rank, .shape = tens, .preset = preset, .axes = axes,
                   .selector = selector));
    ck_assert_msg(s != NULL, "%s %s: %s", preset, axes, ilex_error_text(ctx));
    for (int k = 0; k < rank; k++)
        ck_assert_msg(ilex_storage_layout(s, k) == want[k],
                      "%s %s: place %d of axis %d", preset, axes ? axes : "",
                      ilex_storage_layout(s, k), k);
    ck_assert_str_eq(ilex_storage_source(s, "layout"), "preset");
    ilex_storage_release(s);
}

/* Places by index order, or by the meaning of the axes. */
START_TEST(preset_layouts_by_axes)
{
    const struct {
        const char *preset, *axes;
        int want[3];
    } rows[] = {
        {"F", "IJK", {2, 1, 0}},
        {"F", "KJI", {2, 1, 0}},
        {"C", "IJK", {0, 1, 2}},
        {"C", "KJI", {0, 1, 2}},
        {"gtx86", "IJK", {0, 1, 2}},
        {"gtx86", "KJI", {2, 1, 0}},
        {"dace:cpu", "IJK", {1, 2, 0}},
        {"cpu_kfirst", "KIJ", {2, 0, 1}},
        {"gt:cpu_ifirst", "IJK", {2, 1, 0}},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_layout(rows[i].preset, rows[i].axes, 3, NULL, rows[i].want);
    check_layout("cpu_ifirst", "IJ", 2, NULL, (int[]){1, 0});
    check_layout("gt:cpu_ifirst", NULL, 5, NULL, (int[]){4, 3, 2, 0, 1});
    check_layout("dace:cpu_KJI", NULL, 5, NULL, (int[]){4, 3, 2, 0, 1});
    check_layout("dace:cpu_kfirst", NULL, 5, NULL, (int[]){2, 3, 4, 0, 1});
    check_layout("debug", NULL, 5, NULL, (int[]){2, 3, 4, 0, 1});
    check_layout("gtx86", "I, Color, J, K", 4, NULL, (int[]){1, 0, 2, 3});
}
END_TEST

START_TEST(preset_layouts_by_rank)
{
    static const int kfirst[5][5] = {
        {0}, {0, 1}, {0, 1, 2}, {1, 2, 3, 0}, {2, 3, 4, 0, 1}};
    static const int ifirst[5][5] = {
        {0}, {1, 0}, {2, 0, 1}, {3, 1, 2, 0}, {4, 2, 3, 1, 0}};
    static const int gpu[5][5] = {
        {0}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}, {4, 3, 2, 1, 0}};
    register_once();
    for (int rank = 1; rank <= 5; rank++) {
        check_layout("cpu_kfirst", NULL, rank, NULL, kfirst[rank - 1]);
        check_layout("cpu_ifirst", NULL, rank, NULL, ifirst[rank - 1]);
        check_layout("my_device", NULL, rank, NULL, gpu[rank - 1]);
    }
}
END_TEST

START_TEST(selectors_renumber)
{
    const struct {
        const char *preset;
        unsigned char selector[5];
        int want[5];
    } rows[] = {
        {"cpu_ifirst", {1, 0, 1, 1, 1}, {3, -1, 2, 1, 0}},
        {"cpu_ifirst", {0, 0, 1, 1, 1}, {-1, -1, 2, 1, 0}},
        {"cpu_ifirst", {1, 1, 1, 0, 0}, {2, 0, 1, -1, -1}},
        {"cpu_ifirst", {0, 1, 0, 1, 1}, {-1, 2, -1, 1, 0}},
        {"cpu_kfirst", {0, 1, 1, 1, 1}, {-1, 2, 3, 0, 1}},
        {"cpu_kfirst", {1, 1, 1, 0, 1}, {1, 2, 3, -1, 0}},
        {"cpu_kfirst", {1, 0, 0, 1, 1}, {2, -1, -1, 0, 1}},
        {"cpu_kfirst", {0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}},
        {"my_device", {1, 0, 1, 0, 1}, {2, -1, 1, -1, 0}},
        {"my_device", {0, 0, 0, 0, 1}, {-1, -1, -1, -1, 0}},
    };
    register_once();
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        check_layout(rows[i].preset, NULL, 5, rows[i].selector, rows[i].want);
}
END_TEST

/* Masked axes keep their length; all their indices are one element. */
START_TEST(masked)
{
    double fill = -1;
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.dtype = "i32", .rank = 2, .shape = SHAPE(10, 10),
                   .selector = (unsigned char[]){1, 0}, .fill = &fill));
    ck_assert_int_eq(ilex_storage_shape(s)[1], 10);
    ck_assert_int_eq(ilex_storage_stride(s)[1], 0);
    ck_assert_ptr_eq(ilex_storage_at(s, SHAPE(0, 1)),
                     ilex_storage_at(s, SHAPE(0, 9)));
    ck_assert_int_eq(ilex_storage_span(s), 10);
    ck_assert_int_eq(at(s, 0, 9, 0), -1);
    ilex_storage *one =
        ilex_storage_new(ctx, &SPEC(.rank = 2, .shape = SHAPE(10, 10),
                                    .selector = (unsigned char[]){0, 0}));
    ck_assert_int_eq(ilex_storage_span(one), 1);
    ck_assert_int_eq(ilex_storage_set_f64(one, SHAPE(3, 4), 5), ILEX_OK);
    double v;
    ilex_storage_get_f64(one, SHAPE(9, 0), &v);
    ck_assert(v == 5);
    ilex_storage_release(one);
    ilex_storage_release(s);
}
END_TEST

/* ---- what presets give ---- */

START_TEST(preset_values)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 3, .shape = SHAPE(700, 70, 8),
                                    .halo = SHAPE(3, 3, 3, 3, 0, 0),
                                    .axes = "IJK", .preset = "cpu_ifirst"));
    ck_assert_uint_eq(ilex_storage_alignment(s), 64);
    ck_assert_str_eq(ilex_storage_space(s), "hugepage");
    ck_assert_str_eq(ilex_storage_layout_order(s), "JKI");
    for (int64_t j = 0; j < 70; j += 23)
        ck_assert_uint_eq(
            (uintptr_t)ilex_storage_at(s, SHAPE(3, j, j % 8)) % 64, 0);
    ilex_storage_release(s);
    s = ilex_storage_new(
        ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 5), .preset = "cpu_kfirst"));
    ck_assert_uint_eq(ilex_storage_alignment(s), 0);
    ck_assert_str_eq(ilex_storage_space(s), "normal");
    ck_assert_int_eq(ilex_storage_stride(s)[0], 5);
    ilex_storage_release(s);
}
END_TEST

START_TEST(sources)
{
    ilex_storage *base = ilex_storage_new(
        ctx, &SPEC(.rank = 2, .shape = SHAPE(6, 7), .axes = "IJ",
                   .halo = SHAPE(1, 1, 0, 0), .preset = "cpu_ifirst",
                   .space = "normal", .dtype = "f32"));
    const char *const rows[][2] = {
        {"dtype", "given"},    {"shape", "given"},
        {"axes", "given"},     {"halo", "given"},
        {"layout", "preset"},  {"alignment", "preset"},
        {"space", "given"},    {"device", "preset"},
        {"managed", "preset"}, {"aligned_index", "default"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        ck_assert_str_eq(ilex_storage_source(base, rows[i][0]), rows[i][1]);
    ck_assert_ptr_null(ilex_storage_source(base, "colour"));
    ilex_storage *s = ilex_storage_new(ctx, &SPEC(.like = base, .preset = "F"));
    ck_assert_str_eq(ilex_storage_source(s, "layout"), "preset");
    ck_assert_str_eq(ilex_storage_source(s, "alignment"), "like");
    ck_assert_str_eq(ilex_storage_source(s, "halo"), "like");
    ck_assert_str_eq(ilex_storage_source(s, "dtype"), "like");
    ck_assert_uint_eq(ilex_storage_alignment(s), 64);
    double a[6];
    ilex_storage *w = ilex_storage_wrap(ctx, ILEX_F64, 2, SHAPE(2, 3),
                                        SHAPE(1, 2), a, NULL, NULL);
    ck_assert_str_eq(ilex_storage_source(w, "layout"), "data");
    ck_assert_str_eq(ilex_storage_source(w, "halo"), "default");
    ilex_storage_release(w);
    ilex_storage_release(s);
    ilex_storage_release(base);
}
END_TEST

/* Words of a layout also place axes that the storage lacks. */
START_TEST(missing_axes_have_a_place)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 4),
                                    .axes = "IJ", .layout = "KJI"));
    ck_assert_str_eq(ilex_storage_layout_order(s), "KJI");
    ilex_storage *t = ilex_storage_transpose(ctx, s, NULL);
    ck_assert_str_eq(ilex_storage_layout_order(t), "KJI");
    ilex_storage *full = ilex_storage_new(
        ctx, &SPEC(.rank = 3, .shape = SHAPE(3, 4, 5), .axes = "IJK",
                   .layout = ilex_storage_layout_order(t)));
    ck_assert_int_eq(ilex_storage_stride(full)[0], 1);
    ilex_storage *r = ilex_storage_reinterpret(ctx, s, "JK");
    ck_assert_str_eq(ilex_storage_layout_order(r), "");
    ilex_storage_release(s);
    ilex_storage_release(t);
    ilex_storage_release(r);
    ilex_storage_release(full);
}
END_TEST

/* Arrays of length 3 for fewer axes: entries of absent axes are ignored. */
START_TEST(canonical_length)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 3, .shape = SHAPE(10, -7, 30), .axes = "KI",
                   .halo = SHAPE(1, 2, 99, 99, 3, 4),
                   .aligned_index = SHAPE(5, 99, 6)));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_rank(s), 2);
    ck_assert_int_eq(ilex_storage_shape(s)[0], 30);
    ck_assert_int_eq(ilex_storage_shape(s)[1], 10);
    ck_assert_int_eq(ilex_storage_halo(s)[0], 3);
    ck_assert_int_eq(ilex_storage_halo(s)[3], 2);
    ck_assert_int_eq(ilex_storage_aligned_index(s)[0], 6);
    int64_t lo, hi, offset;
    ck_assert_int_eq(ilex_storage_domain(s, 0, &lo, &hi), ILEX_OK);
    ck_assert(lo == 0 && hi == 23);
    ck_assert_int_eq(ilex_storage_domain(s, 2, &lo, &hi), ILEX_E_AXIS);
    ck_assert_int_eq(ilex_storage_offset(s, SHAPE(2, 3), &offset), ILEX_OK);
    ck_assert_int_eq(offset, 23);
    ck_assert_int_eq(ilex_storage_offset(s, SHAPE(2, 10), &offset),
                     ILEX_E_BOUNDS);
    ilex_storage_release(s);
}
END_TEST

START_TEST(fixed_lengths)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 3, .shape = SHAPE(2, 3, 4),
                                    .fixed = (unsigned char[]){0, 1, 1}));
    ck_assert(!ilex_storage_fixed(s, 0) && ilex_storage_fixed(s, 1));
    ilex_storage *t = ilex_storage_transpose(ctx, s, (int[]){1, 0, 2});
    ck_assert(ilex_storage_fixed(t, 0) && !ilex_storage_fixed(t, 1));
    ilex_storage *v = ilex_storage_slice(ctx, t, 0, 0, 2, 1);
    ck_assert(!ilex_storage_fixed(v, 0) && ilex_storage_fixed(v, 2));
    ilex_storage *l = ilex_storage_zeros_like(ctx, t);
    ck_assert(ilex_storage_fixed(l, 0) && !ilex_storage_fixed(l, 3));
    ilex_storage *all[] = {s, t, v, l};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* ---- misuse ---- */

START_TEST(misuse)
{
    static const unsigned char all[3] = {1, 1, 1};
    static const int map[3] = {0, 1, 2};
    static double one = 1;
    const struct {
        ilex_storage_spec spec;
        ilex_status code;
        const char *word;
    } rows[] = {
        {SPEC(.selector = all, .layout = "C"), ILEX_E_ARGUMENT, "selector"},
        {SPEC(.selector = all, .layout_map = map), ILEX_E_ARGUMENT, "selector"},
        {SPEC(.selector = all, .selector_count = 2), ILEX_E_RANK, "selector"},
        {SPEC(.layout_map = map, .layout_count = 4), ILEX_E_RANK, "layout_map"},
        {SPEC(.halo = SHAPE(0, 0), .halo_count = 1), ILEX_E_RANK, "halo"},
        {SPEC(.flags = ILEX_STORAGE_CONST), ILEX_E_ARGUMENT, "CONST"},
        {SPEC(.id = -1), ILEX_E_ARGUMENT, "id"},
        {SPEC(.id = 1, .flags = ILEX_STORAGE_UNKNOWN_KIND), ILEX_E_ARGUMENT,
         "id"},
        {SPEC(.preset = "nothing"), ILEX_E_UNKNOWN, "nothing"},
        {SPEC(.fill = &one,
              .initialize = (void (*)(void *, const int64_t *, void *))abort),
         ILEX_E_ARGUMENT, "initialize"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage_spec p = rows[i].spec;
        p.rank = 3;
        p.shape = tens;
        ck_assert_msg(ilex_storage_new(ctx, &p) == NULL, "row %zu", i);
        ck_assert_msg(strstr(ilex_error_text(ctx), rows[i].word) != NULL,
                      "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_int_eq(take_error(), rows[i].code);
    }
    ck_assert_ptr_null(ilex_storage_zeros_like(ctx, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
}
END_TEST

/* A layout that is asked for must be that of a wrapped buffer. */
START_TEST(wrapped_layouts)
{
    static double a[12];
    const struct {
        const char *layout, *preset;
        int64_t shape[2], strides[2];
        bool good;
    } rows[] = {
        {"C", NULL, {3, 4}, {4, 1}, true},  {"F", NULL, {3, 4}, {1, 3}, true},
        {"C", NULL, {3, 4}, {1, 3}, false}, {NULL, "F", {3, 4}, {4, 1}, false},
        {"C", NULL, {1, 4}, {1, 3}, true},  {NULL, "C", {3, 4}, {-4, 1}, true},
        {NULL, NULL, {3, 4}, {1, 3}, true},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 2, .shape = rows[i].shape,
                       .strides = rows[i].strides, .layout = rows[i].layout,
                       .preset = rows[i].preset, .data = a + 8));
        ck_assert_msg((s != NULL) == rows[i].good, "row %zu: %s", i,
                      ilex_error_text(ctx));
        ck_assert(s || take_error() == ILEX_E_ARGUMENT);
        ilex_storage_release(s);
    }
}
END_TEST

/* ---- shorthands and initialisers ---- */

START_TEST(likes)
{
    ilex_storage *base = ilex_storage_new(
        ctx,
        &SPEC(.dtype = "i16", .rank = 2, .shape = SHAPE(4, 5), .axes = "IJ",
              .halo = SHAPE(1, 0, 0, 2), .layout = "F", .alignment = 32));
    ilex_storage *s[] = {ilex_storage_empty_like(ctx, base),
                         ilex_storage_zeros_like(ctx, base),
                         ilex_storage_ones_like(ctx, base),
                         ilex_storage_full_like(ctx, base, 7)};
    const int64_t want[] = {-1, 0, 1, 7};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(ilex_storage_dtype(s[i]), ILEX_I16);
        ck_assert_int_eq(ilex_storage_stride(s[i])[1], 16);
        ck_assert_int_eq(ilex_storage_halo(s[i])[3], 2);
        ck_assert_str_eq(ilex_storage_axis_name(s[i], 1), "J");
        ck_assert(i == 0 || at(s[i], 0, 4, 0) == want[i]);
        ilex_storage_release(s[i]);
    }
    ck_assert_ptr_null(ilex_storage_full_like(ctx, base, 0.5));
    ck_assert_int_eq(take_error(), ILEX_E_LITERAL);
    ilex_storage *e = ilex_storage_empty(ctx, ILEX_C64, 0, NULL);
    ck_assert_int_eq(ilex_storage_count(e), 1);
    ilex_storage_release(e);
    ilex_storage_release(base);
}
END_TEST

static void
sum_of_index(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(int64_t *)element = 100 * index[0] + 10 * index[1] + index[2];
}

/* With threads the same elements, each once. */
START_TEST(parallel_initializer)
{
    ck_assert_int_eq(ilex_option_set(ctx, "threads", "4"), ILEX_OK);
    for (int i = 0; i < 20; i++) {
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.dtype = "i64", .rank = 3, .shape = SHAPE(9, 8, 7),
                       .layout = i % 2 ? "C" : "F", .alignment = 64,
                       .initialize = sum_of_index));
        for (int64_t j = 0; j < 8; j++)
            ck_assert_int_eq(at(s, 8 - j, j, j % 7),
                             100 * (8 - j) + 10 * j + j % 7);
        ilex_storage_release(s);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_preset");
    TCase *tests = tcase_create("presets");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, preset_layouts_by_axes);
    tcase_add_test(tests, preset_layouts_by_rank);
    tcase_add_test(tests, selectors_renumber);
    tcase_add_test(tests, masked);
    tcase_add_test(tests, preset_values);
    tcase_add_test(tests, sources);
    tcase_add_test(tests, missing_axes_have_a_place);
    tcase_add_test(tests, canonical_length);
    tcase_add_test(tests, fixed_lengths);
    tcase_add_test(tests, misuse);
    tcase_add_test(tests, wrapped_layouts);
    tcase_add_test(tests, likes);
    tcase_add_test(tests, parallel_initializer);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
