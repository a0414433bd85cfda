/* SPDX-License-Identifier: MIT
 *
 * The thread pool: every number once, several callers, jobs in jobs, and a
 * forked child.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/program/program.h"
#include "tests/unit/graph_fixture.h"

enum { MOST = 5000, CALLERS = 4 };

typedef struct tally {
    atomic_int times[MOST];
} tally;

static void
count(void *arg, int64_t i)
{
    tally *t = arg;
    atomic_fetch_add(&t->times[i], 1);
}

static void
check_tally(tally *t, int64_t n)
{
    for (int64_t i = 0; i < MOST; i++)
        ck_assert_int_eq(atomic_load(&t->times[i]), i < n);
}

START_TEST(every_number_once)
{
    static const int64_t lengths[] = {0, 1, 2, 3, 7, 64, 1000, MOST};
    for (int threads = 1; threads < 10; threads++)
        for (size_t i = 0; i < IX_COUNT(lengths); i++) {
            tally t = {{0}};
            ix_pool_run(threads, lengths[i], count, &t);
            check_tally(&t, lengths[i]);
        }
}
END_TEST

static int failure;

/* NULL: every number came once. */
static void *
many_jobs(void *unused)
{
    (void)unused;
    for (int k = 0; k < 200; k++) {
        tally *t = calloc(1, sizeof *t);
        int64_t n = 1 + k * 7 % 100;
        bool ok = true;
        ix_pool_run(1 + k % 5, n, count, t);
        for (int64_t i = 0; i < MOST; i++)
            ok &= atomic_load(&t->times[i]) == (i < n);
        free(t);
        if (!ok)
            return &failure;
    }
    return NULL;
}

START_TEST(several_callers)
{
    pthread_t thread[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, many_jobs, NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *failed = NULL;
        pthread_join(thread[i], &failed);
        ck_assert_ptr_null(failed);
    }
}
END_TEST

static atomic_int nested_sum;

static void
add(void *arg, int64_t i)
{
    (void)arg;
    atomic_fetch_add(&nested_sum, (int)i);
}

static void
start_another(void *arg, int64_t i)
{
    (void)arg, (void)i;
    ix_pool_run(3, 10, add, NULL);
}

/* A body may use the pool: its thread takes part, so nothing waits for ever. */
START_TEST(jobs_in_jobs)
{
    ix_pool_run(4, 50, start_another, NULL);
    ck_assert_int_eq(atomic_load(&nested_sum), 50 * 45);
}
END_TEST

/* The thread sanitizer ends a forked child that makes threads, unless told. */
#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);

__attribute__((visibility("default"))) const char *
__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

