/* SPDX-License-Identifier: MIT
 *
 * Tasks in the background (see background.h): one queue, as many threads as
 * there are cores at most.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/threads/background.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/fork.h"
#include "lib/base/library.h"
#include "runtime/threads/pool.h"

enum { AT_EXIT_MS = 250 }; /* for tasks to clean up after themselves */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* a task is done; by the monotonic clock */
static ix_task *queue, *running;
static int nworkers;
static bool closing;

__attribute__((constructor(IX_FORK_FIRST))) static void
init_condition(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attr);
    pthread_condattr_destroy(&attr);
}

/* ---- fork ---- */

static void
lose(ix_task **list)
{
    for (ix_task *t; (t = *list);) {
        *list = t->next;
        t->state = IX_TASK_IDLE;
        t->lost(t);
    }
}

static void
begin_child(void)
{
    nworkers = 0;
    init_condition();
    lose(&queue);
    lose(&running);
}

/* Tasks are started with locks held that fork() takes as well. */
IX_FORK_TAKES_AND(lock, begin_child(), constructor(IX_FORK_FIRST))

/* ---- the list of a state ---- */

static void
append(ix_task **list, ix_task *t)
{
    while (*list)
        list = &(*list)->next;
    t->next = NULL;
    *list = t;
}

static void
take_out(ix_task **list, const ix_task *t)
{
    while (*list != t)
        list = &(*list)->next;
    *list = t->next;
}

/* ---- threads ---- */

/* Signals are left to the host's threads. */
static void *
worker(void *unused)
{
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_mutex_lock(&lock);
    for (ix_task *t; (t = queue);) {
        queue = t->next;
        append(&running, t);
        t->state = IX_TASK_RUNNING;
        pthread_mutex_unlock(&lock);
        t->run(t);
        pthread_mutex_lock(&lock);
        take_out(&running, t);
        t->state = IX_TASK_DONE;
        pthread_cond_broadcast(&changed);
    }
    nworkers--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static struct timespec
in_ms(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void
at_exit(void)
{
    struct timespec until = in_ms(AT_EXIT_MS);
    pthread_mutex_lock(&lock);
    closing = true;
    for (ix_task *t = queue; t; t = t->next)
        t->state = IX_TASK_IDLE;
    queue = NULL;
    for (ix_task *t = running; t; t = t->next)
        atomic_store(&t->stop, true);
    while (running && !pthread_cond_timedwait(&changed, &lock, &until))
        ;
    pthread_mutex_unlock(&lock);
}

/* Before the first thread, and before the lock: the loader's comes first. */
static void
prepare(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&done))
        return;
    ix_library_pin();
    atexit(at_exit);
}

/* One thread more where the queue is longer than there are threads; false if
 * there is none at all. */
static bool
make_worker(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (nworkers >= ix_pool_cores() || pthread_attr_init(&attr))
        return nworkers > 0;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    nworkers += !pthread_create(&thread, &attr, worker, NULL);
    pthread_attr_destroy(&attr);
    return nworkers > 0;
}

/* ---- what others call ---- */

bool
ix_task_start(ix_task *t)
{
    prepare();
    pthread_mutex_lock(&lock);
    bool ok = !closing && t->state == IX_TASK_IDLE && make_worker();
    if (ok) {
        atomic_store(&t->stop, false);
        t->state = IX_TASK_QUEUED;
        append(&queue, t);
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

void
ix_task_end(ix_task *t)
{
    pthread_mutex_lock(&lock);
    if (t->state == IX_TASK_QUEUED) {
        take_out(&queue, t);
        t->state = IX_TASK_IDLE;
    }
    atomic_store(&t->stop, true);
    while (t->state == IX_TASK_RUNNING)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

bool
ix_task_wait(ix_task *t, double seconds)
{
    const double most = 1e9; /* more are thirty years */
    double ms = 1e3 * (seconds > 0 ? seconds < most ? seconds : most : 0);
    struct timespec until = in_ms((int64_t)ms);
    bool late = false;
    pthread_mutex_lock(&lock);
    while (!late && (t->state == IX_TASK_QUEUED || t->state == IX_TASK_RUNNING))
        late = pthread_cond_timedwait(&changed, &lock, &until) != 0;
    bool over = t->state == IX_TASK_IDLE || t->state == IX_TASK_DONE;
    pthread_mutex_unlock(&lock);
    return over;
}
