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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cache/directory.h"
#include "runtime/cache/entry.h"

enum { ORPHAN_SECONDS = 3600, TOUCH_SECONDS = 60 };

/* ---- the list ---- */

static ix_cache_kind
kind_of(const char *name, const struct stat *s)
{
    if (ix_cache_key_is_name(name))
        return IX_CACHE_ENTRY;
    if (S_ISDIR(s->st_mode))
        return IX_CACHE_OTHER;
    if (ix_cache_is_temporary(name))
        return IX_CACHE_TEMPORARY;
    return ix_cache_is_lock(name) ? IX_CACHE_LOCK : IX_CACHE_OTHER;
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
ix_cache_list(int dir, const ix_mem *mem, const char *start, ix_cache_files *l,
              ix_error *why)
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
        if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0 &&
            !strncmp(f->d_name, start, strlen(start)))
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
    if (!ix_cache_entry_remove(dir, f->name))
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
    bool old = now - f->used > ORPHAN_SECONDS;
    return (f->kind == IX_CACHE_TEMPORARY &&
            (old || ix_cache_is_orphan(f->name))) ||
           (f->kind == IX_CACHE_LOCK && old && ix_cache_is_spare(f->name));
}

bool
ix_cache_make_room(int dir, const ix_mem *mem, int64_t limit, int64_t need,
                   ix_cache_removed *removed, ix_error *why)
{
    ix_cache_files l;
    bool ok = ix_cache_list(dir, mem, "", &l, why);
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
    bool ok = ix_cache_list(dir, mem, "", &l, why);
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
