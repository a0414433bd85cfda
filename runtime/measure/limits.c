/* SPDX-License-Identifier: MIT
 *
 * See limits.h. Each thread has arrays of its own; with arrays in memory they
 * share out a fixed number of bytes, in the caches each has the same.
 */
#define _GNU_SOURCE
#include "runtime/measure/limits.h"

#include <ilex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/measure/limit_loops.h"

enum {
    MOST_ARRAYS = 3,
    MOST_THREADS = 256,
    SKEW = 24 /* elements between arrays: no two begin alike in a page */
};

static const int64_t memory_bytes = 64 << 20;  /* an array, of all threads */
static const int64_t cached_bytes = 192 << 10; /* all arrays of a thread */
static const double quick = 1e-2; /* seconds; below, less memory will do */

typedef struct loop {
    const char *name;
    double (*run)(int64_t n, double *const *b);
    int arrays; /* 0: in registers */
} loop;

static const loop loops[] = {{"read", loop_read, 1},
                             {"copy", loop_copy, 2},
                             {"triad", loop_triad, 3},
                             {"multiply-add", loop_multiply_add, 0}};

enum { LOOPS = sizeof loops / sizeof *loops };

/* A loop that several threads run on "n" elements of each of their arrays. */
typedef struct team {
    const loop *loop;
    int threads;
    int64_t n, repeats;
    double *base;
    atomic_int ready;
    atomic_int go;
} team;

typedef struct member {
    team *team;
    int number;
    double sum; /* kept, so that nothing is left out */
} member;

/* Processors that this process may use. */
static int
count_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > MOST_THREADS ? MOST_THREADS : n;
}

/* ---- one timing ---- */

static void
run_member(member *m)
{
    const team *t = m->team;
    double *b[MOST_ARRAYS] = {0};
    for (int a = 0; a < t->loop->arrays; a++)
        b[a] = t->base + (int64_t)(m->number * MOST_ARRAYS + a) * (t->n + SKEW);
    for (int64_t i = 0; i < t->repeats; i++)
        m->sum += t->loop->run(t->n, b);
}

static void *
start_member(void *arg)
{
    member *m = arg;
    atomic_fetch_add(&m->team->ready, 1);
    while (!atomic_load(&m->team->go))
        sched_yield();
    run_member(m);
    return NULL;
}

/* Seconds of a team's repeats from when all threads are there, -1 when there
 * are no threads. */
static double
time_team(team *t)
{
    member m[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    int started = 1;
    atomic_store(&t->ready, 1);
    atomic_store(&t->go, 0);
    for (int i = 0; i < t->threads; i++)
        m[i] = (member){t, i, 0};
    while (started < t->threads &&
           pthread_create(&thread[started], NULL, start_member, &m[started]) ==
               0)
        started++;
    while (atomic_load(&t->ready) < started)
        sched_yield();
    double start = bench_now();
    atomic_store(&t->go, 1);
    run_member(&m[0]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    return started == t->threads ? bench_now() - start : -1;
}

/* ---- all of them ---- */

/* Bytes or operations of one repeat by all threads. */
static double
amount(const team *t)
{
    double a = t->loop->arrays;
    return (double)t->threads * (double)t->n *
           (a > 0 ? a * sizeof(double) : 2.0 * loop_multiply_add_width);
}

/* The loop, its elements and how often it is repeated for "least" seconds. */
static int
prepare(team *t, const bench_limit *l, double *base, double least)
{
    int64_t per_thread =
        (int64_t)(least < quick ? memory_bytes / 8 : memory_bytes) /
        (int64_t)sizeof(double) / l->threads;
    for (int i = 0; i < LOOPS; i++)
        if (loops[i].name == l->name)
            t->loop = &loops[i];
    t->threads = l->threads;
    t->base = base;
    t->n = l->set == SET_REGISTERS ? 1 << 12
           : l->set == SET_CACHE
               ? cached_bytes / t->loop->arrays / (int64_t)sizeof(double)
               : per_thread;
    t->repeats = 1;
    if (time_team(t) < 0) /* the first one touches memory */
        return 0;
    double once = time_team(t);
    t->repeats = once > 1e-8 ? (int64_t)(least / once) + 1 : 1 << 20;
    return 1;
}

/* Names of all limits: loops in memory and in cache, then multiply-adds. */
static void
name_limits(bench_limits *l)
{
    bench_limit *p = l->limit;
    for (int threads = 0; threads < 2; threads++)
        for (int set = SET_MEMORY; set <= SET_REGISTERS; set++)
            for (int i = 0; i < LOOPS; i++)
                if ((loops[i].arrays == 0) == (set == SET_REGISTERS))
                    *p++ = (bench_limit){.name = loops[i].name,
                                         .set = (bench_set)set,
                                         .threads = threads ? l->threads : 1};
}

/* Memory for the arrays of all threads. */
static ilex_storage *
make_memory(int threads)
{
    int64_t memory = memory_bytes / (int64_t)sizeof(double);
    int64_t cache = threads * cached_bytes / (int64_t)sizeof(double);
    int64_t n = MOST_ARRAYS * (memory + cache + (int64_t)threads * SKEW);
    ilex_storage_spec spec = {.size = sizeof spec, .rank = 1, .shape = &n};
    return ilex_storage_new(NULL, &spec);
}

int
bench_limits_measure(bench_limits *l, int rounds, double least)
{
    static team teams[LIMITS];
    int ok = 1;
    l->threads = count_processors();
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    l->cache_bytes = cache > 0 ? cache : 1 << 20;
    name_limits(l);
    ilex_storage *memory = make_memory(l->threads);
    if (memory)
        bench_fill(ilex_storage_data(memory), ilex_storage_count(memory), 1);
    for (int i = 0; memory && ok && i < LIMITS; i++)
        ok = prepare(&teams[i], &l->limit[i], ilex_storage_data(memory), least);
    for (int round = 0; memory && ok && round < rounds; round++)
        for (int i = 0; ok && i < LIMITS; i++) {
            double seconds = time_team(&teams[i]);
            ok = seconds > 0;
            bench_add(&l->limit[i].samples,
                      amount(&teams[i]) * (double)teams[i].repeats / seconds);
        }
    ilex_storage_release(memory);
    if (!memory || !ok)
        fprintf(stderr, "limits: no %s\n", memory ? "threads" : "memory");
    return memory && ok;
}

double
bench_limits_seconds(const bench_limits *l, int threads, double bytes,
                     double operations)
{
    bench_set set = bytes <= (double)l->cache_bytes ? SET_CACHE : SET_MEMORY;
    double bandwidth = 0, peak = 0;
    for (int i = 0; i < LIMITS; i++) {
        bench_limit m = l->limit[i];
        double rate = bench_summarize(&m.samples).median;
        if (m.threads != (threads == 1 ? 1 : l->threads))
            continue;
        if (m.set == SET_REGISTERS)
            peak = rate > peak ? rate : peak;
        else if (m.set == set)
            bandwidth = rate > bandwidth ? rate : bandwidth;
    }
    double traffic = bytes / bandwidth, work = operations / peak;
    return traffic > work ? traffic : work;
}

const char *
bench_set_name(bench_set set)
{
    static const char *const name[] = {"memory", "cache", "registers"};
    return name[set];
}
