/* SPDX-License-Identifier: MIT */
#include "runtime/halo/pieces.h"

/* ---- which points ---- */

/* The part of axis "k" at a place, without halos: widths are counted from
 * there. */
static void
take_part(const ilex_storage *s, int k, int place, int64_t *lo, int64_t *hi)
{
    const ix_division *d = s->division;
    const int64_t *whole = d->whole.k[k];
    ix_grid_cut(&d->grid->axis[d->axis[k]], place, whole[0], whole[1], lo, hi);
}

/* What of axis "k" goes along with points of axis "now" of the grid: what this
 * rank has, and the halo of axes that were before, or are whole. */
static void
take_along(const ix_halo *h, int k, int now, int64_t range[2])
{
    const ilex_storage *s = h->s;
    const ix_division *d = s->division;
    int axis = d->axis[k];
    int64_t first = d->whole.k[k][0], end = d->whole.k[k][1];
    int64_t lo = first, hi = end, from = first, to = end;
    if (axis >= 0) {
        ix_division_owned(s, k, d->grid->axis[axis].place, &lo, &hi);
        take_part(s, k, d->grid->axis[axis].place, &from, &to);
    }
    if (axis < now) {
        from -= h->width.k[k][0];
        to += h->width.k[k][1];
        bool none = lo >= hi;
        lo = none || from < lo ? from : lo;
        hi = none || to > hi ? to : hi;
    }
    if (!d->round[k]) { /* there is nothing outside of the whole */
        int64_t least = first - ix_division_outside(s, k, 0);
        int64_t most = end + ix_division_outside(s, k, 1);
        lo = lo < least ? least : lo;
        hi = hi > most ? most : hi;
    }
    range[0] = lo;
    range[1] = hi;
}

/* The points [lo, hi) of a halo, as far as they are [from, end) round the axis
 * by "shift". */
static void
take_overlap(ix_piece *p, int64_t lo, int64_t hi, int64_t from, int64_t end,
             ix_piece_fn *fn, void *user)
{
    from += p->shift;
    end += p->shift;
    p->box.k[p->k][0] = lo > from ? lo : from;
    p->box.k[p->k][1] = hi < end ? hi : end;
    bool some = true;
    for (int k = 0; k < p->halo->s->rank; k++)
        some &= p->box.k[k][0] < p->box.k[k][1];
    if (some)
        fn(user, p);
}

/* One side of a halo, on [lo, hi) of the axis. */
static void
each_of_side(ix_piece *p, const ix_grid_axis *a, int to, int from, int64_t lo,
             int64_t hi, ix_piece_fn *fn, void *user)
{
    const ilex_storage *s = p->halo->s;
    int64_t first, end,
        period = s->division->round[p->k] ? ix_grid_period(a) : 0;
    ix_division_owned(s, p->k, from, &first, &end);
    if (period == 0) {
        const int64_t *whole = s->division->whole.k[p->k];
        int64_t least = whole[0] - ix_division_outside(s, p->k, 0);
        int64_t most = whole[1] + ix_division_outside(s, p->k, 1);
        p->shift = 0;
        if (to != from)
            take_overlap(p, lo < least ? least : lo, hi > most ? most : hi,
                         first, end, fn, user);
        return;
    }
    int64_t turn = ix_floordiv(lo - a->cut[0], period),
            last = ix_floordiv(hi - 1 - a->cut[0], period);
    for (; turn <= last; turn++) {
        p->shift = turn * period;
        if (to != from || turn != 0)
            take_overlap(p, lo, hi, first, end, fn, user);
    }
}

static void
each_of_halo(const ix_halo *h, int k, int axis, int to, int from,
             ix_piece_fn *fn, void *user)
{
    const ilex_storage *s = h->s;
    const ix_grid_axis *a = &s->division->grid->axis[axis];
    ix_piece p = {.halo = h, .k = k};
    int64_t lo, hi;
    for (int j = 0; j < s->rank; j++)
        if (j != k)
            take_along(h, j, axis, p.box.k[j]);
    take_part(s, k, to, &lo, &hi);
    if (h->width.k[k][0] > 0)
        each_of_side(&p, a, to, from, lo - h->width.k[k][0], lo, fn, user);
    if (h->width.k[k][1] > 0)
        each_of_side(&p, a, to, from, hi, hi + h->width.k[k][1], fn, user);
}

void
ix_each_piece(const ix_halo *list, size_t n, int axis, int to, int from,
              ix_piece_fn *fn, void *user)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < list[i].s->rank; k++)
            if (list[i].s->division->axis[k] == axis)
                each_of_halo(&list[i], k, axis, to, from, fn, user);
}

/* ---- copying ---- */

size_t
ix_piece_bytes(const ix_piece *p)
{
    size_t bytes = ilex_dtype_bytes(p->halo->s->dtype);
    for (int k = 0; k < p->halo->s->rank; k++)
        bytes *= (size_t)(p->box.k[k][1] - p->box.k[k][0]);
    return bytes;
}

/* The points of a piece where they come from. */
static void
view_source(const ix_piece *p, ilex_storage *view)
{
    ix_index_box box = p->box;
    box.k[p->k][0] -= p->shift;
    box.k[p->k][1] -= p->shift;
    ix_division_view(p->halo->s, &box, view);
}

void
ix_piece_pack(const ix_piece *p, char *to)
{
    ilex_storage from, packed;
    view_source(p, &from);
    ix_division_pack(&from, to, &packed);
    ix_storage_move(&packed, &from);
}

void
ix_piece_unpack(const ix_piece *p, char *from)
{
    ilex_storage to, packed;
    ix_division_view(p->halo->s, &p->box, &to);
    ix_division_pack(&to, from, &packed);
    ix_storage_move(&to, &packed);
}

void
ix_piece_move(const ix_piece *p)
{
    ilex_storage to, from;
    view_source(p, &from);
    ix_division_view(p->halo->s, &p->box, &to);
    ix_storage_move(&to, &from);
}
