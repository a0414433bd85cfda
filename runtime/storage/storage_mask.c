/* SPDX-License-Identifier: MIT
 *
 * Elements chosen by a storage of bool with the axes of the storage, in
 * whatever order: s[mask] as a row of elements in C order, and its inverse.
 */
#include "runtime/storage/storage.h"

/* Sees "mask" with the axes of "s". */
static ilex_status
match_mask(const ilex_storage *s, const ilex_storage *mask, ilex_storage *view,
           ix_error *err)
{
    if (mask->dtype != ILEX_BOOL)
        return ix_fail(err, ILEX_E_DTYPE,
                       "storage mask: the mask is %s, not bool; integers go to "
                       "ilex_storage_take",
                       ilex_dtype_name(mask->dtype));
    ilex_status rc = ix_storage_match(s, mask, view, err);
    if (!rc && (mask->rank != s->rank ||
                ix_storage_count(mask) != ix_storage_count(s)))
        rc = ix_fail(err, ILEX_E_SHAPE,
                     "storage mask: the mask has %d axes and %lld elements, "
                     "the storage %d and %lld; they must have one shape",
                     mask->rank, (long long)ix_storage_count(mask), s->rank,
                     (long long)ix_storage_count(s));
    return rc;
}

/* Goes to the next element in C order; false after the last. */
static bool
next_element(const ilex_storage *s, int64_t *index)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        if (++index[k] < s->shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

/* Address of the element "index" of a view. */
static char *
address(const ilex_storage *s, const int64_t *index)
{
    int64_t offset = 0;
    for (int k = 0; k < s->rank; k++)
        offset += index[k] * s->stride[k];
    return s->data + offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

static int64_t
count_true(const ilex_storage *mask)
{
    int64_t index[ILEX_MAX_RANK] = {0}, n = 0;
    if (ix_storage_count(mask) == 0)
        return 0;
    do
        n += *address(mask, index) != 0;
    while (next_element(mask, index));
    return n;
}

/* Moves the elements where "mask" is true to those of "row" one after the
 * other, or back if "put". */
static void
walk(const ilex_storage *s, const ilex_storage *mask, const ilex_storage *row,
     bool put)
{
    int64_t index[ILEX_MAX_RANK] = {0}, n = 0;
    ilex_storage one, item;
    if (ix_storage_count(s) == 0)
        return;
    ix_storage_clone(&one, s);
    ix_storage_clone(&item, row);
    one.rank = item.rank = 0;
    do {
        if (*address(mask, index) == 0)
            continue;
        one.data = address(s, index);
        item.data = address(row, &n);
        ix_storage_move_as(put ? &one : &item, put ? &item : &one);
        n++;
    } while (next_element(s, index));
}

ilex_storage *
ilex_storage_take_mask(ilex_context *ctx, const ilex_storage *s,
                       const ilex_storage *mask)
{
    if (!ix_storage_given(ctx, s, "storage take_mask") ||
        !ix_storage_given(ctx, mask, "storage take_mask"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage view, *row = NULL;
    ix_host_copy m, x;
    if (ix_host_copy_open(&m, mask, ILEX_READ, err))
        return NULL;
    if (match_mask(s, &m.view, &view, err) == ILEX_OK) {
        int64_t n = count_true(&view);
        row = ilex_storage_empty(ctx, s->dtype, 1, &n);
    }
    if (row && ix_host_copy_open(&x, s, ILEX_READ, err) == ILEX_OK) {
        walk(&x.view, &view, row, false);
        ix_host_copy_close(&x, ILEX_OK, err);
    } else {
        ilex_storage_release(row);
        row = NULL;
    }
    ix_host_copy_close(&m, ILEX_OK, err);
    return row;
}

/* Writes the staged "value" where the staged "mask" is true. */
static ilex_status
put(ilex_storage *s, const ilex_storage *mask, const ilex_storage *value,
    ix_error *err)
{
    ilex_storage view, row = {.rank = 1, .axis = {""}}, seen;
    ix_host_copy x;
    ilex_status rc = match_mask(s, mask, &view, err);
    if (rc)
        return rc;
    row.shape[0] = count_true(&view);
    rc = ix_storage_match(&row, value, &seen, err);
    rc = rc ? rc : ix_host_copy_open(&x, s, ILEX_READ_WRITE, err);
    if (rc)
        return rc;
    walk(&x.view, &view, &seen, true);
    return ix_host_copy_close(&x, rc, err);
}

/* "value" itself, or a copy if it shares a byte with "s"; to be released. */
static ilex_storage *
apart(ilex_context *ctx, const ilex_storage *s, const ilex_storage *value)
{
    if (ix_storage_overlap(s, value))
        return ilex_storage_copy(ctx, value);
    return ix_storage_attach(&value->mem, value, ix_storage_error(ctx));
}

ilex_status
ilex_storage_put_mask(ilex_context *ctx, ilex_storage *s,
                      const ilex_storage *mask, const ilex_storage *value)
{
    if (!ix_storage_given(ctx, s, "storage put_mask") ||
        !ix_storage_given(ctx, mask, "storage put_mask") ||
        !ix_storage_given(ctx, value, "storage put_mask"))
        return ILEX_E_ARGUMENT;
    ix_error *err = ix_storage_error(ctx);
    ix_host_copy m, v;
    ilex_status rc = ix_storage_check_writable(s, err);
    rc = rc ? rc : ix_storage_check_cast(s->dtype, value->dtype, err);
    if (rc)
        return rc;
    ilex_storage *source = apart(ctx, s, value), *chosen = apart(ctx, s, mask);
    rc = source && chosen ? ix_host_copy_open(&m, chosen, ILEX_READ, err)
                          : ILEX_E_MEMORY;
    if (!rc) {
        rc = ix_host_copy_open(&v, source, ILEX_READ, err);
        if (!rc) {
            rc = put(s, &m.view, &v.view, err);
            ix_host_copy_close(&v, rc, err);
        }
        ix_host_copy_close(&m, rc, err);
    }
    ilex_storage_release(source);
    ilex_storage_release(chosen);
    return rc;
}
