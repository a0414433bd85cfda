/* SPDX-License-Identifier: MIT
 *
 * Free lists of workspaces (see workspace.h): a run takes a block, gives it
 * back larger or as it was. A forked child has the free blocks of its parent; a
 * block that another thread of the parent had checked out is forgotten there,
 * as is memory of a device, which a child cannot use.
 */
#include "runtime/program/workspace.h"

#include "lib/base/fork.h"

enum {
    ALIGN = 64,
    MOST_BLOCKS = 16,
    MOST_BYTES = 256 << 20, /* kept beyond the first block */
    HUGE = 4 << 20          /* from here on huge pages pay */
};

struct ix_workspaces {
    ix_mem mem;
    ix_workspace *first; /* the one given back last */
    size_t count, bytes;
};

/* One lock for all lists: it is held for a few loads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned generation; /* of this process; changes in a forked child */

IX_FORK_TAKES_AND(lock, generation++, constructor)

ix_workspaces *
ix_workspaces_new(const ix_mem *mem)
{
    ix_workspaces *all = ix_mem_new(mem, sizeof *all);
    if (all)
        all->mem = *mem;
    return all;
}

/* Frees a block that is in no list. */
static void
discard(const ix_mem *mem, ix_workspace *w)
{
    bool lost =
        w->block.space == IX_SPACE_DEVICE && w->generation != generation;
    if (!lost)
        ix_space_free(&w->block);
    ix_mem_free(mem, w);
}

/* Takes the block at "*at" out of the list; the lock is held. */
static ix_workspace *
unlink_block(ix_workspaces *all, ix_workspace **at)
{
    ix_workspace *w = *at;
    *at = w->next;
    all->count--;
    all->bytes -= w->bytes;
    return w;
}

/* The block given back last of that space, of any size; NULL: there is none. */
static ix_workspace *
find(ix_workspaces *all, ix_space space, int device)
{
    ix_workspace *w = NULL;
    pthread_mutex_lock(&lock);
    for (ix_workspace **at = &all->first; *at && !w; at = &(*at)->next)
        if ((space == IX_SPACE_DEVICE) ==
                ((*at)->block.space == IX_SPACE_DEVICE) &&
            (*at)->block.device == device &&
            (space != IX_SPACE_DEVICE || (*at)->generation == generation)) {
            w = unlink_block(all, at);
            break;
        }
    pthread_mutex_unlock(&lock);
    return w;
}

static ix_workspace *
make(ix_workspaces *all, ix_space space, int device, size_t bytes,
     ix_error *err)
{
    bool plain = all->mem.resize == ix_mem_default.resize;
    ix_workspace *w = ix_mem_new(&all->mem, sizeof *w);
    if (!w)
        return ix_fail_memory_null(err);
    if (space == IX_SPACE_NORMAL && plain && bytes >= HUGE)
        space = IX_SPACE_HUGEPAGE;
    /* a driver has its own words for a failure */
    if (bytes > SIZE_MAX / 2 ||
        ix_space_allocate(&w->block, space, device, &all->mem,
                          bytes + ALIGN - 1,
                          space == IX_SPACE_DEVICE ? err : NULL)) {
        ix_fail(err, ILEX_E_MEMORY,
                "out of memory: %zu bytes for the temporaries of a run", bytes);
        ix_mem_free(&all->mem, w);
        return NULL;
    }
    uintptr_t over = (uintptr_t)w->block.address % ALIGN;
    w->memory = (char *)w->block.address + (over ? ALIGN - over : 0);
    w->bytes = bytes;
    w->generation = generation;
    return w;
}

ix_workspace *
ix_workspace_take(ix_workspaces *all, ix_space space, int device, size_t bytes,
                  ix_error *err)
{
    ix_workspace *w = find(all, space, device);
    if (w && w->bytes >= bytes)
        return w;
    if (w)
        discard(&all->mem, w);
    return make(all, space, device, bytes, err);
}

void
ix_workspace_give(ix_workspaces *all, ix_workspace *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&lock);
    bool keep = all->count == 0 || (all->count < MOST_BLOCKS &&
                                    all->bytes + w->bytes <= MOST_BYTES);
    if (keep) {
        w->next = all->first;
        all->first = w;
        all->count++;
        all->bytes += w->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!keep)
        discard(&all->mem, w);
}

size_t
ix_workspaces_trim(ix_workspaces *all)
{
    pthread_mutex_lock(&lock);
    ix_workspace *w = all->first;
    size_t bytes = all->bytes;
    all->first = NULL;
    all->count = all->bytes = 0;
    pthread_mutex_unlock(&lock);
    while (w) {
        ix_workspace *next = w->next;
        discard(&all->mem, w);
        w = next;
    }
    return bytes;
}

void
ix_workspaces_free(ix_workspaces *all)
{
    if (!all)
        return;
    ix_workspaces_trim(all);
    ix_mem mem = all->mem;
    ix_mem_free(&mem, all);
}
