/* SPDX-License-Identifier: MIT
 *
 * Exchange of device memory, with a fake device: which buffer is exported and
 * what that does to the state, imports of device and unified memory. */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

#include "ilex.h"
#include "ilex/dlpack.h"

static int released;

static void
release(void *user, void *data)
{
    (void)data;
    ck_assert_ptr_eq(user, &released);
    released++;
}

/* ---- export ---- */

START_TEST(device_types)
{
    const struct {
        const char *space, *device;
        unsigned flags;
        int type, number;
    } rows[] = {
        {"normal", NULL, 0, kDLCPU, 0},
        {"hugepage", NULL, 0, kDLCPU, 0},
        {"pinned", NULL, 0, kDLCUDAHost, 0},
        {"unified", NULL, 0, kDLCUDAManaged, 0},
        {"unified", NULL, ILEX_EXPORT_DEVICE, kDLCUDAManaged, 0},
        {"device", NULL, 0, kDLCUDA, 0},
        {"device", "cuda:1", ILEX_EXPORT_DEVICE, kDLCUDA, 1},
        {"normal", "cuda:1", 0, kDLCPU, 0},
        {"normal", "cuda:1", ILEX_EXPORT_DEVICE, kDLCUDA, 1},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        const char *managed =
            !strcmp(rows[i].space, "device") && rows[i].device ? "none" : NULL;
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 1, .shape = SHAPE(8), .space = rows[i].space,
                       .device = rows[i].device, .managed = managed));
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        int type = -1, number = -1;
        ilex_dlpack_device(s, rows[i].flags, &type, &number);
        ck_assert_int_eq(type, rows[i].type);
        ck_assert_int_eq(number, rows[i].number);
        DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, rows[i].flags);
        ck_assert_msg(t != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_int_eq(t->dl_tensor.device.device_type, type);
        ck_assert_int_eq(t->dl_tensor.device.device_id, number);
        bool device = rows[i].type == kDLCUDA;
        ck_assert_ptr_eq(t->dl_tensor.data,
                         device ? ilex_storage_device(ctx, s, ILEX_READ)
                                : ilex_storage_host(ctx, s, ILEX_READ));
        t->deleter(t);
        ilex_storage_release(s);
    }
}
END_TEST

