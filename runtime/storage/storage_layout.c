/* SPDX-License-Identifier: MIT
 *
 * Strides: from a layout, padded so that every row is aligned, or those of a
 * buffer of the caller, checked against the layout and the alignment that were
 * asked for and against the address space.
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

#include "lib/ops/dtype.h"

size_t
ix_storage_lcm(size_t a, size_t b)
{
    size_t p = a = a ? a : 1, q = b = b ? b : 1;
    while (q) {
        size_t rest = p % q;
        p = q;
        q = rest;
    }
    return a / p * b;
}

/* "length" rounded up so that the next axis keeps the alignment. */
static bool
pad(const ilex_storage *s, int64_t length, int64_t *padded)
{
    size_t bytes = ilex_dtype_bytes(s->dtype);
    int64_t unit = (int64_t)(ix_storage_lcm(s->alignment, bytes) / bytes);
    return ix_add(length, unit - 1, padded) &&
           ix_mul(*padded / unit, unit, padded);
}

ilex_status
ix_storage_set_strides(ilex_storage *s, bool padded, int64_t *elements,
                       ix_error *err)
{
    int axis[ILEX_MAX_RANK], places = 0;
    bool empty = false;
    for (int k = 0; k < s->rank; k++) {
        places += s->layout[k] >= 0;
        if (s->layout[k] >= 0)
            axis[s->layout[k]] = k;
        empty |= s->shape[k] == 0;
    }
    int64_t stride = 1, bytes;
    bool fits = true;
    for (int p = places - 1; p >= 0 && fits; p--) {
        int64_t length = s->shape[axis[p]] ? s->shape[axis[p]] : 1;
        s->stride[axis[p]] = stride;
        if (padded && places > 1 && p == places - 1)
            fits = pad(s, length, &length);
        fits = fits && ix_mul(stride, length, &stride);
    }
    if (!fits || !ix_mul(stride, (int64_t)ilex_dtype_bytes(s->dtype), &bytes))
        return ix_fail(err, ILEX_E_OVERFLOW,
                       "storage: its size with padding for an alignment of "
                       "%zu bytes does not fit 64 bits",
                       s->alignment);
    *elements = empty ? 0 : stride;
    return ILEX_OK;
}

size_t
ix_storage_aligned_offset(const ilex_storage *s)
{
    int64_t offset = 0;
    for (int k = 0; k < s->rank; k++)
        offset += s->aligned[k] * s->stride[k];
    return (size_t)offset * ilex_dtype_bytes(s->dtype);
}

/* ---- buffers of the caller ---- */

/* Layout by decreasing absolute stride; stride 0 is masked. */
static void
layout_from_strides(ilex_storage *s)
{
    for (int k = 0; k < s->rank; k++) {
        int place = 0;
        int64_t mine = llabs(s->stride[k]);
        for (int j = 0; j < s->rank; j++) {
            int64_t other = llabs(s->stride[j]);
            place += other > mine || (other == mine && mine && j < k);
        }
        s->layout[k] = mine ? place : -1;
    }
}

/* Do the strides decrease as the layout that was asked for says? Axes of
 * length 1 do not matter. */
static ilex_status
check_layout(const ilex_storage *s, ix_error *err)
{
    for (int k = 0; k < s->rank; k++)
        for (int j = 0; j < s->rank; j++) {
            bool before = s->layout[k] >= 0 && s->layout[k] < s->layout[j];
            if (s->shape[k] > 1 && s->shape[j] > 1 && before &&
                llabs(s->stride[k]) < llabs(s->stride[j]))
                return ix_fail(
                    err, ILEX_E_ARGUMENT,
                    "storage: the layout wants a larger stride for axis %d "
                    "than for axis %d; the buffer has %lld and %lld; drop the "
                    "layout, or set ILEX_STORAGE_COPY to copy into it",
                    k, j, (long long)s->stride[k], (long long)s->stride[j]);
        }
    return ILEX_OK;
}

ilex_status
ix_storage_check_alignment(const ilex_storage *s, const char *data,
                           ix_error *err)
{
    size_t bytes = ilex_dtype_bytes(s->dtype);
    size_t own = ilex_dtype_bytes(ix_dtype_part(s->dtype));
    int places = 0;
    for (int k = 0; k < s->rank; k++)
        places += s->layout[k] >= 0;
    if ((uintptr_t)data % own != 0)
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "storage: the buffer is not aligned for %s, which "
                       "needs a multiple of %zu bytes; copy the elements first",
                       ilex_dtype_name(s->dtype), own);
    if (!s->alignment)
        return ILEX_OK;
    if (((uintptr_t)data + ix_storage_aligned_offset(s)) % s->alignment != 0)
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "storage: the element at the aligned index of the "
                       "buffer is not at a multiple of %zu bytes",
                       s->alignment);
    for (int k = 0; k < s->rank; k++)
        if (s->shape[k] > 1 && s->layout[k] != places - 1 &&
            (size_t)llabs(s->stride[k]) * bytes % s->alignment != 0)
            return ix_fail(err, ILEX_E_ALIGNMENT,
                           "storage: stride %lld of axis %d is not a multiple "
                           "of %zu bytes, so not every row is aligned",
                           (long long)s->stride[k], k, s->alignment);
    return ILEX_OK;
}

/* Takes the caller's strides. */
static ilex_status
take_strides(ilex_storage *s, const int64_t *strides, int64_t most,
             ix_error *err)
{
    unsigned char *source = &s->source[IX_PROPERTY_LAYOUT];
    bool asked = *source == IX_SOURCE_GIVEN || *source == IX_SOURCE_PRESET;
    for (int k = 0; k < s->rank; k++)
        if (strides[k] > most || strides[k] < -most)
            return ix_fail(err, ILEX_E_OVERFLOW,
                           "storage: a stride is beyond 2^57 elements");
    memcpy(s->stride, strides, (size_t)s->rank * sizeof *strides);
    ilex_status rc = asked ? check_layout(s, err) : ILEX_OK;
    if (!asked) {
        *source = IX_SOURCE_DATA;
        s->order = "";
    }
    layout_from_strides(s);
    return rc;
}

ilex_status
ix_storage_lay_over(ilex_storage *s, void *data, const int64_t *strides,
                    int64_t *lo, int64_t *bytes, ix_error *err)
{
    int64_t hi, elements, size = (int64_t)ilex_dtype_bytes(s->dtype);
    const int64_t most = INT64_MAX / 64;
    s->data = data;
    ilex_status rc = strides ? take_strides(s, strides, most, err)
                             : ix_storage_set_strides(s, false, &elements, err);
    if (rc)
        return rc;
    if (!ix_storage_span(s->rank, s->shape, s->stride, lo, &hi) ||
        *lo < -most || hi > most ||
        (*lo < 0 && (uintptr_t)data < (uint64_t)(-*lo * size)) ||
        UINTPTR_MAX - (uintptr_t)data < (uint64_t)((hi + 1) * size))
        return ix_fail(err, ILEX_E_OVERFLOW,
                       "storage: strides and shape reach beyond the address "
                       "space");
    *bytes = hi < *lo ? 0 : (hi - *lo + 1) * size;
    *lo *= size;
    return ILEX_OK;
}
