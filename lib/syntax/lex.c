/* SPDX-License-Identifier: MIT
 *
 * Lexer of .ilx text, which is UTF-8. It knows nothing of the meaning of names:
 * keywords are names, recognised by their place.
 */
#include "lib/syntax/lex.h"

#include <stdio.h>

#include "lib/base/letter.h"
#include "lib/syntax/suggest.h"

/* ---- characters, without the locale ---- */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool
ix_word_is(const ix_word *word, const char *text)
{
    size_t n = strlen(text);
    return (size_t)word->length == n && memcmp(word->text, text, n) == 0;
}

/* The place of "at", which lies in the current line. */
static ix_word
place(const ix_reader *r, const char *at)
{
    return (ix_word){at, 0, r->line, (int32_t)(at - r->line_start) + 1};
}

/* The character "k" after the current one; 0 beyond the end. */
static char
peek(const ix_reader *r, ptrdiff_t k)
{
    return k < r->end - r->at ? r->at[k] : 0;
}

/* ---- tokens ---- */

void
ix_reader_init(ix_reader *r, ilex_context *ctx, const char *text, size_t length,
               const char *file)
{
    r->ctx = ctx;
    r->text = r->at = r->line_start = text;
    r->end = text + length;
    r->file = file ? file : "";
    r->line = 1;
    r->nesting = 0;
    r->nodes = 0;
    r->token = (ix_token){IX_TOKEN_NEWLINE, {0}};
    r->inner = NULL;
    r->ninner = r->inner_capacity = 0;
    r->last_line = r->last_column = 1;
    if (length > IX_TEXT_MAX_BYTES) {
        ix_word start = place(r, text);
        r->end = text; /* do not search it for the line's end */
        ix_lex_fail(r, ILEX_E_LIMIT, &start,
                    "the text has %zu bytes; at most %d are read", length,
                    (int)IX_TEXT_MAX_BYTES);
    }
}

/* Bytes of the character at "at", one that text may hold. */
static size_t
character(ix_reader *r, const char *at)
{
    uint32_t code = 0;
    size_t n = ix_utf8(at, (size_t)(r->end - at), &code);
    if (n && (ix_is_shown(code) || code == '\t' ||
              (code == '\r' && at + 1 < r->end && at[1] == '\n')))
        return n;
    ix_word where = place(r, at);
    if (at == r->text && code == 0xfeff)
        ix_lex_fail(r, ILEX_E_SYNTAX, &where,
                    "the text begins with a byte order mark; save it without");
    ix_lex_fail(r, ILEX_E_SYNTAX, &where,
                "byte 0x%02x at offset %zu is not %s; program text, comments "
                "included, is printable UTF-8",
                (unsigned char)*at, (size_t)(at - r->text),
                n ? "printable" : "UTF-8");
}

/* Does a name begin "k" bytes further? */
static bool
is_name(const ix_reader *r, size_t k)
{
    size_t left = (size_t)(r->end - r->at);
    return k < left && ix_name_length(r->at + k, left - k) > 0;
}

/* Skips blanks and a comment; the comment becomes the newline's text. */
static ix_word
skip_blanks(ix_reader *r)
{
    while (peek(r, 0) == ' ' || peek(r, 0) == '\t' ||
           (peek(r, 0) == '\r' && peek(r, 1) == '\n'))
        r->at++;
    ix_word comment = place(r, r->at);
    if (peek(r, 0) != '#')
        return comment;
    const char *start = r->at, *last = start;
    while (r->at < r->end && *r->at != '\n') {
        size_t n = character(r, r->at);
        r->at += n;
        if (n > 1 || r->at[-1] > ' ')
            last = r->at - 1;
    }
    comment.length = (int32_t)(last + 1 - start);
    return comment;
}

static void
skip_digits(ix_reader *r)
{
    while (is_digit(peek(r, 0)))
        r->at++;
}

