/* SPDX-License-Identifier: MIT
 *
 * The part of the outputs that a run computes: the box of its call, cut to
 * their ranges, as the sizes that the compiled program calls "from" and "to".
 */
#include "runtime/program/program.h"

/* What the call says of each axis. */
typedef struct box {
    int n;
    ix_part part[ILEX_MAX_RANK];
} box;

static const ix_part *
find_part(const box *b, const char *axis)
{
    for (int i = 0; i < b->n; i++)
        if (!strcmp(b->part[i].axis, axis))
            return &b->part[i];
    return NULL;
}

/* What outputs call the axis that a box names; NULL: none has it. */
static const char *
axis_of(const ix_compiled *c, const char *name)
{
    const char *partner = NULL;
    for (size_t i = 0; i < c->nboxes; i++) {
        const char *axis = c->box[i].axis;
        if (!strcmp(axis, name))
            return axis;
        if (ix_axis_is_partner(name, axis))
            partner = axis;
    }
    return partner;
}

static ilex_status
read_box(ix_run *r, const char *text, box *b)
{
    const ix_compiled *c = r->p->c;
    if (c->nboxes == 0)
        return ix_fail(r->err, ILEX_E_ARGUMENT,
                       "%s: box '%.80s': the program computes all of its "
                       "outputs; compile it with option box=1, and give them "
                       "named axes",
                       c->name, text);
    for (const char *p = text + strspn(text, " \t"); *p;) {
        ix_part part;
        p = ix_part_next(p, &part);
        if (!p || b->n == ILEX_MAX_RANK)
            return ix_fail(r->err, ILEX_E_SYNTAX,
                           "%s: box '%.80s': expected ranges and indices of "
                           "named axes, for example \"I=2:10, K=3\"",
                           c->name, text);
        const char *axis = axis_of(c, part.axis);
        if (!axis)
            return ix_fail(r->err, ILEX_E_AXIS,
                           "%s: box '%.80s': no output has an axis called %s",
                           c->name, text, part.axis);
        memcpy(part.axis, axis, strlen(axis) + 1);
        if (find_part(b, part.axis))
            return ix_fail(r->err, ILEX_E_DUPLICATE,
                           "%s: box '%.80s': the axis %s occurs twice", c->name,
                           text, part.axis);
        b->part[b->n++] = part;
    }
    return ILEX_OK;
}

static int64_t
clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* The sizes of a range [lo, hi) of which "part" (NULL: all) is asked for. */
static void
cut(const ix_compiled_box *b, const ix_part *part, int64_t lo, int64_t hi,
    int64_t *size)
{
    int64_t from = lo, to = hi < lo ? lo : hi;
    if (part && part->has_lo)
        from = clamp(part->lo, lo, to);
    if (part && !part->range) /* one index */
        to = part->lo < lo || part->lo >= to ? from : from + 1;
    else if (part && part->has_hi)
        to = clamp(part->hi, from, to);
    size[b->from] = from - lo;
    size[b->to] = to - lo;
}

/* Where a run is over ranks, of that the indices of "part", an entry for each
 * divided axis. */
static void
cut_to_part(const ilex_grid *grid, const ix_index_box *part,
            const ix_compiled_box *b, int64_t lo, int64_t *size)
{
    int axis = grid ? ix_grid_find(grid, b->axis) : -1;
    if (axis < 0)
        return;
    const int64_t *range = part->k[axis];
    int64_t from = lo + size[b->from], to = lo + size[b->to];
    size[b->from] = clamp(range[0], from, to) - lo;
    size[b->to] = clamp(range[1], lo + size[b->from], to) - lo;
}

static bool
set_sizes(const ix_compiled *c, const box *asked, const ilex_grid *grid,
          const ix_index_box *part, int64_t *size)
{
    for (size_t i = 0; i < c->nboxes; i++) {
        const ix_compiled_box *b = &c->box[i];
        int64_t lo, hi;
        if (!ix_lin_eval(b->range.lo, size, &lo) ||
            !ix_lin_eval(b->range.hi, size, &hi))
            return false;
        cut(b, find_part(asked, b->axis), lo, hi, size);
        cut_to_part(grid, part, b, lo, size);
    }
    return ix_derive_sizes(c->tables, size) < 0;
}

bool
ix_box_whole(const ix_compiled *c, int64_t *size)
{
    return set_sizes(c, &(box){.n = 0}, NULL, NULL, size);
}

bool
ix_box_ranges(const ix_compiled *c, const ilex_grid *grid,
              const ix_index_box *part, int64_t *size)
{
    return set_sizes(c, &(box){.n = 0}, grid, part, size);
}

ilex_status
ix_bind_box(ix_run *r)
{
    const ix_compiled *c = r->p->c;
    const char *text = r->call ? r->call->box : NULL;
    if (!text && c->nboxes == 0)
        return ILEX_OK;
    box b = {.n = 0};
    ilex_status rc = text ? read_box(r, text, &b) : ILEX_OK;
    ix_index_box part;
    if (r->grid)
        ix_grid_here(r->grid, &part);
    if (!rc && (!set_sizes(c, &b, r->grid, &part, r->s.size) ||
                !set_sizes(c, &b, r->grid, &part, r->s.least)))
        return ix_fail(r->err, ILEX_E_OVERFLOW,
                       "%s: with these sizes a range leaves 64 bits", c->name);
    ix_evaluate_forms(&r->s);
    return rc;
}
