/* SPDX-License-Identifier: MIT
 *
 * Reading .ilx programs: the session (names, scopes, errors) and the
 * statements, one function for each row of statements.def.
 */
#include "lib/parse.h"

#include <stdio.h>

#include "lib/dtype.h"
#include "lib/eval.h"

/* ---- session ---- */

void
ix_parser_init(ix_parser *p, ilex_context *ctx)
{
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->outer = ctx->location;
    p->before = ctx->error.code;
    p->scope = SIZE_MAX;
    p->reader.ctx = ctx;
    p->reader.text = p->reader.end = p->reader.file = "";
    ix_arena_init(&p->reader.arena, &ctx->mem);
}

/* Begins to read a text; errors leave by the arena from here on. */
static void
start(ix_parser *p, const char *text, size_t length, const char *file)
{
    ilex_context *ctx = p->ctx;
    snprintf(ctx->location.file, sizeof ctx->location.file, "%s",
             file ? file : "");
    ctx->location.line = ctx->location.column = 0;
    p->scope = ilex_scope_begin(ctx);
    if (p->scope == SIZE_MAX)
        ix_lex_abort(&p->reader);
    ix_reader_init(&p->reader, ctx, text, length, file);
}

bool
ix_parser_try(ix_parser *p, const ix_parser_text *text, ix_parser_work work,
              void *user)
{
    if (!IX_ARENA_TRY(&p->reader.arena))
        return false;
    start(p, text->text, text->length, text->file);
    work(p, user);
    return true;
}

/* Frees the session's tables. */
static void
close_session(ix_parser *p)
{
    ix_table_free(&p->names, &p->ctx->mem);
    ix_map_free(&p->depths, &p->ctx->mem);
    ix_arena_free(&p->reader.arena);
    p->ctx->location = p->outer;
}

ilex_array *
ix_parser_end(ix_parser *p, ilex_array *result)
{
    close_session(p);
    return p->scope == SIZE_MAX ? result
                                : ilex_scope_end(p->ctx, p->scope, result);
}

ilex_array *
ix_parser_fail(ix_parser *p)
{
    ix_error *err = &p->ctx->error;
    ix_reader_diagnose(&p->reader, p->before);
    if (p->before == ILEX_OK && p->outer.line && !err->file[0]) {
        err->line = p->outer.line;
        err->column = p->outer.column;
        memcpy(err->file, p->outer.file, sizeof err->file);
    }
    ix_parser_end(p, NULL);
    return p->ctx->poison;
}

void
ix_parser_at(ix_parser *p, const ix_word *word)
{
    p->ctx->location.line = word->line;
    p->ctx->location.column = word->column;
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
hash_name(const char *text, size_t length, bool is_size)
{
    return ix_hash_bytes(is_size, text, length);
}

static bool
name_equal(const void *item, const void *key)
{
    const ix_name *a = item, *b = key;
    return a->is_size == b->is_size && a->length == b->length &&
           !memcmp(a->text, b->text, a->length);
}

ix_name *
ix_parser_find(ix_parser *p, const char *text, size_t length, bool is_size)
{
    ix_name key = {.text = text, .length = length, .is_size = is_size};
    return ix_table_find(&p->names, hash_name(text, length, is_size), &key,
                         name_equal);
}

/* Adds a name that is not there yet. */
static ix_name *
add_name(ix_parser *p, const char *text, size_t length, bool is_size)
{
    ix_name *name = ix_arena_new(&p->reader.arena, sizeof *name);
    name->text = text;
    name->length = length;
    name->is_size = is_size;
    if (!ix_table_add(&p->names, &p->ctx->mem, hash_name(text, length, is_size),
                      name))
        ix_lex_abort(&p->reader);
    return name;
}

void
ix_parser_define(ix_parser *p, const ix_word *word, ilex_array *array)
{
    ix_name *name = ix_parser_find(p, word->text, (size_t)word->length, false);
    if (name)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, word,
                    "the name '%.*s' is taken on line %d", (int)word->length,
                    word->text, (int)name->line);
    name = add_name(p, word->text, (size_t)word->length, false);
    name->array = array;
    name->line = word->line;
}

