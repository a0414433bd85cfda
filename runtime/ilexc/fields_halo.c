/* SPDX-License-Identifier: MIT
 *
 * Halos in a loop over steps: those of a file with the rule nearest or periodic
 * follow the field, axis by axis, so that corners are right as well. Others
 * keep what they held at first.
 */
#include "runtime/ilexc/run.h"

static bool
follows(const ix_cli_field *f)
{
    return f->swapped && !f->info.output &&
           f->source.kind == IX_CLI_SOURCE_FILE &&
           (f->source.halo == IX_CLI_HALO_AUTO ||
            f->source.halo == IX_CLI_HALO_NEAREST ||
            f->source.halo == IX_CLI_HALO_PERIODIC);
}

bool
ix_cli_fields_follow(const ix_cli_run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->nfields; i++)
        any |= follows(&r->field[i]);
    return any;
}

/* The point of the field that a point of its halo repeats. */
static int64_t
source_of(const ix_cli_field *f, int k, int64_t point)
{
    int64_t length = f->hi[k] - f->lo[k], from_lo = point - f->lo[k];
    if (f->source.halo == IX_CLI_HALO_PERIODIC)
        return f->lo[k] + (from_lo % length + length) % length;
    return point < f->lo[k] ? f->lo[k] : f->hi[k] - 1;
}

/* Copies one layer of the storage along axis "k" to another. */
static ilex_status
copy_layer(ilex_context *ctx, ilex_storage *s, int k, int64_t to, int64_t from)
{
    ilex_storage *a = ilex_storage_slice(ctx, s, k, to, to + 1, 1);
    ilex_storage *b = ilex_storage_slice(ctx, s, k, from, from + 1, 1);
    ilex_status rc =
        a && b ? ilex_storage_assign(ctx, a, b) : ilex_error_code(ctx);
    ilex_storage_release(a);
    ilex_storage_release(b);
    return rc;
}

/* Fills the halo of one field. */
static ilex_status
fill_halo(ilex_context *ctx, const ix_cli_field *f, ilex_storage *s)
{
    ilex_status rc = ILEX_OK;
    for (int k = 0; k < f->info.rank; k++) {
        int64_t first = f->first[k];
        if (f->hi[k] <= f->lo[k])
            return ILEX_OK;
        for (int64_t i = first; !rc && i < f->lo[k]; i++)
            rc = copy_layer(ctx, s, k, i - first, source_of(f, k, i) - first);
        for (int64_t i = f->hi[k]; !rc && i < f->end[k]; i++)
            rc = copy_layer(ctx, s, k, i - first, source_of(f, k, i) - first);
    }
    return rc;
}

ix_cli_exit
ix_cli_fields_halos(ix_cli_run *r, ilex_storage *const *storage)
{
    ilex_status rc = ILEX_OK;
    for (size_t i = 0; !rc && i < r->nfields; i++)
        if (follows(&r->field[i]))
            rc = fill_halo(r->session.ctx, &r->field[i], storage[i]);
    return rc ? ix_cli_library_error(r->session.ctx) : IX_EXIT_OK;
}
