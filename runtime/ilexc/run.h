/* SPDX-License-Identifier: MIT
 *
 * A run of a program by `ilexc run`, and the steps it is made of: values.c
 * reads --in, --out and --size; sizes.c finds the size parameters; fields.c
 * makes the storages and fills them; save.c writes the outputs; compare.c
 * looks for the first difference; verb_run.c puts them together.
 */
#ifndef ILEX_ILEXC_RUN_H
#define ILEX_ILEXC_RUN_H

#include "runtime/ilexc/ilexc.h"

/* How a halo is filled around the elements of a file. */
typedef enum ix_cli_halo {
    IX_CLI_HALO_AUTO,    /* nearest, unless the file is found to hold it */
    IX_CLI_HALO_NEAREST, /* the element at the nearest point of the file */
    IX_CLI_HALO_ZERO,
    IX_CLI_HALO_PERIODIC, /* the file repeats */
    IX_CLI_HALO_FILE      /* the file holds the halo */
} ix_cli_halo;

typedef enum ix_cli_source_kind {
    IX_CLI_SOURCE_NONE,
    IX_CLI_SOURCE_FILE,
    IX_CLI_SOURCE_CONSTANT,
    IX_CLI_SOURCE_RANDOM
} ix_cli_source_kind;

/* What an input holds. */
typedef struct ix_cli_source {
    ix_cli_source_kind kind;
    char *path;
    ix_cli_halo halo;
    double constant;
    uint64_t seed;
} ix_cli_source;

typedef enum ix_cli_target_kind {
    IX_CLI_TARGET_NONE,
    IX_CLI_TARGET_NPY,
    IX_CLI_TARGET_PNG,
    IX_CLI_TARGET_TEXT
} ix_cli_target_kind;

/* Where an output goes. */
typedef struct ix_cli_target {
    ix_cli_target_kind kind;
    char *path;
    ilex_png_spec png;
} ix_cli_target;

/* An argument of the program. [lo, hi) is its declared domain, "halo" what
 * must be there around it (low, high), both for the sizes of the run. */
typedef struct ix_cli_field {
    ilex_argument_info info;
    ix_cli_source source;
    ix_cli_target target;
    ilex_storage *file; /* as read */
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK], halo[2 * ILEX_MAX_RANK];
    ilex_storage *storage;
    ilex_storage *reference; /* of an output: what the reference gave */
} ix_cli_field;

typedef struct ix_cli_run {
    const ix_cli_command *command;
    ix_cli_session session;
    ilex_program *program, *reference;
    ix_cli_field *field;
    size_t nfields;
    ilex_size_binding *size;
    bool *known; /* of each size */
    size_t nsizes, ncounted;
    ilex_size_binding *counted; /* behind the sizes */
    double seconds;             /* of the run */
} ix_cli_run;

/* ---- values.c ---- */

/* Reads --size, --in and --out into the sizes and fields of "r". */
ix_cli_exit ix_cli_values_read(ix_cli_run *r);

/* Frees what a source and a target own. */
void ix_cli_values_free(ix_cli_field *f);

/* ---- sizes.c ---- */

/* Finds the sizes that were not given from the shapes of the files, then the
 * extents of every field. */
ix_cli_exit ix_cli_sizes_solve(ix_cli_run *r);

/* After the run: the extents of what it counted. */
ix_cli_exit ix_cli_sizes_counted(ix_cli_run *r);

/* ---- fields.c ---- */

/* Reads the files of the inputs. */
ix_cli_exit ix_cli_fields_load(ix_cli_run *r);

/* Makes and fills the storages; "r->reference" wants outputs of its own. */
ix_cli_exit ix_cli_fields_make(ix_cli_run *r);

/* A view of an argument's storage on its declared domain. */
ilex_storage *ix_cli_fields_domain(ix_cli_run *r, const ix_cli_field *f,
                                   ilex_storage *s);

/* The next index in C order below "shape"; false at the end. */
bool ix_cli_fields_next(int rank, const int64_t *shape, int64_t *index);

/* ---- save.c, compare.c ---- */

/* Writes the outputs to their targets. */
ix_cli_exit ix_cli_save(ix_cli_run *r);

/* Compares every output with the reference's, bit for bit; NaN equals NaN. */
ix_cli_exit ix_cli_compare(ix_cli_run *r);

#endif
