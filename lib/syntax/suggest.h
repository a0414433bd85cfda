/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": of the names that may stand somewhere the one that is nearest
 * to what was written.
 */
#ifndef ILEX_LIB_SUGGEST_H
#define ILEX_LIB_SUGGEST_H

#include "lib/syntax/lex.h"

typedef struct ix_suggestion {
    const ix_word *word; /* what was written */
    int distance;        /* of "best"; at first the largest that counts */
    const char *best;    /* NULL: none is near */
    size_t length;
} ix_suggestion;

ix_suggestion ix_suggest(const ix_word *word);
void ix_suggest_name(ix_suggestion *s, const char *name, size_t length);

/* Names of functions: operators, reductions, functions of whole arrays. */
void ix_suggest_functions(ix_suggestion *s);
/* The keywords of statements. */
void ix_suggest_keywords(ix_suggestion *s);

/* "; did you mean 'sqrt'?", or nothing. */
typedef struct ix_suggestion_text {
    char s[100];
} ix_suggestion_text;
ix_suggestion_text ix_suggestion_show(const ix_suggestion *s);

#endif
