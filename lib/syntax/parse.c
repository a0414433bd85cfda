/* SPDX-License-Identifier: MIT
 *
 * The session in which a text is read: its scope, its names, the way out for
 * errors, what is taken back after one.
 */
#include "lib/syntax/parse.h"
#include "lib/base/stack.h"
#include "lib/graph/counted.h"
#include "lib/graph/function.h"

#include "lib/syntax/suggest.h"

#include <stdio.h>

/* ---- session ---- */

void
ix_parser_init(ix_parser *p, ilex_context *ctx)
{
    memset(p, 0, offsetof(ix_parser, before));
    p->ctx = ctx;
    p->outer = ctx->location;
    p->place = ctx->place;
    ix_errors_take(&ctx->error, &p->before);
    p->proof = ix_proof_open(ctx);
    p->scope = SIZE_MAX;
    p->reader.ctx = ctx;
    p->reader.text = p->reader.end = p->reader.file = "";
    ix_arena_init(&p->reader.arena, &ctx->mem);
    p->mem = ix_arena_mem(&p->reader.arena);
}

/* Begins to read a text; errors leave by the arena from here on. */
static void
start(ix_parser *p, const char *text, size_t length, const char *file)
{
    ilex_context *ctx = p->ctx;
    int32_t symbol = file ? ix_symbol_of(ctx, file, strlen(file)) : 0;
    ctx->location.file = NULL;
    ctx->location.line = ctx->location.column = 0;
    p->file = symbol;
    if (p->module) /* what the text of an argument makes is made by C */
        ctx->place.file = symbol;
    if (symbol < 0) {
        ctx->place = (ix_location){0};
        ix_lex_abort(&p->reader);
    }
    ctx->location.file = ix_symbol_text(ctx, symbol);
    p->scope = ilex_scope_begin(ctx);
    if (p->scope == SIZE_MAX)
        ix_lex_abort(&p->reader);
    ix_reader_init(&p->reader, ctx, text, length, file);
}

typedef struct session {
    ix_parser *p;
    const ix_parser_text *text;
    ix_parser_work work;
    void *user;
    bool done;
} session;

static void
run_session(void *arg)
{
    session *s = arg;
    if (!IX_ARENA_TRY(&s->p->reader.arena))
        return;
    start(s->p, s->text->text, s->text->length, s->text->file);
    s->work(s->p, s->user);
    s->done = true;
}

/* Do brackets and prefix operators nest, where the reader recurses, deeper than
 * the smallest stacks allow? */
static bool
nests_deep(const ix_parser_text *text)
{
    enum { SHALLOW = 8 };
    int brackets = 0, prefixes = 0;
    for (size_t i = 0; i < text->length; i++) {
        char c = text->text[i];
        brackets += (c == '(' || c == '[' || c == '{') -
                    (c == ')' || c == ']' || c == '}');
        prefixes += c == '-' || c == '!' || c == '~';
        if (brackets + prefixes > SHALLOW)
            return true;
        if (c == '\n' && brackets <= 0)
            brackets = prefixes = 0;
    }
    return false;
}

bool
ix_parser_try(ix_parser *p, const ix_parser_text *text, ix_parser_work work,
              void *user)
{
    session s = {p, text, work, user, false};
    if (nests_deep(text))
        ix_on_stack(run_session, &s);
    else
        run_session(&s);
    return s.done;
}

/* Frees the session's tables. */
static void
close_session(ix_parser *p)
{
    ix_map_free(&p->depths, &p->ctx->mem);
    ix_arena_free(&p->reader.arena);
    p->ctx->location = p->outer;
    p->ctx->place = p->place;
    p->ctx->proof = p->proof;
    ix_errors_restore(&p->ctx->error, &p->before);
}

ilex_array *
ix_parser_end(ix_parser *p, ilex_array *result)
{
    result = ix_proof_close(p->ctx, p->proof, result);
    close_session(p);
    return p->scope == SIZE_MAX ? result
                                : ilex_scope_end(p->ctx, p->scope, result);
}

/* Says from where the function was called whose body an error is in. */
static void
note_calls(const ix_parser *p, ix_error *err)
{
    for (const ix_call *c = p->call; c; c = c->outer) {
        size_t n = strlen(err->text);
        if (!c->checking)
            snprintf(err->text + n, sizeof err->text - n,
                     " (in %.*s, called on line %d)",
                     (int)c->function->name.length, c->function->name.text,
                     (int)c->at->line);
    }
}

