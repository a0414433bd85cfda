/* SPDX-License-Identifier: MIT
 *
 * A device that is not there: the driver of memory spaces played by the host.
 * Its device memory cannot be touched but through the driver, whose copies are
 * counted, and a side that became older is filled with rubbish.
 */
#ifndef ILEX_TESTS_DEVICE_FIXTURE_H
#define ILEX_TESTS_DEVICE_FIXTURE_H

#include <pthread.h>
#include <sys/mman.h>

#include "tests/unit/pair_fixture.h"

enum { FAKE_DEVICES = 2, FAKE_BLOCKS = 64, RUBBISH = 0xcb };

static struct {
    int copies[4]; /* by ix_direction */
    int fills, waits, failing;
    struct {
        char *base;
        size_t bytes;
        ix_space space;
        int device;
    } block[FAKE_BLOCKS];
} fake;

static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static int
fake_devices(void)
{
    return FAKE_DEVICES;
}

static ilex_status
fake_allocate(ix_space space, int device, size_t bytes, void **block,
              ix_error *err)
{
    pthread_mutex_lock(&fake_lock);
    int i = 0;
    while (i < FAKE_BLOCKS && fake.block[i].base)
        i++;
    char *p = i < FAKE_BLOCKS && !fake.failing
                  ? mmap(NULL, bytes,
                         space == IX_SPACE_DEVICE ? PROT_NONE
                                                  : PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                  : MAP_FAILED;
    if (p != MAP_FAILED) {
        fake.block[i].base = *block = p;
        fake.block[i].bytes = bytes;
        fake.block[i].space = space;
        fake.block[i].device = device;
    }
    pthread_mutex_unlock(&fake_lock);
    return p != MAP_FAILED ? ILEX_OK
                           : ix_fail(err, ILEX_E_DEVICE, "fake: no memory");
}

/* The block that holds "address", -1 if there is none. The lock is held. */
static int
fake_block(const void *address)
{
    for (int i = 0; i < FAKE_BLOCKS; i++) {
        uintptr_t base = (uintptr_t)fake.block[i].base;
        if (base && (uintptr_t)address >= base &&
            (uintptr_t)address < base + fake.block[i].bytes)
            return i;
    }
    return -1;
}

static void
fake_free(ix_space space, int device, void *block)
{
    pthread_mutex_lock(&fake_lock);
    int i = fake_block(block);
    ck_assert(i >= 0 && fake.block[i].base == block);
    ck_assert(fake.block[i].space == space && fake.block[i].device == device);
    munmap(block, fake.block[i].bytes);
    fake.block[i].base = NULL;
    pthread_mutex_unlock(&fake_lock);
}

/* Lets the host into device memory, or shuts it out again. */
static void
fake_open(const void *address, bool open)
{
    int i = fake_block(address);
    ck_assert_int_ge(i, 0);
    if (fake.block[i].space == IX_SPACE_DEVICE)
        mprotect(fake.block[i].base, fake.block[i].bytes,
                 open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static ilex_status
fake_copy(ix_direction direction, int device, void *to, const void *from,
          size_t bytes, ix_error *err)
{
    bool up = direction == IX_HOST_TO_DEVICE;
    bool across = direction == IX_DEVICE_TO_DEVICE;
    (void)device;
    if (fake.failing)
        return ix_fail(err, ILEX_E_DEVICE, "fake: no copy");
    pthread_mutex_lock(&fake_lock);
    if (up || across)
        fake_open(to, true);
    if (!up)
        fake_open(from, true);
    memcpy(to, from, bytes);
    if (up || across)
        fake_open(to, false);
    if (!up)
        fake_open(from, false);
    fake.copies[direction]++;
    pthread_mutex_unlock(&fake_lock);
    return ILEX_OK;
}

static ilex_status
fake_fill(int device, void *to, const void *element, size_t element_bytes,
          size_t count, ix_error *err)
{
    (void)device;
    (void)err;
    pthread_mutex_lock(&fake_lock);
    fake_open(to, true);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + i * element_bytes, element, element_bytes);
    fake_open(to, false);
    fake.fills++;
    pthread_mutex_unlock(&fake_lock);
    return ILEX_OK;
}

static ilex_status
fake_synchronize(int device, ix_error *err)
{
    (void)device;
    (void)err;
    fake.waits++;
    return ILEX_OK;
}

static bool
fake_query(const void *address, ix_space *space, int *device)
{
    pthread_mutex_lock(&fake_lock);
    int i = fake_block(address);
    if (i >= 0) {
        *space = fake.block[i].space;
        *device = fake.block[i].device;
    }
    pthread_mutex_unlock(&fake_lock);
    return i >= 0;
}

static void
fake_poison(void *buffer, size_t bytes)
{
    pthread_mutex_lock(&fake_lock);
    bool device = fake_block(buffer) >= 0;
    if (device)
        fake_open(buffer, true);
    memset(buffer, RUBBISH, bytes);
    if (device)
        fake_open(buffer, false);
    pthread_mutex_unlock(&fake_lock);
}

static const ix_driver fake_driver = {.name = "fake",
                                      .devices = fake_devices,
                                      .allocate = fake_allocate,
                                      .free = fake_free,
                                      .copy = fake_copy,
                                      .fill = fake_fill,
                                      .synchronize = fake_synchronize,
                                      .query = fake_query,
                                      .poison = fake_poison};

/* A context, and the device. */
static inline void
open_device(void)
{
    memset(&fake, 0, sizeof fake);
    ix_driver_replace(&fake_driver);
    open_context();
}

/* No block of the device may be alive. */
static inline void
close_device(void)
{
    close_context();
    for (int i = 0; i < FAKE_BLOCKS; i++)
        ck_assert_ptr_null(fake.block[i].base);
    ix_driver_replace(NULL);
}

/* Runs on the "device": reads or writes an f64 of a storage there. */
static inline double
device_get(const ilex_storage *s, int64_t offset)
{
    double v = -1;
    const double *p = ilex_storage_device(ctx, s, ILEX_READ);
    ck_assert_ptr_nonnull(p);
    fake_open(p, true);
    v = p[offset];
    fake_open(p, false);
    return v;
}

static inline void
device_set(const ilex_storage *s, int64_t offset, double v)
{
    double *p = ilex_storage_device(ctx, s, ILEX_READ_WRITE);
    ck_assert_ptr_nonnull(p);
    fake_open(p, true);
    p[offset] = v;
    fake_open(p, false);
}

#endif
