/* SPDX-License-Identifier: MIT
 *
 * Pictures: size, orientation, colours and range, read back with libpng; the
 * colour maps; what is refused; failing memory and files.
 */
#define _GNU_SOURCE /* mkdtemp */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include <math.h>
#include <unistd.h>

#include "runtime/files/formats.h"

static char directory[64], path[96];

static void
open_directory(void)
{
    open_context();
    strcpy(directory, "/tmp/ilex-png-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.png", directory);
}

static void
close_directory(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(directory), 0);
    close_context();
}

/* ---- colour maps ---- */

/* Relative luminance of a colour, the part of it that a grey copy keeps. */
static double
luminance(const unsigned char rgb[3])
{
    const double weight[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weight[i] * pow(rgb[i] / 255.0, 2.2);
    return sum;
}

START_TEST(maps_rise)
{
    static const char *const names[] = {NULL, "grey", "uniform"};
    unsigned char rgb[IX_PNG_COLOURS][3];
    for (size_t m = 0; m < IX_COUNT(names); m++) {
        ck_assert_int_eq(ix_png_map(names[m], rgb, NULL), ILEX_OK);
        ck_assert_int_eq(memcmp(rgb[0], "\xff\0\xff", 3), 0);
        for (int i = 2; i < IX_PNG_COLOURS; i++)
            ck_assert_msg(luminance(rgb[i]) >= luminance(rgb[i - 1]) - 2e-3,
                          "map %zu, colour %d", m, i);
        ck_assert(luminance(rgb[1]) < 0.02 && luminance(rgb[255]) > 0.7);
    }
    ck_assert_int_eq(ix_png_map("rainbow", rgb, NULL), ILEX_E_UNKNOWN);
}
END_TEST

#ifdef HAVE_LIBPNG

#include <png.h>

typedef struct pixels {
    unsigned width, height;
    unsigned char rgb[64 * 64 * 3];
} pixels;

static void
read_picture(pixels *p)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    p->width = image.width;
    p->height = image.height;
    ck_assert_uint_le(PNG_IMAGE_SIZE(image), sizeof p->rgb);
    ck_assert(png_image_finish_read(&image, NULL, p->rgb, 0, NULL));
}

static const unsigned char *
pixel(const pixels *p, unsigned x, unsigned y)
{
    return p->rgb + 3 * (y * p->width + x);
}

/* Grey of element (r, c) of {{0, 1, 2}, {3, 4, 5}} drawn from 0 to 5. */
static int
grey_of(int r, int c)
{
    return 51 * (3 * r + c);
}

START_TEST(orientation)
{
    pixels p;
    ilex_storage *s = counting(2, SHAPE(2, 3));
    for (int bits = 0; bits < 8; bits++) {
        bool transpose = bits & 1, fx = bits >> 1 & 1, fy = bits >> 2;
        ilex_png_spec spec = {.size = sizeof spec,
                              .scale = 4,
                              .transpose = transpose,
                              .flip_x = fx,
                              .flip_y = fy};
        ck_assert_int_eq(ilex_png_write(ctx, path, s, &spec), ILEX_OK);
        read_picture(&p);
        int w = transpose ? 2 : 3, h = transpose ? 3 : 2;
        ck_assert_int_eq((int)p.width, 4 * w);
        ck_assert_int_eq((int)p.height, 4 * h);
        for (int y = 0; y < 4 * h; y++)
            for (int x = 0; x < 4 * w; x++) {
                int c = fx ? w - 1 - x / 4 : x / 4;
                int r = fy ? h - 1 - y / 4 : y / 4;
                int want = transpose ? grey_of(c, r) : grey_of(r, c);
                int have = *pixel(&p, (unsigned)x, (unsigned)y);
                ck_assert_int_le(abs(have - want), 1);
            }
    }
    ilex_storage_release(s);
}
END_TEST

START_TEST(range_and_specials)
{
    pixels p;
    double a[6] = {NAN, -INFINITY, INFINITY, 1, 2, 3};
    static const unsigned char want[6][3] = {
        {255, 0, 255}, {0, 0, 0},       {255, 255, 255},
        {0, 0, 0},     {128, 128, 128}, {255, 255, 255},
    };
    ilex_storage *s = ilex_storage_from(ctx, ILEX_F64, 2, SHAPE(1, 6), a);
    ck_assert_int_eq(ilex_png_write(ctx, path, s, NULL), ILEX_OK);
    read_picture(&p);
    for (unsigned i = 0; i < 6; i++)
        for (int c = 0; c < 3; c++)
            ck_assert_int_le(abs(pixel(&p, i, 0)[c] - want[i][c]), 1);
    ilex_png_spec spec = {.size = sizeof spec, .low = 3, .high = 2};
    ck_assert_int_eq(ilex_png_write(ctx, path, s, &spec), ILEX_OK);
    read_picture(&p);
    ck_assert_int_eq(*pixel(&p, 1, 0), 255);
    ck_assert_int_eq(*pixel(&p, 2, 0), 0);
    ck_assert_int_eq(*pixel(&p, 3, 0), 255);
    ck_assert_int_eq(*pixel(&p, 5, 0), 0);
    spec.low = -1e308;
    spec.high = 1e308;
    ck_assert_int_eq(ilex_png_write(ctx, path, s, &spec), ILEX_OK);
    read_picture(&p);
    ck_assert_int_le(abs(*pixel(&p, 4, 0) - 127), 1);
    ilex_storage_release(s);
}
END_TEST

