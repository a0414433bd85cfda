/* SPDX-License-Identifier: MIT
 *
 * Statements of .ilx text: one function for each row of statements.def reads
 * what follows the keyword. Nothing is looked up here: names get a meaning in
 * lib/syntax/parse.c.
 */
#include "lib/syntax/syntax.h"

const char *const ix_statement_keywords[IX_NSTATEMENTS] = {
#define IX_STATEMENT(NAME, keyword, example, meaning) keyword,
#include "lib/syntax/statements.def"
};

const char *const ix_statement_examples[IX_NSTATEMENTS] = {
#define IX_STATEMENT(NAME, keyword, example, meaning) example,
#include "lib/syntax/statements.def"
};

/* ---- pieces of statements ---- */

static void
add_word(ix_reader *r, ix_statement *s, ix_word word)
{
    if (s->nwords >= IX_TEXT_MAX_LIST)
        ix_lex_fail(r, ILEX_E_LIMIT, &word, "a list has more than %d names",
                    (int)IX_TEXT_MAX_LIST);
    ix_arena_grow(&r->arena, &s->words, &s->words_capacity, s->nwords + 1,
                  sizeof *s->words);
    s->words[s->nwords++] = word;
}

/* Names with commas between. */
static void
names(ix_reader *r, ix_statement *s, const char *what)
{
    do
        add_word(r, s, ix_syntax_name(r, what));
    while (ix_syntax_accept(r, ","));
}

void
ix_syntax_brackets(ix_reader *r, ix_type *type, bool optional)
{
    if (optional && !ix_syntax_at(r, "["))
        return;
    ix_syntax_expect(r, "[", "and the axes");
    type->brackets = true;
    ix_syntax_ranges(r, ']', &type->ranges);
}

/* The same of a map or a scan, with names of axes: "[I=i:n, J=j:m]". */
static void
index_brackets(ix_reader *r, ix_type *type)
{
    ix_syntax_expect(r, "[", "and the axes");
    type->brackets = true;
    ix_syntax_indices(r, ']', &type->ranges);
}

static void
type(ix_reader *r, ix_type *t)
{
    t->dtype = ix_syntax_name(r, "a dtype (for example f64)");
    if (ix_syntax_accept_name(r, "on"))
        t->on = ix_syntax_name(r, "the name of a domain");
    else
        ix_syntax_brackets(r, t, true);
}

void
ix_syntax_optional_type(ix_reader *r, ix_statement *s)
{
    if (ix_syntax_accept(r, ":"))
        type(r, &s->type);
}

/* ": dtype" behind brackets, if it is there. */
static void
optional_dtype(ix_reader *r, ix_statement *s)
{
    if (ix_syntax_accept(r, ":"))
        s->type.dtype = ix_syntax_name(r, "a dtype (for example f64)");
}

void
ix_syntax_assignment(ix_reader *r, ix_statement *s)
{
    ix_syntax_expect(r, "=", "and an expression");
    s->expr = ix_syntax_expr(r);
}

/* "= body" of a map or a result of a scan with brackets */
static void
body(ix_reader *r, ix_statement *s)
{
    ix_syntax_expect(r, "=", "and an expression");
    s->expr = ix_syntax_body(r);
}

/* "word(ranges)", as "read" reads them, if "word" is the token. */
static void
optional_ranges(ix_reader *r, const char *word,
                void (*read)(ix_reader *, char, ix_colons_list *),
                ix_statement *s)
{
    if (!ix_syntax_accept_name(r, word))
        return;
    s->has_halo = true;
    ix_syntax_expect(r, "(", "and widths or ranges");
    read(r, ')', &s->halo);
}

/* "word name" if "word" is the token. */
static void
optional_word(ix_reader *r, const char *word, ix_statement *s, const char *what)
{
    if (ix_syntax_accept_name(r, word))
        s->option = ix_syntax_name(r, what);
}

/* ---- statements ---- */

static void
syntax_ILEX(ix_reader *r, ix_statement *s)
{
    s->name = r->token.word;
    if (r->token.kind != IX_TOKEN_INT)
        ix_syntax_unexpected(r, "the version of the format: ilex 1");
    ix_lex_next(r);
}

static void
syntax_PROGRAM(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of the program");
}

ix_type *
ix_syntax_box(ix_reader *r, ix_statement *s)
{
    ix_arena_grow(&r->arena, &s->box, &s->box_capacity, s->nboxes + 1,
                  sizeof *s->box);
    s->box[s->nboxes] = (ix_type){.brackets = false};
    return &s->box[s->nboxes++];
}

