/* SPDX-License-Identifier: MIT
 *
 * From a storage spec to a view that lacks only its memory.
 *
 * Each property has one function that looks it up in the fixed order: given
 * in the spec, preset, `like`, fallback. Axis names and layouts are read by
 * storage_axes.c; strides follow from the result in storage_new.c.
 */
#include "runtime/storage.h"

#include "lib/dtype.h"

static const char dtype_names[] =
#define ILEX_DTYPE(name, text, numpy, kind, bytes, ctype, part) text " "
#include "ilex/dtypes.def"
    ;

/* Fails if "bad". */
static bool
refuse(bool bad, ix_error *err, ilex_status code, const char *sentence)
{
    if (bad)
        ix_fail(err, code, "storage: %s", sentence);
    return bad;
}

/* Are the things given together meaningful together? */
static bool
spec_consistent(const ilex_storage_spec *p, ix_error *err)
{
    unsigned known = ILEX_STORAGE_READONLY | ILEX_STORAGE_COPY;
    return !refuse((p->flags & ~known) != 0, err, ILEX_E_ARGUMENT,
                   "unknown bits in flags; combine ILEX_STORAGE_READONLY and "
                   "ILEX_STORAGE_COPY with |") &&
           !refuse(p->like && (p->shape || p->rank || p->axes), err,
                   ILEX_E_ARGUMENT,
                   "shape and axes come from `like` and cannot be given with "
                   "it; use ilex_storage_reinterpret for other axis names") &&
           !refuse(p->layout && p->layout_map, err, ILEX_E_ARGUMENT,
                   "`layout` and `layout_map` exclude each other, for example "
                   ".layout = \"F\" is .layout_map = (int[]){1, 0}") &&
           !refuse(p->fill && p->initialize, err, ILEX_E_ARGUMENT,
                   "`fill` and `initialize` exclude each other") &&
           !refuse(p->data && (p->fill || p->initialize), err, ILEX_E_ARGUMENT,
                   "`data` brings values of its own; drop `fill` and "
                   "`initialize`, or call ilex_storage_fill afterwards") &&
           !refuse(!p->data && p->strides, err, ILEX_E_ARGUMENT,
                   "`strides` describe `data`, which is not given; use "
                   "`layout` to choose the order of the axes in memory") &&
           !refuse(!p->data && (p->flags & ILEX_STORAGE_COPY), err,
                   ILEX_E_ARGUMENT,
                   "ILEX_STORAGE_COPY needs `data` to copy from") &&
           !refuse(p->strides && !(p->flags & ILEX_STORAGE_COPY) &&
                       (p->layout || p->layout_map),
                   err, ILEX_E_ARGUMENT,
                   "a wrapped buffer with `strides` has its layout; drop "
                   "`layout`, or set ILEX_STORAGE_COPY to copy into it");
}

/* dtype: given, like, f64. */
static ilex_status
find_dtype(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    s->dtype = p->like ? p->like->dtype : ILEX_F64;
    if (!p->dtype || ix_dtype_find(p->dtype, strlen(p->dtype), &s->dtype))
        return ILEX_OK;
    return ix_fail(err, ILEX_E_DTYPE,
                   "storage: dtype '%.40s' does not exist; give one of "
                   "%s(for example \"f64\")",
                   p->dtype, dtype_names);
}

/* The product of the lengths (0 counting as 1) in bytes must fit. */
static ilex_status
check_shape(const ilex_storage *s, ix_error *err)
{
    int64_t bytes = (int64_t)ilex_dtype_bytes(s->dtype);
    for (int k = 0; k < s->rank; k++) {
        if (s->shape[k] < 0)
            return ix_fail(err, ILEX_E_SHAPE,
                           "storage: axis %d has length %lld; lengths are 0 "
                           "or more",
                           k, (long long)s->shape[k]);
        if (s->shape[k] && !ix_mul(bytes, s->shape[k], &bytes))
            return ix_fail(err, ILEX_E_OVERFLOW,
                           "storage: its size does not fit 64 bits at axis %d "
                           "of length %lld",
                           k, (long long)s->shape[k]);
    }
    return ILEX_OK;
}

