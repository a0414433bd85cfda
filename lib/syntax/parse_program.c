/* SPDX-License-Identifier: MIT
 *
 * Meaning of programs: one function for each row of statements.def gives a
 * statement its meaning, after the whole text has been read into a tree.
 */
#include "lib/build/box.h"
#include "lib/build/compress.h"
#include "lib/graph/counted.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "lib/syntax/parse.h"

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
    ix_parser_check_name(p, "program", &s->name);
    memcpy(p->module->name, s->name.text, (size_t)s->name.length);
    p->module->name[s->name.length] = 0;
}

/* The mask of count_nonzero(mask). */
static ilex_array *
parse_counted(ix_parser *p, const ix_word *size, const ix_syntax *x)
{
    if (x->kind != IX_SYNTAX_CALL || !ix_word_is(&x->word, "count_nonzero") ||
        x->nparts != 1 || x->attributes.n > 0)
        ix_lex_fail(&p->reader, ILEX_E_UNSUPPORTED, &x->word,
                    "a size is given by the caller, or counts the true "
                    "elements of an array: size %.*s = count_nonzero(x > 0)",
                    (int)size->length, size->text);
    ilex_array *mask = ix_parse_expr(p, x->part[0]);
    ix_parser_at(p, &x->word);
    return ix_parser_array(p, ix_build_mask(p->ctx, "size", mask));
}

/* The parameter that a size is. One of a loop is that of the text alone, which
 * may have others of the same name. */
static int32_t
parse_size(ix_parser *p, const ix_statement *s, const ix_word *w)
{
    ilex_context *ctx = p->ctx;
    bool nameless = p->loop || ix_is_counted_name(w->text, (size_t)w->length);
    if (!s->expr)
        return ix_parser_param(p, w);
    ilex_array *mask = parse_counted(p, w, s->expr);
    int32_t name = nameless ? 0 : ix_symbol_of(ctx, w->text, (size_t)w->length);
    int32_t param = name < 0 ? name : ix_counted_size(ctx, name, mask);
    /* as what is assumed, it is the program's even where no array names it */
    bool known = param >= 0 && (p->loop || ix_counted_name(ctx, param));
    if (!known ||
        (!p->loop && ix_module_assume(p->module, ctx->param[param].bound)))
        ix_lex_abort(&p->reader);
    return param;
}

static void
build_SIZE(ix_parser *p, const ix_statement *s)
{
    for (size_t i = 0; i < s->nwords; i++) {
        const ix_word *w = &s->words[i];
        if (!s->expr || !ix_is_counted_name(w->text, (size_t)w->length))
            ix_parser_check_name(p, "size", w);
        ix_name *name = ix_parser_find(p, w, IX_NAME_SIZE);
        if (name)
            ix_lex_fail(&p->reader, ILEX_E_DUPLICATE, w,
                        "the size '%.*s' is declared on line %d",
                        (int)w->length, w->text, (int)name->line);
        int32_t param = parse_size(p, s, w);
        name = ix_parser_add(p, w->text, (size_t)w->length, IX_NAME_SIZE);
        name->size = ix_lin_param(p->ctx, param);
        if (!name->size ||
            (!s->expr && ix_module_declare(p->module, param) != ILEX_OK))
            ix_lex_abort(&p->reader);
        name->line = w->line;
    }
}

static void
build_DOMAIN(ix_parser *p, const ix_statement *s)
{
    const ix_domain *dom = NULL;
    const ix_word *w = &s->name;
    const ix_env *proof = ix_proof_open(p->ctx);
    ix_parser_check_name(p, "domain", w);
    for (size_t i = 0; i < s->nboxes; i++) {
        const ix_domain *next = ix_parse_type_domain(p, &s->box[i]);
        ix_parser_at(p, w);
        dom = dom ? ix_box_intersect(p->ctx, "domain", dom, next) : next;
        if (!dom || !ix_build_check_names(p->ctx, "domain", dom) ||
            !ix_domain_check_extents(p->ctx, "domain", dom))
            ix_lex_abort(&p->reader);
    }
    ix_proof_close(p->ctx, proof, NULL); /* no array rests on it */
    ix_parser_declare(p, w, IX_NAME_DOMAIN)->domain = dom;
}

static void
build_ASSUME(ix_parser *p, const ix_statement *s)
{
    ix_parse_assume(p, &s->keyword, s->expr);
}

/* "-> Edge skip -1": what makes a connectivity of an input. */
static void
set_target(ix_parser *p, const ix_statement *s, ix_name *name)
{
    if (!s->axis)
        return;
    name->target = ix_parse_axis(p, s->axis);
    if (!ix_dtype_is_integer((ilex_dtype)name->array->dtype))
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &s->type.dtype,
                    "the elements of a connectivity are indices, integers, "
                    "for example in %.*s : i32[Vertex:nv, V2E:6] -> %s",
                    (int)s->name.length, s->name.text,
                    ix_symbol_text(p->ctx, name->target));
    name->skip = s->expr;
}

