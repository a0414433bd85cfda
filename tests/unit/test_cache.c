/* SPDX-License-Identifier: MIT
 *
 * Files of the disk cache: sums, keys, entries and what damages them. No
 * compiler runs.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/cache_fixture.h"

#include "lib/base/sha256.h"

/* ---- sums ---- */

static void
sum_in_pieces(const char *text, size_t piece, bool instructions, char *hex)
{
    ix_sha256 s;
    unsigned char sum[IX_SHA256_BYTES];
    ix_sha256_start(&s);
    s.instructions = s.instructions && instructions;
    for (size_t at = 0, n = strlen(text); at < n; at += piece)
        ix_sha256_add(&s, text + at, n - at < piece ? n - at : piece);
    ix_sha256_end(&s, sum);
    for (int i = 0; i < IX_SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}

/* The examples of FIPS 180-4, and one of all lengths of the last block. */
START_TEST(sums_are_published_ones)
{
    static const char *const rows[][2] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijkl"
         "mnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char hex[65], plain[65], text[200];
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        for (size_t piece = 1; piece < 130; piece += 7)
            for (int way = 0; way < 2; way++) {
                sum_in_pieces(rows[i][0], piece, way, hex);
                ck_assert_str_eq(hex, rows[i][1]);
            }
    for (size_t n = 0; n < sizeof text; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        sum_in_pieces(text, 1000, true, hex);
        sum_in_pieces(text, 13, false, plain);
        ck_assert_str_eq(hex, plain);
    }
}
END_TEST

/* ---- keys ---- */

START_TEST(keys_have_names)
{
    ix_cache_key a, b, c, d;
    make_key(&a, "cc -O2 x", "int f;");
    make_key(&b, "cc -O2 x", "int f;");
    make_key(&c, "cc -O3 x", "int f;");
    make_key(&d, "cc -O2 x", "int g;");
    ck_assert(ix_cache_key_is_name(a.name));
    ck_assert_str_eq(a.name, b.name);
    ck_assert_str_ne(a.name, c.name);
    ck_assert_int_eq(strncmp(a.name, c.name, IX_CACHE_SOURCE_NAME), 0);
    ck_assert_int_ne(strncmp(a.name, d.name, IX_CACHE_SOURCE_NAME), 0);
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    ix_cache_key_differences(&c, a.text.data, a.text.length, &t);
    ck_assert_str_eq(ix_text_string(&t), "command was '-O2', is '-O3'");
    ix_text_free(&t);
    ix_cache_key_free(&c);
    make_key(&c, "cc -O2 -g x", "int f;");
    ix_text_init(&t, &ix_mem_default);
    ix_cache_key_differences(&c, a.text.data, a.text.length, &t);
    ck_assert_str_eq(ix_text_string(&t), "command was '', is '-g'");
    ix_text_free(&t);
    ck_assert(!ix_cache_key_is_name("lock"));
    ix_cache_key_free(&a);
    ix_cache_key_free(&b);
    ix_cache_key_free(&c);
    ix_cache_key_free(&d);
}
END_TEST

/* Parts cannot be told apart by where they are cut alone. */
START_TEST(keys_do_not_run_together)
{
    ix_cache_key a, b;
    char name[IX_CACHE_NAME + 1];
    ix_cache_key_init(&a, &ix_mem_default);
    ix_cache_key_init(&b, &ix_mem_default);
    ix_cache_key_add(&a, "source", "ab");
    ix_cache_key_add(&a, "source", "c");
    ix_cache_key_add(&b, "source", "a");
    ix_cache_key_add(&b, "source", "bc");
    ck_assert(ix_cache_key_end(&a) && ix_cache_key_end(&b));
    ck_assert_str_ne(a.name, b.name);
    for (size_t n = 0; n < a.text.length; n++) {
        char *part = malloc(n + 1);
        memcpy(part, a.text.data, n);
        ix_cache_key_name(part, n, name);
        ck_assert_str_ne(name, a.name);
        free(part);
    }
    static const char *const bad[] = {"",
                                      "source",
                                      "source ",
                                      "source 5\nab\n",
                                      "source 1\nab\n",
                                      "1 1\na\n",
                                      "source 99999999999999999999\na\n",
                                      "source -1\na\n",
                                      "source 1\na"};
    for (size_t i = 0; i < IX_COUNT(bad); i++)
        ck_assert(!ix_cache_key_name(bad[i], strlen(bad[i]), name));
    ix_cache_key_free(&a);
    ix_cache_key_free(&b);
}
END_TEST

/* ---- entries ---- */

static ix_cache_found
read_entry(int dir, const char *name)
{
    ix_cache_entry e;
    ix_error_clear(&why);
    ix_cache_found found =
        ix_cache_entry_read(dir, name, &ix_mem_default, &e, NULL, &why);
    if (found == IX_CACHE_VALID)
        ix_cache_entry_free(&e);
    return found;
}

START_TEST(entries_come_back)
{
    ix_cache_key key;
    ix_cache_entry e;
    struct stat s;
    umask(0);
    int dir = open_place();
    write_entry(dir, &key, "cc", "int f;");
    ck_assert_int_eq(stat(place, &s), 0);
    ck_assert_int_eq(s.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(in_place(key.name), &s), 0);
    ck_assert_int_eq(s.st_mode & 07777, 0600);
    ck_assert_int_eq(
        ix_cache_entry_read(dir, key.name, &ix_mem_default, &e, NULL, &why),
        IX_CACHE_VALID);
    ck_assert_uint_eq(e.object_length, sizeof object);
    ck_assert_int_eq(memcmp(e.object, object, sizeof object), 0);
    ck_assert_uint_eq(e.made_length, 6);
    ck_assert_uint_eq(e.key_length, key.text.length);
    ix_cache_entry_free(&e);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
    ix_cache_key_free(&key);
    umask(0777); /* of the host: entries can be read all the same */
    write_entry(dir, &key, "cc", "int f;");
    umask(022);
    ck_assert_int_eq(stat(in_place(key.name), &s), 0);
    ck_assert_int_eq(s.st_mode & 07777, 0600);
    ix_cache_key_free(&key);
    close(dir);
}
END_TEST

/* Cut off at every byte, every bit changed, one byte more. */
START_TEST(entries_damaged_anywhere)
{
    static char file[4096];
    ix_cache_key key;
    int dir = open_place();
    write_entry(dir, &key, "cc", "int f;");
    size_t n = read_bytes(in_place(key.name), file, sizeof file);
    int fd = open(in_place(key.name), O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        char bad = file[bit / 8] ^ (char)(1 << bit % 8);
        ck_assert_int_eq(pwrite(fd, &bad, 1, (off_t)bit / 8), 1);
        ck_assert_msg(read_entry(dir, key.name) == IX_CACHE_BAD, "bit %zu",
                      bit);
        ck_assert_int_eq(pwrite(fd, file + bit / 8, 1, (off_t)bit / 8), 1);
    }
    ck_assert_int_eq(read_entry(dir, key.name), IX_CACHE_VALID);
    ck_assert_int_eq(pwrite(fd, "", 1, (off_t)n), 1);
    ck_assert_int_eq(read_entry(dir, key.name), IX_CACHE_BAD);
    for (size_t cut = n; cut-- > 0;) {
        ck_assert_int_eq(ftruncate(fd, (off_t)cut), 0);
        ck_assert_int_eq(read_entry(dir, key.name), IX_CACHE_BAD);
    }
    close(fd);
    ix_cache_key_free(&key);
    close(dir);
}
END_TEST

/* What somebody may have done to the file of an entry. */
typedef enum damage {
    NOTHING,
    GONE,
    EMPTY,
    SHORT,
    SWAPPED,
    RENAMED,
    LINK,
    HARD_LINK,
    PIPE,
    FOLDER,
    WRITABLE,
    FOREIGN,
    NEWER,
    ZEROS
} damage;

static void
do_damage(damage d, const char *path, const char *other)
{
    static char file[4096];
    size_t n = read_bytes(path, file, sizeof file);
    if (d == SHORT || d == EMPTY)
        ck_assert_int_eq(truncate(path, d == EMPTY ? 0 : (off_t)n - 1), 0);
    if (d == GONE || d == LINK || d == PIPE || d == FOLDER || d == RENAMED)
        ck_assert_int_eq(unlink(path), 0);
    if (d == SWAPPED || d == RENAMED)
        ck_assert_int_eq(rename(other, path), 0);
    if (d == LINK)
        ck_assert_int_eq(symlink(other, path), 0);
    if (d == HARD_LINK)
        ck_assert_int_eq(link(path, in_place("second")), 0);
    if (d == PIPE)
        ck_assert_int_eq(mkfifo(path, 0600), 0);
    if (d == FOLDER)
        ck_assert_int_eq(mkdir(path, 0700), 0);
    if (d == WRITABLE)
        ck_assert_int_eq(chmod(path, 0620), 0);
    if (d == FOREIGN)
        ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    if (d == NEWER)
        file[8]++;
    if (d == ZEROS)
        memset(file, 0, n);
    if (d == NEWER || d == ZEROS)
        write_bytes(path, file, n);
}

START_TEST(entries_tampered_with)
{
    static const struct {
        damage d;
        ix_cache_found found;
        const char *word;
    } rows[] = {
        {NOTHING, IX_CACHE_VALID, ""},
        {GONE, IX_CACHE_ABSENT, "no such entry"},
        {EMPTY, IX_CACHE_BAD, "cut off"},
        {SHORT, IX_CACHE_BAD, "length"},
        {SWAPPED, IX_CACHE_BAD, "another entry"},
        {RENAMED, IX_CACHE_BAD, "another entry"},
        {LINK, IX_CACHE_BAD, "a link"},
        {HARD_LINK, IX_CACHE_BAD, "more than one name"},
        {PIPE, IX_CACHE_BAD, "no file"},
        {FOLDER, IX_CACHE_BAD, "no file"},
        {WRITABLE, IX_CACHE_BAD, "may write"},
        {FOREIGN, IX_CACHE_BAD, "another user"},
        {NEWER, IX_CACHE_BAD, "another format"},
        {ZEROS, IX_CACHE_BAD, "no entry"},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ix_cache_key key, other;
        if (rows[i].d == FOREIGN && geteuid() != 0)
            continue;
        int dir = open_place();
        write_entry(dir, &key, "cc", "int f;");
        write_entry(dir, &other, "cc", "int g;");
        do_damage(rows[i].d, in_place(key.name), in_place(other.name));
        ck_assert_msg(read_entry(dir, key.name) == rows[i].found, "row %zu: %s",
                      i, why.text);
        ck_assert_msg(strstr(why.text, rows[i].word) != NULL, "row %zu: %s", i,
                      why.text);
        ix_cache_key_free(&key);
        ix_cache_key_free(&other);
        close(dir);
        remove_place();
        make_place();
    }
}
END_TEST

/* ---- suite ---- */

static TCase *
files(void)
{
    TCase *tc = tcase_create("files");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_place, remove_place);
    tcase_add_test(tc, sums_are_published_ones);
    tcase_add_test(tc, keys_have_names);
    tcase_add_test(tc, keys_do_not_run_together);
    tcase_add_test(tc, entries_come_back);
    tcase_add_test(tc, entries_damaged_anywhere);
    tcase_add_test(tc, entries_tampered_with);
    return tc;
}

int
main(void)
{
    Suite *s = suite_create("cache");
    suite_add_tcase(s, files());
    return run_suite(s);
}
