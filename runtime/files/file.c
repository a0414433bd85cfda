/* SPDX-License-Identifier: MIT
 *
 * Whole files in and out, over the POSIX calls.
 */
#define _GNU_SOURCE /* realpath, strerror_r that returns the text */
#include "runtime/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGEST_CALL = 1 << 30, /* bytes of one read or write */
    TRIES = 100             /* of a temporary name */
};

/* Reports "what" failed for "path", with the reason in errno. */
static ilex_status
fail_errno(ix_error *err, const char *what, const char *path)
{
    char reason[128];
    const char *text = strerror_r(errno, reason, sizeof reason);
    return ix_fail(err, ILEX_E_FILE, "cannot %s '%.1000s': %s", what, path,
                   text);
}

/* ---- reading ---- */

int
ix_file_open(const char *path, int64_t *bytes, ix_error *err)
{
    struct stat st;
    if (!path) {
        ix_fail(err, ILEX_E_ARGUMENT, "cannot read a file without a name");
        return -1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        fail_errno(err, "open", path);
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *bytes = st.st_size;
        return fd;
    }
    ix_fail(err, ILEX_E_FILE, "cannot read '%.1000s': it is not a regular file",
            path);
    close(fd);
    return -1;
}

/* From byte "at" on; -1: from where the file is. */
static ilex_status
get(int fd, const char *path, char *p, size_t bytes, int64_t at, ix_error *err)
{
    while (bytes) {
        size_t part = bytes < LARGEST_CALL ? bytes : LARGEST_CALL;
        ssize_t n = at < 0 ? read(fd, p, part) : pread(fd, p, part, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, "read", path);
        if (n == 0)
            return ix_fail(err, ILEX_E_FORMAT,
                           "'%.1000s' ends %zu bytes too early", path, bytes);
        p += n;
        at += at < 0 ? 0 : n;
        bytes -= (size_t)n;
    }
    return ILEX_OK;
}

ilex_status
ix_file_get(int fd, const char *path, void *data, size_t bytes, ix_error *err)
{
    return get(fd, path, data, bytes, -1, err);
}

ilex_status
ix_file_get_at(int fd, const char *path, void *data, size_t bytes, int64_t at,
               ix_error *err)
{
    return get(fd, path, data, bytes, at, err);
}

/* ---- writing ---- */

/* The path to replace: a symbolic link's target, else "path" itself. */
static ilex_status
find_target(ix_file_out *out, const char *path)
{
    struct stat st;
    if (!path || !*path)
        return ix_fail(out->err, ILEX_E_ARGUMENT,
                       "cannot write a file without a name");
    if (strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return fail_errno(out->err, "write", path);
    }
    strcpy(out->path, path);
    if (stat(path, &st) != 0)
        return ILEX_OK;
    if (!S_ISREG(st.st_mode))
        return ix_fail(out->err, ILEX_E_FILE,
                       "cannot write '%.1000s': it exists and is not a regular "
                       "file",
                       path);
    char *real = realpath(path, NULL);
    if (real && strlen(real) < sizeof out->path)
        strcpy(out->path, real);
    free(real);
    return ILEX_OK;
}

/* Opens a new file beside the target, called like it with a suffix. */
static ilex_status
open_temporary(ix_file_out *out)
{
    static atomic_uint serial;
    for (int i = 0; i < TRIES; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(out->temporary, sizeof out->temporary, "%s.%lx-%lx-%x.tmp",
                 out->path, (unsigned long)getpid(), (unsigned long)now.tv_nsec,
                 atomic_fetch_add(&serial, 1));
        out->fd =
            open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0)
            return ILEX_OK;
        if (errno != EEXIST)
            break;
    }
    return fail_errno(out->err, "write", out->path);
}

ilex_status
ix_file_begin(ix_file_out *out, const char *path, ix_error *err)
{
    memset(out, 0, sizeof *out);
    out->fd = -1;
    out->err = err;
    out->status = find_target(out, path);
    if (!out->status)
        out->status = open_temporary(out);
    return out->status;
}

ilex_status
ix_file_join(ix_file_out *out, const char *temporary, const char *path,
             ix_error *err)
{
    memset(out, 0, sizeof *out);
    out->err = err;
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->temporary, sizeof out->temporary, "%s", temporary);
    out->fd = open(out->temporary, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0)
        out->status = fail_errno(err, "write", out->path);
    return out->status;
}

ilex_status
ix_file_extend(ix_file_out *out, int64_t bytes)
{
    if (!out->status && bytes > 0) {
        errno = posix_fallocate(out->fd, 0, (off_t)bytes);
        if (errno)
            out->status = fail_errno(out->err, "write", out->path);
    }
    return out->status;
}

/* From byte "at" on; -1: where the file is. */
static ilex_status
put(ix_file_out *out, const char *p, size_t bytes, int64_t at)
{
    while (bytes && !out->status) {
        size_t part = bytes < LARGEST_CALL ? bytes : LARGEST_CALL;
        ssize_t n = at < 0 ? write(out->fd, p, part)
                           : pwrite(out->fd, p, part, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            out->status = fail_errno(out->err, "write", out->path);
            break;
        }
        p += n;
        at += at < 0 ? 0 : n;
        bytes -= (size_t)n;
    }
    return out->status;
}

ilex_status
ix_file_put(ix_file_out *out, const void *data, size_t bytes)
{
    return put(out, data, bytes, -1);
}

ilex_status
ix_file_put_at(ix_file_out *out, const void *data, size_t bytes, int64_t at)
{
    return put(out, data, bytes, at);
}

ilex_status
ix_file_leave(ix_file_out *out, ilex_status status)
{
    if (!out->status)
        out->status = status;
    if (out->fd >= 0 && close(out->fd) != 0 && !out->status)
        out->status = fail_errno(out->err, "write", out->path);
    out->fd = -1;
    return out->status;
}

ilex_status
ix_file_end(ix_file_out *out, ilex_status status)
{
    bool open = out->fd >= 0;
    ix_file_leave(out, status);
    if (!open)
        return out->status;
    if (!out->status && rename(out->temporary, out->path) != 0)
        out->status = fail_errno(out->err, "write", out->path);
    if (out->status)
        unlink(out->temporary);
    return out->status;
}