static void
build_IN(ix_parser *p, const ix_statement *s)
{
    int64_t halo[2 * ILEX_MAX_RANK];
    ix_parser_check_name(p, "input", &s->name);
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_type_domain(p, &s->type);
    if (s->has_halo)
        ix_parse_halo(p, dom, &s->halo, halo);
    ix_parser_at(p, &s->name);
    ilex_array *x = ix_parser_array(
        p, ix_build_input(p->ctx, s->name.text, (size_t)s->name.length, dtype,
                          dom, s->has_halo ? halo : NULL));
    ix_parse_tags(p, s, x);
    set_target(p, s, ix_parser_define(p, &s->name, x));
    if (ix_module_add_input(p->module, x) != ILEX_OK)
        ix_lex_abort(&p->reader);
}

/* Names what a statement built. */
static void
define(ix_parser *p, const ix_statement *s, ilex_array *x)
{
    ix_parser_check_name(p, "array", &s->name);
    x = ix_parser_array(p, x);
    ix_parse_tags(p, s, x);
    ix_parser_define(p, &s->name, x);
    if (p->call) /* a name of the function */
        return;
    int32_t name = ix_symbol_of(p->ctx, s->name.text, (size_t)s->name.length);
    if (ix_module_label(p->module, name, x) != ILEX_OK)
        ix_lex_abort(&p->reader);
}

/* May a literal of dtype "weak" become "dtype"? Within its kind only. */
static bool
literal_may_be(ilex_dtype weak, ilex_dtype dtype)
{
    char kind = ix_dtype_kind(dtype);
    return weak == dtype || kind == 'f' || kind == 'c' ||
           (weak == ILEX_I64 && kind != 'b');
}

ilex_array *
ix_parse_declared(ix_parser *p, const ix_word *where, ilex_array *x,
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
ilex_array *
ix_parse_typed_value(ix_parser *p, const ix_statement *s)
{
    ilex_context *ctx = p->ctx;
    ilex_array *x = ix_parse_expr(p, s->expr);
    if (!s->type.dtype.length)
        return x;
    ilex_dtype dtype = ix_parse_dtype(p, &s->type.dtype);
    const ix_domain *dom = ix_parse_type_domain(p, &s->type);
    ix_parser_at(p, &s->expr->word);
    if (ix_is_weak(x))
        x = ix_parse_declared(p, &s->expr->word, x, dtype);
    if (x->dtype != dtype)
        ix_lex_fail(&p->reader, ILEX_E_DTYPE, &s->expr->word,
                    "%.*s is declared %s, but the expression is %s; convert "
                    "it: %s(...)",
                    (int)s->name.length, s->name.text, ilex_dtype_name(dtype),
                    ilex_dtype_name((ilex_dtype)x->dtype),
                    ilex_dtype_name(dtype));
    ix_parser_at(p, &s->name);
    return ix_parser_array(
        p, ix_build_restrict(ctx, ix_parser_string(p, &s->name), x, dom));
}

/* Statements that give a name to what "parse" makes of them. */
#define DEFINES(KIND, parse)                                                   \
    static void build_##KIND(ix_parser *p, const ix_statement *s)              \
    {                                                                          \
        define(p, s, parse(p, s));                                             \
    }
DEFINES(CONST, ix_parse_const)
DEFINES(MAP, ix_parse_map)
DEFINES(EINSUM, ix_parse_einsum)
DEFINES(RESHAPE, ix_parse_reshape)
DEFINES(NODE, ix_parse_node)

/* The name "word" as a statement that defines it. */
static void
define_word(ix_parser *p, const ix_statement *s, const ix_word *word,
            ilex_array *x)
{
    ix_statement one = *s;
    one.name = *word;
    define(p, &one, x);
}

static void
build_LET(ix_parser *p, const ix_statement *s)
{
    ilex_array **result;
    if (s->nwords == 0) {
        define(p, s, ix_parse_typed_value(p, s));
        return;
    }
    const ix_word *w = &s->expr->word;
    if (s->expr->kind != IX_SYNTAX_CALL || !ix_parser_function(p, w))
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "several names are for the results of one call of a "
                    "function: let a, b = f(u)");
    size_t n = ix_parse_user_call(p, s->expr, &result);
    if (n != s->nwords + 1)
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, w,
                    "%.*s returns %zu array%s, and there are %zu names",
                    (int)w->length, w->text, n, n == 1 ? "" : "s",
                    s->nwords + 1);
    define(p, s, result[0]);
    for (size_t i = 0; i < s->nwords; i++)
        define_word(p, s, &s->words[i], result[i + 1]);
}