/* Says where the statement comes from, if a tag says so. */
static void
note_made(const ix_parser *p, ix_error *err)
{
    size_t n = strlen(err->text);
    if (p->made.line && err->code != ILEX_OK)
        snprintf(err->text + n, sizeof err->text - n, " (from %s:%d:%d)",
                 ix_symbol_text(p->ctx, p->made.file), p->made.line,
                 p->made.column);
}

/* Makes the error of the session, if there is one, a diagnostic. What fails
 * without one fails of a statement before, or for lack of memory. */
static void
diagnose(ix_parser *p)
{
    ix_error *err = &p->ctx->error;
    if (err->code == ILEX_OK && p->before.code != ILEX_OK)
        return;
    note_calls(p, err);
    note_made(p, err);
    ix_reader_diagnose(&p->reader);
    if (p->outer.line && (!err->file || !*err->file)) {
        err->line = p->outer.line;
        err->column = p->outer.column;
        err->file = p->outer.file;
    }
}

bool
ix_parser_go_on(ix_reader *r)
{
    ix_parser *p = (ix_parser *)(void *)r; /* its first member */
    ix_error *err = &p->ctx->error;
    p->failed = true;
    if (err->code == ILEX_E_LIMIT || err->code == ILEX_E_MEMORY ||
        (err->code == ILEX_OK && p->before.code == ILEX_OK))
        return false;
    diagnose(p);
    ix_errors_restore(err, &p->before);
    ix_errors_take(err, &p->before);
    return true;
}

ilex_array *
ix_parser_fail(ix_parser *p)
{
    diagnose(p);
    ix_parser_end(p, NULL);
    return p->ctx->poison;
}

const char *
ix_parser_string(ix_parser *p, const ix_word *word)
{
    size_t n = (size_t)word->length;
    char *text = ix_arena_new(&p->reader.arena, n + 1);
    memcpy(text, word->text, n);
    return text;
}

void
ix_parser_at(ix_parser *p, const ix_word *word)
{
    p->ctx->location.line = word->line;
    p->ctx->location.column = word->column;
    if (p->made.line) {
        p->ctx->place = p->made;
    } else if (p->module) {
        p->ctx->place.file = p->file;
        p->ctx->place.line = word->line;
        p->ctx->place.column = word->column;
        p->ctx->place.length = word->length;
    }
}

ilex_array *
ix_parser_array(ix_parser *p, ilex_array *x)
{
    if (!x || ix_is_poison(x))
        ix_lex_abort(&p->reader);
    return x;
}

/* Does "x" carry a body that operations on it copy? */
static bool
is_inlined(const ilex_array *x)
{
    return !ix_is_array(x) || (x->kind == IX_LAMBDA && x->nops == 1);
}

ilex_array *
ix_parser_depth(ix_parser *p, const ix_word *where, int n,
                ilex_array *const *args, ilex_array *x)
{
    size_t depth = 0;
    if (!is_inlined(x) || x->nops == 0)
        return x;
    for (int i = 0; i < n; i++) {
        size_t *d = ix_map_find(&p->depths, args[i]);
        depth = d && *d > depth ? *d : depth;
    }
    if (++depth > IX_TEXT_MAX_DEPTH)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, where,
                    "more than %d operations without an array in between; sum "
                    "over an array instead",
                    (int)IX_TEXT_MAX_DEPTH);
    if (!ix_map_find(&p->depths, x) &&
        !ix_map_set(&p->depths, &p->ctx->mem, x, depth))
        ix_lex_abort(&p->reader);
    return x;
}

/* ---- names ---- */

static uint64_t
hash_name(const char *text, size_t length, ix_name_kind kind)
{
    return ix_hash_bytes(kind, text, length);
}

static bool
name_equal(const void *item, const void *key)
{
    const ix_name *a = item, *b = key;
    return a->kind == b->kind && a->length == b->length &&
           !memcmp(a->text, b->text, a->length);
}

/* Functions are known inside of functions, other names are not. */
static ix_table *
table_of(ix_parser *p, ix_name_kind kind)
{
    return kind == IX_NAME_FUNCTION ? &p->functions : &p->names;
}

static ix_name *
look_up(ix_parser *p, const char *text, size_t length, ix_name_kind kind)
{
    ix_name key = {.text = text, .length = length, .kind = kind};
    return ix_table_find(table_of(p, kind), hash_name(text, length, kind), &key,
                         name_equal);
}

