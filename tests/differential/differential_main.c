/* SPDX-License-Identifier: MIT
 *
 * Random programs by every back end.
 *
 *     differential [--long] [--cuda] [--device] [--seed=S]
 *                  [--number=N] [--count=C] [--seconds=T] [--jobs=J]
 *                  [--jit=tcc,cc,cuda] [--regions] [--part=K/N]
 *
 * Without --long 10,000 programs, the first 2,000 on slow compilers as well, or
 * as many of both as 7 minutes allow; the seed is --seed, else ILEX_SEED, else
 * 1 (with --long the time). With --regions all programs draw the steps of
 * diff_regions.c, which sets the highest bit of the seed. --part=K/N takes the
 * K-th of N parts of the groups of programs, in one job. --number=N runs one
 * program and prints it. A failing program is printed with its number, made
 * small.
 */
#define _GNU_SOURCE /* fork */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/jit/jit.h"
#include "tests/differential/differential.h"

/* Of a long run one group in OPTIMISED is compiled with the C compiler's usual
 * flags and given to NVRTC, which takes most of the time; of all runs one in
 * SHIMMED has what is CUDA compiled by cc, not by TinyCC. */
enum { MOST_FAILURES = 4, OPTIMISED = 10, SHIMMED = 5 };

typedef struct options {
    diff_options run;
    uint64_t seed;
    int64_t number; /* -1: all */
    int64_t count;
    int64_t everywhere; /* so many run on all back ends, the others, which are
                           many more in the same time, not on slow compilers */
    int seconds, jobs;
    int part, parts; /* groups part, part + parts, ... */
    bool mixed;      /* optimised or not, by group */
    uint64_t marks;  /* DIFF_REGIONS: a bit of the seed */
} options;

/* Shared by the jobs. */
typedef struct board {
    diff_totals totals[16];
    int failures[16];
} board;

static time_t start_time;

/* ---- the command line ---- */

static void
choose_jits(options *o, const char *list)
{
    o->run.tcc = strstr(list, "tcc") != NULL;
    o->run.cc = strstr(list, "cc") && strcmp(list, "tcc") != 0;
    o->run.cuda = strstr(list, "cuda") != NULL;
}

static bool
read_option(options *o, const char *arg)
{
    if (!strcmp(arg, "--long")) {
        o->count = o->everywhere = INT64_MAX / 2;
        o->seconds = 240;
        o->run.nvrtc = true;
        o->mixed = true;
    } else if (!strcmp(arg, "--cuda")) {
        choose_jits(o, "cuda");
        o->run.nvrtc = true;
    } else if (!strcmp(arg, "--device")) {
        choose_jits(o, "");
        o->run.device = true;
        o->jobs = 1;
    } else if (!strcmp(arg, "--regions")) {
        o->marks |= DIFF_REGIONS;
    } else if (!strncmp(arg, "--seed=", 7)) {
        o->seed = strtoull(arg + 7, NULL, 0);
    } else if (!strncmp(arg, "--number=", 9)) {
        o->number = strtoll(arg + 9, NULL, 0);
    } else if (!strncmp(arg, "--count=", 8)) {
        o->count = o->everywhere = strtoll(arg + 8, NULL, 0);
    } else if (!strncmp(arg, "--seconds=", 10)) {
        o->seconds = atoi(arg + 10);
    } else if (!strncmp(arg, "--jobs=", 7)) {
        o->jobs = atoi(arg + 7);
    } else if (!strncmp(arg, "--part=", 7)) {
        o->jobs = 1;
        if (sscanf(arg + 7, "%d/%d", &o->part, &o->parts) != 2)
            return false;
        o->part--;
    } else if (!strncmp(arg, "--jit=", 6)) {
        choose_jits(o, arg + 6);
    } else {
        return false;
    }
    return o->jobs >= 1 && o->jobs <= 16 && 0 <= o->part && o->part < o->parts;
}

static bool
read_options(options *o, int argc, char **argv)
{
    const char *seed = getenv("ILEX_SEED");
    *o = (options){.run = {true, true, true, false, "-O1", NULL, false},
                   .number = -1,
                   .count = 10000,
                   .everywhere = 2000,
                   .seconds = 420,
                   .jobs = 2,
                   .parts = 1};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--long"))
            o->seed = (uint64_t)start_time;
    o->seed = seed && *seed ? strtoull(seed, NULL, 0) : o->seed ? o->seed : 1;
    for (int i = 1; i < argc; i++)
        if (!read_option(o, argv[i])) {
            fprintf(
                stderr,
                "usage: differential [--long] [--cuda] [--device] [--seed=S] "
                "[--number=N] [--count=C] [--seconds=T] [--jobs=J] "
                "[--jit=tcc,cc,cuda] [--regions] [--part=K/N]\n");
            return false;
        }
    o->seed |= o->marks;
    return true;
}

/* ---- failures ---- */

