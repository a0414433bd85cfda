/* SPDX-License-Identifier: MIT
 *
 * Files of programs that are compiled ahead of time: which, under which names.
 */
#include "ilex/library.h"

#include <stdio.h>

#include "compiler/compiler.h"
#include "runtime/files/file.h"

static const struct {
    ix_library_file file;
    const char *suffix;
} files[] = {{IX_LIBRARY_HEADER, ".h"},
             {IX_LIBRARY_SOURCE, ".c"},
             {IX_LIBRARY_JSON, ".json"}};

/* Writes one file. */
static ilex_status
write_file(ilex_context *ctx, const ix_library *library, size_t i,
           const char *directory)
{
    char path[IX_FILE_PATH];
    ix_file_out out;
    ix_text t;
    int n = snprintf(path, sizeof path, "%s/%s%s", directory, library->prefix,
                     files[i].suffix);
    if (n < 0 || (size_t)n >= sizeof path)
        return ix_fail(&ctx->error, ILEX_E_FILE,
                       "compile: the name of the directory is too long");
    ix_text_init(&t, &ctx->mem);
    ilex_status rc = ix_library_print(library, files[i].file, &t, &ctx->error);
    rc = rc ? rc : ix_file_begin(&out, path, &ctx->error);
    if (!rc)
        rc = ix_file_end(&out, ix_file_put(&out, t.data, t.length));
    ix_text_free(&t);
    return rc;
}

static ilex_status
write_files(ilex_context *ctx, const ix_library *library, const char *directory)
{
    ilex_status rc = ix_library_check(library, &ctx->error);
    for (size_t i = 0; !rc && i < IX_COUNT(files); i++)
        rc = write_file(ctx, library, i, directory);
    return rc;
}

/* The options that generated source depends on. */
static void
put_options(ilex_context *ctx, ix_text *t)
{
    ix_text_format(t, "{\"fuse\": \"%s\", \"quota\": \"%s\"}",
                   ix_option_text(ctx, IX_OPTION_fuse),
                   ix_option_text(ctx, IX_OPTION_quota));
}

/* The files of a module, whose names begin with "prefix". */
static ilex_status
emit_module(ilex_module *module, const char *prefix, const char *directory)
{
    ilex_context *ctx = module->ctx;
    ix_compile_request request = {.names = true};
    ix_text options, counts;
    request.dialect[IX_DIALECT_aot] = true;
    ix_compiled *c = ix_compile(module, &request);
    ix_text_init(&options, &ctx->mem);
    ix_text_init(&counts, &ctx->mem);
    put_options(ctx, &options);
    if (c && ix_module_print_counts(module, &counts)) {
        ix_library library = {c, prefix, ix_text_string(&options),
                              ix_text_string(&counts)};
        if (library.options && library.counts)
            write_files(ctx, &library, directory);
        else
            ix_fail_memory(&ctx->error);
    }
    ix_text_free(&options);
    ix_text_free(&counts);
    ix_compiled_free(c);
    return ctx->error.code;
}

ilex_status
ilex_emit_library(ilex_module *module, const ilex_library_spec *spec)
{
    ilex_context *ctx = module->ctx;
    ilex_library_spec s = {0};
    if (spec && spec->size < offsetof(ilex_library_spec, prefix))
        return ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                       "emit_library: the size of the spec is not set; start "
                       "it with .size = sizeof(ilex_library_spec)");
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    const char *prefix = s.prefix ? s.prefix : module->name;
    if (ctx->error.code ||
        !ix_name_check(&ctx->error, "prefix", prefix, strlen(prefix)))
        return ctx->error.code;
    return emit_module(module, prefix, s.directory ? s.directory : ".");
}
