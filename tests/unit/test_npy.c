/* SPDX-License-Identifier: MIT
 *
 * .npy files: round trips of every dtype and layout, foreign byte orders and
 * versions, one error for each thing that can be wrong, mutated files, and
 * nothing left behind by a failed write.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "tests/suite.h"
#include "tests/unit/storage_fixture.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], path[96];

static void
open_directory(void)
{
    open_context();
    strcpy(directory, "/tmp/ilex-npy-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.npy", directory);
}

static int
count_files(void)
{
    int n = 0;
    DIR *d = opendir(directory);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void
close_directory(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(directory), 0);
    close_context();
}

static void
put_file(const char *name, const void *data, size_t bytes)
{
    FILE *f = fopen(name, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static size_t
get_file(const char *name, void *data, size_t size)
{
    FILE *f = fopen(name, "rb");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(data, 1, size, f);
    fclose(f);
    return n;
}

/* Writes a file of version "major" with dictionary "text" and "bytes" bytes
 * 0, 1, 2, ... of elements; returns its length. */
static size_t
put_npy(int major, const char *text, size_t bytes)
{
    char file[4096];
    size_t n = strlen(text), at = major > 1 ? 12 : 10;
    memset(file, 0, sizeof file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)major;
    file[8] = (char)(n & 255);
    file[9] = (char)(n >> 8);
    memcpy(file + at, text, n);
    for (size_t i = 0; i < bytes; i++)
        file[at + n + i] = (char)i;
    put_file(path, file, at + n + bytes);
    return at + n + bytes;
}

/* ---- round trips ---- */

static void
check_equal(const ilex_storage *a, const ilex_storage *b)
{
    size_t bytes = ilex_dtype_bytes(a->dtype);
    int64_t count = ilex_storage_count(a), index[ILEX_MAX_RANK];
    ck_assert_int_eq(a->dtype, b->dtype);
    ck_assert_int_eq(a->rank, b->rank);
    for (int k = 0; k < a->rank; k++)
        ck_assert_int_eq(a->shape[k], b->shape[k]);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (int k = a->rank - 1; k >= 0; k--) {
            index[k] = rest % a->shape[k];
            rest /= a->shape[k];
        }
        ck_assert_int_eq(
            memcmp(ilex_storage_at(a, index), ilex_storage_at(b, index), bytes),
            0);
    }
}

static void
round_trip(const ilex_storage *s)
{
    ck_assert_msg(ilex_npy_write(ctx, path, s) == ILEX_OK, "%s",
                  ilex_error_text(ctx));
    ilex_storage *r = ilex_npy_read(ctx, path);
    ck_assert_msg(r != NULL, "%s", ilex_error_text(ctx));
    check_equal(s, r);
    ilex_storage_release(r);
    ck_assert_int_eq(count_files(), 1);
}

START_TEST(every_dtype)
{
    static const char *const layouts[] = {"C", "F", "102"};
    for (int d = 0; d < ILEX_BF16; d++) /* which NumPy does not have */
        for (size_t l = 0; l < IX_COUNT(layouts); l++) {
            ilex_storage *s = ilex_storage_new(
                ctx,
                &(ilex_storage_spec){.size = sizeof(ilex_storage_spec),
                                     .dtype = ilex_dtype_name((ilex_dtype)d),
                                     .rank = 3,
                                     .shape = SHAPE(3, 4, 5),
                                     .layout = layouts[l],
                                     .alignment = l == 2 ? 64 : 0});
            ck_assert_ptr_nonnull(s);
            for (size_t i = 0; i < s->memory->bytes; i++)
                s->memory->base[i] = (char)(d == ILEX_BOOL ? i % 3 == 0 : i);
            round_trip(s);
            ilex_storage *v = ilex_storage_slice(ctx, s, 1, 3, 0, -2);
            round_trip(v);
            ilex_storage_release(v);
            ilex_storage_release(s);
        }
}
END_TEST

