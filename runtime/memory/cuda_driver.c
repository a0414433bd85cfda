/* SPDX-License-Identifier: MIT
 *
 * The CUDA driver, opened at run time: no header and no package is needed, and
 * a machine without it gets a clear error. Every call runs in the primary
 * context of its device, which the CUDA runtime and other users of the process
 * share, and leaves the thread's own context as it was. The library stays open
 * until the process ends.
 */
#define _GNU_SOURCE
#include "runtime/memory/space.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "lib/base/fork.h"
#include "lib/base/library.h"

enum {
    MAX_DEVICES = 64,
    HOST_PORTABLE = 1,       /* CU_MEMHOSTALLOC_PORTABLE */
    ATTACH_GLOBAL = 1,       /* CU_MEM_ATTACH_GLOBAL */
    POINTER_MEMORY_TYPE = 2, /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    POINTER_IS_MANAGED = 8,  /* CU_POINTER_ATTRIBUTE_IS_MANAGED */
    POINTER_DEVICE = 9,      /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
    MEMORY_HOST = 1,         /* CU_MEMORYTYPE_HOST */
    OUT_OF_MEMORY = 2,       /* CUDA_ERROR_OUT_OF_MEMORY */
    INVALID_CONTEXT = 201,   /* CUDA_ERROR_INVALID_CONTEXT */
    CAPABILITY_MAJOR = 75,   /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_... */
    CAPABILITY_MINOR = 76
};

typedef unsigned long long address;

static struct {
#define IX_CUDA(name, symbol, parameters) int(*name) parameters;
#include "runtime/memory/cuda_functions.def"
} api;

static int ndevices;
static void *primary[MAX_DEVICES]; /* NULL: not used yet */
/* Held while a context is made, while the driver is opened. Free in a forked
 * child, which has no thread that is at it. */
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static bool available;
static char refusal[256];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened;

/* ---- calls ---- */

/* "0 or an error" of doing "what" with "bytes" bytes (0: none are concerned)
 * as a status, with the driver's own words. */
static ilex_status
check(int error, const char *what, size_t bytes, int device, ix_error *err)
{
    const char *text = NULL;
    char amount[32] = "";
    if (error == 0)
        return ILEX_OK;
    if (bytes)
        snprintf(amount, sizeof amount, "%zu bytes, ", bytes);
    api.text(error, &text);
    return ix_fail(err, error == OUT_OF_MEMORY ? ILEX_E_MEMORY : ILEX_E_DEVICE,
                   "CUDA: %s (%sdevice %d) failed: %s (%d)", what, amount,
                   device, text ? text : "unknown error", error);
}

/* The primary context of a device in "*c". It is made when the device is first
 * used, since it takes memory and time there, and kept by the process. */
static int
find_context(int device, void **c)
{
    int handle = 0, error = 0;
    pthread_mutex_lock(&primary_lock);
    if (!primary[device]) {
        error = api.get(&handle, device);
        error = error ? error : api.retain(&primary[device], handle);
        if (error)
            primary[device] = NULL;
    }
    *c = primary[device];
    pthread_mutex_unlock(&primary_lock);
    return error;
}

/* Makes the device's context current in this thread, over whatever else was;
 * leave() undoes it. */
static ilex_status
enter(int device, ix_error *err)
{
    void *c = NULL;
    if (device < 0 || device >= ndevices)
        return ix_fail(err, ILEX_E_DEVICE,
                       "CUDA: device %d does not exist; there %s %d", device,
                       ndevices == 1 ? "is" : "are", ndevices);
    int error = find_context(device, &c);
    error = error ? error : api.push(c);
    return check(error, "opening a context", 0, device, err);
}

static void
leave(void)
{
    void *c;
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
                   "allocating pinned memory", bytes, device, err);
    else if (space == IX_SPACE_UNIFIED)
        rc = check(api.managed_new(&a, bytes, ATTACH_GLOBAL),
                   "allocating unified memory", bytes, device, err);
    else
        rc = check(api.device_new(&a, bytes), "allocating device memory", bytes,
                   device, err);
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
                   "copying from host to device", bytes, device, err);
    else if (direction == IX_DEVICE_TO_HOST)
        rc = check(api.down(to, address_of(from), bytes),
                   "copying from device to host", bytes, device, err);
    else if (direction == IX_DEVICE_TO_DEVICE)
        rc = check(api.across(address_of(to), address_of(from), bytes),
                   "copying on the device", bytes, device, err);
    else
        memmove(to, from, bytes);
    if (!rc && direction == IX_DEVICE_TO_DEVICE)
        rc = check(api.wait(), "waiting for a copy", bytes, device, err);
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
    return check(error, "filling", bytes * count, device, err);
}

