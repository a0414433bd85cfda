/* SPDX-License-Identifier: MIT */
#include "runtime/program/forecast.h"

/* ---- which program ---- */

/* How far arguments of each section are read; is it farther than a part is
 * long, on the average? */
static ilex_status
find_widths(ix_outlook *o, bool *far, ix_error *err)
{
    const ix_sections *s = &o->s;
    ilex_status rc = ILEX_OK;
    *far = false;
    for (size_t k = 0; !rc && k < s->n; k++) {
        const ix_compiled *c = s->program[k]->c;
        o->width[k] = ix_mem_new(&ix_mem_default,
                                 (c->narguments + 1) * sizeof *o->width[k]);
        rc = o->width[k] ? ILEX_OK : ix_fail_memory(err);
        for (size_t i = 0; !rc && i < c->narguments; i++) {
            const ix_compiled_buffer *b = &c->buffer[i];
            if (b->role == IX_COMPILED_OUTPUT || !b->used)
                continue;
            rc = ix_reading_halo(&s->reads[k], i, &o->width[k][i], err);
            *far |= !rc && ix_reading_is_far(&s->reads[k], i, &o->width[k][i]);
        }
    }
    return rc;
}

static void
forget_widths(ix_outlook *o)
{
    for (size_t k = 0; k < o->s.n; k++) {
        ix_mem_free(&ix_mem_default, o->width[k]);
        o->width[k] = NULL;
    }
}

/* The program in one, or, where that reads too far, in sections. */
static ilex_status
choose(ix_outlook *o, const ilex_program *p, ilex_grid *grid,
       const ilex_size_binding *sizes, size_t count, ix_error *err)
{
    bool far = false;
    for (int in_one = 1; in_one >= 0; in_one--) {
        ilex_status rc =
            ix_ranks_open(&o->s, p, grid, in_one, sizes, count, err);
        o->grid = o->s.grid;
        rc = rc ? rc : find_widths(o, &far, err);
        if (rc || o->s.list || !far)
            return rc;
        forget_widths(o);
        ix_sections_end(&o->s, &p->mem);
        o->s = (ix_sections){.n = 0};
    }
    return ILEX_OK;
}

/* ---- points ---- */

/* Points of kernels; of those of which one runs in another's place, the first
 * one's. */
static bool
count_points(const ix_compiled *c, const int64_t *size, int64_t *points)
{
    for (size_t i = 0; i < c->nkernels; i++) {
        const ix_compiled_kernel *k = &c->kernel[i];
        int64_t n = 1, lo, hi;
        if (i > 0 && c->kernel[i - 1].condition)
            continue;
        for (int a = 0; a < k->rank; a++)
            if (!ix_range_eval(&k->box[a], size, &lo, &hi) ||
                !ix_mul(n, hi > lo ? hi - lo : 0, &n))
                return false;
        if (!ix_add(*points, n, points))
            return false;
    }
    return true;
}

static bool
count_bytes(const ix_compiled *c, const int64_t *size, int64_t *bytes)
{
    for (size_t i = 0; i < c->narguments; i++) {
        const ix_compiled_buffer *b = &c->buffer[i];
        int64_t n = (int64_t)ilex_dtype_bytes(b->dtype), lo, hi;
        for (int a = 0; a < b->rank; a++)
            if (!ix_range_eval(&b->interior[a], size, &lo, &hi) ||
                !ix_mul(n, hi > lo ? hi - lo : 0, &n))
                return false;
        if (!ix_is_sent(b->name) && !ix_add(*bytes, n, bytes))
            return false;
    }
    return true;
}

/* ---- messages ---- */

/* Along an axis of the grid, what rank "place" gets of an argument: notes from
 * whom, counts bytes. What came along axes before comes along. */
typedef struct face {
    const ix_outlook *o;
    const ix_compiled_buffer *b;
    const int64_t *size;
    const ix_index_box *width;
    const int *place;
    int64_t *messages;
} face;

