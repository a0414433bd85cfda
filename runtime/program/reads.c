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

/* ---- which outputs have points ---- */

/* Has an output no points along a divided axis? */
static bool
is_empty(const ix_compiled *c, const ilex_grid *grid,
         const ix_compiled_buffer *b, const int64_t *size)
{
    const ix_tables *t = c->tables;
    for (int k = 0; k < b->rank; k++) {
        const ix_axis_row *row = &t->axis[b->first_stride + k];
        int64_t lo, hi;
        if (ix_grid_find(grid, b->axis[k]) >= 0 &&
            ix_form_value(t, size, row->box.lo, &lo) &&
            ix_form_value(t, size, row->box.hi, &hi) && hi <= lo)
            return true;
    }
    return false;
}

ix_empty
ix_reading_empty(const ix_compiled *c, const ilex_grid *grid,
                 const int64_t *size)
{
    ix_empty e = {.all = true};
    size_t n = 0;
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        if (b->role != IX_COMPILED_OUTPUT)
            continue;
        bool empty = is_empty(c, grid, b, size);
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

/* Where something is read: argument "i" by the rank that has "part". */
typedef struct spot {
    size_t i;
    const ix_index_box *whole;
    int place[ILEX_MAX_RANK]; /* of each axis of the grid */
    ix_index_box part;
} spot;

/* Widens to what a program reads there, of its argument "i". */
static bool
widen(const ix_reading *x, const spot *at, const ix_compiled *c,
      const int64_t *size, size_t i, ix_index_box *width)
{
    const ix_tables *t = c->tables;
    const ix_compiled_buffer *b = &c->buffer[i];
    for (int k = 0; b->used && k < b->rank; k++) {
        const ix_axis_row *row = &t->axis[b->first_stride + k];
        int axis = *b->axis[k] ? ix_grid_find(x->grid, b->axis[k]) : -1;
        int64_t lo, hi, from = at->whole->k[k][0], to = at->whole->k[k][1];
        int64_t *w = width->k[k];
        if (!*b->axis[k])
            continue;
        if (axis >= 0)
            ix_grid_cut(&x->grid->axis[axis], at->place[axis], from, to, &from,
                        &to);
        if (!ix_form_value(t, size, row->box.lo, &lo) ||
            !ix_form_value(t, size, row->box.hi, &hi))
            return false;
        w[0] = from - lo > w[0] ? from - lo : w[0];
        w[1] = hi - to > w[1] ? hi - to : w[1];
    }
    return true;
}

/* The same by the program without some outputs. */
static ilex_status
widen_without(const ix_reading *x, const spot *at, uint64_t without,
              ix_index_box *width, ix_error *err)
{
    const ilex_program *p = x->without(x->parts, without, err);
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
              ix_box_ranges(c, x->grid, &at->part, size) &&
              (same == c->narguments || widen(x, at, c, size, same, width));
    ix_mem_free(&p->mem, size);
    return ok ? ILEX_OK : overflow(x, err);
}

/* What one rank reads. */
static ilex_status
widen_at(const ix_reading *x, const spot *at, ix_index_box *width,
         ix_error *err)
{
    memcpy(x->work, x->size, (size_t)x->c->nsizes * sizeof *x->work);
    if (!ix_box_ranges(x->c, x->grid, &at->part, x->work))
        return overflow(x, err);
    ix_empty e = ix_reading_empty(x->c, x->grid, x->work);
    if (e.all)
        return ILEX_OK;
    if (e.outputs)
        return widen_without(x, at, e.outputs, width, err);
    return widen(x, at, x->c, x->work, at->i, width) ? ILEX_OK
                                                     : overflow(x, err);
}

/* The next rank's place; false: there is none. */
static bool
go_on(const ilex_grid *g, spot *at)
{
    int k = g->naxes - 1;
    while (k >= 0 && (g->axis[k].of >= 0 || ++at->place[k] == g->axis[k].ranks))
        at->place[k--] = 0;
    return k >= 0;
}

static void
set_part(const ilex_grid *g, spot *at)
{
    for (int k = 0; k < g->naxes; k++) {
        int of = g->axis[k].of;
        at->place[k] = of < 0 ? at->place[k] : at->place[of];
        ix_grid_range(&g->axis[k], at->place[k], at->part.k[k]);
    }
}

static ilex_status
find_widths(const ix_reading *x, size_t i, const ix_index_box *whole,
            ix_index_box *width, ix_error *err)
{
    const ilex_grid *g = x->grid;
    spot at = {.i = i, .whole = whole};
    ilex_status rc = ILEX_OK;
    memset(width, 0, sizeof *width);
    do {
        set_part(g, &at);
        rc = widen_at(x, &at, width, err);
    } while (!rc && go_on(g, &at));
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

ilex_status
ix_reading_halo(const ix_reading *x, size_t i, ix_index_box *width,
                ix_error *err)
{
    const ix_compiled_buffer *b = &x->c->buffer[i];
    ix_index_box whole;
    for (int k = 0; k < b->rank; k++)
        if (!ix_range_eval(&b->interior[k], x->size, &whole.k[k][0],
                           &whole.k[k][1]))
            return overflow(x, err);
    return ix_reading_widths(x, i, &whole, width, err);
}

bool
ix_reading_is_far(const ix_reading *x, size_t i, const ix_index_box *width)
{
    const ix_compiled_buffer *b = &x->c->buffer[i];
    bool far = false;
    for (int k = 0; k < b->rank; k++) {
        int axis = ix_grid_find(x->grid, b->axis[k]);
        int64_t lo = 0, hi = 0;
        ix_range_eval(&b->interior[k], x->size, &lo, &hi);
        far |= axis >= 0 && x->grid->axis[axis].ranks > 1 &&
               width->k[k][0] + width->k[k][1] >
                   (hi - lo) / x->grid->axis[axis].ranks;
    }
    return far;
}

void
ix_reading_begin(ix_reading *x)
{
    const ix_compiled *c = x->c;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t h = ix_hash_bytes(ix_mix(half, x->grid->hash), x->hash, 16);
        for (size_t i = 0; i < c->nsizes; i++)
            if (ix_compiled_size_is_given(&c->size[i]) &&
                !ix_is_sent_step(c->size[i].name)) /* all steps read alike */
                h = ix_mix(h, (uint64_t)x->size[i]);
        x->meaning[half] = h;
    }
}
