/* SPDX-License-Identifier: MIT
 *
 * The loops of stages, and those of scans.
 */
#ifndef ILEX_COMPILER_RECURRENCE_H
#define ILEX_COMPILER_RECURRENCE_H

#include "compiler/tree/tree.h"

/* The kernel of a stage (nest.c). */
ix_kernel *ix_nest_stage(ix_unit *u, const ix_stage *s);

/* The loops from the outermost one on: free axes, that of the levels, "axis",
 * unless it is -1. */
void ix_recurrence_order(int axis, int rank, int *order);
/* Puts the nests of "b" behind those of "a", which is done before: over the
 * same free points, of which each reads what its own point wrote. One of them
 * is a scan; the other one may be a kernel without order, whose loops then
 * stand in the scan's order, if what one hands to the other need not be kept
 * for all points. False if they do not go together. */
bool ix_recurrence_fuse_kernels(ix_unit *u, ix_kernel *a, const ix_kernel *b);
/* The nests of the kernel, one for each piece of the levels, as loops over the
 * levels in common loops over what is free. */
ix_stmt *ix_recurrence_nests(ix_unit *u, const ix_kernel *k);
/* Do two nests over one box differ in their levels, along "axis", and stores
 * only? */
bool ix_nest_same_free_loops(const ix_stmt *a, const ix_stmt *b, int axis);
/* Have all nests the same free loops as "like", with other levels? */
bool ix_recurrence_is_one(const ix_stmt *like, const ix_stmt *nests, int axis);

/* selects.c: do pieces of its box run each for itself? Not where iterations
 * wait for others, or where which check fails first would differ; and is code
 * for them worth its length? */
bool ix_may_peel(ix_unit *u, const ix_kernel *k);

#endif