/* An axis of an argument: the indices that the rank has, all that there are,
 * with the halo that is read outside of it, which belongs to the ends, if the
 * array has one. */
typedef struct span {
    int64_t lo, hi, first, end, outside[2];
    bool begins, ends; /* it is the first, the last part */
} span;

static bool
find_span(const face *f, int a, int axis, span *x)
{
    const int64_t *w = f->width->k[a];
    if (!ix_range_eval(&f->b->interior[a], f->size, &x->first, &x->end))
        return false;
    x->lo = x->first;
    x->hi = x->end;
    x->begins = x->ends = axis < 0;
    if (axis >= 0) {
        const ix_grid_axis *g = &f->o->grid->axis[axis];
        ix_grid_cut(g, f->place[axis], x->first, x->end, &x->lo, &x->hi);
        x->begins = f->place[axis] == 0;
        x->ends = f->place[axis] == g->ranks - 1;
    }
    for (int side = 0; side < 2; side++)
        x->outside[side] = ix_is_sent(f->b->name) ? 0 : w[side];
    x->first -= x->outside[0];
    x->end += x->outside[1];
    return true;
}

/* Counts who has points of [lo, hi) along a divided axis, which are beside
 * those of this place: from there on "step" by step, until these are passed. */
static void
count_sources(const face *f, int axis, const span *x, int64_t lo, int64_t hi,
              int step)
{
    const ix_grid_axis *g = &f->o->grid->axis[axis];
    bool passed = false;
    for (int p = f->place[axis] + step; !passed && 0 <= p && p < g->ranks;
         p += step) {
        int64_t from, to, *last = &f->o->from[p + 1];
        ix_grid_cut(g, p, x->first + x->outside[0], x->end - x->outside[1],
                    &from, &to);
        from -= p == 0 ? x->outside[0] : 0;
        to += p == g->ranks - 1 ? x->outside[1] : 0;
        if (from < to && from < hi && to > lo && *last != f->o->from[0]) {
            *last = f->o->from[0];
            ++*f->messages;
        }
        passed = step < 0 ? from <= lo : to >= hi;
    }
}

/* Points of both sides of the halo along axis "a". */
static int64_t
halo_points(const face *f, int a, int axis, const span *x)
{
    const int64_t *w = f->width->k[a];
    int64_t n = 0;
    if (!x->begins && w[0] > 0) {
        int64_t lo = x->lo - w[0] < x->first ? x->first : x->lo - w[0];
        count_sources(f, axis, x, lo, x->lo, -1);
        n += x->lo - lo;
    }
    if (!x->ends && w[1] > 0) {
        int64_t hi = x->hi + w[1] > x->end ? x->end : x->hi + w[1];
        count_sources(f, axis, x, x->hi, hi, 1);
        n += hi - x->hi;
    }
    return n;
}

static bool
count_face(const face *f, int axis, int64_t *bytes)
{
    int64_t n = (int64_t)ilex_dtype_bytes(f->b->dtype);
    int along = -1;
    span x, here = {.lo = 0};
    for (int a = 0; a < f->b->rank; a++) {
        int at = *f->b->axis[a] ? ix_grid_find(f->o->grid, f->b->axis[a]) : -1;
        const int64_t *w = f->width->k[a];
        if (!find_span(f, a, at, &x))
            return false;
        if (at == axis) {
            along = a;
            here = x;
            continue;
        }
        int64_t lo = x.lo - (at < axis ? w[0] : x.begins ? x.outside[0] : 0);
        int64_t hi = x.hi + (at < axis ? w[1] : x.ends ? x.outside[1] : 0);
        lo = lo < x.first ? x.first : lo;
        hi = hi > x.end ? x.end : hi;
        int64_t m = hi - lo;
        if (!ix_mul(n, m > 0 ? m : 0, &n))
            return false;
    }
    if (along < 0 || n == 0)
        return true;
    return ix_mul(n, halo_points(f, along, axis, &here), &n) &&
           ix_add(*bytes, n, bytes);
}