/* Exports bring their side up to date; those for writing age the other. */
START_TEST(states)
{
    const struct {
        unsigned flags;
        ilex_sync before, after;
        int copies;
    } rows[] = {
        {0, ILEX_SYNC_CLEAN, ILEX_SYNC_HOST_DIRTY, 0},
        {ILEX_STORAGE_READONLY, ILEX_SYNC_CLEAN, ILEX_SYNC_CLEAN, 0},
        {ILEX_STORAGE_READONLY, ILEX_SYNC_DEVICE_DIRTY, ILEX_SYNC_CLEAN, 1},
        {0, ILEX_SYNC_DEVICE_DIRTY, ILEX_SYNC_HOST_DIRTY, 1},
        {ILEX_EXPORT_DEVICE, ILEX_SYNC_CLEAN, ILEX_SYNC_DEVICE_DIRTY, 0},
        {ILEX_EXPORT_DEVICE, ILEX_SYNC_HOST_DIRTY, ILEX_SYNC_DEVICE_DIRTY, 1},
        {ILEX_EXPORT_DEVICE | ILEX_STORAGE_READONLY, ILEX_SYNC_HOST_DIRTY,
         ILEX_SYNC_CLEAN, 1},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = pair(5, 1.5);
        ilex_storage_set_synchronized(ctx, s);
        if (rows[i].before == ILEX_SYNC_HOST_DIRTY)
            ilex_storage_set_f64(s, SHAPE(2), 7);
        if (rows[i].before == ILEX_SYNC_DEVICE_DIRTY)
            device_set(s, 2, 7);
        ck_assert_int_eq(ilex_storage_sync(s), rows[i].before);
        ilex_transfers was = ilex_storage_transfers(s);
        int waits = fake.waits;
        bool device = rows[i].flags & ILEX_EXPORT_DEVICE;
        DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, rows[i].flags);
        ck_assert_msg(t != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        ilex_transfers now = ilex_storage_transfers(s);
        ck_assert_int_eq(ilex_storage_sync(s), rows[i].after);
        ck_assert_int_eq(now.to_host + now.to_device - was.to_host -
                             was.to_device,
                         rows[i].copies);
        ck_assert_int_eq(fake.waits > waits, device);
        t->deleter(t);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(interfaces)
{
    ilex_array_interface a = {.size = sizeof a};
    char text[300];
    ilex_storage *s = pair(5, 1.5);
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_CUDA, &a),
                     ILEX_OK);
    ck_assert_ptr_eq(a.data, ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert_uint_eq(a.stream, 0);
    ilex_array_interface_print(&a, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "'stream': None"));
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_HOST, &a),
                     ILEX_OK);
    ck_assert_ptr_eq(a.data, ilex_storage_host(ctx, s, ILEX_READ));
    ck_assert_int_eq(ilex_storage_transfers(s).to_host, 1);
    ilex_storage_release(s);

    s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "device"));
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_HOST, &a),
                     ILEX_E_DEVICE);
    take_error();
    ck_assert_ptr_null(ilex_array_struct_export(ctx, s));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ilex_storage_release(s);

    s = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(4));
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_CUDA, &a),
                     ILEX_E_DEVICE);
    take_error();
    ck_assert_ptr_null(ilex_dlpack_export(ctx, s, ILEX_EXPORT_DEVICE));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ilex_storage_release(s);
}
END_TEST

static int
update_target(void *user, void *target, const void *host, size_t bytes)
{
    (void)user;
    memcpy(target, host, bytes);
    return 0;
}

static int
update_host(void *user, void *host, const void *target, size_t bytes)
{
    (void)user;
    memcpy(host, target, bytes);
    return 0;
}

/* Nobody else knows what memory of a user's preset is. */
START_TEST(memory_of_presets)
{
    ilex_storage_traits traits = {.size = sizeof traits,
                                  .version = ILEX_TRAITS_VERSION,
                                  .name = "exchange_device",
                                  .allocate = preset_allocate,
                                  .free = preset_free,
                                  .update_target = update_target,
                                  .update_host = update_host};
    ck_assert_msg(!ilex_preset_register(ctx, &traits), "%s",
                  ilex_error_text(ctx));
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .preset = traits.name));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_ptr_null(ilex_dlpack_export(ctx, s, ILEX_EXPORT_DEVICE));
    ck_assert_int_eq(take_error(), ILEX_E_UNSUPPORTED);
    DLManagedTensorVersioned *t = ilex_dlpack_export(ctx, s, 0);
    ck_assert_ptr_nonnull(t);
    t->deleter(t);
    ilex_storage_release(s);
}
END_TEST

/* ---- import ---- */

