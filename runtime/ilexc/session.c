/* SPDX-License-Identifier: MIT
 *
 * A session: the context with the options of the command line, the text of
 * the program from a file or standard input, and the module made of it.
 */
#define _GNU_SOURCE
#include "runtime/ilexc/ilexc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX_BYTES = 64 << 20 };

/* Prints what the library logs: warnings and dumps that option dump asked for
 * always, the rest with -v. */
static void
log_line(void *user, ilex_level level, const char *text)
{
    const ix_cli_command *c = user;
    size_t length = strlen(text);
    if (level == ILEX_WARNING)
        fputs("ilexc: warning: ", stderr);
    else if (level == ILEX_INFO && c->verbose < 1)
        return;
    fputs(text, stderr);
    if (length == 0 || text[length - 1] != '\n')
        fputc('\n', stderr);
}

/* Sets the options of the library that the command line holds. */
static ix_cli_exit
set_options(ilex_context *ctx, const ix_cli_command *c)
{
    for (size_t i = 0; i < c->nsettings; i++) {
        const ix_cli_setting *s = &c->setting[i];
        if (s->name && ilex_option_set(ctx, s->name, s->value) != ILEX_OK)
            return ix_cli_usage(c->verb, "%s", ilex_error_text(ctx));
    }
    return IX_EXIT_OK;
}

/* A file below the current folder is called as it is seen from there. */
static const char *
seen_from_here(const char *path)
{
    char here[PATH_MAX];
    if (*path != '/' || !getcwd(here, sizeof here))
        return path;
    size_t n = strlen(here);
    return !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

const char *
ix_cli_session_file(const ix_cli_command *c)
{
    return strcmp(c->file, "-") == 0 ? "<stdin>" : seen_from_here(c->file);
}

/* Reads a stream to its end into "*text", which grows as needed. */
static ix_cli_exit
read_stream(FILE *f, const char *name, char **text)
{
    size_t length = 0, room = 1 << 14, got;
    for (;;) {
        char *grown = realloc(*text, room + 1);
        if (!grown)
            return ix_cli_fail(IX_EXIT_LIMIT, "%s: out of memory", name);
        *text = grown;
        got = fread(*text + length, 1, room - length, f);
        length += got;
        if (got == 0)
            break;
        if (length > TEXT_MAX_BYTES)
            return ix_cli_fail(IX_EXIT_LIMIT, "%s: more than %d MiB", name,
                               TEXT_MAX_BYTES >> 20);
        room += length == room ? room : 0;
    }
    (*text)[length] = '\0';
    if (ferror(f))
        return ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", name, strerror(errno));
    if (strlen(*text) != length)
        return ix_cli_fail(IX_EXIT_PROGRAM,
                           "%s: byte %zu is 0; a program is UTF-8 text", name,
                           strlen(*text) + 1);
    return IX_EXIT_OK;
}

/* Reads the program's text. */
static ix_cli_exit
read_text(const ix_cli_command *c, char **text)
{
    const char *name = ix_cli_session_file(c);
    bool is_stdin = strcmp(c->file, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(c->file, "rb");
    if (!f)
        return ix_cli_fail(IX_EXIT_PROGRAM, "%s: %s", name, strerror(errno));
    ix_cli_exit status = read_stream(f, name, text);
    if (!is_stdin)
        fclose(f);
    return status;
}

ix_cli_exit
ix_cli_session_open(ix_cli_session *s, const ix_cli_command *c)
{
    ilex_context_spec spec = {
        .size = sizeof spec, .log = log_line, .log_user = (void *)(uintptr_t)c};
    *s = (ix_cli_session){ilex_context_new(&spec), NULL, NULL};
    if (!s->ctx)
        return ix_cli_fail(IX_EXIT_LIMIT, "out of memory");
    ix_cli_exit status = set_options(s->ctx, c);
    return status == IX_EXIT_OK && c->file ? read_text(c, &s->text) : status;
}

ix_cli_exit
ix_cli_session_parse(ix_cli_session *s, const ix_cli_command *c)
{
    ix_cli_exit status = ix_cli_session_open(s, c);
    if (status != IX_EXIT_OK)
        return status;
    s->module = ilex_module_parse(s->ctx, s->text, ix_cli_session_file(c));
    return s->module ? IX_EXIT_OK : ix_cli_library_error(s->ctx);
}

void
ix_cli_session_close(ix_cli_session *s)
{
    ilex_module_free(s->module);
    ilex_context_free(s->ctx);
    free(s->text);
}
