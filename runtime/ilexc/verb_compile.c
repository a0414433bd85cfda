/* SPDX-License-Identifier: MIT
 *
 * `ilexc compile`: files that need no Ilex, of one program or several.
 */
#include "runtime/ilexc/ilexc.h"

#include <stdlib.h>
#include <string.h>

/* The kinds of libraries that may be asked for. */
static const struct {
    ix_cli_flag flag;
    ilex_library_kind kind;
} kinds[] = {{IX_FLAG_OBJECT, ILEX_LIBRARY_OBJECT},
             {IX_FLAG_STATIC, ILEX_LIBRARY_STATIC},
             {IX_FLAG_SHARED, ILEX_LIBRARY_SHARED}};

/* The files, and each kind of library that is asked for. */
static ilex_status
emit_kinds(const ix_cli_command *c, ilex_context *ctx, ilex_module **modules,
           ilex_library_spec *spec)
{
    ilex_status rc = ILEX_OK;
    spec->kind = ILEX_LIBRARY_FILES;
    for (size_t i = 0; rc == ILEX_OK && i < sizeof kinds / sizeof *kinds; i++)
        if (ix_cli_options_value(c, kinds[i].flag, NULL)) {
            spec->kind = kinds[i].kind;
            rc = ilex_emit_library(ctx, modules, c->nfiles, spec);
        }
    return spec->kind == ILEX_LIBRARY_FILES
               ? ilex_emit_library(ctx, modules, c->nfiles, spec)
               : rc;
}

/* Is the language one that files are written in? */
static ix_cli_exit
check_language(const ix_cli_command *c, bool *cuda)
{
    const char *language = ix_cli_options_value(c, IX_FLAG_LANGUAGE, "c");
    *cuda = strcmp(language, "cuda") == 0;
    return *cuda || strcmp(language, "c") == 0
               ? IX_EXIT_OK
               : ix_cli_usage(c->verb, "the language is c or cuda, not %s",
                              language);
}

/* The groups of all --size, separated by ';'; NULL when there is none, or no
 * memory. */
static char *
join_sizes(const ix_cli_command *c)
{
    size_t bytes = 1;
    for (size_t i = 0; i < c->nsettings; i++)
        if (c->setting[i].flag == IX_FLAG_FIXED)
            bytes += strlen(c->setting[i].value) + 1;
    char *all = bytes > 1 ? calloc(1, bytes) : NULL;
    for (size_t i = 0; all && i < c->nsettings; i++)
        if (c->setting[i].flag == IX_FLAG_FIXED) {
            strcat(all, *all ? ";" : "");
            strcat(all, c->setting[i].value);
        }
    return all;
}

/* A program each; contexts of their own, so that no file depends on what else
 * is compiled. */
static ix_cli_exit
open_all(ix_cli_session *sessions, const ix_cli_command *c)
{
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; status == IX_EXIT_OK && i < c->nfiles; i++) {
        ix_cli_command one = *c;
        one.file = c->files[i];
        status = ix_cli_session_parse(&sessions[i], &one);
    }
    return status;
}

/* What the files are called without folders and ".ilx", in one block; NULL when
 * there is no memory. */
static const char **
stems(const ix_cli_command *c)
{
    size_t bytes = c->nfiles * sizeof(char *);
    for (size_t i = 0; i < c->nfiles; i++)
        bytes += strlen(c->files[i]) + 1;
    const char **names = calloc(1, bytes);
    char *to = names ? (char *)(names + c->nfiles) : NULL;
    for (size_t i = 0; to && i < c->nfiles; i++) {
        const char *slash = strrchr(c->files[i], '/');
        names[i] = strcpy(to, slash ? slash + 1 : c->files[i]);
        char *dot = strrchr(to, '.');
        if (dot && strcmp(dot, ".ilx") == 0)
            *dot = '\0';
        to += strlen(to) + 1;
    }
    return names;
}

static ix_cli_exit
emit(ix_cli_session *sessions, const ix_cli_command *c, bool cuda)
{
    bool fixed = ix_cli_options_value(c, IX_FLAG_FIXED, NULL) != NULL;
    bool stem = ix_cli_options_value(c, IX_FLAG_STEM, NULL) != NULL;
    char *sizes = join_sizes(c);
    const char **names = stem ? stems(c) : NULL;
    ilex_module **modules = calloc(c->nfiles, sizeof *modules);
    ilex_library_spec spec = {
        .size = sizeof spec,
        .directory = ix_cli_options_value(c, IX_FLAG_DIRECTORY, "."),
        .prefix = ix_cli_options_value(c, IX_FLAG_PREFIX, NULL),
        .cuda = cuda,
        .fortran = ix_cli_options_value(c, IX_FLAG_FORTRAN, NULL) != NULL,
        .python = ix_cli_options_value(c, IX_FLAG_PYTHON, NULL) != NULL,
        .freestanding =
            ix_cli_options_value(c, IX_FLAG_FREESTANDING, NULL) != NULL,
        .targets = ix_cli_options_value(c, IX_FLAG_TARGET, NULL),
        .lines = ix_cli_options_value(c, IX_FLAG_LINE, NULL) != NULL,
        .sizes = sizes,
        .names = names};
    ilex_context *ctx = sessions[0].ctx;
    ix_cli_exit status = IX_EXIT_OK;
    for (size_t i = 0; modules && i < c->nfiles; i++)
        modules[i] = sessions[i].module;
    if (!modules || (fixed && !sizes) || (stem && !names))
        status = ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    else if (emit_kinds(c, ctx, modules, &spec) != ILEX_OK)
        status = ix_cli_library_error(ctx);
    free(modules);
    free(names);
    free(sizes);
    return status;
}

ix_cli_exit
ix_cli_verb_compile(const ix_cli_command *c)
{
    bool cuda;
    ix_cli_exit refused = check_language(c, &cuda);
    if (refused != IX_EXIT_OK)
        return refused;
    ix_cli_session *sessions = calloc(c->nfiles, sizeof *sessions);
    if (!sessions)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ix_cli_exit status = open_all(sessions, c);
    if (status == IX_EXIT_OK)
        status = emit(sessions, c, cuda);
    for (size_t i = 0; i < c->nfiles; i++)
        if (sessions[i].ctx)
            ix_cli_session_close(&sessions[i]);
    free(sessions);
    return status;
}
