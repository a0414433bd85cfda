/* SPDX-License-Identifier: MIT
 *
 * The disk cache in front of the C compiler: modes, several processes at once,
 * directories that cannot be used, options of programs.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/cache_cc_fixture.h"

#include <pthread.h>
#include <signal.h>

#include "ilex/expr.h"
#include "ilex/program.h"

/* ---- modes ---- */

START_TEST(modes)
{
    static const struct {
        ix_cache_mode mode;
        bool filled;
        double value;
        int starts, entries;
        const char *said, *failed;
    } rows[] = {
        {IX_CACHE_MODE_OFF, false, 2, 1, 0, "", ""},
        {IX_CACHE_MODE_RO, false, 2, 1, 0, "", ""},
        {IX_CACHE_MODE_RW, false, 2, 1, 1, "no such entry", ""},
        {IX_CACHE_MODE_MUST_HIT, false, -1, 0, 0, "", "must_hit"},
        {IX_CACHE_MODE_OFF, true, 2, 1, 1, "", ""},
        {IX_CACHE_MODE_RO, true, 2, 0, 1, "is used", ""},
        {IX_CACHE_MODE_RW, true, 2, 0, 1, "is used", ""},
        {IX_CACHE_MODE_MUST_HIT, true, 2, 0, 1, "is used", ""},
    };
    single s;
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        remove_place();
        make_compiler();
        if (rows[i].filled)
            compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
        forget_starts();
        ck_assert(compile_and_call(request(&s, twice, rows[i].mode)) ==
                  rows[i].value);
        ck_assert_msg(starts("-std") == rows[i].starts, "row %zu", i);
        ck_assert_int_eq(count_entries(NULL, NULL), rows[i].entries);
        ck_assert_msg(strstr(notes, rows[i].said), "row %zu: %s", i, notes);
        ck_assert_msg(strstr(error.text, rows[i].failed), "row %zu: %s", i,
                      error.text);
        ck_assert(rows[i].value > 0 || error.code == ILEX_E_TOOLCHAIN);
        ck_assert_msg(rows[i].mode == IX_CACHE_MODE_RW ||
                          access(in_place("lock"), F_OK) != 0 || rows[i].filled,
                      "row %zu writes", i);
    }
}
END_TEST

/* Finding never compiles and never fails. */
START_TEST(finds_without_a_compiler)
{
    single s;
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == -1);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_MUST_HIT)) == -1);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_OFF)) == -1);
    ck_assert_int_eq(error.code, ILEX_OK);
    ck_assert_int_eq(starts("-"), 0);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    forget_starts();
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_MUST_HIT)) == 2);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_OFF)) == -1);
    ck_assert_int_eq(starts("-"), 0);
    request(&s, twice, IX_CACHE_MODE_RW);
    s.req.cflags_opt = "-fplugin=x";
    ck_assert(find_and_call(&s.req) == -1);
    ck_assert_int_eq(error.code, ILEX_E_ARGUMENT);
}
END_TEST

/* The version is asked when something is stored, once in the process. */
START_TEST(asks_the_version_once)
{
    single s;
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert(compile_and_call(request(&s, thrice, IX_CACHE_MODE_RW)) == 3);
    ck_assert(compile_and_call(request(&s, thrice, IX_CACHE_MODE_RW)) == 3);
    ck_assert_int_eq(starts("--version"), 1);
    char name[IX_CACHE_NAME + 1];
    ix_cache_entry e;
    int dir = open_place();
    ck_assert_int_eq(count_entries(NULL, name), 2);
    ck_assert_int_eq(
        ix_cache_entry_read(dir, name, &ix_mem_default, &e, NULL, &why),
        IX_CACHE_VALID);
    ck_assert_uint_gt(e.made_length, 5);
    ix_cache_entry_free(&e);
    close(dir);
}
END_TEST

/* A wrapper stays as it is while the compiler behind it is exchanged. */
START_TEST(behind_a_wrapper)
{
    single s;
    char behind[140], script[700];
    snprintf(behind, sizeof behind, "%s/cc1", top);
    write_bytes(behind, "old", 3);
    int n = snprintf(script, sizeof script,
                     "#!/bin/sh\necho \"$1\" >>%s\n"
                     "[ \"$1\" = -print-prog-name=cc1 ] && echo %s && exit\n"
                     "exec /usr/bin/cc \"$@\"\n",
                     counted, behind);
    snprintf(counting, sizeof counting, "%s/wrapper", top);
    write_bytes(counting, script, (size_t)n);
    ck_assert_int_eq(chmod(counting, 0700), 0);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    forget_starts();
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_MUST_HIT)) ==
              2);
    ck_assert_int_eq(starts("-"), 0);
    write_bytes(behind, "newer", 5);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_MUST_HIT)) ==
              -1);
    ck_assert_msg(strstr(error.text, "was exchanged") != NULL, "%s",
                  error.text);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == -1);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert_int_eq(starts("-std"), 1);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    unlink(behind);
    ck_assert(find_and_call(request(&s, twice, IX_CACHE_MODE_RO)) == -1);
}
END_TEST

