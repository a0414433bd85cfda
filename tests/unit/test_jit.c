/* SPDX-License-Identifier: MIT
 *
 * The code loaders: what compiles gives the right function, what does not
 * gives an error with the compiler's words, no page is ever writable and
 * executable, and every failing allocation is an error.
 */
#define _GNU_SOURCE
#include "tests/suite.h"
#include "tests/unit/jit_fixture.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>

typedef ix_code *(*loader)(const ix_mem *, const ix_jit_request *, void **,
                           ix_error *);
static const loader loaders[] = {ix_jit_tcc_compile, ix_jit_cc_compile};

/* Skips what needs libtcc where Ilex was built without it. */
static bool
skipped(loader f)
{
    return f == ix_jit_tcc_compile && !ix_jit_tcc_available();
}

/* ---- an allocator that counts and can fail ---- */

typedef struct counting {
    atomic_long live, calls, fail_at; /* fails at that call, 0 never */
    bool from_then_on;
} counting;

static void *
counting_resize(void *user, void *block, size_t bytes)
{
    counting *c = user;
    if (bytes == 0) {
        if (block)
            atomic_fetch_sub(&c->live, 1);
        free(block);
        return NULL;
    }
    long call_number = atomic_fetch_add(&c->calls, 1) + 1;
    long at = atomic_load(&c->fail_at);
    if (at && (call_number == at || (c->from_then_on && call_number > at)))
        return NULL;
    void *p = realloc(block, bytes);
    if (p && !block)
        atomic_fetch_add(&c->live, 1);
    return p;
}

/* Lines of the memory map; those that are writable and executable too. */
static void
read_maps(int *lines, int *rwx)
{
    char line[1024], *found;
    *lines = *rwx = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        ++*lines;
        found = strchr(line, ' ');
        *rwx += found && strncmp(found + 2, "wx", 2) == 0;
    }
    fclose(f);
}

/* ILEX_TEST_QUICK is set where an instrument such as valgrind runs the
 * program: slowly, and with executable pages of its own. */
static bool
instrumented(void)
{
    const char *quick = getenv("ILEX_TEST_QUICK");
    return quick && *quick;
}

static int
rounds(int n)
{
    return instrumented() ? n / 10 : n;
}

/* ---- both loaders ---- */

START_TEST(good_code_runs)
{
    single s;
    void *entry = NULL;
    if (skipped(loaders[_i]))
        return;
    ix_code *code =
        loaders[_i](&ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entry, 21.0) == 42.0);
    ix_code_retain(code);
    ix_code_release(code);
    ck_assert(call(entry, -0.5) == -1.0);
    ix_code_release(code);
    ix_code_release(NULL);
}
END_TEST

START_TEST(several_units)
{
    const char *sources[] = {
        "static double h(double x) { return x + 1.0; }\n"
        "double k0(double x) { double t = h(x); return t; }\n",
        "static double h(double x) { return x * 3.0; }\n"
        "double k1(double x) { double t = h(x); return t; }\n",
        "double rint(double);\nfloat sqrtf(float);\n"
        "double k2(double x) { double t = rint(x); return t; }\n"
        "double k3(double x) { float t = sqrtf((float)x); return t; }\n"};
    const char *symbols[] = {"k3", "k0", "k2", "k1"};
    void *entries[4] = {NULL};
    ix_jit_request req = {.sources = sources,
                          .nsources = 3,
                          .symbols = symbols,
                          .nsymbols = 4,
                          .needs_math = true};
    if (skipped(loaders[_i]))
        return;
    ix_code *code = loaders[_i](&ix_mem_default, &req, entries, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entries[0], 9.0) == 3.0);
    ck_assert(call(entries[1], 9.0) == 10.0);
    ck_assert(call(entries[2], 1.25) == 1.0);
    ck_assert(call(entries[3], 9.0) == 27.0);
    ix_code_release(code);
}
END_TEST

/* Memory functions and 64-bit conversions that compilers call by name. */
START_TEST(helper_functions)
{
    static const char source[] =
        "typedef unsigned long u64;\n"
        "void *memcpy(void *, const void *, unsigned long);\n"
        "void *memset(void *, int, unsigned long);\n"
        "double k(double x)\n"
        "{\n"
        "    double a[40] = {0}, b[40];\n"
        "    a[7] = x;\n"
        "    memcpy(b, a, sizeof a);\n"
        "    memset(a, 0, sizeof a);\n"
        "    u64 n = (u64)b[7];\n"
        "    u64 m = (u64)(float)b[7];\n"
        "    double s = (double)n;\n"
        "    float t = (float)m;\n"
        "    return s + t + a[7];\n"
        "}\n";
    single s;
    void *entry = NULL;
    if (skipped(loaders[_i]))
        return;
    ix_code *code = loaders[_i](&ix_mem_default, single_of(&s, source, "k"),
                                &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entry, 0x1p63) == 0x1p64);
    ck_assert(call(entry, 12345.0) == 24690.0);
    ck_assert(call(entry, 0x1.8p63) == 0x1.8p64);
    ix_code_release(code);
}
END_TEST

