/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": of the names that may stand somewhere the one that is nearest
 * to what was written: ix_suggest, ix_suggest_name for each, then
 * ix_suggestion_show for the end of a message.
 */
#ifndef ILEX_LIB_BASE_SUGGEST_H
#define ILEX_LIB_BASE_SUGGEST_H

#include "lib/base/prelude.h"

typedef struct ix_suggestion {
    const char *text; /* what was written */
    size_t written;   /* its length */
    int distance;     /* of "best"; at first the largest that counts */
    const char *best; /* NULL: none is near */
    size_t length;
} ix_suggestion;

ix_suggestion ix_suggest(const char *text, size_t length);
void ix_suggest_name(ix_suggestion *s, const char *name, size_t length);

/* The words of a list, with one of the characters "between" between them. */
void ix_suggest_words(ix_suggestion *s, const char *list, const char *between);

/* The first words of lines "name\tmeaning\n" (ilex_table). */
void ix_suggest_lines(ix_suggestion *s, const char *lines);

/* "; did you mean 'sqrt'?", or nothing. */
typedef struct ix_suggestion_text {
    char s[100];
} ix_suggestion_text;
ix_suggestion_text ix_suggestion_show(const ix_suggestion *s);

#endif