/* Out to the device's side and in again: the same memory, usable. */
START_TEST(round_trips)
{
    const char *const spaces[] = {"normal", "device", "unified", "pinned"};
    for (size_t i = 0; i < IX_COUNT(spaces); i++)
        for (int legacy = 0; legacy < 2; legacy++) {
            ilex_storage *s = ilex_storage_new(
                ctx,
                &SPEC(.rank = 2, .shape = SHAPE(3, 4), .fill = &(double){2},
                      .device = i == 0 ? "cuda:1" : NULL, .space = spaces[i]));
            ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
            unsigned flags = i < 3 ? ILEX_EXPORT_DEVICE : 0;
            ilex_storage *v = ilex_storage_slice(ctx, s, 0, 2, -1, -1);
            ilex_storage *t =
                legacy
                    ? ilex_dlpack_import_legacy(
                          ctx, ilex_dlpack_export_legacy(ctx, v, flags), NULL)
                    : ilex_dlpack_import(ctx, ilex_dlpack_export(ctx, v, flags),
                                         NULL);
            ck_assert_msg(t != NULL, "%s", ilex_error_text(ctx));
            ck_assert_int_eq(ilex_storage_on_host(t), i >= 2);
            ck_assert_int_eq(ilex_storage_on_device(t), i < 3);
            ck_assert_int_eq(ilex_storage_device_index(t), i == 0  ? 1
                                                           : i < 3 ? 0
                                                                   : -1);
            ck_assert_int_eq(ilex_storage_stride(t)[0], -4);
            if (i < 3)
                ck_assert_ptr_eq(ilex_storage_device(ctx, t, ILEX_READ),
                                 ilex_storage_device(ctx, v, ILEX_READ));
            ilex_storage_release(s);
            ilex_storage_release(v);
            double x = 0;
            ilex_storage *host = ilex_storage_to(ctx, t, "cpu");
            ck_assert_int_eq(ilex_storage_get_f64(host, SHAPE(2, 3), &x), 0);
            ck_assert(x == 2);
            ilex_storage_release(host);
            ilex_storage_release(t);
        }
}
END_TEST

/* An interface of 6 f64 at "data". */
static ilex_array_interface
cuda(void *data)
{
    released = 0;
    return (ilex_array_interface){.size = sizeof(ilex_array_interface),
                                  .kind = ILEX_ARRAY_CUDA,
                                  .dtype = ILEX_F64,
                                  .rank = 1,
                                  .shape = {6},
                                  .data = data};
}

START_TEST(cuda_interface)
{
    void *block, *managed;
    ck_assert_int_eq(fake_allocate(IX_SPACE_DEVICE, 1, 64, &block, NULL), 0);
    ck_assert_int_eq(fake_allocate(IX_SPACE_UNIFIED, 0, 64, &managed, NULL), 0);
    for (int i = 0; i < 4; i++) {
        ilex_array_interface a = cuda(i & 1 ? managed : block);
        a.stream = i & 2 ? 7 : 0;
        int waits = fake.waits;
        ilex_storage *s =
            ilex_array_interface_import(ctx, &a, NULL, release, &released);
        ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
        ck_assert_int_eq(fake.waits - waits, (i & 2) != 0);
        ck_assert_int_eq(ilex_storage_device_index(s), i & 1 ? 0 : 1);
        ck_assert_int_eq(ilex_storage_on_host(s), i & 1);
        ck_assert_ptr_eq(ilex_storage_device(ctx, s, ILEX_READ), a.data);
        ck_assert_int_eq(released, 0);
        ilex_storage_release(s);
        ck_assert_int_eq(released, 1);
    }

    /* with a host buffer beside it that Ilex keeps in step */
    ilex_array_interface a = cuda(block);
    fake_fill(1, block, &(double){3}, 8, 6, NULL);
    ilex_storage *s = ilex_array_interface_import(
        ctx, &a, &SPEC(.axes = "I", .managed = "software"), release, &released);
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert(get(s, 5) == 3);
    ck_assert_int_eq(ilex_storage_transfers(s).to_host, 1);
    ilex_storage_release(s);
    ck_assert_int_eq(released, 1);

    /* a copy in memory of the same kind */
    a = cuda(block);
    s = ilex_array_interface_import(ctx, &a, &SPEC(.flags = ILEX_STORAGE_COPY),
                                    release, &released);
    ck_assert_int_eq(released, 1);
    ck_assert(device_get(s, 5) == 3);
    ck_assert_str_eq(ilex_storage_space(s), "device");
    ilex_storage_release(s);

    /* without elements */
    a = cuda(NULL);
    a.shape[0] = 0;
    s = ilex_array_interface_import(ctx, &a, NULL, release, &released);
    ck_assert_int_eq(released, 1);
    ck_assert(ilex_storage_on_device(s) && !ilex_storage_on_host(s));
    ilex_storage_release(s);
    fake_free(IX_SPACE_DEVICE, 1, block);
    fake_free(IX_SPACE_UNIFIED, 0, managed);
}
END_TEST

