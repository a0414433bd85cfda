/* SPDX-License-Identifier: MIT
 *
 * jit=auto: code from cc takes over with the same bits, or does not and says
 * why; release, fork and exit while it is compiled.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "runtime/jit/cc.h"
#include "runtime/threads/pool.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/jit_fixture.h"

enum { N = 999 };

static char told[2][700]; /* the last two messages */

static void
keep(void *user, ilex_level level, const char *text)
{
    (void)user, (void)level;
    strcpy(told[1], told[0]);
    snprintf(told[0], sizeof told[0], "%s", text);
}

/* A context as users have it, but for "after". */
static ilex_context *
user_context(const char *after, const char *cc)
{
    ilex_context_spec spec = {.size = sizeof spec, .log = keep};
    ilex_context *c = ilex_context_new(&spec);
    ck_assert_ptr_nonnull(c);
    const char *flags = getenv("ILEX_CFLAGS");
    ck_assert_int_eq(ilex_option_set(c, "jit", "auto"), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(c, "tier_after", after), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(c, "cc", cc), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(c, "cache", "off"), ILEX_OK);
    ck_assert_int_eq(ilex_option_set(c, "cflags", flags ? flags : ""), ILEX_OK);
    return c;
}

/* One of many programs: two kernels, a temporary. */
static ilex_program *
make(ilex_context *c, int which)
{
    char text[400];
    snprintf(text, sizeof text,
             "ilex 1\nprogram p%d\nsize n\nassume n >= 3\nin x : f64[I:n]\n"
             "let s = sum[I](x*x)\n"
             "out y : f64[I:n] = sqrt(x)/(s + %d.5) + sin(x)\n",
             which, which);
    ilex_module *m = ilex_module_parse(c, text, NULL);
    ilex_program *p = m ? ilex_compile_module(m) : NULL;
    ck_assert_msg(p != NULL, "%s", ilex_error_text(c));
    ilex_module_free(m);
    return p;
}

typedef struct data {
    ilex_storage *x, *y;
    double first[N]; /* result of the first run */
} data;

static void
open_data(data *d)
{
    int64_t n = N;
    ilex_storage_spec spec = {.size = sizeof spec,
                              .dtype = "f64",
                              .rank = 1,
                              .shape = &n,
                              .axes = "I"};
    d->x = ilex_storage_new(NULL, &spec);
    d->y = ilex_storage_new(NULL, &spec);
    double *x = ilex_storage_data(d->x);
    for (int i = 0; i < N; i++)
        x[i] = 1.0 / (i + 3);
}

static void
close_data(data *d)
{
    ilex_storage_release(d->x);
    ilex_storage_release(d->y);
}

/* Runs; the bits are those of the first run. */
static bool
same_bits(const ilex_program *p, data *d, bool first, int threads)
{
    const ilex_binding b[] = {ILEX_BIND("x", d->x), ILEX_BIND("y", d->y)};
    ilex_call call = {.size = sizeof call, .threads = threads};
    memset(ilex_storage_data(d->y), 0, sizeof d->first);
    if (ilex_run(p, b, 2, &call))
        return false;
    if (first)
        memcpy(d->first, ilex_storage_const_data(d->y), sizeof d->first);
    return !memcmp(d->first, ilex_storage_const_data(d->y), sizeof d->first);
}

/* Is tcc there, to begin with? */
static bool
has_tiers(void)
{
    return ix_jit_tcc_available();
}

/* ---- taking over ---- */

START_TEST(takes_over_when_it_ran_long_enough)
{
    data d;
    ilex_context *c = user_context("0.2", "");
    ilex_program *p = make(c, 1);
    ilex_context_free(c); /* the program needs nothing of it */
    open_data(&d);
    ck_assert_str_eq(ilex_program_backend(p), has_tiers() ? "tcc" : "cc");
    ck_assert(same_bits(p, &d, true, 1));
    int64_t until = ix_process_clock() + 60000;
    for (int i = 0; strcmp(ilex_program_backend(p), "cc"); i++) {
        ck_assert(same_bits(p, &d, false, 1 + i % 3));
        ck_assert_int_lt(ix_process_clock(), until);
    }
    for (int threads = 1; threads < 4; threads++)
        ck_assert(same_bits(p, &d, false, threads));
    ck_assert_ptr_nonnull(strstr(ilex_program_command(p), "-O3"));
    ck_assert_str_eq(ilex_program_note(p), "");
    close_data(&d);
    ilex_program_release(p);
}
END_TEST

