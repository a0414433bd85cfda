/* SPDX-License-Identifier: MIT
 *
 * From a storage spec to a view that lacks only its memory.
 *
 * Each property has one function that looks it up in the fixed order: given
 * in the spec, preset, `like`, fallback. Axis names and layouts are read by
 * storage_axes.c; strides follow from the result in storage_new.c.
 */
#include "runtime/storage/storage.h"

#include "lib/ops/dtype.h"
#include "runtime/storage/preset.h"

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

/* Do the properties themselves go together? */
static bool
properties_consistent(const ilex_storage_spec *p, ix_error *err)
{
    return !refuse(p->like && (p->shape || p->rank || p->axes), err,
                   ILEX_E_ARGUMENT,
                   "shape and axes come from `like` and cannot be given with "
                   "it; use ilex_storage_reinterpret for other axis names") &&
           !refuse(p->layout && p->layout_map, err, ILEX_E_ARGUMENT,
                   "`layout` and `layout_map` exclude each other, for example "
                   ".layout = \"F\" is .layout_map = (int[]){1, 0}") &&
           !refuse(p->selector && (p->layout || p->layout_map), err,
                   ILEX_E_ARGUMENT,
                   "`selector` and `layout` exclude each other; mask an axis "
                   "of a layout of your own by -1 in `layout_map`") &&
           !refuse(p->id < 0, err, ILEX_E_ARGUMENT,
                   "`id` is negative; give 1 or more, or 0 for none") &&
           !refuse(p->id && (p->flags & ILEX_STORAGE_UNKNOWN_KIND), err,
                   ILEX_E_ARGUMENT,
                   "`id` and ILEX_STORAGE_UNKNOWN_KIND exclude each other");
}

/* Do the values go together? */
static bool
values_consistent(const ilex_storage_spec *p, ix_error *err)
{
    bool data = p->data || p->device_data;
    bool copy = (p->flags & ILEX_STORAGE_COPY) != 0;
    return !refuse(p->fill && p->initialize, err, ILEX_E_ARGUMENT,
                   "`fill` and `initialize` exclude each other") &&
           !refuse(data && (p->fill || p->initialize), err, ILEX_E_ARGUMENT,
                   "`data` brings values of its own; drop `fill` and "
                   "`initialize`, or call ilex_storage_fill afterwards") &&
           !refuse(!data && p->strides, err, ILEX_E_ARGUMENT,
                   "`strides` describe `data`, which is not given; use "
                   "`layout` to choose the order of the axes in memory") &&
           !refuse(!data && copy, err, ILEX_E_ARGUMENT,
                   "ILEX_STORAGE_COPY needs `data` to copy from") &&
           !refuse(copy && p->data && p->device_data, err, ILEX_E_ARGUMENT,
                   "ILEX_STORAGE_COPY takes one buffer; drop the older one of "
                   "`data` and `device_data`") &&
           !refuse((p->flags & ILEX_STORAGE_CONST) && !p->fill &&
                       !p->initialize && !data,
                   err, ILEX_E_ARGUMENT,
                   "ILEX_STORAGE_CONST needs values: `fill`, `initialize` or "
                   "`data`") &&
           !refuse(p->sync > ILEX_SYNC_DEVICE_DIRTY, err, ILEX_E_ARGUMENT,
                   "`sync` is not one of ilex_sync") &&
           !refuse(p->sync && !data, err, ILEX_E_ARGUMENT,
                   "`sync` speaks of buffers, which are not given") &&
           !refuse(p->sync_with && (!data || copy || p->release ||
                                    p->device_release || p->sync),
                   err, ILEX_E_ARGUMENT,
                   "`sync_with` shares memory and state of another storage: "
                   "give its buffers, and neither ILEX_STORAGE_COPY, `sync` "
                   "nor a `release`");
}

