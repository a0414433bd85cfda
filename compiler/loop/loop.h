/* SPDX-License-Identifier: MIT
 *
 * Loop transformations, rows of loops.def: each is a function on the statements
 * of a kernel at a loop, with a precondition. Where that does not hold it is
 * refused, and the statements are as before. None changes the order in which an
 * element or a cell is updated, so none changes a bit of a result.
 */
#ifndef ILEX_COMPILER_LOOP_H
#define ILEX_COMPILER_LOOP_H

#include "compiler/tree/tree.h"
#include "lib/base/text.h"

#include <stdarg.h>

typedef enum ix_refusal_class {
    IX_REFUSAL_NONE,
#define IX_REFUSAL(CLASS, text) IX_REFUSAL_##CLASS,
#include "compiler/loop/loops.def"
} ix_refusal_class;

/* Why a transformation was not done; NONE: it was. */
typedef struct ix_refusal {
    ix_refusal_class class;
    const char *why; /* a sentence, of the unit's arena */
} ix_refusal;

/* A refusal with a sentence. */
ix_refusal ix_refuse(ix_unit *u, ix_refusal_class class, const char *format,
                     ...) IX_PRINTF(3, 4);

/* ---- names.c: loops by their names ---- */

/* A loop of a kernel: where its statement hangs, and the loops and branches
 * around it, outermost first. */
enum { IX_DEEP = 64 };
typedef struct ix_cursor {
    ix_kernel *k;
    ix_stmt **at;
    int depth;
    ix_stmt *around[IX_DEEP];
} ix_cursor;

static inline ix_stmt *
ix_cursor_loop(const ix_cursor *c)
{
    return *c->at;
}

/* At the first statement of what it is at. */
static inline void
ix_cursor_enter(ix_cursor *c)
{
    c->around[c->depth++] = *c->at;
    c->at = &(*c->at)->body;
}

/* Loops of a kernel in text order. */
typedef struct ix_loops {
    ix_stmt **loop;
    size_t n;
} ix_loops;

/* The loops that a name means: one; with a star behind it each of that name.
 * "i0" is a free axis, "r0" a reduced one, "r0.q" its chunks, "i0.o" a part of
 * a loop that was split; "i0#1" the second one of that name, "i1/i0" the one
 * inside i1. */
ix_refusal ix_loops_find(ix_unit *u, ix_kernel *k, const char *name,
                         ix_loops *found);
/* The cursor at the loop that a name means; at a loop, false if that is gone or
 * too deep. */
ix_refusal ix_cursor_find(ix_unit *u, ix_kernel *k, const char *name,
                          ix_cursor *c);
bool ix_cursor_at(ix_kernel *k, const ix_stmt *loop, ix_cursor *c);
/* The name of a loop of the kernel; puts those of all, and what their variables
 * are called where they are printed: "i0, i1.o as s2". */
const char *ix_loop_name(ix_unit *u, ix_kernel *k, const ix_stmt *loop);
void ix_loops_put(ix_unit *u, ix_kernel *k, ix_text *t);

/* ---- what is done to them ---- */

typedef enum ix_loop_row {
#define IX_LOOP(name, text, meaning) IX_LOOP_##name,
#include "compiler/loop/loops.def"
    IX_NLOOPS,
    IX_BEFORE_KERNELS = IX_NLOOPS - 1,
#define IX_KERNELS(name, n, text, meaning) IX_KERNELS_##name,
#include "compiler/loop/loops.def"
    IX_NDIRECTIVES
} ix_loop_row;

/* One transformation: a line of text, which names at most so many loops: those
 * of a nest, of which two are split. */
enum { IX_MOST_LOOPS = ILEX_MAX_RANK + 2 };
typedef struct ix_directive {
    ix_loop_row row;
    int nloops;
    const char *loop[IX_MOST_LOOPS]; /* LOOP of the row's text, or KERNEL, in
                                        order */
    const char *name;                /* NAME, COND, or NULL */
    int64_t n;                       /* N */
    unsigned words;  /* which words in [] are there: 1 the first, 2, 4, ... */
    const char *why; /* of the policy's rule that it is of; or NULL */
} ix_directive;

