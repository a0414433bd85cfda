/* SPDX-License-Identifier: MIT
 *
 * Options of a context: values as texts and numbers, from calls and from the
 * environment.
 */
#define _GNU_SOURCE /* secure_getenv, environ */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/path.h"
#include "lib/base/suggest.h"
#include "lib/base/text.h"
#include "lib/graph/context.h"

const ix_option_row ix_option_rows[IX_NOPTIONS] = {
#define IX_OPTION(name, value, choices, meaning)                               \
    {#name, value, choices, meaning},
#include "lib/graph/options.def"
};

enum { MOST_FILE = 1 << 20 }; /* bytes */

/* Up to nine digits, with a fraction or without. */
static bool
is_number(const char *value, bool fraction)
{
    size_t n = strspn(value, "0123456789");
    bool ok = n > 0 && n < 10;
    if (fraction && value[n] == '.')
        n += 1 + strspn(value + n + 1, "0123456789");
    return ok && value[n] == 0;
}

/* Is it a list as "a_b=12,c=3"? */
static bool
is_fields(const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    do {
        size_t name = strspn(value, letters);
        size_t digits = name && value[name] == '='
                            ? strspn(value + name + 1, "0123456789")
                            : 0;
        if (digits == 0 || digits > 15)
            return false;
        value += name + 1 + digits;
    } while (*value++ == ',');
    return value[-1] == '\0';
}

/* Is "value" what one of the choices, of "n" characters, says? */
static bool
is_choice(const char *choice, size_t n, const char *value)
{
    if (n == strlen("int") && !strncmp(choice, "int", n))
        return is_number(value, false);
    if (n == strlen("seconds") && !strncmp(choice, "seconds", n))
        return is_number(value, true);
    if (n == strlen("file") && !strncmp(choice, "file", n))
        return strchr(value, '\n') != NULL;
    if (n == strlen("fields") && !strncmp(choice, "fields", n))
        return is_fields(value);
    return n == strlen(value) && !strncmp(choice, value, n);
}

/* Reads the number of bytes "4096", "64K", "512M", "2G". */
static bool
read_bytes(const char *value, int64_t *bytes)
{
    static const char units[] = "KMG";
    size_t n = strspn(value, "0123456789");
    if (n == 0 || n > 15)
        return false;
    *bytes = strtoll(value, NULL, 10);
    const char *unit = value[n] ? strchr(units, value[n]) : NULL;
    if (!unit)
        return value[n] == 0;
    for (const char *u = units; u <= unit; u++)
        if (!ix_mul(*bytes, 1024, bytes))
            return false;
    return value[n + 1] == 0;
}

/* Does "value" match the choices of a row? "*number" is what it says if it is a
 * number. */
static bool
choice_ok(const char *choices, const char *value, int64_t *number)
{
    if (!strcmp(choices, "text") || !strcmp(choices, "list"))
        return true;
    if (!strcmp(choices, "path") || !strcmp(choices, "program"))
        return value[0] == '/' || value[0] == 0;
    if (!strcmp(choices, "bytes"))
        return read_bytes(value, number);
    *number = strtoll(value, NULL, 10);
    for (const char *p = choices; *p; p += strcspn(p, "|"), p += *p == '|')
        if (is_choice(p, strcspn(p, "|"), value))
            return true;
    return false;
}

/* Reads a file of text into "t", with an end of its last line; false if that
 * cannot be done. */
static bool
read_file(const char *path, ix_text *t)
{
    char part[4096];
    size_t n = 1;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    while (n > 0 && t->length < MOST_FILE) {
        n = fread(part, 1, sizeof part, f);
        ix_text_put_n(t, part, n);
    }
    bool ok = n == 0 && !ferror(f);
    fclose(f);
    if (!t->length || t->data[t->length - 1] != '\n')
        ix_text_char(t, '\n');
    return ok && !t->failed && strlen(t->data) == t->length;
}

static char *
copy_text(const ix_mem *mem, const char *text)
{
    size_t n = strlen(text) + 1;
    char *p = ix_mem_new(mem, n);
    return p ? memcpy(p, text, n) : NULL;
}

/* Choices that stand for many values, and what they ask for. */
static const struct {
    const char *choice, *expected;
} kinds[] = {
    {"int", "a number from 0 to 999999999"},
    {"seconds", "a number of seconds such as 0.5"},
    {"fields", "numbers by name such as l2_bytes=1048576,cores=8"},
    {"bytes", "a number of bytes such as 4096, 64K, 512M or 2G"},
    {"path", "an absolute path such as /home/me/ilex"},
    {"program", "a program that PATH has, nor an absolute path such as "
                "/usr/bin/gcc"},
    {"file", "the path of a file that can be read"},
};

/* What the choice of "n" characters asks for; NULL if it is a word that is to
 * be given as it is. */
static const char *
expected_of(const char *choice, size_t n)
{
    for (size_t k = 0; k < IX_COUNT(kinds); k++)
        if (strlen(kinds[k].choice) == n &&
            strncmp(kinds[k].choice, choice, n) == 0)
            return kinds[k].expected;
    return NULL;
}

/* What the choices of a row ask for, as words. */
static void
put_expected(ix_text *t, const char *choices)
{
    ix_text_put(t, strchr(choices, '|') ? "one of " : "");
    for (const char *p = choices; *p; p += strcspn(p, "|"), p += *p == '|') {
        size_t n = strcspn(p, "|");
        const char *expected = expected_of(p, n);
        ix_text_put(t, p == choices ? "" : "|");
        if (expected)
            ix_text_put(t, expected);
        else
            ix_text_put_n(t, p, n);
    }
}

/* The choice that is meant, of those that are words. */
static ix_suggestion_text
suggest_choice(const ix_option_row *row, const char *value)
{
    ix_suggestion s = ix_suggest(value, strlen(value));
    for (const char *p = row->choices; *p; p += strcspn(p, "|"), p += *p == '|')
        if (!expected_of(p, strcspn(p, "|")))
            ix_suggest_name(&s, p, strcspn(p, "|"));
    return ix_suggestion_show(&s);
}

static ilex_status
wrong_value(ilex_context *ctx, const ix_option_row *row, const char *where,
            const char *value)
{
    ix_text t;
    ix_text_init(&t, &ctx->mem);
    put_expected(&t, row->choices);
    const char *expected = ix_text_string(&t);
    ilex_status rc = expected
                         ? ix_fail(&ctx->error, ILEX_E_OPTION,
                                   "%s %s: '%.40s' is not %s (%s)%s", where,
                                   row->name, value, expected, row->meaning,
                                   suggest_choice(row, value).s)
                         : ix_fail_memory(&ctx->error);
    ix_text_free(&t);
    return rc;
}

/* Sets option "i" to a value that is what it says, no name of a file or
 * program. */
static ilex_status
set_value(ilex_context *ctx, size_t i, const char *where, const char *value)
{
    int64_t number = 0;
    if (!choice_ok(ix_option_rows[i].choices, value, &number))
        return wrong_value(ctx, &ix_option_rows[i], where, value);
    char *copy = copy_text(&ctx->mem, value);
    if (!copy)
        return ix_fail_memory(&ctx->error);
    ix_mem_free(&ctx->mem, ctx->option[i]);
    ctx->option[i] = copy;
    ctx->number[i] = number;
    return ILEX_OK;
}

/* Sets option "i"; "where" says who asks, for the message. */
static ilex_status
set_option(ilex_context *ctx, size_t i, const char *where, const char *value)
{
    const ix_option_row *row = &ix_option_rows[i];
    int64_t number;
    char found[4096];
    ix_text text;
    if (!value)
        return ix_fail(&ctx->error, ILEX_E_OPTION,
                       "%s %s needs a value; it is NULL (%s)", where, row->name,
                       row->meaning);
    ix_text_init(&text, &ctx->mem);
    if (!strcmp(row->choices, "program") && !strchr(value, '/') &&
        ix_path_find(value, found, sizeof found))
        value = found;
    if (strstr(row->choices, "|file") &&
        !choice_ok(row->choices, value, &number) && read_file(value, &text))
        value = ix_text_string(&text);
    ilex_status rc = text.failed ? ix_fail_memory(&ctx->error)
                                 : set_value(ctx, i, where, value);
    ix_text_free(&text);
    return rc;
}

/* The option that is meant by "name". */
static ix_suggestion_text
suggest_option(const char *name)
{
    ix_suggestion s = ix_suggest(name, strlen(name));
    for (size_t i = 0; i < IX_NOPTIONS; i++)
        ix_suggest_name(&s, ix_option_rows[i].name,
                        strlen(ix_option_rows[i].name));
    return ix_suggestion_show(&s);
}

ilex_status
ilex_option_set(ilex_context *ctx, const char *name, const char *value)
{
    for (size_t i = 0; name && i < IX_NOPTIONS; i++)
        if (!strcmp(ix_option_rows[i].name, name))
            return set_option(ctx, i, "option", value);
    return ix_fail(&ctx->error, ILEX_E_OPTION,
                   "there is no option '%.40s' (for example: jit=tcc)%s",
                   name ? name : "(null)", suggest_option(name ? name : "").s);
}

const char *
ilex_option_get(const ilex_context *ctx, const char *name)
{
    for (size_t i = 0; name && i < IX_NOPTIONS; i++)
        if (!strcmp(ix_option_rows[i].name, name))
            return ix_option_text(ctx, (ix_option)i);
    return NULL;
}

const char *
ix_option_text(const ilex_context *ctx, ix_option option)
{
    return ctx->option[option] ? ctx->option[option]
                               : ix_option_rows[option].value;
}

int64_t
ix_option_int(const ilex_context *ctx, ix_option option)
{
    return ctx->number[option];
}

void
ix_options_elsewhere(ilex_context *ctx)
{
    if (strchr(ix_option_text(ctx, IX_OPTION_schedule), '\n'))
        ilex_option_set(ctx, "schedule", "auto");
}

void
ix_options_key(const ilex_context *ctx, ix_text *t)
{
    for (int i = 0; i < IX_NOPTIONS; i++) {
        const char *value = ctx->option[i];
        if (!value || !strcmp(value, ix_option_rows[i].value))
            continue;
        ix_text_char(t, '\n');
        ix_text_int(t, i);
        ix_text_char(t, '=');
        ix_text_put(t, value);
    }
}

/* Warns of a variable ILEX_<NAME> that is no option but nearly one. */
static void
check_variable(ilex_context *ctx, const char *variable)
{
    char name[64] = "";
    size_t n = strcspn(variable, "=");
    ix_suggestion s = ix_suggest(name, n);
    for (size_t i = 0; i < n && n < sizeof name; i++)
        name[i] =
            (char)(variable[i] >= 'A' && variable[i] <= 'Z' ? variable[i] + 32
                                                            : variable[i]);
    for (size_t i = 0; name[0] && i < IX_NOPTIONS; i++) {
        if (!strcmp(ix_option_rows[i].name, name))
            return;
        ix_suggest_name(&s, ix_option_rows[i].name,
                        strlen(ix_option_rows[i].name));
    }
    if (!s.best)
        return;
    for (size_t i = 0; i < s.length; i++)
        name[i] = (char)(s.best[i] >= 'a' ? s.best[i] - 32 : s.best[i]);
    ix_log(ctx, ILEX_WARNING,
           "the environment variable ILEX_%.*s is no option; did you mean "
           "ILEX_%.*s?",
           (int)n, variable, (int)s.length, name);
}

void
ix_options_read(ilex_context *ctx)
{
    for (size_t i = 0; i < IX_NOPTIONS; i++) {
        char name[64], where[100];
        choice_ok(ix_option_rows[i].choices, ix_option_rows[i].value,
                  &ctx->number[i]);
        int n = snprintf(name, sizeof name, "ILEX_%s", ix_option_rows[i].name);
        for (int k = 5; k < n; k++)
            name[k] = (char)(name[k] >= 'a' ? name[k] - 32 : name[k]);
        const char *value = secure_getenv(name);
        snprintf(where, sizeof where, "environment variable %s, option", name);
        if (value)
            set_option(ctx, i, where, value);
    }
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, "ILEX_", 5))
            check_variable(ctx, *e + 5);
}
