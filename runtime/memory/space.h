/* SPDX-License-Identifier: MIT
 *
 * Memory spaces behind one table (spaces.def), and the device driver that
 * three of them need: the CUDA driver, opened when it is first wanted, or one
 * that a test puts in its place.
 */
#ifndef ILEX_RUNTIME_SPACE_H
#define ILEX_RUNTIME_SPACE_H

#include "lib/base/prelude.h"

typedef enum ix_space {
#define IX_SPACE(name, text, host, device, source, meaning) IX_SPACE_##name,
#include "runtime/memory/spaces.def"
    IX_NSPACES
} ix_space;

typedef enum ix_direction {
    IX_HOST_TO_HOST,
    IX_HOST_TO_DEVICE,
    IX_DEVICE_TO_HOST,
    IX_DEVICE_TO_DEVICE
} ix_direction;

/* What Ilex asks of a device. Every function may be called from any thread;
 * those that return a status explain a failure in "err". */
typedef struct ix_driver {
    const char *name;
    int (*devices)(void);
    ilex_status (*allocate)(ix_space space, int device, size_t bytes,
                            void **block, ix_error *err);
    void (*free)(ix_space space, int device, void *block);
    ilex_status (*copy)(ix_direction direction, int device, void *to,
                        const void *from, size_t bytes, ix_error *err);
    /* "count" times the element of 1, 2, 4, 8 or 16 bytes */
    ilex_status (*fill)(int device, void *to, const void *element,
                        size_t element_bytes, size_t count, ix_error *err);
    ilex_status (*synchronize)(int device, ix_error *err);
    /* false: not an address that the driver knows */
    bool (*query)(const void *address, ix_space *space, int *device);
    /* Kernels; all NULL where the driver runs none. Compute capability of a
     * device; code (PTX or a cubin) as a module there, and away again; a kernel
     * of it; a launch of so many blocks of so many threads along x, y and z,
     * whose parameters are addresses of its arguments: it goes on while the
     * host does, synchronize() waits for it. */
    ilex_status (*capability)(int device, int *major, int *minor,
                              ix_error *err);
    ilex_status (*load)(int device, const void *image, void **module,
                        ix_error *err);
    void (*unload)(int device, void *module);
    ilex_status (*find)(int device, void *module, const char *name,
                        void **function, ix_error *err);
    ilex_status (*launch)(int device, void *function, const unsigned *blocks,
                          const unsigned *threads, void **parameters,
                          ix_error *err);
    /* called for a buffer that became older; NULL outside of tests */
    void (*poison)(void *buffer, size_t bytes);
} ix_driver;

/* The driver; NULL with ILEX_E_DEVICE when there is none. */
const ix_driver *ix_driver_find(ix_error *err);

/* The driver if somebody has used it already, else NULL. */
const ix_driver *ix_driver_known(void);

/* For tests: what ix_driver_find() gives from now on; NULL: the CUDA driver. */
void ix_driver_replace(const ix_driver *driver);

/* cuda_driver.c: opens the CUDA driver, once. */
const ix_driver *ix_cuda_driver(ix_error *err);

/* A block of memory and how to give it back. */
typedef struct ix_block {
    ix_space space;
    int device;
    const ix_driver *driver; /* NULL: none was needed */
    ix_mem mem;
    void *address;
    size_t bytes;
} ix_block;

const char *ix_space_name(ix_space space);
bool ix_space_find(const char *name, ix_space *space);
bool ix_space_on_host(ix_space space);
bool ix_space_on_device(ix_space space);

/* Allocates "bytes" (at least 1) uninitialised bytes of "space". */
ilex_status ix_space_allocate(ix_block *block, ix_space space, int device,
                              const ix_mem *mem, size_t bytes, ix_error *err);
void ix_space_free(ix_block *block);

/* Copies "bytes" bytes between two spaces. */
ilex_status ix_space_copy(ix_space to_space, void *to, ix_space from_space,
                          const void *from, int device, size_t bytes,
                          ix_error *err);

#endif
