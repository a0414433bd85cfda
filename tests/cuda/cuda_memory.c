/* SPDX-License-Identifier: MIT
 *
 * Memory of a CUDA device: allocation in every space, copies in four
 * directions, fills, what the driver says of an address, many devices, threads.
 */
#include "tests/cuda/cuda_test.h"

#include <pthread.h>

enum { MOST = (1 << 20) + 3 };

/* A block of "space", which must be there. */
static char *
block(ix_space space, int device, size_t bytes)
{
    ix_error err;
    void *p = NULL;
    ix_error_clear(&err);
    ck_assert_msg(!cuda()->allocate(space, device, bytes, &p, &err), "%s",
                  err.text);
    ck_assert_ptr_nonnull(p);
    return p;
}

/* Bytes that differ from their neighbours, and for each "number". */
static void
write_pattern(char *to, size_t n, int number)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (char)(i * 31 + i / 251 + (size_t)number * 17);
}

/* ---- blocks ---- */

/* Host to device, on the device, back, and on the host: each host buffer may
 * be pageable, pinned or unified memory. */
START_TEST(copies)
{
    static const size_t sizes[] = {1, 7, 4096, MOST};
    char *plain = malloc(MOST), *want = malloc(MOST);
    char *pinned = block(IX_SPACE_PINNED, 0, MOST);
    char *unified = block(IX_SPACE_UNIFIED, 0, MOST);
    char *a = block(IX_SPACE_DEVICE, 0, MOST);
    char *b = block(IX_SPACE_DEVICE, 0, MOST);
    char *const hosts[] = {plain, pinned, unified};
    for (int h = 0; h < 3; h++)
        for (int k = 0; k < 4; k++) {
            size_t n = sizes[k];
            write_pattern(want, n, h + k);
            move(IX_HOST_TO_HOST, 0, hosts[h], want, n);
            move(IX_HOST_TO_DEVICE, 0, a, hosts[h], n);
            memset(hosts[h], 0, n);
            move(IX_DEVICE_TO_DEVICE, 0, b, a, n);
            move(IX_DEVICE_TO_HOST, 0, hosts[h], b, n);
            ck_assert_mem_eq(hosts[h], want, n);
        }
    cuda()->free(IX_SPACE_DEVICE, 0, a);
    cuda()->free(IX_SPACE_DEVICE, 0, b);
    cuda()->free(IX_SPACE_PINNED, 0, pinned);
    cuda()->free(IX_SPACE_UNIFIED, 0, unified);
    free(plain);
    free(want);
}
END_TEST

/* Elements of every size in the middle of a block; the rest stays. */
START_TEST(fills)
{
    enum { ROOM = 16 * 1000 + 64, BEFORE = 32 };
    static const size_t counts[] = {1, 2, 3, 5, 1000};
    static unsigned char element[16], host[ROOM], want[ROOM];
    char *p = block(IX_SPACE_DEVICE, 0, ROOM);
    ix_error err;
    ix_error_clear(&err);
    for (int i = 0; i < 16; i++)
        element[i] = (unsigned char)(0xa0 + i);
    memset(want, 0x11, ROOM);
    for (size_t bytes = 1; bytes <= 16; bytes *= 2)
        for (int k = 0; k < 5; k++) {
            size_t n = bytes * counts[k];
            memset(host, 0x11, ROOM);
            move(IX_HOST_TO_DEVICE, 0, p, host, ROOM);
            ck_assert_msg(
                !cuda()->fill(0, p + BEFORE, element, bytes, counts[k], &err),
                "%s", err.text);
            move(IX_DEVICE_TO_HOST, 0, host, p, ROOM);
            for (size_t i = 0; i < n; i++)
                want[BEFORE + i] = element[i % bytes];
            memset(want + BEFORE + n, 0x11, ROOM - BEFORE - n);
            ck_assert_mem_eq(host, want, ROOM);
        }
    ck_assert_int_eq(cuda()->fill(0, p, element, 8, 0, &err), ILEX_OK);
    cuda()->free(IX_SPACE_DEVICE, 0, p);
}
END_TEST

