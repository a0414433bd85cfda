/* SPDX-License-Identifier: MIT
 *
 * What a text should say instead: names that are near (lib/base/suggest.h), and
 * for spellings of other languages those of this one (spellings.def).
 */
#ifndef ILEX_LIB_SUGGEST_H
#define ILEX_LIB_SUGGEST_H

#include "lib/base/suggest.h"
#include "lib/syntax/lex.h"

ix_suggestion ix_suggest_word(const ix_word *word);

/* Names of functions: operators, reductions, functions of whole arrays. */
void ix_suggest_functions(ix_suggestion *s);
/* The keywords of statements. */
void ix_suggest_keywords(ix_suggestion *s);

/* Where a foreign spelling stands. */
typedef enum ix_spelling_place {
    IX_SPELLING_TOKEN,     /* a token that does not belong there */
    IX_SPELLING_PREVIOUS,  /* the word before such a token */
    IX_SPELLING_ENCLOSED,  /* as TOKEN, within brackets */
    IX_SPELLING_CHARACTER, /* a character without a meaning */
    IX_SPELLING_FUNCTION,
    IX_SPELLING_NAME,
    IX_SPELLING_DTYPE,
    IX_SPELLING_STATEMENT
} ix_spelling_place;

/* "; ..." for the end of a message about "text"; "" if there is no row. */
const char *ix_spelling_hint(ix_spelling_place place, const char *text,
                             size_t length);

/* The same for the token in front of the reader, where another was expected:
 * with the characters that touch it ("**"), and the word before it ("not"). */
const char *ix_spelling_at(const ix_reader *r);

/* Fails: "word" begins no statement; says what to write instead where that is
 * known. */
_Noreturn void ix_unknown_statement(ix_reader *r, const ix_word *word);

#endif
