/* SPDX-License-Identifier: MIT
 *
 * A file is a head of fixed length, the key, what made it, the object. The sum
 * is over the head and all behind the key; the key has its own check, the
 * digests in the head that give the file its name: so the sum ties the object
 * to the key. Numbers are stored lowest byte first.
 */
#define _GNU_SOURCE
#include "runtime/cache/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/descriptor.h"
#include "lib/base/sha256.h"

static const char magic[8] = {'I', 'L', 'E', 'X', 'O', 'B', 'J', '\n'};

enum {
    FORMAT = 1,
    /* where things are in the head */
    AT_FORMAT = 8,
    AT_KEY = 16,
    AT_MADE = 24,
    AT_OBJECT = 32,
    AT_NAME = 40,
    AT_SUM = AT_NAME + IX_CACHE_NAME,
    HEAD = AT_SUM + IX_SHA256_BYTES,
    MOST_BYTES = 1 << 30
};

static void
put_number(char *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(v >> 8 * i);
}

static uint64_t
number_at(const char *from)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | (unsigned char)from[i];
    return v;
}

/* The sum of a head and of what follows the key. */
static void
sum_of(const char *head, const char *made, size_t made_length,
       const void *object, size_t object_length,
       unsigned char sum[IX_SHA256_BYTES])
{
    ix_sha256 s;
    ix_sha256_start(&s);
    ix_sha256_add(&s, head, AT_SUM);
    ix_sha256_add(&s, made, made_length);
    ix_sha256_add(&s, object, object_length);
    ix_sha256_end(&s, sum);
}

/* ---- reading ---- */

/* Why a file is not read whatever it holds, NULL if it may be. */
static const char *
refuse(const struct stat *s)
{
    if (!S_ISREG(s->st_mode))
        return "it is no file";
    if (s->st_uid != geteuid())
        return "it belongs to another user";
    if (s->st_nlink != 1)
        return "it has more than one name";
    if (s->st_mode & 022)
        return "other users may write to it";
    if (s->st_size < HEAD)
        return "it is cut off";
    if (s->st_size > MOST_BYTES)
        return "it is too long";
    return NULL;
}

/* Where the parts of a file of "size" bytes are; why it is none, or NULL. */
static const char *
divide(ix_cache_entry *e, size_t size)
{
    uint64_t key = number_at(e->file + AT_KEY);
    uint64_t made = number_at(e->file + AT_MADE);
    uint64_t object = number_at(e->file + AT_OBJECT);
    if (memcmp(e->file, magic, sizeof magic) != 0)
        return "it is no entry";
    if (number_at(e->file + AT_FORMAT) != FORMAT)
        return "it is of another format";
    if (key > MOST_BYTES || made > MOST_BYTES || object > MOST_BYTES ||
        HEAD + key + made + object != size)
        return "its length is not what it should be";
    e->key = e->file + HEAD;
    e->made = e->key + key;
    e->object = e->made + made;
    e->key_length = (size_t)key;
    e->made_length = (size_t)made;
    e->object_length = (size_t)object;
    return NULL;
}

/* Why what was read is not the entry "name", NULL if it is. */
static const char *
check(ix_cache_entry *e, size_t size, const char *name)
{
    unsigned char sum[IX_SHA256_BYTES];
    char real[IX_CACHE_NAME + 1];
    const char *what = divide(e, size);
    if (what)
        return what;
    sum_of(e->file, e->made, e->made_length, e->object, e->object_length, sum);
    if (memcmp(sum, e->file + AT_SUM, sizeof sum) != 0)
        return "its sum is wrong";
    if (memcmp(e->file + AT_NAME, name, IX_CACHE_NAME) != 0)
        return "it is another entry";
    if (!ix_cache_key_name(e->key, e->key_length, real) ||
        memcmp(real, name, IX_CACHE_NAME) != 0)
        return "its key is damaged";
    return NULL;
}

/* Opens the file; its size if it may be read. */
static ix_cache_found
open_file(int dir, const char *name, int *fd, size_t *size, ix_error *why)
{
    struct stat s;
    *fd = openat(dir, name,
                 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 && errno == ENOENT) {
        ix_fail(why, ILEX_E_FILE, "there is no such entry");
        return IX_CACHE_ABSENT;
    }
    if (*fd < 0 && errno == ELOOP) {
        ix_fail(why, ILEX_E_FILE, "it is a link");
        return IX_CACHE_BAD;
    }
    if (*fd < 0 || fstat(*fd, &s) != 0) {
        ix_fail(why, ILEX_E_FILE, "it cannot be opened: %s", strerror(errno));
        return IX_CACHE_UNREADABLE;
    }
    const char *what = refuse(&s);
    if (what)
        ix_fail(why, ILEX_E_FILE, "%s", what);
    *size = what ? 0 : (size_t)s.st_size;
    return what ? IX_CACHE_BAD : IX_CACHE_VALID;
}

/* Reads all of it and checks that. */
static ix_cache_found
read_file(int fd, size_t size, const char *name, ix_cache_entry *e,
          ix_error *why)
{
    e->file = ix_mem_resize(&e->mem, NULL, size);
    if (!e->file) {
        ix_fail_memory(why);
        return IX_CACHE_UNREADABLE;
    }
    if (!ix_fd_read(fd, e->file, size)) {
        ix_fail(why, ILEX_E_FILE, "it cannot be read: %s", strerror(errno));
        return IX_CACHE_UNREADABLE;
    }
    const char *what = check(e, size, name);
    if (!what)
        return IX_CACHE_VALID;
    ix_fail(why, ILEX_E_FILE, "%s", what);
    return IX_CACHE_BAD;
}

