/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "lib/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int
ix_fd_high(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

bool
ix_fd_read(int fd, void *to, size_t n)
{
    char *p = to;
    while (n > 0) {
        ssize_t done = read(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = ENODATA;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

/* May "n" bytes more be written? Beyond the process's limit on the size of
 * files the system ends it by a signal. */
static bool
may_write(int fd, size_t n)
{
    struct rlimit most;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || getrlimit(RLIMIT_FSIZE, &most) != 0 ||
        (rlim_t)at + n <= most.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

bool
ix_fd_write(int fd, const void *from, size_t n)
{
    const char *p = from;
    if (!may_write(fd, n))
        return false;
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = ENOSPC;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}
