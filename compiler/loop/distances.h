/* SPDX-License-Identifier: MIT
 *
 * Distances: by how many iterations of the loops around both two accesses to
 * one element lie apart. Index sums in normal form are subtracted, LETs seen
 * through (accesses.c, meet.c); what the loops' bounds leave of that is found
 * out by elimination (constraints.h). Indices that are data, or no sums, are
 * not proved.
 */
#ifndef ILEX_COMPILER_DISTANCES_H
#define ILEX_COMPILER_DISTANCES_H

#include "compiler/loop/loop.h"

/* A condition of a branch, around those that are said before it. */
typedef struct ix_branch {
    const ilex_array *condition;
    bool holds;
    const struct ix_branch *around; /* or NULL */
} ix_branch;

/* An access to an element of a buffer, or of scratch memory (then "buffer" is
 * -1). */
typedef struct ix_access {
    const ix_stmt *stmt; /* that makes it */
    const ix_stmt *scratch;
    int buffer;
    bool write;
    bool unknown;            /* where it is */
    const ix_branch *branch; /* the branches it is in, innermost first */
    int rank;                /* -1: all elements */
    ilex_array *const *index;
    int depth;
    const ix_stmt *const *around; /* the loops around, outermost first */
} ix_access;

/* What is defined where: LETs, LOADs, scratch by number. */
typedef struct ix_definition {
    const ix_stmt *stmt;
    int depth; /* loops around it */
} ix_definition;

typedef struct ix_accesses {
    ix_unit *u;
    ix_definition *definition; /* of each value of the kernel */
    ix_access *item;           /* in the order of the text */
    size_t n, capacity;
    struct ix_meeting *meeting; /* memory for one */
} ix_accesses;

/* The accesses of a kernel that are made in a statement and those behind it. */
ix_accesses ix_accesses_in(ix_unit *u, const ix_kernel *k, const ix_stmt *from);

/* Is it made in a loop? */
bool ix_access_is_in(const ix_access *x, const ix_stmt *loop);
/* Is it made at each point of the loops around once, which are all over axes of
 * its own, in no branch? Its other indices are constants then. */
bool ix_access_is_once_a_point(const ix_access *x);

/* An output in place of an input counts as the input. */
bool ix_is_one_buffer(const ix_unit *u, int x, int y);
/* Is the buffer, or one whose memory it may have, written? */
bool ix_accesses_write(const ix_accesses *a, int buffer);
/* Is it read, or what shares its memory? */
bool ix_accesses_read(const ix_accesses *a, int buffer);

/* How an access lies to another one along a loop, in the order of its
 * iterations. */
typedef enum ix_direction {
    IX_BEFORE = -1,
    IX_SAME,
    IX_AFTER,
    IX_ANY
} ix_direction;

/* Can "x" and "y" meet one element, or one that outputs in place may share,
 * where "y" lies so along the first "n" loops around both? IX_YES: nothing was
 * found against it, in index sums that are known. */
ix_tri ix_accesses_meet(ix_accesses *a, const ix_access *x, const ix_access *y,
                        int n, const ix_direction *direction);

/* Calls "fn" for all pairs of which the first writes: the first refusal for a
 * distance, else the last one. */
typedef ix_refusal (*ix_pair_fn)(void *user, const ix_access *x,
                                 const ix_access *y);
ix_refusal ix_access_pairs(const ix_accesses *a, ix_pair_fn fn, void *user);

/* Does a parallel loop carry nothing between such accesses? It does where each
 * part of a run has memory of its own, which iterations use one after the
 * other. */
static inline bool
ix_access_is_shared(const ix_accesses *a, const ix_access *x)
{
    return x->buffer < 0 || !a->u->buffer[x->buffer].own;
}

/* Why two accesses do not let a transformation be done, NONE if the answer is
 * no. "what" says what it would do to them. */
ix_refusal ix_refuse_meeting(ix_unit *u, ix_tri meet, const ix_access *x,
                             const ix_access *y, const char *what);

/* Is there an iteration of the loop at which the cursor is that reads or writes
 * what another one writes? NONE: it carries nothing. */
ix_refusal ix_loop_carries(ix_unit *u, const ix_cursor *c);

/* NONE: no iteration waits for another one, as is known, or is found out and
 * marked then. */
ix_refusal ix_loop_independent(ix_unit *u, const ix_cursor *c);

/* ---- moved.c: what is computed in a kernel behind the one that did it ---- */

/* Is it a temporary that no function of the host, and no count, uses? */
bool ix_buffer_is_of_kernels(const ix_unit *u, int buffer);
/* NONE: what statements of kernel "from" load is in all kernels up to "to" as
 * it was. */
ix_refusal ix_kernels_keep(ix_unit *u, const ix_kernel *from,
                           const ix_kernel *to, ix_stmt *list);
/* By buffer: is it that one, or another one? */
bool *ix_buffers_but(ix_unit *u, int buffer, bool others);
/* The list without stores to buffers that are gone, and without loops that have
 * nothing left in them. */
ix_stmt *ix_stmts_without(ix_stmt *list, const bool *gone);

/* The list, whose accesses are "later", may stand behind that of a loop over
 * the same variable, in one loop then (apart.c). */
void ix_loop_behind(ix_unit *u, ix_kernel *k, int loop,
                    const ix_accesses *later, ix_stmt **list);

/* numbers.c: what an iteration of the loop stores once, in temporaries, it has
 * as values when it reads them; temporaries that nothing reads then go. */
void ix_forward_numbers(ix_unit *u, ix_kernel *k, ix_stmt *loop);
void ix_drop_forwarded(ix_unit *u);

/* How many loops there are around the cursor's, branches left out. */
int ix_cursor_depth(const ix_cursor *c);

/* fission.c: marks values that a list uses, and scratch memory that its
 * statements are about, which they use. */
void ix_note_uses(ix_unit *u, ix_stmt *list, bool *used, bool *about);

#endif
