/* SPDX-License-Identifier: MIT
 *
 * The cc loader: flags and commands, compilers that fail, hang, lie or print
 * nonsense, hosts with unusual settings, and the check of what is loaded.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/jit_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/jit/code.h"

START_TEST(cc_bad_requests)
{
    static const struct {
        const char *cc, *flags, *word;
        ilex_status code;
    } rows[] = {
        {"/nonexistent/cc", NULL, "/nonexistent/cc", ILEX_E_TOOLCHAIN},
        {"/dev/null", NULL, "/dev/null", ILEX_E_TOOLCHAIN},
        {"cc", NULL, "absolute", ILEX_E_ARGUMENT},
        {"", NULL, "absolute", ILEX_E_ARGUMENT},
        {"/bin/false", NULL, "status 1", ILEX_E_TOOLCHAIN},
        {"/bin/true", NULL, "no object", ILEX_E_TOOLCHAIN},
        {NULL, "-ffast-math", "-ffast-math", ILEX_E_ARGUMENT},
        {NULL, "-O2 -fplugin=x.so", "-fplugin", ILEX_E_ARGUMENT},
        {NULL, "-Ofast", "-Ofast", ILEX_E_ARGUMENT},
        {NULL, "@file", "@file", ILEX_E_ARGUMENT},
        {NULL, "-march=x;y", "-march", ILEX_E_ARGUMENT},
        {NULL, "-march=", "-march", ILEX_E_ARGUMENT},
    };
    int files = count_files();
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        single s;
        void *entry;
        single_of(&s, twice, "k");
        s.req.cc = rows[i].cc;
        s.req.cflags_opt = rows[i].flags;
        ix_error_clear(&error);
        ck_assert_ptr_null(
            ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error));
        ck_assert_msg(error.code == rows[i].code, "row %zu: %s", i, error.text);
        ck_assert_msg(strstr(error.text, rows[i].word) != NULL, "row %zu: %s",
                      i, error.text);
    }
    ck_assert_int_eq(count_files(), files);
}
END_TEST

START_TEST(cc_flags_and_command)
{
    const char *sources[] = {"double f(double x) { return x; }\n", twice};
    const char *symbol = "k";
    ix_jit_request req = {.sources = sources,
                          .nsources = 2,
                          .symbols = &symbol,
                          .nsymbols = 1,
                          .needs_math = true,
                          .cc = "/usr/bin/cc",
                          .cflags_opt = " -O1  -g "};
    void *entry;
    ix_code *code = ix_jit_cc_compile(&ix_mem_default, &req, &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ix_code_release(code);
    char *text = ix_jit_cc_command(&ix_mem_default, &req, &error);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "-O1 -g -c -o k1.o -x c -\n"));
    ck_assert_ptr_nonnull(strstr(text, "-o k.so k0.o k1.o -lm\n"));
    ix_mem_free(&ix_mem_default, text);
    req.nsources = 1;
    req.needs_math = false;
    text = ix_jit_cc_command(&ix_mem_default, &req, &error);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "-o k.so -x c -\n"));
    ck_assert_ptr_null(strstr(text, "-lm"));
    ix_mem_free(&ix_mem_default, text);
}
END_TEST

START_TEST(cc_fake_compilers)
{
    static const struct {
        const char *script, *word;
    } rows[] = {
        {"sleep 30",
         "time limit of 0.15 s is over; allow more (option cc_timeout"},
        {"sleep 30 & sleep 30", "time limit"},
        {"trap '' TERM; while :; do :; done", "time limit"},
        {"while :; do echo 0123456789abcdef; done", "time limit"},
        {"exec 1>&- 2>&-; sleep 30", "time limit"},
        {"printf 'a\\001\\033[31mb\\n' >&2; exit 3", "a??[31mb"},
        {"kill -SEGV $$", "signal 11"},
        {"echo text > k.so", "too short"},
        {"head -c 4096 /dev/zero > k.so", "not an ELF file"},
        {"ln -s /etc/passwd k.so", "no object"},
        {"mkfifo k.so", "no object"},
        {"echo left > other; exit 1", "status 1"},
        {"[ -z \"$HOME$LD_PRELOAD$USER\" ] && [ \"$LC_ALL\" = C ] && "
         "[ \"$TMPDIR\" = \"$PWD\" ] || exit 4; exit 5",
         "status 5"},
    };
    char path[80];
    int files = count_files();
    setenv("HOME", "/tmp", 1);
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        single s;
        void *entry;
        single_of(&s, twice, "k");
        write_compiler(path, sizeof path, rows[i].script);
        s.req.cc = path;
        s.req.timeout_ms =
            strncmp(rows[i].word, "time limit", 10) ? 20000 : 150;
        ix_error_clear(&error);
        ck_assert_ptr_null(
            ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error));
        ck_assert_int_eq(error.code, ILEX_E_TOOLCHAIN);
        ck_assert_msg(strstr(error.text, rows[i].word) != NULL, "row %zu: %s",
                      i, error.text);
        ck_assert_int_eq(count_left(scratch), 0);
    }
    unlink(path);
    ck_assert_int_eq(count_files(), files);
}
END_TEST

/* What a compiler started ends with it at the time limit. */
START_TEST(cc_process_group)
{
    char path[80], script[200];
    single s;
    void *entry;
    snprintf(script, sizeof script, "sleep 60 &\necho $! > %s.pid\nwait",
             scratch);
    write_compiler(path, sizeof path, script);
    single_of(&s, twice, "k");
    s.req.cc = path;
    s.req.timeout_ms = 1500;
    ck_assert_ptr_null(
        ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error));
    ck_assert_msg(strstr(error.text, "time limit") != NULL, "%s", error.text);
    unlink(path);
    long pid = take_pid();
    ck_assert_int_gt(pid, 0);
    bool ended = ends(pid);
    if (!ended)
        kill((pid_t)pid, SIGKILL);
    ck_assert_msg(ended, "process %ld goes on", pid);
}
END_TEST

