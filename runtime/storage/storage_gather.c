/* SPDX-License-Identifier: MIT
 *
 * Elements chosen by storages of integers: s[keys] and s[keys] = value.
 *
 * The keys are broadcast to one shape. For each of its points they give an
 * index along every axis that has a key; what is left of the storage there is
 * one block, which is moved as a whole to or from the result, whose axes are
 * those of the keys in place of the axes they choose from.
 */
#include "runtime/storage/storage.h"

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

typedef struct gather {
    const ilex_storage *s;
    int nkeys, axis[ILEX_MAX_RANK]; /* axes of "s" that have a key */
    ix_host_copy key[ILEX_MAX_RANK];
    int opened;

    int rank; /* of the broadcast keys */
    int64_t shape[ILEX_MAX_RANK];
    const char *name[ILEX_MAX_RANK];
    int64_t step[ILEX_MAX_RANK][ILEX_MAX_RANK]; /* of a key along an axis */

    ilex_storage result;            /* shape only, unnamed */
    int first;                      /* place of the keys' axes in it */
    int nrest, rest[ILEX_MAX_RANK]; /* other axes of "s" */
    int rest_result[ILEX_MAX_RANK]; /* and where they are in it */
} gather;

/* ---- broadcasting the keys ---- */

/* The axis of the broadcast shape for axis "j" of "key"; new axes are added
 * by name. -1: too many. */
static int
place_of(gather *g, const ilex_storage *key, int j, bool named, int rank)
{
    if (!named)
        return rank - key->rank + j;
    for (int i = 0; i < g->rank; i++)
        if (strcmp(g->name[i], key->axis[j]) == 0)
            return i;
    if (g->rank == ILEX_MAX_RANK)
        return -1;
    g->name[g->rank] = key->axis[j];
    g->shape[g->rank] = 1;
    return g->rank++;
}

static ilex_status
broadcast_key(gather *g, int a, bool named, ix_error *err)
{
    const ilex_storage *key = &g->key[a].view;
    for (int j = 0; j < key->rank; j++) {
        int at = place_of(g, key, j, named, g->rank);
        if (at < 0)
            return ix_fail(err, ILEX_E_LIMIT,
                           "storage take: the keys have more than %d axes",
                           ILEX_MAX_RANK);
        if (key->shape[j] == 1)
            continue;
        if (g->shape[at] != 1 && g->shape[at] != key->shape[j])
            return ix_fail(err, ILEX_E_SHAPE,
                           "storage take: the keys do not broadcast: lengths "
                           "%lld and %lld along one axis",
                           (long long)g->shape[at], (long long)key->shape[j]);
        g->shape[at] = key->shape[j];
        g->step[a][at] = key->stride[j];
    }
    return ILEX_OK;
}

/* The common shape of the keys: by name if all of them have names. */
static ilex_status
broadcast_keys(gather *g, ix_error *err)
{
    bool named = true;
    int most = 0;
    for (int a = 0; a < g->nkeys; a++) {
        const ilex_storage *key = &g->key[a].view;
        named = named && (key->rank == 0 || *key->axis[0]);
        most = key->rank > most ? key->rank : most;
    }
    g->rank = named ? 0 : most;
    for (int i = 0; i < g->rank; i++)
        g->shape[i] = 1;
    ilex_status rc = ILEX_OK;
    for (int a = 0; !rc && a < g->nkeys; a++)
        rc = broadcast_key(g, a, named, err);
    return rc;
}

/* ---- the shape of the result ---- */

/* The keys' axes take the place of the first axis with a key if those are
 * neighbours, else come first. */