/* Checks a name that the program gives. */
static void
check_name(ix_parser *p, const char *what, const ix_word *word)
{
    ix_parser_at(p, word);
    if (!ix_name_check(&p->ctx->error, what, word->text, (size_t)word->length))
        ix_lex_abort(&p->reader);
    if (ix_parse_is_constant_name(word->text, (size_t)word->length))
        ix_lex_fail(&p->reader, ILEX_E_NAME, word,
                    "'%.*s' is a constant and cannot name anything else",
                    (int)word->length, word->text);
}

/* The parameter called "word", made if it is new. */
static int32_t
param_of(ix_parser *p, const ix_word *word)
{
    if (p->ctx->nparams >= IX_TEXT_MAX_LIST)
        ix_lex_fail(&p->reader, ILEX_E_LIMIT, word,
                    "more than %d sizes in one context", (int)IX_TEXT_MAX_LIST);
    int32_t param = ix_param_of(
        p->ctx, ix_symbol_of(p->ctx, word->text, (size_t)word->length));
    if (param < 0)
        ix_lex_abort(&p->reader);
    return param;
}

int32_t
ix_parser_size(ix_parser *p, const ix_word *word)
{
    ix_name *name = ix_parser_find(p, word->text, (size_t)word->length, true);
    if (name)
        return name->param;
    if (!p->new_sizes)
        ix_parser_unknown(p, word, "size");
    check_name(p, "size", word);
    return param_of(p, word);
}

void
ix_parser_unknown(ix_parser *p, const ix_word *word, const char *what)
{
    int n = word->length < 64 ? (int)word->length : 64;
    bool size = !strcmp(what, "size");
    ix_lex_fail(&p->reader, ILEX_E_UNKNOWN, word, "there is no %s '%.*s'%s%.*s",
                what, n, word->text, size ? "; declare it: size " : "",
                size ? n : 0, word->text);
}

/* ---- statements ---- */

static void
build_ILEX(ix_parser *p, const ix_statement *s)
{
    if (!ix_word_is(&s->name, "1"))
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &s->name,
                    "version %.*s of the format; this library reads version 1",
                    s->name.length < 20 ? (int)s->name.length : 20,
                    s->name.text);
}

static void
build_PROGRAM(ix_parser *p, const ix_statement *s)
{
    check_name(p, "program", &s->name);
    memcpy(p->module->name, s->name.text, (size_t)s->name.length);
    p->module->name[s->name.length] = 0;
}

static void
build_SIZE(ix_parser *p, const ix_statement *s)
{
    for (size_t i = 0; i < s->nwords; i++) {
        const ix_word *w = &s->words[i];
        check_name(p, "size", w);
        ix_name *name = ix_parser_find(p, w->text, (size_t)w->length, true);
        if (name)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, w,
                        "the size '%.*s' is declared on line %d",
                        (int)w->length, w->text, (int)name->line);
        name = add_name(p, w->text, (size_t)w->length, true);
        name->param = param_of(p, w);
        name->line = w->line;
    }
}

static void
build_ASSUME(ix_parser *p, const ix_statement *s)
{
    ix_parse_assume(p, s->expr);
    ix_parse_check_assumptions(p, &s->keyword);
}

static void
build_IN(ix_parser *p, const ix_statement *s)
{
    int64_t halo[2 * ILEX_MAX_RANK];
    check_name(p, "input", &s->name);
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_domain(p, &s->type.ranges);
    if (s->has_halo)
        ix_parse_halo(p, dom, &s->halo, halo);
    ix_parser_at(p, &s->name);
    ilex_array *x = ix_parser_array(
        p, ix_build_input(p->ctx, s->name.text, (size_t)s->name.length, dtype,
                          dom, s->has_halo ? halo : NULL));
    ix_parser_define(p, &s->name, x);
    if (ix_module_add_input(p->module, x) != ILEX_OK)
        ix_lex_abort(&p->reader);
}

/* Names what a statement built. */
static void
define(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    check_name(p, "array", &s->name);
    ix_parser_define(p, &s->name, ix_parser_array(p, x));
}

static void
build_CONST(ix_parser *p, const ix_statement *s)
{
    define(p, s, ix_parse_const(p, s));
}

