/* SPDX-License-Identifier: MIT
 *
 * The disk cache in front of the C compiler: a compiler that counts how often
 * it is started, modes, what is in a key, entries that load badly, options.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/cache_fixture.h"
#include "tests/unit/jit_fixture.h"

#include <signal.h>
#include <time.h>

#include "ilex/expr.h"
#include "ilex/program.h"
#include "ilex/storage.h"

static const char thrice[] = "double k(double x)\n{\n    return 3.0 * x;\n}\n";

/* ---- a compiler that counts ---- */

static char counting[120], counted[120];

/* Each start adds a line to a file: its first argument. */
static void
make_compiler(void)
{
    char script[400];
    make_place();
    snprintf(counting, sizeof counting, "%s/cc", top);
    snprintf(counted, sizeof counted, "%s/starts", top);
    int n = snprintf(script, sizeof script,
                     "#!/bin/sh\necho \"$1\" >>%s\nexec /usr/bin/cc \"$@\"\n",
                     counted);
    write_bytes(counting, script, (size_t)n);
    ck_assert_int_eq(chmod(counting, 0700), 0);
    ix_error_clear(&error);
}

/* How often it was started to compile, or with that argument; counts anew. */
static int
starts(const char *argument)
{
    char line[80];
    int n = 0;
    FILE *f = fopen(counted, "r");
    while (f && fgets(line, sizeof line, f))
        n += !strncmp(line, argument, strlen(argument));
    if (f)
        fclose(f);
    return n;
}

static void
forget_starts(void)
{
    unlink(counted);
}

/* ---- requests ---- */

static char notes[8000];

static void
add_note(void *user, ilex_level level, const char *text)
{
    (void)user;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s%s\n",
             level == ILEX_WARNING ? "warning: " : "", text);
}

static ix_jit_request *
request(single *s, const char *source, ix_cache_mode mode)
{
    single_of(s, source, "k");
    s->req.cc = counting;
    s->req.cache = (ix_cache_setup){
        .mode = mode, .directory = place, .size = 1 << 24, .note = add_note};
    ix_error_clear(&error);
    notes[0] = '\0';
    return &s->req;
}

/* Compiles and calls; -1 if that fails. */
static double
compile_and_call(const ix_jit_request *req)
{
    void *entry;
    ix_code *code = ix_jit_cc_compile(&ix_mem_default, req, &entry, &error);
    double r = code ? call(entry, 1.0) : -1.0;
    ix_code_release(code);
    return r;
}

/* The same without a compiler. */
static double
find_and_call(const ix_jit_request *req)
{
    void *entry;
    ix_code *code = ix_jit_cc_find(&ix_mem_default, req, &entry, &error);
    double r = code ? call(entry, 1.0) : -1.0;
    ix_code_release(code);
    return r;
}

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
    tcase_add_test(tc, locks_of_others);
    tcase_add_test(tc, keys_hold_everything);
    tcase_add_test(tc, keys_follow_links);
    tcase_add_test(tc, objects_that_do_not_load);
    tcase_add_test(tc, damage_costs_a_compile);
    tcase_add_test(tc, failures_are_not_stored);
    tcase_add_test(tc, directory_refused_once);
    tcase_add_test(tc, no_home);
    tcase_add_test(tc, options_of_programs);
    tcase_add_test(tc, automatic_programs);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