START_TEST(errors_are_told)
{
    static const struct {
        const char *source, *symbol, *word;
    } rows[] = {
        {"double k(double x)\n{\n    return x +; }\n", "k", "3"},
        {"double k(double x) { return x + y0; }\n", "k", "y0"},
        {"double kk(double x) { return x; }\n", "k", "k"},
        {"double other(double);\n"
         "double k(double x) { return other(x); }\n",
         "k", "other"},
        {"#include <stdio.h>\ndouble k(double x) { return x; }\n", "k",
         "stdio.h"},
        {"#error stop here\n", "k", "stop here"},
    };
    int files = count_files();
    if (skipped(loaders[_i]))
        return;
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        single s;
        void *entry = NULL;
        ix_error_clear(&error);
        ck_assert_ptr_null(loaders[_i](
            &ix_mem_default, single_of(&s, rows[i].source, rows[i].symbol),
            &entry, &error));
        ck_assert_int_eq(error.code, ILEX_E_TOOLCHAIN);
        ck_assert_msg(strstr(error.text, rows[i].word) != NULL, "row %zu: %s",
                      i, error.text);
    }
    ck_assert_int_eq(count_files(), files);
}
END_TEST

/* An error leaves nothing that disturbs the next compile, or its caller. */
START_TEST(no_error_record)
{
    single s;
    void *entry = NULL;
    if (skipped(loaders[_i]))
        return;
    ck_assert_ptr_null(loaders[_i](
        &ix_mem_default, single_of(&s, "double k(", "k"), &entry, NULL));
    ix_code *code =
        loaders[_i](&ix_mem_default, single_of(&s, twice, "k"), &entry, NULL);
    ck_assert_ptr_nonnull(code);
    ck_assert(call(entry, 4.0) == 8.0);
    ix_code_release(code);
}
END_TEST

START_TEST(no_page_is_writable_and_executable)
{
    single s;
    void *entry = NULL;
    int lines, rwx, before;
    if (skipped(loaders[_i]))
        return;
    read_maps(&lines, &before);
    ix_code *code =
        loaders[_i](&ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    read_maps(&lines, &rwx);
    ck_assert(instrumented() || rwx <= before);
    ix_code_release(code);
    read_maps(&lines, &rwx);
    ck_assert(instrumented() || rwx <= before);
}
END_TEST

/* Every allocation fails once, and from some point on: an error each time,
 * nothing left, and the next compile works. */
START_TEST(allocation_fails)
{
    single s;
    void *entry;
    counting c = {0};
    ix_mem mem = {counting_resize, &c};
    bool from_then_on = _i & 1;
    loader load = loaders[_i >> 1];
    if (skipped(load))
        return;
    single_of(&s, twice, "k");
    s.req.needs_math = true;
    c.from_then_on = from_then_on;
    long n = 0;
    for (;;) {
        n++;
        atomic_store(&c.calls, 0);
        atomic_store(&c.fail_at, n);
        ix_error_clear(&error);
        ix_code *code = load(&mem, &s.req, &entry, &error);
        if (code && atomic_load(&c.calls) < n) {
            ix_code_release(code);
            break;
        }
        ck_assert_msg(code == NULL, "point %ld was ignored", n);
        ck_assert_msg(error.code == ILEX_E_MEMORY, "point %ld: %s", n,
                      error.text);
        ck_assert_int_eq(atomic_load(&c.live), 0);
    }
    ck_assert_int_eq(atomic_load(&c.live), 0);
    ck_assert_int_ge(n, 4);
    ck_assert(load == ix_jit_cc_compile || n > 100);
}
END_TEST

START_TEST(locale_does_not_matter)
{
    static const char source[] = "double k(double x) { return x * 1.5 + "
                                 "(double)0.25f + 0x1.8p1; }\n";
    single s;
    void *entry = NULL;
    if (skipped(loaders[_i]))
        return;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "fr_FR.UTF-8");
    ix_code *code = loaders[_i](&ix_mem_default, single_of(&s, source, "k"),
                                &entry, &error);
    setlocale(LC_ALL, "C");
    ck_assert_msg(code != NULL, "%s", error.text);
    ck_assert(call(entry, 2.0) == 6.25);
    ix_code_release(code);
}
END_TEST