/* ---- kernels ---- */

static ilex_status
capability(int device, int *major, int *minor, ix_error *err)
{
    int handle = 0;
    int error = api.get(&handle, device);
    error = error ? error : api.attribute(major, CAPABILITY_MAJOR, handle);
    error = error ? error : api.attribute(minor, CAPABILITY_MINOR, handle);
    return check(error, "asking for the compute capability", 0, device, err);
}

static ilex_status
load(int device, const void *image, void **module, ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    rc = check(api.load(module, image),
               "loading kernels, whose code must not be newer than the driver,",
               0, device, err);
    leave();
    return rc;
}

static void
unload(int device, void *module)
{
    if (enter(device, NULL))
        return;
    api.unload(module);
    leave();
}

static ilex_status
find_kernel(int device, void *module, const char *name, void **function,
            ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    rc = check(api.find(function, module, name), "finding a kernel", 0, device,
               err);
    leave();
    return rc;
}

/* In the default stream, which waits for what others of the context did. */
static ilex_status
launch(int device, void *function, const unsigned *blocks,
       const unsigned *threads, void **parameters, ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    rc = check(api.launch(function, blocks[0], blocks[1], blocks[2], threads[0],
                          threads[1], threads[2], 0, NULL, parameters, NULL),
               "launching a kernel", 0, device, err);
    leave();
    return rc;
}

static ilex_status
synchronize(int device, ix_error *err)
{
    ilex_status rc = enter(device, err);
    if (rc)
        return rc;
    rc = check(api.wait(), "waiting for the device", 0, device, err);
    leave();
    return rc;
}

/* What kind of memory "p" is. The driver knows all addresses of the process,
 * but only answers in a context: the one of the thread, else device 0's. */
static bool
query(const void *p, ix_space *space, int *device)
{
    unsigned type = 0, managed = 0;
    address a = address_of(p);
    *device = 0;
    int error = api.query(&type, POINTER_MEMORY_TYPE, a);
    bool entered = error == INVALID_CONTEXT && !enter(0, NULL);
    if (entered)
        error = api.query(&type, POINTER_MEMORY_TYPE, a);
    if (!error) {
        api.query(&managed, POINTER_IS_MANAGED, a);
        api.query(device, POINTER_DEVICE, a);
    }
    if (entered)
        leave();
    *space = managed               ? IX_SPACE_UNIFIED
             : type == MEMORY_HOST ? IX_SPACE_PINNED
                                   : IX_SPACE_DEVICE;
    return !error;
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

IX_FORK_BEGINS(pthread_mutex_init(&opening, NULL);
               pthread_mutex_init(&primary_lock, NULL))

/* Starts the driver and counts the devices. */
static void
count_devices(void)
{
    const char *text = NULL;
    int error = api.init(0);
    error = error ? error : api.count(&ndevices);
    if (error)
        api.text(error, &text);
    if (error || ndevices <= 0)
        snprintf(refusal, sizeof refusal, "%s",
                 text ? text : "it sees no device");
    if (ndevices > MAX_DEVICES)
        ndevices = MAX_DEVICES;
    available = !error && ndevices > 0;
}

static void
open_library(void)
{
    static const char *const places[] = {"libcuda.so.1", "libcuda.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < IX_COUNT(places); i++) {
        library = ix_library_open(places[i]);
        const char *why = library ? NULL : dlerror();
        if (!*refusal)
            snprintf(refusal, sizeof refusal, "%s", why ? why : "");
    }
    if (!library)
        return;
    bool complete = true;
#define IX_CUDA(name, symbol, parameters)                                      \
    complete = complete && find(library, #symbol, &api.name);
#include "runtime/memory/cuda_functions.def"
    if (complete)
        count_devices();
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
        .capability = capability,
        .load = load,
        .unload = unload,
        .find = find_kernel,
        .launch = launch,
    };
    if (!atomic_load_explicit(&opened, memory_order_acquire)) {
        pthread_mutex_lock(&opening);
        if (!atomic_load_explicit(&opened, memory_order_relaxed))
            open_library();
        atomic_store_explicit(&opened, true, memory_order_release);
        pthread_mutex_unlock(&opening);
    }
    if (available)
        return &driver;
    return ix_fail_null(
        err, ILEX_E_DEVICE,
        "storage: there is no device here: the CUDA driver cannot be used "
        "(%s); memory spaces \"normal\" and \"hugepage\" need none",
        refusal);
}
