/* SPDX-License-Identifier: MIT
 *
 * The lock around the loader, which fork() takes.
 */
#define _GNU_SOURCE /* dladdr */
#include "lib/base/library.h"

#include <dlfcn.h>

#include "lib/base/fork.h"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_TAKES(loading, constructor(IX_FORK_FIRST))

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

void
ix_library_pin(void)
{
    Dl_info info;
    pthread_mutex_lock(&loading);
    if (dladdr(&loading, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    pthread_mutex_unlock(&loading);
}
