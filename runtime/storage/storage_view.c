/* SPDX-License-Identifier: MIT
 *
 * Views: slices, single indices, permuted axes, other names, halos, rights.
 *
 * Each works on a copy of the view record on the stack and attaches the
 * result; the memory is shared. What is promised of the original (halo,
 * alignment at the aligned index) is carried over as far as it stays true.
 */
#include "runtime/storage/storage.h"

#include <stdlib.h>

/* "axis 1 (J)" for messages, in a static-size buffer of the caller. */
typedef struct axis_text {
    char text[IX_AXIS_NAME + 32];
} axis_text;

static const char *
describe_axis(const ilex_storage *s, int k, axis_text *out)
{
    char *p = out->text;
    strcpy(p, "axis ");
    p += 5;
    if (k >= 10)
        *p++ = (char)('0' + k / 10);
    *p++ = (char)('0' + k % 10);
    *p = 0;
    if (*s->axis[k]) {
        strcat(p, " (");
        strcat(p, s->axis[k]);
        strcat(p, ")");
    }
    return out->text;
}

static bool
check_axis(const ilex_storage *s, int axis, ix_error *err)
{
    if (axis >= 0 && axis < s->rank)
        return true;
    return ix_fail_false(err, ILEX_E_AXIS,
                         "storage view: axis %d does not exist; the storage "
                         "has %d axes, numbered from 0",
                         axis, s->rank);
}

/* Number of elements start, start + step, ... before "stop". */
static int64_t
slice_length(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0)
        return stop > start ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

/* Moves the aligned index of axis "k" into what is left of it. Where another
 * element is as well aligned, it takes the place of one cut off; otherwise
 * the promise ends. */
static void
move_aligned(ilex_storage *s, int k, int64_t start, int64_t step,
             int64_t length)
{
    int64_t ahead = s->aligned[k] - start;
    size_t row = (size_t)llabs(s->stride[k]) * ilex_dtype_bytes(s->dtype);
    bool kept = ahead % step == 0 && ahead / step >= 0 && ahead / step < length;
    s->aligned[k] = kept ? ahead / step : 0;
    if (!kept && s->alignment && row % s->alignment != 0)
        s->alignment = 0;
}

/* Reduces axis "k" of "*s" to a slice that is inside it; the index of its first
 * point inside the halo stays. */
static void
cut(ilex_storage *s, int k, int64_t start, int64_t stop, int64_t step)
{
    int64_t length = slice_length(start, stop, step);
    if (length != s->shape[k])
        s->fixed &= ~(1u << k);
    int64_t low = s->halo[k][0] - start;
    int64_t high = s->halo[k][1] - (s->shape[k] - stop);
    move_aligned(s, k, start, step, length);
    if (length > 0)
        s->data += start * s->stride[k] * (int64_t)ilex_dtype_bytes(s->dtype);
    if (step != 1)
        low = high = 0;
    low = low < 0 ? 0 : low;
    high = high < 0 ? 0 : high;
    s->halo[k][0] = low < length ? low : length;
    s->halo[k][1] = high < length ? high : length;
    s->shape[k] = length;
    if (length > 1)
        s->stride[k] *= step;
}

