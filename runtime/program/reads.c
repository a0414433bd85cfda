/* SPDX-License-Identifier: MIT
 *
 * How far ranks read around their parts of an argument. A program for parts of
 * outputs says what it reads by the sizes of the parts: those of each rank are
 * known, so all know how far the one that reads farthest does, and take that
 * for all.
 */
#include "runtime/program/program.h"

int64_t
ix_reading_size(const ix_compiled *c, const int64_t *size, const char *name)
{
    for (size_t i = 0; i < c->nsizes; i++)
        if (ix_compiled_size_is_given(&c->size[i]) &&
            !strcmp(c->size[i].name, name))
            return size[i];
    return -1;
}

static ilex_status
overflow(const ix_reading *x, ix_error *err)
{
    return ix_fail(err, ILEX_E_OVERFLOW,
                   "%s: with these sizes a range leaves 64 bits", x->c->name);
}

/* The sizes "size" of a program for the rank at "place" of axis "axis" (-1:
 * none), and where this one is of others. */
static bool
set_place(const ix_reading *x, const ix_compiled *c, int axis, int place,
          int64_t *size)
{
    ix_index_box part;
    ix_grid_here(x->grid, &part);
    if (axis >= 0)
        ix_grid_range(&x->grid->axis[axis], place, part.k[axis]);
    return ix_box_ranges(c, x->grid, &part, size);
}

/* ---- which outputs have points ---- */

/* Has an output no points along axis "axis" of the grid, -1: along any? */
static bool
is_empty(const ix_compiled *c, const ilex_grid *grid,
         const ix_compiled_buffer *b, int axis, const int64_t *size)
{
    const ix_tables *t = c->tables;
    for (int k = 0; k < b->rank; k++) {
        const ix_axis_row *row = &t->axis[b->first_stride + k];
        int at = ix_grid_find(grid, b->axis[k]);
        int64_t lo, hi;
        if ((axis < 0 ? at >= 0 : at == axis) &&
            ix_form_value(t, size, row->box.lo, &lo) &&
            ix_form_value(t, size, row->box.hi, &hi) && hi <= lo)
            return true;
    }
    return false;
}

ix_empty
ix_reading_empty(const ix_compiled *c, const ilex_grid *grid, int axis,
                 const int64_t *size)
{
    ix_empty e = {.all = true};
    size_t n = 0;
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role != IX_COMPILED_OUTPUT)
            continue;
        bool empty = is_empty(c, grid, b, axis, size);
        e.all &= empty;
        if (empty && n < 64)
            e.outputs |= (uint64_t)1 << n;
        else if (empty)
            e.beyond = b;
        n++;
    }
    return e;
}

/* ---- how far it is read ---- */

/* Where something is read: axis "k" of argument "i", by the rank at "place" of
 * axis "axis" of the grid. */
typedef struct spot {
    size_t i;
    int k, axis, place;
    const int64_t *whole;
} spot;

/* Widens to what a program reads there, of its argument "i". */
static bool
widen(const ix_reading *x, const spot *at, const ix_compiled *c,
      const int64_t *size, size_t i, int64_t width[2])
{
    const ix_tables *t = c->tables;
    const ix_compiled_buffer *b = &c->buffer[i];
    const ix_axis_row *row = &t->axis[b->first_stride + at->k];
    int64_t lo, hi, from = at->whole[0], to = at->whole[1];
    if (!b->used)
        return true;
    if (at->axis >= 0)
        ix_grid_cut(&x->grid->axis[at->axis], at->place, from, to, &from, &to);
    if (!ix_form_value(t, size, row->box.lo, &lo) ||
        !ix_form_value(t, size, row->box.hi, &hi))
        return false;
    width[0] = from - lo > width[0] ? from - lo : width[0];
    width[1] = hi - to > width[1] ? hi - to : width[1];
    return true;
}

/* The same by the program without some outputs. */
static ilex_status
widen_without(const ix_reading *x, const spot *at, uint64_t without,
              int64_t width[2], ix_error *err)
{
    const ilex_program *p = x->without(x->whole, without, err);
    if (!p)
        return err ? err->code : ILEX_E_UNSUPPORTED;
    const ix_compiled *c = p->c;
    int64_t *size = ix_mem_new(&p->mem, (c->nsizes + 1) * sizeof *size);
    if (!size)
        return ix_fail_memory(err);
    for (size_t s = 0; s < c->nsizes; s++)
        if (ix_compiled_size_is_given(&c->size[s]))
            size[s] = ix_reading_size(x->c, x->size, c->size[s].name);
    size_t same = 0;
    while (same < c->narguments &&
           strcmp(c->buffer[same].name, x->c->buffer[at->i].name) != 0)
        same++;
    bool ok = ix_derive_sizes(c->tables, size) < 0 &&
              set_place(x, c, at->axis, at->place, size) &&
              (same == c->narguments || widen(x, at, c, size, same, width));
    ix_mem_free(&p->mem, size);
    return ok ? ILEX_OK : overflow(x, err);
}

/* What one rank reads. */
static ilex_status
widen_at(const ix_reading *x, const spot *at, int64_t width[2], ix_error *err)
{
    ix_empty e = {.outputs = 0};
    memcpy(x->work, x->size, (size_t)x->c->nsizes * sizeof *x->work);
    if (!set_place(x, x->c, at->axis, at->place, x->work))
        return overflow(x, err);
    if (at->axis >= 0)
        e = ix_reading_empty(x->c, x->grid, at->axis, x->work);
    if (e.all)
        return ILEX_OK;
    if (e.outputs)
        return widen_without(x, at, e.outputs, width, err);
    return widen(x, at, x->c, x->work, at->i, width) ? ILEX_OK
                                                     : overflow(x, err);
}

static ilex_status
find_widths(const ix_reading *x, size_t i, const ix_index_box *whole,
            ix_index_box *width, ix_error *err)
{
    const ix_compiled_buffer *b = &x->c->buffer[i];
    ilex_status rc = ILEX_OK;
    memset(width, 0, sizeof *width);
    for (int k = 0; !rc && k < b->rank; k++) {
        if (!*b->axis[k])
            continue;
        int axis = ix_grid_find(x->grid, b->axis[k]);
        spot at = {.i = i, .k = k, .axis = axis, .whole = whole->k[k]};
        int ranks = axis < 0 ? 1 : x->grid->axis[axis].ranks;
        for (; !rc && at.place < ranks; at.place++)
            rc = widen_at(x, &at, width->k[k], err);
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
        *width = known->width;
        return ILEX_OK;
    }
    ilex_status rc = find_widths(x, i, whole, width, err);
    if (!rc) {
        memcpy(known->key, key, sizeof key);
        known->width = *width;
    }
    return rc;
}

void
ix_reading_begin(ix_reading *x)
{
    const ix_compiled *c = x->c;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t h = ix_hash_bytes(half, x->hash, 16);
        for (size_t i = 0; i < c->nsizes; i++)
            if (ix_compiled_size_is_given(&c->size[i]))
                h = ix_mix(h, (uint64_t)x->size[i]);
        x->meaning[half] = h;
    }
}
