/* SPDX-License-Identifier: MIT
 *
 * The CUDA driver, opened at run time: no header and no package is needed, and
 * a machine without it gets a clear error. Every call runs in the primary
 * context of its device, which other users of the process share. The library
 * stays open until the process ends.
 */
#define _GNU_SOURCE
#include "runtime/space.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum {
    MAX_DEVICES = 64,
    HOST_PORTABLE = 1,       /* CU_MEMHOSTALLOC_PORTABLE */
    ATTACH_GLOBAL = 1,       /* CU_MEM_ATTACH_GLOBAL */
    POINTER_MEMORY_TYPE = 2, /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    POINTER_IS_MANAGED = 8,  /* CU_POINTER_ATTRIBUTE_IS_MANAGED */
    POINTER_DEVICE = 9,      /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
    MEMORY_HOST = 1          /* CU_MEMORYTYPE_HOST */
};

typedef unsigned long long address;
typedef struct context context;

/* The part of the driver's interface that is used; 0 is success. */
#define FUNCTIONS(F)                                                           \
    F(init, "cuInit", (unsigned flags))                                        \
    F(count, "cuDeviceGetCount", (int *count))                                 \
    F(get, "cuDeviceGet", (int *device, int ordinal))                          \
    F(retain, "cuDevicePrimaryCtxRetain", (context * *c, int device))          \
    F(push, "cuCtxPushCurrent_v2", (context * c))                              \
    F(pop, "cuCtxPopCurrent_v2", (context * *c))                               \
    F(wait, "cuCtxSynchronize", (void))                                        \
    F(device_new, "cuMemAlloc_v2", (address * a, size_t bytes))                \
    F(device_free, "cuMemFree_v2", (address a))                                \
    F(host_new, "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags))    \
    F(host_free, "cuMemFreeHost", (void *p))                                   \
    F(managed_new, "cuMemAllocManaged",                                        \
      (address * a, size_t bytes, unsigned flags))                             \
    F(up, "cuMemcpyHtoD_v2", (address to, const void *from, size_t n))         \
    F(down, "cuMemcpyDtoH_v2", (void *to, address from, size_t n))             \
    F(across, "cuMemcpyDtoD_v2", (address to, address from, size_t n))         \
    F(set8, "cuMemsetD8_v2", (address to, unsigned char v, size_t n))          \
    F(set16, "cuMemsetD16_v2", (address to, unsigned short v, size_t n))       \
    F(set32, "cuMemsetD32_v2", (address to, unsigned v, size_t n))             \
    F(query, "cuPointerGetAttribute", (void *v, int attribute, address a))     \
    F(text, "cuGetErrorString", (int error, const char **text))

static struct {
#define FUNCTION(name, symbol, parameters) int(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} api;

static int ndevices;
static context *primary[MAX_DEVICES];
static bool available;
static char refusal[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- calls ---- */

/* "0 or an error" as a status, with the driver's own words. */
static ilex_status
check(int error, const char *what, size_t bytes, ix_error *err)
{
    const char *text = NULL;
    if (error == 0)
        return ILEX_OK;
    api.text(error, &text);
    return ix_fail(err, ILEX_E_DEVICE, "CUDA: %s of %zu bytes failed: %s (%d)",
                   what, bytes, text ? text : "unknown error", error);
}

/* Makes the device's context current; leave() undoes it. */
static ilex_status
enter(int device, ix_error *err)
{
    if (device < 0 || device >= ndevices)
        return ix_fail(err, ILEX_E_DEVICE,
                       "CUDA: device %d does not exist; there are %d", device,
                       ndevices);
    return check(api.push(primary[device]), "entering the context", 0, err);
}

static void
leave(void)
{
    context *c;
    api.pop(&c);
}

static address
address_of(const void *p)
{
    return (address)(uintptr_t)p;
}

/* ---- the table's functions ---- */

static int
devices(void)
{
    return ndevices;
}

static ilex_status
allocate(ix_space space, int device, size_t bytes, void **block, ix_error *err)
{
    address a = 0;
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    if (space == IX_SPACE_PINNED)
        rc = check(api.host_new(block, bytes, HOST_PORTABLE),
                   "allocating pinned memory", bytes, err);
    else if (space == IX_SPACE_UNIFIED)
        rc = check(api.managed_new(&a, bytes, ATTACH_GLOBAL),
                   "allocating unified memory", bytes, err);
    else
        rc = check(api.device_new(&a, bytes), "allocating device memory", bytes,
                   err);
    leave();
    uintptr_t at = (uintptr_t)a;
    if (space != IX_SPACE_PINNED)
        memcpy(block, &at, sizeof at);
    return rc;
}

static void
release(ix_space space, int device, void *block)
{
    if (enter(device, NULL))
        return;
    if (space == IX_SPACE_PINNED)
        api.host_free(block);
    else
        api.device_free(address_of(block));
    leave();
}

static ilex_status
copy(ix_direction direction, int device, void *to, const void *from,
     size_t bytes, ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    if (direction == IX_HOST_TO_DEVICE)
        rc = check(api.up(address_of(to), from, bytes),
                   "copying from host to device", bytes, err);
    else if (direction == IX_DEVICE_TO_HOST)
        rc = check(api.down(to, address_of(from), bytes),
                   "copying from device to host", bytes, err);
    else if (direction == IX_DEVICE_TO_DEVICE)
        rc = check(api.across(address_of(to), address_of(from), bytes),
                   "copying on the device", bytes, err);
    else
        memmove(to, from, bytes);
    if (!rc && direction == IX_DEVICE_TO_DEVICE)
        rc = check(api.wait(), "waiting for a copy", bytes, err);
    leave();
    return rc;
}

/* Sets elements of 8 or 16 bytes: the first by a copy, then by doubling. */
static int
fill_wide(address to, const void *element, size_t bytes, size_t count)
{
    size_t all = bytes * count, done = bytes;
    int error = api.up(to, element, bytes);
    while (!error && done < all) {
        size_t n = done < all - done ? done : all - done;
        error = api.across(to + done, to, n);
        done += n;
    }
    return error;
}

static ilex_status
fill(int device, void *to, const void *element, size_t bytes, size_t count,
     ix_error *err)
{
    uint32_t v = 0;
    int error = 0;
    ilex_status rc = count ? enter(device, err) : ILEX_OK;
    if (rc || count == 0)
        return rc;
    memcpy(&v, element, bytes < sizeof v ? bytes : sizeof v);
    if (bytes == 1)
        error = api.set8(address_of(to), (unsigned char)v, count);
    else if (bytes == 2)
        error = api.set16(address_of(to), (unsigned short)v, count);
    else if (bytes == 4)
        error = api.set32(address_of(to), v, count);
    else
        error = fill_wide(address_of(to), element, bytes, count);
    if (!error)
        error = api.wait();
    leave();
    return check(error, "filling", bytes * count, err);
}

static ilex_status
synchronize(int device, ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    rc = check(api.wait(), "waiting for the device", 0, err);
    leave();
    return rc;
}

static bool
query(const void *p, ix_space *space, int *device)
{
    unsigned type = 0;
    int managed = 0;
    *device = 0;
    if (enter(0, NULL))
        return false;
    bool found = api.query(&type, POINTER_MEMORY_TYPE, address_of(p)) == 0;
    if (found) {
        api.query(&managed, POINTER_IS_MANAGED, address_of(p));
        api.query(device, POINTER_DEVICE, address_of(p));
    }
    leave();
    *space = managed               ? IX_SPACE_UNIFIED
             : type == MEMORY_HOST ? IX_SPACE_PINNED
                                   : IX_SPACE_DEVICE;
    return found;
}

/* ---- opening ---- */

static bool
find(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof p);
    if (!p)
        snprintf(refusal, sizeof refusal, "%s is missing", name);
    return p != NULL;
}

/* Contexts of all devices, which the process keeps. */
static void
open_devices(void)
{
    int error = api.init(0);
    error = error ? error : api.count(&ndevices);
    if (ndevices > MAX_DEVICES)
        ndevices = MAX_DEVICES;
    for (int i = 0; !error && i < ndevices; i++) {
        int device = 0;
        error = api.get(&device, i);
        error = error ? error : api.retain(&primary[i], device);
    }
    const char *text = NULL;
    if (error)
        api.text(error, &text);
    if (error || ndevices == 0)
        snprintf(refusal, sizeof refusal, "%s",
                 text ? text : "it sees no device");
    available = !error && ndevices > 0;
}

static void
open_library(void)
{
    static const char *const places[] = {"libcuda.so.1", "libcuda.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < IX_COUNT(places); i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(refusal, sizeof refusal, "%s", why ? why : "not found");
        return;
    }
    bool complete = true;
#define FUNCTION(name, symbol, parameters)                                     \
    complete = complete && find(library, symbol, &api.name);
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    if (complete)
        open_devices();
}

const ix_driver *
ix_cuda_driver(ix_error *err)
{
    static const ix_driver driver = {
        .name = "CUDA",
        .devices = devices,
        .allocate = allocate,
        .free = release,
        .copy = copy,
        .fill = fill,
        .synchronize = synchronize,
        .query = query,
    };
    pthread_once(&once, open_library);
    if (available)
        return &driver;
    ix_fail(err, ILEX_E_DEVICE,
            "storage: there is no device here: the CUDA driver cannot be used "
            "(%s); memory spaces \"normal\" and \"hugepage\" need none",
            refusal);
    return NULL;
}