ix_cache_found
ix_cache_entry_read(int dir, const char *name, const ix_mem *mem,
                    ix_cache_entry *e, int *file, ix_error *why)
{
    int fd;
    size_t size;
    memset(e, 0, sizeof *e);
    e->mem = *mem;
    ix_cache_found found = open_file(dir, name, &fd, &size, why);
    if (found == IX_CACHE_VALID)
        found = read_file(fd, size, name, e, why);
    if (found != IX_CACHE_VALID)
        ix_cache_entry_free(e);
    if (file && found == IX_CACHE_VALID)
        *file = fd;
    else if (fd >= 0)
        close(fd);
    return found;
}

void
ix_cache_entry_free(ix_cache_entry *e)
{
    ix_mem_free(&e->mem, e->file);
    e->file = NULL;
}

bool
ix_cache_verify(int dir, const char *name, bool remove, ix_error *why)
{
    ix_cache_entry e;
    ix_cache_found found =
        ix_cache_entry_read(dir, name, &ix_mem_default, &e, NULL, why);
    if (found == IX_CACHE_VALID)
        ix_cache_entry_free(&e);
    else if (found == IX_CACHE_BAD && remove)
        ix_cache_entry_remove(dir, name);
    return found == IX_CACHE_VALID;
}

bool
ix_cache_entry_remove(int dir, const char *name)
{
    char aside[IX_CACHE_NAME + 16];
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR)
        return false;
    snprintf(aside, sizeof aside, "%s.directory", name);
    return unlinkat(dir, name, AT_REMOVEDIR) == 0 ||
           renameat(dir, name, dir, aside) == 0;
}

/* ---- writing ---- */

int64_t
ix_cache_entry_size(const ix_cache_content *c)
{
    return (int64_t)(HEAD + c->key->text.length + strlen(c->made) +
                     c->object_length);
}

static void
make_head(char head[HEAD], const ix_cache_content *c)
{
    unsigned char sum[IX_SHA256_BYTES];
    size_t made = strlen(c->made);
    memset(head, 0, HEAD);
    memcpy(head, magic, sizeof magic);
    put_number(head + AT_FORMAT, FORMAT);
    put_number(head + AT_KEY, c->key->text.length);
    put_number(head + AT_MADE, made);
    put_number(head + AT_OBJECT, c->object_length);
    memcpy(head + AT_NAME, c->key->name, IX_CACHE_NAME);
    sum_of(head, c->made, made, c->object, c->object_length, sum);
    memcpy(head + AT_SUM, sum, sizeof sum);
}

static bool
write_file(int fd, const ix_cache_content *c)
{
    char head[HEAD];
    make_head(head, c);
    return ix_fd_write(fd, head, sizeof head) &&
           ix_fd_write(fd, c->key->text.data, c->key->text.length) &&
           ix_fd_write(fd, c->made, strlen(c->made)) &&
           ix_fd_write(fd, c->object, c->object_length) &&
           fchmod(fd, 0600) == 0;
}

/* A number for this host that is the same in all of its processes. */
static uint64_t
host_number(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return ix_hash_bytes(0, name, strlen(name));
}

static const char temporary_start[] = "tmp.";

static void
name_temporary(char *name, size_t size)
{
    uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0)
        number = (uint64_t)(uintptr_t)name;
    snprintf(name, size, "%s%016llx.%ld.%016llx", temporary_start,
             (unsigned long long)host_number(), (long)getpid(),
             (unsigned long long)number);
}

bool
ix_cache_entry_write(int dir, const ix_cache_content *c, ix_error *why)
{
    char name[80];
    if (ix_cache_entry_size(c) > MOST_BYTES)
        return ix_fail_false(why, ILEX_E_FILE, "it is too long");
    name_temporary(name, sizeof name);
    int fd = openat(dir, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return ix_fail_false(why, ILEX_E_FILE, "%s", strerror(errno));
    fd = ix_fd_high(fd);
    bool ok = fd >= 0 && write_file(fd, c);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && renameat(dir, name, dir, c->key->name) != 0) {
        ok = false;
        saved = errno;
    }
    if (!ok) {
        unlinkat(dir, name, 0);
        ix_fail(why, ILEX_E_FILE, "%s", strerror(saved));
    }
    return ok;
}

bool
ix_cache_is_temporary(const char *name)
{
    return !strncmp(name, temporary_start, strlen(temporary_start));
}

/* Has the process ended? One that nobody has waited for yet has. */
static bool
has_ended(pid_t process)
{
    char path[40], text[256], *state;
    if (kill(process, 0) != 0)
        return errno == ESRCH;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    state = strrchr(text, ')'); /* "12 (name) Z ..." */
    return state && (!strncmp(state, ") Z", 3) || !strncmp(state, ") X", 3));
}

bool
ix_cache_is_orphan(const char *name)
{
    char *end;
    if (!ix_cache_is_temporary(name))
        return false;
    name += strlen(temporary_start);
    if (strtoull(name, &end, 16) != host_number() || *end != '.')
        return false;
    long process = strtol(end + 1, &end, 10);
    return *end == '.' && process > 0 && process <= INT32_MAX &&
           has_ended((pid_t)process);
}