START_TEST(queries)
{
    static const ix_space spaces[] = {IX_SPACE_PINNED, IX_SPACE_UNIFIED,
                                      IX_SPACE_DEVICE};
    static char plain[64];
    ix_space space;
    int device;
    ck_assert(!cuda()->query(plain, &space, &device));
    ck_assert(!cuda()->query(NULL, &space, &device));
    for (int d = 0; d < cuda()->devices(); d++)
        for (int i = 0; i < 3; i++) {
            char *p = block(spaces[i], d, 1000);
            ck_assert(cuda()->query(p + 999, &space, &device));
            ck_assert_int_eq(space, spaces[i]);
            if (spaces[i] != IX_SPACE_PINNED)
                ck_assert_int_eq(device, d);
            cuda()->free(spaces[i], d, p);
        }
}
END_TEST

/* What cannot be had is said, and all goes on as before. */
START_TEST(refused)
{
    ix_error err;
    void *p = NULL;
    char *good = block(IX_SPACE_DEVICE, 0, 64), byte = 7;
    ix_error_clear(&err);
    ck_assert_int_eq(
        cuda()->allocate(IX_SPACE_DEVICE, 0, (size_t)1 << 46, &p, &err),
        ILEX_E_MEMORY);
    ck_assert_ptr_null(p);
    ck_assert_ptr_nonnull(strstr(err.text, "out of memory"));
    ck_assert_ptr_nonnull(strstr(err.text, "70368744177664 bytes"));
    ix_error_clear(&err);
    for (int device = -1; device < 1000; device += 1000) {
        ix_error_clear(&err);
        ck_assert_int_eq(cuda()->allocate(IX_SPACE_DEVICE, device, 8, &p, &err),
                         ILEX_E_DEVICE);
        ck_assert_ptr_nonnull(strstr(err.text, "does not exist"));
    }
    ix_error_clear(&err);
    ck_assert_int_eq(cuda()->synchronize(999, &err), ILEX_E_DEVICE);
    ck_assert_ptr_null(
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(INT64_C(1) << 43),
                                    .space = "device", .name = "large")));
    ck_assert_int_eq(take_error(), ILEX_E_MEMORY);
    move(IX_HOST_TO_DEVICE, 0, good, &byte, 1);
    byte = 0;
    move(IX_DEVICE_TO_HOST, 0, &byte, good, 1);
    ck_assert_int_eq(byte, 7);
    cuda()->free(IX_SPACE_DEVICE, 0, good);
}
END_TEST

/* ---- storages ---- */

START_TEST(spaces)
{
    static const struct {
        const char *space, *device, *managed;
        int on_host, on_device;
    } rows[] = {{"pinned", NULL, "none", 1, 0},
                {"unified", NULL, "unified", 1, 1},
                {"device", NULL, "none", 0, 1},
                {"normal", "gpu", "software", 1, 1},
                {"hugepage", "gpu", "software", 1, 1},
                {"pinned", "cuda:0", "software", 1, 1}};
    double five = 5, v = 0;
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s = ilex_storage_new(
            ctx, &SPEC(.rank = 2, .shape = SHAPE(300, 1000), .fill = &five,
                       .space = rows[i].space, .device = rows[i].device,
                       .alignment = 256));
        ck_assert_msg(s != NULL, "row %zu: %s", i, ilex_error_text(ctx));
        ck_assert_str_eq(ilex_storage_managed(s), rows[i].managed);
        ck_assert_int_eq(ilex_storage_on_host(s), rows[i].on_host);
        ck_assert_int_eq(ilex_storage_on_device(s), rows[i].on_device);
        if (rows[i].on_device) {
            void *p = ilex_storage_device(ctx, s, ILEX_READ);
            ck_assert_uint_eq((uintptr_t)p % 256, 0);
            ck_assert(device_get(s, ilex_storage_stride(s)[0] * 299) == 5);
        }
        ilex_storage *copy = ilex_storage_copy(ctx, s);
        ck_assert_str_eq(ilex_storage_space(copy), rows[i].space);
        ilex_storage *host = ilex_storage_to(ctx, copy, "cpu");
        ck_assert_int_eq(ilex_storage_get_f64(host, SHAPE(299, 999), &v), 0);
        ck_assert(v == 5);
        ilex_storage_release(host);
        ilex_storage_release(copy);
        ilex_storage_release(s);
    }
}
END_TEST