static bool
count_messages(const ix_outlook *o, size_t k, const int *place, ix_forecast *f)
{
    const ix_compiled *c = o->s.program[k]->c;
    for (int axis = 0; axis < o->grid->naxes; axis++) {
        o->from[0]++; /* nobody has sent along this axis yet */
        for (size_t i = 0; i < c->narguments; i++) {
            face at = {.o = o,
                       .b = &c->buffer[i],
                       .size = o->s.size[k],
                       .width = &o->width[k][i],
                       .place = place,
                       .messages = &f->messages};
            if (at.b->role != IX_COMPILED_OUTPUT && at.b->used &&
                !ix_is_listed(at.b->name) && !count_face(&at, axis, &f->bytes))
                return false;
        }
    }
    return true;
}

/* ---- ranks ---- */

/* Places of a rank along all axes, and its indices. */
static void
find_part(const ilex_grid *g, int rank, int *place, ix_index_box *part)
{
    for (int k = 0; k < g->naxes; k++) {
        place[k] = rank / g->axis[k].step % g->axis[k].ranks;
        ix_grid_range(&g->axis[k], place[k], part->k[k]);
    }
}

bool
ix_outlook_rank(const ix_outlook *o, int rank, ix_forecast *f)
{
    int place[ILEX_MAX_RANK];
    ix_index_box part;
    *f = (ix_forecast){.points = 0};
    find_part(o->grid, rank, place, &part);
    for (size_t k = 0; k < o->s.n; k++) {
        const ix_compiled *c = o->s.program[k]->c;
        memcpy(o->work, o->s.size[k], c->nsizes * sizeof *o->work);
        if (!ix_box_ranges(c, o->grid, &part, o->work) ||
            !count_messages(o, k, place, f))
            return false;
        if (!ix_reading_empty(c, o->grid, o->work).all &&
            !count_points(c, o->work, &f->points))
            return false;
    }
    return true;
}

/* Room to work with, and what a run in one process does. */
static ilex_status
prepare(ix_outlook *o, const ilex_program *p, const ilex_size_binding *sizes,
        size_t count, ix_error *err)
{
    size_t words = 1, ranks = 1;
    for (size_t k = 0; k < o->s.n; k++)
        words = o->s.program[k]->c->nsizes > words ? o->s.program[k]->c->nsizes
                                                   : words;
    for (int k = 0; k < o->grid->naxes; k++)
        ranks = (size_t)o->grid->axis[k].ranks > ranks
                    ? (size_t)o->grid->axis[k].ranks
                    : ranks;
    o->work = ix_mem_new(&ix_mem_default, words * sizeof *o->work);
    o->from = ix_mem_new(&ix_mem_default, (ranks + 1) * sizeof *o->from);
    int64_t *size = ix_program_sizes(p, sizes, count);
    bool room = o->work && o->from && size;
    bool fits = room && count_points(p->c, size, &o->points) &&
                count_bytes(p->c, size, &o->bytes);
    ix_mem_free(&p->mem, size);
    return !room  ? ix_fail_memory(err)
           : fits ? ILEX_OK
                  : ix_fail(err, ILEX_E_OVERFLOW,
                            "%s: with these sizes a range leaves 64 bits",
                            p->c->name);
}

ilex_status
ix_outlook_open(ix_outlook *o, const ilex_program *p, ilex_grid *grid,
                const ilex_size_binding *sizes, size_t count, ix_error *err)
{
    *o = (ix_outlook){.points = 0};
    ilex_status rc = choose(o, p, grid, sizes, count, err);
    return rc ? rc : prepare(o, p, sizes, count, err);
}

void
ix_outlook_close(ix_outlook *o)
{
    forget_widths(o);
    ix_sections_end(&o->s, &ix_mem_default);
    ix_mem_free(&ix_mem_default, o->work);
    ix_mem_free(&ix_mem_default, o->from);
}
