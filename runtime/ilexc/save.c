/* SPDX-License-Identifier: MIT
 *
 * Where the outputs of `ilexc run` go: NumPy files, pictures, text. What is
 * written is the declared domain, without a halo.
 */
#include "runtime/ilexc/run.h"

#include <stdio.h>
#include <stdlib.h>

/* Prints a field as text. */
static ix_cli_exit
print_text(const ix_cli_field *f, const ilex_storage *view)
{
    size_t length = ilex_storage_print(view, NULL, 0);
    char *text = length ? malloc(length + 1) : NULL;
    if (!text)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ilex_storage_print(view, text, length + 1);
    printf("%s: %s%s", f->info.name, text,
           text[length - 1] == '\n' ? "" : "\n");
    free(text);
    return IX_EXIT_OK;
}

/* Writes one output. */
static ix_cli_exit
save(ix_cli_run *r, const ix_cli_field *f)
{
    ilex_context *ctx = r->session.ctx;
    ilex_storage *view = ix_cli_fields_domain(r, f, f->storage);
    ix_cli_exit status = IX_EXIT_OK;
    ilex_status rc = view ? ILEX_OK : ilex_error_code(ctx);
    if (view && f->target.kind == IX_CLI_TARGET_TEXT)
        status = print_text(f, view);
    else if (view && f->target.kind == IX_CLI_TARGET_NPY)
        rc = ilex_npy_write(ctx, f->target.path, view);
    else if (view)
        rc = ilex_png_write(ctx, f->target.path, view, &f->target.png);
    ilex_storage_release(view);
    return rc == ILEX_OK ? status : ix_cli_library_error(ctx);
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
