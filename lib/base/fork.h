/* SPDX-License-Identifier: MIT
 *
 * A lock that fork() takes, so that the child finds what it guards whole.
 */
#ifndef ILEX_LIB_FORK_H
#define ILEX_LIB_FORK_H

#include <pthread.h>

/* Before the handlers of all who load code under a lock of their own: fork()
 * takes locks in the reverse order. */
#define IX_FORK_FIRST 101

/* At the top of a file: fork() takes "mutex", which is free in the child. The
 * handlers are put up with the attributes given: constructor, or
 * constructor(IX_FORK_FIRST). */
#define IX_FORK_TAKES(mutex, attributes)                                       \
    static void before_fork(void)                                              \
    {                                                                          \
        pthread_mutex_lock(&(mutex));                                          \
    }                                                                          \
    static void after_fork(void)                                               \
    {                                                                          \
        pthread_mutex_unlock(&(mutex));                                        \
    }                                                                          \
    __attribute__((attributes)) static void register_fork_handlers(void)       \
    {                                                                          \
        pthread_atfork(before_fork, after_fork, after_fork);                   \
    }

#endif
