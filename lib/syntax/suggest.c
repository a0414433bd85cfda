/* SPDX-License-Identifier: MIT
 *
 * What a text should say instead.
 */
#include "lib/syntax/suggest.h"

#include "lib/base/letter.h"
#include "lib/build/build.h"
#include "lib/syntax/syntax.h"

ix_suggestion
ix_suggest_word(const ix_word *word)
{
    return ix_suggest(word->text, (size_t)word->length);
}

static void
suggest(ix_suggestion *s, const char *name)
{
    ix_suggest_name(s, name, strlen(name));
}

void
ix_suggest_functions(ix_suggestion *s)
{
    static const char *const others[] = {
#define WORD_function(word) word,
#define WORD_reduction(word) word,
#define WORD_clause(word)
#define WORD_mode(word)
#define WORD_constant(word)
#define IX_WORD(word, class, example, meaning) WORD_##class(word)
#include "lib/syntax/words.def"
        "abs"};
    ix_op_suggest(s);
    ix_reduction_suggest(s);
    for (int k = 0; k < IX_NSIGNATURES; k++)
        if (ix_signatures[k].build)
            suggest(s, ix_signatures[k].text);
    for (size_t k = 0; k < IX_COUNT(others); k++)
        suggest(s, others[k]);
}

void
ix_suggest_keywords(ix_suggestion *s)
{
    for (int k = 0; k < IX_STATEMENT_COMMENT; k++)
        suggest(s, ix_statement_keywords[k]);
}

/* ---- spellings of other languages ---- */

static const struct {
    ix_spelling_place place;
    const char *text, *hint;
} spellings[] = {
#define IX_SPELLING(place, text, hint) {IX_SPELLING_##place, text, "; " hint},
#include "lib/syntax/spellings.def"
};

const char *
ix_spelling_hint(ix_spelling_place place, const char *text, size_t length)
{
    for (size_t i = 0; i < IX_COUNT(spellings); i++)
        if (spellings[i].place == place &&
            strlen(spellings[i].text) == length &&
            !memcmp(spellings[i].text, text, length))
            return spellings[i].hint;
    return "";
}

/* For the word that ends before "at", on its line. */
static const char *
hint_before(const ix_reader *r, const char *at)
{
    while (at > r->text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    const char *end = at;
    while (at > r->text && ix_is_name_byte(at[-1]))
        at--;
    return ix_spelling_hint(IX_SPELLING_PREVIOUS, at, (size_t)(end - at));
}

const char *
ix_spelling_at(const ix_reader *r)
{
    const char *at = r->token.word.text;
    size_t n = (size_t)r->token.word.length;
    const char *hint = "";
    if (at > r->text)
        hint = ix_spelling_hint(IX_SPELLING_TOKEN, at - 1, n + 1);
    if (!*hint && at + n < r->end)
        hint = ix_spelling_hint(IX_SPELLING_TOKEN, at, n + 1);
    if (!*hint)
        hint = ix_spelling_hint(IX_SPELLING_TOKEN, at, n);
    if (!*hint && r->nesting > 0)
        hint = ix_spelling_hint(IX_SPELLING_ENCLOSED, at, n);
    return *hint ? hint : hint_before(r, at);
}

/* ---- statements ---- */

/* Does the line go on with an assignment: "= ...", "+= ..."? */
static bool
assigns(const ix_reader *r)
{
    const char *at = r->at;
    while (at < r->end && (*at == ' ' || *at == '\t'))
        at++;
    at += at < r->end && *at && strchr("+-*/", *at);
    return at < r->end && *at == '=' && (at + 1 == r->end || at[1] != '=');
}

void
ix_unknown_statement(ix_reader *r, const ix_word *word)
{
    bool name = r->token.kind == IX_TOKEN_NAME;
    size_t length = (size_t)word->length;
    const char *hint =
        ix_spelling_hint(IX_SPELLING_STATEMENT, word->text, length);
    ix_suggestion near = ix_suggest_word(word);
    if (name)
        ix_suggest_keywords(&near);
    if (name && !*hint && assigns(r))
        ix_lex_fail(r, ILEX_E_SYNTAX, word,
                    "a value is named by let, once: let %.*s = ...",
                    length < 40 ? (int)length : 40, word->text);
    if (near.best || *hint)
        ix_lex_fail(r, ILEX_E_SYNTAX, word, "there is no statement '%.*s'%s",
                    length < 40 ? (int)length : 40, word->text,
                    *hint ? hint : ix_suggestion_show(&near).s);
    ix_syntax_unexpected(
        r, "a statement (size, assume, domain, in, const, let, map, "
           "scan, loop, einsum, reshape, node, function, extern, out, recv "
           "or send)");
}
