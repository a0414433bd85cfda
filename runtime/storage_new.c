/* SPDX-License-Identifier: MIT
 *
 * Construction and counting of storages.
 *
 * A resolved view (storage_spec.c) gets strides from its layout and a block
 * of memory, shifted so that the aligned index falls on the alignment; or it
 * is laid over a buffer of the caller, whose strides are checked instead.
 */
#include "runtime/storage.h"

#include <stdlib.h>

#include "lib/context.h"
#include "lib/dtype.h"

enum { BLOCK_ALIGNMENT = 64 }; /* of the aligned element, if nothing is asked */

ix_error *
ix_storage_error(ilex_context *ctx)
{
    return ctx ? ix_context_error(ctx) : NULL;
}

const ix_mem *
ix_storage_mem(ilex_context *ctx)
{
    return ctx ? ix_context_mem(ctx) : &ix_mem_default;
}

/* ---- records ---- */

ilex_storage *
ix_storage_attach(const ix_mem *mem, const ilex_storage *s, ix_error *err)
{
    ilex_storage *view = ix_mem_resize(mem, NULL, sizeof *view);
    if (!view) {
        ix_fail_memory(err);
        return NULL;
    }
    ix_storage_clone(view, s);
    view->mem = *mem;
    ix_memory_retain(view->memory);
    if (view->labels)
        atomic_fetch_add_explicit(&view->labels->count, 1,
                                  memory_order_relaxed);
    return view;
}

static void
release_labels(ix_view_strings *labels)
{
    if (!labels ||
        atomic_fetch_sub_explicit(&labels->count, 1, memory_order_acq_rel) != 1)
        return;
    ix_mem mem = labels->mem;
    ix_mem_free(&mem, labels);
}

/* Copies "text" behind "*end", returns the copy; "" needs none. */
static const char *
put_label(char **end, const char *text)
{
    if (!*text)
        return "";
    size_t n = strlen(text) + 1;
    char *copy = memcpy(*end, text, n);
    *end += n;
    return copy;
}

ilex_storage *
ix_storage_publish(const ix_mem *mem, const ilex_storage *s, ix_error *err)
{
    ilex_storage view;
    size_t bytes = strlen(s->name) + 1;
    for (int k = 0; k < s->rank; k++)
        bytes += strlen(s->axis[k]) + 1;
    ix_view_strings *labels = ix_mem_new(mem, sizeof *labels + bytes);
    if (!labels) {
        ix_fail_memory(err);
        return NULL;
    }
    ix_storage_clone(&view, s);
    atomic_init(&labels->count, 1);
    labels->mem = *mem;
    char *end = labels->text;
    view.labels = labels;
    view.name = put_label(&end, s->name);
    for (int k = 0; k < s->rank; k++)
        view.axis[k] = put_label(&end, s->axis[k]);
    ilex_storage *result = ix_storage_attach(mem, &view, err);
    release_labels(labels);
    return result;
}

ilex_storage *
ilex_storage_retain(ilex_storage *s)
{
    if (s)
        atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
    return s;
}

void
ilex_storage_release(ilex_storage *s)
{
    if (!s ||
        atomic_fetch_sub_explicit(&s->count, 1, memory_order_acq_rel) != 1)
        return;
    ix_memory_release(s->memory);
    release_labels(s->labels);
    ix_mem mem = s->mem;
    ix_mem_free(&mem, s);
}

/* ---- memory of one's own ---- */

/* "length" rounded up so that the next axis keeps the alignment. */
static bool
pad(const ilex_storage *s, int64_t length, int64_t *padded)
{
    int64_t unit = (int64_t)(s->alignment / ilex_dtype_bytes(s->dtype));
    if (unit <= 1) {
        *padded = length;
        return true;
    }
    return ix_add(length, unit - 1, padded) &&
           ix_mul(*padded / unit, unit, padded);
}

/* Strides by the layout, rows padded if "padded"; "*elements" is what they
 * span, 0 if there are none. */
static ilex_status
set_strides(ilex_storage *s, bool padded, int64_t *elements, ix_error *err)
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

/* Offset of the aligned index in bytes. */
static size_t
aligned_offset(const ilex_storage *s)
{
    int64_t offset = 0;
    for (int k = 0; k < s->rank; k++)
        offset += s->aligned[k] * s->stride[k];
    return (size_t)offset * ilex_dtype_bytes(s->dtype);
}

/* Gives "s" strides and a block in which its aligned index is aligned. */
static ilex_status
allocate(const ix_mem *mem, ilex_storage *s, ix_error *err)
{
    int64_t elements;
    ilex_status rc = set_strides(s, true, &elements, err);
    if (rc)
        return rc;
    size_t bytes = (size_t)elements * ilex_dtype_bytes(s->dtype);
    size_t align = s->alignment;
    if (align < BLOCK_ALIGNMENT)
        align = BLOCK_ALIGNMENT;
    s->memory = ix_memory_new(mem, bytes + align - 1, err);
    if (!s->memory)
        return ILEX_E_MEMORY;
    uintptr_t at =
        (uintptr_t)s->memory->base + (elements ? aligned_offset(s) : 0);
    s->data = s->memory->base + (align - at % align) % align;
    return ILEX_OK;
}

/* ---- memory of the caller ---- */

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

/* Is the promised alignment true? At the aligned index, and so in each row:
 * along every axis but the innermost. */