ix_name *
ix_parser_find(ix_parser *p, const ix_word *word, ix_name_kind kind)
{
    ix_name *name = look_up(p, word->text, (size_t)word->length, kind);
    if (name && name->spoilt)
        ix_lex_abort(&p->reader);
    return name;
}

ix_name *
ix_parser_find_text(ix_parser *p, const char *text, ix_name_kind kind)
{
    ix_word word = {.text = text, .length = (int32_t)strlen(text)};
    return ix_parser_find(p, &word, kind);
}

void
ix_parser_spoil(ix_parser *p, const ix_word *word, ix_name_kind kind)
{
    size_t n = (size_t)word->length;
    ix_name *name = look_up(p, word->text, n, kind);
    if (!name && n > 0)
        name = ix_parser_add(p, word->text, n, kind);
    if (name)
        name->spoilt = true;
}

/* Notes a name that is known up to the end of a loop. */
static void
name_inside(ix_loop_scope *l, const ix_mem *mem, ix_name *name)
{
    ix_mem_grow(mem, &l->inner, &l->inner_capacity, l->ninner + 1,
                sizeof *l->inner);
    l->inner[l->ninner++] = name;
}

ix_name *
ix_parser_add(ix_parser *p, const char *text, size_t length, ix_name_kind kind)
{
    ix_name *name = ix_arena_new(&p->reader.arena, sizeof *name);
    name->text = text;
    name->length = length;
    name->kind = kind;
    if (!ix_table_add(table_of(p, kind), &p->mem, hash_name(text, length, kind),
                      name))
        ix_lex_abort(&p->reader);
    if (p->loop)
        name_inside(p->loop, &p->mem, name);
    return name;
}

const ix_loop_scope *
ix_parser_carrier(const ix_parser *p, const ix_word *word, int *k)
{
    for (const ix_loop_scope *l = p->loop; l; l = l->outer)
        for (*k = 0; *k < l->ncarries; ++*k) {
            const ix_word *name = &l->name[*k]->name;
            if (name->length == word->length &&
                !memcmp(name->text, word->text, (size_t)word->length))
                return l;
        }
    return NULL;
}

/* Takes back a name, if it is there. */
static void
forget(ix_parser *p, const ix_name *name)
{
    ix_table_remove(table_of(p, name->kind),
                    hash_name(name->text, name->length, name->kind), name);
}

void
ix_parse_close_loop(ix_parser *p)
{
    ix_loop_scope *l = p->loop;
    for (size_t i = 0; i < l->ninner; i++)
        forget(p, l->inner[i]);
    p->loop = l->outer;
}

ix_name *
ix_parser_declare(ix_parser *p, const ix_word *word, ix_name_kind kind)
{
    static const char *const what[][2] = {
        [IX_NAME_ARRAY] = {"name", "taken"},
        [IX_NAME_SIZE] = {"size", "declared"},
        [IX_NAME_DOMAIN] = {"domain", "declared"},
        [IX_NAME_FUNCTION] = {"function", "defined"}};
    size_t n = (size_t)word->length;
    ix_name *name = look_up(p, word->text, n, kind);
    if (name && !name->spoilt)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, word,
                    "the %s '%.*s' is %s on line %d", what[kind][0],
                    (int)word->length, word->text, what[kind][1],
                    (int)name->line);
    if (!name)
        name = ix_parser_add(p, word->text, n, kind);
    name->spoilt = false;
    name->line = word->line;
    return name;
}

ilex_array *
ix_parser_named(ix_parser *p, const ix_word *word)
{
    ix_name *name = ix_parser_find(p, word, IX_NAME_ARRAY);
    if (!name)
        ix_parser_unknown(p, word, "array");
    return name->array;
}

ix_name *
ix_parser_define(ix_parser *p, const ix_word *word, ilex_array *array)
{
    ix_name *name = ix_parser_declare(p, word, IX_NAME_ARRAY);
    name->array = array;
    return name;
}

void
ix_parser_check_name(ix_parser *p, const char *what, const ix_word *word)
{
    ix_parser_at(p, word);
    if (!ix_name_check(&p->ctx->error, what, word->text, (size_t)word->length))
        ix_lex_abort(&p->reader);
    if (ix_is_constant_name(word->text, (size_t)word->length))
        ix_lex_fail(&p->reader, ILEX_E_NAME, word,
                    "'%.*s' is a constant and cannot name anything else",
                    (int)word->length, word->text);
}

