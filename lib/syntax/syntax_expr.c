/* SPDX-License-Identifier: MIT
 *
 * Expressions of .ilx text: operator precedence from ops.def, lists of ranges
 * in brackets. Recursion goes as deep as the text nests, which is bounded;
 * long sums are one chain.
 */
#include "lib/syntax/syntax.h"

#include <stdio.h>

#include "lib/base/letter.h"
#include "lib/syntax/suggest.h"

enum { PREFIX_PRECEDENCE = 11 };

/* ---- tokens ---- */

bool
ix_syntax_at(const ix_reader *r, const char *punct)
{
    return r->token.kind == IX_TOKEN_PUNCT && ix_word_is(&r->token.word, punct);
}

bool
ix_syntax_accept(ix_reader *r, const char *punct)
{
    if (!ix_syntax_at(r, punct))
        return false;
    ix_lex_next(r);
    return true;
}

void
ix_syntax_unexpected(ix_reader *r, const char *wanted)
{
    const ix_token *t = &r->token;
    if (t->kind == IX_TOKEN_END || t->kind == IX_TOKEN_NEWLINE) {
        ix_word end = {"", 0, r->last_line, r->last_column};
        ix_lex_fail(r, ILEX_E_SYNTAX, &end, "expected %s, but the %s ends here",
                    wanted, t->kind == IX_TOKEN_END ? "text" : "line");
    }
    int shown = t->word.length < 40 ? t->word.length : 40;
    ix_lex_fail(r, ILEX_E_SYNTAX, &t->word, "expected %s, found '%.*s'%s",
                wanted, shown, t->word.text, ix_spelling_at(r));
}

void
ix_syntax_expect(ix_reader *r, const char *punct, const char *where)
{
    if (ix_syntax_accept(r, punct))
        return;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "'%s' %s", punct, where);
    ix_syntax_unexpected(r, wanted);
}

ix_word
ix_syntax_name(ix_reader *r, const char *what)
{
    if (r->token.kind != IX_TOKEN_NAME)
        ix_syntax_unexpected(r, what);
    ix_word word = r->token.word;
    if (word.length > 64)
        ix_lex_fail(r, ILEX_E_NAME, &word,
                    "the name '%.*s...' has %d bytes; at most 64 are "
                    "allowed",
                    (int)ix_letters_cut(word.text, (size_t)word.length, 20),
                    word.text, (int)word.length);
    ix_lex_next(r);
    return word;
}

bool
ix_syntax_accept_name(ix_reader *r, const char *keyword)
{
    if (r->token.kind != IX_TOKEN_NAME || !ix_word_is(&r->token.word, keyword))
        return false;
    ix_lex_next(r);
    return true;
}

/* ---- tree ---- */

/* A node with room for "parts" parts, and none of the lists if it is a leaf
 * (parts 0): most nodes are. */
static ix_syntax *
new_node(ix_reader *r, ix_syntax_kind kind, ix_word word, size_t parts)
{
    if (++r->nodes > IX_TEXT_MAX_NODES)
        ix_lex_fail(r, ILEX_E_LIMIT, &word,
                    "the text has more than %d operations and operands",
                    (int)IX_TEXT_MAX_NODES);
    ix_syntax *x =
        ix_arena_new(&r->arena, parts ? sizeof *x : offsetof(ix_syntax, part));
    x->kind = kind;
    x->word = word;
    if (parts) {
        x->part = ix_arena_new(&r->arena, parts * sizeof *x->part);
        x->parts_capacity = parts;
    }
    return x;
}

static void
check_list(ix_reader *r, size_t n)
{
    if (n >= IX_TEXT_MAX_LIST)
        ix_lex_fail(r, ILEX_E_LIMIT, &r->token.word,
                    "a list has more than %d entries", (int)IX_TEXT_MAX_LIST);
}

static void
add_part(ix_reader *r, ix_syntax *x, ix_syntax *part)
{
    check_list(r, x->nparts);
    ix_arena_grow(&r->arena, &x->part, &x->parts_capacity, x->nparts + 1,
                  sizeof *x->part);
    x->part[x->nparts++] = part;
}

/* Counts a level of nesting; the caller takes it back. */
static void
enter(ix_reader *r)
{
    if (++r->nesting > IX_TEXT_MAX_NESTING)
        ix_lex_fail(r, ILEX_E_LIMIT, &r->token.word,
                    "brackets, prefix operators and what lets of a body name "
                    "nest deeper than %d; give parts names by statements of "
                    "their own, `let x = ...`",
                    (int)IX_TEXT_MAX_NESTING);
}