/* The child has no workers and makes its own. */
START_TEST(forked)
{
    tally t = {{0}};
    int status;
    ix_pool_run(4, 100, count, &t);
    for (int k = 0; k < 5; k++) {
        pid_t pid = fork();
        ck_assert_int_ge(pid, 0);
        if (pid == 0) {
            tally own = {{0}};
            bool ok = true;
            alarm(30);
            ix_pool_run(4, 1000, count, &own);
            for (int i = 0; i < MOST; i++)
                ok &= atomic_load(&own.times[i]) == (i < 1000);
            _exit(ok ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    check_tally(&t, 100);
}
END_TEST

/* ---- the floating-point environment ---- */

static const char tiny[] = "ilex 1\nprogram tiny\nsize n\nin x : f64[I:n]\n"
                           "let s = sum[I](x)\n"
                           "out y : f64[I:n] = x*0.25 + s*0.0\n"
                           "out z : f64[I:n] = (x + 1.0)/3.0\n";

enum { POINTS = 4096 };

/* Rounding upwards and, where there is such a thing, subnormals as zeros; or
 * results that are subnormal as zeros, which alone is easily missed. */
typedef enum mood { CALM, UPSET, FLUSHING } mood;

static void
upset(mood how)
{
    if (how == UPSET)
        fesetround(FE_UPWARD);
#if defined(__x86_64__)
    static const unsigned bits[] = {0, 0x8040, 0x8000};
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | bits[how]);
#endif
}

/* Bits of y and z, as computed by "jit" on 3 threads. */
static void
run_tiny(const char *jit, uint64_t *bits, mood how)
{
    ilex_option_set(ctx, "jit", jit);
    ilex_program *p = compile(tiny);
    ilex_storage *s[3];
    for (int i = 0; i < 3; i++)
        s[i] = ilex_storage_zeros(ctx, ILEX_F64, 1, SHAPE(POINTS));
    double *x = ilex_storage_data(s[0]);
    for (int i = 0; i < POINTS; i++)
        x[i] = i % 2 ? 0x1p-1022 * (1 + i) : i;
    upset(how);
    unsigned before = (unsigned)fegetround();
#if defined(__x86_64__)
    unsigned control = __builtin_ia32_stmxcsr() & 0x8040;
#endif
    ilex_call call = {.size = sizeof call, .threads = 3};
    ilex_binding bound[] = {ILEX_BIND("x", s[0]), ILEX_BIND("y", s[1]),
                            ILEX_BIND("z", s[2])};
    ilex_status rc = ilex_run(p, bound, 3, &call);
    ck_assert_uint_eq((unsigned)fegetround(), before);
#if defined(__x86_64__)
    ck_assert_uint_eq(__builtin_ia32_stmxcsr() & 0x8040, control);
#endif
    fesetenv(FE_DFL_ENV);
    ck_assert_msg(!rc, "%s", call.error);
    memcpy(bits, ilex_storage_const_data(s[1]), POINTS * sizeof *bits);
    memcpy(bits + POINTS, ilex_storage_const_data(s[2]), POINTS * sizeof *bits);
    for (int i = 0; i < 3; i++)
        ilex_storage_release(s[i]);
    ilex_program_release(p);
}

/* The environment of the thread that makes the workers, and of the one that
 * calls, changes no bit. */
START_TEST(environment_of_the_host)
{
    static uint64_t want[2 * POINTS], have[2 * POINTS];
    static const char *const jits[] = {"reference", "tcc", "cc"};
    tally t = {{0}};
    upset(UPSET);
    ix_pool_run(4, 100, count, &t); /* makes the workers */
    fesetenv(FE_DFL_ENV);
    run_tiny("reference", want, CALM);
    ck_assert(want[1] != 0);
    for (size_t j = 0; j < IX_COUNT(jits); j++)
        for (mood how = CALM; how <= FLUSHING; how++) {
            if (!strcmp(jits[j], "tcc") && !ix_jit_tcc_available())
                continue;
            run_tiny(jits[j], have, how);
            ck_assert_msg(!memcmp(want, have, sizeof want), "%s, %s", jits[j],
                          how ? "odd environment" : "odd workers");
        }
}
END_TEST

/* Constants are folded, decimals read and printed in the same way. */
START_TEST(environment_while_compiling)
{
    static const char constants[] =
        "ilex 1\nprogram constants\nout y : f64[] = 0.1*0.3 + 1e-320\n";
    char *want, *have;
    ilex_option_set(ctx, "jit", "tcc");
    ilex_module *m = parse(constants);
    want = ilex_module_emit(m, "c");
    ilex_module_free(m);
    upset(UPSET);
    m = parse(constants);
    have = ilex_module_emit(m, "c");
    fesetenv(FE_DFL_ENV);
    ilex_module_free(m);
    ck_assert_str_eq(want, have);
    ilex_text_free(ctx, want);
    ilex_text_free(ctx, have);
}
END_TEST

/* Threads of the process, once they are as few as "wanted", or for a second. */
static int
count_threads(int wanted)
{
    int n = 0;
    for (int i = 0; i < 1000 && (i == 0 || n > wanted); i++) {
        DIR *d = opendir("/proc/self/task");
        n = -2; /* "." and ".." */
        while (readdir(d))
            n++;
        closedir(d);
        usleep(1000);
    }
    return n;
}

/* Nothing goes on when nobody has a context; a program that lives on makes
 * workers again. */
START_TEST(ends_with_the_last_context)
{
    ilex_context *other = ilex_context_new(NULL);
    tally first = {{0}}, again = {{0}};
    ix_pool_run(4, MOST, count, &first);
    ilex_context_free(other);
    ck_assert_int_eq(count_threads(4), 4);
    ilex_context_free(ctx);
    ck_assert_int_eq(count_threads(1), 1);
    ix_pool_run(3, MOST, count, &again);
    check_tally(&again, MOST);
    ck_assert_int_eq(count_threads(3), 3);
    open_context();
}
END_TEST

int
main(void)
{
    return RUN_TESTS("pool", environment_of_the_host,
                     ends_with_the_last_context, environment_while_compiling,
                     every_number_once, several_callers, jobs_in_jobs, forked);
}