static void
build_FUNCTION(ix_parser *p, const ix_statement *s)
{
    ix_parse_function(p, s);
}

static void
build_EXTERN(ix_parser *p, const ix_statement *s)
{
    ix_parse_extern(p, s);
}

static void
build_LOOP(ix_parser *p, const ix_statement *s)
{
    size_t n = 0;
    ix_loop_result *result;
    for (const ix_statement *r = s; r; r = r->more)
        n++;
    ilex_array **first =
        ix_arena_new(&p->reader.arena, n * sizeof(ilex_array *));
    n = 0;
    for (const ix_statement *r = s; r; r = r->more)
        first[n++] = ix_parse_typed_value(p, r);
    const ix_syntax *count = ix_parse_loop_count(s);
    ix_parse_open_loop(p, s, first, count ? ix_parse_expr(p, count) : NULL);
    for (const ix_statement *b = s->body; b; b = b->next)
        ix_parse_statement(p, b);
    n = ix_parse_end_loop(p, s, &result);
    for (size_t i = 0; i < n; i++)
        define_word(p, s, result[i].name, result[i].array);
}

static void
build_NEXT(ix_parser *p, const ix_statement *s)
{
    ix_parse_next(p, s, ix_parse_expr(p, s->expr));
}

static void
build_UNTIL(ix_parser *p, const ix_statement *s)
{
    ix_parse_until(p, s, ix_parse_expr(p, s->expr));
}

static void
build_STACK(ix_parser *p, const ix_statement *s)
{
    ix_parse_stack(p, s, ix_parse_expr(p, s->expr));
}

static void
build_RETURN(ix_parser *p, const ix_statement *s)
{
    ix_parse_return(p, s);
}

static void
build_END(ix_parser *p, const ix_statement *s)
{
    (void)p, (void)s;
}

static void
build_SCAN(ix_parser *p, const ix_statement *s)
{
    ix_parse_scan(p, s);
}

/* The input named by `inplace`, which must look like the output. */
static const char *
inplace_input(ix_parser *p, const ix_statement *s, const ilex_array *value,
              char *buffer)
{
    const ix_word *w = &s->option;
    ix_name *name = ix_parser_find(p, w, IX_NAME_ARRAY);
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
    ix_parser_check_name(p, "output", &s->name);
    ilex_array *x = ix_parse_typed_value(p, s);
    ix_parser_define(p, &s->name, x);
    const char *in = inplace_input(p, s, x, inplace);
    memcpy(name, s->name.text, (size_t)s->name.length);
    name[s->name.length] = 0;
    ix_parser_at(p, &s->name);
    if (ilex_module_output(p->module, name, x, in) != ILEX_OK)
        ix_lex_abort(&p->reader);
    ix_parse_tags(p, s, p->module->output[p->module->noutputs - 1].array);
}

/* An input that comes from a rank, or what goes to one. */
static void
build_message(ix_parser *p, const ix_statement *s, bool sends)
{
    ix_name *name = ix_parser_find(p, &s->name, IX_NAME_ARRAY);
    int32_t symbol = ix_symbol_of(p->ctx, s->name.text, (size_t)s->name.length);
    if (!name || !ix_module_has_argument(p->module, symbol, sends))
        ix_parser_unknown(p, &s->name, sends ? "output or input" : "input");
    const ix_lin *rank = ix_parse_lin(p, s->expr);
    int64_t tag = s->number ? ix_parse_int(p, s->number) : 0;
    ix_parser_at(p, &s->name);
    if (ix_module_add_message(p->module, symbol, sends, rank, tag) != ILEX_OK)
        ix_lex_abort(&p->reader);
}

static void
build_RECV(ix_parser *p, const ix_statement *s)
{
    build_message(p, s, false);
}

static void
build_SEND(ix_parser *p, const ix_statement *s)
{
    build_message(p, s, true);
}

static void
build_COMMENT(ix_parser *p, const ix_statement *s)
{
    (void)p, (void)s;
}

static void (*const build_of[IX_NSTATEMENTS])(ix_parser *,
                                              const ix_statement *) = {
#define IX_STATEMENT(NAME, keyword, example, meaning) build_##NAME,
#include "lib/syntax/statements.def"
};

/* What a statement of a function makes is at the place that its own tag says,
 * else at that of the statement with the call. After an error p->made is the
 * innermost one. */