static void
syntax_DOMAIN(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a domain");
    ix_syntax_expect(r, "=", "and ranges, for example [I:1:n-1, J:m]");
    do {
        ix_type *box = ix_syntax_box(r, s);
        ix_syntax_brackets(r, box, true);
        if (!box->brackets)
            box->on = ix_syntax_name(r, "ranges in brackets, or a domain");
    } while (ix_syntax_accept(r, "&"));
}

static void
syntax_SIZE(ix_reader *r, ix_statement *s)
{
    names(r, s, "the name of a size");
    if (s->nwords == 1 && ix_syntax_accept(r, "="))
        s->expr = ix_syntax_expr(r);
}

static void
syntax_ASSUME(ix_reader *r, ix_statement *s)
{
    s->expr = ix_syntax_expr(r);
}

/* "I", "I+1/2" */
static const ix_syntax *
axis(ix_reader *r, const char *what)
{
    if (r->token.kind != IX_TOKEN_NAME)
        ix_syntax_unexpected(r, what);
    const ix_syntax *x = ix_syntax_expr(r);
    if (!ix_syntax_is_axis(x))
        ix_lex_fail(r, ILEX_E_SYNTAX, &x->word,
                    "expected %s: a name, k, or of a staggered one k+1/2",
                    what);
    return x;
}

static void
syntax_IN(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an input");
    ix_syntax_expect(r, ":", "and a type (for example in u : f64[I:n])");
    type(r, &s->type);
    optional_ranges(r, "halo", ix_syntax_ranges, s);
    if (!ix_syntax_accept(r, "->"))
        return;
    s->axis = axis(r, "the axis that the elements are indices of");
    if (ix_syntax_accept_name(r, "skip"))
        s->expr = ix_syntax_expr(r);
}

static void
syntax_CONST(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a constant");
    ix_syntax_expect(r, ":", "and a type (for example const w : f64[3])");
    type(r, &s->type);
    ix_syntax_expect(r, "=", "and values in braces");
    ix_syntax_expect(r, "{", "and values");
    ix_syntax_values(r, "}", &s->values);
}

void
ix_syntax_no_indices(ix_reader *r)
{
    if (ix_syntax_at(r, "["))
        ix_lex_fail(r, ILEX_E_SYNTAX, &r->token.word,
                    "indices stand behind the name in a map, element by "
                    "element: map y[i:n] = x[i]; let and out name arrays");
}

static void
syntax_LET(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    ix_syntax_no_indices(r);
    if (ix_syntax_accept(r, ","))
        names(r, s, "the name of an array");
    else
        ix_syntax_optional_type(r, s);
    ix_syntax_assignment(r, s);
}

static void
syntax_MAP(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    if (ix_syntax_accept_name(r, "on"))
        s->type.on = ix_syntax_name(r, "the name of a domain");
    else
        index_brackets(r, &s->type);
    optional_ranges(r, "valid", ix_syntax_indices, s);
    if (ix_syntax_accept_name(r, "reads")) {
        ix_syntax_expect(r, "(", "and the arrays read");
        names(r, s, "the name of an array");
        ix_syntax_expect(r, ")", "or ',' after a name");
    }
    body(r, s);
}

bool
ix_syntax_is_half(const ix_syntax *x)
{
    return x->kind == IX_SYNTAX_CHAIN && x->nlinks == 1 &&
           x->link[0].op == IX_OP_TRUE_DIVIDE &&
           x->part[0]->kind == IX_SYNTAX_INT &&
           ix_word_is(&x->part[0]->word, "1") &&
           x->link[0].operand->kind == IX_SYNTAX_INT &&
           ix_word_is(&x->link[0].operand->word, "2");
}

bool
ix_syntax_is_axis(const ix_syntax *x)
{
    bool staggered = x->kind == IX_SYNTAX_CHAIN && x->nlinks == 1 &&
                     x->link[0].op == IX_OP_ADD &&
                     ix_syntax_is_half(x->link[0].operand);
    return (staggered ? x->part[0] : x)->kind == IX_SYNTAX_NAME;
}

/* "name[ranges] = expr", "name[ranges] : dtype = expr" or "name : type = expr"
 */
static void
scan_result(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a result");
    s->absolute = !ix_syntax_at(r, ":");
    if (s->absolute)
        index_brackets(r, &s->type);
    if (!s->absolute)
        ix_syntax_optional_type(r, s);
    else
        optional_dtype(r, s);
    if (s->absolute)
        body(r, s);
    else
        ix_syntax_assignment(r, s);
}

