/* SPDX-License-Identifier: MIT
 *
 * The lock around the loader, which fork() takes.
 */
#include "lib/base/library.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void
before_fork(void)
{
    pthread_mutex_lock(&loading);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&loading);
}

/* Before the handlers of all who load while they hold a lock of their own:
 * fork() takes locks in the reverse order. */
__attribute__((constructor(101))) static void
register_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

void *
ix_library_open(const char *path)
{
    pthread_mutex_lock(&loading);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    pthread_mutex_unlock(&loading);
    return library;
}

void
ix_library_close(void *library)
{
    pthread_mutex_lock(&loading);
    dlclose(library);
    pthread_mutex_unlock(&loading);
}