START_TEST(odd_shapes)
{
    int64_t ones[16] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3};
    const struct {
        int rank;
        const int64_t *shape;
    } rows[] = {{0, NULL},           {1, SHAPE(0)},       {1, SHAPE(7)},
                {2, SHAPE(0, 1000)}, {3, SHAPE(2, 0, 3)}, {16, ones}};
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ilex_storage *s =
            ilex_storage_ones(ctx, ILEX_F32, rows[i].rank, rows[i].shape);
        round_trip(s);
        ilex_storage_release(s);
    }
}
END_TEST

START_TEST(gathered_in_blocks)
{
    ilex_storage *s = ilex_storage_zeros(ctx, ILEX_I64, 2, SHAPE(300, 200));
    for (int64_t i = 0; i < 60000; i++)
        ilex_storage_set_i64(s, SHAPE(i / 200, i % 200), i);
    ilex_storage *rows = ilex_storage_slice(ctx, s, 0, 299, -1, -1);
    ilex_storage *long_row = ilex_storage_reinterpret(ctx, s, "IJ");
    ilex_storage *halo =
        ilex_storage_with_halo(ctx, long_row, SHAPE(3, 4, 1, 2));
    ilex_storage *in = ilex_storage_interior(ctx, halo);
    round_trip(rows);
    round_trip(in);
    ilex_storage_release(s);
    ilex_storage_release(rows);
    ilex_storage_release(long_row);
    ilex_storage_release(halo);
    ilex_storage_release(in);
}
END_TEST

/* The bytes that NumPy writes for arange(3, dtype='<i2'). */
START_TEST(bytes_as_numpy)
{
    char want[134], have[200];
    int16_t a[3] = {0, 1, 2};
    memset(want, ' ', 128);
    memcpy(want, "\x93NUMPY\1\0v\0", 10);
    static const char text[] =
        "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
    memcpy(want + 10, text, sizeof text - 1);
    want[127] = '\n';
    memcpy(want + 128, "\0\0\1\0\2\0", 6);
    ilex_storage *s = ilex_storage_from(ctx, ILEX_I16, 1, SHAPE(3), a);
    ck_assert_int_eq(ilex_npy_write(ctx, path, s), ILEX_OK);
    ck_assert_uint_eq(get_file(path, have, sizeof have), sizeof want);
    ck_assert_int_eq(memcmp(have, want, sizeof want), 0);
    ilex_storage_release(s);
}
END_TEST

/* ---- what others write ---- */

START_TEST(versions_and_orders)
{
    const struct {
        int major;
        const char *text;
        size_t bytes;
        int64_t i, j, value; /* element (i, j) */
    } rows[] = {
        {1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n", 8,
         0, 1, 0x0302},
        {2, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2)}", 8, 1,
         0, 0x0504},
        {3, "{\"shape\": (2, 2,), \"fortran_order\": True, \"descr\": '>i2'}",
         8, 1, 0, 0x0203},
        {3, "{'shape':(2,2),'descr':'=u4','fortran_order':True}", 16, 0, 1,
         0x0b0a0908},
        {1, "{'descr': '>i1', 'fortran_order': False, 'shape': (2, 2), }  \n",
         4, 1, 1, 3},
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", 4, 0,
         1, 1},
        {1, "{'descr': 'u1', 'fortran_order': False, 'shape': (2, 2), }", 4, 1,
         0, 2},
        {1, "{'descr': 'u4', 'fortran_order': False, 'shape': (2, 2), }", 16, 0,
         1, 0x07060504},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        put_npy(rows[i].major, rows[i].text, rows[i].bytes);
        ilex_storage *s = ilex_npy_read(ctx, path);
        ck_assert_msg(s != NULL, "%s", ilex_error_text(ctx));
        ck_assert_int_eq(at(s, rows[i].i, rows[i].j, 0), rows[i].value);
        ilex_storage_release(s);
    }
    put_npy(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (), }", 8);
    ilex_storage *s = ilex_npy_read(ctx, path);
    const unsigned char *p = ilex_storage_const_data(s);
    ck_assert_int_eq(memcmp(p, "\3\2\1\0\7\6\5\4", 8), 0);
    ilex_storage_release(s);
}
END_TEST

/* ---- what is wrong ---- */

#define HEAD "{'descr': '<f8', 'fortran_order': False, 'shape': "

