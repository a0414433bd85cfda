/* SPDX-License-Identifier: MIT
 *
 * Storages on a device: spaces, presets, buffers of the caller on either side,
 * memory of the device only, and where to compute. The device is a fake one.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

#include <unistd.h>

/* ---- spaces ---- */

START_TEST(without_a_device)
{
    ix_driver_replace(NULL);
    if (ix_cuda_driver(NULL))
        return;
    const char *const devices[] = {"gpu", "cuda:0"};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_ptr_null(ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device = devices[i])));
        ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "CUDA driver"));
        ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    }
    const char *const names[] = {"pinned", "unified", "device"};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_ptr_null(ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = names[i])));
        ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    }
    ck_assert_ptr_null(ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .preset = "gpu")));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ix_driver_replace(&fake_driver);
}
END_TEST

/* Nobody gets pinned or huge pages who did not ask for them. */
START_TEST(usual_spaces)
{
    const char *const rows[][3] = {
        {NULL, NULL, "normal"},    {"cpu", NULL, "normal"},
        {"gpu", NULL, "normal"},   {"gpu", "software", "normal"},
        {"gpu", "none", "device"}, {"gpu", "unified", "unified"}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 2, .shape = SHAPE(1000, 1000),
                       .device = rows[i][0], .managed = rows[i][1]));
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_str_eq(ilex_storage_space(s), rows[i][2]);
        ck_assert_str_eq(ilex_storage_source(s, "space"), "default");
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(spaces)
{
    const struct {
        const char *space, *device, *managed;
        int on_host, on_device;
        ilex_sync sync;
    } rows[] = {{"normal", NULL, "none", 1, 0, ILEX_SYNC_NONE},
                {"hugepage", NULL, "none", 1, 0, ILEX_SYNC_NONE},
                {"pinned", NULL, "none", 1, 0, ILEX_SYNC_NONE},
                {"unified", NULL, "unified", 1, 1, ILEX_SYNC_NONE},
                {"device", NULL, "none", 0, 1, ILEX_SYNC_NONE},
                {"normal", "gpu", "software", 1, 1, ILEX_SYNC_CLEAN},
                {"pinned", "cuda:1", "software", 1, 1, ILEX_SYNC_CLEAN}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(
            ctx,
            &SPEC(.rank = 2, .shape = SHAPE(300, 1000), .space = rows[i].space,
                  .device = rows[i].device, .alignment = 256));
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_str_eq(ilex_storage_space(s), rows[i].space);
        ck_assert_str_eq(ilex_storage_managed(s), rows[i].managed);
        ck_assert_int_eq(ilex_storage_on_host(s), rows[i].on_host);
        ck_assert_int_eq(ilex_storage_on_device(s), rows[i].on_device);
        ck_assert_int_eq(ilex_storage_sync(s), rows[i].sync);
        if (rows[i].on_device) {
            void *p = ilex_storage_device(ctx, s, ILEX_READ);
            ck_assert_uint_eq((uintptr_t)p % 256, 0);
        }
        ilex_storage *copy = ilex_storage_copy(ctx, s);
        ck_assert_str_eq(ilex_storage_space(copy), rows[i].space);
        ck_assert_str_eq(ilex_storage_managed(copy), rows[i].managed);
        ilex_storage_release(copy);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(device_presets)
{
    const struct {
        const char *preset, *axes;
        int want[3];
        size_t alignment;
    } rows[] = {{"gtcuda", "IJK", {2, 1, 0}, 128},
                {"gtcuda", "KJI", {0, 1, 2}, 128},
                {"gpu", NULL, {2, 1, 0}, 128},
                {"gt:gpu", "IJK", {2, 1, 0}, 32},
                {"dace:gpu", "IJK", {2, 1, 0}, 0},
                {"dace:gpu_IJK", "IJK", {0, 1, 2}, 0}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 3, .shape = SHAPE(5, 6, 7), .axes = rows[i].axes,
                       .preset = rows[i].preset));
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(ilex_storage_layout(s, k), rows[i].want[k]);
        ck_assert_uint_eq(ilex_storage_alignment(s), rows[i].alignment);
        ck_assert_str_eq(ilex_storage_managed(s), "software");
        ck_assert_str_eq(ilex_storage_source(s, "device"), "preset");
        uintptr_t p = (uintptr_t)ilex_storage_device(ctx, s, ILEX_READ);
        ck_assert(!rows[i].alignment || p % rows[i].alignment == 0);
        ilex_storage_release(s);
    }
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(5),
                                    .preset = "gpu", .managed = "none"));
    ck_assert_str_eq(ilex_storage_space(s), "device");
    ilex_storage_release(s);
}
END_TEST

