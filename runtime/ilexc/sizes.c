/* SPDX-License-Identifier: MIT
 *
 * The size parameters of a run. Those that --size does not give follow from
 * the shapes of files: the length of an axis is affine in the sizes, but for
 * quotients, so its coefficients come out of the program's own extents at
 * neighbouring points, and an equation with one unknown gives that unknown.
 */
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the lengths are probed for sizes that are not known: large enough
 * that no bound meets another. */
enum { PROBE = 1 << 20 };

/* Asks for the extents of field "i" with the sizes as they stand. */
static ilex_status
query(ix_cli_run *r, size_t i)
{
    ix_cli_field *f = &r->field[i];
    return ilex_program_extents(r->program, i, r->size, r->nsizes, f->lo, f->hi,
                                f->halo);
}

/* The length of an axis of a file with the sizes as they stand: the declared
 * one, with the halo if the file holds it. */
static int64_t
length_of(const ix_cli_field *f, int k)
{
    int64_t halo = 0;
    if (f->source.halo == IX_CLI_HALO_FILE)
        halo = (f->halo[2 * k] > 0 ? f->halo[2 * k] : 0) +
               (f->halo[2 * k + 1] > 0 ? f->halo[2 * k + 1] : 0);
    return f->hi[k] - f->lo[k] + halo;
}

/* The length of axis "k" of file "i" if size number "j" is "by" more. */
static int64_t
length_beyond(ix_cli_run *r, size_t i, int k, size_t j, int64_t by)
{
    r->size[j].value += by;
    int64_t length =
        query(r, i) == ILEX_OK ? length_of(&r->field[i], k) : INT64_MIN;
    r->size[j].value -= by;
    return length;
}

/* The only size that is not known in a length, by how much the length grows
 * with it, and has to grow. */
typedef struct equation {
    size_t size;
    int64_t base, slope, rest;
} equation;

static bool
find_equation(ix_cli_run *r, size_t i, int k, equation *e)
{
    size_t unknown = 0;
    if (query(r, i) != ILEX_OK)
        return false;
    e->base = length_of(&r->field[i], k);
    e->rest = ilex_storage_shape(r->field[i].file)[k] - e->base;
    for (size_t j = 0; j < r->nsizes; j++) {
        int64_t length = r->known[j] ? e->base : length_beyond(r, i, k, j, 1);
        if (length == e->base || length == INT64_MIN)
            continue;
        e->size = j;
        e->slope = length - e->base;
        unknown++;
    }
    return unknown == 1;
}

/* Uses the length of axis "k" of file "i": if one size is unknown in it, that
 * size is found. Returns whether one was. */
static bool
use_axis(ix_cli_run *r, size_t i, int k)
{
    equation e;
    if (!find_equation(r, i, k, &e) || e.rest % e.slope != 0)
        return false;
    r->size[e.size].value += e.rest / e.slope;
    r->known[e.size] =
        query(r, i) == ILEX_OK && length_of(&r->field[i], k) == e.base + e.rest;
    if (!r->known[e.size]) /* a quotient, which several sizes give */
        r->size[e.size].value -= e.rest / e.slope;
    return r->known[e.size];
}

/* Goes over all files until nothing new is found. */
static void
use_files(ix_cli_run *r)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < r->nfields; i++)
            for (int k = 0; r->field[i].file && k < r->field[i].info.rank; k++)
                found |= use_axis(r, i, k);
    }
}

/* Says so if the length of an axis of a file is one that no size gives. */
static bool
report_misfit(ix_cli_run *r, size_t i, int k)
{
    const ix_cli_field *f = &r->field[i];
    equation e;
    if (!find_equation(r, i, k, &e) ||
        length_beyond(r, i, k, e.size, 2) != e.base + 2 * e.slope ||
        (e.rest % e.slope == 0 &&
         r->size[e.size].value + e.rest / e.slope >= 0))
        return false;
    fprintf(stderr,
            "ilexc: %s: no %s >= 0 gives axis %d of %s : %s[%s] its length "
            "%lld\n",
            f->source.path, r->size[e.size].name, k, f->info.name,
            ilex_dtype_name(f->info.dtype), f->info.domain,
            (long long)ilex_storage_shape(f->file)[k]);
    return true;
}

