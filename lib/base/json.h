/* SPDX-License-Identifier: MIT
 *
 * JSON into a text sink: commas, lines and escapes are the writer's. A member
 * has a key; elements of arrays have NULL in its place.
 */
#ifndef ILEX_LIB_JSON_H
#define ILEX_LIB_JSON_H

#include "lib/base/text.h"

typedef struct ix_json {
    ix_text *t;
    int depth; /* containers that are open */
    int flat;  /* those from this depth on stand in one line; 0: none */
    bool more; /* something stands in the innermost one */
} ix_json;

/* "{" or "["; with "flat" all of it is one line. */
void ix_json_open(ix_json *j, const char *key, char bracket, bool flat);
void ix_json_close(ix_json *j, char bracket);

/* NULL is null. */
void ix_json_string(ix_json *j, const char *key, const char *s);
void ix_json_int(ix_json *j, const char *key, int64_t value);
void ix_json_bool(ix_json *j, const char *key, bool value);
/* What is JSON already. */
void ix_json_put(ix_json *j, const char *key, const char *value);

/* Strings of the parts of "s" between separators: "a, b" are two, "" none. */
void ix_json_parts(ix_json *j, const char *key, const char *s,
                   const char *separator, bool flat);

#endif
