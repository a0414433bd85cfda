/* SPDX-License-Identifier: MIT
 *
 * Names of axes. "I+1/2" is staggered to "I", half a cell further, and its
 * partner. Which axis a user means is decided here, for arrays, domains and
 * storages alike: I+1/2 is I+1/2; I is I, and I+1/2 where there is no I.
 */
#ifndef ILEX_LIB_BASE_AXIS_H
#define ILEX_LIB_BASE_AXIS_H

#include "lib/base/prelude.h"

/* The length of a name without the "+1/2" behind it. */
size_t ix_axis_stem(const char *name, size_t length);

/* Is "b" staggered to "a"? */
bool ix_axis_is_partner(const char *a, const char *b);

/* Which of "n" axes the text means; -1: none. */
int ix_axis_find(int n, const char *const *name, const char *text,
                 size_t length);

/* Names, with a number, of arrays that ranks send each other, and of their axes
 * that have none; and of the axis of chunks along a divided axis: this, how
 * many elements a chunk has, "_" and which of the divided axes it is. */
#define IX_SENT "_ilex_sent"
#define IX_SENT_CHUNKS "_ilex_chunk"

/* Of loops, by their number and that of what they carry or stack: what there is
 * when a step begins, what it makes, stacks; is a step the last one, how many
 * are there; and of the size that is the number of a step. */
#define IX_SENT_NOW IX_SENT "now%d_%d"
#define IX_SENT_NEXT IX_SENT "next%d_%d"
#define IX_SENT_STACK IX_SENT "stack%d_%d"
#define IX_SENT_UNTIL IX_SENT "until%d"
#define IX_SENT_COUNT IX_SENT "count%d"
#define IX_SENT_STEP "_ilex_step"
/* Of array number so and so and an axis: a copy of which ranks send each other
 * the elements that these read, and places of those along the axis. */
#define IX_SENT_LIST IX_SENT "list%zu_%d"
#define IX_SENT_PLACES IX_SENT "places%zu_%d_%d"
/* What a loop carries that is read so, itself: both names. */
#define IX_SENT_NOW_LIST IX_SENT "list%zu_%d_now%d_%d"

static inline bool
ix_is_sent(const char *name)
{
    return !strncmp(name, IX_SENT, sizeof IX_SENT - 1);
}
static inline bool
ix_is_listed(const char *name)
{
    return !strncmp(name, IX_SENT "list", sizeof IX_SENT "list" - 1);
}
static inline bool
ix_is_sent_step(const char *size)
{
    return !strncmp(size, IX_SENT_STEP, sizeof IX_SENT_STEP - 1);
}
static inline bool
ix_is_of_chunks(const char *axis)
{
    return !strncmp(axis, IX_SENT_CHUNKS, sizeof IX_SENT_CHUNKS - 1);
}

#endif