START_TEST(contradictions)
{
    static double a[4];
    double one = 1;
    const struct {
        ilex_storage_spec spec;
        ilex_status code;
    } rows[] = {
        {SPEC(.device = "gpu7"), ILEX_E_UNKNOWN},
        {SPEC(.device = "cuda:"), ILEX_E_UNKNOWN},
        {SPEC(.device = "cuda:1x"), ILEX_E_UNKNOWN},
        {SPEC(.device = "cuda:2"), ILEX_E_DEVICE},
        {SPEC(.device = "gpu", .managed = "magic"), ILEX_E_UNKNOWN},
        {SPEC(.space = "moon"), ILEX_E_UNKNOWN},
        {SPEC(.device = "cpu", .space = "device"), ILEX_E_ARGUMENT},
        {SPEC(.device = "cpu", .space = "unified"), ILEX_E_ARGUMENT},
        {SPEC(.device = "gpu", .managed = "unified", .space = "pinned"),
         ILEX_E_ARGUMENT},
        {SPEC(.device = "gpu", .managed = "none", .space = "normal"),
         ILEX_E_ARGUMENT},
        {SPEC(.device = "gpu", .managed = "none", .data = a), ILEX_E_ARGUMENT},
        {SPEC(.device = "cpu", .device_data = a), ILEX_E_ARGUMENT},
        {SPEC(.device = "gpu", .data = a, .device_data = a), ILEX_E_ARGUMENT},
        {SPEC(.device = "gpu", .data = a, .sync = ILEX_SYNC_DEVICE_DIRTY),
         ILEX_E_ARGUMENT},
        {SPEC(.sync = ILEX_SYNC_CLEAN), ILEX_E_ARGUMENT},
        {SPEC(.sync = (ilex_sync)9, .data = a), ILEX_E_ARGUMENT},
        {SPEC(.flags = ILEX_STORAGE_CONST), ILEX_E_ARGUMENT},
        {SPEC(.data = a, .device_data = a, .flags = ILEX_STORAGE_COPY),
         ILEX_E_ARGUMENT},
        {SPEC(.device_data = a, .fill = &one), ILEX_E_ARGUMENT},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage_spec p = rows[i].spec;
        p.rank = 1;
        p.shape = SHAPE(4);
        ck_assert_msg(ilex_storage_new(ctx, &p) == NULL, "row %zu", i);
        ck_assert_msg(ilex_error_code(ctx) == rows[i].code, "row %zu: %s", i,
                      ilex_error_text(ctx));
        take_error();
    }
}
END_TEST

/* ---- buffers of the caller ---- */

static void
count_release(void *user, void *data)
{
    (void)data;
    ++*(int *)user;
}

START_TEST(wrap_both)
{
    double host[6] = {0, 1, 2, 3, 4, 5};
    void *device = NULL;
    int released = 0;
    ck_assert_int_eq(
        fake_allocate(IX_SPACE_DEVICE, 1, sizeof host, &device, NULL), ILEX_OK);
    ilex_storage_spec p =
        SPEC(.rank = 1, .shape = SHAPE(6), .data = host, .device_data = device,
             .sync = ILEX_SYNC_HOST_DIRTY, .release = count_release,
             .release_user = &released, .device_release = count_release,
             .device_release_user = &released);
    ilex_storage *s = ilex_storage_new(ctx, &p);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_storage_managed(s), "software");
    ck_assert_int_eq(ilex_storage_device_index(s), 1);
    ck_assert(device_get(s, 4) == 4);
    device_set(s, 4, 9);
    ck_assert(get(s, 4) == 9 && host[4] == 9);

    ilex_storage *part = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(2), .data = host + 3,
                   .device_data = (double *)device + 3, .sync_with = s));
    ck_assert_msg(part != NULL, "%s", ilex_error_text(ctx));
    device_set(s, 4, 7);
    ck_assert_int_eq(ilex_storage_sync(part), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(get(part, 1) == 7);
    ck_assert_ptr_null(
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                    .data = host + 3, .sync_with = s)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_ptr_null(ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(2), .data = host + 3,
                   .device_data = device, .sync_with = s)));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage_release(s);
    ck_assert_int_eq(released, 0);
    ilex_storage_release(part);
    ck_assert_int_eq(released, 2);

    p.data = device;
    ck_assert_ptr_null(ilex_storage_new(ctx, &p));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "device_data"));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ck_assert_int_eq(released, 4);
    fake_free(IX_SPACE_DEVICE, 1, device);
}
END_TEST

