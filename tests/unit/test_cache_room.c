/* SPDX-License-Identifier: MIT
 *
 * Where the disk cache is and how large it gets: directories that are not
 * trusted, the limit on what lies there, what dead writers left, disks that are
 * full or cannot be written to. No compiler runs.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/cache_fixture.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* ---- directories ---- */

static void
make_directory(const char *path, mode_t mode)
{
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
}

/* Is "path" below the scratch directory taken? If not, the reason holds
 * "word". */
static void
expect_directory(const char *path, bool create, const char *word)
{
    char full[200];
    snprintf(full, sizeof full, "%s/%s", top, path);
    ix_error_clear(&why);
    int dir = ix_cache_directory_open(&ix_mem_default, full, create, &why);
    ck_assert_msg((dir >= 0) == (word == NULL), "%s: %s", path, why.text);
    ck_assert_msg(!word || strstr(why.text, word), "%s: %s", path, why.text);
    if (dir >= 0)
        close(dir);
}

START_TEST(directories_of_this_user_alone)
{
    static const struct {
        const char *path;
        bool create;
        const char *word;
    } rows[] = {
        {"good", false, NULL},
        {"good/", false, NULL},
        {"./good", false, NULL},
        {"open/../good", false, NULL},
        {"open", false, "other users may enter"},
        {"group", false, "other users may enter"},
        {"wide/cache", true, "can be changed by other users"},
        {"sticky/cache", true, NULL},
        {"file", false, "is no directory"},
        {"file/cache", true, "is no directory"},
        {"link", false, "is a link"},
        {"way/good", false, NULL},
        {"far/good", false, NULL},
        {"loop/good", false, "leads nowhere"},
        {"none", false, "there is no directory"},
        {"none/cache", true, NULL},
        {"two/more/levels", true, "there is no directory"},
    };
    char path[200], to[200];
    make_directory(strcat(strcpy(path, top), "/good"), 0700);
    make_directory(strcat(strcpy(path, top), "/open"), 0755);
    make_directory(strcat(strcpy(path, top), "/group"), 0710);
    make_directory(strcat(strcpy(path, top), "/wide"), 0777);
    make_directory(strcat(strcpy(path, top), "/sticky"), 01777);
    write_bytes(strcat(strcpy(path, top), "/file"), "x", 1);
    ck_assert_int_eq(symlink("good", strcat(strcpy(path, top), "/link")), 0);
    ck_assert_int_eq(symlink(".", strcat(strcpy(path, top), "/way")), 0);
    ck_assert_int_eq(symlink(strcpy(to, top), /* absolute */
                             strcat(strcpy(path, top), "/far")),
                     0);
    ck_assert_int_eq(symlink("loop", strcat(strcpy(path, top), "/loop")), 0);
    for (size_t i = 0; i < IX_COUNT(rows); i++)
        expect_directory(rows[i].path, rows[i].create, rows[i].word);
}
END_TEST

START_TEST(directories_of_others)
{
    char path[200];
    if (geteuid() != 0)
        return;
    make_directory(strcat(strcpy(path, top), "/theirs"), 0700);
    make_directory(strcat(path, "/mine"), 0700);
    path[strlen(path) - strlen("/mine")] = '\0';
    ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    expect_directory("theirs", false, "belongs to another user");
    expect_directory("theirs/mine", false, "belongs to another user");
    ck_assert_int_eq(symlink(".", strcat(strcpy(path, top), "/trap")), 0);
    ck_assert_int_eq(lchown(path, NOBODY, NOBODY), 0);
    make_directory(strcat(strcpy(path, top), "/good"), 0700);
    expect_directory("good", false, NULL);
    expect_directory("trap/good", false, "belongs to another user");
}
END_TEST

/* A directory of root's is not trusted by others. */
static int
open_as_other(void)
{
    int dir = ix_cache_directory_open(&ix_mem_default, place, false, &why);
    return dir < 0 && strstr(why.text, "belongs to another user") ? 0 : 1;
}

START_TEST(directories_of_root)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chmod(top, 0755), 0);
    make_directory(place, 0755);
    ck_assert_int_eq(as_nobody(open_as_other), 0);
}
END_TEST