/* ---- operands ---- */

/* May a part of a range in a subscript be missing here? */
static bool
at_end_of_part(const ix_reader *r)
{
    return ix_syntax_at(r, ":") || ix_syntax_at(r, ",") ||
           ix_syntax_at(r, ";") || ix_syntax_at(r, "]") ||
           r->token.kind == IX_TOKEN_END;
}

/* Reads the parts of a range; in a subscript some may be missing. */
static void
read_parts(ix_reader *r, bool subscript, ix_colons *x)
{
    do
        x->part[x->n++] =
            subscript && at_end_of_part(r) ? NULL : ix_syntax_expr(r);
    while (x->n < 3 && ix_syntax_accept(r, ":"));
}

/* "axis=" has been read as the expression "x". */
static void
read_axis(ix_reader *r, ix_colons *x)
{
    x->axis = x->part[0];
    if (!ix_syntax_is_axis(x->axis))
        ix_lex_fail(r, ILEX_E_SYNTAX, &x->axis->word,
                    "before '=' a subscript names an axis, for example "
                    "u[I=3], u[I+1/2=3]");
    x->n = 0;
    read_parts(r, true, x);
}

/* Reads one entry of a list of ranges. */
static void
add_range(ix_reader *r, bool subscript, ix_colons_list *ranges)
{
    check_list(r, ranges->n);
    if (!ranges->capacity) {
        ranges->capacity = 2;
        ranges->item = ix_arena_new(&r->arena, 2 * sizeof *ranges->item);
    }
    ix_arena_grow(&r->arena, &ranges->item, &ranges->capacity, ranges->n + 1,
                  sizeof *ranges->item);
    ix_colons x = {.where = r->token.word};
    x.ellipsis = subscript && ix_syntax_accept(r, "...");
    if (!x.ellipsis)
        read_parts(r, subscript, &x);
    if (subscript && x.n == 1 && x.part[0] && ix_syntax_accept(r, "="))
        read_axis(r, &x);
    if (x.n == 1 && !x.part[0])
        ix_syntax_unexpected(r, "an index or a range");
    ranges->item[ranges->n++] = x;
}

/* Entries with commas between, up to the token "close". */
static void
read_ranges(ix_reader *r, char close, bool subscript, ix_colons_list *ranges)
{
    char end[2] = {close, 0};
    enter(r);
    if (!close || !ix_syntax_at(r, end)) {
        do
            add_range(r, subscript, ranges);
        while (ix_syntax_accept(r, ","));
    }
    r->nesting--;
}

/* The same, and reads "close". */
static void
whole_ranges(ix_reader *r, char close, bool subscript, ix_colons_list *ranges)
{
    char end[2] = {close, 0};
    read_ranges(r, close, subscript, ranges);
    if (close)
        ix_syntax_expect(r, end, "or ',' after an entry of the list");
}

void
ix_syntax_ranges(ix_reader *r, char close, ix_colons_list *ranges)
{
    whole_ranges(r, close, false, ranges);
}

void
ix_syntax_indices(ix_reader *r, char close, ix_colons_list *ranges)
{
    whole_ranges(r, close, true, ranges);
}

void
ix_syntax_items(ix_reader *r, ix_colons_list *items)
{
    read_ranges(r, 0, true, items);
}

/* ---- attributes ---- */

static void
add_value(ix_reader *r, ix_attribute *a, ix_syntax *value)
{
    check_list(r, a->n);
    ix_arena_grow(&r->arena, &a->value, &a->capacity, a->n + 1,
                  sizeof *a->value);
    a->value[a->n++] = value;
}

/* A value of an attribute's list, perhaps a list itself. */
static ix_syntax *
value_or_list(ix_reader *r)
{
    ix_word word = r->token.word;
    if (!ix_syntax_accept(r, "["))
        return ix_syntax_expr(r);
    ix_syntax *x = new_node(r, IX_SYNTAX_LIST, word, 2);
    while (!ix_syntax_at(r, "]")) {
        add_part(r, x, ix_syntax_expr(r));
        if (!ix_syntax_accept(r, ","))
            break;
    }
    ix_syntax_expect(r, "]", "or ',' after an entry of the list");
    return x;
}