START_TEST(never_but_when_it_is_waited_for)
{
    data d;
    ilex_context *c = user_context("never", "");
    ilex_program *p = make(c, 2);
    open_data(&d);
    ck_assert(same_bits(p, &d, true, 1));
    for (int i = 0; i < 3000; i++)
        ck_assert(same_bits(p, &d, false, 1));
    if (has_tiers()) {
        ck_assert_str_eq(ilex_program_backend(p), "tcc");
        ck_assert_str_eq(ilex_program_command(p), "");
        ck_assert_int_eq(ilex_program_wait(p, 0), ILEX_E_TIMEOUT);
    }
    ck_assert_int_eq(ilex_program_wait(p, 60), ILEX_OK);
    ck_assert_int_eq(ilex_program_wait(p, 0), ILEX_OK);
    ck_assert_str_eq(ilex_program_backend(p), "cc");
    ck_assert(same_bits(p, &d, false, 2));
    close_data(&d);
    ilex_program_release(p);
    ilex_context_free(c);
    ck_assert_int_eq(ilex_program_wait(NULL, 0), ILEX_E_ARGUMENT);
}
END_TEST

/* Of two compilers each waits for the other to begin. */
START_TEST(many_side_by_side)
{
    enum { N_PROGRAMS = 3 };
    char path[80], script[500];
    const ilex_program *p[N_PROGRAMS] = {NULL};
    if (!has_tiers() || ix_pool_cores() < 2)
        return;
    make_scratch();
    snprintf(script, sizeof script,
             "case $* in *-shared*) ;; *) exec cc \"$@\" ;; esac\n"
             ": >%s.$$.here\ni=0\n"
             "until [ \"$(ls %s.*.here | wc -l)\" -ge 2 ]\n"
             "do i=$((i + 1)); [ $i -lt 300 ] || exit 9; sleep 0.1; done\n"
             "exec cc \"$@\"",
             scratch, scratch);
    write_compiler(path, sizeof path, script);
    ilex_context *c = user_context("never", path);
    ck_assert_int_eq(ilex_programs_wait(N_PROGRAMS, p, 1), ILEX_E_ARGUMENT);
    for (int i = 0; i < N_PROGRAMS; i++)
        p[i] = make(c, 30 + i);
    ck_assert_int_eq(ilex_programs_wait(N_PROGRAMS, p, 120), ILEX_OK);
    for (int i = 0; i < N_PROGRAMS; i++) {
        ck_assert_str_eq(ilex_program_backend(p[i]), "cc");
        ilex_program_release((ilex_program *)(uintptr_t)p[i]);
    }
    ilex_context_free(c);
    snprintf(script, sizeof script, "rm -f %s.*", scratch);
    ck_assert_int_eq(system(script), 0);
    remove_scratch();
}
END_TEST

/* Other back ends are what they are. */
START_TEST(nothing_to_wait_for)
{
    ilex_context *c = user_context("0", "");
    ck_assert_int_eq(ilex_option_set(c, "jit", "reference"), ILEX_OK);
    ilex_program *p = make(c, 3);
    ck_assert_int_eq(ilex_program_wait(p, 0), ILEX_OK);
    ck_assert_str_eq(ilex_program_backend(p), "reference");
    ck_assert_int_eq(ilex_option_set(c, "tier_after", "soon"), ILEX_E_OPTION);
    ck_assert_ptr_nonnull(
        strstr(ilex_error_text(c), "measured|never|a number of seconds"));
    ilex_program_release(p);
    ilex_context_free(c);
}
END_TEST

typedef struct caller {
    const ilex_program *p;
    bool right;
} caller;

static void *
run_until_cc(void *arg)
{
    caller *a = arg;
    data d;
    open_data(&d);
    a->right = same_bits(a->p, &d, true, 1);
    for (int more = 3; more > 0;) {
        a->right = a->right && same_bits(a->p, &d, false, 1);
        more -= !strcmp(ilex_program_backend(a->p), "cc");
    }
    close_data(&d);
    return NULL;
}