static int deleted;

static void
count_deletions(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

START_TEST(refused)
{
    static double host[6];
    void *pinned;
    ck_assert_int_eq(fake_allocate(IX_SPACE_PINNED, 0, 64, &pinned, NULL), 0);
    void *const wrong[] = {host, pinned, NULL};
    for (int i = 0; i < 4; i++) {
        ilex_array_interface a = cuda(wrong[i < 3 ? i : 0]);
        if (i == 3)
            ix_driver_replace(NULL);
        ck_assert_ptr_null(
            ilex_array_interface_import(ctx, &a, NULL, release, &released));
        ck_assert_int_eq(released, 1);
        ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
        DLManagedTensorVersioned t = {
            .version = {1, 0},
            .deleter = count_deletions,
            .dl_tensor = {.data = a.data,
                          .device = {i & 1 ? kDLCUDAManaged : kDLCUDA, 0},
                          .ndim = 1,
                          .dtype = {kDLFloat, 64, 1},
                          .shape = a.shape}};
        deleted = 0;
        ck_assert_ptr_null(ilex_dlpack_import(ctx, &t, NULL));
        ck_assert_int_eq(deleted, 1);
        ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    }
    ix_driver_replace(&fake_driver);
    DLManagedTensorVersioned t = {.version = {1, 0},
                                  .deleter = count_deletions,
                                  .dl_tensor = {.device = {kDLCUDA, 2},
                                                .ndim = 1,
                                                .dtype = {kDLFloat, 64, 1},
                                                .shape = SHAPE(0)}};
    ck_assert_ptr_null(ilex_dlpack_import(ctx, &t, NULL));
    ck_assert_int_eq(deleted, 2);
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    fake_free(IX_SPACE_PINNED, 0, pinned);
}
END_TEST

/* Allocations that fail on either side: the owner is told once. */
START_TEST(failures)
{
    void *block;
    ck_assert_int_eq(fake_allocate(IX_SPACE_DEVICE, 0, 64, &block, NULL), 0);
    ilex_storage *s = NULL;
    for (int n = 0; !s; n++) {
        int live = heap.live;
        ilex_array_interface a = cuda(block);
        heap.left = n;
        s = ilex_array_interface_import(ctx, &a, &SPEC(.managed = "software"),
                                        release, &released);
        heap.left = -1;
        ck_assert_int_eq(released, s == NULL);
        ck_assert_int_eq(take_error(), s ? ILEX_OK : ILEX_E_MEMORY);
        ck_assert(s || heap.live == live);
        ck_assert_int_lt(n, 20);
    }
    fake.failing = 1;
    ck_assert_ptr_null(ilex_dlpack_export(ctx, s, 0));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ilex_array_interface a = cuda(block);
    ck_assert_int_eq(ilex_array_interface_get(ctx, s, ILEX_ARRAY_HOST, &a),
                     ILEX_E_DEVICE);
    take_error();
    fake.failing = 0;
    released = 0;
    ilex_storage_release(s);
    ck_assert_int_eq(released, 1);
    fake_free(IX_SPACE_DEVICE, 0, block);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("exchange_device");
    TCase *cases = tcase_create("exchange_device");
    tcase_add_checked_fixture(cases, open_device, close_device);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, device_types);
    tcase_add_test(cases, states);
    tcase_add_test(cases, interfaces);
    tcase_add_test(cases, memory_of_presets);
    tcase_add_test(cases, round_trips);
    tcase_add_test(cases, cuda_interface);
    tcase_add_test(cases, refused);
    tcase_add_test(cases, failures);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