static ilex_status
shape_result(gather *g, ix_error *err)
{
    const ilex_storage *s = g->s;
    ilex_storage *r = &g->result;
    bool adjacent =
        g->nkeys && g->axis[g->nkeys - 1] - g->axis[0] == g->nkeys - 1;
    g->first = adjacent ? g->axis[0] : 0;
    r->rank = s->rank - g->nkeys + g->rank;
    if (r->rank > ILEX_MAX_RANK)
        return ix_fail(err, ILEX_E_LIMIT,
                       "storage take: the result would have %d axes, at most "
                       "%d",
                       r->rank, ILEX_MAX_RANK);
    for (int k = 0, a = 0; k < s->rank; k++) {
        if (a < g->nkeys && g->axis[a] == k) {
            a++;
            continue;
        }
        int at = g->nrest < g->first ? g->nrest : g->nrest + g->rank;
        g->rest_result[g->nrest] = at;
        g->rest[g->nrest++] = k;
        r->shape[at] = s->shape[k];
    }
    for (int i = 0; i < g->rank; i++)
        r->shape[g->first + i] = g->shape[i];
    r->dtype = s->dtype;
    for (int k = 0; k < r->rank; k++)
        r->axis[k] = "";
    return ILEX_OK;
}

/* ---- opening and closing ---- */

static ilex_status
open_key(gather *g, const ilex_storage *key, int axis, ix_error *err)
{
    if (!ix_dtype_is_integer(key->dtype))
        return ix_fail(err, ILEX_E_DTYPE,
                       "storage take: the key of axis %d is %s; keys are "
                       "integers, a mask of bool goes to "
                       "ilex_storage_take_mask",
                       axis, ilex_dtype_name(key->dtype));
    g->axis[g->nkeys] = axis;
    ilex_status rc = ix_host_copy_open(&g->key[g->nkeys], key, ILEX_READ, err);
    g->nkeys += !rc;
    return rc;
}

static void
close_keys(gather *g)
{
    for (int a = 0; a < g->nkeys; a++)
        ix_host_copy_close(&g->key[a], ILEX_OK, NULL);
}

/* Reads the keys; on failure nothing is left open. */
static ilex_status
open_gather(gather *g, const ilex_storage *s, const ilex_storage *const *keys,
            ix_error *err)
{
    memset(g, 0, sizeof *g);
    g->s = s;
    ilex_status rc = ILEX_OK;
    for (int k = 0; !rc && k < s->rank; k++)
        if (keys && keys[k])
            rc = open_key(g, keys[k], k, err);
    rc = rc ? rc : broadcast_keys(g, err);
    rc = rc ? rc : shape_result(g, err);
    if (rc)
        close_keys(g);
    return rc;
}

/* ---- walking ---- */

/* What key "a" says at a point: an index of its axis, counted from the end if
 * it is negative. */
static ilex_status
read_key(const gather *g, int a, const int64_t *point, int64_t *index,
         ix_error *err)
{
    const ilex_storage *key = &g->key[a].view;
    int64_t offset = 0, n = g->s->shape[g->axis[a]];
    for (int i = 0; i < g->rank; i++)
        offset += point[i] * g->step[a][i];
    ix_value v = ix_value_load(
        key->dtype, key->data + offset * (int64_t)ilex_dtype_bytes(key->dtype));
    bool natural = ix_dtype_kind(key->dtype) == 'u';
    bool outside = natural ? v.u >= (uint64_t)n : v.i < -n || v.i >= n;
    if (outside)
        return ix_fail(err, ILEX_E_BOUNDS,
                       natural ? "storage take: key %llu is outside axis %d of "
                                 "length %lld"
                               : "storage take: key %lld is outside axis %d of "
                                 "length %lld",
                       (unsigned long long)v.u, g->axis[a], (long long)n);
    *index = v.i < 0 ? v.i + n : v.i;
    return ILEX_OK;
}

/* The blocks of storage and result at the first point. */
static void
make_blocks(const gather *g, const ilex_storage *result, ilex_storage *s,
            ilex_storage *r)
{
    ix_storage_clone(s, g->s);
    ix_storage_clone(r, result);
    s->rank = r->rank = g->nrest;
    for (int i = 0; i < g->nrest; i++) {
        s->shape[i] = r->shape[i] = g->s->shape[g->rest[i]];
        s->stride[i] = g->s->stride[g->rest[i]];
        r->stride[i] = result->stride[g->rest_result[i]];
    }
}

/* Goes to the next point; false after the last. */
static bool
next_point(const gather *g, int64_t *point)
{
    for (int i = g->rank - 1; i >= 0; i--) {
        if (++point[i] < g->shape[i])
            return true;
        point[i] = 0;
    }
    return false;
}