int32_t
ix_parser_param(ix_parser *p, const ix_word *word)
{
    if (p->ctx->nparams >= IX_TEXT_MAX_LIST)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, word,
                    "more than %d sizes in one context", (int)IX_TEXT_MAX_LIST);
    int32_t name = ix_symbol_of(p->ctx, word->text, (size_t)word->length);
    int32_t param = name < 0    ? name
                    : p->module ? ix_param_given(p->ctx, name)
                                : ix_param_of(p->ctx, name);
    if (param < 0)
        ix_lex_abort(&p->reader);
    return param;
}

const ix_lin *
ix_parser_size(ix_parser *p, const ix_word *word)
{
    ix_name *name = ix_parser_find(p, word, IX_NAME_SIZE);
    if (name)
        return name->size;
    if (!p->new_sizes)
        ix_parser_unknown(p, word, "size");
    int32_t param =
        p->module ? -1
                  : ix_counted_called(p->ctx, word->text, (size_t)word->length);
    if (param < 0) {
        ix_parser_check_name(p, "size", word);
        param = ix_parser_param(p, word);
    }
    const ix_lin *size = ix_lin_param(p->ctx, param);
    if (!size)
        ix_lex_abort(&p->reader);
    return size;
}

void
ix_parser_later(ix_parser *p, const ix_word *word)
{
    const ix_signature *s = ix_signature_find(word->text, (size_t)word->length);
    if (s && !s->build)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, word,
                    "%.*s is not supported in this version (`map` covers the "
                    "affine cases)",
                    (int)word->length, word->text);
}

/* Names of one kind of things; with arrays sizes, which stand beside them. */
static void
suggest_names(const ix_parser *p, ix_suggestion *near, ix_name_kind kind)
{
    for (size_t i = 0; i < p->names.capacity; i++) {
        const ix_name *name = p->names.entries[i].item;
        if (name && (name->kind == kind ||
                     (kind == IX_NAME_ARRAY && name->kind == IX_NAME_SIZE)))
            ix_suggest_name(near, name->text, name->length);
    }
}

/* Has the host registered a function that is called so? */
static bool
is_registered(const ix_parser *p, const ix_word *word)
{
    bool found = false;
    for (size_t i = 0; i < p->ctx->nfunctions; i++)
        found |= ix_word_is(word, ix_function_name(p->ctx, i));
    return found;
}

void
ix_parser_unknown(ix_parser *p, const ix_word *word, const char *what)
{
    int n = word->length < 64 ? (int)word->length : 64;
    bool size = !strcmp(what, "size");
    bool function = !strcmp(what, "function") || !strcmp(what, "reduction");
    const char *hint =
        ix_spelling_hint(function ? IX_SPELLING_FUNCTION : IX_SPELLING_NAME,
                         word->text, (size_t)word->length);
    ix_suggestion near = ix_suggest_word(word);
    if (function && is_registered(p, word))
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "the function '%.*s' is registered without its types: give "
                    "ilex_function_spec.declaration, or `extern` in a program",
                    n, word->text);
    if (function)
        ix_suggest_functions(&near);
    else
        suggest_names(p, &near,
                      size                      ? IX_NAME_SIZE
                      : !strcmp(what, "domain") ? IX_NAME_DOMAIN
                                                : IX_NAME_ARRAY);
    if (near.best && near.distance == 0)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word,
                    "'%.*s' is a function, no %s: write %.*s(...), see "
                    "`ilexc help %.*s`",
                    n, word->text, what, n, word->text, n, word->text);
    if (near.best || *hint)
        ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word, "there is no %s '%.*s'%s",
                    what, n, word->text,
                    *hint ? hint : ix_suggestion_show(&near).s);
    ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word, "there is no %s '%.*s'%s%.*s",
                what, n, word->text, size ? "; declare it: size " : "",
                size ? n : 0, word->text);
}

bool
ix_parse_text(ilex_context *ctx, const char *text, ix_parser_work work,
              void *user)
{
    ix_parser p;
    ix_parser_text whole = {text, strlen(text), NULL};
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, work, user)) {
        ix_parser_fail(&p);
        return false;
    }
    ix_parser_end(&p, NULL);
    return true;
}
