/* SPDX-License-Identifier: MIT
 *
 * Host and device buffer of one storage: which is newer, copies asked for and
 * not, what is refused, programs and threads. The device is a fake one.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/device_fixture.h"

#include <pthread.h>

#include "ilex.h"

/* ---- which side is newer ---- */

START_TEST(states)
{
    ilex_storage *s = pair(8, 3), *v = ilex_storage_slice(ctx, s, 0, 4, 6, 1);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(s, 5) == 3);
    ck_assert_int_eq(ilex_storage_sync(v), ILEX_SYNC_CLEAN);
    ck_assert_int_eq(fake.copies[IX_HOST_TO_DEVICE], 1);
    device_set(v, 1, 7);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert(get(s, 5) == 7 && get(s, 4) == 3);
    ck_assert_int_eq(fake.copies[IX_DEVICE_TO_HOST], 1);
    ck_assert_int_eq(ilex_storage_sync(v), ILEX_SYNC_CLEAN);
    ck_assert(get(s, 0) == 3 && device_get(s, 0) == 3);
    ck_assert_int_eq(fake.copies[0] + fake.copies[1] + fake.copies[2], 2);
    ck_assert_int_eq(ilex_storage_set_f64(v, SHAPE(0), 9), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(s, 4) == 9 && device_get(s, 5) == 7);
    ilex_transfers t = ilex_storage_transfers(v);
    ck_assert(t.to_host == 1 && t.to_device == 2 && t.implicit == 3);
    ck_assert(t.bytes == 3 * (int64_t)ilex_storage_allocated_bytes(s));
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
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 0), ILEX_OK);
    ck_assert_int_eq(ilex_storage_transfers(s).to_device, 1);
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 1), ILEX_OK);
    ck_assert_int_eq(ilex_storage_transfers(s).to_device, 2);
    device_set(s, 0, 5);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert(get(s, 0) == 5);
    ck_assert_int_eq(ilex_storage_transfers(s).implicit, 0);
    ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(0), 6), ILEX_OK);
    ck_assert_int_eq(ilex_storage_device_to_host(ctx, s, 1), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert_msg(get(s, 0) != 6, "the forced copy overwrites what is newer");
    ilex_storage_release(s);
}
END_TEST

/* A copy has a state of its own. */
START_TEST(copies_are_apart)
{
    ilex_storage *s = pair(4, 1), *c = ilex_storage_copy(ctx, s);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_synchronize(ctx, c), ILEX_OK);
    device_set(c, 0, 2);
    ck_assert_int_eq(ilex_storage_sync(c), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert(get(s, 0) == 1 && get(c, 0) == 2 && get(c, 1) == 1);
    ilex_storage_release(c);
    ilex_storage_release(s);
}
END_TEST

START_TEST(both_modified)
{
    ilex_storage *s = pair(4, 1);
    ilex_storage_synchronize(ctx, s);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_E_SYNC);
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "both sides"));
    take_error();
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_DEVICE_DIRTY);
    ck_assert_int_eq(ilex_storage_set_synchronized(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_E_SYNC);
    take_error();
    ilex_storage_release(s);
}
END_TEST

/* Every call is valid, and does nothing, where nothing is tracked. */
START_TEST(untracked)
{
    const char *const names[] = {"normal", "unified", "device"};
    for (size_t i = 0; i < IX_COUNT(names); i++) {
        double one = 1;
        ilex_storage *s =
            ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                        .space = names[i], .fill = &one));
        memset(fake.copies, 0, sizeof fake.copies);
        ck_assert_int_eq(ilex_storage_set_host_modified(ctx, s), ILEX_OK);
        ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
        ck_assert_int_eq(ilex_storage_set_synchronized(ctx, s), ILEX_OK);
        ck_assert_int_eq(ilex_storage_synchronize(ctx, s), ILEX_OK);
        ck_assert_int_eq(ilex_storage_device_to_host(ctx, s, 1), ILEX_OK);
        ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 1), ILEX_OK);
        ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_NONE);
        for (int d = 0; d < 4; d++)
            ck_assert_int_eq(fake.copies[d], 0);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(unified_waits)
{
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                    .device = "gpu", .managed = "cuda"));
    ck_assert_int_eq(ilex_storage_set_f64(s, SHAPE(1), 2), ILEX_OK);
    ck_assert_int_eq(fake.waits, 0);
    ck_assert_ptr_eq(ilex_storage_device(ctx, s, ILEX_WRITE),
                     ilex_storage_const_data(s));
    ck_assert_int_eq(fake.waits, 1);
    ck_assert(get(s, 1) == 2);
    ck_assert_int_eq(fake.waits, 1);
    ilex_storage_release(s);
}
END_TEST