/* Are the things given together meaningful together? */
static bool
spec_consistent(const ilex_storage_spec *p, ix_error *err)
{
    unsigned known = ILEX_STORAGE_READONLY | ILEX_STORAGE_COPY |
                     ILEX_STORAGE_CONST | ILEX_STORAGE_UNKNOWN_KIND;
    return !refuse((p->flags & ~known) != 0, err, ILEX_E_ARGUMENT,
                   "unknown bits in flags; combine ILEX_STORAGE_READONLY, "
                   "ILEX_STORAGE_COPY, ILEX_STORAGE_CONST and "
                   "ILEX_STORAGE_UNKNOWN_KIND with |") &&
           properties_consistent(p, err) && values_consistent(p, err);
}

/* ---- one property after the other ---- */

static void
note(ilex_storage *s, ix_property property, const void *given, const void *like)
{
    s->source[property] = (unsigned char)(given  ? IX_SOURCE_GIVEN
                                          : like ? IX_SOURCE_LIKE
                                                 : IX_SOURCE_DEFAULT);
}

/* dtype: given, like, f64. Given mostly as ilex_dtype_name() says it, which is
 * found without comparing text. */
static ilex_status
find_dtype(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    s->dtype = p->like ? p->like->dtype : ILEX_F64;
    note(s, IX_PROPERTY_DTYPE, p->dtype, p->like);
    for (int d = 0; p->dtype && d < ILEX_NDTYPES; d++)
        if (p->dtype == ilex_dtype_name((ilex_dtype)d)) {
            s->dtype = (ilex_dtype)d;
            return ILEX_OK;
        }
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
    note(s, IX_PROPERTY_SHAPE, p->shape, p->like);
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
    note(s, IX_PROPERTY_AXES, p->axes, p->like);
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

/* Origins are so small that indices stay far inside of 64 bits. */
enum { ORIGIN_BITS = 60 };

ilex_status
ix_storage_set_origin(ilex_storage *s, const int64_t *origin, ix_error *err)
{
    const int64_t most = (int64_t)1 << ORIGIN_BITS;
    for (int k = 0; k < s->rank; k++) {
        int64_t at = origin ? origin[k] : 0, end;
        if (at < -most || at > most || !ix_add(at, s->shape[k], &end))
            return ix_fail(err, ILEX_E_OVERFLOW,
                           "storage: the origin %lld of axis %d%s%s is beyond "
                           "2^60",
                           (long long)at, k, *s->axis[k] ? " " : "",
                           s->axis[k]);
        s->origin[k] = at;
    }
    return ILEX_OK;
}

/* alignment: given, preset, like, none. */
static ilex_status
find_alignment(const ilex_storage_spec *p, const ix_preset *preset,
               ilex_storage *s, ix_error *err)
{
    size_t alignment = p->alignment;
    note(s, IX_PROPERTY_ALIGNMENT, alignment ? p : NULL, p->like);
    if (!alignment && preset && preset->alignment) {
        s->source[IX_PROPERTY_ALIGNMENT] = IX_SOURCE_PRESET;
        alignment = preset->alignment;
    } else if (!alignment && p->like) {
        alignment = p->like->alignment;
    }
    if (alignment > IX_ALIGNMENT_MOST)
        return ix_fail(err, ILEX_E_ALIGNMENT,
                       "storage: alignment %zu is more than 2^30 bytes; take "
                       "for example 64",
                       alignment);
    s->alignment = alignment > 1 ? alignment : 0;
    return ILEX_OK;
}

/* aligned index: given, like, low halo widths. */
static ilex_status
find_aligned_index(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    const int64_t *index = p->aligned_index;
    const ilex_storage *like = p->like;
    note(s, IX_PROPERTY_ALIGNED_INDEX, index, like);
    if (!index && like)
        index = like->aligned;
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

/* halo: given, like, none. */
static ilex_status
find_halo(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    note(s, IX_PROPERTY_HALO, p->halo, p->like);
    return ix_storage_set_halo(
        s, p->halo || !p->like ? p->halo : p->like->halo[0], err);
}

/* origin: given, like, 0. */
static ilex_status
find_origin(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    note(s, IX_PROPERTY_ORIGIN, p->origin, p->like);
    return ix_storage_set_origin(
        s, p->origin || !p->like ? p->origin : p->like->origin, err);
}

/* Arrays whose lengths were told have an entry per axis. */
static ilex_status
check_counts(const ilex_storage_spec *p, int rank, ix_error *err)
{
    const struct {
        const char *name;
        int count;
    } given[] = {{"layout_map", p->layout_count},
                 {"selector", p->selector_count},
                 {"halo", p->halo_count}};
    for (size_t i = 0; i < IX_COUNT(given); i++)
        if (given[i].count && given[i].count != rank)
            return ix_fail(err, ILEX_E_RANK,
                           "storage: `%s` has %d entries and the shape has %d "
                           "axes; give one for each axis",
                           given[i].name, given[i].count, rank);
    return ILEX_OK;
}

/* Axes that are static, and what else needs no looking up. */
static void
set_marks(const ilex_storage_spec *p, ilex_storage *s)
{
    s->name = p->name ? p->name : p->like ? p->like->name : "";
    s->writable = !(p->flags & (ILEX_STORAGE_READONLY | ILEX_STORAGE_CONST));
    s->unknown_kind = (p->flags & ILEX_STORAGE_UNKNOWN_KIND) != 0;
    s->fixed = p->like && !p->fixed ? p->like->fixed : 0;
    for (int k = 0; p->fixed && k < s->rank; k++)
        s->fixed |= (unsigned)(p->fixed[k] != 0) << k;
}

/* ---- arrays of canonical length ---- */

typedef struct canonical {
    ilex_storage_spec spec;
    int64_t shape[3], halo[6], aligned[3], origin[3];
} canonical;

/* With rank 3 and fewer axes, all among I, J and K, the arrays have an entry
 * for each of the three: picks those of the axes there are. */
static const ilex_storage_spec *
squeeze(const ilex_storage_spec *p, canonical *c)
{
    size_t n = p->axes ? strlen(p->axes) : 0;
    if (p->rank != 3 || !p->shape || p->like || n == 0 || n >= 3 ||
        strspn(p->axes, "IJK") != n)
        return p;
    c->spec = *p;
    c->spec.rank = (int)n;
    for (size_t k = 0; k < n; k++) {
        int at = p->axes[k] - 'I';
        c->shape[k] = p->shape[at];
        c->aligned[k] = p->aligned_index ? p->aligned_index[at] : 0;
        c->origin[k] = p->origin ? p->origin[at] : 0;
        for (int side = 0; p->halo && side < 2; side++)
            c->halo[2 * k + (size_t)side] = p->halo[2 * at + side];
    }
    c->spec.shape = c->shape;
    c->spec.halo = p->halo ? c->halo : NULL;
    c->spec.aligned_index = p->aligned_index ? c->aligned : NULL;
    c->spec.origin = p->origin ? c->origin : NULL;
    return &c->spec;
}

ilex_status
ix_storage_resolve(const ilex_storage_spec *spec, ilex_storage *s,
                   ix_placement *place, ix_storage_names *names, ix_error *err)
{
    canonical c;
    ix_preset row, *preset = NULL;
    const ilex_storage_spec *p = squeeze(spec, &c);
    memset(s, 0, sizeof *s);
    if (!spec_consistent(p, err))
        return ILEX_E_ARGUMENT;
    ilex_status rc = ILEX_OK;
    if (p->preset && !(rc = ix_preset_find(p->preset, &row, err)))
        preset = &row;
    rc = rc ? rc : find_dtype(p, s, err);
    rc = rc ? rc : find_shape(p, s, err);
    rc = rc ? rc : check_counts(p, s->rank, err);
    rc = rc ? rc : find_axes(p, s, names, err);
    rc = rc ? rc : find_halo(p, s, err);
    rc = rc ? rc : find_origin(p, s, err);
    rc = rc ? rc : ix_storage_divide(p, s, err);
    rc = rc ? rc : find_alignment(p, preset, s, err);
    rc = rc ? rc : find_aligned_index(p, s, err);
    rc = rc ? rc : ix_storage_set_layout(p, preset, s, err);
    if (rc)
        return rc;
    set_marks(p, s);
    return ix_storage_place(p, preset, place, s, err);
}
