/* SPDX-License-Identifier: MIT
 *
 * Writing many elements through the API: filling, assignment by axis with
 * conversion, copies. Operands that share a byte are copied first; elements on
 * a device pass through the host, unless both are there and of one layout.
 */
#include "runtime/storage/storage.h"

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

ilex_status
ix_storage_check_writable(const ilex_storage *s, ix_error *err)
{
    if (s->writable)
        return ILEX_OK;
    return ix_fail(err, ILEX_E_READONLY,
                   "storage: %s is read-only; write to the storage it is a "
                   "view of, or to a copy (ilex_storage_copy)",
                   *s->name ? s->name : "it");
}

ilex_status
ilex_storage_fill_raw(ilex_context *ctx, ilex_storage *s, const void *element)
{
    if (!ix_storage_given(ctx, s, "storage fill"))
        return ILEX_E_ARGUMENT;
    ix_error *err = ix_storage_error(ctx);
    ix_host_copy x;
    if (!element)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage fill: the element is NULL; it points to one "
                       "value of dtype %s",
                       ilex_dtype_name(s->dtype));
    ilex_status rc = ix_storage_check_writable(s, err);
    rc = rc ? rc : ix_host_copy_open(&x, s, ILEX_READ_WRITE, err);
    if (rc)
        return rc;
    ix_storage_fill(&x.view, element);
    return ix_host_copy_close(&x, rc, err);
}

ilex_status
ilex_storage_fill(ilex_context *ctx, ilex_storage *s, double value)
{
    if (!ix_storage_given(ctx, s, "storage fill"))
        return ILEX_E_ARGUMENT;
    char element[16];
    ilex_status rc =
        ix_storage_convert(s->dtype, value, element, ix_storage_error(ctx));
    return rc ? rc : ilex_storage_fill_raw(ctx, s, element);
}

/* ---- conversion ---- */

/* The rank of a kind of dtype: conversion goes upwards. */
static int
kind_rank(ilex_dtype dtype)
{
    static const char order[] = "buifc";
    const char *at = strchr(order, ix_dtype_kind(dtype));
    return at ? (int)(at - order) : -1;
}

ilex_status
ix_storage_check_cast(ilex_dtype to, ilex_dtype from, ix_error *err)
{
    if (kind_rank(from) <= kind_rank(to))
        return ILEX_OK;
    return ix_fail(err, ILEX_E_DTYPE,
                   "storage assign: %s elements are not converted to %s, which "
                   "would lose what their kind can hold; convert them by an "
                   "operation first",
                   ilex_dtype_name(from), ilex_dtype_name(to));
}

void
ix_storage_move_as(const ilex_storage *to, const ilex_storage *from)
{
    int64_t index[ILEX_MAX_RANK + 1] = {0};
    int64_t tb = (int64_t)ilex_dtype_bytes(to->dtype);
    int64_t fb = (int64_t)ilex_dtype_bytes(from->dtype);
    char *t = to->data;
    const char *f = from->data;
    if (to->dtype == from->dtype) {
        ix_storage_move(to, from);
        return;
    }
    if (ix_storage_count(to) == 0)
        return;
    for (int k = 0; k >= 0;) {
        ix_value v = ix_value_load(from->dtype, f);
        ix_cast_eval(from->dtype, to->dtype, &v, &v);
        ix_value_store(to->dtype, t, v);
        for (k = to->rank - 1; k >= 0; k--) {
            t += to->stride[k] * tb;
            f += from->stride[k] * fb;
            if (++index[k] < to->shape[k])
                break;
            index[k] = 0;
            t -= to->shape[k] * to->stride[k] * tb;
            f -= to->shape[k] * from->stride[k] * fb;
        }
    }
}

/* ---- assignment ---- */

/* The axis of "from" that goes along axis "k" of "to"; -1 if it has none. */
static int
partner(const ilex_storage *to, const ilex_storage *from, int k)
{
    bool named = to->rank && *to->axis[0] && from->rank && *from->axis[0];
    if (named)
        return ix_storage_find_axis(from, to->axis[k]);
    return k - (to->rank - from->rank);
}

/* Is axis "j" of "from" missing in "to", and longer than one element? */
static bool
is_left_over(const ilex_storage *to, const ilex_storage *from, int j)
{
    for (int k = 0; k < to->rank; k++)
        if (partner(to, from, k) == j)
            return false;
    return from->shape[j] != 1;
}

