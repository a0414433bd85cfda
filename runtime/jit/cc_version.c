/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "runtime/jit/cc_version.h"

#include <stdio.h>

#include "lib/base/fork.h"
#include "runtime/jit/cc_process.h"

enum { LIMIT_MS = 2000, MOST_COMPILERS = 8 };

/* Those that were asked; compilers beyond the last row are asked each time. */
static struct {
    uint64_t path; /* hash */
    char version[IX_CC_VERSION];
} known[MOST_COMPILERS];
static size_t nknown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

IX_FORK_TAKES(lock, constructor)

static void
ask(const char *path, char version[IX_CC_VERSION])
{
    char flag[] = "--version";
    char *argv[] = {(char *)(uintptr_t)path, flag, NULL};
    ix_process p = {.argv = argv,
                    .dir = "/",
                    .deadline = ix_process_clock() + LIMIT_MS,
                    .limit_ms = LIMIT_MS};
    version[0] = '\0';
    if (ix_process_run(&p, 1, 1, NULL) == ILEX_OK)
        snprintf(version, IX_CC_VERSION, "%.*s", (int)strcspn(p.log, "\n"),
                 p.log);
}

void
ix_cc_version(const char *path, char version[IX_CC_VERSION])
{
    uint64_t hash = ix_hash_bytes(0, path, strlen(path));
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < nknown && known[i].path != hash)
        i++;
    if (i < nknown) {
        memcpy(version, known[i].version, IX_CC_VERSION);
    } else {
        ask(path, version);
        if (nknown < MOST_COMPILERS) {
            known[nknown].path = hash;
            memcpy(known[nknown++].version, version, IX_CC_VERSION);
        }
    }
    pthread_mutex_unlock(&lock);
}
