/* SPDX-License-Identifier: MIT
 *
 * Kinds, a register of the process. A kind numbers a set of strides: strides
 * that were seen before have the number they got then, so equal kinds have
 * equal strides, always.
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

enum { MAX_KINDS = 1 << 16, BUCKETS = 1 << 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- kinds ---- */

typedef struct kind {
    struct kind *next;
    uint64_t number;
    int rank;
    int64_t stride[];
} kind;

static kind *bucket[BUCKETS];
static uint64_t nkinds;

static bool
same_strides(const kind *a, const ilex_storage *s)
{
    return a->rank == s->rank &&
           memcmp(a->stride, s->stride, (size_t)s->rank * sizeof *s->stride) ==
               0;
}

/* The kind of "s", made if it is new; NULL when there is no room. */
static const kind *
find_kind(const ilex_storage *s)
{
    size_t bytes = (size_t)s->rank * sizeof *s->stride;
    uint64_t hash = ix_hash_bytes(0, s->stride, bytes);
    kind **at = &bucket[hash % BUCKETS], *found = *at;
    while (found && !same_strides(found, s))
        found = found->next;
    if (found || nkinds == MAX_KINDS)
        return found;
    found = malloc(sizeof *found + bytes);
    if (!found)
        return NULL;
    *found = (kind){.next = *at, .number = ++nkinds, .rank = s->rank};
    memcpy(found->stride, s->stride, bytes);
    return *at = found;
}

uint64_t
ilex_storage_kind(const ilex_storage *s)
{
    if (s->unknown_kind)
        return 0;
    pthread_mutex_lock(&lock);
    const kind *found = find_kind(s);
    pthread_mutex_unlock(&lock);
    return found ? found->number : 0;
}
