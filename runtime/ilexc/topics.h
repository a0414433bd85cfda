/* SPDX-License-Identifier: MIT
 *
 * Topics: whatever has a name and a row in one of the tables (*.def), of the
 * language, the library and the command. The words are those of the rows.
 */
#ifndef ILEX_TOPICS_H
#define ILEX_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/syntax/suggest.h"

typedef enum ix_topic_list {
#define IX_TOPICS(list, title, meaning) IX_TOPICS_##list,
#include "runtime/ilexc/topics.def"
    IX_NTOPICLISTS
} ix_topic_list;

typedef struct ix_topic {
    ix_topic_list list;
    const char *name;    /* "add", "E401", "--size" */
    const char *sign;    /* another spelling, "+", "ILEX_E_BOUNDS"; or NULL */
    const char *example; /* how it is written; NULL: "name", or found out */
    const char *meaning;
    const char *more; /* what ix_topic_more() gives, but for operators */
} ix_topic;

/* The lists: the name of one, what its entries are called, what it lists. */
typedef struct ix_topic_list_info {
    const char *name, *title, *meaning;
} ix_topic_list_info;
extern const ix_topic_list_info ix_topic_lists[IX_NTOPICLISTS];

/* All topics; NULL behind the last. */
const ix_topic *ix_topic_at(size_t i);

/* Is the topic called "name", by its name, sign or alias? */
bool ix_topic_is(const ix_topic *t, const char *name);

/* A further sentence: dtypes of an operator, levels of a pass, ...; or NULL. */
const char *ix_topic_more(const ix_topic *t);

/* Names of topics that are near what was written. */
void ix_topic_suggest(ix_suggestion *s);

#endif