/* ---- tcc ---- */

START_TEST(thousand_compiles)
{
    counting c = {0};
    ix_mem mem = {counting_resize, &c};
    int lines0, lines1, rwx0, rwx1;
    if (!ix_jit_tcc_available())
        return;
    read_maps(&lines0, &rwx0);
    for (int i = 0; i < rounds(1000); i++) {
        char source[128];
        single s;
        void *entry = NULL;
        snprintf(source, sizeof source,
                 "double k(double x) { double t = x + %d.0; return t; }\n%s", i,
                 i % 7 == 6 ? "int f(void) { return }" : "");
        ix_code *code =
            ix_jit_tcc_compile(&mem, single_of(&s, source, "k"), &entry, NULL);
        ck_assert((code != NULL) == (i % 7 != 6));
        ck_assert(!code || call(entry, 0.5) == i + 0.5);
        ix_code_release(code);
    }
    read_maps(&lines1, &rwx1);
    ck_assert(instrumented() || rwx1 <= rwx0);
    ck_assert_int_eq(atomic_load(&c.live), 0);
    ck_assert(SANITIZED || lines1 <= lines0 + 8);
}
END_TEST

static void *
compile_many(void *arg)
{
    int id = *(int *)arg;
    intptr_t bad = 0;
    for (int i = 0; i < rounds(200); i++) {
        char source[128];
        single s;
        void *entry = NULL;
        snprintf(source, sizeof source,
                 "double k(double x) { double t = x + %d.0; return t; }\n%s",
                 id * 1000 + i, i % 5 == 4 ? "int f(" : "");
        ix_code *code = ix_jit_tcc_compile(
            &ix_mem_default, single_of(&s, source, "k"), &entry, NULL);
        bad += (code != NULL) != (i % 5 != 4);
        bad += code && call(entry, 0.25) != id * 1000 + i + 0.25;
        ix_code_release(code);
    }
    return (void *)bad;
}

START_TEST(threads_compile_at_once)
{
    pthread_t threads[4];
    int ids[4] = {0, 1, 2, 3};
    if (!ix_jit_tcc_available())
        return;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, compile_many, &ids[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        ck_assert_ptr_null(bad);
    }
}
END_TEST

static atomic_bool stop;

static void *
compile_until_stopped(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        single s;
        void *entry;
        ix_code_release(ix_jit_tcc_compile(
            &ix_mem_default, single_of(&s, twice, "k"), &entry, NULL));
    }
    return NULL;
}

static int
compile_in_child(void)
{
    single s;
    void *entry;
    ix_code *code = ix_jit_tcc_compile(&ix_mem_default,
                                       single_of(&s, twice, "k"), &entry, NULL);
    int bad = !code || call(entry, 1.0) != 2.0;
    ix_code_release(code);
    return bad;
}

START_TEST(fork_while_compiling)
{
    pthread_t thread;
    if (instrumented() || SANITIZED || !ix_jit_tcc_available())
        return;
    atomic_store(&stop, false);
    pthread_create(&thread, NULL, compile_until_stopped, NULL);
    for (int i = 0; i < rounds(50); i++)
        ck_assert_int_eq(in_child(compile_in_child), 0);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}
END_TEST

/* 77: the kernel does not know the policy. */
static int
compile_under_policy(void)
{
    const int set_mdwe = 65, refuse_exec_gain = 1;
    if (prctl(set_mdwe, refuse_exec_gain, 0, 0, 0) != 0)
        return 77;
    single s;
    void *entry;
    ix_code *code = ix_jit_tcc_compile(
        &ix_mem_default, single_of(&s, twice, "k"), &entry, &error);
    if (!code)
        fprintf(stderr, "%s\n", error.text);
    int bad = !code || call(entry, 1.0) != 2.0;
    ix_code_release(code);
    return bad;
}

START_TEST(memory_deny_write_execute)
{
    if (instrumented() || !ix_jit_tcc_available())
        return;
    int status = in_child(compile_under_policy);
    ck_assert_msg(status == 0 || status == 77, "status %d", status);
}
END_TEST

/* The functions that generated code may call. */
static const struct {
    const char *name;
    int arity;
} functions[] = {
#define IX_MATH(name, arity) {#name, arity},
#include "lib/ops/math.def"
};

