/* SPDX-License-Identifier: MIT
 *
 * What the files of "jam" share: jam_plan.c finds out what a point has of its
 * own and which groups of statements there are, jam_point.c makes the
 * statements of a point, jam.c distributes them.
 */
#ifndef ILEX_COMPILER_JAM_H
#define ILEX_COMPILER_JAM_H

#include "compiler/loop/loop.h"

/* A value or scratch memory of a point. */
typedef struct ix_jam_value {
    const ix_stmt *by; /* what defines it */
    int group;         /* in which */
    bool crosses;      /* others use it */
    ix_stmt *row;      /* which it becomes then */
    bool stored;       /* so its value is read there */
} ix_jam_value;

typedef struct ix_jam_state {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    int64_t points;    /* at most */
    ilex_array *point; /* index in a row */
    ix_jam_value *own; /* by "number": of what is defined + 1 -> place + 1 */
    size_t nown, capacity;
    ix_map number;
    ix_mem mem;
    ix_walk varies, uses;
    int group;     /* that is looked at */
    bool possible; /* there is something to move past */
} ix_jam_state;

/* jam_plan.c: what "number" defines, or scratch memory, for each point; NULL:
 * it is not of a point */
ix_jam_value *ix_jam_own(const ix_jam_state *j, int64_t number);
ix_jam_value *ix_jam_own_memory(const ix_jam_state *j, const ix_stmt *scratch);
/* Do the points move into the body of a statement? */
bool ix_jam_descends(ix_jam_state *j, const ix_stmt *s);
/* Is it a value of all points? */
bool ix_jam_is_of_all(const ix_jam_state *j, const ix_stmt *s);
/* Why the points cannot move; otherwise it is planned how they do. */
ix_refusal ix_jam_begin(ix_jam_state *j, ix_unit *u, const ix_cursor *c);
void ix_jam_end(ix_jam_state *j);

/* jam_point.c: element "at" of what became a row, or of a cell, at the point */
ix_element ix_jam_row(const ix_jam_state *j, const ix_jam_value *o,
                      ilex_array *at);
/* A group of statements for a point. */
ix_stmt *ix_jam_group(ix_jam_state *j, ix_stmt *const *group, size_t n);
/* Can temporaries of points (shrink) have one more axis? */
bool ix_jam_has_room(const ix_jam_state *j);
/* Gives them that axis. */
void ix_jam_widen(ix_jam_state *j);

#endif