/* ix_loop_<name> does it with the loops that cursors are at, one for each of
 * the directive's, or refuses. */
#define IX_LOOP(name, text, meaning)                                           \
    ix_refusal ix_loop_##name(ix_unit *u, const ix_directive *d, ix_cursor *c);
#include "compiler/loop/loops.def"

/* ix_kernels_<name> does it with kernels of the unit, which then are numbered
 * anew, or refuses. */
#define IX_KERNELS(name, n, text, meaning)                                     \
    ix_refusal ix_kernels_##name(ix_unit *u, const ix_directive *d,            \
                                 ix_kernel **k);
#include "compiler/loop/loops.def"

/* condition.c: the condition of a kernel that a text says, whose numbers are
 * known when the kernel runs. */
ix_refusal ix_condition_read(ix_unit *u, const ix_kernel *k, const char *text,
                             ix_condition *c);

/* pack.c: the axis of a load that runs with a variable, if it is the only one
 * and not the last; else -1. */
int ix_load_axis(const ilex_array *load, int variable);
/* Does a load run with it along any axis? */
bool ix_load_uses(const ilex_array *load, int variable);

/* fission_kernels.c: the reduction "n" as one of its parts, which the buffer
 * has. */
ilex_array *ix_reduction_of_parts(ix_unit *u, const ilex_array *n,
                                  const ix_domain *box, int buffer);

/* inline.c: leaves of these buffers those stored such that what reads them may
 * compute them. */
void ix_may_inline(ix_unit *u, bool *which);
/* drop.c: temporaries that are gone, which nothing reads, are no more. */
void ix_buffers_drop(ix_unit *u, const bool *gone);

/* merge.c: makes one kernel of "a" and "b", the next one, where neither reads
 * what the other writes, or both are scans; else says why not, or NULL. */
const char *ix_kernels_merge(ix_unit *u, ix_kernel *a, const ix_kernel *b);

/* Loops over less than the kernel's box may have no iteration where it runs. */
void ix_kernel_free_loops(ix_unit *u, ix_kernel *k);

/* The loop that threads divide, if there are only definitions beside it, and
 * these before it; else NULL. */
ix_stmt *ix_kernel_outermost(const ix_kernel *k);

/* grid.c: the first statement of a kernel that writes a buffer; those before it
 * all threads of a grid do. */
ix_stmt **ix_grid_begin(ix_kernel *k);

/* What "fuse" does to the loops of two cursors; with "independent" alone if no
 * iteration waits for another one then, and both have one range. */
ix_refusal ix_loops_fuse(ix_unit *u, ix_cursor *c, int64_t lag,
                         bool independent);

/* How the rest of a loop is done whose length is no multiple of the split's:
 * words of "split"; 0 is MIN. */
typedef enum ix_rest {
    IX_REST_MIN = 1,
    IX_REST_PEEL = 2,
    IX_REST_ACROSS = 4 /* no rest, but other strips */
} ix_rest;

/* Words of "align" and "stream". */
enum { IX_STREAM_FROM = 1, IX_STREAM_IN = 2 };

/* Words of "stage". */
typedef enum ix_copy_words {
    IX_COPY_BACK = 1,
    IX_COPY_WORKSPACE = 2,
    IX_COPY_ODD = 4
} ix_copy_words;

/* align.c: a condition for "from": whether there are so many bytes of an array;
 * NULL: there always are. */
ix_refusal ix_loop_large(ix_unit *u, const ix_kernel *k, const char *name,
                         int64_t bytes, ilex_array **large);

/* Would "mine" do it? Most kernels divide no index, which one walk shows for
 * all of their loops. */
