/* SPDX-License-Identifier: MIT
 *
 * Memory for temporaries: a program keeps what its runs have used, so that a
 * steady run touches no new page.
 */
#ifndef ILEX_RUNTIME_WORKSPACE_H
#define ILEX_RUNTIME_WORKSPACE_H

#include "runtime/memory/space.h"

/* A block that a run has checked out. */
typedef struct ix_workspace {
    char *memory; /* at a multiple of 64 */
    size_t bytes; /* from there on */
    ix_block block;
    unsigned generation; /* of the process that made it */
    struct ix_workspace *next;
} ix_workspace;

/* The blocks of a program that no run uses. */
typedef struct ix_workspaces ix_workspaces;

/* NULL without memory. Blocks come from "mem"; from the default allocator,
 * large ones have huge pages. */
ix_workspaces *ix_workspaces_new(const ix_mem *mem);
void ix_workspaces_free(ix_workspaces *all);

/* A block of at least "bytes" bytes of "space" (NORMAL or DEVICE); NULL and
 * "err" on failure. The contents are undefined. */
ix_workspace *ix_workspace_take(ix_workspaces *all, ix_space space, int device,
                                size_t bytes, ix_error *err);

/* Gives it back; NULL is ignored. */
void ix_workspace_give(ix_workspaces *all, ix_workspace *w);

/* Frees all blocks that no run uses; how many bytes that were. */
size_t ix_workspaces_trim(ix_workspaces *all);

#endif
