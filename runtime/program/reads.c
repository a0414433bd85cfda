/* SPDX-License-Identifier: MIT
 *
 * How far ranks read around their parts of an argument. A program for parts of
 * outputs says what it reads by the sizes of the parts: those of each rank are
 * known, so all know how far the one that reads farthest does, and take that
 * for all.
 */
#include "runtime/program/program.h"

/* Are there points of all outputs' ranges of a divided axis? */
static bool
has_all(const ix_reading *x, int axis)
{
    const ix_compiled *c = x->c;
    for (size_t i = 0; i < c->nboxes; i++)
        if (ix_grid_find(x->grid, c->box[i].axis) == axis &&
            x->work[c->box[i].from] >= x->work[c->box[i].to])
            return false;
    return true;
}

static ilex_status
overflow(const ix_reading *x, ix_error *err)
{
    return ix_fail(err, ILEX_E_OVERFLOW,
                   "%s: with these sizes a range leaves 64 bits", x->c->name);
}

/* The sizes for the rank at "place" of axis "axis" (-1: none), and where this
 * one is of others. */
static bool
sizes_at(const ix_reading *x, int axis, int place)
{
    ix_index_box part;
    for (int k = 0; k < x->grid->naxes; k++)
        ix_grid_range(&x->grid->axis[k],
                      k == axis ? place : x->grid->axis[k].place, part.k[k]);
    memcpy(x->work, x->size, (size_t)x->c->nsizes * sizeof *x->work);
    return ix_box_ranges(x->c, x->grid, &part, x->work);
}

/* Widens to what that rank reads of axis "k" of an argument. */
static bool
widen(const ix_reading *x, const ix_compiled_buffer *b, int k, int axis,
      int place, const int64_t whole[2], int64_t width[2])
{
    const ix_tables *t = x->c->tables;
    const ix_axis_row *row = &t->axis[b->first_stride + k];
    int64_t lo, hi, from = whole[0], to = whole[1];
    if (axis >= 0)
        ix_grid_cut(&x->grid->axis[axis], place, from, to, &from, &to);
    if (!ix_form_value(t, x->work, row->box.lo, &lo) ||
        !ix_form_value(t, x->work, row->box.hi, &hi))
        return false;
    width[0] = from - lo > width[0] ? from - lo : width[0];
    width[1] = hi - to > width[1] ? hi - to : width[1];
    return true;
}

/* Along one axis of the argument; "all": of ranks that have points of all
 * outputs, "*some" if there are any. */
static ilex_status
widen_axis(const ix_reading *x, const ix_compiled_buffer *b, int k, bool all,
           const int64_t whole[2], int64_t width[2], bool *some, ix_error *err)
{
    int axis = *b->axis[k] ? ix_grid_find(x->grid, b->axis[k]) : -1;
    int ranks = axis < 0 ? 1 : x->grid->axis[axis].ranks;
    for (int place = 0; place < ranks; place++) {
        if (!sizes_at(x, axis, place))
            return overflow(x, err);
        if (all && axis >= 0 && !has_all(x, axis))
            continue;
        *some = true;
        if (!widen(x, b, k, axis, place, whole, width))
            return overflow(x, err);
    }
    return ILEX_OK;
}

static ilex_status
find_widths(const ix_reading *x, size_t i, const ix_index_box *whole,
            ix_index_box *width, ix_error *err)
{
    const ix_compiled_buffer *b = &x->c->buffer[i];
    ilex_status rc = ILEX_OK;
    memset(width, 0, sizeof *width);
    for (int k = 0; !rc && k < b->rank; k++) {
        bool some = false;
        if (!*b->axis[k])
            continue;
        rc = widen_axis(x, b, k, true, whole->k[k], width->k[k], &some, err);
        if (!rc && !some)
            rc = widen_axis(x, b, k, false, whole->k[k], width->k[k], &some,
                            err);
    }
    return rc;
}

ilex_status
ix_reading_widths(const ix_reading *x, size_t i, const ix_index_box *whole,
                  ix_index_box *width, ix_error *err)
{
    size_t bytes = (size_t)x->c->buffer[i].rank * sizeof whole->k[0];
    uint64_t key[2];
    for (int half = 0; half < 2; half++)
        key[half] = ix_hash_bytes(ix_mix(x->meaning[half], i), whole->k, bytes);
    ix_grid_width *known = &x->grid->widths[key[0] % IX_GRID_WIDTHS];
    if (known->key[0] == key[0] && known->key[1] == key[1]) {
        memcpy(width->k, known->width, bytes);
        return ILEX_OK;
    }
    ilex_status rc = find_widths(x, i, whole, width, err);
    if (!rc) {
        memcpy(known->key, key, sizeof key);
        memcpy(known->width, width->k, bytes);
    }
    return rc;
}

void
ix_reading_meaning(const ilex_program *whole, const ilex_program *part,
                   const int64_t *size, uint64_t meaning[2])
{
    const ix_compiled *c = part->c;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t h = ix_hash_bytes(half, ix_layouts_hash(whole), 16);
        for (size_t i = 0; i < c->nsizes; i++)
            if (ix_compiled_size_is_given(&c->size[i]))
                h = ix_mix(h, (uint64_t)size[i]);
        meaning[half] = h;
    }
}
