/* SPDX-License-Identifier: MIT
 *
 * Messages of ilexc on standard error, and the exit statuses that go with
 * them. The library's diagnostics carry file, line and column when they stem
 * from text and are printed as they are.
 */
#include "runtime/ilexc/ilexc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Prints "ilexc verb: text". */
static void say(const char *verb, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void
say(const char *verb, const char *fmt, va_list ap)
{
    fputs("ilexc", stderr);
    if (verb)
        fprintf(stderr, " %s", verb);
    fputs(": ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

ix_cli_exit
ix_cli_usage(const char *verb, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(verb, fmt, ap);
    va_end(ap);
    if (verb)
        fprintf(stderr, "`ilexc help %s` tells how it is used.\n", verb);
    else
        fputs("`ilexc --help` tells how it is used.\n", stderr);
    return IX_EXIT_USAGE;
}

ix_cli_exit
ix_cli_fail(ix_cli_exit status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(NULL, fmt, ap);
    va_end(ap);
    return status;
}

ix_cli_exit
ix_cli_exit_of(ilex_status status)
{
    enum {
#define IX_EXIT_FAMILY(family, NAME) EXIT_OF_##family = IX_EXIT_##NAME,
#include "runtime/ilexc/exits.def"
    };
    switch (status) {
    case ILEX_OK:
        return IX_EXIT_OK;
#define ILEX_ERROR(name, number, family, kind, meaning)                        \
    case ILEX_E_##name:                                                        \
        return (ix_cli_exit)EXIT_OF_##family;
#include "ilex/errors.def"
    }
    return IX_EXIT_BUG;
}

static void
print_error(const ilex_error_info *e)
{
    size_t length = strlen(e->text);
    if (e->line == 0)
        fprintf(stderr, "ilexc: error[E%d]: ", (int)e->code);
    fputs(e->text, stderr);
    if (length == 0 || e->text[length - 1] != '\n')
        fputc('\n', stderr);
}

ix_cli_exit
ix_cli_library_error(const ilex_context *ctx)
{
    ilex_status code = ilex_error_code(ctx);
    ilex_error_info e = ILEX_ERROR_INFO();
    size_t count = ilex_error_count(ctx), i = 0;
    if (code == ILEX_OK)
        return ix_cli_fail(IX_EXIT_BUG, "a failure without a message");
    for (; ilex_error_get(ctx, i, &e) == ILEX_OK; i++)
        print_error(&e);
    if (i < count)
        fprintf(stderr, "ilexc: %zu more error%s\n", count - i,
                count - i == 1 ? "" : "s");
    return ix_cli_exit_of(code);
}