/* ---- several at once ---- */

enum { RANKS = 32 };

/* Ranks of a job that start together compile once. */
START_TEST(ranks_compile_once)
{
    single s;
    pid_t pid[RANKS];
    int status, begin[2];
    ck_assert_int_eq(pipe(begin), 0);
    for (int i = 0; i < RANKS; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            char go;
            close(begin[1]);
            status = (int)read(begin[0], &go, 1); /* until all are there */
            request(&s, twice, IX_CACHE_MODE_RW);
            _exit(compile_and_call(&s.req) == 2 ? 0 : 1);
        }
    }
    close(begin[0]);
    close(begin[1]);
    for (int i = 0; i < RANKS; i++) {
        ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(starts("-std"), 1);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
    ck_assert_int_eq(count_left(place), 2); /* the entry, the lock */
}
END_TEST

/* Compiles three programs over and over. */
static void *
compile_often(void *bad)
{
    static const char *const sources[] = {
        twice, thrice, "double k(double x)\n{\n    return 4.0 * x;\n}\n"};
    for (int i = 0; i < 30; i++) {
        single s;
        void *entry;
        ix_error err;
        ix_error_clear(&err);
        single_of(&s, sources[i % 3], "k");
        s.req.cache = (ix_cache_setup){
            .mode = IX_CACHE_MODE_RW, .directory = place, .size = 1 << 24};
        ix_code *code =
            ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &err);
        if (!code || call(entry, 1.0) != 2 + i % 3)
            atomic_store((atomic_bool *)bad, true);
        ix_code_release(code);
    }
    return NULL;
}

START_TEST(threads_share_a_cache)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    atomic_bool bad = false;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, compile_often, &bad),
                         0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    ck_assert(!bad);
    ck_assert_int_eq(count_entries(NULL, NULL), 3);
}
END_TEST

/* Takes the lock of the entry of "twice" in a child. */
static pid_t
hold_lock(void)
{
    char name[IX_CACHE_NAME + 1], byte;
    int ready[2];
    single s;
    compile_and_call(request(&s, twice, IX_CACHE_MODE_RW));
    ck_assert_int_eq(count_entries(NULL, name), 1);
    ck_assert_int_eq(unlink(in_place(name)), 0);
    forget_starts();
    ck_assert_int_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        bool waited;
        alarm(60);
        int lock = ix_cache_reserve(open_place(), name, 0, NULL, &waited);
        if (write(ready[1], lock >= 0 ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'y');
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* Who holds a lock and does not go on costs the limit; who died, nothing. */
START_TEST(locks_of_others)
{
    single s;
    char name[IX_CACHE_NAME + 1];
    struct timespec t[2];
    for (int killed = 0; killed < 2; killed++) {
        pid_t pid = hold_lock();
        if (killed) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        request(&s, twice, IX_CACHE_MODE_RW);
        s.req.timeout_ms = 3000;
        clock_gettime(CLOCK_MONOTONIC, &t[0]);
        ck_assert(compile_and_call(&s.req) == 2);
        clock_gettime(CLOCK_MONOTONIC, &t[1]);
        long seconds = t[1].tv_sec - t[0].tv_sec;
        ck_assert_msg(killed ? seconds < 3 : seconds >= 2, "%ld s", seconds);
        ck_assert_int_eq(starts("-std"), 1);
        ck_assert_int_eq(count_entries(NULL, NULL), 1);
        if (!killed) {
            atomic_bool stop = true;
            bool waited;
            ck_assert_int_eq(count_entries(NULL, name), 1);
            int dir = open_place(); /* nobody needs it any more */
            ck_assert_int_eq(ix_cache_reserve(dir, name, 60000, &stop, &waited),
                             -1);
            close(dir);
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
    }
}
END_TEST

/* ---- a cache that cannot be ---- */

/* Said once in the process, with must_hit an error each time. */
START_TEST(directory_refused_once)
{
    single s;
    ck_assert_int_eq(mkdir(place, 0700), 0);
    ck_assert_int_eq(chmod(place, 0750), 0);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert_msg(strstr(notes, "warning: the disk cache is not used") &&
                      strstr(notes, "other users may enter"),
                  "%s", notes);
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_RW)) == 2);
    ck_assert_str_eq(notes, "");
    ck_assert(compile_and_call(request(&s, twice, IX_CACHE_MODE_MUST_HIT)) ==
              -1);
    ck_assert_ptr_nonnull(strstr(error.text, "other users may enter"));
    ck_assert_int_eq(error.code, ILEX_E_TOOLCHAIN);
    ck_assert_int_eq(count_entries(NULL, NULL), 0);
}
END_TEST