START_TEST(refused)
{
    const struct {
        int major;
        const char *text;
        size_t bytes;
        ilex_status code;
    } rows[] = {
        {1, HEAD "(3,), }", 23, ILEX_E_FORMAT},
        {1, HEAD "(3,), }", 25, ILEX_E_FORMAT},
        {0, HEAD "(3,), }", 24, ILEX_E_UNSUPPORTED},
        {4, HEAD "(3,), }", 24, ILEX_E_UNSUPPORTED},
        {1, HEAD "(3), }", 24, ILEX_E_FORMAT},
        {1, HEAD "(3, -1), }", 24, ILEX_E_FORMAT},
        {1, HEAD "(3 1), }", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,,), }", 24, ILEX_E_FORMAT},
        {1, HEAD "(,), }", 24, ILEX_E_FORMAT},
        {1, HEAD "(3L,), }", 24, ILEX_E_FORMAT},
        {1, HEAD "[3], }", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,), } x", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,), }\n\n", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,), ", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,) 'descr': '<f8'}", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,), 'descr': '<f8'}", 24, ILEX_E_FORMAT},
        {1, HEAD "(3,), 'extra': 1}", 24, ILEX_E_FORMAT},
        {1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}", 24,
         ILEX_E_FORMAT},
        {1, "{'descr': '<f8', 'shape': (3,)}", 24, ILEX_E_FORMAT},
        {1, "{'descr': f8, 'shape': (3,)}", 24, ILEX_E_FORMAT},
        {1, "{'descr': '\\x3cf8', 'shape': (3,)}", 24, ILEX_E_FORMAT},
        {1, "", 24, ILEX_E_FORMAT},
        {1, "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", 24,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", 6,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': '|f8', 'fortran_order': False, 'shape': (3,), }", 24,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': '', 'fortran_order': False, 'shape': (3,), }", 24,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': 'd', 'fortran_order': False, 'shape': (3,), }", 24,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': '<', 'fortran_order': False, 'shape': (3,), }", 24,
         ILEX_E_UNSUPPORTED},
        {1, "{'descr': [('a', '<f8')], 'fortran_order': False}", 24,
         ILEX_E_UNSUPPORTED},
        {1, HEAD "(4294967296, 4294967296), }", 24, ILEX_E_OVERFLOW},
        {1, HEAD "(0, 4294967296, 4294967296), }", 0, ILEX_E_OVERFLOW},
        {1, HEAD "(99999999999999999999,), }", 24, ILEX_E_OVERFLOW},
        {1, HEAD "(9223372036854775807,), }", 24, ILEX_E_OVERFLOW},
        {1, HEAD "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3), }", 24, ILEX_E_LIMIT},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        put_npy(rows[i].major, rows[i].text, rows[i].bytes);
        ck_assert_msg(!ilex_npy_read(ctx, path), "row %zu was read", i);
        ck_assert_msg(ilex_error_code(ctx) == rows[i].code, "row %zu: %s", i,
                      ilex_error_text(ctx));
        ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), path));
        take_error();
    }
}
END_TEST

START_TEST(refused_files)
{
    static const struct {
        const char *data;
        size_t bytes;
        ilex_status code;
    } rows[] = {
        {"", 0, ILEX_E_FORMAT},
        {"\x93NUMPY\1\0\2", 9, ILEX_E_FORMAT},
        {"\x93NUMPZ\1\0\2\0{}", 12, ILEX_E_FORMAT},
        {"\x93NUMPY\1\1\2\0{}", 12, ILEX_E_UNSUPPORTED},
        {"\x93NUMPY\1\0\3\0{}", 12, ILEX_E_FORMAT},
        {"\x93NUMPY\2\0\3\0\0", 11, ILEX_E_FORMAT},
        {"\x93NUMPY\2\0\3\0\0\x7f", 12, ILEX_E_LIMIT},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        put_file(path, rows[i].data, rows[i].bytes);
        ck_assert_ptr_null(ilex_npy_read(ctx, path));
        ck_assert_msg(take_error() == rows[i].code, "row %zu", i);
    }
    ck_assert_ptr_null(ilex_npy_read(ctx, directory));
    ck_assert_int_eq(take_error(), ILEX_E_FILE);
    ck_assert_ptr_null(ilex_npy_read(ctx, "/dev/null"));
    ck_assert_int_eq(take_error(), ILEX_E_FILE);
    ck_assert_ptr_null(ilex_npy_read(ctx, "/nowhere/at/all.npy"));
    ck_assert_ptr_nonnull(strstr(ilex_error_text(ctx), "No such file"));
    ck_assert_int_eq(take_error(), ILEX_E_FILE);
    ck_assert_ptr_null(ilex_npy_read(NULL, NULL));
}
END_TEST

