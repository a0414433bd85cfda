/* SPDX-License-Identifier: MIT
 *
 * The time of an entry's last use is the time of change of its file: many file
 * systems do not note when files are read.
 */
#define _GNU_SOURCE
#include "runtime/cache/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/descriptor.h"
#include "runtime/cache/entry.h"

static const char lock_name[] = "lock";

enum {
    LOCK_TRIES = 2000,
    LOCK_NAP = 1000000, /* nanoseconds between them: two seconds in all */
    ORPHAN_SECONDS = 3600,
    TOUCH_SECONDS = 60
};

/* ---- the lock ---- */

int
ix_cache_lock(int dir, ix_error *why)
{
    int fd = ix_fd_high(
        openat(dir, lock_name,
               O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
    if (fd < 0) {
        ix_fail(why, ILEX_E_FILE, "%s", strerror(errno));
        return -1;
    }
    for (int i = 0; i < LOCK_TRIES; i++) {
        struct timespec nap = {0, LOCK_NAP};
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fd; /* a file system without locks */
        nanosleep(&nap, NULL);
    }
    ix_fail(why, ILEX_E_FILE, "another process holds the directory's lock");
    close(fd);
    return -1;
}

/* Unlocked by name, since a child of fork() may have the descriptor, too. */
void
ix_cache_unlock(int lock)
{
    flock(lock, LOCK_UN);
    close(lock);
}

/* ---- the list ---- */

static ix_cache_kind
kind_of(const char *name, const struct stat *s)
{
    if (S_ISDIR(s->st_mode))
        return IX_CACHE_OTHER;
    if (ix_cache_key_is_name(name))
        return IX_CACHE_ENTRY;
    if (ix_cache_is_temporary(name))
        return IX_CACHE_TEMPORARY;
    return strcmp(name, lock_name) ? IX_CACHE_OTHER : IX_CACHE_LOCK;
}

/* Appends the file "name", if it is still there. */
static bool
add_file(ix_cache_files *l, int dir, const char *name)
{
    struct stat s;
    if (fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (!ix_mem_grow(&l->mem, &l->file, &l->capacity, l->n + 1,
                     sizeof *l->file))
        return false;
    ix_cache_file *f = &l->file[l->n++];
    f->kind = kind_of(name, &s);
    f->bytes = s.st_size;
    f->used = s.st_mtim.tv_sec;
    size_t length = strlen(name);
    length = length < sizeof f->name ? length : sizeof f->name - 1;
    memcpy(f->name, name, length);
    f->name[length] = '\0';
    l->bytes += s.st_size;
    return true;
}

static int
by_use(const void *a, const void *b)
{
    const ix_cache_file *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->name, y->name);
}

bool
ix_cache_list(int dir, const ix_mem *mem, ix_cache_files *l, ix_error *why)
{
    memset(l, 0, sizeof *l);
    l->mem = *mem;
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        ix_fail(why, ILEX_E_FILE, "the directory cannot be listed: %s",
                strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = true;
    for (struct dirent *f; ok && (f = readdir(d));)
        if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0)
            ok = add_file(l, dir, f->d_name);
    closedir(d);
    if (!ok)
        ix_fail_memory(why);
    else if (l->n > 1)
        qsort(l->file, l->n, sizeof *l->file, by_use);
    return ok;
}

void
ix_cache_files_free(ix_cache_files *l)
{
    ix_mem_free(&l->mem, l->file);
    l->file = NULL;
}

/* ---- removing ---- */

/* Removes a file of the list; what is gone counts as nothing. */
static void
drop(int dir, ix_cache_files *l, ix_cache_file *f, ix_cache_removed *removed)
{
    if (unlinkat(dir, f->name, 0) != 0 && errno != ENOENT)
        return;
    l->bytes -= f->bytes;
    removed->bytes += f->bytes;
    removed->entries += f->kind == IX_CACHE_ENTRY;
    removed->temporaries += f->kind == IX_CACHE_TEMPORARY;
    f->bytes = 0;
}

/* The age is no more than a help where nobody knows whether the writer lives:
 * its clock may be another. */
static bool
is_left(const ix_cache_file *f, int64_t now)
{
    return f->kind == IX_CACHE_TEMPORARY &&
           (ix_cache_is_orphan(f->name) || now - f->used > ORPHAN_SECONDS);
}

bool
ix_cache_make_room(int dir, const ix_mem *mem, int64_t limit, int64_t need,
                   ix_cache_removed *removed, ix_error *why)
{
    ix_cache_files l;
    bool ok = ix_cache_list(dir, mem, &l, why);
    int64_t now = (int64_t)time(NULL);
    for (size_t i = 0; ok && i < l.n; i++)
        if (is_left(&l.file[i], now))
            drop(dir, &l, &l.file[i], removed);
    for (size_t i = 0; ok && need <= limit && i < l.n; i++)
        if (l.file[i].kind == IX_CACHE_ENTRY && l.bytes > limit - need)
            drop(dir, &l, &l.file[i], removed);
    if (ok && l.bytes > limit - need) {
        ok = false;
        ix_fail(why, ILEX_E_FILE,
                "%lld bytes do not fit below cache_size=%lld beside %lld that "
                "stay",
                (long long)need, (long long)limit, (long long)l.bytes);
    }
    ix_cache_files_free(&l);
    return ok;
}

bool
ix_cache_clear(int dir, const ix_mem *mem, ix_cache_removed *removed,
               ix_error *why)
{
    ix_cache_files l;
    bool ok = ix_cache_list(dir, mem, &l, why);
    for (size_t i = 0; ok && i < l.n; i++)
        if (l.file[i].kind == IX_CACHE_ENTRY ||
            l.file[i].kind == IX_CACHE_TEMPORARY)
            drop(dir, &l, &l.file[i], removed);
    ix_cache_files_free(&l);
    return ok;
}

void
ix_cache_touch(int entry)
{
    struct stat s;
    time_t now = time(NULL);
    if (fstat(entry, &s) == 0 && (s.st_mtim.tv_sec < now - TOUCH_SECONDS ||
                                  s.st_mtim.tv_sec > now + TOUCH_SECONDS))
        futimens(entry, NULL);
}
