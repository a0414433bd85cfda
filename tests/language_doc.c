/* SPDX-License-Identifier: MIT
 *
 * The examples of doc/language.md, which tests/language_doc.sh writes to
 * language_doc_rows.inc: what a C call makes is what the text beside it makes,
 * the very same node.
 */
#include <ilex.h>

#include <stdio.h>
#include <string.h>

enum { LONGEST = 4000 };

static ilex_context *ctx;
static ilex_module *page; /* the declarations at the top of the page */
static int tried, bad;

static void complain(int line, const char *what);
static ilex_array *of_text(int line, const char *text, const char *name);
static void same(int line, const ilex_array *wanted, const ilex_array *got);
static void done(int line, const ilex_array *wanted, ilex_status status);
static void refused(const char *text);

#define TEXT(line, text, name) of_text(line, text, name)
#define BOTH(line, text, name, ...)                                            \
    _Generic((__VA_ARGS__), ilex_array *                                       \
             : same, ilex_status                                               \
             : done)(line, of_text(line, text, name), __VA_ARGS__)
/* HEADING, the declarations, and examples(), which calls the above. */
#include "language_doc_rows.inc"

static void
complain(int line, const char *what)
{
    fprintf(stderr, "doc/language.md:%d: %s\n", line, what);
    ilex_error_clear(ctx);
    bad++;
}

/* What the statement "text" calls "name" ("": nothing) in a program of its
 * own. */
static ilex_array *
of_text(int line, const char *text, const char *name)
{
    char program[LONGEST];
    int n = snprintf(program, sizeof program, "%s%s\n", HEADING, text);
    if (*name && strncmp(text, "out ", 4) != 0)
        n += snprintf(program + n, sizeof program - (size_t)n,
                      "out result_ = %s\n", name);
    tried++;
    ilex_module *m = ilex_module_parse(ctx, program, "example");
    ilex_array *a = m && *name ? ilex_module_array(m, name) : NULL;
    if (ilex_error_code(ctx))
        complain(line, ilex_error_text(ctx));
    ilex_module_free(m);
    return a;
}

static void
same(int line, const ilex_array *wanted, const ilex_array *got)
{
    if (ilex_error_code(ctx))
        complain(line, ilex_error_text(ctx));
    else if (wanted != got)
        complain(line, "the C call makes another array than the text");
}

/* A call that makes no array. */
static void
done(int line, const ilex_array *wanted, ilex_status status)
{
    (void)wanted;
    if (status)
        complain(line, ilex_error_text(ctx));
}

/* What this version does not have says so. */
static void
refused(const char *text)
{
    char program[LONGEST];
    snprintf(program, sizeof program, "%s%s\n", HEADING, text);
    tried++;
    ilex_module_free(ilex_module_parse(ctx, program, "example"));
    if (ilex_error_code(ctx) != ILEX_E_UNSUPPORTED) {
        fprintf(stderr, "%s: is not unsupported: %s\n", text,
                ilex_error_text(ctx));
        bad++;
    }
    ilex_error_clear(ctx);
}

int
main(void)
{
    ctx = ilex_context_new(NULL);
    page = ilex_module_parse(ctx, HEADING "out result_ = x\n", "heading");
    if (!page) {
        fprintf(stderr, "doc/language.md: %s\n", ilex_error_text(ctx));
        return 1;
    }
    examples();
    ilex_module_free(page);
    ilex_context_free(ctx);
    printf("%d examples\n", tried);
    return bad != 0 || tried == 0;
}
