/* SPDX-License-Identifier: MIT
 *
 * How storages broadcast, and what their result looks like.
 */
#include "runtime/eager/eager.h"

static bool
is_named(const ilex_storage *s)
{
    return s->rank > 0 && *s->axis[0];
}

/* ---- axes ---- */

/* I, J, K first. */
static int
canonical_rank(const char *name)
{
    return name[0] >= 'I' && name[0] <= 'K' && !name[1] ? name[0] - 'I' : 3;
}

static ilex_status
add_axis(ix_eager_result *r, const char *name, ix_error *err)
{
    int at = 0;
    while (at < r->rank && strcmp(r->axis[at], name) != 0)
        at++;
    if (at < r->rank)
        return ILEX_OK;
    if (r->rank == ILEX_MAX_RANK)
        return ix_fail(err, ILEX_E_RANK,
                       "the operands have more than %d different axes",
                       ILEX_MAX_RANK);
    for (at = r->rank++;
         at > 0 && canonical_rank(r->axis[at - 1]) > canonical_rank(name); at--)
        r->axis[at] = r->axis[at - 1];
    r->axis[at] = name;
    return ILEX_OK;
}

/* An axis and its staggered partner of two operands do not meet. */
static ilex_status
check_staggered(size_t count, ilex_storage *const *operands,
                const ix_eager_result *r, ix_error *err)
{
    for (int k = 0; k < r->rank; k++)
        for (int j = 0; j < r->rank; j++) {
            bool together = !ix_axis_is_partner(r->axis[k], r->axis[j]);
            for (size_t i = 0; i < count; i++)
                together |=
                    ix_storage_find_axis(operands[i], r->axis[k]) >= 0 &&
                    ix_storage_find_axis(operands[i], r->axis[j]) >= 0;
            if (!together)
                return ix_fail(err, ILEX_E_AXIS,
                               "an operand has axis %s and another one %s, "
                               "half a cell away: they do not broadcast with "
                               "each other; rename one (ilex_storage_"
                               "reinterpret)",
                               r->axis[k], r->axis[j]);
        }
    return ILEX_OK;
}

/* Union of the names; the order of the first operand that has them all. */
static ilex_status
named_axes(size_t count, ilex_storage *const *operands, ix_eager_result *r,
           ix_error *err)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; is_named(operands[i]) && k < operands[i]->rank; k++) {
            ilex_status rc = add_axis(r, operands[i]->axis[k], err);
            if (rc)
                return rc;
        }
    for (size_t i = 0; i < count; i++)
        if (is_named(operands[i]) && operands[i]->rank == r->rank) {
            memcpy(r->axis, operands[i]->axis,
                   (size_t)r->rank * sizeof *r->axis);
            break;
        }
    return check_staggered(count, operands, r, err);
}

/* ---- lengths and markers ---- */

static ilex_status
join_length(ix_eager_result *r, int k, int64_t length, ix_error *err)
{
    if (r->shape[k] == 1 || r->shape[k] == length)
        r->shape[k] = length;
    else if (length != 1)
        return ix_fail(err, ILEX_E_SHAPE,
                       "axis %s%d has the lengths %lld and %lld; they must be "
                       "equal, or one of them 1",
                       *r->axis[k] ? r->axis[k] : "", k, (long long)r->shape[k],
                       (long long)length);
    return ILEX_OK;
}

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The widest halo, the largest aligned index and alignment of an operand that
 * varies along axis "k" of the result. */
static void
join_markers(ix_eager_result *r, int k, const ilex_storage *s, int j)
{
    if (s->shape[j] == 1 && r->shape[k] != 1)
        return;
    r->halo[2 * k] = larger(r->halo[2 * k], s->halo[j][0]);
    r->halo[2 * k + 1] = larger(r->halo[2 * k + 1], s->halo[j][1]);
    r->aligned[k] = larger(r->aligned[k], s->aligned[j]);
    if (is_named(s) && !(r->has_origin >> k & 1))
        r->origin[k] = s->origin[j];
    r->has_origin |= (uint32_t)is_named(s) << k;
}

/* The axis of "s" for axis "k" of the result, -1: none. */
static int
axis_of(const ix_eager_result *r, const ilex_storage *s, int k)
{
    if (is_named(s) && *r->axis[k])
        return ix_storage_find_axis(s, r->axis[k]);
    int j = k - (r->rank - s->rank);
    return j >= 0 ? j : -1;
}