/* Objects that a compiler makes from other flags, and what is wrong. */
/* Who still has the pipe when the compiler has ended is not waited for, and
 * ends if the compiler started it. */
START_TEST(cc_pipe_is_held)
{
    char path[80], script[200];
    single s;
    void *entry;
    snprintf(script, sizeof script,
             "sleep 60 &\necho $! > %s.pid\nexec /usr/bin/cc \"$@\"", scratch);
    write_compiler(path, sizeof path, script);
    single_of(&s, twice, "k");
    s.req.cc = path;
    s.req.timeout_ms = 30000;
    ix_code *code = ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entry, 3.0) == 6.0);
    ix_code_release(code);
    unlink(path);
    ck_assert(ends(take_pid()));
}
END_TEST

START_TEST(cc_foreign_objects)
{
    static const struct {
        const char *command, *word;
    } rows[] = {
        {"/usr/bin/cc -fPIC -shared -o k.so -x c -", "code when it is"},
        {"/usr/bin/cc -fPIC -shared -nostdlib -o k.so -x c - "
         "-Wl,-z,execstack",
         "executable stack"},
        {"/usr/bin/cc -fPIC -shared -nostdlib -o k.so -x c - "
         "-Wl,-rpath,/tmp",
         "search path"},
        {"/usr/bin/cc -fPIC -shared -nostdlib -o k.so -x c - "
         "-Wl,--no-as-needed -lpthread -ldl -lgcc_s",
         "another"},
        {"/usr/bin/cc -fPIC -c -o k.so -x c -", "not a shared object"},
    };
    char path[80];
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        single s;
        void *entry;
        single_of(&s, twice, "k");
        write_compiler(path, sizeof path, rows[i].command);
        s.req.cc = path;
        ix_error_clear(&error);
        ck_assert_ptr_null(
            ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error));
        ck_assert_msg(strstr(error.text, rows[i].word) != NULL ||
                          strstr(error.text, "other than") != NULL,
                      "row %zu: %s", i, error.text);
    }
    unlink(path);
}
END_TEST

START_TEST(cc_host_ignores_children)
{
    single s;
    void *entry;
    signal(SIGCHLD, SIG_IGN);
    ix_code *code = ix_jit_cc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    signal(SIGCHLD, SIG_DFL);
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entry, 1.0) == 2.0);
    ix_code_release(code);
}
END_TEST

static int
compile_without_streams(void)
{
    single s;
    void *entry;
    close(0);
    close(1);
    close(2);
    ix_code *code = ix_jit_cc_compile(&ix_mem_default,
                                      single_of(&s, twice, "k"), &entry, NULL);
    int bad = !code || call(entry, 1.0) != 2.0 || fcntl(0, F_GETFD) >= 0 ||
              fcntl(1, F_GETFD) >= 0 || fcntl(2, F_GETFD) >= 0;
    ix_code_release(code);
    return bad;
}

START_TEST(cc_standard_streams_closed)
{
    ck_assert_int_eq(in_child(compile_without_streams), 0);
}
END_TEST