START_TEST(flat_and_empty_of_numbers)
{
    pixels p;
    ilex_storage *s = ilex_storage_full(ctx, ILEX_I16, 2, SHAPE(2, 2), -7);
    ck_assert_int_eq(ilex_png_write(ctx, path, s, NULL), ILEX_OK);
    read_picture(&p);
    ck_assert_int_le(abs(*pixel(&p, 1, 1) - 128), 1);
    ilex_storage_release(s);
    s = ilex_storage_full(ctx, ILEX_F32, 2, SHAPE(2, 2), NAN);
    ck_assert_int_eq(ilex_png_write(ctx, path, s, NULL), ILEX_OK);
    ilex_storage_release(s);
}
END_TEST

START_TEST(no_memory)
{
    ilex_storage *s = counting(2, SHAPE(20, 30));
    int n = 0;
    for (;; n++) {
        heap.left = n;
        ilex_status rc = ilex_png_write(ctx, path, s, NULL);
        heap.left = -1;
        take_error();
        if (rc == ILEX_OK)
            break;
        ck_assert(rc == ILEX_E_MEMORY || rc == ILEX_E_FILE);
        ck_assert_int_ne(access(path, F_OK), 0);
    }
    ck_assert_int_gt(n, 3);
    ilex_storage_release(s);
}
END_TEST

#else

START_TEST(unsupported)
{
    ilex_storage *s = counting(2, SHAPE(2, 3));
    ck_assert_int_eq(ilex_png_write(ctx, path, s, NULL), ILEX_E_UNSUPPORTED);
    ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
    ilex_storage_release(s);
}
END_TEST

#endif

START_TEST(refused)
{
    ilex_storage *line = counting(1, SHAPE(4));
    ilex_storage *none = counting(2, SHAPE(4, 0));
    ilex_storage *pairs = ilex_storage_ones(ctx, ILEX_C64, 2, SHAPE(2, 2));
    ilex_storage *good = counting(2, SHAPE(2, 2));
    const struct {
        ilex_storage *s;
        ilex_png_spec spec;
        ilex_status code;
    } rows[] = {
        {line, {.size = sizeof(ilex_png_spec)}, ILEX_E_RANK},
        {none, {.size = sizeof(ilex_png_spec)}, ILEX_E_LIMIT},
        {pairs, {.size = sizeof(ilex_png_spec)}, ILEX_E_DTYPE},
        {good, {.size = 0}, ILEX_E_ARGUMENT},
        {good, {.size = sizeof(ilex_png_spec), .scale = -1}, ILEX_E_ARGUMENT},
        {good, {.size = sizeof(ilex_png_spec), .scale = 40000}, ILEX_E_LIMIT},
        {good, {.size = sizeof(ilex_png_spec), .low = NAN}, ILEX_E_ARGUMENT},
        {good, {.size = sizeof(ilex_png_spec), .map = "x"}, ILEX_E_UNKNOWN},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_status rc = ilex_png_write(ctx, path, rows[i].s, &rows[i].spec);
        ck_assert_msg(rc == rows[i].code, "row %zu: %d", i, rc);
        ck_assert_int_eq(take_error(), rows[i].code);
        ck_assert_int_ne(access(path, F_OK), 0);
    }
    ilex_storage_release(line);
    ilex_storage_release(none);
    ilex_storage_release(pairs);
    ilex_storage_release(good);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("png");
    TCase *tests = tcase_create("pictures");
    tcase_add_checked_fixture(tests, open_directory, close_directory);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, maps_rise);
    tcase_add_test(tests, refused);
#ifdef HAVE_LIBPNG
    tcase_add_test(tests, orientation);
    tcase_add_test(tests, range_and_specials);
    tcase_add_test(tests, flat_and_empty_of_numbers);
    tcase_add_test(tests, no_memory);
#else
    tcase_add_test(tests, unsupported);
#endif
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
