/* SPDX-License-Identifier: MIT
 *
 * Behind an error: the text goes on with the next line that begins as a
 * statement does. What was skipped defines names that nobody knows, so that
 * their use is no further error.
 */
#include "lib/base/letter.h"
#include "lib/syntax/syntax.h"

/* The word behind spaces and commas from "p" on; empty if none is there. */
static ix_word
word_at(const ix_reader *r, const char *p)
{
    while (p < r->end && (*p == ' ' || *p == '\t' || *p == ','))
        p++;
    ix_word w = {.text = p};
    while (p + w.length < r->end && ix_is_name_byte(p[w.length]))
        w.length++;
    return w;
}

/* The statement whose keyword begins the line at "p"; IX_NSTATEMENTS: none. */
static ix_statement_kind
keyword_at(const ix_reader *r, const char *p)
{
    ix_word w = word_at(r, p);
    for (int k = 0; k < IX_STATEMENT_COMMENT; k++)
        if (ix_word_is(&w, ix_statement_keywords[k]))
            return (ix_statement_kind)k;
    return IX_NSTATEMENTS;
}

static void
next_line(ix_reader *r)
{
    const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = nl ? nl + 1 : r->end;
    if (nl) {
        r->line++;
        r->line_start = r->at;
    }
}

/* Does the token begin a line behind that of "start"? */
static bool
is_new_line(const ix_reader *r, const char *start)
{
    return r->line_start > start &&
           (r->token.kind == IX_TOKEN_NEWLINE
                ? r->at == r->line_start
                : word_at(r, r->line_start).text == r->token.word.text);
}

/* Moves to the line where the text goes on: behind the `end` of all functions
 * and loops that the reader is in. */
static void
find_next(ix_reader *r, const char *start)
{
    int inside = r->depth;
    if (is_new_line(r, start))
        r->at = r->line_start;
    else
        next_line(r);
    for (; r->at < r->end; next_line(r)) {
        ix_statement_kind k = keyword_at(r, r->at);
        if (!inside && k != IX_NSTATEMENTS)
            return;
        inside += inside && k == IX_STATEMENT_LOOP;
        inside -= inside && k == IX_STATEMENT_END;
    }
}

static void
add_name(ix_reader *r, ix_statement *s, ix_word w)
{
    ix_arena_grow(&r->arena, &s->words, &s->words_capacity, s->nwords + 1,
                  sizeof *s->words);
    s->words[s->nwords++] = w;
}

/* The names behind the keyword of "s": one, or several with commas; of a scan
 * that behind its axis and direction. */
static void
find_names(ix_reader *r, ix_statement *s)
{
    ix_word w = word_at(r, s->keyword.text + s->keyword.length);
    for (int k = 0; s->kind == IX_STATEMENT_SCAN && k < 2; k++)
        w = word_at(r, w.text + w.length);
    if (s->kind == IX_STATEMENT_LOOP) { /* behind its range */
        const char *p = memchr(w.text, ']', (size_t)(r->end - w.text));
        w = p ? word_at(r, p + 1) : w;
    }
    for (; w.length; w = word_at(r, w.text + w.length)) {
        add_name(r, s, w);
        const char *p = w.text + w.length;
        while (p < r->end && *p == ' ')
            p++;
        if (p == r->end || *p != ',')
            break;
    }
}

static ix_statement *
skipped(ix_reader *r, const char *start)
{
    ix_statement *s = ix_arena_new(&r->arena, sizeof *s);
    s->keyword = word_at(r, start);
    s->kind = keyword_at(r, start);
    s->skipped = true;
    find_names(r, s);
    return s;
}

ix_statement *
ix_syntax_skip(ix_reader *r, const char *start)
{
    ix_statement *s = skipped(r, start), *last = s;
    bool block = r->depth || s->kind == IX_STATEMENT_FUNCTION ||
                 s->kind == IX_STATEMENT_LOOP;
    find_next(r, start);
    /* lines that were taken for a part of it */
    for (const char *p = start; !block && p < r->at - 1; p++)
        if (*p == '\n' && keyword_at(r, p + 1) != IX_NSTATEMENTS &&
            p + 1 < r->at)
            last = last->next = skipped(r, p + 1);
    r->nesting = 0;
    r->ninner = 0;
    r->depth = 0;
    ix_lex_next(r);
    return s;
}
