/* SPDX-License-Identifier: MIT
 *
 * A stack of its own.
 */
#define _GNU_SOURCE
#include "lib/base/stack.h"

#include <pthread.h>
#include <signal.h>

enum { STACK = 4 << 20 }; /* bytes; the system gives those that are touched */

typedef struct visit {
    void (*body)(void *arg);
    void *arg;
} visit;

static _Thread_local bool is_visited; /* is this stack one of its own? */

static void *
pay_visit(void *user)
{
    const visit *v = user;
    is_visited = true;
    v->body(v->arg);
    return NULL;
}

/* A thread starts with the signals blocked that are where it is made. */
static bool
start(pthread_t *thread, const pthread_attr_t *attr, visit *v)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(thread, attr, pay_visit, v) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

void
ix_on_stack(void (*body)(void *arg), void *arg)
{
    visit v = {body, arg};
    pthread_t thread;
    pthread_attr_t attr;
    bool made = false;
    if (!is_visited && pthread_attr_init(&attr) == 0) {
        made = pthread_attr_setstacksize(&attr, STACK) == 0 &&
               start(&thread, &attr, &v);
        pthread_attr_destroy(&attr);
    }
    if (made)
        pthread_join(thread, NULL);
    else
        body(arg);
}
