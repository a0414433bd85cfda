/* SPDX-License-Identifier: MIT
 *
 * Every row of storage_errors.def fails with this code and message, and leaves
 * storages and files as they were.
 */
#define _GNU_SOURCE /* mkstemp */
#include <unistd.h>

#include "lib/graph/context.h"
#include "tests/error/errors.h"

#define SHAPE(...) ((int64_t[]){__VA_ARGS__})

static ilex_context *ctx;
static ilex_storage *s, *named, *constant, *complex_, *column;
static double number[8] __attribute__((aligned(64)));
static int64_t lengths[ILEX_MAX_RANK + 1];

/* A spec of a version to come, with a property this one does not know. */
static union {
    ilex_storage_spec spec;
    char bytes[sizeof(ilex_storage_spec) + 8];
} newer;

static void
initialize(void *user, const int64_t *index, void *element)
{
    (void)user, (void)index, (void)element;
}

static void
open_fixture(void)
{
    double two = 2.0;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .rank = 2,
                              .shape = SHAPE(4, 5),
                              .axes = "IJ",
                              .halo = SHAPE(1, 1, 0, 0),
                              .fill = &two};
    for (size_t i = 0; i < IX_COUNT(lengths); i++)
        lengths[i] = 2;
    newer.spec.size = sizeof newer;
    newer.bytes[sizeof newer - 1] = 1;
    ctx = ilex_context_new(NULL);
    s = ilex_storage_full(ctx, ILEX_F64, 1, SHAPE(4), 2.0);
    named = ilex_storage_new(ctx, &spec);
    constant = ilex_storage_readonly(ctx, s);
    complex_ = ilex_storage_zeros(ctx, ILEX_C128, 2, SHAPE(2, 2));
    column = ilex_storage_index(ctx, named, 1, 0);
    ck_assert_msg(s && named && constant && complex_ && column, "%s",
                  ilex_error_text(ctx));
}

static void
check_twos(const ilex_storage *storage)
{
    const double *data = ilex_storage_const_data(storage);
    for (int64_t i = 0; i < ilex_storage_count(storage); i++)
        ck_assert_msg(data[i] == 2.0, "element %d became %g", (int)i, data[i]);
}

static void
close_fixture(void)
{
    check_twos(s);
    check_twos(named);
    ck_assert_int_ne(access("/tmp/never.png", F_OK), 0);
    ilex_storage_release(s);
    ilex_storage_release(named);
    ilex_storage_release(constant);
    ilex_storage_release(complex_);
    ilex_storage_release(column);
    ilex_context_free(ctx);
}

/* ---- files ---- */

static ilex_storage *
read_bytes(const char *bytes, size_t n)
{
    char path[] = "/tmp/ilex-test-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
    ilex_storage *r = ilex_npy_read(ctx, path);
    unlink(path);
    return r;
}

static ilex_storage *
raw(const char *content)
{
    return read_bytes(content, strlen(content));
}

/* A file of version 1 with this dictionary and no data. */
static ilex_storage *
npy(const char *dictionary)
{
    char bytes[256] = "\x93NUMPY\1";
    size_t n = strlen(dictionary);
    bytes[8] = (char)(n + 1);
    memcpy(bytes + 10, dictionary, n);
    bytes[10 + n] = '\n';
    return read_bytes(bytes, 11 + n);
}

/* ---- the table ---- */

#define TABLE "tests/error/storage_errors.def"
#include "tests/error/rows.inc"

START_TEST(storage_table)
{
    ilex_status code = rows[_i].run();
    if (code == ILEX_E_UNSUPPORTED && strstr(rows[_i].text, "png") != NULL)
        return; /* built without libpng */
    check_error(rows[_i].text, code, ilex_error_text(ctx), rows[_i].code,
                rows[_i].fragment);
}
END_TEST

Suite *
storage_errors_suite(void)
{
    Suite *suite = suite_create("storage_errors");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, open_fixture, close_fixture);
    tcase_add_loop_test(table, storage_table, 0, (int)IX_COUNT(rows));
    suite_add_tcase(suite, table);
    return suite;
}
