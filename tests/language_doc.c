/* SPDX-License-Identifier: MIT
 *
 * The examples of doc/language.md and doc/pytato.md, which
 * tests/language_doc.sh writes to language_doc_rows.inc: what a C call makes is
 * what the text beside it makes, the very same node.
 */
#include <ilex.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4000 };

static ilex_context *ctx;
static ilex_module *page; /* the declarations at the top of the page */
static int tried, bad;

static size_t mark; /* the example's scope: what it assumes ends with it */
static ilex_array *wanted; /* what its text makes */

static void enter(void);
static void leave(void);
static ilex_array *of_text(const char *where, const char *text,
                           const char *name);
static void same(const char *where, const ilex_array *got);
static void done(const char *where, ilex_status status);
static void refused(const char *text);

#define TEXT(where, text, name) (enter(), of_text(where, text, name), leave())
#define BOTH(where, text, name, ...)                                           \
    (enter(), wanted = of_text(where, text, name),                             \
     PICK(__VA_ARGS__)(where, __VA_ARGS__), leave())
#define PICK(...) _Generic((__VA_ARGS__), ilex_status : done, default : same)
/* HEADING, the declarations, and examples(), which calls the above. */
#include "language_doc_rows.inc"

/* As the heading declares it. */
#define EOS "eos(t : f64, p : f64) -> f64 pure elementwise cost 40"

static void
complain(const char *where, const char *what)
{
    fprintf(stderr, "%s: %s\n", where, what);
    ilex_error_clear(ctx);
    bad++;
}

static void
enter(void)
{
    mark = ilex_scope_begin(ctx);
}

static void
leave(void)
{
    ilex_scope_end(ctx, mark, NULL);
}

/* What the statement "text" calls "name" ("": nothing) in a program of its
 * own. */
static ilex_array *
of_text(const char *where, const char *text, const char *name)
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
        complain(where, ilex_error_text(ctx));
    ilex_module_free(m);
    return a;
}

/* Loops are other arrays each time they are built, with the same hash. */
static bool
is_one(const ilex_array *x, const ilex_array *y)
{
    uint8_t a[16], b[16];
    return x == y || (x && y && ilex_hash(x, a) == ILEX_OK &&
                      ilex_hash(y, b) == ILEX_OK && !memcmp(a, b, sizeof a));
}

static void
same(const char *where, const ilex_array *got)
{
    if (ilex_error_code(ctx))
        complain(where, ilex_error_text(ctx));
    else if (!is_one(wanted, got))
        complain(where, "the C call makes another array than the text");
}

/* A call that makes no array. */
static void
done(const char *where, ilex_status status)
{
    if (status)
        complain(where, ilex_error_text(ctx));
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
    ilex_function_register(
        ctx, "eos",
        &ILEX_FUNCTION_SPEC(.elementwise_cuda = "", .declaration = EOS));
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
