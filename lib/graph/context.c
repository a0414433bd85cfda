/* SPDX-License-Identifier: MIT
 *
 * Contexts: log, symbols, errors.
 */
#include "lib/graph/context.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/letter.h"
#include "lib/base/text.h"
#include "lib/graph/annotation.h"
#include "lib/graph/env.h"
#include "lib/graph/node.h"

static const struct {
    ilex_status code;
    const char *name, *kind, *meaning;
} status_rows[] = {
    {ILEX_OK, "ILEX_OK", "none", "no error"},
#define ILEX_ERROR(name, number, family, kind, meaning)                        \
    {ILEX_E_##name, "ILEX_E_" #name, #kind, meaning},
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
ilex_status_kind(ilex_status status)
{
    for (size_t i = 0; i < IX_COUNT(status_rows); i++)
        if (status_rows[i].code == status)
            return status_rows[i].kind;
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

/* Is it these letters and a number behind them? */
static bool
is_numbered(const char *text, size_t length, const char *letters)
{
    size_t k = strlen(letters);
    if (length <= k || strncmp(text, letters, k) != 0)
        return false;
    while (k < length && text[k] >= '0' && text[k] <= '9')
        k++;
    return k == length;
}

/* Names that mean something inside index lambdas. */
static bool
is_reserved(const char *text, size_t length)
{
    return (length >= 6 && !strncmp(text, "_ilex_", 6)) ||
           is_numbered(text, length, "_") || is_numbered(text, length, "_r") ||
           is_numbered(text, length, "_in");
}

bool
ix_name_check(ix_error *err, const char *what, const char *text, size_t length)
{
    if (!text || length == 0 || length > 64 ||
        ix_name_length(text, length) != length)
        return ix_fail_false(err, ILEX_E_NAME,
                             "%s '%.*s' is not an identifier of letters, "
                             "digits and '_', at most 64 bytes (for example: "
                             "u_new)",
                             what, text ? (int)(length < 80 ? length : 80) : 6,
                             text ? text : "(null)");
    bool is_output = !strcmp(what, "output") && /* as ilex_compile calls it */
                     is_numbered(text, length, "_ilex_out");
    if (!is_output && is_reserved(text, length))
        return ix_fail_false(
            err, ILEX_E_NAME,
            "%s '%.*s' is reserved: names of the forms _ilex_*, _0, _r0 and "
            "_in0 belong to index lambdas",
            what, (int)length, text);
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
ix_poison_stranger(ilex_context *ctx, const char *operation, int operand,
                   const ilex_array *x, const char *fmt, ...)
{
    char name[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    return ix_poison(ctx, operation, operand,
                     x ? ILEX_E_CONTEXT : ILEX_E_ARGUMENT, "%s: %s %s",
                     operation, name,
                     x ? "belongs to another context" : "is NULL");
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