static ilex_status
check_alignment(const ilex_storage *s, ix_error *err)
{
    size_t bytes = ilex_dtype_bytes(s->dtype);
    size_t own = ilex_dtype_bytes(ix_dtype_part(s->dtype));
    int places = 0;
    for (int k = 0; k < s->rank; k++)
        places += s->layout[k] >= 0;
    if ((uintptr_t)s->data % own != 0)
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "storage: the buffer is not aligned for %s, which "
                       "needs a multiple of %zu bytes",
                       ilex_dtype_name(s->dtype), own);
    if (!s->alignment)
        return ILEX_OK;
    if (((uintptr_t)s->data + aligned_offset(s)) % s->alignment != 0)
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

/* Takes the caller's strides, or those of a dense buffer, and computes in
 * "*lo" and "*bytes" where the view begins and how long it is. */
static ilex_status
lay_over(ilex_storage *s, void *data, const int64_t *strides, int64_t *lo,
         int64_t *bytes, ix_error *err)
{
    int64_t hi, elements, size = (int64_t)ilex_dtype_bytes(s->dtype);
    const int64_t most = INT64_MAX / 64;
    s->data = data;
    if (strides) {
        bool small = true;
        for (int k = 0; k < s->rank; k++)
            small = small && strides[k] <= most && strides[k] >= -most;
        if (!small)
            return ix_fail(err, ILEX_E_OVERFLOW,
                           "storage: a stride is beyond 2^57 elements");
        memcpy(s->stride, strides, (size_t)s->rank * sizeof *strides);
        layout_from_strides(s);
    } else {
        ilex_status rc = set_strides(s, false, &elements, err);
        if (rc)
            return rc;
    }
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

/* Lays "s" over the buffer of "p". */
static ilex_status
wrap(const ix_mem *mem, ilex_storage *s, const ilex_storage_spec *p,
     ix_error *err)
{
    int64_t lo, bytes;
    ilex_status rc = lay_over(s, p->data, p->strides, &lo, &bytes, err);
    if (!rc)
        rc = check_alignment(s, err);
    if (rc)
        return rc;
    s->memory = ix_memory_wrap(mem, s->data + lo, (size_t)bytes, p->release,
                               p->release_user, p->data, err);
    return s->memory ? ILEX_OK : ILEX_E_MEMORY;
}

/* Copies the buffer of "p" into the elements of "s". */
static ilex_status
copy_in(ilex_storage *s, const ilex_storage_spec *p, ix_error *err)
{
    ilex_storage from;
    int64_t lo, bytes;
    ix_storage_clone(&from, s);
    for (int k = 0; k < s->rank; k++)
        from.layout[k] = k;
    ilex_status rc = lay_over(&from, p->data, p->strides, &lo, &bytes, err);
    if (!rc)
        ix_storage_move(s, &from);
    return rc;
}

/* ---- the constructor ---- */

/* Gives the resolved "s" memory and values. On failure "s->memory" is NULL
 * or to be released. */
static ilex_status
make(const ix_mem *mem, ilex_storage *s, const ilex_storage_spec *p,
     ix_error *err)
{
    char element[16];
    ilex_status rc = ILEX_OK;
    if (p->data && !(p->flags & ILEX_STORAGE_COPY))
        return wrap(mem, s, p, err);
    if (p->fill)
        rc = ix_storage_convert(s->dtype, *p->fill, element, err);
    if (!rc)
        rc = allocate(mem, s, err);
    if (!rc && p->fill)
        ix_storage_fill(s, element);
    if (!rc && p->initialize)
        ix_storage_initialize(s, p->initialize, p->initialize_user);
    return rc || !p->data ? rc : copy_in(s, p, err);
}

ilex_storage *
ix_storage_new(const ix_mem *mem, const ilex_storage_spec *spec, ix_error *err)
{
    ilex_storage s, *result = NULL;
    ix_storage_names names;
    ilex_status rc = ix_storage_resolve(spec, &s, &names, err);
    if (!rc && !make(mem, &s, spec, err))
        result = ix_storage_publish(mem, &s, err);
    bool wrapped = !rc && s.memory && s.memory->space == IX_SPACE_WRAPPED;
    if (!rc)
        ix_memory_release(s.memory);
    if (!wrapped && spec->data && spec->release)
        spec->release(spec->release_user, spec->data);
    return result;
}

bool
ix_storage_read_spec(const ilex_storage_spec *spec, ilex_storage_spec *p,
                     ix_error *err)
{
    size_t size = spec ? spec->size : 0;
    bool known = size >= offsetof(ilex_storage_spec, shape);
    for (size_t i = sizeof *p; known && i < size; i++)
        known = ((const char *)spec)[i] == 0;
    if (!known) {
        ix_fail(err, ILEX_E_ARGUMENT,
                "storage: the spec is NULL, its size is not set, or it uses "
                "properties of a newer version; start it with .size = "
                "sizeof(ilex_storage_spec)");
        return false;
    }
    memset(p, 0, sizeof *p);
    memcpy(p, spec, size < sizeof *p ? size : sizeof *p);
    return true;
}

ilex_storage *
ilex_storage_new(ilex_context *ctx, const ilex_storage_spec *spec)
{
    ilex_storage_spec p;
    if (!ix_storage_read_spec(spec, &p, ix_storage_error(ctx))) {
        if (spec && spec->size >= sizeof p && spec->data && spec->release)
            spec->release(spec->release_user, spec->data);
        return NULL;
    }
    return ix_storage_new(ix_storage_mem(ctx), &p, ix_storage_error(ctx));
}