START_TEST(cc_no_directory)
{
    single s;
    void *entry;
    setenv("ILEX_TMPDIR", "/nonexistent", 1);
    ck_assert_ptr_null(ix_jit_cc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, &error));
    ck_assert_int_eq(error.code, ILEX_E_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent"));
    unsetenv("ILEX_TMPDIR");
    setenv("TMPDIR", "/nonexistent/too", 1);
    ck_assert_ptr_null(ix_jit_cc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, NULL));
    setenv("TMPDIR", "not/absolute", 1);
    ix_error_clear(&error);
    ix_code *code = ix_jit_cc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ix_code_release(code);
    unsetenv("TMPDIR");
    setenv("ILEX_TMPDIR", scratch, 1);
}
END_TEST

static void
make_directory(const char *name, const char *file)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s/%s", scratch, name, file);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

/* What others left goes, once; not what somebody has locked, and nothing whose
 * name is another. */
START_TEST(cc_sweeps)
{
    char path[200];
    single s;
    void *entry;
    make_directory("ilex-cc-abcdef", "cc123.s");
    make_directory("ilex-cc-locked", "k.so");
    make_directory("ilex-mine", "k.so");
    snprintf(path, sizeof path, "%s/ilex-cc-locked", scratch);
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    ix_code *code = ix_jit_cc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ix_code_release(code);
    ck_assert_int_eq(count_left(scratch), 2);
    ck_assert_int_eq(count_left(path), 1);
    close(lock);
    snprintf(path, sizeof path, "rm -r %s/ilex-*", scratch);
    ck_assert_int_eq(system(path), 0);
}
END_TEST

/* Two objects are loaded at once: each keeps its own code. */
START_TEST(cc_two_objects)
{
    single s;
    void *a, *b;
    ix_code *first = ix_jit_cc_compile(&ix_mem_default,
                                       single_of(&s, twice, "k"), &a, &error);
    ix_code *second = ix_jit_cc_compile(
        &ix_mem_default,
        single_of(&s, "double k(double x) { return x * 3.0; }\n", "k"), &b,
        &error);
    ck_assert_msg(first && second, "%s", error.text);
    ck_assert(call(a, 1.0) == 2.0 && call(b, 1.0) == 3.0);
    ix_code_release(first);
    ck_assert(call(b, 1.0) == 3.0);
    ix_code_release(second);
}
END_TEST

/* Reads an object a compiler made, for the checks below. */
static size_t
read_object(unsigned char *image, size_t size)
{
    char name[80], path[80];
    snprintf(name, sizeof name, "%s.keep", scratch);
    char script[512];
    snprintf(script, sizeof script,
             "/usr/bin/cc -O2 -fPIC -shared -nostdlib -o k.so -x c - && "
             "cp k.so %s && exit 9",
             name);
    write_compiler(path, sizeof path, script);
    single s;
    void *entry;
    single_of(&s, twice, "k");
    s.req.cc = path;
    ck_assert_ptr_null(
        ix_jit_cc_compile(&ix_mem_default, &s.req, &entry, &error));
    unlink(path);
    FILE *f = fopen(name, "rb");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(image, 1, size, f);
    fclose(f);
    unlink(name);
    return n;
}

/* The check of objects reads nothing outside them, however damaged. */
START_TEST(elf_truncated_and_damaged)
{
    static unsigned char image[1 << 16];
    size_t n = read_object(image, sizeof image);
    ck_assert_ptr_null(ix_elf_check(image, n));
    for (size_t size = 0; size < n; size += size < 512 ? 1 : 61) {
        unsigned char *part = malloc(size + 1);
        memcpy(part, image, size);
        ix_elf_check(part, size);
        ck_assert(size >= 64 || ix_elf_check(part, size) != NULL);
        free(part);
    }
    unsigned char *copy = malloc(n);
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, image, n);
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 8) % (k < 2 ? 1024 : n)] = (unsigned char)seed;
        }
        ix_elf_check(copy, n);
    }
    free(copy);
}
END_TEST

/* ---- suite ---- */

static TCase *
cc(void)
{
    TCase *tc = tcase_create("cc");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_scratch, remove_scratch);
    tcase_add_test(tc, cc_bad_requests);
    tcase_add_test(tc, cc_flags_and_command);
    tcase_add_test(tc, cc_fake_compilers);
    tcase_add_test(tc, cc_process_group);
    tcase_add_test(tc, cc_pipe_is_held);
    tcase_add_test(tc, cc_foreign_objects);
    tcase_add_test(tc, cc_host_ignores_children);
    tcase_add_test(tc, cc_standard_streams_closed);
    tcase_add_test(tc, cc_no_directory);
    tcase_add_test(tc, cc_sweeps);
    tcase_add_test(tc, cc_two_objects);
    tcase_add_test(tc, elf_truncated_and_damaged);
    return tc;
}

int
main(void)
{
    Suite *s = suite_create("jit_cc");
    suite_add_tcase(s, cc());
    return run_suite(s);
}