/* Moves the block of each point from "s" to "result", or back if "put". With
 * "result" NULL the keys are checked only. "s" has the elements of g->s where
 * the host can address them. */
static ilex_status
walk(const gather *g, const ilex_storage *s, const ilex_storage *result,
     bool put, ix_error *err)
{
    ilex_storage sb, rb;
    int64_t point[ILEX_MAX_RANK] = {0}, index = 0;
    int64_t bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    for (int i = 0; i < g->rank; i++)
        if (g->shape[i] == 0)
            return ILEX_OK;
    if (result)
        make_blocks(g, result, &sb, &rb);
    do {
        int64_t at = 0, to = 0;
        for (int a = 0; a < g->nkeys; a++) {
            ilex_status rc = read_key(g, a, point, &index, err);
            if (rc)
                return rc;
            at += index * s->stride[g->axis[a]];
        }
        if (!result)
            continue;
        for (int i = 0; i < g->rank; i++)
            to += point[i] * result->stride[g->first + i];
        sb.data = s->data + at * bytes;
        rb.data = result->data + to * (int64_t)ilex_dtype_bytes(result->dtype);
        ix_storage_move_as(put ? &sb : &rb, put ? &rb : &sb);
    } while (next_point(g, point));
    return ILEX_OK;
}

ilex_storage *
ilex_storage_take(ilex_context *ctx, const ilex_storage *s,
                  const ilex_storage *const *keys)
{
    if (!ix_storage_given(ctx, s, "storage take"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    gather g;
    ix_host_copy x;
    ilex_storage *result = NULL;
    if (open_gather(&g, s, keys, err))
        return NULL;
    ilex_status rc = walk(&g, s, NULL, false, err);
    if (!rc)
        result =
            ilex_storage_empty(ctx, s->dtype, g.result.rank, g.result.shape);
    if (result && !(rc = ix_host_copy_open(&x, s, ILEX_READ, err))) {
        rc = walk(&g, &x.view, result, false, err);
        ix_host_copy_close(&x, rc, err);
    }
    close_keys(&g);
    if (rc) {
        ilex_storage_release(result);
        return NULL;
    }
    return result;
}

/* Writes the staged "value" to the places that the keys name. */
static ilex_status
put_value(const gather *g, ilex_storage *s, const ilex_storage *value,
          ix_error *err)
{
    ilex_storage view;
    ix_host_copy x;
    ilex_status rc = ix_storage_match(&g->result, value, &view, err);
    rc = rc ? rc : walk(g, s, NULL, true, err);
    rc = rc ? rc : ix_host_copy_open(&x, s, ILEX_READ_WRITE, err);
    if (rc)
        return rc;
    rc = walk(g, &x.view, &view, true, err);
    return ix_host_copy_close(&x, rc, err);
}

ilex_status
ilex_storage_put(ilex_context *ctx, ilex_storage *s,
                 const ilex_storage *const *keys, const ilex_storage *value)
{
    if (!ix_storage_given(ctx, s, "storage put") ||
        !ix_storage_given(ctx, value, "storage put"))
        return ILEX_E_ARGUMENT;
    ix_error *err = ix_storage_error(ctx);
    gather g;
    ix_host_copy v;
    ilex_status rc = ix_storage_check_writable(s, err);
    rc = rc ? rc : ix_storage_check_cast(s->dtype, value->dtype, err);
    if (rc)
        return rc;
    ilex_storage *copy = NULL;
    if (ix_storage_overlap(s, value)) {
        copy = ilex_storage_copy(ctx, value);
        if (!copy)
            return ILEX_E_MEMORY;
        value = copy;
    }
    rc = open_gather(&g, s, keys, err);
    if (!rc) {
        rc = ix_host_copy_open(&v, value, ILEX_READ, err);
        if (!rc) {
            rc = put_value(&g, s, &v.view, err);
            ix_host_copy_close(&v, rc, err);
        }
        close_keys(&g);
    }
    ilex_storage_release(copy);
    return rc;
}