START_TEST(directories_by_default)
{
    static const struct {
        const char *given, *caches, *home, *path; /* NULL: no directory */
    } rows[] = {
        {"/given", "/caches", "/home", "/given"},
        {"", "/caches", "/home", "/caches/ilex"},
        {NULL, NULL, "/home/me", "/home/me/.cache/ilex"},
        {NULL, "relative", "/home/me", "/home/me/.cache/ilex"},
        {NULL, "", "", NULL},
        {NULL, NULL, "here", NULL},
        {NULL, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ix_text t;
        unsetenv("XDG_CACHE_HOME");
        unsetenv("HOME");
        if (rows[i].caches)
            setenv("XDG_CACHE_HOME", rows[i].caches, 1);
        if (rows[i].home)
            setenv("HOME", rows[i].home, 1);
        ix_text_init(&t, &ix_mem_default);
        ix_error_clear(&why);
        bool is = ix_cache_directory_path(rows[i].given, &t, &why);
        ck_assert_msg(is == (rows[i].path != NULL), "row %zu", i);
        ck_assert(is || strstr(why.text, "HOME"));
        if (is)
            ck_assert_str_eq(ix_text_string(&t), rows[i].path);
        ix_text_free(&t);
    }
}
END_TEST

/* ---- room ---- */

/* Stores through the cache with a limit; its bytes count to "name". */
static void
store(int64_t limit, const char *source, char *name)
{
    ix_cache c;
    ix_cache_key key;
    ix_cache_setup setup = {
        .mode = IX_CACHE_MODE_RW, .directory = place, .size = limit};
    ix_error_clear(&why);
    ix_cache_open(&c, &ix_mem_default, &setup, &why);
    ck_assert_msg(c.dir >= 0, "%s", why.text);
    make_key(&key, "cc", source);
    ix_cache_store(&c,
                   &(ix_cache_content){&key, "cc 1.0", object, sizeof object});
    if (name)
        strcpy(name, key.name);
    ix_cache_key_free(&key);
    ix_cache_close(&c);
}

static bool
is_there(const char *name)
{
    return access(in_place(name), F_OK) == 0;
}

/* The limit holds after every store, whatever lies in the directory; what was
 * used last stays. */
START_TEST(room_for_what_was_used_last)
{
    char name[6][IX_CACHE_NAME + 1], source[20] = "int f0;";
    int64_t one, bytes;
    store(1 << 20, source, name[0]);
    ck_assert_int_eq(count_entries(&one, NULL), 1);
    for (int i = 0; i < 6; i++) {
        source[5] = (char)('0' + i);
        store(4 * one + 20, source, name[i]);
        set_age(name[i], 1000 - 100 * i);
        if (i == 3) /* a hit */
            set_age(name[0], 10);
        count_entries(&bytes, NULL);
        ck_assert_int_le(bytes, 4 * one + 20);
    }
    ck_assert(is_there(name[0]) && !is_there(name[1]) && !is_there(name[2]));
    ck_assert(is_there(name[3]) && is_there(name[4]) && is_there(name[5]));
    write_bytes(in_place("notes.txt"), object, 21); /* counts, and stays */
    store(4 * one + 20, "int f6;", NULL);
    ck_assert(is_there("notes.txt") && !is_there(name[3]));
    ck_assert_int_eq(count_entries(&bytes, NULL), 4);
    ck_assert_int_le(bytes, 4 * one + 20);
    store(one, "int f7;", NULL); /* does not fit beside what stays */
    ck_assert_int_eq(count_entries(&bytes, NULL), 1);
    ck_assert(is_there("notes.txt"));
}
END_TEST

/* Nothing is removed for what will not fit in any case. */
START_TEST(room_for_what_is_too_large)
{
    int64_t one;
    store(1 << 20, "int f;", NULL);
    count_entries(&one, NULL);
    store(one, "int f; /* longer */", NULL);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
}
END_TEST

/* A hit makes an entry the newest, at most once a minute. */
START_TEST(room_touched_by_hits)
{
    static const struct {
        long age;
        bool touched;
    } rows[] = {{30, false}, {1000, true}, {-1000, true}};
    char name[IX_CACHE_NAME + 1];
    store(1 << 20, "int f;", name);
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        ix_cache c;
        ix_cache_key key;
        ix_cache_entry e;
        struct stat s;
        ix_cache_setup setup = {.mode = IX_CACHE_MODE_RW, .directory = place};
        set_age(name, rows[i].age);
        ix_cache_open(&c, &ix_mem_default, &setup, &why);
        ck_assert(
            ix_cache_look_up(&c, make_key(&key, "cc", "int f;"), &e, &why));
        ix_cache_entry_free(&e);
        ix_cache_key_free(&key);
        ix_cache_close(&c);
        ck_assert_int_eq(stat(in_place(name), &s), 0);
        ck_assert_msg((labs(s.st_mtim.tv_sec - time(NULL)) < 5) ==
                          rows[i].touched,
                      "row %zu", i);
    }
}
END_TEST

/* Temporary files whose writer is dead, or that are old, go with the next
 * store; those of the living stay. */
START_TEST(room_swept)
{
    enum { LARGE = 1 << 26 };
    char mine[80], dead[80], far[] = "tmp.0123456789abcdef.1.0";
    ix_cache_files l;
    int dir = open_place();
    ix_cache_key key;
    void *large = calloc(1, LARGE);
    ck_assert_ptr_nonnull(large);
    ix_cache_content c = {make_key(&key, "cc", "int f;"), "", large, LARGE};
    pid_t pid = fork();
    if (pid == 0) {
        ix_cache_entry_write(dir, &c, NULL);
        _exit(0);
    }
    ix_cache_key_free(&key);
    free(large);
    for (l.n = 0; l.n == 0;) { /* it has begun */
        ck_assert(ix_cache_list(dir, &ix_mem_default, "", &l, &why));
        if (l.n == 0)
            ix_cache_files_free(&l);
    }
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(l.file[0].kind, IX_CACHE_TEMPORARY);
    strcpy(dead, l.file[0].name);
    ix_cache_files_free(&l);
    snprintf(mine, sizeof mine, "%.21s%ld.0123", dead, (long)getpid());
    write_bytes(in_place(mine), "x", 1);
    write_bytes(in_place(far), "x", 1);
    ck_assert(ix_cache_is_orphan(dead) && !ix_cache_is_orphan(mine));
    ck_assert(!ix_cache_is_orphan(far) && !ix_cache_is_orphan("tmp.x"));
    store(1 << 20, "int f;", NULL);
    ck_assert(!is_there(dead) && is_there(mine) && is_there(far));
    set_age(mine, 4000);
    set_age(far, 4000);
    store(1 << 20, "int f;", NULL);
    ck_assert(!is_there(mine) && !is_there(far));
    close(dir);
}
END_TEST

