/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/descriptor.h"

enum { LIMIT_MS = 2000 };

static const char ending[] = "lock"; /* of an entry's: behind its name */

bool
ix_cache_is_lock(const char *name)
{
    size_t n = strlen(name), least = strlen(ending);
    return n >= least && !strcmp(name + n - least, ending);
}

bool
ix_cache_is_spare(const char *name)
{
    return ix_cache_is_lock(name) && strcmp(name, ending) != 0;
}

static int64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int
open_lock(int dir, const char *name)
{
    return ix_fd_high(
        openat(dir, name,
               O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
}

/* Tries for so long; false with errno EWOULDBLOCK when another process holds
 * it all the time, with another errno where there are no locks. */
static bool
try_for(int fd, int64_t limit_ms, const atomic_bool *stop, bool *waited)
{
    int64_t end = now_ms() + limit_ms;
    *waited = false;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        struct timespec nap = {0, 1000000};
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        *waited = true;
        if (now_ms() >= end || (stop && atomic_load(stop))) {
            errno = EWOULDBLOCK;
            return false;
        }
        nanosleep(&nap, NULL);
    }
    return true;
}

int
ix_cache_lock(int dir, ix_error *why)
{
    bool waited;
    int fd = open_lock(dir, ending);
    if (fd < 0) {
        ix_fail(why, ILEX_E_FILE, "%s", strerror(errno));
        return -1;
    }
    if (try_for(fd, LIMIT_MS, NULL, &waited) || errno != EWOULDBLOCK)
        return fd;
    ix_fail(why, ILEX_E_FILE, "another process holds the directory's lock");
    close(fd);
    return -1;
}

/* Unlocked explicitly: a child of fork() may have the descriptor, too. */
void
ix_cache_unlock(int lock)
{
    flock(lock, LOCK_UN);
    close(lock);
}

static void
name_of(const char *entry, char name[160])
{
    snprintf(name, 160, "%.150s.%s", entry, ending);
}

int
ix_cache_reserve(int dir, const char *entry, int64_t limit_ms,
                 const atomic_bool *stop, bool *waited)
{
    char name[160];
    name_of(entry, name);
    *waited = false;
    int fd = open_lock(dir, name);
    if (fd >= 0 && !try_for(fd, limit_ms, stop, waited)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Who waits for a file that is gone finds the entry, or makes it. */
void
ix_cache_unreserve(int dir, const char *entry, int lock)
{
    char name[160];
    if (lock < 0)
        return;
    name_of(entry, name);
    unlinkat(dir, name, 0);
    ix_cache_unlock(lock);
}
