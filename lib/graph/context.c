/* SPDX-License-Identifier: MIT
 *
 * Contexts: making and freeing them, options, log, symbols, errors.
 */
#define _GNU_SOURCE /* secure_getenv, environ */
#include "lib/graph/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/graph/annotation.h"
#include "lib/graph/env.h"
#include "lib/graph/node.h"

const ix_option_row ix_option_rows[IX_NOPTIONS] = {
#define IX_OPTION(name, value, choices, meaning)                               \
    {#name, value, choices, meaning},
#include "lib/graph/options.def"
};

static const struct {
    ilex_status code;
    const char *name, *meaning;
} status_rows[] = {
    {ILEX_OK, "ILEX_OK", "no error"},
#define ILEX_ERROR(name, number, family, meaning)                              \
    {ILEX_E_##name, "ILEX_E_" #name, meaning},
#include "ilex/errors.def"
};

const char *
ilex_status_name(ilex_status status)
{
    for (size_t i = 0; i < IX_COUNT(status_rows); i++)
        if (status_rows[i].code == status)
            return status_rows[i].name;
    return "?";
}

const char *
ilex_status_meaning(ilex_status status)
{
    for (size_t i = 0; i < IX_COUNT(status_rows); i++)
        if (status_rows[i].code == status)
            return status_rows[i].meaning;
    return "?";
}

const char *
ilex_version(void)
{
    return "0.1.0";
}

/* ---- options ---- */

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

/* Is "value" what one of the choices, of "n" characters, says? */
static bool
is_choice(const char *choice, size_t n, const char *value)
{
    if (n == strlen("int") && !strncmp(choice, "int", n))
        return is_number(value, false);
    if (n == strlen("seconds") && !strncmp(choice, "seconds", n))
        return is_number(value, true);
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
    if (!strcmp(choices, "path"))
        return value[0] == '/' || value[0] == 0;
    if (!strcmp(choices, "bytes"))
        return read_bytes(value, number);
    *number = strtoll(value, NULL, 10);
    for (const char *p = choices; *p; p += strcspn(p, "|"), p += *p == '|')
        if (is_choice(p, strcspn(p, "|"), value))
            return true;
    return false;
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
    {"bytes", "a number of bytes such as 4096, 64K, 512M or 2G"},
    {"path", "an absolute path such as /home/me/ilex"},
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

/* Sets option "i"; "where" says who asks, for the message. */
static ilex_status
set_option(ilex_context *ctx, size_t i, const char *where, const char *value)
{
    const ix_option_row *row = &ix_option_rows[i];
    int64_t number = 0;
    if (!value)
        return ix_fail(&ctx->error, ILEX_E_OPTION,
                       "%s %s needs a value; it is NULL (%s)", where, row->name,
                       row->meaning);
    if (!choice_ok(row->choices, value, &number))
        return wrong_value(ctx, row, where, value);
    char *copy = copy_text(&ctx->mem, value);
    if (!copy)
        return ix_fail_memory(&ctx->error);
    ix_mem_free(&ctx->mem, ctx->option[i]);
    ctx->option[i] = copy;
    ctx->number[i] = number;
    return ILEX_OK;
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

/* Defaults, and ILEX_<NAME> of every option; a bad value is an error of the
 * context. */
static void
read_environment(ilex_context *ctx)
{
    for (size_t i = 0; i < IX_NOPTIONS; i++) {
        char name[64];
        choice_ok(ix_option_rows[i].choices, ix_option_rows[i].value,
                  &ctx->number[i]);
        int n = snprintf(name, sizeof name, "ILEX_%s", ix_option_rows[i].name);
        for (int k = 5; k < n; k++)
            name[k] = (char)(name[k] >= 'a' ? name[k] - 32 : name[k]);
        const char *value = secure_getenv(name);
        if (value)
            set_option(ctx, i, "environment variable ILEX_*, option", value);
    }
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, "ILEX_", 5))
            check_variable(ctx, *e + 5);
}

/* ---- life ---- */

/* The user's allocator; no failure stays unseen. */
static void *
resize_recording(void *user, void *block, size_t bytes)
{
    ilex_context *ctx = user;
    void *p = ctx->host.resize(ctx->host.user, block, bytes);
    if (!p && bytes > 0)
        ix_fail_memory(&ctx->error);
    return p;
}

ilex_context *
ilex_context_new(const ilex_context_spec *spec)
{
    ilex_context_spec s = {0};
    if (spec)
        memcpy(&s, spec, spec->size < sizeof s ? spec->size : sizeof s);
    ix_mem mem = s.allocator.resize ? s.allocator : ix_mem_default;
    ilex_context *ctx = ix_mem_new(&mem, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->mem = (ix_mem){resize_recording, ctx};
    ctx->host = mem;
    ctx->log = s.log;
    ctx->log_user = s.log_user;
    ix_errors_init(&ctx->error, &ctx->errors, &mem);
    atomic_init(&ctx->later, NULL);
    if (ix_symbol_of(ctx, "", 0) != 0 || !ix_node_make_poison(ctx)) {
        ilex_context_free(ctx);
        return NULL;
    }
    read_environment(ctx);
    if (spec && spec->size < offsetof(ilex_context_spec, allocator))
        ix_fail(&ctx->error, ILEX_E_ARGUMENT,
                "context: the size of the spec is not set; start it with "
                ".size = sizeof(ilex_context_spec)");
    return ctx;
}

void
ilex_context_free(ilex_context *ctx)
{
    if (!ctx)
        return;
    if (ctx->temporaries_free)
        ctx->temporaries_free(ctx);
    ix_scope_free(ctx);
    ix_annotation_free_all(ctx);
    ix_node_free_all(ctx);
    if (ctx->affine_free)
        ctx->affine_free(ctx);
    ix_env_free_all(ctx);
    ix_lin_free_all(ctx);
    for (size_t i = 0; i < ctx->nsymbols; i++)
        ix_mem_free(&ctx->mem, ctx->symbol[i]);
    for (size_t i = 0; i < IX_NOPTIONS; i++)
        ix_mem_free(&ctx->mem, ctx->option[i]);
    ix_table_free(&ctx->symbols, &ctx->mem);
    ix_mem_free(&ctx->mem, ctx->symbol);
    ix_mem_free(&ctx->mem, ctx->param);
    ix_mem_free(&ctx->mem, ctx->counted);
    ix_mem_free(&ctx->mem, ctx->function);
    ix_errors_free(&ctx->errors);
    ix_mem host = ctx->host;
    ix_mem_free(&host, ctx);
}

ix_error *
ix_context_error(ilex_context *ctx)
{
    return ctx ? &ctx->error : NULL;
}

const ix_mem *
ix_context_mem(ilex_context *ctx)
{
    return ctx ? &ctx->host : &ix_mem_default;
}

void
ix_log(ilex_context *ctx, ilex_level level, const char *fmt, ...)
{
    if (!ctx->log)
        return;
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ctx->log(ctx->log_user, level, text);
}

/* ---- symbols ---- */

typedef struct name_key {
    const char *text;
    size_t length;
} name_key;

static bool
symbol_equal(const void *item, const void *key)
{
    const ix_symbol *s = item;
    const name_key *k = key;
    return !strncmp(s->text, k->text, k->length) && !s->text[k->length];
}

int32_t
ix_symbol_of(ilex_context *ctx, const char *text, size_t length)
{
    uint64_t hash = ix_hash_bytes(1, text, length);
    name_key key = {text, length};
    ix_symbol *s = ix_table_find(&ctx->symbols, hash, &key, symbol_equal);
    if (s)
        return s->id;
    if (!ix_mem_grow(&ctx->mem, &ctx->symbol, &ctx->symbol_capacity,
                     ctx->nsymbols + 1, sizeof *ctx->symbol))
        return -1;
    s = ix_mem_new(&ctx->mem, sizeof *s + length + 1);
    if (!s)
        return -1;
    s->hash = hash;
    s->id = (int32_t)ctx->nsymbols;
    memcpy(s->text, text, length);
    if (!ix_table_add(&ctx->symbols, &ctx->mem, hash, s)) {
        ix_mem_free(&ctx->mem, s);
        return -1;
    }
    ctx->symbol[ctx->nsymbols++] = s;
    return s->id;
}

const char *
ix_symbol_text(const ilex_context *ctx, int32_t symbol)
{
    return ctx->symbol[symbol]->text;
}

static bool
identifier_char(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

/* Names that mean something inside index lambdas: _0, _r0, _in0, _ilex_*. */
static bool
reserved(const char *text, size_t length)
{
    if (length >= 6 && !strncmp(text, "_ilex_", 6))
        return true;
    if (text[0] != '_')
        return false;
    size_t k = 1;
    if (length > 2 && text[1] == 'r')
        k = 2;
    else if (length > 3 && text[1] == 'i' && text[2] == 'n')
        k = 3;
    size_t digits = 0;
    while (k + digits < length && text[k + digits] >= '0' &&
           text[k + digits] <= '9')
        digits++;
    return digits > 0 && k + digits == length;
}

bool
ix_name_check(ix_error *err, const char *what, const char *text, size_t length)
{
    bool ok = text && length > 0 && length <= 64;
    for (size_t i = 0; ok && i < length; i++)
        ok = identifier_char(text[i], i == 0);
    if (!ok) {
        ix_fail(err, ILEX_E_NAME,
                "%s '%.*s' is not an identifier of at most 64 letters, digits "
                "and '_' (for example: u_new)",
                what, text ? (int)(length < 80 ? length : 80) : 6,
                text ? text : "(null)");
        return false;
    }
    if (reserved(text, length)) {
        ix_fail(err, ILEX_E_NAME,
                "%s '%.*s' is reserved: names of the forms _ilex_*, _0, _r0 "
                "and _in0 belong to index lambdas",
                what, (int)length, text);
        return false;
    }
    return true;
}

/* ---- errors ---- */

static void
stamp_location(const ilex_context *ctx, ix_error *e)
{
    if (ctx->location.line && !e->line) {
        e->line = ctx->location.line;
        e->column = ctx->location.column;
        e->file = ctx->location.file;
    }
}

ilex_array *
ix_poison(ilex_context *ctx, const char *operation, int operand,
          ilex_status code, const char *fmt, ...)
{
    ix_error e = {.operation = operation, .operand = operand};
    va_list args;
    va_start(args, fmt);
    ix_fail_v(&e, code, fmt, args);
    va_end(args);
    stamp_location(ctx, &e);
    ix_errors_find(&ctx->error, &e);
    return ctx->poison;
}

ilex_array *
ix_poison_again(ilex_context *ctx)
{
    ix_error *last = ix_errors_last(&ctx->error);
    if (last)
        stamp_location(ctx, last);
    return ctx->poison;
}

ilex_status
ilex_error_code(const ilex_context *ctx)
{
    return ctx->error.code;
}

const char *
ilex_error_text(const ilex_context *ctx)
{
    return ctx->error.text;
}

static ilex_error_info
info_of(const ix_error *e)
{
    return (ilex_error_info){
        .size = sizeof(ilex_error_info),
        .code = e->code,
        .operation = e->operation ? e->operation : "",
        .operand = e->operand,
        .file = e->file ? e->file : "",
        .line = e->line,
        .column = e->column,
        .text = e->text,
    };
}

ilex_error_info
ilex_error_query(const ilex_context *ctx)
{
    return info_of(&ctx->error);
}

size_t
ilex_error_count(const ilex_context *ctx)
{
    return ix_errors_count(&ctx->error);
}

ilex_status
ilex_error_get(const ilex_context *ctx, size_t i, ilex_error_info *info)
{
    size_t room = info ? info->size : 0;
    const ix_error *e = ix_errors_get(&ctx->error, i);
    if (i >= ilex_error_count(ctx) ||
        room < offsetof(ilex_error_info, operation))
        return ILEX_E_ARGUMENT;
    if (!e)
        return ILEX_E_LIMIT;
    ilex_error_info all = info_of(e);
    all.size = room < sizeof all ? room : sizeof all;
    memcpy(info, &all, all.size);
    return ILEX_OK;
}

void
ilex_error_clear(ilex_context *ctx)
{
    ix_errors_clear(&ctx->error);
}

void
ilex_location(ilex_context *ctx, const char *file, int line, int column)
{
    ctx->location.line = file ? line : 0;
    ctx->location.column = file ? column : 0;
    ctx->place = (ix_location){file ? ix_symbol_of(ctx, file, strlen(file)) : 0,
                               file ? line : 0, column, 0};
    if (ctx->place.file < 0)
        ctx->place = (ix_location){0};
    ctx->location.file = ix_symbol_text(ctx, ctx->place.file);
}
