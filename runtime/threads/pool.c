/* SPDX-License-Identifier: MIT
 *
 * The thread pool: workers made on first use, waiting for jobs. A job is a
 * range of numbers that the workers and the caller take one by one. Jobs of
 * several callers queue up. A forked child starts without workers.
 */
#define _GNU_SOURCE /* sysconf(_SC_NPROCESSORS_ONLN) */
#include "runtime/threads/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lib/base/fpenv.h"
#include "lib/base/library.h"

typedef struct job {
    struct job *next;
    void (*body)(void *arg, int64_t i);
    void *arg;
    int64_t n, taken, done;
    int helpers; /* workers that may still join */
} job;

enum { MAX_WORKERS = 1023 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static job *jobs;
static int nworkers;

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
        if (++j->done == j->n)
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

/* Signals are left to the host's threads. */
static void *
worker(void *unused)
{
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_mutex_lock(&lock);
    for (;;) {
        job *j = find_job();
        if (j) {
            j->helpers--;
            take_part(j);
        } else {
            pthread_cond_wait(&work, &lock);
        }
    }
    return NULL;
}

static void
before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void
after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child has one thread: no workers, no jobs, fresh conditions. */
static void
after_fork_in_child(void)
{
    nworkers = 0;
    jobs = NULL;
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&finished, NULL);
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void
register_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Makes workers until there are "wanted"; fewer if the system refuses. */
static void
make_workers(int wanted)
{
    pthread_attr_t attr;
    if (nworkers >= wanted || pthread_attr_init(&attr))
        return;
    if (nworkers == 0)
        ix_library_pin();
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
    static atomic_int known;
    int cores = atomic_load_explicit(&known, memory_order_relaxed);
    if (cores > 0)
        return cores;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    cores = online < 1 ? 1 : online > MAX_WORKERS ? MAX_WORKERS : (int)online;
    atomic_store_explicit(&known, cores, memory_order_relaxed);
    return cores;
}

void
ix_pool_run(int threads, int64_t n, void (*body)(void *arg, int64_t i),
            void *arg)
{
    job j = {.body = body, .arg = arg, .n = n, .helpers = threads - 1};
    pthread_mutex_lock(&lock);
    make_workers(threads - 1);
    j.next = jobs;
    jobs = &j;
    pthread_cond_broadcast(&work);
    take_part(&j);
    while (j.done < j.n)
        pthread_cond_wait(&finished, &lock);
    remove_job(&j);
    pthread_mutex_unlock(&lock);
}