static void
syntax_SCAN(ix_reader *r, ix_statement *s)
{
    s->axis = axis(r, "an axis, k, or _1 if it has no name");
    s->option = ix_syntax_name(r, "forward or backward");
    scan_result(r, s);
    for (ix_statement *last = s; ix_syntax_accept(r, ","); last = last->more) {
        last->more = ix_arena_new(&r->arena, sizeof *last->more);
        scan_result(r, last->more);
    }
    if (ix_syntax_accept_name(r, "chunked"))
        s->chunks = ix_syntax_name(r, "sum or prod");
}

static void
syntax_EINSUM(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    if (ix_syntax_at(r, "["))
        index_brackets(r, &s->type);
    optional_dtype(r, s);
    ix_syntax_assignment(r, s);
    optional_word(r, "acc", s, "a dtype (for example acc f64)");
    s->rounded = ix_syntax_accept_name(r, "rounded");
}

static void
syntax_RESHAPE(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    ix_syntax_brackets(r, &s->type, false);
    ix_syntax_expect(r, "=", "and the name of an array");
    add_word(r, s, ix_syntax_name(r, "the name of an array"));
    optional_word(r, "order", s, "C or F");
}

static void
syntax_NODE(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an array");
    ix_syntax_assignment(r, s);
    if (s->expr->kind != IX_SYNTAX_CALL)
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->expr->word,
                    "a node is one call, for example %s; other expressions "
                    "belong to let",
                    ix_statement_examples[IX_STATEMENT_NODE]);
}

/* "name", "name : type halo(...)" */
static void
parameter(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a parameter");
    ix_syntax_optional_type(r, s);
    if (s->type.dtype.length)
        optional_ranges(r, "halo", ix_syntax_ranges, s);
}

/* "name(parameter, ...)" */
static void
heading(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of a function");
    ix_syntax_expect(r, "(", "and parameters, for example (u, w : f64[n])");
    if (ix_syntax_accept(r, ")"))
        return;
    for (ix_statement *last = s;; last = last->more) {
        last->more = ix_arena_new(&r->arena, sizeof *last->more);
        parameter(r, last->more);
        if (!ix_syntax_accept(r, ","))
            break;
    }
    ix_syntax_expect(r, ")", "or ',' after a parameter");
}

static void
syntax_FUNCTION(ix_reader *r, ix_statement *s)
{
    heading(r, s);
}

/* "name(parameters) -> type, ... pure elementwise cost 12" */
static void
syntax_EXTERN(ix_reader *r, ix_statement *s)
{
    heading(r, s);
    ix_syntax_expect(r, "->", "and the types of the results");
    do
        type(r, ix_syntax_box(r, s));
    while (ix_syntax_accept(r, ","));
    if (r->token.kind == IX_TOKEN_NAME && ix_word_is(&r->token.word, "pure"))
        s->option = ix_syntax_name(r, "pure");
    s->elementwise = ix_syntax_accept_name(r, "elementwise");
    if (ix_syntax_accept_name(r, "cost"))
        s->expr = ix_syntax_expr(r);
}

static void
syntax_RETURN(ix_reader *r, ix_statement *s)
{
    ix_attribute *v = &s->values;
    do {
        if (v->n >= IX_TEXT_MAX_LIST)
            ix_lex_fail(r, ILEX_E_LIMIT, &r->token.word,
                        "a list has more than %d values",
                        (int)IX_TEXT_MAX_LIST);
        ix_arena_grow(&r->arena, &v->value, &v->capacity, v->n + 1,
                      sizeof *v->value);
        v->value[v->n++] = ix_syntax_expr(r);
    } while (ix_syntax_accept(r, ","));
}

static void
syntax_END(ix_reader *r, ix_statement *s)
{
    (void)r, (void)s;
}

static void
syntax_OUT(ix_reader *r, ix_statement *s)
{
    s->name = ix_syntax_name(r, "the name of an output");
    ix_syntax_no_indices(r);
    ix_syntax_optional_type(r, s);
    ix_syntax_assignment(r, s);
    optional_word(r, "inplace", s, "the name of an input");
}

/* A line that holds at most a comment. */
static void
syntax_COMMENT(ix_reader *r, ix_statement *s)
{
    (void)r, (void)s;
}

static void (*const syntax_of[IX_NSTATEMENTS])(ix_reader *, ix_statement *) = {
#define syntax_LOOP ix_syntax_loop
#define syntax_NEXT ix_syntax_next
#define syntax_UNTIL ix_syntax_until
#define syntax_STACK ix_syntax_stack
#define syntax_RECV ix_syntax_recv
#define syntax_SEND ix_syntax_send
#define IX_STATEMENT(NAME, keyword, example, meaning) syntax_##NAME,
#include "lib/syntax/statements.def"
};

/* ---- tags ---- */