static ilex_status
join_lengths(size_t count, ilex_storage *const *operands, ix_eager_result *r,
             bool named, ix_error *err)
{
    for (int k = 0; k < r->rank; k++) {
        r->shape[k] = 1;
        for (size_t i = 0; i < count; i++) {
            int j = axis_of(r, operands[i], k);
            ilex_status rc = ILEX_OK;
            if (j >= 0 && (!named || is_named(operands[i])))
                rc = join_length(r, k, operands[i]->shape[j], err);
            if (rc)
                return rc;
        }
    }
    return ILEX_OK;
}

static ilex_status
check_halo(const ix_eager_result *r, ix_error *err)
{
    for (int k = 0; k < r->rank; k++)
        if (r->halo[2 * k] + r->halo[2 * k + 1] > r->shape[k])
            return ix_fail(err, ILEX_E_HALO,
                           "axis %s: the operands' halos %lld:%lld leave "
                           "nothing of the length %lld",
                           r->axis[k], (long long)r->halo[2 * k],
                           (long long)r->halo[2 * k + 1],
                           (long long)r->shape[k]);
    return ILEX_OK;
}

/* A plain array beside named storages. */
static ilex_status
check_plain(const ix_eager_result *r, const ilex_storage *s, ix_error *err)
{
    bool same = s->rank == r->rank, ones = s->rank == r->rank && r->rank == 3;
    for (int k = 0; k < s->rank && s->rank == r->rank; k++) {
        same &= s->shape[k] == r->shape[k];
        ones &= s->shape[k] == r->shape[k] || s->shape[k] == 1;
    }
    if (s->rank == 0 || same || ones)
        return ILEX_OK;
    return ix_fail(err, ILEX_E_SHAPE,
                   "a storage without axis names, of rank %d, meets named axes "
                   "of rank %d: it must have their shape, or rank 3 with "
                   "lengths that are 1 or equal; give it axes to broadcast",
                   s->rank, r->rank);
}

/* ---- what operands have in common ---- */

/* All but the room for a layout, of which the first byte will do. */
static void
clear(ix_eager_result *r)
{
    memset(r, 0, offsetof(ix_eager_result, layout));
    *r->layout = 0;
}

/* Axes and lengths of what the operands broadcast to, plain arrays checked;
 * "*named" tells whether one has names. */
static ilex_status
meet(size_t count, ilex_storage *const *operands, ix_eager_result *r,
     bool *named, ix_error *err)
{
    *named = false;
    clear(r);
    for (size_t i = 0; i < count; i++) {
        *named |= is_named(operands[i]);
        r->rank = operands[i]->rank > r->rank ? operands[i]->rank : r->rank;
    }
    for (int k = 0; k < r->rank; k++)
        r->axis[k] = "";
    r->rank = *named ? 0 : r->rank;
    ilex_status rc = *named ? named_axes(count, operands, r, err) : ILEX_OK;
    rc = rc ? rc : join_lengths(count, operands, r, *named, err);
    for (size_t i = 0; !rc && i < count; i++)
        if (*named && !is_named(operands[i]))
            rc = check_plain(r, operands[i], err);
    return rc;
}

ilex_status
ix_eager_match(size_t count, ilex_storage *const *operands, ix_eager_result *r,
               ix_error *err)
{
    bool named;
    ilex_status rc = meet(count, operands, r, &named, err);
    for (size_t i = 0; !rc && i < count; i++) {
        const ilex_storage *s = operands[i];
        if (named && !is_named(s))
            continue;
        if (r->alignment <= IX_ALIGNMENT_MOST)
            r->alignment = ix_storage_lcm(r->alignment, s->alignment);
        if (!*r->layout && s->rank > 0)
            ix_storage_layout_words(s, r->rank, r->axis, r->layout,
                                    sizeof r->layout);
        for (int k = 0; k < r->rank; k++) {
            int j = axis_of(r, s, k);
            if (j >= 0)
                join_markers(r, k, s, j);
        }
    }
    return rc ? rc : check_halo(r, err);
}

/* ---- a result that is there ---- */

