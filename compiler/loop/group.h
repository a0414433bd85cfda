/* SPDX-License-Identifier: MIT
 *
 * Threads that do a point of a grid together: groups (group.c), blocks
 * (block.c).
 */
#ifndef ILEX_COMPILER_LOOP_GROUP_H
#define ILEX_COMPILER_LOOP_GROUP_H

#include "compiler/loop/loop.h"

/* Is there a statement in a list that makes, or folds, scratch of a number? */
bool ix_list_has_about(const ix_stmt *list, ix_stmt_kind kind, int number);

/* NONE: a group may do what a point does, in the kernel, and has lanes of
 * reductions in it. */
ix_refusal ix_group_look(ix_unit *u, ix_kernel *k, ix_stmt *body);
bool ix_group_suits(ix_unit *u, ix_kernel *k, ix_stmt *body);
/* It does. */
void ix_group_mark(ix_unit *u, ix_kernel *k, ix_stmt *body);

/* The same of a block, which has an array that its threads share in it. */
ix_refusal ix_block_look(ix_unit *u, ix_kernel *k, ix_stmt *body);
bool ix_block_suits(ix_unit *u, ix_kernel *k, ix_stmt *body);
void ix_block_mark(ix_unit *u, ix_kernel *k, ix_stmt **body);

#endif