/* Says what failed and how to repeat it, then the smallest program found. */
static void
report(const options *o, const diff_options *run, uint64_t number,
       const diff_verdict *first)
{
    diff_recipe recipe;
    diff_verdict verdict = *first;
    printf("FAILED program %llu of seed %llu: %s\n"
           "    repeat with: differential --seed=%llu --number=%llu\n",
           (unsigned long long)number, (unsigned long long)o->seed, first->text,
           (unsigned long long)o->seed, (unsigned long long)number);
    fflush(stdout);
    diff_recipe_make(&recipe, o->seed, number);
    if (!diff_fails(&recipe, run, &verdict)) {
        printf("    (not when it runs alone)\n");
    } else {
        diff_shrink(&recipe, run, &verdict);
        printf("the smallest program that fails: %s\n", verdict.text);
    }
    diff_recipe_print(&recipe, stdout);
    fflush(stdout);
}

/* One group; the number of failures. */
static int
run_group(const options *o, uint64_t group, int failures, diff_totals *totals)
{
    static diff_verdict verdicts[DIFF_GROUP];
    uint64_t first = group * DIFF_GROUP;
    int count = o->count - (int64_t)first < DIFF_GROUP
                    ? (int)(o->count - (int64_t)first)
                    : DIFF_GROUP;
    diff_options run = o->run;
    run.shim = group % SHIMMED == 0 ? "-O1" : NULL;
    if (o->mixed) {
        run.nvrtc = group % OPTIMISED == OPTIMISED - 1;
        run.cflags = run.nvrtc ? NULL : o->run.cflags;
    }
    if ((int64_t)first >= o->everywhere)
        run.cc = run.cuda = false;
    memset(verdicts, 0, sizeof verdicts);
    diff_range_run(o->seed, first, count, &run, verdicts, totals);
    for (int i = 0; i < count; i++) {
        if (!verdicts[i].failed)
            continue;
        if (failures++ < MOST_FAILURES)
            report(o, &run, first + (uint64_t)i, &verdicts[i]);
    }
    return failures;
}

/* Is group "g" one of the job's? They go round, shifted by one each time, since
 * what a group draws follows its number modulo 4. */
static bool
is_mine(const options *o, int job, int64_t g)
{
    int64_t n = (int64_t)o->parts * o->jobs;
    return (g + g / n) % n == (int64_t)o->part * o->jobs + job;
}

static void
run_job(const options *o, int job, board *b)
{
    int64_t groups = (o->count + DIFF_GROUP - 1) / DIFF_GROUP;
    for (int64_t g = 0; g < groups; g++) {
        if (!is_mine(o, job, g))
            continue;
        if (time(NULL) - start_time > o->seconds ||
            b->failures[job] >= MOST_FAILURES)
            break;
        b->failures[job] =
            run_group(o, (uint64_t)g, b->failures[job], &b->totals[job]);
    }
}

/* ---- all ---- */

static void
print_totals(const options *o, const board *b, int failures)
{
    diff_totals t;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < o->jobs; i++) {
        const diff_totals *j = &b->totals[i];
        t.programs += j->programs;
        t.outputs += j->outputs;
        t.kernels += j->kernels;
        t.elements += j->elements;
        t.refused += j->refused;
        t.ptx += j->ptx;
        for (int k = 0; k < 4; k++)
            t.seconds[k] += j->seconds[k];
    }
    printf("differential: seed %llu: %lld programs, %lld outputs, %lld "
           "elements, %lld kernels; %lld refused, %lld units to PTX, %d "
           "failed; compiling: reference %.1f, tcc %.1f, cc %.1f, cuda %.1f "
           "s\n",
           (unsigned long long)o->seed, (long long)t.programs,
           (long long)t.outputs, (long long)t.elements, (long long)t.kernels,
           (long long)t.refused, (long long)t.ptx, failures, t.seconds[0],
           t.seconds[1], t.seconds[2], t.seconds[3]);
}

/* One program, printed. */
static int
run_number(const options *o)
{
    diff_recipe recipe;
    diff_verdict verdict;
    bool accepted = diff_recipe_make(&recipe, o->seed, (uint64_t)o->number);
    diff_recipe_print(&recipe, stdout);
    if (!accepted)
        printf("Ilex refuses it\n");
    else if (diff_fails(&recipe, &o->run, &verdict))
        report(o, &o->run, (uint64_t)o->number, &verdict);
    else
        printf("all back ends agree\n");
    return accepted && verdict.failed;
}

int
main(int argc, char **argv)
{
    options o;
    int failures = 0;
    diff_draws_loops = true;
    start_time = time(NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_options(&o, argc, argv))
        return 2;
    o.run.tcc = o.run.tcc && ix_jit_tcc_available();
    if (o.number >= 0)
        return run_number(&o);
    board *b = diff_shared_memory(sizeof *b);
    for (int job = 0; job < o.jobs; job++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            run_job(&o, job, b);
            fflush(NULL);
            exit(0);
        }
    }
    int status = 0;
    while (wait(&status) > 0)
        failures += status != 0;
    for (int job = 0; job < o.jobs; job++)
        failures += b->failures[job];
    print_totals(&o, b, failures);
    return failures != 0;
}
