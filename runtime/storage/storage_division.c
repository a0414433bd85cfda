/* SPDX-License-Identifier: MIT
 *
 * Storages on a grid: from the lengths of the whole to those of a part, and
 * what is remembered of the whole.
 */
#include "runtime/storage/division.h"

#include "lib/graph/context.h"

/* ---- from a spec ---- */

/* The axis of the grid that has the ranks of axis "k". */
static int
family(const ix_division *d, int k)
{
    int of = d->grid->axis[d->axis[k]].of;
    return of < 0 ? d->axis[k] : of;
}

/* Cuts axis "k" to this rank's part. */
static ilex_status
cut_axis(ix_division *d, ilex_storage *s, int k, ix_error *err)
{
    const int64_t *halo = s->halo[k];
    int64_t first = s->origin[k], end = first + s->shape[k] - halo[0] - halo[1];
    d->whole.k[k][0] = first;
    d->whole.k[k][1] = end;
    d->axis[k] = *s->axis[k] ? ix_grid_find(d->grid, s->axis[k]) : -1;
    if (d->axis[k] < 0)
        return ILEX_OK;
    for (int j = 0; j < k; j++)
        if (d->axis[j] >= 0 && family(d, j) == family(d, k))
            return ix_fail(err, ILEX_E_AXIS,
                           "storage: axes %s and %s lie on one axis of the "
                           "grid, which can divide one of them",
                           s->axis[j], s->axis[k]);
    const ix_grid_axis *a = &d->grid->axis[d->axis[k]];
    int64_t last = a->cut[a->ranks], lo, hi;
    if (a->periodic && (first < a->cut[0] || end > last))
        return ix_fail(err, ILEX_E_SHAPE,
                       "storage: axis %s is periodic on its grid, on [%lld, "
                       "%lld), and the storage has [%lld, %lld) without its "
                       "halo: a point would be there twice",
                       s->axis[k], (long long)a->cut[0], (long long)last,
                       (long long)first, (long long)end);
    d->round[k] = a->periodic && first == a->cut[0] && end == last;
    ix_grid_cut(a, a->place, first, end, &lo, &hi);
    s->origin[k] = lo;
    s->shape[k] = hi - lo + halo[0] + halo[1];
    return ILEX_OK;
}

/* The part that "like" is of the same whole. */
static void
divide_like(ix_division *d, const ix_division *like)
{
    *d = *like;
    d->writes = 0;
    memset(&d->current, 0, sizeof d->current);
    ilex_grid_retain(d->grid);
}

ilex_status
ix_storage_divide(const ilex_storage_spec *p, ilex_storage *s, ix_error *err)
{
    const ix_division *like = p->like ? p->like->division : NULL;
    ilex_status rc = ILEX_OK;
    if (!p->grid && !like)
        return ILEX_OK;
    if (p->grid && like && p->grid != like->grid)
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: `like` is on another grid");
    s->division = ix_mem_new(&ix_mem_default, sizeof *s->division);
    if (!s->division)
        return ix_fail_memory(err);
    if (like && (p->halo || p->origin))
        return ix_fail(err, ILEX_E_ARGUMENT,
                       "storage: on a grid halo and origin are those of "
                       "`like`; give shape, axes and grid instead");
    if (like) {
        divide_like(s->division, like);
        return ILEX_OK;
    }
    s->division->grid = ilex_grid_retain(p->grid);
    for (int k = 0; !rc && k < s->rank; k++)
        rc = cut_axis(s->division, s, k, err);
    return rc;
}

void
ix_division_free(ix_division *d)
{
    if (!d)
        return;
    ilex_grid_release(d->grid);
    ix_mem_free(&ix_mem_default, d);
}

/* ---- what is current ---- */

static uint64_t
writes_of(const ilex_storage *s)
{
    return atomic_load_explicit(&s->memory->writes, memory_order_relaxed);
}

bool
ix_division_is_same(const ilex_storage *s)
{
    const ix_division *d = s->division;
    return d->writes == writes_of(s) && d->age == d->grid->group->age;
}

void
ix_division_current(const ilex_storage *s, int k, int64_t width[2])
{
    const ix_division *d = s->division;
    bool same = ix_division_is_same(s);
    width[0] = same ? d->current.k[k][0] : 0;
    width[1] = same ? d->current.k[k][1] : 0;
}

void
ix_division_exchanged(ilex_storage *s, const ix_index_box *width)
{
    ix_division *d = s->division;
    d->writes = writes_of(s);
    d->age = d->grid->group->age;
    d->current = *width;
}

void
ix_division_owned(const ilex_storage *s, int k, int place, int64_t *lo,
                  int64_t *hi)
{
    const ix_division *d = s->division;
    const ix_grid_axis *a = &d->grid->axis[d->axis[k]];
    ix_grid_cut(a, place, d->whole.k[k][0] - ix_division_outside(s, k, 0),
                d->whole.k[k][1] + ix_division_outside(s, k, 1), lo, hi);
}

void
ix_division_view(const ilex_storage *s, const ix_index_box *box,
                 ilex_storage *view)
{
    int64_t offset = 0, lo, hi;
    ix_storage_clone(view, s);
    for (int k = 0; k < s->rank; k++) {
        ix_storage_covers(s, k, &lo, &hi);
        offset += (box->k[k][0] - lo) * s->stride[k];
        view->shape[k] = box->k[k][1] - box->k[k][0];
    }
    view->data += offset * (int64_t)ilex_dtype_bytes(s->dtype);
}

void
ix_division_pack(const ilex_storage *view, char *data, ilex_storage *packed)
{
    int64_t stride = 1;
    ix_storage_clone(packed, view);
    packed->data = data;
    for (int k = view->rank; k-- > 0; stride *= view->shape[k])
        packed->stride[k] = stride;
}

/* ---- queries ---- */

ilex_grid *
ilex_storage_grid(const ilex_storage *s)
{
    return s->division ? s->division->grid : NULL;
}

ilex_status
ilex_storage_whole(const ilex_storage *s, int axis, int64_t *lo, int64_t *hi)
{
    if (!s->division || axis < 0 || axis >= s->rank)
        return ilex_storage_domain(s, axis, lo, hi);
    if (lo)
        *lo = s->division->whole.k[axis][0];
    if (hi)
        *hi = s->division->whole.k[axis][1];
    return ILEX_OK;
}
