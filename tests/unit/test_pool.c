/* SPDX-License-Identifier: MIT
 *
 * The thread pool: every number once, several callers, jobs in jobs, and a
 * forked child.
 */
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

int
main(void)
{
    return RUN_TESTS("pool", every_number_once, several_callers, jobs_in_jobs,
                     forked);
}
