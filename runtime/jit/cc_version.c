/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "runtime/jit/cc.h"

#include <stdio.h>

#include "lib/base/fork.h"
#include "runtime/cache/key.h"

enum { LIMIT_MS = 2000, MOST_COMPILERS = 8, ANSWER = 128, WORKER = 512 };

/* Those that were asked; compilers beyond the last row are asked each time. */
typedef struct compiler {
    uint64_t path;        /* hash */
    char version[ANSWER]; /* its first line; "": it said none in time */
    char worker[WORKER];  /* the program that compiles; "": unknown */
} compiler;

static compiler known[MOST_COMPILERS];
static size_t nknown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_TAKES(lock, constructor)

/* The first line of what the compiler prints for "flag", "" without one. */
static void
ask(const char *path, const char *flag, char *answer, size_t size)
{
    char *argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)flag, NULL};
    ix_process p = {.argv = argv,
                    .dir = "/",
                    .deadline = ix_process_clock() + LIMIT_MS,
                    .limit_ms = LIMIT_MS};
    answer[0] = '\0';
    if (ix_process_run(&p, 1, 1, NULL) == ILEX_OK)
        snprintf(answer, size, "%.*s", (int)strcspn(p.log, "\n"), p.log);
}

/* gcc's driver starts cc1, clang is one program; who knows neither says the
 * bare name. */
static void
ask_all(const char *path, compiler *c)
{
    c->path = ix_hash_bytes(0, path, strlen(path));
    ask(path, "--version", c->version, sizeof c->version);
    ask(path, "-print-prog-name=cc1", c->worker, sizeof c->worker);
    if (c->worker[0] != '/')
        ask(path, "-print-prog-name=clang", c->worker, sizeof c->worker);
    if (c->worker[0] != '/')
        c->worker[0] = '\0';
}

static compiler
find(const char *path)
{
    compiler c;
    uint64_t hash = ix_hash_bytes(0, path, strlen(path));
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < nknown && known[i].path != hash)
        i++;
    if (i < nknown) {
        c = known[i];
    } else {
        ask_all(path, &c);
        if (nknown < MOST_COMPILERS)
            known[nknown++] = c;
    }
    pthread_mutex_unlock(&lock);
    return c;
}

/* ---- what made an object ---- */

/* "/usr/lib/.../cc1: <which file it is>" */
static bool
put_worker(const char *worker, ix_text *t, ix_error *why)
{
    ix_text_put(t, worker);
    ix_text_put(t, ": ");
    return ix_cache_put_compiler(worker, t, why);
}

void
ix_cc_put_maker(const char *path, ix_text *t)
{
    compiler c = find(path);
    ix_error why;
    ix_error_clear(&why);
    ix_text_put(t, c.version);
    size_t before = t->length;
    if (!c.worker[0])
        return;
    ix_text_char(t, '\n');
    if (!put_worker(c.worker, t, &why))
        t->length = before;
}

bool
ix_cc_is_maker(const char *made, size_t length, const ix_mem *mem,
               ix_error *why)
{
    char worker[WORKER];
    const char *line = memchr(made, '\n', length);
    size_t n = line ? length - (size_t)(++line - made) : 0;
    const char *end = line ? memmem(line, n, ": ", 2) : NULL;
    if (!end || (size_t)(end - line) >= sizeof worker)
        return true; /* nothing is known */
    snprintf(worker, sizeof worker, "%.*s", (int)(end - line), line);
    ix_text t;
    ix_text_init(&t, mem);
    bool there = put_worker(worker, &t, why);
    const char *now = ix_text_string(&t);
    bool same = there && now && t.length == n && !memcmp(now, line, n);
    if (!now)
        ix_fail_memory(why);
    else if (there && !same)
        ix_fail(why, ILEX_E_TOOLCHAIN,
                "the compiler behind the one that is named was exchanged: it "
                "was '%.*s'",
                n > 300 ? 300 : (int)n, line);
    ix_text_free(&t);
    return same;
}