/* "out" has no names: are its lengths those that the operands broadcast to? */
static ilex_status
check_unnamed_out(const ix_eager_result *r, const ilex_storage *out,
                  ix_error *err)
{
    bool same = r->rank == out->rank;
    for (int k = 0; k < r->rank && same; k++)
        same = r->shape[k] == out->shape[k];
    if (same)
        return ILEX_OK;
    return ix_fail(err, ILEX_E_SHAPE,
                   "the result's storage has no axis names and %d axes; beside "
                   "operands with names it must have the shape that they "
                   "broadcast to, of %d axes; give it names",
                   out->rank, r->rank);
}

ilex_status
ix_eager_result_of(const ilex_storage *out, size_t count,
                   ilex_storage *const *operands, ix_eager_result *r,
                   ix_error *err)
{
    bool named = false;
    for (size_t i = 0; i < count; i++)
        named |= is_named(operands[i]);
    if (named && !is_named(out)) {
        ilex_status rc = meet(count, operands, r, &named, err);
        return rc ? rc : check_unnamed_out(r, out, err);
    }
    clear(r);
    r->rank = out->rank;
    for (int k = 0; k < out->rank; k++) {
        r->axis[k] = out->axis[k];
        r->shape[k] = out->shape[k];
        r->origin[k] = out->origin[k];
        r->has_origin |= (uint32_t)is_named(out) << k;
    }
    return ILEX_OK;
}

/* ---- placing ---- */

/* Every axis of a named storage must be one of the result's. */
static ilex_status
check_axes(const ix_eager_result *r, const ilex_storage *s, ix_error *err)
{
    for (int j = 0; is_named(s) && r->rank && *r->axis[0] && j < s->rank; j++) {
        int k = 0;
        while (k < r->rank && strcmp(r->axis[k], s->axis[j]) != 0)
            k++;
        if (k == r->rank)
            return ix_fail(err, ILEX_E_AXIS,
                           "axis %s of an operand is no axis of the result",
                           s->axis[j]);
    }
    if (s->rank > r->rank)
        return ix_fail(err, ILEX_E_RANK,
                       "an operand of rank %d does not fit a result of rank "
                       "%d",
                       s->rank, r->rank);
    return ILEX_OK;
}

ilex_status
ix_eager_place(const ix_eager_result *r, const ilex_storage *s,
               ix_eager_operand *o, ix_error *err)
{
    memset(o, 0, sizeof *o);
    o->storage = s;
    ilex_status rc = check_axes(r, s, err);
    if (!rc && !is_named(s) && r->rank && *r->axis[0])
        rc = check_plain(r, s, err);
    for (int k = 0; !rc && k < r->rank; k++) {
        int j = axis_of(r, s, k);
        if (j < 0 || (s->shape[j] == 1 && r->shape[k] != 1))
            continue;
        if (s->shape[j] != r->shape[k])
            return ix_fail(err, ILEX_E_SHAPE,
                           "axis %d of the result has length %lld, an operand "
                           "%lld there",
                           k, (long long)r->shape[k], (long long)s->shape[j]);
        if (s->shape[j] == 1)
            continue;
        if (is_named(s) && r->has_origin >> k & 1 &&
            s->origin[j] != r->origin[k])
            return ix_fail(err, ILEX_E_ORIGIN,
                           "axis %s begins at %lld in one storage and at %lld "
                           "in another: eager operators take elements by their "
                           "place in memory; give both one origin "
                           "(ilex_storage_with_origin), or use a program, "
                           "which goes by indices",
                           r->axis[k], (long long)r->origin[k],
                           (long long)s->origin[j]);
        o->mask |= 1u << k;
        o->stride[k] = s->stride[j];
    }
    return rc;
}

ilex_storage *
ix_eager_allocate(ilex_context *ctx, const ix_eager_result *r)
{
    char axes[ILEX_MAX_RANK * (IX_AXIS_NAME + 1)];
    ilex_storage_spec spec = {
        .size = sizeof spec,
        .dtype = ilex_dtype_name(r->dtype),
        .rank = r->rank,
        .shape = r->shape,
        .axes = ix_storage_axis_words(r->rank, r->axis, axes, sizeof axes),
        .halo = r->halo,
        .origin = r->origin,
        .layout = *r->layout ? r->layout : NULL,
        .alignment = r->alignment,
        .aligned_index = r->aligned,
        .preset = r->preset,
        .device = *r->device ? r->device : NULL,
        .managed = r->managed};
    return ilex_storage_new(ctx, &spec);
}