/* May a literal of dtype "weak" become "dtype"? Within its kind only. */
static bool
literal_may_be(ilex_dtype weak, ilex_dtype dtype)
{
    char kind = ix_dtype_kind(dtype);
    return weak == dtype || kind == 'f' || kind == 'c' ||
           (weak == ILEX_I64 && kind != 'b');
}

/* A literal as the declared "dtype", unchanged if that is of another kind. */
static ilex_array *
declared_literal(ix_parser *p, const ix_word *where, ilex_array *x,
                 ilex_dtype dtype)
{
    ilex_context *ctx = p->ctx;
    ilex_dtype weak = (ilex_dtype)x->dtype;
    if (!literal_may_be(weak, dtype))
        dtype = weak;
    ilex_array *r = ix_parser_array(p, ix_build_cast(ctx, dtype, x));
    ix_value back, v = ix_const_value(r);
    ix_cast_eval(dtype, weak, &v, &back);
    if (ix_dtype_is_integer(dtype) &&
        (back.i != x->attr[0] || (dtype == ILEX_U64 && back.i < 0)))
        ix_lex_fail(&p->reader, ILEX_E_LITERAL, where,
                    "the integer %lld does not fit %s", (long long)x->attr[0],
                    ilex_dtype_name(dtype));
    return r;
}

/* The value of a statement as its type says: converted only if it is a
 * literal, and on the type's domain. */
static ilex_array *
typed_value(ix_parser *p, const ix_statement *s)
{
    ilex_context *ctx = p->ctx;
    ilex_array *x = ix_parse_expr(p, s->expr);
    if (!s->type.dtype.length)
        return x;
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_domain(p, &s->type.ranges);
    ix_parser_at(p, &s->expr->word);
    if (ix_is_weak(x))
        x = declared_literal(p, &s->expr->word, x, dtype);
    if (x->dtype != dtype)
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &s->expr->word,
                    "%.*s is declared %s, but the expression is %s; convert "
                    "it: %s(...)",
                    (int)s->name.length, s->name.text, ilex_dtype_name(dtype),
                    ilex_dtype_name((ilex_dtype)x->dtype),
                    ilex_dtype_name(dtype));
    char what[80];
    size_t n = (size_t)s->name.length;
    memcpy(what, s->name.text, n);
    what[n] = 0;
    ix_parser_at(p, &s->name);
    return ix_parser_array(p, ix_build_restrict(ctx, what, x, dom));
}

static void
build_LET(ix_parser *p, const ix_statement *s)
{
    define(p, s, typed_value(p, s));
}

static void
build_MAP(ix_parser *p, const ix_statement *s)
{
    define(p, s, ix_parse_map(p, s));
}

static void
build_EINSUM(ix_parser *p, const ix_statement *s)
{
    define(p, s, ix_parse_einsum(p, s));
}

static void
build_RESHAPE(ix_parser *p, const ix_statement *s)
{
    define(p, s, ix_parse_reshape(p, s));
}

static void
build_NODE(ix_parser *p, const ix_statement *s)
{
    define(p, s, ix_parse_node(p, s));
}

/* The input named by `inplace`, which must look like the output. */
static const char *
inplace_input(ix_parser *p, const ix_statement *s, const ilex_array *value,
              char *buffer)
{
    const ix_word *w = &s->option;
    ix_name *name = ix_parser_find(p, w->text, (size_t)w->length, false);
    if (!w->length)
        return NULL;
    if (!name || name->array->kind != IX_INPUT)
        ix_parser_unknown(p, w, "input");
    const ilex_array *x = name->array;
    if (x->dtype != value->dtype || !ix_is_array(value) ||
        x->interior != value->interior)
        ix_lex_fail(&p->reader, ILEX_E_SHAPE, w,
                    "%.*s is %s[%s]; an output in its place has the same "
                    "dtype and domain",
                    (int)w->length, w->text,
                    ilex_dtype_name((ilex_dtype)x->dtype),
                    ix_domain_show(p->ctx, x->interior).s);
    memcpy(buffer, w->text, (size_t)w->length);
    buffer[w->length] = 0;
    return buffer;
}

