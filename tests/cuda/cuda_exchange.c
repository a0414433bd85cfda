/* SPDX-License-Identifier: MIT
 *
 * Exchange of a CUDA device's memory: CUDA array interface and DLPack, out and
 * in again, without a copy.
 */
#include "tests/cuda/cuda_test.h"

#include "ilex/dlpack.h"

static int released;

static void
release(void *user, void *data)
{
    ilex_storage_release(user);
    (void)data;
    released++;
}

/* A storage of 3 x 4 elements in "space", element (i, j) is 10 i + j. */
static void
ten(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(double *)element = (double)(10 * index[0] + index[1]);
}

static ilex_storage *
table(const char *space, const char *device)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 2, .shape = SHAPE(3, 4), .space = space,
                   .device = device, .initialize = ten));
    ck_assert_msg(s != NULL, "%s: %s", space, ilex_error_text(ctx));
    return s;
}

/* "t" is the table upside down. */
static void
check_reversed(ilex_storage *t)
{
    double x = 0;
    ilex_storage *host = ilex_storage_to(ctx, t, "cpu");
    ck_assert_msg(host != NULL, "%s", ilex_error_text(ctx));
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 4; j++) {
            ck_assert_int_eq(ilex_storage_get_f64(host, SHAPE(i, j), &x), 0);
            ck_assert(x == (double)(10 * (2 - i) + j));
        }
    ilex_storage_release(host);
}

/* ---- CUDA array interface ---- */

START_TEST(array_interface)
{
    static const char *const spaces[] = {"device", "unified", "normal"};
    for (size_t i = 0; i < IX_COUNT(spaces); i++) {
        ilex_array_interface a = {.size = sizeof a}, b = {.size = sizeof b};
        char text[400];
        ilex_storage *s = table(spaces[i], i == 2 ? "gpu" : NULL);
        ilex_storage *v = ilex_storage_slice(ctx, s, 0, 2, -1, -1);
        ck_assert_int_eq(ilex_array_interface_get(ctx, v, ILEX_ARRAY_CUDA, &a),
                         ILEX_OK);
        ck_assert_ptr_eq(a.data, ilex_storage_device(ctx, v, ILEX_READ));
        ck_assert_int_eq(a.strides[0], -32);
        ck_assert_uint_gt(ilex_array_interface_print(&a, text, sizeof text), 0);
        ck_assert_int_eq(
            ilex_array_interface_parse(ctx, text, ILEX_ARRAY_CUDA, &b),
            ILEX_OK);
        ck_assert_ptr_eq(b.data, a.data);
        b.stream = 1; /* the default stream: the device is waited for */
        released = 0;
        ilex_storage *t =
            ilex_array_interface_import(ctx, &b, NULL, release, v);
        ck_assert_msg(t != NULL, "%s", ilex_error_text(ctx));
        ilex_storage_release(s);
        ck_assert_int_eq(ilex_storage_device_index(t), 0);
        ck_assert_int_eq(ilex_storage_on_host(t), i == 1);
        ck_assert_ptr_eq(ilex_storage_device(ctx, t, ILEX_READ), a.data);
        check_reversed(t);
        ck_assert_int_eq(released, 0);
        ilex_storage_release(t);
        ck_assert_int_eq(released, 1);
    }
}
END_TEST

/* Memory that the driver does not know as a device's. */
START_TEST(array_interface_refused)
{
    static double host[6];
    ilex_storage *pinned = table("pinned", NULL);
    void *const wrong[] = {host, ilex_storage_data(pinned)};
    for (int i = 0; i < 2; i++) {
        ilex_array_interface a = {.size = sizeof a,
                                  .kind = ILEX_ARRAY_CUDA,
                                  .dtype = ILEX_F64,
                                  .rank = 1,
                                  .shape = {6},
                                  .data = wrong[i]};
        released = 0;
        ck_assert_ptr_null(
            ilex_array_interface_import(ctx, &a, NULL, release, NULL));
        ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
        ck_assert_int_eq(released, 1);
    }
    ilex_storage_release(pinned);
}
END_TEST

/* ---- DLPack ---- */

START_TEST(dlpack_devices)
{
    static const struct {
        const char *space, *device;
        unsigned flags;
        int type;
    } rows[] = {
        {"device", NULL, 0, kDLCUDA},
        {"normal", "gpu", ILEX_EXPORT_DEVICE, kDLCUDA},
        {"normal", "gpu", 0, kDLCPU},
        {"pinned", NULL, 0, kDLCUDAHost},
        {"unified", NULL, 0, kDLCUDAManaged},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = table(rows[i].space, rows[i].device);
        int type = -1, number = -1;
        ilex_dlpack_device(s, rows[i].flags, &type, &number);
        ck_assert_int_eq(type, rows[i].type);
        ck_assert_int_eq(number, 0);
        ilex_storage_release(s);
    }
}
END_TEST

/* Out to the device's side and in again, by both structs. */
START_TEST(dlpack_round_trip)
{
    static const char *const spaces[] = {"device", "unified", "normal",
                                         "pinned"};
    for (int i = 0; i < 8; i++) {
        bool legacy = i & 1, there = i / 2 < 3;
        unsigned flags = there ? ILEX_EXPORT_DEVICE : 0;
        ilex_storage *s = table(spaces[i / 2], i / 2 == 2 ? "gpu" : NULL);
        ilex_storage *v = ilex_storage_slice(ctx, s, 0, 2, -1, -1);
        ilex_storage *t =
            legacy ? ilex_dlpack_import_legacy(
                         ctx, ilex_dlpack_export_legacy(ctx, v, flags), NULL)
                   : ilex_dlpack_import(ctx, ilex_dlpack_export(ctx, v, flags),
                                        NULL);
        ck_assert_msg(t != NULL, "%s", ilex_error_text(ctx));
        if (there)
            ck_assert_ptr_eq(ilex_storage_device(ctx, t, ILEX_READ),
                             ilex_storage_device(ctx, v, ILEX_READ));
        ck_assert_int_eq(ilex_storage_stride(t)[0], -4);
        ilex_storage_release(s);
        ilex_storage_release(v);
        check_reversed(t);
        ilex_storage_release(t);
    }
}
END_TEST

static int deleted;

static void
count_deletions(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

START_TEST(dlpack_refused)
{
    static double host[6];
    DLManagedTensorVersioned t = {.version = {1, 0},
                                  .deleter = count_deletions,
                                  .dl_tensor = {.data = host,
                                                .device = {kDLCUDA, 0},
                                                .ndim = 1,
                                                .dtype = {kDLFloat, 64, 1},
                                                .shape = SHAPE(6)}};
    deleted = 0;
    ck_assert_ptr_null(ilex_dlpack_import(ctx, &t, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    t.dl_tensor.device.device_id = 1000;
    ck_assert_ptr_null(ilex_dlpack_import(ctx, &t, NULL));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_int_eq(deleted, 2);
}
END_TEST

TCase *
cuda_exchange_cases(void)
{
    TCase *cases = tcase_create("exchange");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, array_interface);
    tcase_add_test(cases, array_interface_refused);
    tcase_add_test(cases, dlpack_devices);
    tcase_add_test(cases, dlpack_round_trip);
    tcase_add_test(cases, dlpack_refused);
    return cases;
}
