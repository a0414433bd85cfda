/* SPDX-License-Identifier: MIT
 *
 * Computing while halos come: the points of a rank's part that read no halo
 * which is on its way, the interior, then the rim in slabs. It is each rank's
 * own decision, for what is sent does not depend on it.
 */
#include "runtime/program/program.h"

/* ---- is it worth it? ---- */

/* A run that waits less of its time than 1 / SHARE gains nothing; how that is
 * is measured again after AGAIN runs. */
enum { SHARE = 10, AGAIN = 100 };

void
ix_overlap_note(ilex_group *g, double waited, double took)
{
    g->overlapped = 0;
    if (took > 0)
        g->waiting += (waited / took - g->waiting) / 2;
}

/* Has another argument the memory of output "i"? */
static bool
shares_memory(const ix_run *r, size_t i)
{
    for (size_t j = 0; j < r->p->c->narguments; j++)
        if (j != i && r->bound[j] && r->bound[j]->memory == r->bound[i]->memory)
            return true;
    return false;
}

/* Does the run have what cannot be done in pieces? An output in the place of an
 * input, functions, an output that is not divided. */
static bool
is_whole(const ix_run *r)
{
    const ix_compiled *c = r->p->c;
    bool whole = c->ncalls > 0;
    for (size_t i = 0; !whole && i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role != IX_COMPILED_OUTPUT)
            continue;
        whole |= !r->bound[i] || shares_memory(r, i);
        for (int axis = 0; axis < r->grid->naxes; axis++) {
            int k = 0;
            while (k < b->rank && ix_grid_find(r->grid, b->axis[k]) != axis)
                k++;
            whole |= k == b->rank && r->grid->axis[axis].ranks > 1 &&
                     r->grid->axis[axis].of < 0;
        }
    }
    return whole;
}

/* ---- the boxes ---- */

/* How far the interior is from either end of a part: as far as a halo that is
 * on its way is read. */
static void
find_widths(const ix_run *r, const ix_halo *stale, size_t n, int axis,
            int64_t width[2])
{
    const ix_grid_axis *a = &r->grid->axis[axis];
    width[0] = width[1] = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < stale[i].s->rank; k++)
            for (int side = 0; side < 2; side++) {
                const ix_division *d = stale[i].s->division;
                int64_t w = stale[i].width.k[k][side];
                bool comes =
                    d->round[k] || a->place != (side ? a->ranks - 1 : 0);
                if (d->axis[k] == axis && comes && w > width[side])
                    width[side] = w;
            }
}

/* Lists the interior and the rim of the part; false if the interior is less
 * than half of it along an axis. */
static bool
list_boxes(const ix_run *r, const ix_halo *stale, size_t n, ix_overlap *o)
{
    ix_index_box part, *inside = &o->box[0];
    int naxes = r->grid->naxes;
    o->n = 1;
    ix_grid_here(r->grid, &part);
    for (int k = 0; k < naxes; k++) {
        const ix_grid_axis *a = &r->grid->axis[k];
        int64_t width[2], length = a->cut[a->place + 1] - a->cut[a->place];
        find_widths(r, stale, n, k, width);
        if (width[0] > length / 4 || width[1] > length / 4)
            return false;
        if ((width[0] > 0 && part.k[k][0] == INT64_MIN) ||
            (width[1] > 0 && part.k[k][1] == INT64_MAX))
            return false; /* one rank of a periodic axis */
        inside->k[k][0] = part.k[k][0] + width[0];
        inside->k[k][1] = part.k[k][1] - width[1];
    }
    for (int k = 0; k < naxes; k++)
        for (int side = 0; side < 2; side++) {
            ix_index_box *rim = &o->box[o->n];
            if (inside->k[k][side] == part.k[k][side])
                continue;
            for (int j = 0; j < naxes; j++)
                memcpy(rim->k[j], j < k ? inside->k[j] : part.k[j],
                       sizeof rim->k[j]);
            rim->k[k][!side] = inside->k[k][side];
            o->n++;
        }
    return o->n > 1;
}

/* ---- runs of a box ---- */

static bool
set_box(ix_run *r, const ix_index_box *box)
{
    const ix_compiled *c = r->p->c;
    bool ok = ix_box_ranges(c, r->grid, box, r->s.size);
    if (ok)
        ix_evaluate_forms(&r->s);
    return ok;
}

/* Has every output points there? */
static bool
has_points(const ix_run *r)
{
    const ix_compiled *c = r->p->c;
    bool all = true;
    for (size_t i = 0; i < c->nboxes; i++)
        all &= r->s.size[c->box[i].from] < r->s.size[c->box[i].to];
    return all;
}

/* Is what is read of arrays whose halos are on their way the rank's own? */
static bool
reads_own(const ix_run *r)
{
    const ix_compiled *c = r->p->c;
    for (size_t i = 0; i < c->narguments; i++) {
        const ilex_storage *s = r->bound[i];
        const ix_compiled_buffer *b = &c->buffer[i];
        for (int k = 0; s && s->division && k < b->rank; k++) {
            const ix_axis_row *x = &c->tables->axis[b->first_stride + k];
            int j = r->axis[b->first_stride + k];
            int axis = s->division->axis[j];
            int64_t lo, hi;
            if (axis < 0 || !b->used)
                continue;
            ix_division_owned(s, j, r->grid->axis[axis].place, &lo, &hi);
            if (r->s.low[x->box.lo] < lo || r->s.low[x->box.hi] > hi)
                return false;
        }
    }
    return true;
}

bool
ix_overlap_find(ix_run *r, const ix_halo *stale, size_t n, ix_overlap *o)
{
    const ilex_group *g = r->grid->group;
    const ix_compiled *c = r->p->c;
    bool worth = g->waiting > 1.0 / SHARE && g->overlapped < AGAIN;
    if (!worth || c->nboxes == 0 || is_whole(r) || !list_boxes(r, stale, n, o))
        return false;
    ix_index_box part;
    bool ok = true;
    for (int i = 0; ok && i < o->n; i++)
        ok = set_box(r, &o->box[i]) && has_points(r) && (i > 0 || reads_own(r));
    ix_grid_here(r->grid, &part);
    return set_box(r, &part) && ok;
}

bool
ix_overlap_take(ix_run *r, const ix_overlap *o, int i)
{
    return set_box(r, &o->box[i]);
}
