/* SPDX-License-Identifier: MIT
 *
 * Programs that are kept for the next time they are asked for, by a text that
 * says all they depend on. The one that was not used for the longest time goes
 * when there are too many.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/fork.h"
#include "runtime/program/program.h"

typedef struct entry {
    struct entry *next;
    ilex_program *program;
    uint64_t hash;
    char key[];
} entry;

enum { MOST_ENTRIES = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries; /* the one used last comes first */
static size_t nentries;

IX_FORK_TAKES(lock, constructor)

/* Takes out the entry that was not used for the longest time. */
static entry *
take_last(void)
{
    entry **at = &entries;
    while ((*at)->next)
        at = &(*at)->next;
    entry *last = *at;
    *at = NULL;
    nentries--;
    return last;
}

ilex_program *
ix_kept_program(const char *key)
{
    ilex_program *p = NULL;
    uint64_t hash = ix_hash_bytes(0, key, strlen(key));
    pthread_mutex_lock(&lock);
    for (entry **at = &entries; *at && !p; at = &(*at)->next)
        if ((*at)->hash == hash && !strcmp((*at)->key, key)) {
            entry *e = *at;
            *at = e->next;
            e->next = entries;
            entries = e;
            p = ilex_program_retain(e->program);
            break;
        }
    pthread_mutex_unlock(&lock);
    return p;
}

void
ix_keep_program(const char *key, ilex_program *p)
{
    size_t n = strlen(key) + 1;
    entry *e = malloc(sizeof *e + n), *gone = NULL;
    if (!e)
        return;
    memcpy(e->key, key, n);
    e->hash = ix_hash_bytes(0, key, n - 1);
    e->program = ilex_program_retain(p);
    pthread_mutex_lock(&lock);
    e->next = entries;
    entries = e;
    if (++nentries > MOST_ENTRIES)
        gone = take_last();
    pthread_mutex_unlock(&lock);
    if (gone) /* a program has locks of its own, which fork takes first */
        ilex_program_release(gone->program);
    free(gone);
}

const ilex_program *
ix_kept_last(void)
{
    pthread_mutex_lock(&lock);
    const ilex_program *p = entries ? entries->program : NULL;
    pthread_mutex_unlock(&lock);
    return p;
}