START_TEST(many_programs_and_threads)
{
    enum { PROGRAMS = 6, THREADS = 3 };
    ilex_context *c = user_context("0.001", "");
    ilex_program *p[PROGRAMS];
    pthread_t thread[PROGRAMS][THREADS];
    caller arg[PROGRAMS][THREADS];
    for (int i = 0; i < PROGRAMS; i++) {
        p[i] = make(c, 10 + i);
        for (int k = 0; k < THREADS; k++) {
            arg[i][k] = (caller){p[i], false};
            pthread_create(&thread[i][k], NULL, run_until_cc, &arg[i][k]);
        }
    }
    for (int i = 0; i < PROGRAMS; i++) {
        for (int k = 0; k < THREADS; k++) {
            pthread_join(thread[i][k], NULL);
            ck_assert(arg[i][k].right);
        }
        ilex_program_release(p[i]);
    }
    ilex_context_free(c);
}
END_TEST

/* What was compiled before, here in another context, is there at once. */
START_TEST(found_on_disk)
{
    data d;
    char path[80], command[100];
    make_scratch();
    open_data(&d);
    snprintf(path, sizeof path, "%s/cache", scratch);
    for (int i = 0; i < 2; i++) {
        ilex_context *c = user_context("never", "");
        ilex_option_set(c, "reuse", "0");
        ilex_option_set(c, "cache", "rw");
        ilex_option_set(c, "cache_dir", path);
        ilex_program *p = make(c, 5);
        bool quick = has_tiers() && i == 0;
        ck_assert_str_eq(ilex_program_backend(p), quick ? "tcc" : "cc");
        ck_assert(same_bits(p, &d, i == 0, 1));
        ilex_context_free(c); /* nothing of its options is needed */
        ck_assert_int_eq(ilex_program_wait(p, 60), ILEX_OK);
        ck_assert(same_bits(p, &d, false, 1));
        ilex_program_release(p);
    }
    close_data(&d);
    ck_assert_int_eq(system(strcat(strcpy(command, "rm -r "), path)), 0);
    remove_scratch();
}
END_TEST

/* ---- compilers that do not do ---- */

START_TEST(stays_where_cc_fails)
{
    static const struct {
        const char *script, *word;
    } rows[] = {{NULL, "does not start"},
                {"echo sorry >&2; exit 3", "sorry"},
                {"exit 0", "no object"},
                {"sleep 60", "time limit"}};
    char path[80];
    data d;
    if (!has_tiers())
        return;
    make_scratch();
    open_data(&d);
    for (size_t i = 0; i < IX_COUNT(rows); i++) {
        snprintf(path, sizeof path, "%s.cc", scratch);
        if (rows[i].script)
            write_compiler(path, sizeof path, rows[i].script);
        ilex_context *c = user_context("0", path);
        ck_assert_int_eq(ilex_option_set(c, "cc_timeout", "1"), ILEX_OK);
        ilex_program *p = make(c, 20 + (int)i);
        ck_assert(same_bits(p, &d, true, 1));
        ck_assert_int_eq(ilex_program_wait(p, 60), ILEX_E_TOOLCHAIN);
        ck_assert_ptr_nonnull(strstr(ilex_program_note(p), rows[i].word));
        ck_assert_str_eq(ilex_program_backend(p), "tcc");
        ck_assert(same_bits(p, &d, false, 1));
        memset(told, 0, sizeof told);
        ilex_program_release(make(c, 20 + (int)i)); /* says so once */
        ck_assert_ptr_nonnull(strstr(told[0], rows[i].word));
        ck_assert_ptr_nonnull(strstr(told[0], "p2"));
        ck_assert_str_eq(told[1], "");
        ilex_program_release(p);
        ilex_context_free(c);
        unlink(path);
    }
    close_data(&d);
    remove_scratch();
}
END_TEST

/* ---- what happens meanwhile ---- */