/* ---- reports ---- */

static int warnings;

static void
count_warnings(void *user, ilex_level level, const char *text)
{
    ck_assert_ptr_eq(user, &warnings);
    ck_assert_int_eq(level, ILEX_WARNING);
    ck_assert_ptr_nonnull(strstr(text, "implicit copy"));
    warnings++;
}

START_TEST(implicit_copies_are_reported)
{
    ilex_context_spec spec = {
        .size = sizeof spec, .log = count_warnings, .log_user = &warnings};
    ilex_context *mine = ilex_context_new(&spec);
    double one = 1;
    ilex_storage *s =
        ilex_storage_new(mine, &SPEC(.rank = 1, .shape = SHAPE(4),
                                     .device = "gpu", .fill = &one));
    warnings = 0;
    device_set(s, 0, 2);
    ck_assert_int_eq(warnings, 1);
    ck_assert(get(s, 0) == 2 && get(s, 1) == 1);
    ck_assert_int_eq(warnings, 2);
    device_set(s, 0, 3);
    ilex_storage_synchronize(mine, s);
    ck_assert(get(s, 0) == 3);
    ck_assert_int_eq(warnings, 2);
    ilex_storage_release(s);
    ilex_context_free(mine);
}
END_TEST

START_TEST(strict_refuses)
{
    ck_assert_int_eq(ilex_option_set(ctx, "transfers", "strict"), ILEX_OK);
    ilex_storage *s = pair(4, 1);
    double v;
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "'u'"));
    ck_assert_int_eq(take_error(), ILEX_E_TRANSFER);
    ilex_storage_synchronize(ctx, s);
    device_set(s, 0, 2);
    ck_assert_int_eq(ilex_storage_get_f64(s, SHAPE(0), &v), ILEX_E_TRANSFER);
    ck_assert_int_eq(ilex_storage_fill(ctx, s, 1), ILEX_E_TRANSFER);
    take_error();
    ck_assert_ptr_null(ilex_storage_data(s));
    ck_assert_int_eq(ilex_storage_device_to_host(ctx, s, 0), ILEX_OK);
    ck_assert(get(s, 0) == 2);
    ck_assert_int_eq(ilex_storage_transfers(s).implicit, 0);
    ilex_storage_release(s);
}
END_TEST

/* ---- constant storages ---- */

START_TEST(constant)
{
    double two = 2;
    ilex_storage *s = ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                                  .device = "gpu", .fill = &two,
                                                  .flags = ILEX_STORAGE_CONST));
    ck_assert_int_eq(fake.copies[IX_HOST_TO_DEVICE], 1);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_CLEAN);
    ck_assert(get(s, 3) == 2 && device_get(s, 3) == 2);
    ck_assert_int_eq(ilex_storage_transfers(s).implicit, 0);
    ck_assert_ptr_null(ilex_storage_data(s));
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_WRITE));
    ck_assert_int_eq(take_error(), ILEX_E_READONLY);
    ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_E_READONLY);
    take_error();
    ck_assert_int_eq(ilex_storage_fill(ctx, s, 1), ILEX_E_READONLY);
    take_error();
    ilex_storage_release(s);
}
END_TEST

/* ---- programs ---- */

START_TEST(programs_see_the_newest)
{
    ilex_option_set(ctx, "jit", "reference");
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "n");
    ilex_array *y = ilex_add(x, x);
    ilex_program *p =
        ilex_compile(ctx, 1, &y,
                     &(ilex_compile_spec){.size = sizeof(ilex_compile_spec),
                                          .names = (const char *[]){"y"}});
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ilex_storage *in = pair(4, 1), *out = pair(4, 0);
    device_set(in, 2, 5);
    ilex_storage_synchronize(ctx, out);
    ilex_binding b[] = {ILEX_BIND("x", in), ILEX_BIND("y", out)};
    ck_assert_int_eq(ilex_run(p, b, 2, NULL), ILEX_OK);
    ck_assert(get(out, 2) == 10 && get(out, 1) == 2);
    ck_assert_int_eq(ilex_storage_sync(out), ILEX_SYNC_HOST_DIRTY);
    ck_assert(device_get(out, 2) == 10);
    ilex_storage *d = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .space = "device"));
    b[1].storage = d;
    ilex_call call = {.size = sizeof call};
    ck_assert_int_eq(ilex_run(p, b, 2, &call), ILEX_E_DEVICE);
    ck_assert_ptr_nonnull(strstr(call.error, "device memory"));
    ilex_storage_release(d);
    ilex_storage_release(in);
    ilex_storage_release(out);
    ilex_program_release(p);
}
END_TEST

