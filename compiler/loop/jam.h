/* SPDX-License-Identifier: MIT
 *
 * What the files of "jam" share: jam_plan.c finds out what a point has of its
 * own and which groups of statements there are, jam_follow.c what loops do
 * whose bounds follow the point, jam_point.c makes the statements of a point,
 * jam.c distributes them.
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

/* Bounds of a loop, by group: from the largest of the first ones to below the
 * smallest of the others. */
typedef struct ix_jam_bounds {
    int n[2];
    ilex_array *x[2][IX_MOST_BOUNDS];
} ix_jam_bounds;

/* A loop whose bounds follow the point. */
typedef struct ix_jam_follow {
    const ix_stmt *loop;
    ix_jam_bounds hull;   /* of the bounds of all points */
    ix_jam_bounds points; /* that have an iteration, */
    int64_t together;     /* so many at most; INT64_MAX: that is not known */
} ix_jam_follow;

typedef struct ix_jam_state {
    ix_unit *u;
    ix_kernel *k;
    const ix_stmt *loop;
    bool past_all;     /* loops, as there is no serial one */
    bool past_lanes;   /* too, for points fold theirs together */
    int64_t points;    /* at most */
    ilex_array *point; /* index in a row */
    ix_jam_value *own; /* by "number": of what is defined + 1 -> place + 1 */
    size_t nown, capacity;
    ix_map number;
    ix_map into; /* statements that points move into -> place in "follow" + 1,
                    0 if the bounds are those of all points */
    ix_jam_follow *follow;
    size_t nfollow, follow_capacity;
    int within;              /* such loops, around what is looked at */
    ix_jam_bounds now;       /* of the points that are there */
    ix_substitution through; /* values that are seen through, */
    size_t nseen;            /* so many of "own" */
    ix_walk varies, uses;
    int group;    /* that is looked at */
    bool crowded; /* there are too many bounds */
    int nvalues;  /* of the kernel, before */
    size_t nvariables;
} ix_jam_state;

/* jam_plan.c: what "number" defines, or scratch memory, for each point; NULL:
 * it is not of a point */
ix_jam_value *ix_jam_own(const ix_jam_state *j, int64_t number);
ix_jam_value *ix_jam_own_memory(const ix_jam_state *j, const ix_stmt *scratch);
/* Does it differ from point to point, or may it be another one later? */
bool ix_jam_varies(ix_jam_state *j, ilex_array *x);
/* Do the points move into the body of a statement? */
bool ix_jam_descends(const ix_jam_state *j, const ix_stmt *s);
/* The loop if its bounds follow the point, else NULL. */
const ix_jam_follow *ix_jam_follows(const ix_jam_state *j, const ix_stmt *s);
/* Is it a value of all points? */
bool ix_jam_is_of_all(const ix_jam_state *j, const ix_stmt *s);
/* Why the points cannot move; otherwise it is planned how they do. */
ix_refusal ix_jam_begin(ix_jam_state *j, ix_unit *u, const ix_cursor *c,
                        bool past_all);
void ix_jam_end(ix_jam_state *j);
/* They do not: the numbers of values and variables are what they were. */
void ix_jam_undo(const ix_jam_state *j);

/* jam_follow.c: notes a loop whose bounds follow the point; false: it is not
 * known how */
bool ix_jam_follow_loop(ix_jam_state *j, const ix_stmt *loop);
/* Inside the statement only some points are there, which "now" bounds; "before"
 * gets what that was. False: there are too many bounds. */
bool ix_jam_enter(ix_jam_state *j, const ix_stmt *s, ix_jam_bounds *before);
/* The loop with these bounds. */
ix_stmt *ix_jam_over_bounds(const ix_jam_state *j, const ix_stmt *loop,
                            const ix_jam_bounds *b);

/* jam_lanes.c: a loop of the list over lanes in "lanes", or NULL; the list with
 * loops in place of statements that fold lanes */
const ix_stmt *ix_jam_lanes(const ix_jam_state *j, const ix_stmt *list,
                            const ix_stmt *lanes);
ix_stmt *ix_jam_unfold(const ix_jam_state *j, const ix_stmt *list);

/* jam_point.c: element "at" of what became a row, or of a cell, at the point */
ix_element ix_jam_row(const ix_jam_state *j, const ix_jam_value *o,
                      ilex_array *at);
/* A group of statements for a point. */
ix_stmt *ix_jam_group(ix_jam_state *j, ix_stmt *const *group, size_t n);
/* Has each point a temporary of its own (shrink)? */
bool ix_jam_is_per_point(const ix_jam_state *j, int64_t buffer);
/* Can temporaries of points have one more axis, for these? */
bool ix_jam_has_room(const ix_jam_state *j);
/* Gives them that axis. */
void ix_jam_widen(ix_jam_state *j);

#endif
