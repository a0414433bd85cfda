/* SPDX-License-Identifier: MIT
 *
 * What is noted of arrays beside what they are: where the source makes them
 * and what it calls them, tags, and the user's data. It is no part of a node's
 * key and dies with the node.
 */
#ifndef ILEX_LIB_ANNOTATION_H
#define ILEX_LIB_ANNOTATION_H

#include "lib/base/text.h"
#include "lib/graph/node.h"

/* Different places where one array is made, the oldest first. */
enum { IX_LOCATIONS = 8 };

/* Notes the context's current place of "n", an array, if there is one and it is
 * new. False when there is no memory, which is recorded. */
bool ix_location_note(ilex_context *ctx, ilex_array *n);

/* How many places are noted of "n", and the i-th. */
int ix_location_count(const ilex_array *n);
ix_location ix_location_get(const ilex_array *n, int i);

/* "p.ilx:4:9, also made at q.ilx:7:9 and r.py:12"; nothing if none is noted, or
 * the current place alone. */
void ix_location_print(const ilex_array *n, ix_text *t);

/* What the source calls "n", a symbol, the first of several; 0: nothing. */
bool ix_name_note(ilex_array *n, int32_t name);
int32_t ix_name_get(const ilex_array *n);

/* ---- tags: canonical texts, "tile[I](8)", each once, the oldest first ---- */

/* Notes one, a symbol; false when there is no memory, which is recorded. */
bool ix_tag_note(ilex_array *n, int32_t tag);
/* Takes one away that may be there. */
void ix_tag_drop(ilex_array *n, int32_t tag);

/* How many there are, and the i-th. */
size_t ix_tag_count(const ilex_array *n);
const char *ix_tag_get(const ilex_array *n, size_t i);

/* " @stored @tile[I](8)" */
void ix_tags_print(const ilex_array *n, ix_text *t);

/* Forgets what is noted of a dying node; user data go to a list of the context,
 * and ix_annotation_destroy calls their destructors. */
void ix_annotation_forget(ilex_array *n);
void ix_annotation_destroy(ilex_context *ctx);

/* The same for all nodes: the context dies. */
void ix_annotation_free_all(ilex_context *ctx);

#endif