ilex_status
ix_storage_match(const ilex_storage *to, const ilex_storage *from,
                 ilex_storage *view, ix_error *err)
{
    ix_storage_clone(view, from);
    view->rank = to->rank;
    for (int k = 0; k < to->rank; k++) {
        int j = partner(to, from, k);
        bool repeats = j < 0 || from->shape[j] == 1;
        view->shape[k] = to->shape[k];
        view->stride[k] = repeats ? 0 : from->stride[j];
        if (!repeats && from->shape[j] != to->shape[k])
            return ix_fail(err, ILEX_E_SHAPE,
                           "storage assign: axis %d%s%s of the target has "
                           "length %lld, of the source %lld",
                           k, *to->axis[k] ? " " : "", to->axis[k],
                           (long long)to->shape[k], (long long)from->shape[j]);
    }
    for (int j = 0; j < from->rank; j++)
        if (is_left_over(to, from, j))
            return ix_fail(err, ILEX_E_AXIS,
                           "storage assign: the source has axis %d%s%s, which "
                           "the target lacks (%d axes against %d); reduce or "
                           "index it first",
                           j, *from->axis[j] ? " " : "", from->axis[j],
                           from->rank, to->rank);
    return ILEX_OK;
}

/* Are there elements enough for those of "from", which is matched to "to"? */
static ilex_status
check_masked(const ilex_storage *to, const ilex_storage *from, ix_error *err)
{
    for (int k = 0; k < to->rank; k++)
        if (to->stride[k] == 0 && to->shape[k] > 1 && from->stride[k] != 0)
            return ix_fail(err, ILEX_E_OVERLAP,
                           "storage assign: all elements along axis %d of the "
                           "target are one (its stride is 0), but the source "
                           "varies there; take one index of it",
                           k);
    return ILEX_OK;
}

/* Writes "from" to "to", whose elements the host can address or not. */
static ilex_status
assign_staged(const ilex_storage *to, const ilex_storage *from, ix_error *err)
{
    ix_host_copy t, f;
    ilex_storage view;
    ilex_status rc = ix_host_copy_open(&f, from, ILEX_READ, err);
    if (rc)
        return rc;
    rc = ix_storage_match(to, &f.view, &view, err);
    rc = rc ? rc : ix_host_copy_open(&t, to, ILEX_READ_WRITE, err);
    if (!rc) {
        ix_storage_move_as(&t.view, &view);
        rc = ix_host_copy_close(&t, rc, err);
    }
    return ix_host_copy_close(&f, rc, err);
}

ilex_status
ilex_storage_assign(ilex_context *ctx, ilex_storage *to,
                    const ilex_storage *from)
{
    if (!ix_storage_given(ctx, to, "storage assign") ||
        !ix_storage_given(ctx, from, "storage assign"))
        return ILEX_E_ARGUMENT;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage view, *copy = NULL;
    ilex_status rc = ix_storage_check_writable(to, err);
    rc = rc ? rc : ix_storage_check_cast(to->dtype, from->dtype, err);
    rc = rc ? rc : ix_storage_match(to, from, &view, err);
    rc = rc ? rc : check_masked(to, &view, err);
    if (!rc && ix_storage_overlap(to, from)) {
        copy = ilex_storage_copy(ctx, from);
        rc = copy ? ILEX_OK : ILEX_E_MEMORY;
        from = copy;
    }
    rc = rc ? rc : assign_staged(to, from, err);
    ilex_storage_release(copy);
    return rc;
}

/* ---- copies ---- */

/* Are both on a device alone and laid out without gaps in the same way? */
static bool
same_on_device(const ilex_storage *to, const ilex_storage *from)
{
    size_t strides = (size_t)to->rank * sizeof *to->stride;
    return !to->memory->host.base && !from->memory->host.base &&
           to->memory->device_index == from->memory->device_index &&
           memcmp(to->stride, from->stride, strides) == 0 &&
           ilex_storage_span(to) == ix_storage_count(to);
}

ilex_storage *
ilex_storage_copy(ilex_context *ctx, const ilex_storage *s)
{
    if (!ix_storage_given(ctx, s, "storage copy"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage_spec spec = {.size = sizeof spec, .like = s};
    ilex_storage *copy = ilex_storage_new(ctx, &spec);
    ilex_status rc = ILEX_OK;
    if (!copy)
        return NULL;
    if (same_on_device(copy, s))
        rc = ix_space_copy(IX_SPACE_DEVICE, copy->data, IX_SPACE_DEVICE,
                           s->data, s->memory->device_index,
                           (size_t)ilex_storage_bytes(s), err);
    else
        rc = assign_staged(copy, s, err);
    if (rc) {
        ilex_storage_release(copy);
        return NULL;
    }
    return copy;
}

ilex_storage *
ilex_storage_ensure_contiguous(ilex_context *ctx, ilex_storage *s, int *copied)
{
    if (!ix_storage_given(ctx, s, "storage ensure_contiguous"))
        return NULL;
    int dense = ilex_storage_contiguous(s);
    if (copied)
        *copied = !dense;
    if (dense)
        return ilex_storage_retain(s);
    ilex_storage_spec spec = {
        .size = sizeof spec, .like = s, .layout = "C", .alignment = 1};
    ilex_storage *copy = ilex_storage_new(ctx, &spec);
    if (copy && assign_staged(copy, s, ix_storage_error(ctx))) {
        ilex_storage_release(copy);
        return NULL;
    }
    return copy;
}
