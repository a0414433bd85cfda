/* SPDX-License-Identifier: MIT
 *
 * How wide halos have to be on a grid, asked by name.
 */
#include "runtime/program/program.h"

/* The widths for given sizes, which are "size" with room behind them. */
static ilex_status
halo_of(const ilex_program *p, const ilex_program *part, ilex_grid *grid,
        size_t i, int64_t *size, int64_t *halo, ix_error *err)
{
    const ix_compiled *c = part->c;
    const ix_compiled_buffer *b = &c->buffer[i];
    ix_reading reads = {.whole = p,
                        .hash = ix_layouts_hash(p),
                        .without = ix_layouts_parts,
                        .c = c,
                        .grid = grid,
                        .size = size,
                        .work = size + c->nsizes + 1};
    ix_index_box whole, width;
    ix_reading_begin(&reads);
    for (int k = 0; k < b->rank; k++)
        if (!ix_range_eval(&b->interior[k], size, &whole.k[k][0],
                           &whole.k[k][1]))
            return ix_fail(err, ILEX_E_OVERFLOW,
                           "%s: with these sizes a range leaves 64 bits",
                           c->name);
    ilex_status rc = ix_reading_widths(&reads, i, &whole, &width, err);
    if (!rc)
        memcpy(halo, width.k, 2 * (size_t)b->rank * sizeof *halo);
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
    const ilex_program *part = ix_ranks_program(p, err);
    if (!part)
        return err->code;
    size_t i = ix_find_argument(part->c, name);
    if (i == part->c->narguments)
        return ix_fail(err, ILEX_E_BINDING, "%s: there is no argument '%.80s'",
                       p->c->name, name);
    int64_t *size = ix_program_sizes(part, sizes, count);
    ilex_status rc =
        size ? halo_of(p, part, grid, i, size, halo, err)
             : ix_fail(err, ILEX_E_SIZE,
                       "%s: a size is missing, or leaves 64 bits", p->c->name);
    ix_mem_free(&part->mem, size);
    return rc;
}