/* ---- disks ---- */

static char note[4000];

static void
keep_note(void *user, ilex_level level, const char *text)
{
    (void)user;
    (void)level;
    snprintf(note, sizeof note, "%s", text);
}

/* Stores an object of 100 kB; the note says what came of it. */
static int
store_large(void)
{
    static char large[100000];
    ix_cache c;
    ix_cache_key key;
    ix_cache_setup setup = {.mode = IX_CACHE_MODE_RW,
                            .directory = place,
                            .size = 1 << 30,
                            .note = keep_note};
    note[0] = '\0';
    ix_cache_open(&c, &ix_mem_default, &setup, &why);
    make_key(&key, "cc", "int f;");
    ix_cache_store(&c, &(ix_cache_content){&key, "", large, sizeof large});
    ix_cache_key_free(&key);
    ix_cache_close(&c);
    return strstr(note, "not stored") ? 0 : 1;
}

static int
store_limited(void)
{
    struct rlimit most = {50000, 50000}; /* beyond it waits a signal */
    setrlimit(RLIMIT_FSIZE, &most);
    return store_large() || !strstr(note, "large") ||
           count_entries(NULL, NULL) != 0;
}

/* A file that cannot be written to its end leaves nothing. */
START_TEST(disk_limit)
{
    int status;
    close(open_place());
    pid_t pid = fork();
    if (pid == 0)
        _exit(store_limited());
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(disk_full)
{
    make_directory(place, 0700);
    if (mount("tmpfs", place, "tmpfs", 0, "size=64k,mode=700") != 0)
        return; /* not root, or not allowed: disk_limit is left */
    int bad = store_large();
    int left = count_entries(NULL, NULL);
    store(1 << 20, "int f;", NULL); /* a small one fits */
    int small = count_entries(NULL, NULL);
    ck_assert_int_eq(umount(place), 0);
    ck_assert_msg(!bad && strstr(note, "No space left"), "%s", note);
    ck_assert_int_eq(left, 0);
    ck_assert_int_eq(small, 1);
}
END_TEST

static int
use_read_only(void)
{
    ix_cache c;
    ix_cache_key key;
    ix_cache_entry e;
    ix_cache_setup setup = {.mode = IX_CACHE_MODE_RW, .directory = place};
    ix_error_clear(&why);
    ix_cache_open(&c, &ix_mem_default, &setup, &why);
    bool hit = ix_cache_look_up(&c, make_key(&key, "cc", "int f;"), &e, &why);
    if (hit)
        ix_cache_entry_free(&e);
    ix_cache_key_free(&key);
    ix_cache_close(&c);
    return !hit || store_large() || !strstr(note, "denied");
}

/* What is there is used; what would be new is not kept, and that is said. */
START_TEST(disk_read_only)
{
    char name[IX_CACHE_NAME + 1];
    store(1 << 20, "int f;", name);
    ck_assert_int_eq(unlink(in_place("lock")), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(in_place(name), NOBODY, NOBODY), 0);
        ck_assert_int_eq(chown(place, NOBODY, NOBODY), 0);
        ck_assert_int_eq(chmod(top, 0755), 0);
    }
    ck_assert_int_eq(chmod(place, 0500), 0);
    ck_assert_int_eq(as_nobody(use_read_only), 0);
    ck_assert_int_eq(chmod(place, 0700), 0);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
}
END_TEST

/* ---- suite ---- */

static TCase *
directories(void)
{
    TCase *tc = tcase_create("directories");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, make_place, remove_place);
    tcase_add_test(tc, directories_of_this_user_alone);
    tcase_add_test(tc, directories_of_others);
    tcase_add_test(tc, directories_of_root);
    tcase_add_test(tc, directories_by_default);
    tcase_add_test(tc, room_for_what_was_used_last);
    tcase_add_test(tc, room_for_what_is_too_large);
    tcase_add_test(tc, room_touched_by_hits);
    tcase_add_test(tc, room_swept);
    tcase_add_test(tc, disk_limit);
    tcase_add_test(tc, disk_full);
    tcase_add_test(tc, disk_read_only);
    return tc;
}

int
main(void)
{
    Suite *s = suite_create("cache_room");
    suite_add_tcase(s, directories());
    return run_suite(s);
}
