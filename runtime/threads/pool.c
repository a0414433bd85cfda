/* SPDX-License-Identifier: MIT
 *
 * The thread pool: workers made on first use, waiting for jobs. A job is a
 * range of numbers that the workers and the caller take one by one. Jobs of
 * several callers queue up. A forked child starts without workers.
 *
 * Who waits looks at a counter for a while before it sleeps: waking a thread
 * takes longer than many a kernel. A worker that finds itself on the processor
 * of its job's caller moves to another one: the system may leave both there
 * for seconds.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/threads/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/fork.h"
#include "lib/base/fpenv.h"
#include "lib/base/library.h"
#include "lib/base/machine.h"
#include "lib/graph/context.h"

typedef struct job {
    struct job *next;
    void (*body)(void *arg, int64_t i);
    void *arg;
    int64_t n, taken;
    _Atomic int64_t done;
    int helpers; /* workers that may still join */
    int cpu;     /* of the caller */
} job;

enum { MAX_WORKERS = 1023, PATIENCE_NS = 30000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static job *jobs;
static int nworkers, surplus;  /* workers; how many of these are to end */
static _Atomic int64_t posted; /* jobs so far */

/* ---- waiting without sleep ---- */

static int64_t
clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

void
ix_pool_watch(_Atomic int64_t *number, int64_t value, bool other)
{
    enum { LOOKS = 32 };
    int64_t until = clock_ns() + PATIENCE_NS;
    while (ix_pool_cores() > 1 && clock_ns() < until)
        for (int i = 0; i < LOOKS; i++) {
            int64_t now = atomic_load_explicit(number, memory_order_acquire);
            if ((now == value) != other)
                return;
            relax();
        }
}

static void
watch_posted(int64_t seen)
{
    ix_pool_watch(&posted, seen, true);
}

/* Off the processor "cpu", to any other that this thread may use; it may come
 * back later. */
static void
move_off(int64_t cpu)
{
    cpu_set_t all, others;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getcpu() != cpu ||
        sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR((size_t)cpu, &others);
    if (CPU_COUNT(&others) > 0 &&
        sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof all, &all);
}

/* ---- jobs ---- */

/* Takes numbers of "j" until there are none left; the lock is held on entry
 * and on return. Workers inherit the floating-point environment of the thread
 * that made them, so every thread sets the default for its part. */
static void
take_part(job *j)
{
    ix_fpenv before = ix_fpenv_enter();
    while (j->taken < j->n) {
        int64_t i = j->taken++;
        pthread_mutex_unlock(&lock);
        j->body(j->arg, i);
        pthread_mutex_lock(&lock);
        if (atomic_fetch_add(&j->done, 1) + 1 == j->n)
            pthread_cond_broadcast(&finished);
    }
    ix_fpenv_leave(before);
}

static job *
find_job(void)
{
    for (job *j = jobs; j; j = j->next)
        if (j->helpers > 0 && j->taken < j->n)
            return j;
    return NULL;
}

/* Calls "fn" without the lock, which is held on entry and on return. */
static void
open_lock(void (*fn)(int64_t), int64_t arg)
{
    pthread_mutex_unlock(&lock);
    fn(arg);
    pthread_mutex_lock(&lock);
}

/* Signals are left to the host's threads. */
static void *
worker(void *unused)
{
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_mutex_lock(&lock);
    for (bool watched = true, moved = false;;) {
        job *j = find_job();
        if (j && !moved && sched_getcpu() == j->cpu) {
            open_lock(move_off, j->cpu); /* the job may be over then */
            moved = true;
        } else if (j) {
            j->helpers--;
            take_part(j);
            watched = moved = false;
        } else if (!watched) {
            open_lock(watch_posted, atomic_load(&posted));
            watched = true;
        } else if (surplus > 0) {
            break;
        } else {
            pthread_cond_wait(&work, &lock);
        }
    }
    surplus--;
    nworkers--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* A forked child has one thread: no workers, no jobs, fresh conditions. */
static void
begin_child(void)
{
    nworkers = surplus = 0;
    jobs = NULL;
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&finished, NULL);
}

IX_FORK_TAKES_AND(lock, begin_child(), constructor)

/* Nobody has a context: workers end as they find no job. Who runs a program all
 * the same makes others. */
static void
end_workers(void)
{
    pthread_mutex_lock(&lock);
    surplus = nworkers;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
}

/* Makes workers until there are "wanted"; fewer if the system refuses. */
static void
make_workers(int wanted)
{
    pthread_attr_t attr;
    int spare = nworkers > wanted ? nworkers - wanted : 0;
    surplus = surplus < spare ? surplus : spare;
    if (nworkers >= wanted || pthread_attr_init(&attr))
        return;
    if (nworkers == 0) {
        ix_library_pin();
        atomic_store(&ix_context_last, end_workers);
    }
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    while (nworkers < wanted && nworkers < MAX_WORKERS) {
        pthread_t thread;
        if (pthread_create(&thread, &attr, worker, NULL))
            break;
        nworkers++;
    }
    pthread_attr_destroy(&attr);
}

static void
remove_job(job *j)
{
    job **at = &jobs;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
}

int
ix_pool_cores(void)
{
    int cores = ix_machine_here()->cores;
    return cores > MAX_WORKERS ? MAX_WORKERS : cores;
}

void
ix_pool_run(int threads, int64_t n, void (*body)(void *arg, int64_t i),
            void *arg)
{
    job j = {.body = body,
             .arg = arg,
             .n = n,
             .helpers = threads - 1,
             .cpu = sched_getcpu()};
    pthread_mutex_lock(&lock);
    make_workers(threads - 1);
    j.next = jobs;
    jobs = &j;
    atomic_fetch_add(&posted, 1);
    pthread_cond_broadcast(&work);
    take_part(&j);
    if (atomic_load(&j.done) < n) {
        pthread_mutex_unlock(&lock);
        ix_pool_watch(&j.done, n, false);
        pthread_mutex_lock(&lock);
    }
    while (atomic_load(&j.done) < n)
        pthread_cond_wait(&finished, &lock);
    remove_job(&j);
    pthread_mutex_unlock(&lock);
}
