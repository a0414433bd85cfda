/* SPDX-License-Identifier: MIT
 *
 * The fake CUDA driver: a libcuda.so.1 for tests that keeps "device" memory in
 * pages of the host which nobody can touch but through it. Functions have the
 * signatures and error codes of the real driver; where cuda.h is installed the
 * compiler checks them against it. More forgiving than the real one it is
 * nowhere: unknown addresses, ends of blocks, missing contexts are errors.
 *
 * fake_driver.c holds devices, contexts and memory, fake_module.c kernels,
 * fake_nvrtc.c is the compiler that goes with them. A test tells the fake from
 * a real driver by the function fake_cuda_control, which only it has.
 */
#ifndef ILEX_TESTS_FAKE_H
#define ILEX_TESTS_FAKE_H

#include <stddef.h>

#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#define FAKE_HAS_HEADER
#endif
#endif

#ifndef FAKE_HAS_HEADER
typedef int CUresult, CUdevice, CUpointer_attribute, CUdevice_attribute;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUuuid {
    char bytes[16];
} CUuuid;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEM_ATTACH_GLOBAL = 1
};
#endif

/* How much the fake holds, and who holds it. */
typedef struct fake_state {
    int blocks;   /* of memory alive */
    int retained; /* devices whose primary context was made */
    int depth;    /* contexts on the stack of the calling thread */
    int modules;  /* loaded */
    int pending;  /* launches that nobody has waited for */
    int early;    /* blocks and modules given back while some were pending */
} fake_state;

/* Lets call number "nth" (1: the next one) of "function" fail with "error";
 * NULL: none fails any more. "state" may be NULL. */
void fake_cuda_control(const char *function, int nth, int error,
                       fake_state *state);

/* What PTX of the fake compiler begins with. */
#define FAKE_PTX "//fake PTX\n"

/* ---- between fake_driver.c and fake_module.c ---- */

/* What every function starts with: an error that was asked for, or the lack of
 * cuInit(), or of a context if "context". */
CUresult fake_begin(const char *function, int context);

/* Takes and gives back the fake's lock. */
void fake_lock(void);
void fake_unlock(void);

/* Lets code of the host reach the memory of devices, or shuts it out. The lock
 * is held. */
void fake_open_all(void);
void fake_shut_all(void);

/* The device of the calling thread's context. */
int fake_device(void);

void fake_count_module(int change);

/* Launches of a device that are still to be done, of all if -1; the lock is
 * held. */
int fake_pending(int device);

/* Does them, in order, or forgets them if "lost". */
void fake_finish(int device, int lost);

/* Counts what is given back on the calling thread's device too early. */
void fake_give_back(void);

#endif