/* Views of memory that only the device can address. */
START_TEST(device_only)
{
    double three = 3;
    char text[200];
    ilex_storage *s =
        ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(4),
                                    .space = "device", .fill = &three));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_ptr_null(ilex_storage_host(ctx, s, ILEX_READ));
    ck_assert_int_eq(take_error(), ILEX_E_DEVICE);
    ilex_storage *odd = ilex_storage_slice(ctx, s, 0, 3, 0, -2);
    ck_assert_int_eq(ilex_storage_fill(ctx, odd, 5), ILEX_OK);
    ck_assert_uint_gt(ilex_storage_print(s, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "[3.0 5.0 3.0 5.0]"));
    ilex_storage *copy = ilex_storage_copy(ctx, odd);
    ck_assert(device_get(copy, 0) == 5);
    ilex_storage *host = ilex_storage_to(ctx, s, "cpu");
    ck_assert(get(host, 1) == 5 && get(host, 2) == 3);
    ilex_storage *all[] = {s, odd, copy, host};
    for (size_t i = 0; i < IX_COUNT(all); i++)
        ilex_storage_release(all[i]);
}
END_TEST

/* Unified memory has one address; the host sees what the device wrote. */
START_TEST(unified)
{
    ilex_storage *s = ilex_storage_new(
        ctx, &SPEC(.rank = 1, .shape = SHAPE(1000), .space = "unified"));
    ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
    ck_assert_ptr_eq(ilex_storage_host(ctx, s, ILEX_READ_WRITE),
                     ilex_storage_device(ctx, s, ILEX_READ_WRITE));
    ck_assert_int_eq(ilex_storage_fill(ctx, s, 2), ILEX_OK);
    ck_assert(device_get(s, 999) == 2);
    device_set(s, 7, 9);
    ck_assert(get(s, 7) == 9);
    ck_assert_int_eq(ilex_storage_sync(s), ILEX_SYNC_NONE);
    ck_assert_int_eq(ilex_storage_transfers(s).bytes, 0);
    int device = 0;
    ck_assert_int_eq(ilex_storage_compute_device(
                         ctx, 1, (const ilex_storage *const[]){s}, &device),
                     ILEX_OK);
    ck_assert_int_eq(device, 1);
    ilex_storage *sum =
        ilex_eager(ctx, "add", 2, (ilex_storage *[]){s, s}, NULL);
    ck_assert_int_eq(take_error(), computed_there(sum));
    ck_assert(!sum || (get(sum, 7) == 18 && get(sum, 8) == 4));
    ck_assert(!sum || !strcmp(ilex_storage_space(sum), "unified"));
    ilex_storage_release(sum);
    ilex_storage_release(s);
}
END_TEST

START_TEST(every_device)
{
    for (int d = 0; d < cuda()->devices(); d++) {
        char name[24];
        double v = 10 + d;
        snprintf(name, sizeof name, "cuda:%d", d);
        ilex_storage *s =
            ilex_storage_new(ctx, &SPEC(.rank = 1, .shape = SHAPE(100),
                                        .device = name, .fill = &v));
        ck_assert_msg(s != NULL, "%s: %s", name, ilex_error_text(ctx));
        ck_assert_int_eq(ilex_storage_device_index(s), d);
        ck_assert(device_get(s, 99) == v);
        ilex_storage_release(s);
    }
}
END_TEST

/* Each thread enters the context for itself. */
static void *
round_trips(void *arg)
{
    int64_t shape[1] = {4096};
    double v = *(double *)arg;
    for (int i = 0; i < 20; i++, v += 1) {
        double got = 0;
        ilex_storage *s =
            ilex_storage_new(NULL, &SPEC(.rank = 1, .shape = shape,
                                         .space = "device", .fill = &v));
        ilex_storage *h = s ? ilex_storage_to(NULL, s, "cpu") : NULL;
        if (!h || ilex_storage_get_f64(h, SHAPE(4095), &got) || got != v)
            return "a thread read something else than it wrote";
        ilex_storage_release(h);
        ilex_storage_release(s);
    }
    return NULL;
}

START_TEST(threads)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    double value[THREADS] = {100, 200, 300, 400};
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(
            pthread_create(&thread[i], NULL, round_trips, &value[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *fault = NULL;
        pthread_join(thread[i], &fault);
        ck_assert_msg(fault == NULL, "%s", (const char *)fault);
    }
}
END_TEST

TCase *
cuda_memory_cases(void)
{
    TCase *cases = tcase_create("memory");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, copies);
    tcase_add_test(cases, fills);
    tcase_add_test(cases, queries);
    tcase_add_test(cases, refused);
    tcase_add_test(cases, spaces);
    tcase_add_test(cases, device_only);
    tcase_add_test(cases, unified);
    tcase_add_test(cases, every_device);
    tcase_add_test(cases, threads);
    return cases;
}