static void
build_OUT(ix_parser *p, const ix_statement *s)
{
    char name[80], inplace[80];
    check_name(p, "output", &s->name);
    ilex_array *x = typed_value(p, s);
    ix_parser_define(p, &s->name, x);
    const char *in = inplace_input(p, s, x, inplace);
    memcpy(name, s->name.text, (size_t)s->name.length);
    name[s->name.length] = 0;
    ix_parser_at(p, &s->name);
    if (ilex_module_output(p->module, name, x, in) != ILEX_OK)
        ix_lex_abort(&p->reader);
}

static void
build_COMMENT(ix_parser *p, const ix_statement *s)
{
    (void)p, (void)s;
}

static void (*const build_of[IX_NSTATEMENTS])(ix_parser *,
                                              const ix_statement *) = {
#define IX_STATEMENT(NAME, keyword, example) build_##NAME,
#include "lib/statements.def"
};

/* ---- programs ---- */

/* `ilex` and `program` come first and once; returns how many have come. */
static int
check_order(ix_parser *p, const ix_statement *s, int seen)
{
    ix_statement_kind wanted =
        seen == 0 ? IX_STATEMENT_ILEX : IX_STATEMENT_PROGRAM;
    bool heading =
        s->kind == IX_STATEMENT_ILEX || s->kind == IX_STATEMENT_PROGRAM;
    if (s->kind == IX_STATEMENT_COMMENT)
        return seen;
    if (seen < 2 && s->kind != wanted)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &s->keyword,
                    "expected '%s' before other statements",
                    ix_statement_examples[wanted]);
    if (seen == 2 && heading)
        ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, &s->keyword,
                    "'%s' is given once, at the beginning",
                    ix_statement_keywords[s->kind]);
    return heading ? seen + 1 : seen;
}

static void
build_program(ix_parser *p, void *unused)
{
    int seen = 0;
    const ix_statement *s = ix_syntax_program(&p->reader);
    (void)unused;
    for (; s; s = s->next) {
        seen = check_order(p, s, seen);
        build_of[s->kind](p, s);
    }
    if (seen < 2) {
        ix_word start_of_text = {p->reader.text, 0, 1, 1};
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &start_of_text,
                    "a program starts with the lines 'ilex 1' and, for "
                    "example, 'program hdiff'");
    }
}

/* The assumptions of a program that failed are taken back. */
typedef struct assumptions {
    size_t count, nparams;
    ix_param *param;
} assumptions;

static bool
save_assumptions(ilex_context *ctx, assumptions *old)
{
    size_t bytes = ctx->nparams * sizeof *old->param;
    old->count = ctx->nassumptions;
    old->nparams = ctx->nparams;
    old->param = ix_mem_new(&ctx->mem, bytes);
    if (old->param && bytes)
        memcpy(old->param, ctx->param, bytes);
    return old->param != NULL;
}

static void
restore_assumptions(ilex_context *ctx, const assumptions *old)
{
    ctx->nassumptions = old->count;
    for (size_t i = 0; i < ctx->nparams; i++) {
        ctx->param[i].low = i < old->nparams ? old->param[i].low : 0;
        ctx->param[i].high = i < old->nparams ? old->param[i].high : INT64_MAX;
    }
}

ilex_module *
ix_module_parse(ilex_context *ctx, const char *text, size_t length,
                const char *file)
{
    ix_parser p;
    assumptions old;
    ix_parser_init(&p, ctx);
    p.module = ilex_module_new(ctx, "program");
    if (!p.module)
        return NULL;
    if (!save_assumptions(ctx, &old)) {
        ix_fail_memory(&ctx->error);
        ilex_module_free(p.module);
        return NULL;
    }
    ix_parser_text whole = {text, length, file};
    bool ok = ix_parser_try(&p, &whole, build_program, NULL);
    if (ok) {
        ix_parser_end(&p, NULL);
    } else {
        restore_assumptions(ctx, &old);
        ilex_module_free(p.module);
        ix_parser_fail(&p);
    }
    ix_mem_free(&ctx->mem, old.param);
    return ok ? p.module : NULL;
}

/* ---- single texts ---- */

