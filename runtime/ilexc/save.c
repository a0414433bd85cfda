/* SPDX-License-Identifier: MIT
 *
 * Where the outputs of `ilexc run` go: NumPy files, pictures, text. What is
 * written is the declared domain, without a halo. In a loop the step is in the
 * names of files, and in front of texts if there are several.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints a field as text. */
static ix_cli_exit
print_text(const ix_cli_run *r, const ix_cli_field *f, const ilex_storage *view)
{
    size_t length = ilex_storage_print(view, NULL, 0);
    char *text = length ? malloc(length + 1) : NULL;
    if (!text)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ilex_storage_print(view, text, length + 1);
    if (r->every < r->steps)
        printf("step %lld, ", (long long)r->done);
    printf("%s: %s%s", f->info.name, text,
           text[length - 1] == '\n' ? "" : "\n");
    free(text);
    return IX_EXIT_OK;
}

/* The name of an output's file; to be freed. */
static char *
path_of(const ix_cli_run *r, const ix_cli_field *f)
{
    const char *why;
    if (r->loop && ix_cli_step_name_is(f->target.path, &why))
        return ix_cli_step_name(f->target.path, r->done);
    return strdup(f->target.path);
}

/* Writes one output to a file. */
static ix_cli_exit
write_file(const ix_cli_run *r, const ix_cli_field *f, ilex_storage *view)
{
    ilex_context *ctx = r->session.ctx;
    char *path = path_of(r, f);
    if (!path)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ilex_status rc = f->target.kind == IX_CLI_TARGET_NPY
                         ? ilex_npy_write(ctx, path, view)
                         : ilex_png_write(ctx, path, view, &f->target.png);
    free(path);
    return rc == ILEX_OK ? IX_EXIT_OK : ix_cli_library_error(ctx);
}

/* Writes one output. */
static ix_cli_exit
save(ix_cli_run *r, const ix_cli_field *f)
{
    ilex_storage *view = ix_cli_fields_domain(r, f, f->storage);
    if (!view)
        return ix_cli_library_error(r->session.ctx);
    ix_cli_exit status = f->target.kind == IX_CLI_TARGET_TEXT
                             ? print_text(r, f, view)
                             : write_file(r, f, view);
    ilex_storage_release(view);
    return status;
}

ix_cli_exit
ix_cli_save(ix_cli_run *r)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; i < r->nfields && status == IX_EXIT_OK; i++)
        if (r->field[i].target.kind != IX_CLI_TARGET_NONE)
            status = save(r, &r->field[i]);
    return status;
}