void
ix_parse_statement(ix_parser *p, const ix_statement *s)
{
    const ix_location around = p->made;
    ix_location own = ix_parse_place(p, s);
    if (own.line)
        p->made = own;
    /* what its proofs need is its own */
    const ix_env *proof = ix_proof_open(p->ctx);
    build_of[s->kind](p, s);
    ix_proof_close(p->ctx, proof, NULL);
    p->made = around;
}

/* ---- statements that fail ---- */

/* What a statement of the kind defines; those without a keyword anything. */
static void
spoil(ix_parser *p, const ix_statement *s, const ix_word *w)
{
    bool any = s->kind == IX_NSTATEMENTS;
    if (any || s->kind == IX_STATEMENT_SIZE)
        ix_parser_spoil(p, w, IX_NAME_SIZE);
    if (any || s->kind == IX_STATEMENT_DOMAIN)
        ix_parser_spoil(p, w, IX_NAME_DOMAIN);
    if (any || s->kind == IX_STATEMENT_FUNCTION ||
        s->kind == IX_STATEMENT_EXTERN)
        ix_parser_spoil(p, w, IX_NAME_FUNCTION);
    else if (s->kind != IX_STATEMENT_SIZE && s->kind != IX_STATEMENT_DOMAIN)
        ix_parser_spoil(p, w, IX_NAME_ARRAY);
}

/* Names that a statement should have defined are known, and of no use. */
static void
spoil_names(ix_parser *p, const ix_statement *s)
{
    bool words = s->skipped || s->kind == IX_STATEMENT_LET ||
                 s->kind == IX_STATEMENT_SIZE;
    if (s->name.length)
        spoil(p, s, &s->name);
    for (size_t i = 0; words && i < s->nwords; i++)
        spoil(p, s, &s->words[i]);
    bool several = s->kind == IX_STATEMENT_SCAN || s->kind == IX_STATEMENT_LOOP;
    for (const ix_statement *m = s->more; several && m; m = m->more)
        spoil(p, s, &m->name);
    for (const ix_statement *b = s->body; b; b = b->next)
        if (b->kind == IX_STATEMENT_STACK)
            spoil(p, s, &b->name);
    if (s->kind == IX_STATEMENT_LOOP)
        spoil(p, s, &s->chunks);
}

typedef struct attempt {
    ix_parser *p;
    const ix_statement *s;
} attempt;

static void
attempt_statement(void *user)
{
    attempt *a = user;
    ix_parse_statement(a->p, a->s);
}

/* Gives a statement its meaning; one that fails is taken back. */
static void
parse_or_spoil(ix_parser *p, const ix_statement *s)
{
    ilex_context *ctx = p->ctx;
    const ix_env *proof = ctx->proof, *in_force = ctx->in_force;
    attempt a = {p, s};
    if (!s->skipped && ix_lex_attempt(&p->reader, attempt_statement, &a))
        return;
    if (!s->skipped && !p->reader.go_on(&p->reader))
        ix_lex_abort(&p->reader);
    while (p->call)
        ix_parse_close_call(p);
    while (p->loop)
        ix_parse_close_loop(p);
    p->made = (ix_location){0};
    p->lambda = NULL;
    p->nassumed = 0;
    ctx->proof = proof;
    ctx->in_force = in_force;
    spoil_names(p, s);
}

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
    if (seen < 2 && s->skipped) /* it may have been this */
        return seen + 1;
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
    /* a program says itself what it assumes and what is counted */
    p->ctx->in_force = NULL;
    p->ctx->first_counted = p->ctx->ncounted;
    for (; s; s = s->next) {
        seen = check_order(p, s, seen);
        parse_or_spoil(p, s);
    }
    if (seen < 2) {
        ix_word start_of_text = {p->reader.text, 0, 1, 1};
        ix_lex_fail(&p->reader, ILEX_E_SYNTAX, &start_of_text,
                    "a program starts with the lines 'ilex 1' and, for "
                    "example, 'program hdiff'");
    }
}

ilex_module *
ix_module_parse(ilex_context *ctx, const char *text, size_t length,
                const char *file)
{
    ix_parser p;
    ix_error_mark mark = ix_errors_mark(&ctx->error);
    ilex_module *m = ilex_module_new(ctx, "program");
    if (!m)
        return NULL;
    ix_parser_init(&p, ctx);
    p.module = m;
    p.reader.go_on = ix_parser_go_on;
    ix_parser_text whole = {text, length, file};
    bool ok = ix_parser_try(&p, &whole, build_program, NULL);
    if (ok)
        ix_parser_end(&p, NULL);
    else
        ix_parser_fail(&p);
    if (ok && !p.failed)
        return m;
    ix_errors_sort(&ctx->error, mark); /* syntax was looked at first */
    ilex_module_free(m);
    return NULL;
}
