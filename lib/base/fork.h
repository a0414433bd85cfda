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
    IX_FORK_TAKES_AND(mutex, (void)0, attributes)

/* The same; before it is free, the child does "begin". */
#define IX_FORK_TAKES_AND(mutex, begin, attributes)                            \
    static void before_fork(void)                                              \
    {                                                                          \
        pthread_mutex_lock(&(mutex));                                          \
    }                                                                          \
    static void after_fork_in_parent(void)                                     \
    {                                                                          \
        pthread_mutex_unlock(&(mutex));                                        \
    }                                                                          \
    static void after_fork_in_child(void)                                      \
    {                                                                          \
        begin;                                                                 \
        pthread_mutex_unlock(&(mutex));                                        \
    }                                                                          \
    __attribute__((attributes)) static void register_fork_handlers(void)       \
    {                                                                          \
        pthread_atfork(before_fork, after_fork_in_parent,                      \
                       after_fork_in_child);                                   \
    }

/* The child does "begin", as nobody holds the locks that it makes anew. */
#define IX_FORK_BEGINS(begin)                                                  \
    static void after_fork_in_child(void)                                      \
    {                                                                          \
        begin;                                                                 \
    }                                                                          \
    __attribute__((constructor)) static void register_fork_handlers(void)      \
    {                                                                          \
        pthread_atfork(NULL, NULL, after_fork_in_child);                       \
    }

#endif
