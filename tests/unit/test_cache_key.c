/* SPDX-License-Identifier: MIT
 *
 * What the disk cache knows a program by, and what it does not load though it
 * has the right name. The C compiler counts how often it is started.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/cache_cc_fixture.h"

/* ---- keys ---- */

/* Changes one thing at a time: each is another key, and the reason of the miss
 * names it. */
START_TEST(keys_hold_everything)
{
    static const char *const sources[] = {twice, "int other;\n"};
    static const char *const symbols[] = {"k", "k"};
    static const char *const words[] = {"is used",
                                        "no entry has the same source",
                                        "command was",
                                        "command was",
                                        "symbols was",
                                        "compiler was",
                                        "no entry has the same source"};
    single s;
    for (int i = 0; i < (int)IX_COUNT(words); i++) {
        struct timespec old[2] = {{1, 0}, {1, 0}};
        remove_place();
        make_compiler();
        ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
        request(&s, i == 1 ? thrice : twice, IX_CACHE_MODE_RW);
        if (i == 2)
            s.req.cflags_opt = "-O1";
        s.req.needs_math = i == 3;
        if (i == 4) {
            s.req.symbols = symbols;
            s.req.nsymbols = 2;
        }
        if (i == 5)
            ck_assert_int_eq(utimensat(AT_FDCWD, counting, old, 0), 0);
        if (i == 6) {
            s.req.sources = sources;
            s.req.nsources = 2;
        }
        forget_starts();
        void *entries[2];
        ix_code *code =
            ix_jit_cc_compile(&ix_mem_default, &s.req, entries, &error);
        ck_assert_msg(code != NULL, "%s", error.text);
        ck_assert(call(entries[0], 1.0) == (i == 1 ? 3 : 2));
        ix_code_release(code);
        ck_assert_msg(strstr(notes, words[i]), "row %d: %s", i, notes);
        ck_assert_msg((starts("-std") > 0) == (i > 0), "row %d", i);
        ck_assert_int_eq(count_entries(NULL, NULL), i > 0 ? 2 : 1);
    }
}
END_TEST

/* The compiler is what links lead to. */
START_TEST(keys_follow_links)
{
    single s;
    char path[140];
    snprintf(path, sizeof path, "%s.link", counting);
    ck_assert_int_eq(symlink("/usr/bin/cc", path), 0);
    request(&s, twice, IX_CACHE_MODE_RW);
    s.req.cc = path;
    ck_assert(compile_and_call(&s.req) == 2);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink(counting, path), 0);
    request(&s, twice, IX_CACHE_MODE_RW);
    s.req.cc = path;
    ck_assert(compile_and_call(&s.req) == 2);
    ck_assert_msg(strstr(notes, "compiler was"), "%s", notes);
    ck_assert_int_eq(starts("-std"), 1);
}
END_TEST

/* Code for another processor is not found. */
START_TEST(keys_hold_the_processor)
{
    single s;
    char name[IX_CACHE_NAME + 1];
    ix_cache_entry e;
    ix_cache_key key;
    compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
    ck_assert_int_eq(count_entries(NULL, name), 1);
    int dir = open_place();
    ck_assert_int_eq(
        ix_cache_entry_read(dir, name, &ix_mem_default, &e, NULL, &why),
        IX_CACHE_VALID);
    ix_cache_key_init(&key, &ix_mem_default);
    ix_text_put_n(&key.text, e.key, e.key_length);
    char *features = strstr(key.text.data, "-linux ");
    ck_assert_ptr_nonnull(features);
    features += strlen("-linux 01234567");
    ck_assert_ptr_nonnull(strpbrk(features, "0123456789abcdef"));
    *features = *features == '0' ? '1' : '0';
    ck_assert(ix_cache_key_end(&key));
    ix_cache_content c = {&key, "", e.object, e.object_length};
    ck_assert(ix_cache_entry_write(dir, &c, &why));
    ix_cache_entry_free(&e);
    ix_cache_key_free(&key);
    ck_assert_int_eq(unlinkat(dir, name, 0), 0);
    close(dir);
    forget_starts();
    compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
    ck_assert_msg(strstr(notes, "differs: machine was '"), "%s", notes);
    ck_assert_int_eq(starts("-std"), 1);
}
END_TEST