/* A number: digits, then perhaps a fraction, an exponent, a "j". */
static ix_token_kind
scan_number(ix_reader *r)
{
    ix_token_kind kind = IX_TOKEN_INT;
    const char *start = r->at;
    skip_digits(r);
    if (peek(r, 0) == '.') {
        kind = IX_TOKEN_REAL;
        r->at++;
        skip_digits(r);
    }
    if (peek(r, 0) == 'e' || peek(r, 0) == 'E') {
        bool sign = peek(r, 1) == '+' || peek(r, 1) == '-';
        if (is_digit(peek(r, sign ? 2 : 1))) {
            kind = IX_TOKEN_REAL;
            r->at += sign ? 2 : 1;
            skip_digits(r);
        }
    }
    if (peek(r, 0) == 'j' && !is_name(r, 1) && !is_digit(peek(r, 1))) {
        r->at++;
        return IX_TOKEN_IMAGINARY;
    }
    if (is_name(r, 0) || peek(r, 0) == '.') {
        ix_word where = place(r, start);
        ix_lex_fail(r, ILEX_E_SYNTAX, &where,
                    "a number followed by '%.*s'; write numbers as 12, 0.5 or "
                    "1e-3, and products with '*'",
                    (int)character(r, r->at), r->at);
    }
    return kind;
}

/* A string in double quotes, without escapes. */
static void
scan_string(ix_reader *r)
{
    ix_word where = place(r, r->at++);
    while (r->at < r->end && *r->at != '"' && *r->at != '\n')
        r->at += character(r, r->at);
    if (peek(r, 0) != '"')
        ix_lex_fail(r, ILEX_E_SYNTAX, &where,
                    "the string does not end on its line; close it with '\"'");
    r->at++;
}

/* Spellings of more than one character; all others have one. */
static void
scan_punct(ix_reader *r)
{
    static const char *const spellings[] = {
        "...", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "//", "->"};
    for (size_t i = 0; i < IX_COUNT(spellings); i++) {
        size_t n = strlen(spellings[i]);
        if ((size_t)(r->end - r->at) >= n && !memcmp(r->at, spellings[i], n)) {
            r->at += n;
            return;
        }
    }
    size_t n = character(r, r->at);
    if (n > 1 || !strchr("+-*/%<>=!&|^~()[]{},:;@", *r->at)) {
        ix_word where = place(r, r->at);
        ix_lex_fail(r, ILEX_E_SYNTAX, &where,
                    "the character '%.*s' has no meaning here%s", (int)n, r->at,
                    ix_spelling_hint(IX_SPELLING_CHARACTER, r->at, n));
    }
    r->at++;
}

static ix_token_kind
scan(ix_reader *r)
{
    char c = peek(r, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(r, 1))))
        return scan_number(r);
    if (c == '"') {
        scan_string(r);
        return IX_TOKEN_STRING;
    }
    size_t name = ix_name_length(r->at, (size_t)(r->end - r->at));
    if (!name)
        scan_punct(r);
    r->at += name;
    return name ? IX_TOKEN_NAME : IX_TOKEN_PUNCT;
}

/* Does a line that ends with this token go on in the next one? It does behind
 * a comma, an operator and an open bracket. */
static bool
goes_on(const ix_token *t)
{
    return t->kind == IX_TOKEN_PUNCT && !strchr(")]}:;@", t->word.text[0]) &&
           t->word.text[0] != '.';
}

/* Keeps the comment on a line that goes on, for the layout of text. */
static void
keep_comment(ix_reader *r, ix_word comment)
{
    if (!comment.length)
        return;
    ix_arena_grow(&r->arena, &r->inner, &r->inner_capacity, r->ninner + 1,
                  sizeof *r->inner);
    r->inner[r->ninner++] = comment;
}

/* Skips what stands before the next token; returns the comment before the end
 * of a line. */
static ix_word
skip_to_token(ix_reader *r)
{
    ix_word comment = skip_blanks(r);
    while (goes_on(&r->token) && r->at < r->end && *r->at == '\n') {
        keep_comment(r, comment);
        r->line++;
        r->line_start = ++r->at;
        comment = skip_blanks(r);
    }
    return comment;
}

