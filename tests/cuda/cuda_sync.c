/* SPDX-License-Identifier: MIT
 *
 * Host and device buffer of one storage over a CUDA device: which is newer,
 * copies asked for and not, both sides modified, strict transfers.
 */
#include "tests/cuda/cuda_test.h"

/* What one side wrote the other one reads, through any view. */
START_TEST(states)
{
    ilex_storage *s = pair(8, 3), *v = ilex_storage_slice(ctx, s, 0, 4, 6, 1);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(s, 5) == 3);
    ck_assert_int_eq(ilex_storage_sync(v), ILEX_SYNC_CLEAN);
    device_set(v, 1, 7);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(get(s, 5) == 7 && get(s, 4) == 3);
    ck_assert_int_eq(ilex_storage_sync(v), ILEX_SYNC_CLEAN);
    ck_assert_int_eq(ilex_storage_set_f64(v, SHAPE(0), 9), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(s, 4) == 9 && device_get(s, 5) == 7);
    ilex_transfers t = ilex_storage_transfers(v);
    ck_assert(t.to_host == 1 && t.to_device == 2 && t.implicit == 3);
    ck_assert_int_eq(t.bytes, 3 * (int64_t)ilex_storage_allocated_bytes(s));
    ilex_storage_release(v);
    ilex_storage_release(s);
}
END_TEST

START_TEST(asked_for)
{
    ilex_storage *s = pair(4, 1);
    ck_assert_int_eq(ilex_storage_device_to_host(ctx, s, 0), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 0), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert(device_get(s, 3) == 1);
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 1), ILEX_OK);
    ck_assert_int_eq(ilex_storage_transfers(s).to_device, 2);
    device_set(s, 0, 5);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert(get(s, 0) == 5);
    ck_assert_int_eq(ilex_storage_transfers(s).implicit, 0);
    ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(0), 6), ILEX_OK);
    ck_assert_int_eq(ilex_storage_device_to_host(ctx, s, 1), ILEX_OK);
    ck_assert(get(s, 0) == 5);
    ilex_storage_release(s);
}
END_TEST

/* Buffers written behind Ilex's back, and marked. */
START_TEST(marks)
{
    ilex_storage *s = pair(4, 1);
    double seven = 7, *host = ilex_storage_host(ctx, s, ILEX_READ);
    ilex_storage_synchronize(ctx, s);
    double *there = ilex_storage_device(ctx, s, ILEX_READ);
    move(IX_HOST_TO_DEVICE, 0, there + 2, &seven, sizeof seven);
    ck_assert(get(s, 2) == 1);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
    ck_assert(get(s, 2) == 7);
    host[3] = 8;
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
    ck_assert(device_get(s, 3) == 8 && device_get(s, 2) == 7);
    ilex_storage_release(s);
}
END_TEST

START_TEST(both_modified)
{
    ilex_storage *s = pair(4, 1);
    ilex_storage_synchronize(ctx, s);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_E_SYNC);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "both sides"));
    take_error();
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert_int_eq(ilex_storage_set_synchronized(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_E_SYNC);
    take_error();
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 1), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ilex_storage_release(s);
}
END_TEST

START_TEST(strict)
{
    ck_assert_int_eq(ilex_option_set(ctx, "transfers", "strict"), ILEX_OK);
    ilex_storage *s = pair(4, 1);
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_TRANSFER);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    ck_assert(device_get(s, 1) == 1);
    ilex_storage_release(s);
}
END_TEST

/* What is newer on the device is computed with there; marked as the host's it
 * is computed with on the host. */
START_TEST(computing)
{
    ilex_storage *s = pair(16, 2);
    device_set(s, 5, 40);
    ilex_storage *there =
        ilex_eager(ctx, "multiply", 2, (ilex_storage *[]){s, s}, NULL);
    ck_assert_int_eq(take_error(), computed_there(there));
    if (there) {
        ck_assert_int_eq(ilex_storage_sync(there), ILEX_SYNC_DEVICE_DIRTY);
        ck_assert_int_eq(ilex_storage_transfers(s).to_host, 0);
        ck_assert(get(there, 5) == 1600 && get(there, 6) == 4);
    }
    ilex_storage_release(there);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
    ilex_storage *y =
        ilex_eager(ctx, "multiply", 2, (ilex_storage *[]){s, s}, NULL);
    ck_assert_msg(y != NULL, "%s", ilex_error_text(ctx));
    ck_assert(get(y, 5) == 1600 && get(y, 6) == 4);
    ilex_storage *out = ilex_eager(ctx, "add", 2, (ilex_storage *[]){y, y}, s);
    ck_assert_msg(out != NULL, "%s", ilex_error_text(ctx));
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(s, 5) == 3200);
    ilex_storage_release(out);
    ilex_storage_release(y);
    ilex_storage_release(s);
}
END_TEST

TCase *
cuda_sync_cases(void)
{
    TCase *cases = tcase_create("sync");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, states);
    tcase_add_test(cases, asked_for);
    tcase_add_test(cases, marks);
    tcase_add_test(cases, both_modified);
    tcase_add_test(cases, strict);
    tcase_add_test(cases, computing);
    return cases;
}
