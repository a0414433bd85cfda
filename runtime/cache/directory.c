/* SPDX-License-Identifier: MIT
 *
 * The path is walked one component at a time, each opened in the one before and
 * checked before the next: what was checked is what is used.
 */
#define _GNU_SOURCE
#include "runtime/cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where it is ---- */

bool
ix_cache_directory_path(const char *given, ix_text *path, ix_error *why)
{
    const char *caches = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    if (getauxval(AT_SECURE))
        return ix_fail_false(why, ILEX_E_FILE,
                             "the program has more rights than its user");
    if (given && *given) {
        ix_text_put(path, given);
    } else if (caches && caches[0] == '/') {
        ix_text_format(path, "%s/ilex", caches);
    } else if (home && home[0] == '/') {
        ix_text_format(path, "%s/.cache/ilex", home);
    } else {
        return ix_fail_false(why, ILEX_E_FILE,
                             "neither XDG_CACHE_HOME nor HOME is an absolute "
                             "path; name a directory (option cache_dir, for "
                             "example ILEX_CACHE_DIR=/home/me/ilex)");
    }
    if (path->failed)
        ix_fail_memory(why);
    else if (path->data[0] != '/')
        ix_fail(why, ILEX_E_FILE,
                "cache_dir='%.200s' is not an absolute path; for example "
                "/home/me/ilex",
                path->data);
    else
        return true;
    return false;
}

/* ---- the walk ---- */

enum { MOST_LINKS = 40 };

/* A walk along "path" of which "done" characters are done. */
typedef struct walk {
    ix_text path; /* links replaced by where they lead */
    size_t done;
    int at; /* open directory */
    int links;
    bool create;
    ix_error *why;
} walk;

/* Where the next component starts and ends. */
static void
next_component(const walk *w, size_t *start, size_t *end)
{
    const char *p = w->path.data;
    for (*start = w->done; p[*start] == '/'; ++*start)
        ;
    *end = *start + strcspn(p + *start, "/");
}

/* How many components are left from "i" on. */
static int
components(const char *p, size_t i)
{
    int n = 0;
    while (p[i += strspn(p + i, "/")]) {
        n++;
        i += strcspn(p + i, "/");
    }
    return n;
}

static bool
is_trusted(uid_t owner)
{
    return owner == 0 || owner == geteuid();
}

/* Puts where a link leads in its place. */
static bool
follow(walk *w, int link, size_t end)
{
    char to[4096];
    ssize_t n = readlinkat(link, "", to, sizeof to - 1);
    if (n <= 0 || ++w->links > MOST_LINKS)
        return ix_fail_false(w->why, ILEX_E_FILE, "'%.*s' leads nowhere",
                             (int)end, w->path.data);
    to[n] = '\0';
    ix_text t;
    ix_text_init(&t, &w->path.mem);
    if (to[0] != '/')
        ix_text_put_n(&t, w->path.data, w->done);
    ix_text_format(&t, "/%s%s", to, w->path.data + end);
    if (to[0] == '/') {
        close(w->at);
        w->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        w->done = 0;
    }
    ix_text_free(&w->path);
    w->path = t;
    return !t.failed && w->at >= 0;
}

/* Is the component that ends at "end" a directory that others cannot change?
 */
static bool
check_way(walk *w, const struct stat *s, size_t end)
{
    const char *what = NULL;
    if (!is_trusted(s->st_uid))
        what = "belongs to another user";
    else if (S_ISLNK(s->st_mode))
        return true;
    else if (!S_ISDIR(s->st_mode))
        what = "is no directory";
    else if ((s->st_mode & 022) && !(s->st_mode & S_ISVTX))
        what = "can be changed by other users";
    if (what)
        ix_fail(w->why, ILEX_E_FILE, "'%.*s' %s", (int)end, w->path.data, what);
    return !what;
}

/* Opens component "name" without following a link; makes it if that is
 * allowed. */
static int
open_component(walk *w, const char *name, size_t end)
{
    int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(w->at, name, flags);
    if (fd < 0 && errno == ENOENT && w->create &&
        components(w->path.data, end) <= 1 &&
        (mkdirat(w->at, name, 0700) == 0 || errno == EEXIST))
        fd = openat(w->at, name, flags);
    if (fd < 0)
        ix_fail(w->why, errno == ENOENT ? ILEX_E_UNKNOWN : ILEX_E_FILE,
                "there is no directory '%.*s': %s", (int)end, w->path.data,
                strerror(errno));
    return fd;
}

/* Goes on by one component; the last one is no link. */
static bool
step(walk *w, size_t start, size_t end)
{
    char name[256];
    struct stat s;
    if (end - start >= sizeof name)
        return ix_fail_false(w->why, ILEX_E_FILE,
                             "a name in '%.200s' is too long", w->path.data);
    memcpy(name, w->path.data + start, end - start);
    name[end - start] = '\0';
    int fd = open_component(w, name, end);
    bool ok = fd >= 0 && fstat(fd, &s) == 0 && check_way(w, &s, end);
    if (ok && S_ISLNK(s.st_mode)) {
        ok = components(w->path.data, end) > 0 && follow(w, fd, end);
        if (!ok)
            ix_fail(w->why, ILEX_E_FILE,
                    "'%.*s' is a link; name the directory that it leads to",
                    (int)end, w->path.data);
        close(fd);
        return ok;
    }
    if (!ok) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    close(w->at);
    w->at = fd;
    w->done = end;
    return true;
}

/* The directory at the end for reading, if it is this user's alone. */
static int
open_private(const walk *w)
{
    struct stat s;
    int fd = openat(w->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *what = NULL;
    if (fd < 0 || fstat(fd, &s) != 0)
        what = strerror(errno);
    else if (s.st_uid != geteuid())
        what = "it belongs to another user";
    else if (s.st_mode & 077)
        what = "other users may enter it; `chmod 700` it if nobody has";
    if (!what)
        return fd;
    ix_fail(w->why, ILEX_E_FILE, "'%.1000s': %s", w->path.data, what);
    if (fd >= 0)
        close(fd);
    return -1;
}

int
ix_cache_directory_open(const ix_mem *mem, const char *path, bool create,
                        ix_error *why)
{
    walk w = {.create = create, .why = why};
    size_t start, end;
    int fd = -1;
    ix_text_init(&w.path, mem);
    ix_text_put(&w.path, path);
    w.at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool ok = w.at >= 0 && !w.path.failed;
    while (ok && (next_component(&w, &start, &end), end > start))
        ok = step(&w, start, end);
    if (ok)
        fd = open_private(&w);
    else if (w.path.failed)
        ix_fail_memory(why);
    else
        ix_fail(why, ILEX_E_FILE, "cannot walk along '%.200s'", path);
    if (w.at >= 0)
        close(w.at);
    ix_text_free(&w.path);
    return fd;
}