/* shape: given or like; there is no fallback. */
static ilex_status
find_shape(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    const int64_t *shape = p->like ? p->like->shape : p->shape;
    s->rank = p->like ? p->like->rank : p->rank;
    if (!shape)
        return ix_fail(err, ILEX_E_SHAPE,
                       "storage: no shape given, for example .rank = 2, "
                       ".shape = (int64_t[]){10, 20}");
    if (s->rank < 0 || s->rank > ILEX_MAX_RANK)
        return ix_fail(err, ILEX_E_RANK, "storage: rank %d is outside 0 to %d",
                       s->rank, ILEX_MAX_RANK);
    memcpy(s->shape, shape, (size_t)s->rank * sizeof *shape);
    return check_shape(s, err);
}

/* axes: given, like, unnamed. */
static ilex_status
find_axes(const ilex_storage_spec *p, ilex_storage *s, ix_storage_names *names,
          ix_error *err)
{
    for (int k = 0; k < s->rank; k++) {
        strcpy(names->axis[k], p->like ? p->like->axis[k] : "");
        s->axis[k] = names->axis[k];
    }
    return p->axes ? ix_storage_axes(p->axes, s->rank, names, err) : ILEX_OK;
}

/* ---- halo, alignment ---- */

ilex_status
ix_storage_set_halo(ilex_storage *s, const int64_t *halo, ix_error *err)
{
    for (int k = 0; k < s->rank; k++) {
        int64_t low = halo ? halo[2 * k] : 0, high = halo ? halo[2 * k + 1] : 0;
        if (low < 0 || high < 0 || low > s->shape[k] ||
            high > s->shape[k] - low)
            return ix_fail(err, ILEX_E_HALO,
                           "storage: halo (%lld, %lld) of axis %d%s%s does not "
                           "fit its length %lld, which includes the halo",
                           (long long)low, (long long)high, k,
                           *s->axis[k] ? " " : "", s->axis[k],
                           (long long)s->shape[k]);
        s->halo[k][0] = low;
        s->halo[k][1] = high;
    }
    return ILEX_OK;
}

/* alignment: given, like, none. */
static ilex_status
find_alignment(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    s->alignment = p->like ? p->like->alignment : 0;
    if (!p->alignment)
        return ILEX_OK;
    if ((p->alignment & (p->alignment - 1)) || p->alignment > (1u << 30))
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "storage: alignment %zu is not a power of two of at "
                       "most 2^30 bytes, for example 64",
                       p->alignment);
    s->alignment = p->alignment > 1 ? p->alignment : 0;
    return ILEX_OK;
}

/* aligned index: given, like (if still aligned), low halo widths. */
static ilex_status
find_aligned_index(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    const int64_t *index = p->aligned_index;
    if (!index && p->like && p->like->alignment)
        index = p->like->aligned;
    for (int k = 0; k < s->rank; k++) {
        int64_t last = s->shape[k] ? s->shape[k] - 1 : 0;
        int64_t at = s->halo[k][0] < last ? s->halo[k][0] : last;
        if (index)
            at = index[k];
        if (at < 0 || at > last)
            return ix_fail(err, ILEX_E_BOUNDS,
                           "storage: aligned index %lld of axis %d is outside "
                           "0 to %lld",
                           (long long)at, k, (long long)last);
        s->aligned[k] = at;
    }
    return ILEX_OK;
}

ilex_status
ix_storage_resolve(const ilex_storage_spec *spec, ilex_storage *s,
                   ix_storage_names *names, ix_error *err)
{
    memset(s, 0, sizeof *s);
    if (!spec_consistent(spec, err))
        return ILEX_E_ARGUMENT;
    s->name = spec->name ? spec->name : spec->like ? spec->like->name : "";
    s->writable = !(spec->flags & ILEX_STORAGE_READONLY);
    ilex_status rc = find_dtype(spec, s, err);
    if (!rc)
        rc = find_shape(spec, s, err);
    if (!rc)
        rc = find_axes(spec, s, names, err);
    if (!rc)
        rc = ix_storage_set_halo(
            s, spec->halo || !spec->like ? spec->halo : spec->like->halo[0],
            err);
    if (!rc)
        rc = find_alignment(spec, s, err);
    if (!rc)
        rc = find_aligned_index(spec, s, err);
    return rc ? rc : ix_storage_set_layout(spec, s, err);
}