/* Says which sizes are missing. */
static ix_cli_exit
report_missing(ix_cli_run *r)
{
    const char *separator = "";
    for (size_t i = 0; i < r->nfields; i++)
        for (int k = 0; r->field[i].file && k < r->field[i].info.rank; k++)
            if (report_misfit(r, i, k))
                return IX_EXIT_PROGRAM;
    fputs("ilexc: the files do not determine every size; add for example "
          "--size ",
          stderr);
    for (size_t j = 0; j < r->nsizes; j++) {
        if (r->known[j])
            continue;
        fprintf(stderr, "%s%s=64", separator, r->size[j].name);
        separator = ",";
    }
    fputc('\n', stderr);
    return IX_EXIT_USAGE;
}

/* Finds out whether a file without a rule holds the halo, and complains about
 * a file of another shape. */
static ix_cli_exit
check_file(ix_cli_field *f)
{
    const int64_t *shape = ilex_storage_shape(f->file);
    bool inside = true, whole = true;
    ix_cli_halo rule = f->source.halo;
    for (int k = 0; k < f->info.rank; k++) {
        f->source.halo = IX_CLI_HALO_FILE;
        whole &= shape[k] == length_of(f, k);
        f->source.halo = IX_CLI_HALO_NEAREST;
        inside &= shape[k] == length_of(f, k);
    }
    if (rule != IX_CLI_HALO_AUTO)
        f->source.halo = rule;
    else if (!inside && whole)
        f->source.halo = IX_CLI_HALO_FILE;
    if (f->source.halo == IX_CLI_HALO_FILE ? whole : inside)
        return IX_EXIT_OK;
    fprintf(stderr, "ilexc: %s: wants the shape (", f->source.path);
    for (int k = 0; k < f->info.rank; k++)
        fprintf(stderr, "%s%lld", k ? ", " : "", (long long)length_of(f, k));
    fputs(") but has (", stderr);
    for (int k = 0; k < f->info.rank; k++)
        fprintf(stderr, "%s%lld", k ? ", " : "", (long long)shape[k]);
    fprintf(stderr, ") for %s : %s[%s]%s\n", f->info.name,
            ilex_dtype_name(f->info.dtype), f->info.domain,
            f->source.halo == IX_CLI_HALO_FILE ? " with its halo" : "");
    return IX_EXIT_PROGRAM;
}

/* A storage covers what is declared, with the halo. */
static void
cover(ix_cli_field *f)
{
    for (int k = 0; k < f->info.rank; k++) {
        int64_t low = f->halo[2 * k], high = f->halo[2 * k + 1];
        f->first[k] = f->lo[k] - (low > 0 ? low : 0);
        f->end[k] = f->hi[k] + (high > 0 ? high : 0);
    }
}

ix_cli_exit
ix_cli_sizes_solve(ix_cli_run *r)
{
    for (size_t j = 0; j < r->nsizes; j++)
        if (!r->known[j])
            r->size[j].value = PROBE;
    use_files(r);
    for (size_t j = 0; j < r->nsizes; j++)
        if (!r->known[j])
            return report_missing(r);
    for (size_t i = 0; i < r->nfields; i++) {
        if (query(r, i) != ILEX_OK)
            return ix_cli_fail(IX_EXIT_PROGRAM,
                               "%s: its extents leave 64 bits with these sizes",
                               r->field[i].info.name);
        if (r->field[i].file && check_file(&r->field[i]) != IX_EXIT_OK)
            return IX_EXIT_PROGRAM;
        cover(&r->field[i]);
    }
    return IX_EXIT_OK;
}

/* The extents of output "i" now that all sizes are known; its storage stays
 * where it is. */
static ilex_status
shrink(ix_cli_run *r, size_t i)
{
    ix_cli_field *f = &r->field[i];
    int64_t lo[ILEX_MAX_RANK];
    ilex_status rc = ilex_program_extents(
        r->program, i, r->size, r->nsizes + r->ncounted, lo, f->hi, NULL);
    for (int k = 0; rc == ILEX_OK && k < f->info.rank; k++) {
        f->lo[k] = lo[k];
        f->hi[k] = f->hi[k] < lo[k] ? lo[k] : f->hi[k];
    }
    return rc;
}

ix_cli_exit
ix_cli_sizes_counted(ix_cli_run *r)
{
    for (size_t i = 0; i < r->nfields && r->ncounted; i++)
        if (r->field[i].info.output && shrink(r, i) != ILEX_OK)
            return ix_cli_fail(IX_EXIT_PROGRAM,
                               "%s: its extents leave 64 bits with these sizes",
                               r->field[i].info.name);
    return IX_EXIT_OK;
}