bool ix_loop_mines(ix_unit *u, const ix_cursor *c);
bool ix_kernel_divides(ix_unit *u, const ix_kernel *k);
/* Elements of rows with "n" of them in memory that each part of a run has of
 * its own: long ones begin at a line of the cache. */
bool ix_row_is_long(const ix_unit *u, ilex_dtype of, int64_t n);
int64_t ix_row_room(const ix_unit *u, ilex_dtype of, int64_t n);

/* Would "round" do it? */
bool ix_loop_rounds(ix_unit *u, const ix_cursor *c, int64_t n);
/* How many elementary functions follow each other in what it stores, if
 * "expand" would do it where its length is a constant; else 0. */
int ix_loop_functions(ix_unit *u, ix_kernel *k, const ix_stmt *loop);
/* Would "jam" do it, if the loop were split, and have iterations of loops
 * inside that follow it more than "few" points then, as far as is known? */
bool ix_loop_jams(ix_unit *u, const ix_cursor *c, int64_t few);

/* Is there a temporary of an iteration of the loop (shrink, compute)? */
bool ix_loop_has_temporary(const ix_unit *u, const ix_kernel *k,
                           const ix_stmt *loop);

/* Has a loop no condition, bounds that no statement changes, and is it bound to
 * nothing? */
bool ix_loop_is_plain(const ix_stmt *loop);
/* What is said where it is bound to threads, and has to be a loop of one. */
#define IX_THREADS "its points are threads"
#define IX_NO_WORKSPACE "there is no memory of one thread"
#define IX_OWN_TEMPORARY "its iterations have a temporary of their own"
#define IX_NOT_PLAIN                                                           \
    "the loop has a condition, bounds that are data, or is bound"

/* Do its bounds not show that it has an iteration? */
bool ix_loop_may_be_empty(ix_unit *u, const ix_stmt *loop);

/* Where its indices begin, or end: the largest lower bound, the least upper one
 * of those in the group. */
ilex_array *ix_loop_end(ix_unit *u, const ix_stmt *loop, int group);

/* skew.c: the loop without a body, its bounds "k" times what they were and "n"
 * times "by" further; NULL: they are too large. */
ix_stmt *ix_loop_moved(ix_unit *u, const ix_stmt *loop, int64_t k, int64_t n,
                       ilex_array *by);

/* ---- apart.c, unroll.c: copies of what stands in a loop ---- */

/* How many iterations there are, -1 if that is no constant; how many there are
 * at most, by ones, 0 if no constant bounds that. */
int64_t ix_loop_length(ix_unit *u, const ix_stmt *loop);
int64_t ix_loop_most(ix_unit *u, const ix_stmt *loop);
/* Is b - a a number at most, by what is known of sizes? */
bool ix_index_most(ix_unit *u, ilex_array *b, ilex_array *a, int64_t *most);
/* Is it too short, fewer than 16 iterations, for strips and rows? A length that
 * is not known is long. */
bool ix_loop_is_short(ix_unit *u, const ix_stmt *loop);
/* The list with "x" for the index of a variable, to stand in its place. */
ix_stmt *ix_loop_put_index(ix_unit *u, const ix_stmt *list, int variable,
                           ilex_array *x);
/* A copy of the loop's body, with names of its own, where the index is "x". */
ix_stmt *ix_loop_body_at(ix_unit *u, ix_kernel *k, const ix_stmt *loop,
                         ilex_array *x);
/* The loop from "from" on, over a variable of its own, LOOP.t. */
ix_stmt *ix_loop_rest(ix_unit *u, ix_kernel *k, const ix_stmt *loop,
                      ilex_array *from);

/* Is the kernel's function short enough for so many more copies of a list? */
bool ix_loop_has_room(ix_unit *u, const ix_kernel *k, int64_t copies,
                      ix_stmt *list);

/* Lists of statements of the kernel, each of one of its loops' iterations, that
 * may stand beside each other then. */
void ix_loop_apart(ix_unit *u, ix_kernel *k, int n, ix_stmt **list);

#endif
