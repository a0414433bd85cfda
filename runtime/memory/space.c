/* SPDX-License-Identifier: MIT
 *
 * Memory spaces: allocate, free and copy by the rows of spaces.def.
 */
#define _GNU_SOURCE
#include "runtime/memory/space.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

/* ---- the driver ---- */

static _Atomic(const ix_driver *) replacement, known;

const ix_driver *
ix_driver_find(ix_error *err)
{
    const ix_driver *driver = atomic_load(&replacement);
    if (!driver)
        driver = ix_cuda_driver(err);
    if (driver)
        atomic_store(&known, driver);
    return driver;
}

const ix_driver *
ix_driver_known(void)
{
    return atomic_load(&known);
}

void
ix_driver_replace(const ix_driver *driver)
{
    atomic_store(&replacement, driver);
    atomic_store(&known, driver);
}

/* ---- sources of memory ---- */

/* Asks for huge pages, of which small blocks have none; that the system may
 * refuse does no harm. */
static void
advise_huge(const ix_block *b)
{
    uintptr_t at = (uintptr_t)b->address, mask = HUGE_PAGE - 1;
    uintptr_t first = (at + mask) & ~mask, last = (at + b->bytes) & ~mask;
    if (last > first)
        (void)madvise((char *)b->address + (first - at), last - first,
                      MADV_HUGEPAGE);
}

/* Most of the time of a large result may be that of pages which come one by one
 * when they are first written to. */
static ilex_status
allocate_plain(ix_block *b, ix_error *err)
{
    b->address = ix_mem_resize(&b->mem, NULL, b->bytes);
    if (!b->address)
        return ix_fail(err, ILEX_E_MEMORY,
                       "out of memory: %zu bytes for a storage", b->bytes);
    if (b->bytes >= 2 * HUGE_PAGE)
        advise_huge(b);
    return ILEX_OK;
}

static void
free_plain(ix_block *b)
{
    ix_mem_free(&b->mem, b->address);
}

static ilex_status
allocate_huge(ix_block *b, ix_error *err)
{
    ilex_status rc = allocate_plain(b, err);
    if (!rc)
        advise_huge(b);
    return rc;
}

static void
free_huge(ix_block *b)
{
    free_plain(b);
}

static ilex_status
allocate_driver(ix_block *b, ix_error *err)
{
    b->driver = ix_driver_find(err);
    if (!b->driver)
        return ILEX_E_DEVICE;
    int devices = b->driver->devices();
    if (b->device < 0 || b->device >= devices)
        return ix_fail(err, ILEX_E_DEVICE,
                       "storage: device %d does not exist; %s has %d",
                       b->device, b->driver->name, devices);
    return b->driver->allocate(b->space, b->device, b->bytes, &b->address, err);
}

static void
free_driver(ix_block *b)
{
    b->driver->free(b->space, b->device, b->address);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool host, device;
    ilex_status (*allocate)(ix_block *b, ix_error *err);
    void (*free)(ix_block *b);
} spaces[IX_NSPACES] = {
#define IX_SPACE(name, text, host, device, source, meaning)                    \
    {text, host, device, allocate_##source, free_##source},
#include "runtime/memory/spaces.def"
};

const char *
ix_space_name(ix_space space)
{
    return spaces[space].name;
}

bool
ix_space_find(const char *name, ix_space *space)
{
    for (int i = 0; i < IX_NSPACES; i++)
        if (strcmp(spaces[i].name, name) == 0) {
            *space = (ix_space)i;
            return true;
        }
    return false;
}

bool
ix_space_on_host(ix_space space)
{
    return spaces[space].host;
}

bool
ix_space_on_device(ix_space space)
{
    return spaces[space].device;
}

ilex_status
ix_space_allocate(ix_block *block, ix_space space, int device,
                  const ix_mem *mem, size_t bytes, ix_error *err)
{
    *block = (ix_block){.space = space,
                        .device = device,
                        .mem = *mem,
                        .bytes = bytes ? bytes : 1};
    return spaces[space].allocate(block, err);
}

void
ix_space_free(ix_block *block)
{
    if (block->address)
        spaces[block->space].free(block);
    block->address = NULL;
}

ilex_status
ix_space_copy(ix_space to_space, void *to, ix_space from_space,
              const void *from, int device, size_t bytes, ix_error *err)
{
    bool up = !spaces[to_space].host, down = !spaces[from_space].host;
    if (bytes == 0)
        return ILEX_OK;
    if (!up && !down) {
        memmove(to, from, bytes);
        return ILEX_OK;
    }
    const ix_driver *driver = ix_driver_find(err);
    if (!driver)
        return ILEX_E_DEVICE;
    ix_direction direction = up && down ? IX_DEVICE_TO_DEVICE
                             : up       ? IX_HOST_TO_DEVICE
                                        : IX_DEVICE_TO_HOST;
    return driver->copy(direction, device, to, from, bytes, err);
}