/* One buffer is given, Ilex adds the other. */
START_TEST(wrap_one)
{
    double host[4] = {1, 2, 3, 4};
    void *device = NULL;
    ck_assert_int_eq(
        fake_allocate(IX_SPACE_DEVICE, 0, sizeof host, &device, NULL), ILEX_OK);
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(2), .data = host + 3,
                   .strides = SHAPE(-2), .device = "gpu"));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert(device_get(s, 0) == 4 && device_get(s, -2) == 2);
    ilex_storage *d = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device_data = device));
    ck_assert_str_eq(ilex_storage_space(d), "device");
    ck_assert_str_eq(ilex_storage_source(d, "device"), "data");
    ck_assert_int_eq(ilex_storage_fill(ctx, d, 6), ILEX_OK);
    ck_assert(device_get(d, 2) == 6);
    ilex_storage *both = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device_data = device,
                   .managed = "software"));
    ck_assert_int_eq(ilex_storage_sync(both), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(get(both, 1) == 6);
    ilex_storage *c = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device_data = device,
                   .device = "gpu", .flags = ILEX_STORAGE_COPY));
    ck_assert_msg(c != NULL, "%s", ilex_error_text(ctx));
    ilex_storage_fill(ctx, d, 8);
    ck_assert(device_get(c, 3) == 6 && device_get(d, 3) == 8);
    ilex_storage *all[] = {s, d, both, c};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
    fake_free(IX_SPACE_DEVICE, 0, device);
}
END_TEST

/* ---- memory of the device only ---- */

/* A getter for each side; neither gives the other side's address. */
START_TEST(getters_name_a_side)
{
    const struct {
        const char *device, *managed;
        bool host, on_device;
    } rows[] = {{NULL, NULL, true, false},
                {"gpu", "none", false, true},
                {"gpu", "software", true, true},
                {"gpu", "unified", true, true}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_view view[2];
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device = rows[i].device,
                       .managed = rows[i].managed));
        void *host = ilex_storage_host(ctx, s, ILEX_READ);
        ck_assert_int_eq(take_error(), host ? ILEX_OK : ILEX_E_DEVICE);
        void *device = ilex_storage_device(ctx, s, ILEX_READ);
        ck_assert_int_eq(take_error(), device ? ILEX_OK : ILEX_E_DEVICE);
        ck_assert(!host == !rows[i].host && !device == !rows[i].on_device);
        ck_assert_int_eq(host == device, i == 3);
        ck_assert_int_eq(ilex_storage_host_view(ctx, s, ILEX_READ, &view[0]),
                         host ? ILEX_OK : ILEX_E_DEVICE);
        take_error();
        ck_assert_int_eq(ilex_storage_device_view(ctx, s, ILEX_READ, &view[1]),
                         device ? ILEX_OK : ILEX_E_DEVICE);
        take_error();
        ck_assert(view[0].data == host && view[1].data == device);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(device_only)
{
    double three = 3, v;
    char text[200];
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                    .space = "device", .fill = &three));
    ck_assert_int_eq(fake.fills, 1);
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(0), &v), ILEX_E_DEVICE);
    ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(0), 1), ILEX_E_DEVICE);
    ck_assert_ptr_null(ilex_storage_at(s, SHAPE(0)));
    ck_assert_ptr_null(ilex_storage_data(s));
    ck_assert_ptr_null(ilex_storage_host(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ilex_storage *v1 = ilex_storage_slice(ctx, s, 0, 3, 0, -2);
    ck_assert_int_eq(ilex_storage_fill(ctx, v1, 5), ILEX_OK);
    ck_assert_uint_gt(ilex_storage_print(s, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "[3.0 5.0 3.0 5.0]"));
    ilex_storage *copy = ilex_storage_copy(ctx, s);
    ck_assert_int_eq(fake.copies[IX_DEVICE_TO_DEVICE], 1);
    ck_assert(device_get(copy, 1) == 5);
    ilex_storage *host = ilex_storage_to(ctx, copy, "cpu");
    ck_assert(get(host, 1) == 5 && get(host, 0) == 3);
    ck_assert_int_eq(ilex_storage_on_device(host), 0);
    ilex_storage *back = ilex_storage_to(ctx, host, "cuda:1");
    ck_assert_int_eq(ilex_storage_device_index(back), 1);
    ck_assert(device_get(back, 3) == 5);
    ilex_storage *same = ilex_storage_to(ctx, back, "gpu");
    ck_assert_ptr_eq(same, back);
    char path[] = "/tmp/ilex-device-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(ilex_npy_write(ctx, path, s), ILEX_OK);
    ilex_storage *read = ilex_npy_read(ctx, path);
    ck_assert(get(read, 1) == 5);
    unlink(path);
    ilex_storage *all[] = {s, v1, copy, host, back, same, read};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* An initialiser writes a device's memory through the host. */
static void
index_squared(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(double *)element = (double)(index[0] * index[0]);
}

START_TEST(device_initialized)
{
    ilex_storage *s = ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(5),
                                                  .space = "device",
                                                  .initialize = index_squared));
    ck_assert(device_get(s, 4) == 16);
    ck_assert_int_eq(fake.copies[IX_DEVICE_TO_HOST], 0);
    double a[3] = {1, 2, 3};
    ilex_storage *c = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(3), .space = "device", .data = a,
                   .flags = ILEX_STORAGE_COPY | ILEX_STORAGE_CONST));
    ck_assert_msg(c != NULL, "%s", ilex_error_text(ctx));
    ck_assert(device_get(c, 2) == 3);
    ilex_storage_release(c);
    ilex_storage_release(s);
}
END_TEST

