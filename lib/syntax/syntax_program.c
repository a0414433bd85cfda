/* SPDX-License-Identifier: MIT
 *
 * Whole programs of .ilx text: lines, functions, comments, and where reading
 * goes on behind a statement that cannot be read (skip.c).
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

/* Fails where a statement does not belong inside or outside of a function. */
static void
check_place(ix_reader *r, const ix_statement *s, bool inside)
{
    bool ends = s->kind == IX_STATEMENT_RETURN || s->kind == IX_STATEMENT_END;
    if (!inside && ends)
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' belongs in a function: function f(u), let v = 2*u, "
                    "return v, end",
                    ix_statement_keywords[s->kind]);
    if (inside &&
        (s->kind == IX_STATEMENT_ILEX || s->kind == IX_STATEMENT_PROGRAM ||
         s->kind == IX_STATEMENT_SIZE || s->kind == IX_STATEMENT_IN ||
         s->kind == IX_STATEMENT_OUT || s->kind == IX_STATEMENT_FUNCTION ||
         s->kind == IX_STATEMENT_EXTERN))
        ix_lex_fail(r, ILEX_E_SYNTAX, &s->keyword,
                    "'%s' does not belong in a function, which has parameters, "
                    "the sizes of their types, and results",
                    ix_statement_keywords[s->kind]);
}

/* ---- statements ---- */

static ix_statement *block(ix_reader *r, const ix_statement *function);

/* The next line, all of a function, and comments before it. */
static ix_statement *
statement(ix_reader *r, const ix_statement *function)
{
    ix_statement *first = line(r), *s = first;
    while (s && s->next)
        s = s->next;
    if (!s)
        return NULL;
    check_place(r, s, function);
    if (s->kind == IX_STATEMENT_FUNCTION) {
        r->in_function = true;
        s->body = block(r, s);
        r->in_function = false;
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

/* The statements of a program, or of a function up to its end. */
static ix_statement *
block(ix_reader *r, const ix_statement *function)
{
    ix_statement *first = NULL, *last = NULL, **end = &first;
    bool blank = false;
    while (r->token.kind != IX_TOKEN_END) {
        ix_statement *s = r->go_on && !function ? statement_or_rest(r)
                                                : statement(r, function);
        if (s)
            s->blank_before = blank && first;
        blank = !s;
        for (*end = s; *end; end = &(*end)->next)
            last = *end;
        if (s && last->kind == IX_STATEMENT_END)
            return first;
    }
    if (function)
        ix_lex_fail(r, ILEX_E_SYNTAX, &function->keyword,
                    "the function '%.*s' has no 'end'",
                    (int)function->name.length, function->name.text);
    return first;
}

ix_statement *
ix_syntax_program(ix_reader *r)
{
    ix_lex_next(r);
    return block(r, NULL);
}
