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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries; /* the one used last comes first */
static size_t nentries, most = 256;
static uint64_t hits, misses;

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
    hits += p != NULL;
    misses += p == NULL;
    pthread_mutex_unlock(&lock);
    return p;
}

/* Takes out what is there beyond "limit", as a list. */
static entry *
take_beyond(size_t limit)
{
    entry *gone = NULL;
    while (nentries > limit) {
        entry *e = take_last();
        e->next = gone;
        gone = e;
    }
    return gone;
}

/* Without the lock: a program has locks of its own, which fork takes first. */
static void
release_all(entry *e)
{
    while (e) {
        entry *next = e->next;
        ilex_program_release(e->program);
        free(e);
        e = next;
    }
}

void
ix_keep_program(const char *key, ilex_program *p)
{
    size_t n = strlen(key) + 1;
    entry *e = malloc(sizeof *e + n);
    if (!e)
        return;
    memcpy(e->key, key, n);
    e->hash = ix_hash_bytes(0, key, n - 1);
    e->program = ilex_program_retain(p);
    pthread_mutex_lock(&lock);
    e->next = entries;
    entries = e;
    nentries++;
    entry *gone = take_beyond(most);
    pthread_mutex_unlock(&lock);
    release_all(gone);
}

void
ilex_programs_keep(size_t limit)
{
    pthread_mutex_lock(&lock);
    most = limit;
    entry *gone = take_beyond(most);
    pthread_mutex_unlock(&lock);
    release_all(gone);
}

void
ilex_programs_kept(ilex_kept *kept)
{
    pthread_mutex_lock(&lock);
    *kept = (ilex_kept){nentries, most, hits, misses};
    pthread_mutex_unlock(&lock);
}

const ilex_program *
ix_kept_last(void)
{
    pthread_mutex_lock(&lock);
    const ilex_program *p = entries ? entries->program : NULL;
    pthread_mutex_unlock(&lock);
    return p;
}
