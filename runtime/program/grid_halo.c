/* SPDX-License-Identifier: MIT
 *
 * How wide halos have to be on a grid, asked by name.
 */
#include "runtime/program/program.h"

/* Is an argument of the program in one read farther than a part? */
static bool
reads_far(const ix_sections *s)
{
    const ix_compiled *c = s->program[0]->c;
    ix_index_box width;
    ix_error own;
    bool far = false;
    ix_error_clear(&own);
    for (size_t i = 0; !far && i < c->narguments; i++)
        if (c->buffer[i].role != IX_COMPILED_OUTPUT && c->buffer[i].used)
            far = ix_reading_halo(&s->reads[0], i, &width, &own) ||
                  ix_reading_is_far(&s->reads[0], i, &width);
    return far;
}

/* The widths for the program in one, or, where that is far, for sections. */
static ilex_status
find_halo(const ilex_program *p, ilex_grid *grid, const char *name,
          const ilex_size_binding *sizes, size_t count, int64_t *halo,
          ix_error *err)
{
    ix_sections s = {.n = 0};
    ix_index_box width;
    ilex_status rc = ix_ranks_open(&s, p, grid, true, sizes, count, err);
    size_t i = ix_find_argument(p->c, name);
    size_t rank = (size_t)p->c->buffer[i].rank;
    rc = rc ? rc : ix_sections_halo(&s, name, &width, err);
    if (!rc && !s.list && reads_far(&s)) {
        ix_sections_end(&s, &p->mem);
        s = (ix_sections){.n = 0};
        rc = ix_ranks_open(&s, p, grid, false, sizes, count, err);
        rc = rc ? rc : ix_sections_halo(&s, name, &width, err);
    }
    if (!rc)
        memcpy(halo, width.k, 2 * rank * sizeof *halo);
    ix_sections_end(&s, &p->mem);
    return rc;
}

ilex_status
ilex_grid_halo(ilex_context *ctx, ilex_grid *grid, const ilex_program *p,
               const char *name, const ilex_size_binding *sizes, size_t count,
               int64_t *halo)
{
    ix_error own, *err = ctx ? ix_storage_error(ctx) : &own;
    ix_error_clear(&own);
    if (!grid || !p || !name || !halo)
        return ix_fail(err, ILEX_E_ARGUMENT, "halo: the %s is NULL",
                       !grid   ? "grid"
                       : !p    ? "program"
                       : !name ? "name"
                               : "result");
    if (ix_find_argument(p->c, name) == p->c->narguments)
        return ix_fail(err, ILEX_E_BINDING, "%s: there is no argument '%.80s'",
                       p->c->name, name);
    return find_halo(p, grid, name, sizes, count, halo, err);
}