/* Sizes that the context knows may be used. */
static void
add_known_sizes(ix_parser *p)
{
    ilex_context *ctx = p->ctx;
    for (size_t i = 0; i < ctx->nparams; i++) {
        const char *text = ix_param_name(ctx, (int32_t)i);
        if (!ix_parser_find(p, text, strlen(text), true))
            add_name(p, text, strlen(text), true)->param = (int32_t)i;
    }
}

/* An expression, its operands, and the result. */
typedef struct expr_work {
    size_t count;
    const char *const *names;
    ilex_array *const *operands;
    ilex_array *result;
} expr_work;

static void
read_expr(ix_parser *p, void *user)
{
    expr_work *w = user;
    add_known_sizes(p);
    for (size_t i = 0; i < w->count; i++) {
        ix_word word = {w->names[i], (int32_t)strlen(w->names[i]), 1, 1};
        ix_parser_define(p, &word, w->operands[i]);
    }
    w->result = ix_parse_expr(p, ix_syntax_whole_expr(&p->reader));
}

ilex_array *
ix_parse_text_expr(ilex_context *ctx, const char *text, size_t length,
                   size_t count, const char *const *names,
                   ilex_array *const *operands)
{
    ix_parser p;
    expr_work w = {count, names, operands, NULL};
    ix_parser_text whole = {text, length, NULL};
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, read_expr, &w))
        return ix_parser_fail(&p);
    return ix_parser_end(&p, w.result);
}

typedef struct domain_work {
    int64_t *halo;
    bool *has_halo;
    const ix_domain *result;
} domain_work;

static void
read_domain(ix_parser *p, void *user)
{
    domain_work *w = user;
    ix_ranges ranges = {0}, widths = {0};
    p->new_sizes = true;
    ix_syntax_whole_domain(&p->reader, &ranges, w->halo ? &widths : NULL);
    w->result = ix_parse_domain(p, &ranges);
    if (!w->halo)
        return;
    ix_parse_halo(p, w->result, &widths, w->halo);
    *w->has_halo = widths.n > 0;
}

const ix_domain *
ix_parse_text_domain(ilex_context *ctx, const char *text, int64_t *halo,
                     bool *has_halo)
{
    ix_parser p;
    domain_work w = {halo, has_halo, NULL};
    ix_parser_text whole = {text, strlen(text), NULL};
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, read_domain, &w)) {
        ix_parser_fail(&p);
        return NULL;
    }
    ix_parser_end(&p, NULL);
    return w.result;
}

static void
read_lin(ix_parser *p, void *user)
{
    const ix_lin **result = user;
    p->new_sizes = true;
    *result = ix_parse_lin(p, ix_syntax_whole_expr(&p->reader));
}

const ix_lin *
ix_parse_text_lin(ilex_context *ctx, const char *text)
{
    ix_parser p;
    const ix_lin *a = NULL;
    ix_parser_text whole = {text, strlen(text), NULL};
    ix_parser_init(&p, ctx);
    if (!ix_parser_try(&p, &whole, read_lin, &a)) {
        ix_parser_fail(&p);
        return NULL;
    }
    ix_parser_end(&p, NULL);
    return a;
}

static void
read_assume(ix_parser *p, void *unused)
{
    (void)unused;
    p->new_sizes = true;
    const ix_syntax *x = ix_syntax_whole_expr(&p->reader);
    ix_parse_assume(p, x);
    ix_parse_check_assumptions(p, &x->word);
}

ilex_status
ix_parse_text_assume(ilex_context *ctx, const char *text)
{
    ix_parser p;
    assumptions old;
    ix_parser_text whole = {text, strlen(text), NULL};
    if (!save_assumptions(ctx, &old))
        return ix_fail_memory(&ctx->error);
    ix_parser_init(&p, ctx);
    bool ok = ix_parser_try(&p, &whole, read_assume, NULL);
    if (ok) {
        ix_parser_end(&p, NULL);
    } else {
        restore_assumptions(ctx, &old);
        ix_parser_fail(&p);
    }
    ix_mem_free(&ctx->mem, old.param);
    return ok ? ILEX_OK : ctx->error.code;
}