ilex_storage *
ilex_storage_slice(ilex_context *ctx, ilex_storage *s, int axis, int64_t start,
                   int64_t stop, int64_t step)
{
    if (!ix_storage_given(ctx, s, "storage slice"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    if (!check_axis(s, axis, err))
        return NULL;
    int64_t n = s->shape[axis];
    bool up = step > 0 && 0 <= start && start <= stop && stop <= n;
    bool down = step < 0 && -1 <= stop && stop <= start && start < n;
    if ((!up && !down) || step == INT64_MIN) {
        axis_text name;
        return ix_fail_null(
            err, ILEX_E_BOUNDS,
            "storage slice: %lld to %lld by %lld is not a slice of %s of "
            "length %lld; upwards 0 <= start <= stop <= %lld, downwards -1 <= "
            "stop <= start < %lld, for example 0, %lld, 1",
            (long long)start, (long long)stop, (long long)step,
            describe_axis(s, axis, &name), (long long)n, (long long)n,
            (long long)n, (long long)n);
    }
    ilex_storage view;
    ix_storage_clone(&view, s);
    cut(&view, axis, start, stop, step);
    view.origin[axis] = 0;
    return ix_storage_attach(&s->mem, &view, err);
}

/* Copies what belongs to axis "j" of "from" to axis "k" of "*to". */
static void
copy_axis(ilex_storage *to, int k, const ilex_storage *from, int j)
{
    to->axis[k] = from->axis[j];
    to->shape[k] = from->shape[j];
    to->stride[k] = from->stride[j];
    to->halo[k][0] = from->halo[j][0];
    to->halo[k][1] = from->halo[j][1];
    to->origin[k] = from->origin[j];
    to->aligned[k] = from->aligned[j];
    to->layout[k] = from->layout[j];
    to->fixed &= ~(1u << k);
    to->fixed |= (from->fixed >> j & 1) << k;
}

/* Words like "C" speak of the axes' order, and others of their names: "" once
 * these are others. */
static void
forget_order(ilex_storage *s, bool names)
{
    bool by_index = strcmp(s->order, "C") == 0 || strcmp(s->order, "F") == 0;
    if (by_index != names)
        s->order = "";
}

ilex_storage *
ilex_storage_index(ilex_context *ctx, ilex_storage *s, int axis, int64_t index)
{
    if (!ix_storage_given(ctx, s, "storage index"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    if (!check_axis(s, axis, err))
        return NULL;
    if (index < 0 || index >= s->shape[axis]) {
        axis_text name;
        return ix_fail_null(err, ILEX_E_BOUNDS,
                            "storage index: %lld is outside %s of length %lld",
                            (long long)index, describe_axis(s, axis, &name),
                            (long long)s->shape[axis]);
    }
    ilex_storage view;
    ix_storage_clone(&view, s);
    cut(&view, axis, index, index + 1, 1);
    int place = view.layout[axis];
    view.rank--;
    for (int k = axis; k < view.rank; k++)
        copy_axis(&view, k, s, k + 1);
    for (int k = 0; place >= 0 && k < view.rank; k++)
        view.layout[k] -= view.layout[k] > place;
    return ix_storage_attach(&s->mem, &view, err);
}

ilex_storage *
ilex_storage_transpose(ilex_context *ctx, ilex_storage *s, const int *order)
{
    if (!ix_storage_given(ctx, s, "storage transpose"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage view;
    bool used[ILEX_MAX_RANK] = {0};
    ix_storage_clone(&view, s);
    for (int k = 0; k < s->rank; k++) {
        int j = order ? order[k] : s->rank - 1 - k;
        if (j < 0 || j >= s->rank || used[j])
            return ix_fail_null(err, ILEX_E_AXIS,
                                "storage transpose: entry %d of the order is "
                                "%d; each of 0 to %d must occur once",
                                k, j, s->rank - 1);
        used[j] = true;
        copy_axis(&view, k, s, j);
    }
    forget_order(&view, false);
    return ix_storage_attach(&s->mem, &view, err);
}

ilex_storage *
ilex_storage_transpose_axes(ilex_context *ctx, ilex_storage *s,
                            const char *axes)
{
    if (!ix_storage_given(ctx, s, "storage transpose_axes"))
        return NULL;
    int order[ILEX_MAX_RANK];
    if (ix_storage_axis_order(s, axes ? axes : "", order,
                              ix_storage_error(ctx)))
        return NULL;
    return ilex_storage_transpose(ctx, s, order);
}

/* Points of the part [lo, hi) of axis "k" of "s" keep their indices; one that
 * lies wholly in the halo has none. */
static void
keep_indices(ilex_storage *view, int k, const ilex_storage *s, int64_t lo,
             int64_t hi)
{
    int64_t begin, end;
    ilex_storage_domain(s, k, &begin, &end);
    if (hi <= begin || lo >= end)
        view->halo[k][0] = view->halo[k][1] = 0;
    view->origin[k] = lo + view->halo[k][0];
}

ilex_storage *
ilex_storage_restrict(ilex_context *ctx, ilex_storage *s, const char *axis,
                      int64_t lo, int64_t hi)
{
    if (!ix_storage_given(ctx, s, "storage restrict"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    int k = ilex_storage_axis(s, axis);
    if (k < 0)
        return ix_fail_null(
            err, ILEX_E_AXIS,
            "storage restrict: there is no axis called '%.80s'; the storage "
            "has %d axes, the first one called '%s'",
            axis ? axis : "(null)", s->rank, s->rank ? s->axis[0] : "");
    int64_t first, end;
    ix_storage_covers(s, k, &first, &end);
    if (lo < first || lo > hi || hi > end)
        return ix_fail_null(
            err, ILEX_E_BOUNDS,
            "storage restrict: [%lld, %lld) of axis %s is not inside [%lld, "
            "%lld), which it covers with its halo",
            (long long)lo, (long long)hi, axis, (long long)first,
            (long long)end);
    ilex_storage view;
    ix_storage_clone(&view, s);
    cut(&view, k, lo - first, hi - first, 1);
    keep_indices(&view, k, s, lo, hi);
    ilex_storage *part = ix_storage_attach(&s->mem, &view, err);
    if (part)
        part->whole = ilex_storage_retain(s);
    return part;
}

ilex_storage *
ilex_storage_unrestrict(ilex_context *ctx, ilex_storage *s)
{
    if (!ix_storage_given(ctx, s, "storage unrestrict"))
        return NULL;
    if (s->whole)
        return ilex_storage_retain(s->whole);
    return ix_fail_null(
        ix_storage_error(ctx), ILEX_E_ARGUMENT,
        "storage unrestrict: '%.80s' was not cut from another storage by "
        "ilex_storage_restrict or ilex_storage_select",
        ix_storage_label(s));
}

ilex_storage *
ilex_storage_interior(ilex_context *ctx, ilex_storage *s)
{
    if (!ix_storage_given(ctx, s, "storage interior"))
        return NULL;
    ilex_storage view;
    ix_storage_clone(&view, s);
    for (int k = 0; k < s->rank; k++)
        cut(&view, k, s->halo[k][0], s->shape[k] - s->halo[k][1], 1);
    return ix_storage_attach(&s->mem, &view, ix_storage_error(ctx));
}

ilex_storage *
ilex_storage_reinterpret(ilex_context *ctx, ilex_storage *s, const char *axes)
{
    if (!ix_storage_given(ctx, s, "storage reinterpret"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ix_storage_names names = {{{0}}};
    ilex_storage view;
    ix_storage_clone(&view, s);
    if (axes && ix_storage_axes(axes, s->rank, &names, err))
        return NULL;
    for (int k = 0; k < s->rank; k++)
        view.axis[k] = names.axis[k];
    forget_order(&view, true);
    return ix_storage_publish(&s->mem, &view, err);
}

ilex_storage *
ilex_storage_with_halo(ilex_context *ctx, ilex_storage *s, const int64_t *halo)
{
    if (!ix_storage_given(ctx, s, "storage with_halo"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage view;
    ix_storage_clone(&view, s);
    if (ix_storage_set_halo(&view, halo, err))
        return NULL;
    return ix_storage_attach(&s->mem, &view, err);
}

ilex_storage *
ilex_storage_with_origin(ilex_context *ctx, ilex_storage *s,
                         const int64_t *origin)
{
    if (!ix_storage_given(ctx, s, "storage with_origin"))
        return NULL;
    ix_error *err = ix_storage_error(ctx);
    ilex_storage view;
    ix_storage_clone(&view, s);
    if (ix_storage_set_origin(&view, origin, err))
        return NULL;
    return ix_storage_attach(&s->mem, &view, err);
}

ilex_storage *
ilex_storage_readonly(ilex_context *ctx, ilex_storage *s)
{
    if (!ix_storage_given(ctx, s, "storage readonly"))
        return NULL;
    ilex_storage view;
    ix_storage_clone(&view, s);
    view.writable = false;
    return ix_storage_attach(&s->mem, &view, ix_storage_error(ctx));
}