/* A compiler that tells its number and sleeps. */
static void
write_sleeper(char *path, size_t size)
{
    char script[200];
    snprintf(script, sizeof script,
             "echo $$ >%s.new; mv %s.new %s.pid; exec sleep 60", scratch,
             scratch, scratch);
    write_compiler(path, size, script);
}

static long
wait_for_pid(void)
{
    long pid = 0;
    for (int i = 0; !pid && i < 3000; i++) {
        usleep(10000);
        pid = take_pid();
    }
    return pid;
}

START_TEST(release_ends_the_compiler)
{
    char path[80];
    if (!has_tiers())
        return;
    make_scratch();
    write_sleeper(path, sizeof path);
    ilex_context *c = user_context("0", path);
    ck_assert_int_eq(ilex_option_set(c, "reuse", "0"), ILEX_OK);
    ilex_program *p = make(c, 30), *queued = make(c, 31);
    long pid = wait_for_pid();
    ck_assert_int_gt(pid, 0);
    int64_t start = ix_process_clock();
    ilex_program_release(queued);
    ilex_program_release(p);
    ck_assert_int_lt(ix_process_clock() - start, 30000);
    ck_assert(ends(pid));
    ilex_context_free(c);
    unlink(path);
    take_pid(); /* of the other one, where there are several threads */
    remove_scratch();
}
END_TEST

static int
leave_while_compiling(void)
{
    char path[80];
    write_sleeper(path, sizeof path);
    ilex_context *c = user_context("0", path);
    make(c, 40);
    long pid = wait_for_pid();
    FILE *f = fopen(strcat(path, "x"), "w");
    fprintf(f, "%ld", pid);
    fclose(f);
    exit(pid > 0 ? 0 : 1);
}

START_TEST(exit_ends_the_compiler)
{
    char path[80];
    long pid = 0;
    if (!has_tiers())
        return;
    make_scratch();
    int64_t start = ix_process_clock();
    ck_assert_int_eq(in_child(leave_while_compiling), 0);
    ck_assert_int_lt(ix_process_clock() - start, 50000);
    snprintf(path, sizeof path, "%s.ccx", scratch);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%ld", &pid), 1);
    fclose(f);
    ck_assert(ends(pid));
    unlink(path);
    path[strlen(path) - 1] = 0;
    unlink(path);
    remove_scratch(); /* nothing is left in it */
}
END_TEST

static ilex_program *shared;

/* Nobody waits: its runs start the compiler. */
static int
run_in_child(void)
{
    caller a = {shared, false};
    run_until_cc(&a);
    return !a.right;
}

/* The child compiles for itself; the parent goes on. Under the thread sanitizer
 * it would wait for a lock of the sanitizer's allocator that a thread of the
 * parent held. */
START_TEST(fork_while_compiling)
{
#ifdef __SANITIZE_THREAD__
    return;
#endif
    for (int i = 0; i < 8; i++) {
        ilex_context *c = user_context("0", "");
        shared = make(c, 50 + i);
        usleep((useconds_t)(i * 4000));
        ck_assert_int_eq(in_child(run_in_child), 0);
        ck_assert_int_eq(ilex_program_wait(shared, 60), ILEX_OK);
        ilex_program_release(shared);
        ilex_context_free(c);
    }
}
END_TEST

/* A child that lives on holds the pipe of the compiler's messages. */
START_TEST(fork_of_one_that_stays)
{
    for (int i = 0; i < 12; i++) {
        ilex_context *c = user_context("0", "");
        ilex_program *p = make(c, 60 + i);
        usleep((useconds_t)(i * 500));
        pid_t pid = fork();
        if (pid == 0)
            for (;;)
                pause();
        ck_assert_int_eq(ilex_program_wait(p, 30), ILEX_OK);
        kill(pid, SIGKILL);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
        ilex_program_release(p);
        ilex_context_free(c);
    }
}
END_TEST

int
main(void)
{
    return RUN_TESTS("tier", takes_over_when_it_ran_long_enough,
                     never_but_when_it_is_waited_for, many_side_by_side,
                     nothing_to_wait_for, found_on_disk,
                     many_programs_and_threads, stays_where_cc_fails,
                     release_ends_the_compiler, exit_ends_the_compiler,
                     fork_while_compiling, fork_of_one_that_stays);
}
