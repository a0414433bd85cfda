/* SPDX-License-Identifier: MIT
 *
 * What the tests of the disk cache share: a private directory, entries made
 * there, files changed behind the cache's back.
 */
#ifndef ILEX_TESTS_UNIT_CACHE_FIXTURE_H
#define ILEX_TESTS_UNIT_CACHE_FIXTURE_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cache/cache.h"
#include "runtime/cache/directory.h"

enum { NOBODY = 65534 };

static char top[64], place[80]; /* a directory, and the cache in it */
static ix_error why;

static inline void
make_place(void)
{
    strcpy(top, "/tmp/ilex-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(place, sizeof place, "%s/cache", top);
    ix_error_clear(&why);
}

static inline void
remove_place(void)
{
    char command[120];
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

/* The path of "name" in the cache, in memory that the next call but three
 * reuses. */
static inline const char *
in_place(const char *name)
{
    static char path[4][512];
    static int i;
    char *p = path[i++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", place, name);
    return p;
}

static inline int
open_place(void)
{
    int dir = ix_cache_directory_open(&ix_mem_default, place, true, &why);
    ck_assert_msg(dir >= 0, "%s", why.text);
    return dir;
}

/* ---- entries ---- */

static inline ix_cache_key *
make_key(ix_cache_key *key, const char *command, const char *source)
{
    ix_cache_key_init(key, &ix_mem_default);
    ix_cache_key_add(key, "command", command);
    ix_cache_key_add(key, "source", source);
    ck_assert(ix_cache_key_end(key));
    return key;
}

static const char object[] = "the bytes of an object";

/* Writes an entry; its name is in the key. */
static inline void
write_entry(int dir, ix_cache_key *key, const char *command, const char *source)
{
    make_key(key, command, source);
    ix_cache_content c = {key, "cc 1.0", object, sizeof object};
    ck_assert_msg(ix_cache_entry_write(dir, &c, &why), "%s", why.text);
}

/* Files in the cache that are no locks, their bytes, the name of the last. */
static inline int
count_entries(int64_t *bytes, char *name)
{
    int n = 0;
    struct stat s;
    DIR *d = opendir(place);
    int64_t sum = 0;
    for (struct dirent *f; d && (f = readdir(d));)
        if (f->d_name[0] != '.' && !ix_cache_is_lock(f->d_name)) {
            n++;
            ck_assert_int_eq(stat(in_place(f->d_name), &s), 0);
            sum += s.st_size;
            if (name)
                strcpy(name, f->d_name);
        }
    if (d)
        closedir(d);
    if (bytes)
        *bytes = sum;
    return n;
}

/* The last time that "name" was used: so many seconds ago. */
static inline void
set_age(const char *name, long seconds)
{
    struct timespec t[2] = {{time(NULL) - seconds, 0},
                            {time(NULL) - seconds, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, in_place(name), t, 0), 0);
}

static inline void
write_bytes(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static inline size_t
read_bytes(const char *path, void *bytes, size_t most)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ssize_t n = read(fd, bytes, most);
    ck_assert_int_gt(n, 0);
    close(fd);
    return (size_t)n;
}

/* The exit status of "body" in a child that, if this is root, is nobody. */
static inline int
as_nobody(int (*body)(void))
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(60);
        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(99);
        _exit(body());
    }
    while (waitpid(pid, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
