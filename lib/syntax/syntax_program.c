/* SPDX-License-Identifier: MIT
 *
 * Whole programs of .ilx text: lines, functions, loops, comments, and where
 * reading goes on behind a statement that cannot be read (skip.c).
 */
#include "lib/syntax/suggest.h"
#include "lib/syntax/syntax.h"

static void
find_keyword(ix_reader *r, ix_statement *s)
{
    s->keyword = r->token.word;
    if (r->token.kind == IX_TOKEN_NAME)
        for (int k = 0; k < IX_STATEMENT_COMMENT; k++)
            if (ix_word_is(&s->keyword, ix_statement_keywords[k])) {
                s->kind = (ix_statement_kind)k;
                return;
            }
    ix_unknown_statement(r, &s->keyword);
}

/* The comments inside a statement as lines before it. */
static ix_statement *
with_comments(ix_reader *r, ix_statement *s)
{
    for (; r->ninner; r->ninner--) {
        ix_statement *before = ix_arena_new(&r->arena, sizeof *before);
        before->kind = IX_STATEMENT_COMMENT;
        before->comment = r->inner[r->ninner - 1];
        before->next = s;
        s = before;
    }
    return s;
}

/* Reads the next line into a statement; NULL for an empty line. */
static ix_statement *
line(ix_reader *r)
{
    bool bare = r->token.kind == IX_TOKEN_NEWLINE;
    if (bare && r->token.word.length == 0) {
        ix_lex_next(r);
        return NULL;
    }
    ix_statement *s = ix_arena_new(&r->arena, sizeof *s);
    s->kind = IX_STATEMENT_COMMENT;
    if (!bare) {
        find_keyword(r, s);
        ix_lex_next(r);
    }
    ix_syntax_statement(r, s);
    if (r->token.kind != IX_TOKEN_NEWLINE && r->token.kind != IX_TOKEN_END)
        ix_syntax_unexpected(r, "an operator or the end of the statement");
    s->comment = r->token.word;
    if (r->token.kind == IX_TOKEN_END)
        s->comment.length = 0;
    else
        ix_lex_next(r);
    return with_comments(r, s);
}

/* Fails where a statement does not belong into a function. */
static void
check_in_function(ix_reader *r, const ix_statement *s,
                  const ix_statement *around)
{
    if (s->kind == IX_STATEMENT_ILEX || s->kind == IX_STATEMENT_PROGRAM ||
        s->kind == IX_STATEMENT_SIZE || s->kind == IX_STATEMENT_IN ||
        s->kind == IX_STATEMENT_OUT || s->kind == IX_STATEMENT_FUNCTION ||
        s->kind == IX_STATEMENT_EXTERN || s->kind == IX_STATEMENT_RECV ||
        s->kind == IX_STATEMENT_SEND)
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' does not belong in a function, which has parameters, "
                    "the sizes of their types, and results; does that of line "
                    "%d lack its 'end'?",
                    ix_statement_keywords[s->kind], around->keyword.line);
}

/* Fails where one does not belong into a loop. */
static void
check_in_loop(ix_reader *r, const ix_statement *s, const ix_statement *around)
{
    if (s->kind == IX_STATEMENT_ILEX || s->kind == IX_STATEMENT_PROGRAM ||
        (s->kind == IX_STATEMENT_SIZE && !s->expr) ||
        s->kind == IX_STATEMENT_ASSUME || s->kind == IX_STATEMENT_IN ||
        s->kind == IX_STATEMENT_OUT || s->kind == IX_STATEMENT_FUNCTION ||
        s->kind == IX_STATEMENT_EXTERN || s->kind == IX_STATEMENT_RECV ||
        s->kind == IX_STATEMENT_SEND || s->kind == IX_STATEMENT_RETURN)
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' does not belong in a loop, which has arrays that are "
                    "named outside of it or by let, next, until and stack; its "
                    "results have names behind its end: does that of line %d "
                    "lack its 'end'?",
                    ix_statement_keywords[s->kind], around->keyword.line);
}

/* Fails where a statement does not belong inside of what is "around" it, a
 * function or a loop, or nothing. */
static void
check_place(ix_reader *r, const ix_statement *s, const ix_statement *around)
{
    bool loop = around && around->kind == IX_STATEMENT_LOOP;
    if (!around &&
        (s->kind == IX_STATEMENT_RETURN || s->kind == IX_STATEMENT_END))
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' belongs in a function%s: function f(u), let v = 2*u, "
                    "return v, end",
                    ix_statement_keywords[s->kind],
                    s->kind == IX_STATEMENT_END ? " or a loop" : "");
    if (!loop &&
        (s->kind == IX_STATEMENT_NEXT || s->kind == IX_STATEMENT_UNTIL ||
         s->kind == IX_STATEMENT_STACK))
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' belongs in a loop: loop t[0:9] u = u0, next u = "
                    "0.5*u, end",
                    ix_statement_keywords[s->kind]);
    if (loop)
        check_in_loop(r, s, around);
    else if (around)
        check_in_function(r, s, around);
}

/* ---- statements ---- */

static ix_statement *block(ix_reader *r, const ix_statement *around);

/* The next line, all of a function or a loop, and comments before it. */
static ix_statement *
statement(ix_reader *r, const ix_statement *around)
{
    ix_statement *first = line(r), *s = first;
    while (s && s->next)
        s = s->next;
    if (!s)
        return NULL;
    check_place(r, s, around);
    if (s->kind == IX_STATEMENT_FUNCTION || s->kind == IX_STATEMENT_LOOP) {
        r->depth++;
        s->body = block(r, s);
        r->depth--;
    }
    return first;
}

typedef struct attempt {
    ix_reader *r;
    ix_statement *s;
} attempt;

static void
attempt_statement(void *user)
{
    attempt *a = user;
    a->s = statement(a->r, NULL);
}

/* The same; what cannot be read is skipped, if the reader goes on then. */
static ix_statement *
statement_or_rest(ix_reader *r)
{
    const char *start = r->token.word.text;
    attempt a = {r, NULL};
    if (ix_lex_attempt(r, attempt_statement, &a))
        return a.s;
    if (!r->go_on(r))
        ix_lex_abort(r);
    return ix_syntax_skip(r, start);
}

/* Fails where the text ends inside of a function or a loop. */
_Noreturn static void
no_end(ix_reader *r, const ix_statement *around)
{
    bool loop = around->kind == IX_STATEMENT_LOOP;
    const ix_word *name = loop ? &around->option : &around->name;
    ix_lex_fail(r, ILEX_E_SYNTAX, &around->keyword,
                "the %s '%.*s' has no 'end'", loop ? "loop" : "function",
                (int)name->length, name->text);
}

/* The statements of a program, or of what is "around" them up to its end. */
static ix_statement *
block(ix_reader *r, const ix_statement *around)
{
    ix_statement *first = NULL, *last = NULL, **end = &first;
    bool blank = false;
    while (r->token.kind != IX_TOKEN_END) {
        ix_statement *s =
            r->go_on && !around ? statement_or_rest(r) : statement(r, around);
        if (s)
            s->blank_before = blank && first;
        blank = !s;
        for (*end = s; *end; end = &(*end)->next)
            last = *end;
        if (s && last->kind == IX_STATEMENT_END)
            return first;
    }
    if (around)
        no_end(r, around);
    return first;
}

ix_statement *
ix_syntax_program(ix_reader *r)
{
    ix_lex_next(r);
    return block(r, NULL);
}
