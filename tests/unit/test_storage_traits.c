/* SPDX-License-Identifier: MIT
 *
 * Memory of users: storages of a registered device, what its functions are
 * asked for, and traits that are refused.
 */
#include "tests/suite.h"
#include "tests/unit/traits_fixture.h"

START_TEST(traits_in_two_spaces)
{
    register_once();
    double three = 3;
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 2, .shape = SHAPE(5, 6),
                                    .preset = "my_device", .fill = &three));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_storage_managed(s), "software");
    ck_assert_int_eq(ilex_storage_device_index(s), -1);
    ck_assert_int_eq(ilex_storage_on_device(s), 1);
    char text[200];
    ilex_storage_print(s, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, " on my_device"));
    int device = 1;
    ck_assert_int_eq(ilex_storage_compute_device(
                         ctx, 1, (const ilex_storage *[]){s}, &device),
                     ILEX_OK);
    ck_assert_int_eq(device, 0);
    updates = 0;
    double *p = ilex_storage_device(ctx, s, ILEX_READ_WRITE), v;
    ck_assert_uint_eq((uintptr_t)p % 128, 0);
    ck_assert(p && p[0] == 3 && updates == 1);
    p[2] = 9;
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(2, 0), &v), ILEX_OK);
    ck_assert(v == 9 && updates == 2);
    ilex_storage *copy = ilex_storage_copy(ctx, s);
    ck_assert_msg(copy != NULL, "%s", ilex_error_text(ctx));
    p = ilex_storage_device(ctx, copy, ILEX_READ);
    ck_assert(p && p[2] == 9 && updates == 3);
    ilex_storage_release(copy);
    ck_assert_ptr_null(
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(5),
                                    .preset = "my_device", .managed = "none")));
    ck_assert_int_eq(take_error(), ILEX_E_ARGUMENT);
    ilex_storage_release(s);
}
END_TEST

/* The device changes the view that is handed out, not the host's. */
START_TEST(traits_change_views)
{
    register_once();
    ilex_view host, device;
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 4), .preset = "my_device",
                   .fill = &(double){1}));
    ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(2, 1), 7), ILEX_OK);
    ck_assert_int_eq(ilex_storage_device_view(ctx, s, ILEX_READ, &device),
                     ILEX_OK);
    ck_assert_int_eq(ilex_storage_host_view(ctx, s, ILEX_READ, &host), ILEX_OK);
    ck_assert(host.stride[0] == 1 && device.stride[0] == -1);
    ck_assert(device.stride[1] == -host.stride[1] && host.stride[1] > 0);
    const double *p = device.data;
    ck_assert(p[ilex_view_offset(&device, SHAPE(0, 2))] == 7);
    ck_assert(p[ilex_view_offset(&device, SHAPE(2, 1))] == 1);
    ilex_storage_release(s);
}
END_TEST

/* A device that does not copy: an error, no values. */
START_TEST(traits_fail)
{
    register_once();
    ilex_storage *s = ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(3),
                                                  .preset = "my_device",
                                                  .fill = &(double){1}));
    out_of_order = true;
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "my_device"));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    out_of_order = false;
    const double *p = ilex_storage_device(ctx, s, ILEX_READ);
    ck_assert(p && p[2] == 1);
    ilex_storage_release(s);
}
END_TEST

/* Complete traits with one thing changed. */
START_TEST(traits_incomplete)
{
    for (int i = 0; i < 8; i++) {
        ilex_storage_traits t = mine;
        t.name = "complete";
        t.same_space = i == 6;
        t.version += i == 0;
        t.size -= i == 1;
        t.allocate = i == 2 ? NULL : t.allocate;
        t.free = i == 3 ? NULL : t.free;
        t.update_target = i == 4 || i == 6 ? NULL : t.update_target;
        t.update_host = i == 5 || i == 6 ? NULL : t.update_host;
        t.name = i == 6 ? "one_space" : t.name;
        ilex_status rc = ilex_preset_register(ctx, &t);
        ck_assert_int_eq(rc, i < 6 ? ILEX_E_ARGUMENT : ILEX_OK);
        take_error();
    }
}
END_TEST

START_TEST(traits_refused)
{
    const struct {
        ilex_storage_traits traits;
        ilex_status code;
    } rows[] = {
        {{.size = 0}, ILEX_E_ARGUMENT},
        {{.size = sizeof mine, .version = 2, .name = "x"}, ILEX_E_ARGUMENT},
        {{.size = sizeof mine, .version = 1, .name = "a b"}, ILEX_E_NAME},
        {{.size = sizeof mine, .version = 1}, ILEX_E_NAME},
        {{.size = sizeof mine, .version = 1, .name = "x"}, ILEX_E_ARGUMENT},
        {{.size = sizeof mine,
          .version = 1,
          .name = "x",
          .allocate = preset_allocate,
          .free = preset_free},
         ILEX_E_ARGUMENT},
        {{.size = sizeof mine,
          .version = 1,
          .name = "x",
          .same_space = 1,
          .alignment = (size_t)1 << 31,
          .allocate = preset_allocate,
          .free = preset_free},
         ILEX_E_ALIGNMENT},
        {{.size = sizeof mine,
          .version = 1,
          .name = "gpu",
          .same_space = 1,
          .allocate = preset_allocate,
          .free = preset_free},
         ILEX_E_DUPLICATE},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ck_assert_int_eq(ilex_preset_register(ctx, &rows[i].traits),
                         rows[i].code);
        take_error();
    }
    ck_assert_int_eq(ilex_preset_register(ctx, NULL), ILEX_E_ARGUMENT);
    take_error();
}
END_TEST

/* ---- kinds, ids, fixed lengths ---- */

int
main(void)
{
    Suite *suite = suite_create("storage_traits");
    TCase *tests = tcase_create("storage_traits");
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, traits_in_two_spaces);
    tcase_add_test(tests, traits_change_views);
    tcase_add_test(tests, traits_fail);
    tcase_add_test(tests, traits_incomplete);
    tcase_add_test(tests, traits_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