void
ix_lex_next(ix_reader *r)
{
    ix_token *t = &r->token;
    r->last_line = r->line;
    r->last_column = (int32_t)(r->at - r->line_start) + 1;
    t->word = skip_to_token(r);
    if (r->at == r->end) {
        t->kind = t->word.length ? IX_TOKEN_NEWLINE : IX_TOKEN_END;
        return;
    }
    if (*r->at == '\n') {
        t->kind = IX_TOKEN_NEWLINE;
        r->line++;
        r->line_start = ++r->at;
        return;
    }
    t->word = place(r, r->at);
    t->kind = scan(r);
    t->word.length = (int32_t)(r->at - t->word.text);
}

/* ---- errors ---- */

void
ix_lex_abort(ix_reader *r)
{
    longjmp(r->arena.oom, 1);
}

void
ix_lex_fail(ix_reader *r, ilex_status code, const ix_word *where,
            const char *fmt, ...)
{
    ix_error *err = &r->ctx->error;
    if (err->code == ILEX_OK) {
        va_list args;
        va_start(args, fmt);
        ix_fail_v(err, code, fmt, args);
        va_end(args);
        err->line = where->line;
        err->column = where->column;
    }
    ix_lex_abort(r);
}

bool
ix_lex_attempt(ix_reader *r, void (*work)(void *user), void *user)
{
    jmp_buf outer;
    memcpy(&outer, &r->arena.oom, sizeof outer);
    bool ok = IX_ARENA_TRY(&r->arena);
    if (ok)
        work(user);
    memcpy(&r->arena.oom, &outer, sizeof outer);
    return ok;
}

/* The start of line "line". */
static const char *
find_line(const ix_reader *r, int line)
{
    const char *p = r->text;
    while (--line > 0) {
        const char *nl = memchr(p, '\n', (size_t)(r->end - p));
        if (!nl)
            return r->end;
        p = nl + 1;
    }
    return p;
}

/* Appends to a fixed buffer, cutting what does not fit. */
static void IX_PRINTF(3, 4)
    append(char *buffer, size_t *used, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(buffer + *used, IX_ERROR_TEXT - *used, fmt, args);
    va_end(args);
    if (n > 0)
        *used += (size_t)n;
    if (*used > IX_ERROR_TEXT - 1)
        *used = IX_ERROR_TEXT - 1;
}

/* Appends the source line and a caret, a long line cut around the caret. */
static void
append_source(const ix_reader *r, char *buffer, size_t *used)
{
    enum { BEFORE = 60, SHOWN = 100 };
    const ix_error *err = &r->ctx->error;
    const char *start = find_line(r, err->line);
    const char *nl = memchr(start, '\n', (size_t)(r->end - start));
    ptrdiff_t length = (nl ? nl : r->end) - start;
    ptrdiff_t caret = err->column - 1;
    if (caret > length)
        caret = length;
    ptrdiff_t from = caret > BEFORE + 20 ? caret - BEFORE : 0;
    while (from > 0 && ((unsigned char)start[from] & 0xc0) == 0x80)
        from--;
    append(buffer, used, "\n    ");
    for (ptrdiff_t i = from; i < length && i < from + SHOWN;) {
        uint32_t code = 0;
        size_t n = ix_utf8(start + i, (size_t)(length - i), &code);
        if (n && ix_is_shown(code))
            append(buffer, used, "%.*s", (int)n, start + i);
        else
            append(buffer, used, " ");
        i += n ? (ptrdiff_t)n : 1;
    }
    append(buffer, used, "\n    %*s^",
           (int)ix_letters(start + from, (size_t)(caret - from)), "");
}

void
ix_reader_diagnose(ix_reader *r)
{
    ix_error *err = &r->ctx->error;
    if (err->code == ILEX_OK)
        ix_fail_memory(err);
    if (!err->line && r->ctx->location.line) {
        err->line = r->ctx->location.line;
        err->column = r->ctx->location.column;
    }
    int32_t file = ix_symbol_of(r->ctx, r->file, strlen(r->file));
    err->file = file < 0 ? NULL : ix_symbol_text(r->ctx, file);
    if (!err->line)
        return;
    char buffer[IX_ERROR_TEXT];
    size_t used = 0;
    append(buffer, &used, "%s%s%d:%d: error[E%03d]: %s", r->file,
           *r->file ? ":" : "", err->line, err->column, (int)err->code,
           err->text);
    append_source(r, buffer, &used);
    memcpy(err->text, buffer, used + 1);
}