void
ix_syntax_list(ix_reader *r, ix_attribute *a)
{
    do
        add_value(r, a, value_or_list(r));
    while (ix_syntax_accept(r, ","));
}

void
ix_syntax_values(ix_reader *r, const char *close, ix_attribute *a)
{
    while (!ix_syntax_at(r, close)) {
        add_value(r, a, value_or_list(r));
        if (!ix_syntax_accept(r, ","))
            break;
    }
    ix_syntax_expect(r, close, "or ',' after an entry of the list");
}

/* "name=value", "name=[values]" or a value alone. */
static void
read_attribute(ix_reader *r, ix_attributes *list)
{
    check_list(r, list->n);
    ix_arena_grow(&r->arena, &list->item, &list->capacity, list->n + 1,
                  sizeof *list->item);
    ix_attribute *a = &list->item[list->n++];
    memset(a, 0, sizeof *a);
    a->bare = true;
    add_value(r, a, ix_syntax_expr(r));
    if (a->value[0]->kind != IX_SYNTAX_NAME || !ix_syntax_accept(r, "="))
        return;
    a->name = a->value[0]->word;
    a->n = 0;
    a->bare = !ix_syntax_accept(r, "[");
    if (a->bare)
        add_value(r, a, ix_syntax_expr(r));
    else
        ix_syntax_values(r, "]", a);
}

/* "; attributes" if there are any. */
static void
read_attributes(ix_reader *r, ix_attributes *list)
{
    if (!ix_syntax_accept(r, ";"))
        return;
    enter(r);
    do
        read_attribute(r, list);
    while (ix_syntax_accept(r, ","));
    r->nesting--;
}

/* Arguments and attributes up to ")". */
static void
arguments(ix_reader *r, ix_syntax *x)
{
    enter(r);
    if (!ix_syntax_at(r, ")") && !ix_syntax_at(r, ";")) {
        do
            add_part(r, x, ix_syntax_expr(r));
        while (ix_syntax_accept(r, ","));
    }
    read_attributes(r, &x->attributes);
    ix_syntax_expect(r, ")", "or ',' after an argument");
    r->nesting--;
}

/* A name with what follows it: nothing or (...). */
static ix_syntax *
named(ix_reader *r)
{
    ix_word word = ix_syntax_name(r, "an operand");
    if (!ix_syntax_accept(r, "("))
        return new_node(r, IX_SYNTAX_NAME, word, 0);
    ix_syntax *x = new_node(r, IX_SYNTAX_CALL, word, 2);
    arguments(r, x);
    return x;
}

/* "x" with a subscript behind it; a name with one and then (...) is a
 * reduction. */
static ix_syntax *
subscripted(ix_reader *r, ix_syntax *x)
{
    ix_syntax *y = new_node(r, IX_SYNTAX_INDEX, x->word, 1);
    y->ranges = ix_arena_new(&r->arena, sizeof *y->ranges);
    read_ranges(r, ']', true, y->ranges);
    read_attributes(r, &y->attributes);
    ix_syntax_expect(r, "]", "or ',' after an entry of the list");
    if (x->kind == IX_SYNTAX_NAME && !y->attributes.n &&
        ix_syntax_accept(r, "(")) {
        y->kind = IX_SYNTAX_REDUCE;
        arguments(r, y);
    } else {
        add_part(r, y, x);
    }
    return y;
}

static ix_syntax *
parenthesis(ix_reader *r)
{
    ix_syntax *x = new_node(r, IX_SYNTAX_PAREN, r->token.word, 1);
    enter(r);
    ix_lex_next(r);
    add_part(r, x, ix_syntax_expr(r));
    ix_syntax_expect(r, ")", "to close the parenthesis");
    r->nesting--;
    return x;
}

/* What may have subscripts behind it: not a literal, and no operator. */
static ix_syntax *
postfix(ix_reader *r)
{
    ix_syntax *x = r->token.kind == IX_TOKEN_NAME ? named(r) : parenthesis(r);
    size_t depth = 0;
    for (; ix_syntax_accept(r, "["); depth++) {
        enter(r); /* each is a level of the tree */
        x = subscripted(r, x);
    }
    r->nesting -= (int)depth;
    return x;
}

