/* SPDX-License-Identifier: MIT
 *
 * Kinds and size ids, two registers of the process.
 *
 * A kind numbers a set of strides: strides that were seen before have the
 * number they got then, so equal kinds have equal strides, always. An id is a
 * number of the user's for a set of lengths; it is held while memory uses it,
 * and other lengths under it are refused.
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

/* ---- ids of sizes ---- */

struct ix_size_id {
    struct ix_size_id *next;
    int id, rank;
    size_t uses;
    int64_t shape[ILEX_MAX_RANK];
};

static struct ix_size_id *ids;

static struct ix_size_id *
find_id(int id)
{
    struct ix_size_id *x = ids;
    while (x && x->id != id)
        x = x->next;
    return x;
}

/* A new entry for the lengths of "s"; NULL when there is no memory. */
static struct ix_size_id *
add_id(int id, const ilex_storage *s)
{
    struct ix_size_id *x = malloc(sizeof *x);
    if (!x)
        return NULL;
    *x = (struct ix_size_id){.next = ids, .id = id, .rank = s->rank};
    memcpy(x->shape, s->shape, (size_t)s->rank * sizeof *s->shape);
    return ids = x;
}

/* The first axis in which "s" has another length; -1: none, rank: other
 * number of axes. */
static int
other_axis(const struct ix_size_id *x, const ilex_storage *s)
{
    if (x->rank != s->rank)
        return s->rank;
    for (int k = 0; k < s->rank; k++)
        if (x->shape[k] != s->shape[k])
            return k;
    return -1;
}

ilex_status
ix_size_id_take(int id, const ilex_storage *s, ix_error *err)
{
    ilex_status rc = ILEX_OK;
    pthread_mutex_lock(&lock);
    struct ix_size_id *x = find_id(id);
    if (!x)
        x = add_id(id, s);
    int k = x ? other_axis(x, s) : -1;
    if (!x)
        rc = ix_fail_memory(err);
    else if (k == s->rank)
        rc = ix_fail(err, ILEX_E_SHAPE,
                     "storage: id %d stands for lengths of %d axes, and this "
                     "shape has %d; use another id",
                     id, x->rank, s->rank);
    else if (k >= 0)
        rc = ix_fail(err, ILEX_E_SHAPE,
                     "storage: id %d stands for length %lld of axis %d, and "
                     "this one is %lld; use another id",
                     id, (long long)x->shape[k], k, (long long)s->shape[k]);
    if (!rc) {
        x->uses++;
        s->memory->id = x;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

void
ix_size_id_release(struct ix_size_id *id)
{
    if (!id)
        return;
    pthread_mutex_lock(&lock);
    if (--id->uses == 0) {
        struct ix_size_id **at = &ids;
        while (*at != id)
            at = &(*at)->next;
        *at = id->next;
        free(id);
    }
    pthread_mutex_unlock(&lock);
}
