/* SPDX-License-Identifier: MIT
 *
 * Size ids, a register of the process. An id is a number of the user's for a
 * set of lengths; it is held while memory uses it, and other lengths under it
 * are refused.
 */
#include "runtime/memory/memory_object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

/* A new entry for "n" lengths; NULL when there is no memory. */
static struct ix_size_id *
add_id(int id, int n, const int64_t *shape)
{
    struct ix_size_id *x = malloc(sizeof *x);
    if (!x)
        return NULL;
    *x = (struct ix_size_id){.next = ids, .id = id, .rank = n};
    memcpy(x->shape, shape, (size_t)n * sizeof *shape);
    return ids = x;
}

/* The first axis with another length; -1: none, n: other number of axes. */
static int
other_axis(const struct ix_size_id *x, int n, const int64_t *shape)
{
    if (x->rank != n)
        return n;
    for (int k = 0; k < n; k++)
        if (x->shape[k] != shape[k])
            return k;
    return -1;
}

ilex_status
ix_size_id_take(ix_memory *m, int id, int n, const int64_t *shape,
                ix_error *err)
{
    ilex_status rc = ILEX_OK;
    pthread_mutex_lock(&lock);
    struct ix_size_id *x = find_id(id);
    if (!x)
        x = add_id(id, n, shape);
    int k = x ? other_axis(x, n, shape) : -1;
    if (!x)
        rc = ix_fail_memory(err);
    else if (k == n)
        rc = ix_fail(err, ILEX_E_SHAPE,
                     "storage: id %d stands for lengths of %d axes, and this "
                     "shape has %d; use another id",
                     id, x->rank, n);
    else if (k >= 0)
        rc = ix_fail(err, ILEX_E_SHAPE,
                     "storage: id %d stands for length %lld of axis %d, and "
                     "this one is %lld; use another id",
                     id, (long long)x->shape[k], k, (long long)shape[k]);
    if (!rc) {
        x->uses++;
        m->id = x;
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