/* Without HOME there is no cache, and nothing appears anywhere else. */
START_TEST(no_home)
{
    single s;
    char there[200];
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    ck_assert_int_eq(mkdir(place, 0700), 0);
    ck_assert_ptr_nonnull(getcwd(there, sizeof there));
    ck_assert_int_eq(chdir(place), 0);
    request(&s, twice, IX_CACHE_MODE_RW);
    s.req.cache.directory = NULL;
    ck_assert(compile_and_call(&s.req) == 2);
    ck_assert_int_eq(chdir(there), 0);
    ck_assert_msg(strstr(notes, "HOME"), "%s", notes);
    ck_assert_int_eq(count_entries(NULL, NULL), 0);
}
END_TEST

/* ---- programs ---- */

static ilex_context *
new_context(const char *size)
{
    ilex_context_spec spec = {.size = sizeof spec, .log = add_note};
    ilex_context *ctx = ilex_context_new(&spec);
    static const char *const options[][2] = {
        {"jit", "cc"}, {"cache", "rw"}, {"reuse", "0"}};
    for (size_t i = 0; i < IX_COUNT(options); i++)
        ck_assert_int_eq(ilex_option_set(ctx, options[i][0], options[i][1]),
                         ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "cache_dir", place), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "cache_size", size), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(ctx, "cc", counting), ILEX_OK);
    notes[0] = '\0';
    return ctx;
}

/* Compiles a program; the code is of the back end "name". */
static void
compile_text(ilex_context *ctx, const char *name)
{
    ilex_array *x = ilex_input(ctx, "x", ILEX_F64, "I:n");
    ilex_array *y = ilex_expr(ctx, "2*x + 1", "x", x, NULL);
    ilex_program *p = ilex_compile(ctx, 1, &y, NULL);
    ck_assert_msg(p != NULL, "%s", ilex_error_text(ctx));
    ck_assert_str_eq(ilex_program_backend(p), name);
    ilex_program_release(p);
}

/* The options reach the cache, and its reasons the log. */
START_TEST(options_of_programs)
{
    ilex_context *ctx = new_context("1M");
    compile_text(ctx, "cc");
    ck_assert_msg(strstr(notes, "cache: miss of") && strstr(notes, "stored"),
                  "%s", notes);
    notes[0] = '\0';
    compile_text(ctx, "cc");
    ck_assert_msg(strstr(notes, "is used"), "%s", notes);
    ck_assert_int_eq(starts("-std"), 1);
    ck_assert_int_eq(count_entries(NULL, NULL), 1);
    ilex_context_free(ctx);
    remove_place();
    make_compiler();
    ctx = new_context("1K");
    compile_text(ctx, "cc");
    ck_assert_msg(strstr(notes, "not stored") &&
                      strstr(notes, "cache_size=1024"),
                  "%s", notes);
    ck_assert_int_eq(count_entries(NULL, NULL), 0);
    ilex_context_free(ctx);
}
END_TEST

/* With jit=auto, code that cc made before is used at once; looking for it makes
 * no directory. */
START_TEST(automatic_programs)
{
    static const char *const words[] = {"tcc", "cc"};
    struct stat st;
    if (!ix_jit_tcc_available())
        return;
    for (int filled = 0; filled < 2; filled++) {
        ilex_context *ctx = new_context("1M");
        if (filled)
            compile_text(ctx, "cc");
        ilex_option_set(ctx, "jit", "auto");
        ilex_option_set(ctx, "tier_after", "never");
        forget_starts();
        compile_text(ctx, words[filled]);
        ck_assert_int_eq(starts("-"), 0);
        ck_assert_int_eq(stat(place, &st) == 0, filled);
        ilex_context_free(ctx);
    }
}
END_TEST

/* ---- suite ---- */

int
main(void)
{
    Suite *s = suite_create("cache_cc");
    TCase *tc = tcase_create("cache_cc");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_compiler, remove_place);
    tcase_add_test(tc, modes);
    tcase_add_test(tc, finds_without_a_compiler);
    tcase_add_test(tc, asks_the_version_once);
    tcase_add_test(tc, ranks_compile_once);
    tcase_add_test(tc, behind_a_wrapper);
    tcase_add_test(tc, threads_share_a_cache);
    tcase_add_test(tc, locks_of_others);
    tcase_add_test(tc, directory_refused_once);
    tcase_add_test(tc, no_home);
    tcase_add_test(tc, options_of_programs);
    tcase_add_test(tc, automatic_programs);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
