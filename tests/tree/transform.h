/* SPDX-License-Identifier: MIT
 *
 * Random transformations of loops, and how many were done and refused.
 */
#ifndef ILEX_TESTS_TRANSFORM_H
#define ILEX_TESTS_TRANSFORM_H

#include "compiler/schedule/schedule.h"

/* What was tried: the directive as text, its row and first loop, and why it was
 * refused. */
typedef struct tree_trial {
    char text[200], loop[24];
    ix_kernel *k;
    ix_loop_row row;
    ix_refusal refusal;
} tree_trial;

/* Loops in text order. */
enum { TREE_NAMES = 200 };
typedef struct tree_loops {
    ix_stmt *loop[TREE_NAMES];
    char name[TREE_NAMES][24];
    int n;
} tree_loops;

/* A number from 0 to below "n" that "*random" leads to. */
uint64_t tree_draw(uint64_t *random, uint64_t n);

/* Tries one at a random loop of the unit, or one that often follows on that
 * before; false if there is none. */
bool tree_transform(ix_unit *u, uint64_t *random, tree_trial *t);

/* The same for the unit's arrays, before there are kernels, and for kernels. */
void tree_transform_values(ix_unit *u, uint64_t *random, tree_trial *t);
bool tree_transform_kernels(ix_unit *u, uint64_t *random, tree_trial *t);

/* Puts the directive as text. */
void tree_trial_put(ix_unit *u, const ix_directive *d, tree_trial *t);

/* A kernel, sometimes what its versions leave, gets one more version. */
ix_directive tree_draw_version(ix_unit *u, uint64_t *random);
/* A temporary, if one is met soon, or NULL. */
const char *tree_draw_temporary(ix_unit *u, uint64_t *random);
/* An array that a kernel reads, often along an axis that is not its last one.
 */
ix_directive tree_draw_pack(ix_unit *u, uint64_t *random);
/* A value that is not stored is to be. */
ix_directive tree_draw_store(ix_unit *u, uint64_t *random);
/* A kernel of one value, if one is met soon, or -1. */
int tree_draw_reduction(ix_unit *u, uint64_t *random);

/* Is it a loop over points of strips, sometimes of a shorter one, that stores
 * nothing? To one of a directive others come, often all that end where it does.
 */
bool tree_is_strip(ix_unit *u, const ix_stmt *loop);
void tree_draw_strips(ix_unit *u, const tree_loops *l, int i, uint64_t *random,
                      ix_directive *d);
/* From how many bytes on, and where, something of "stream" or "align" is. */
void tree_draw_across(ix_unit *u, const ix_stmt *loop, uint64_t *random,
                      ix_directive *d);
void tree_draw_lines(uint64_t *random, ix_directive *d);

/* Prints what was tried so far: by transformation how many were done and, by
 * class, refused. False if one was never done. */
bool tree_transform_report(void);

/* What needs more than some programs have, or one kind of target. */
enum {
    SELDOM = 1 << IX_LOOP_round | 1 << IX_LOOP_shrink | 1 << IX_LOOP_compute |
             1 << IX_LOOP_prefetch | 1 << IX_LOOP_mine | 1 << IX_LOOP_stream |
             1 << IX_LOOP_grid | 1 << IX_LOOP_whole
};

#endif