/* Every function of math.def can be called from generated code. */
START_TEST(mathematics_by_name)
{
    if (!ix_jit_tcc_available())
        return;
    for (size_t i = 0; i < IX_COUNT(functions); i++) {
        char source[256], name[32];
        single s;
        void *entry;
        for (int single_precision = 0; single_precision < 2;
             single_precision++) {
            const char *real = single_precision ? "float" : "double";
            int more = functions[i].arity - 1;
            snprintf(name, sizeof name, "%s%s", functions[i].name,
                     single_precision ? "f" : "");
            snprintf(source, sizeof source,
                     "typedef %s R;\nR %s(R%.*s);\n"
                     "double k(double x) { return %s(x%.*s); }\n",
                     real, name, 3 * more, ", R, R", name, 5 * more,
                     ", 2.0, 2.0");
            single_of(&s, source, "k");
            s.req.needs_math = true;
            ix_code *code =
                ix_jit_tcc_compile(&ix_mem_default, &s.req, &entry, &error);
            ck_assert_msg(code != NULL, "%s: %s", name, error.text);
            double got = call(entry, 0.5);
            ck_assert_msg(!isnan(got) || strstr(name, "acosh"), "%s", name);
            ix_code_release(code);
        }
    }
}
END_TEST

/* ---- nvrtc ---- */

START_TEST(nvrtc_ptx)
{
    char *ptx = NULL;
    ix_text log;
    ix_text_init(&log, &ix_mem_default);
    ck_assert_int_eq(ix_nvrtc_ptx(&ix_mem_default, "", false, "compute_80 -x",
                                  &ptx, &log, &error),
                     ILEX_E_ARGUMENT);
    ix_error_clear(&error);
    if (!ix_nvrtc_available()) {
        ck_assert_int_eq(ix_nvrtc_ptx(&ix_mem_default, "", false, "compute_80",
                                      &ptx, &log, &error),
                         ILEX_E_TOOLCHAIN);
        ck_assert_ptr_null(ptx);
        return;
    }
    ilex_status rc =
        ix_nvrtc_ptx(&ix_mem_default,
                     "extern \"C\" __global__ void k(double *x, double a)\n"
                     "{ x[threadIdx.x] = exp(x[threadIdx.x]) * a + 1.0; }\n",
                     false, "compute_80", &ptx, &log, &error);
    ck_assert_msg(rc == ILEX_OK, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(ptx, ".entry k("));
    ix_mem_free(&ix_mem_default, ptx);
    rc = ix_nvrtc_ptx(&ix_mem_default, "int f( {", false, "compute_80", &ptx,
                      &log, &error);
    ck_assert_int_eq(rc, ILEX_E_TOOLCHAIN);
    ck_assert_ptr_nonnull(strstr(error.text, "kernels.cu(1)"));
    ck_assert_ptr_nonnull(strstr(ix_text_string(&log), "error"));
    ck_assert_ptr_null(ptx);
    ix_error_clear(&error);
    rc = ix_nvrtc_ptx(&ix_mem_default, "", false, "compute_10", &ptx, NULL,
                      &error);
    ck_assert_int_eq(rc, ILEX_E_TOOLCHAIN);
    ix_text_free(&log);
}
END_TEST

/* ---- suite ---- */

static TCase *
both(void)
{
    int n = IX_COUNT(loaders);
    TCase *tc = tcase_create("both");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_scratch, remove_scratch);
    tcase_add_loop_test(tc, good_code_runs, 0, n);
    tcase_add_loop_test(tc, several_units, 0, n);
    tcase_add_loop_test(tc, helper_functions, 0, n);
    tcase_add_loop_test(tc, errors_are_told, 0, n);
    tcase_add_loop_test(tc, no_error_record, 0, n);
    tcase_add_loop_test(tc, no_page_is_writable_and_executable, 0, n);
    tcase_add_loop_test(tc, allocation_fails, 0, 2 * n);
    tcase_add_loop_test(tc, locale_does_not_matter, 0, n);
    return tc;
}

static TCase *
tcc(void)
{
    TCase *tc = tcase_create("tcc");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, thousand_compiles);
    tcase_add_test(tc, threads_compile_at_once);
    tcase_add_test(tc, fork_while_compiling);
    tcase_add_test(tc, memory_deny_write_execute);
    tcase_add_test(tc, mathematics_by_name);
    return tc;
}

static TCase *
nvrtc(void)
{
    TCase *tc = tcase_create("nvrtc");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, nvrtc_ptx);
    return tc;
}

int
main(void)
{
    Suite *s = suite_create("jit");
    suite_add_tcase(s, both());
    suite_add_tcase(s, tcc());
    suite_add_tcase(s, nvrtc());
    return run_suite(s);
}