/* Values of a tag, up to ")". */
static void
tag_values(ix_reader *r, ix_tag *t)
{
    do {
        ix_arena_grow(&r->arena, &t->value, &t->value_capacity, t->nvalues + 1,
                      sizeof *t->value);
        bool negative = ix_syntax_accept(r, "-");
        bool number =
            r->token.kind == IX_TOKEN_INT || r->token.kind == IX_TOKEN_REAL;
        if (!number && (negative || r->token.kind != IX_TOKEN_STRING))
            ix_syntax_unexpected(r, "a string or a number");
        t->value[t->nvalues++] = (ix_tag_value){r->token.word, negative};
        ix_lex_next(r);
    } while (ix_syntax_accept(r, ","));
    ix_syntax_expect(r, ")", "to end the tag");
}

/* What stands behind "@". */
static void
tag(ix_reader *r, ix_tag *t)
{
    *t = (ix_tag){.name = ix_syntax_name(r, "the name of a tag")};
    if (ix_syntax_accept(r, "[")) {
        t->place = ix_syntax_expr(r);
        ix_syntax_expect(r, "]", "behind the axis of the tag");
    }
    if (ix_syntax_accept(r, "("))
        tag_values(r, t);
}

/* Does "@" at "at" look like an operator, as in "a @ b" and "a@b"? */
static bool
is_operator(const ix_reader *r, const char *at)
{
    bool apart = at > r->text && (at[-1] == ' ' || at[-1] == '\t');
    return r->token.kind == IX_TOKEN_NAME &&
           (!apart || at + 1 != r->token.word.text);
}

static void
tags(ix_reader *r, ix_statement *s)
{
    for (;;) {
        ix_word at = r->token.word;
        if (!ix_syntax_accept(r, "@"))
            return;
        if (is_operator(r, at.text))
            ix_lex_fail(r, ILEX_E_SYNTAX, &at,
                        "'@' is no operator: a matrix product is matmul(a, b); "
                        "a tag has a blank before '@' and none behind it, for "
                        "example x @name");
        ix_arena_grow(&r->arena, &s->tag, &s->tag_capacity, s->ntags + 1,
                      sizeof *s->tag);
        tag(r, &s->tag[s->ntags++]);
    }
}

void
ix_syntax_statement(ix_reader *r, ix_statement *s)
{
    syntax_of[s->kind](r, s);
    tags(r, s);
}

/* ---- texts of the C API ---- */

static void
expect_end(ix_reader *r)
{
    if (r->token.kind != IX_TOKEN_END)
        ix_syntax_unexpected(r, "an operator or the end of the text");
}

ix_syntax *
ix_syntax_whole_expr(ix_reader *r)
{
    ix_lex_next(r);
    ix_syntax *x = ix_syntax_expr(r);
    expect_end(r);
    return x;
}

ix_syntax *
ix_syntax_whole_body(ix_reader *r)
{
    ix_lex_next(r);
    ix_syntax *x = ix_syntax_body(r);
    expect_end(r);
    return x;
}

void
ix_syntax_whole_tag(ix_reader *r, ix_tag *t)
{
    ix_lex_next(r);
    tag(r, t);
    expect_end(r);
}

ix_statement *
ix_syntax_whole_extern(ix_reader *r)
{
    ix_statement *s = ix_arena_new(&r->arena, sizeof *s);
    s->kind = IX_STATEMENT_EXTERN;
    ix_lex_next(r);
    s->keyword = r->token.word;
    syntax_EXTERN(r, s);
    expect_end(r);
    return s;
}

void
ix_syntax_whole_list(ix_reader *r, ix_attribute *values)
{
    ix_lex_next(r);
    ix_syntax_list(r, values);
    expect_end(r);
}

void
ix_syntax_whole_domain(ix_reader *r, ix_colons_list *domain,
                       ix_colons_list *halo)
{
    ix_lex_next(r);
    if (r->token.kind != IX_TOKEN_END)
        ix_syntax_ranges(r, 0, domain);
    if (halo && ix_syntax_accept_name(r, "halo")) {
        ix_syntax_expect(r, "(", "and widths");
        ix_syntax_ranges(r, ')', halo);
    }
    expect_end(r);
}

void
ix_syntax_whole_indices(ix_reader *r, ix_colons_list *ranges)
{
    ix_lex_next(r);
    if (r->token.kind != IX_TOKEN_END)
        ix_syntax_indices(r, 0, ranges);
    expect_end(r);
}

void
ix_syntax_whole_items(ix_reader *r, ix_colons_list *items)
{
    ix_lex_next(r);
    if (r->token.kind != IX_TOKEN_END)
        ix_syntax_items(r, items);
    expect_end(r);
}