/* ---- what is not loaded ---- */

/* Stores bytes under the key of "twice", with the right sum. */
static void
store_as_twice(const void *bytes, size_t n)
{
    single s;
    char name[IX_CACHE_NAME + 1];
    ix_cache_entry e;
    ix_cache_key key;
    remove_place();
    make_compiler();
    compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
    ck_assert_int_eq(count_entries(NULL, name), 1);
    int dir = open_place();
    ck_assert_int_eq(
        ix_cache_entry_read(dir, name, &ix_mem_default, &e, NULL, &why),
        IX_CACHE_VALID);
    ix_cache_key_init(&key, &ix_mem_default);
    ix_text_put_n(&key.text, e.key, e.key_length);
    ck_assert(ix_cache_key_end(&key));
    ck_assert_str_eq(key.name, name);
    ix_cache_entry_free(&e);
    ix_cache_content c = {&key, "", bytes, n};
    ck_assert(ix_cache_entry_write(dir, &c, &why));
    ix_cache_key_free(&key);
    close(dir);
}

/* An object that is no good does not load though its sum is right; it is made
 * anew. */
START_TEST(objects_that_do_not_load)
{
    static const char text[] = "no object";
    static unsigned char other[1 << 16];
    single s;
    char path[200];
    for (int i = 0; i < 3; i++) {
        size_t n = sizeof text;
        if (i > 0) { /* without the function; with start-up code */
            snprintf(path, sizeof path,
                     "echo 'int g;' | /usr/bin/cc -fPIC -shared %s -o %s/g.so "
                     "-x c -",
                     i == 1 ? "-nostdlib" : "", top);
            ck_assert_int_eq(system(path), 0);
            snprintf(path, sizeof path, "%s/g.so", top);
            n = read_bytes(path, other, sizeof other);
        }
        store_as_twice(i == 0 ? (const void *)text : other, n);
        forget_starts();
        ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
        ck_assert_int_eq(starts("-std"), 1);
        ck_assert_msg(strstr(notes, "cache: miss") && strstr(notes, "the comp"),
                      "%s", notes);
        ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RO)) == 2);
    }
}
END_TEST

/* A damaged entry is no hit, says why, and is replaced. */
START_TEST(damage_costs_a_compile)
{
    static char file[1 << 16];
    char name[IX_CACHE_NAME + 1];
    single s;
    compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
    ck_assert_int_eq(count_entries(NULL, name), 1);
    size_t n = read_bytes(in_place(name), file, sizeof file);
    file[n / 2] ^= 1;
    write_bytes(in_place(name), file, n);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RO)) == -1);
    ck_assert_msg(strstr(notes, "its sum is wrong"), "%s", notes);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == -1);
    ck_assert_int_eq(count_entries(NULL, NULL), 0); /* nobody needs it */
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    forget_starts();
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert_int_eq(starts("-std"), 0);
}
END_TEST

/* A compiler that leaves nothing usable leaves no entry. */
START_TEST(failures_are_not_stored)
{
    single s;
    write_bytes(counting, "#!/bin/sh\necho text >k.so\n", 26);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == -1);
    ck_assert_int_eq(error.code, ILEX_E_TOOLCHAIN);
    ck_assert_int_eq(count_entries(NULL, NULL), 0);
}
END_TEST

/* ---- suite ---- */

int
main(void)
{
    Suite *s = suite_create("cache_key");
    TCase *tc = tcase_create("cache_key");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_compiler, remove_place);
    tcase_add_test(tc, keys_hold_everything);
    tcase_add_test(tc, keys_follow_links);
    tcase_add_test(tc, keys_hold_the_processor);
    tcase_add_test(tc, objects_that_do_not_load);
    tcase_add_test(tc, damage_costs_a_compile);
    tcase_add_test(tc, failures_are_not_stored);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