/* ---- views as plain data ---- */

START_TEST(plain_views)
{
    ilex_storage *s = pair(6, 2), *v = ilex_storage_slice(ctx, s, 0, 5, 0, -2);
    ilex_view view;
    ck_assert_int_eq(ilex_storage_host_view(ctx, v, ILEX_READ, &view), ILEX_OK);
    const double *p = view.data;
    ck_assert(p[ilex_view_offset(&view, SHAPE(2))] == 2);
    ck_assert_int_eq(view.rank, 1);
    ck_assert_int_eq(view.stride[0], -2);
    ck_assert_int_eq(ilex_view_stale(s, &view), 0);
    device_set(s, 0, 1);
    ck_assert_int_eq(ilex_view_stale(v, &view), 1);
    ck_assert_int_eq(ilex_storage_device_view(ctx, v, (ilex_access)4, &view),
                     ILEX_E_ARGUMENT);
    take_error();
    ilex_storage *r = ilex_storage_readonly(ctx, s);
    ck_assert_int_eq(ilex_storage_host_view(ctx, r, ILEX_WRITE, &view),
                     ILEX_E_READONLY);
    ck_assert_ptr_null(view.data);
    take_error();
    ilex_storage_release(r);
    ilex_storage_release(v);
    ilex_storage_release(s);
}
END_TEST

/* ---- failures and threads ---- */

/* The square of the index. */
static void
index_squared(void *user, const int64_t *index, void *element)
{
    (void)user;
    *(double *)element = (double)(index[0] * index[0]);
}

START_TEST(failing_device)
{
    ilex_storage *s = pair(4, 1);
    fake.failing = 1;
    ck_assert_ptr_null(ilex_storage_device(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_HOST_DIRTY);
    ck_assert_int_eq(ilex_storage_host_to_device(ctx, s, 0), ILEX_E_DEVICE);
    take_error();
    ck_assert_ptr_null(ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(4), .device = "gpu")));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    fake.failing = 0;
    for (int n = 0; n < 12; n++) {
        heap.left = n;
        ilex_storage *t = ilex_storage_new(
            ctx, &SPEC(.like = s, .initialize = index_squared));
        ilex_storage *c = t ? ilex_storage_to(ctx, t, "cuda:1") : NULL;
        ck_assert(t || take_error() == ILEX_E_MEMORY);
        heap.left = -1;
        ilex_storage_release(c);
        ilex_storage_release(t);
        take_error();
    }
    ilex_storage_release(s);
}
END_TEST

static void *
read_many(void *storage)
{
    double v, sum = 0;
    for (int i = 0; i < 500; i++) {
        ilex_storage *part =
            ilex_storage_slice(NULL, storage, 0, i % 60, 64, 1);
        if (ilex_storage_get_f64(part, SHAPE(0), &v) == ILEX_OK)
            sum += v;
        ilex_storage_release(part);
    }
    return sum == 3 * 500 ? storage : NULL;
}

/* The first reader copies, the others wait or find it done. */
START_TEST(threads_share_the_state)
{
    double three = 3;
    ilex_storage *s =
        ilex_storage_new(NULL, &SPEC(.rank = 1, .shape = SHAPE(64),
                                     .device = "gpu", .fill = &three));
    ilex_storage_host_to_device(ctx, s, 1);
    for (int round = 0; round < 20; round++) {
        pthread_t thread[4];
        void *ok;
        ck_assert_int_eq(ilex_storage_set_device_modified(ctx, s), ILEX_OK);
        for (int i = 0; i < 4; i++)
            pthread_create(&thread[i], NULL, read_many, s);
        for (int i = 0; i < 4; i++) {
            pthread_join(thread[i], &ok);
            ck_assert_ptr_eq(ok, s);
        }
        ck_assert_int_eq(ilex_storage_transfers(s).to_host, round + 1);
    }
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("storage_sync");
    TCase *tests = tcase_create("device");
    tcase_add_checked_fixture(tests, open_device, close_device);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, states);
    tcase_add_test(tests, asked_for);
    tcase_add_test(tests, copies_are_apart);
    tcase_add_test(tests, both_modified);
    tcase_add_test(tests, untracked);
    tcase_add_test(tests, unified_waits);
    tcase_add_test(tests, implicit_copies_are_reported);
    tcase_add_test(tests, strict_refuses);
    tcase_add_test(tests, constant);
    tcase_add_test(tests, programs_see_the_newest);
    tcase_add_test(tests, plain_views);
    tcase_add_test(tests, failing_device);
    tcase_add_test(tests, threads_share_the_state);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