/* Is the token an operand by itself, and of which kind? */
static bool
literal_of(ix_token_kind token, ix_syntax_kind *kind)
{
    *kind = token == IX_TOKEN_INT         ? IX_SYNTAX_INT
            : token == IX_TOKEN_REAL      ? IX_SYNTAX_REAL
            : token == IX_TOKEN_IMAGINARY ? IX_SYNTAX_IMAGINARY
                                          : IX_SYNTAX_STRING;
    return *kind != IX_SYNTAX_STRING || token == IX_TOKEN_STRING;
}

static ix_syntax *
operand(ix_reader *r)
{
    ix_token t = r->token;
    ix_syntax_kind kind;
    ix_op op;
    if (t.kind == IX_TOKEN_NAME || ix_syntax_at(r, "("))
        return postfix(r);
    if (literal_of(t.kind, &kind)) {
        ix_lex_next(r);
        return new_node(r, kind, t.word, 0);
    }
    if (t.kind != IX_TOKEN_PUNCT ||
        !ix_op_find_infix(t.word.text, (size_t)t.word.length, 1, &op))
        ix_syntax_unexpected(r, "an operand (a name, a number, a call, '(' or "
                                "a prefix operator)");
    ix_syntax *x = new_node(r, IX_SYNTAX_PREFIX, t.word, 1);
    x->op = op;
    enter(r);
    ix_lex_next(r);
    add_part(r, x, operand(r));
    r->nesting--;
    return x;
}

/* ---- operators ---- */

/* The binary operator at the token, if it binds at least as "precedence". */
static bool
at_operator(const ix_reader *r, int precedence, ix_op *op)
{
    const ix_word *w = &r->token.word;
    return r->token.kind == IX_TOKEN_PUNCT &&
           ix_op_find_infix(w->text, (size_t)w->length, 2, op) &&
           ix_op_info_of(*op)->precedence >= precedence;
}

static bool
is_comparison(int precedence)
{
    return precedence == ix_op_info_of(IX_OP_LESS)->precedence ||
           precedence == ix_op_info_of(IX_OP_EQUAL)->precedence;
}

static void
add_link(ix_reader *r, ix_syntax *x, ix_link link)
{
    if (x->nlinks == 1 && is_comparison(ix_op_info_of(link.op)->precedence))
        ix_lex_fail(r, ILEX_E_SYNTAX, &link.word,
                    "comparisons do not chain; write a < b && b < c, or use "
                    "parentheses");
    ix_arena_grow(&r->arena, &x->link, &x->links_capacity, x->nlinks + 1,
                  sizeof *x->link);
    x->link[x->nlinks++] = link;
}

/* Operands joined by operators that bind at least as "precedence". */
static ix_syntax *
climb(ix_reader *r, int precedence)
{
    ix_syntax *left = operand(r);
    ix_link link;
    while (at_operator(r, precedence, &link.op)) {
        int own = ix_op_info_of(link.op)->precedence;
        link.word = r->token.word;
        ix_lex_next(r);
        link.operand = climb(r, own + 1);
        if (left->kind != IX_SYNTAX_CHAIN ||
            ix_op_info_of(left->link[0].op)->precedence != own) {
            ix_syntax *chain = new_node(r, IX_SYNTAX_CHAIN, left->word, 1);
            chain->link = ix_arena_new(&r->arena, sizeof *chain->link);
            chain->links_capacity = 1;
            add_part(r, chain, left);
            left = chain;
        }
        add_link(r, left, link);
    }
    return left;
}

ix_syntax *
ix_syntax_expr(ix_reader *r)
{
    return climb(r, 1);
}

/* Is the token `let` and a name behind it, not an array of this name? */
static bool
at_let(const ix_reader *r)
{
    const char *at = r->at;
    while (at < r->end && (*at == ' ' || *at == '\t'))
        at++;
    return ix_name_length(at, (size_t)(r->end - at)) > 0 &&
           r->token.kind == IX_TOKEN_NAME && ix_word_is(&r->token.word, "let");
}

ix_syntax *
ix_syntax_body(ix_reader *r)
{
    if (!at_let(r))
        return ix_syntax_expr(r);
    enter(r);
    ix_lex_next(r);
    ix_syntax *x =
        new_node(r, IX_SYNTAX_LET, ix_syntax_name(r, "the name of a value"), 2);
    ix_syntax_expect(r, "=", "and an expression");
    add_part(r, x, ix_syntax_expr(r));
    ix_syntax_expect(r, ";", "behind a let in the body of a map");
    add_part(r, x, ix_syntax_body(r));
    r->nesting--;
    return x;
}
