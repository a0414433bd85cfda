/* SPDX-License-Identifier: MIT
 *
 * Whoever needs a directory holds its lock, which the system takes back however
 * a process ends: so what nobody has locked is nobody's.
 */
#define _GNU_SOURCE
#include "runtime/jit/cc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/descriptor.h"

static const char start[] = "ilex-cc-";

enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char *
base_directory(void)
{
    static const char *const names[] = {"ILEX_TMPDIR", "TMPDIR"};
    for (size_t i = 0; i < IX_COUNT(names); i++) {
        const char *value = secure_getenv(names[i]);
        if (value && value[0] == '/')
            return value;
    }
    return "/tmp";
}

/* Calls "visit" for each name in the directory "fd", which is closed. */
static void
visit_names(int fd, void (*visit)(int dir, const char *name))
{
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *f; list && (f = readdir(list));)
        if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0)
            visit(dirfd(list), f->d_name);
    if (list)
        closedir(list);
    else if (fd >= 0)
        close(fd);
}

static void
remove_file(int dir, const char *name)
{
    unlinkat(dir, name, 0);
}

/* ---- what others left ---- */

/* Removes a directory of this user's that nobody has locked. */
static void
sweep(int dir, const char *name)
{
    struct stat s;
    if (strncmp(name, start, strlen(start)) != 0)
        return;
    int fd = ix_fd_high(openat(dir, name, FLAGS));
    bool left = fd >= 0 && fstat(fd, &s) == 0 && s.st_uid == geteuid() &&
                !(s.st_mode & 077) && flock(fd, LOCK_EX | LOCK_NB) == 0;
    int files = left ? ix_fd_high(openat(fd, ".", FLAGS)) : -1;
    visit_names(files, remove_file);
    if (left)
        unlinkat(dir, name, AT_REMOVEDIR);
    if (fd >= 0)
        close(fd);
}

/* Once for each place: what this process leaves it removes itself. */
static void
sweep_once(const char *base)
{
    static _Atomic(uint64_t) swept;
    uint64_t place = ix_hash_bytes(1, base, strlen(base));
    if (atomic_exchange(&swept, place) != place)
        visit_names(ix_fd_high(open(base, FLAGS)), sweep);
}

/* ---- one's own ---- */

/* Makes one and locks it; where there are no locks it is as good without. */
static bool
make(ix_cc_directory *d, const char *base)
{
    struct stat s;
    snprintf(d->path, sizeof d->path, "%s/%sXXXXXX", base, start);
    if (!mkdtemp(d->path)) {
        d->path[0] = '\0';
        return false;
    }
    d->fd = ix_fd_high(open(d->path, FLAGS));
    return d->fd >= 0 &&
           (flock(d->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           fstat(d->fd, &s) == 0 && s.st_nlink > 0;
}

bool
ix_cc_directory_make(ix_cc_directory *d, ix_error *err)
{
    enum { ATTEMPTS = 8 }; /* another process may take a new one for left */
    const char *base = base_directory();
    size_t most = sizeof d->path - sizeof start - strlen("/XXXXXX");
    *d = (ix_cc_directory){"", -1};
    if (strlen(base) > most)
        return ix_fail_false(err, ILEX_E_FILE,
                             "the directory for temporary files, ILEX_TMPDIR "
                             "or TMPDIR, has a name longer than %zu bytes",
                             most);
    sweep_once(base);
    for (int i = 0; i < ATTEMPTS; i++) {
        if (make(d, base))
            return true;
        int saved = errno;
        ix_cc_directory_remove(d);
        errno = saved;
    }
    return ix_fail_false(
        err, ILEX_E_FILE,
        "no private directory in '%s': %s; set ILEX_TMPDIR, an absolute path",
        base, strerror(errno));
}

void
ix_cc_directory_remove(ix_cc_directory *d)
{
    int files = d->fd >= 0 ? ix_fd_high(openat(d->fd, ".", FLAGS)) : -1;
    visit_names(files, remove_file);
    if (d->path[0])
        rmdir(d->path);
    if (d->fd >= 0)
        close(d->fd);
    *d = (ix_cc_directory){"", -1};
}
