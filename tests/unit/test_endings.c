/* SPDX-License-Identifier: MIT
 *
 * Processes that end while code is compiled in the background: by _exit, a
 * signal, exec, at any time. No process goes on, and what lies in the directory
 * for temporary files is gone after the next start.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>

#include "lib/base/clock.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/jit_fixture.h"

/* Runs in the suite; ILEX_ENDINGS_COUNT asks for more. */
enum { RUNS = 12 };

static char slow[80]; /* a compiler that starts others and does not end */

/* A program is compiled, without the disk cache. */
static void
compile_with(const char *jit, const char *cc)
{
    ilex_context *c = ilex_context_new(NULL);
    ilex_option_set(c, "cc", cc);
    ilex_option_set(c, "jit", jit);
    ilex_option_set(c, "tier_after", "0");
    ilex_option_set(c, "cache", "off");
    ilex_module *m = ilex_module_parse(
        c,
        "ilex 1\nprogram p\nsize n\nassume n >= 3\nin x : f64[I:n]\n"
        "let s = sum[I](x*x)\nout y : f64[I:n] = sqrt(x)/s + sin(x)\n",
        NULL);
    if (!m || !ilex_compile_module(m))
        _exit(3);
}

static int
compile_all(void)
{
    compile_with("cc", "");
    return 0;
}

/* The body of a process that ends in one of three ways after "us"
 * microseconds. */
static void
end_early(int way, useconds_t us)
{
    signal(SIGTERM, SIG_DFL); /* the runner has a handler */
    compile_with("auto", slow);
    usleep(us);
    if (way == 0)
        kill(getpid(), SIGTERM);
    else if (way == 1)
        execl("/bin/true", "true", (char *)NULL);
    _exit(0);
}

/* Milliseconds until no process is left of all that were started; those without
 * a parent are this one's. */
static double
wait_for_all(void)
{
    double start = ix_clock();
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && ix_clock() < start + 10)
        if (pid == 0)
            usleep(1000);
    return 1e3 * (ix_clock() - start);
}

START_TEST(nothing_is_left)
{
    const char *asked = getenv("ILEX_ENDINGS_COUNT");
    int runs = asked ? atoi(asked) : RUNS, left = 0;
    double longest = 0, start = ix_clock();
    write_compiler(slow, sizeof slow,
                   "sleep 20 &\n/usr/bin/cc \"$@\"\nsleep 20");
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    ck_assert_int_eq(in_child(compile_all), 0);
    double took = 1e6 * (ix_clock() - start);
    for (int i = 0; i < runs; i++) {
        pid_t pid = fork();
        if (pid == 0)
            end_early(i % 3, (useconds_t)(1.2 * took * i / runs));
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
        double waited = wait_for_all();
        longest = waited > longest ? waited : longest;
        left += count_left(scratch) > 0;
        ck_assert_int_eq(in_child(compile_all), 0);
        ck_assert_int_eq(count_left(scratch), 0);
    }
    unlink(slow);
    printf("# %d of %d left a directory to the next start; "
           "the last process ended after %.0f ms\n",
           left, runs, longest);
    ck_assert_msg(left > 0, "no run ended while the compiler was at work");
    ck_assert_msg(longest < 1000, "a process went on for %.0f ms", longest);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("endings");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 600);
    tcase_add_checked_fixture(tc, make_scratch, remove_scratch);
    tcase_add_test(tc, nothing_is_left);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