/* ---- where to compute ---- */

START_TEST(mixing)
{
    ilex_storage *s[5] = {
        ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(4)),
        ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "device")),
        ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "unified")),
        ilex_storage_new(ctx,
                         &SPEC(.rank = 1, .shape = SHAPE(4), .device = "gpu")),
        pair(4, 1), /* newer on the host */
    };
    enum { HOST, GPU, UNIFIED, CLEAN, DIRTY, NONE = -1 };
    const struct {
        int a, b, want; /* 0 host, 1 device, -1 error */
    } rows[] = {
        {HOST, HOST, 0},     {GPU, GPU, 1},       {HOST, GPU, NONE},
        {GPU, HOST, NONE},   {UNIFIED, GPU, 1},   {UNIFIED, UNIFIED, 1},
        {UNIFIED, HOST, 0},  {HOST, UNIFIED, 0},  {CLEAN, HOST, 1},
        {HOST, CLEAN, 1},    {DIRTY, HOST, 0},    {DIRTY, DIRTY, 0},
        {DIRTY, CLEAN, 1},   {DIRTY, GPU, 1},     {DIRTY, UNIFIED, 1},
        {UNIFIED, DIRTY, 1}, {CLEAN, UNIFIED, 1},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        const ilex_storage *operands[] = {s[rows[i].a], s[rows[i].b]};
        int device = -1;
        ilex_status rc = ilex_storage_compute_device(ctx, 2, operands, &device);
        ck_assert_msg(device == rows[i].want, "row %zu: %d", i, device);
        ck_assert_int_eq(rc, rows[i].want < 0 ? ILEX_E_DEVICE : ILEX_OK);
        take_error();
    }
    for (int i = 0; i < 5; i++)
        ilex_storage_release(s[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_device");
    TCase *tests = tcase_create("device");
    tcase_add_checked_fixture(tests, open_device, close_device);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, without_a_device);
    tcase_add_test(tests, spaces);
    tcase_add_test(tests, usual_spaces);
    tcase_add_test(tests, device_presets);
    tcase_add_test(tests, contradictions);
    tcase_add_test(tests, wrap_both);
    tcase_add_test(tests, wrap_one);
    tcase_add_test(tests, device_only);
    tcase_add_test(tests, getters_name_a_side);
    tcase_add_test(tests, device_initialized);
    tcase_add_test(tests, mixing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