/* Bytes of a good file changed, cut or repeated: an error or an array, never
 * more. */
START_TEST(mutations)
{
    static const char text[] =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }     \n";
    char good[512], bad[1024];
    size_t length = put_npy(2, text, 48);
    ck_assert_uint_eq(get_file(path, good, sizeof good), length);
    int read = 0;
    for (int i = 0; i < 5000; i++) {
        size_t n = length;
        memcpy(bad, good, length);
        for (int64_t k = draw(3); k >= 0; k--)
            bad[draw(draw(2) ? 12 : (int64_t)length)] =
                draw(2) ? (char)draw(256) : good[draw((int64_t)length)];
        if (draw(8) == 0)
            n = (size_t)draw((int64_t)length);
        if (draw(8) == 0)
            bad[n++] = 1;
        put_file(path, bad, n);
        ilex_storage *s = ilex_npy_read(ctx, path);
        ck_assert_int_eq(s != NULL, take_error() == ILEX_OK);
        read += s != NULL;
        ilex_storage_release(s);
    }
    ck_assert_int_gt(read, 20);
}
END_TEST

/* ---- writing that fails ---- */

START_TEST(write_fails_cleanly)
{
    ilex_storage *s = ilex_storage_ones(ctx, ILEX_F64, 2, SHAPE(5, 6));
    ilex_storage *v = ilex_storage_transpose(ctx, s, (int[]){1, 0});
    ilex_storage *w = ilex_storage_slice(ctx, v, 0, 0, 6, 2);
    put_file(path, "old", 3);
    for (int n = 0; n < 2; n++) {
        heap.left = n;
        ck_assert_int_eq(ilex_npy_write(ctx, path, w), ILEX_E_MEMORY);
        heap.left = -1;
        ck_assert_int_eq(take_error(), ILEX_E_MEMORY);
        ck_assert_int_eq(count_files(), 1);
    }
    char old[4] = "";
    ck_assert_uint_eq(get_file(path, old, sizeof old), 3);
    ck_assert_int_eq(ilex_npy_write(ctx, "/nowhere/a.npy", s), ILEX_E_FILE);
    take_error();
    ck_assert_int_eq(ilex_npy_write(ctx, directory, s), ILEX_E_FILE);
    take_error();
    ck_assert_int_eq(ilex_npy_write(ctx, "/dev/full", s), ILEX_E_FILE);
    take_error();
    ck_assert_int_eq(ilex_npy_write(ctx, NULL, s), ILEX_E_ARGUMENT);
    take_error();
    ilex_storage_release(s);
    ilex_storage_release(v);
    ilex_storage_release(w);
}
END_TEST

START_TEST(links_and_rights)
{
    struct stat st;
    char link[128];
    mode_t mask = umask(027);
    snprintf(link, sizeof link, "%s/link", directory);
    ilex_storage *s = ilex_storage_ones(ctx, ILEX_F64, 1, SHAPE(3));
    ck_assert_int_eq(ilex_npy_write(ctx, path, s), ILEX_OK);
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert_int_eq(ilex_npy_write(ctx, link, s), ILEX_OK);
    ck_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
    ilex_storage *r = ilex_npy_read(ctx, link);
    ck_assert_ptr_nonnull(r);
    unlink(link);
    umask(mask);
    ilex_storage_release(r);
    ilex_storage_release(s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("npy");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, open_directory, close_directory);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_dtype);
    tcase_add_test(tests, odd_shapes);
    tcase_add_test(tests, gathered_in_blocks);
    tcase_add_test(tests, bytes_as_numpy);
    tcase_add_test(tests, versions_and_orders);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, refused_files);
    tcase_add_test(tests, mutations);
    tcase_add_test(tests, write_fails_cleanly);
    tcase_add_test(tests, links_and_rights);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
