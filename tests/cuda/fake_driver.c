/* SPDX-License-Identifier: MIT
 *
 * The fake CUDA driver: devices, contexts, memory (see fake.h). Device memory
 * is mapped without any access; copies open the blocks that they touch.
 */
#define _GNU_SOURCE
#include "tests/cuda/fake.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/fork.h"

enum { DEVICES = 2, BLOCKS = 512, STACK = 16 };

typedef enum memory { DEVICE, PINNED, MANAGED } memory;

typedef struct block {
    char *base; /* NULL: free */
    size_t bytes;
    memory kind;
    int device;
} block;

struct CUctx_st {
    int device;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started, modules, early;
static int retained[DEVICES];
static struct CUctx_st primary[DEVICES] = {{0}, {1}};
static block blocks[BLOCKS];
static _Thread_local CUcontext stack[STACK];
static _Thread_local int depth;

/* A child finds the fake's records whole. */
IX_FORK_TAKES(lock, constructor)

/* ---- control ---- */

static struct {
    char function[40];
    int nth, error;
} failure;

void
fake_cuda_control(const char *function, int nth, int error, fake_state *state)
{
    pthread_mutex_lock(&lock);
    memset(&failure, 0, sizeof failure);
    if (function) {
        strncpy(failure.function, function, sizeof failure.function - 1);
        failure.nth = nth;
        failure.error = error;
    }
    if (state) {
        memset(state, 0, sizeof *state);
        for (int i = 0; i < BLOCKS; i++)
            state->blocks += blocks[i].base != NULL;
        for (int i = 0; i < DEVICES; i++)
            state->retained += retained[i] > 0;
        state->depth = depth;
        state->modules = modules;
        state->pending = fake_pending(-1);
        state->early = early;
    }
    pthread_mutex_unlock(&lock);
}

CUresult
fake_begin(const char *function, int context)
{
    pthread_mutex_lock(&lock);
    int error = 0;
    if (failure.nth > 0 && !strcmp(failure.function, function) &&
        --failure.nth == 0)
        error = failure.error;
    else if (!started)
        error = CUDA_ERROR_NOT_INITIALIZED;
    else if (context && depth == 0)
        error = CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_unlock(&lock);
    return (CUresult)error;
}

void
fake_count_module(int change)
{
    modules += change;
}

void
fake_lock(void)
{
    pthread_mutex_lock(&lock);
}

void
fake_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int
fake_device(void)
{
    return stack[depth - 1]->device;
}

void
fake_give_back(void)
{
    fake_lock();
    early += fake_pending(fake_device()) > 0;
    fake_unlock();
    fake_finish(fake_device(), 0);
}

/* ---- devices and contexts ---- */

/* FAKE_CUDA_DEVICES says how many there are. */
static int
devices(void)
{
    const char *text = getenv("FAKE_CUDA_DEVICES");
    int n = text ? atoi(text) : DEVICES;
    return n < 0 ? 0 : n > DEVICES ? DEVICES : n;
}

CUresult
cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (devices() == 0)
        return CUDA_ERROR_NO_DEVICE;
    started = 1;
    return fake_begin("cuInit", 0);
}

CUresult
cuDriverGetVersion(int *version)
{
    const char *text = getenv("FAKE_CUDA_VERSION");
    *version = text ? atoi(text) : 13000;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetCount(int *count)
{
    CUresult error = fake_begin("cuDeviceGetCount", 0);
    if (!error)
        *count = devices();
    return error;
}

CUresult
cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult error = fake_begin("cuDeviceGet", 0);
    if (!error && (ordinal < 0 || ordinal >= devices()))
        error = CUDA_ERROR_INVALID_DEVICE;
    if (!error)
        *device = ordinal;
    return error;
}

CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult error = fake_begin("cuDeviceGetAttribute", 0);
    if (!error && (device < 0 || device >= devices()))
        error = CUDA_ERROR_INVALID_DEVICE;
    /* the compiler that goes with it knows the first device only */
    if (!error && attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        *value = device == 0 ? 8 : 12;
    else if (!error)
        *value = device == 0 ? 0 : 1;
    return error;
}

CUresult
cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult error = fake_begin("cuDevicePrimaryCtxRetain", 0);
    if (!error && (device < 0 || device >= devices()))
        error = CUDA_ERROR_INVALID_DEVICE;
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    retained[device]++;
    pthread_mutex_unlock(&lock);
    *context = &primary[device];
    return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent_v2(CUcontext context)
{
    CUresult error = fake_begin("cuCtxPushCurrent_v2", 0);
    if (!error && (!context || !retained[context->device] || depth == STACK))
        error = CUDA_ERROR_INVALID_CONTEXT;
    if (!error)
        stack[depth++] = context;
    return error;
}

CUresult
cuCtxPopCurrent_v2(CUcontext *context)
{
    CUresult error = fake_begin("cuCtxPopCurrent_v2", 1);
    if (!error)
        *context = stack[--depth];
    return error;
}

CUresult
cuCtxSynchronize(void)
{
    CUresult error = fake_begin("cuCtxSynchronize", 1);
    if (depth > 0)
        fake_finish(fake_device(), error != CUDA_SUCCESS);
    return error;
}

/* ---- blocks ---- */

/* The block in which all "n" bytes from "a" on lie, NULL if there is none. */
static block *
find(uintptr_t a, size_t n)
{
    for (int i = 0; i < BLOCKS; i++) {
        uintptr_t base = (uintptr_t)blocks[i].base;
        if (base && a >= base && a - base < blocks[i].bytes &&
            n <= blocks[i].bytes - (a - base))
            return &blocks[i];
    }
    return NULL;
}

static void
protect(const block *b, int access)
{
    if (b->kind == DEVICE)
        mprotect(b->base, b->bytes, access);
}

static CUresult
make(const char *function, memory kind, size_t n, void **p)
{
    CUresult error = fake_begin(function, 1);
    int i = 0;
    if (!error && n == 0)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    while (i < BLOCKS && blocks[i].base)
        i++;
    int access = kind == DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE;
    char *base = i < BLOCKS && n <= (size_t)1 << 32
                     ? mmap(NULL, n, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : MAP_FAILED;
    if (base != MAP_FAILED) {
        blocks[i] = (block){base, n, kind, stack[depth - 1]->device};
        *p = base;
    } else {
        error = CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* Frees a block that is pinned or not, as "pinned" says. */
static CUresult
drop(const char *function, uintptr_t a, int pinned)
{
    CUresult error = fake_begin(function, 1);
    if (error || a == 0)
        return error;
    fake_give_back();
    pthread_mutex_lock(&lock);
    block *b = find(a, 1);
    if (b && (uintptr_t)b->base == a && (b->kind == PINNED) == pinned) {
        munmap(b->base, b->bytes);
        b->base = NULL;
    } else {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult
cuMemAlloc_v2(CUdeviceptr *a, size_t n)
{
    void *p = NULL;
    CUresult error = make("cuMemAlloc_v2", DEVICE, n, &p);
    if (!error)
        *a = (CUdeviceptr)(uintptr_t)p;
    return error;
}

CUresult
cuMemAllocManaged(CUdeviceptr *a, size_t n, unsigned flags)
{
    void *p = NULL;
    CUresult error = flags == CU_MEM_ATTACH_GLOBAL
                         ? make("cuMemAllocManaged", MANAGED, n, &p)
                         : CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *a = (CUdeviceptr)(uintptr_t)p;
    return error;
}

CUresult
cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
    if (flags & ~7u)
        return CUDA_ERROR_INVALID_VALUE;
    return make("cuMemHostAlloc", PINNED, n, p);
}

CUresult
cuMemFree_v2(CUdeviceptr a)
{
    return drop("cuMemFree_v2", (uintptr_t)a, 0);
}

CUresult
cuMemFreeHost(void *p)
{
    return drop("cuMemFreeHost", (uintptr_t)p, 1);
}

/* ---- copies ---- */

/* Copies between blocks of the fake where "to_device", "from_device" say so,
 * else memory of the host, which must not be a device's. */
static CUresult
copy(const char *function, int to_device, uintptr_t to, int from_device,
     uintptr_t from, size_t n)
{
    CUresult error = fake_begin(function, 1);
    if (error || n == 0)
        return error;
    fake_finish(fake_device(), 0);
    pthread_mutex_lock(&lock);
    block *t = find(to, to_device ? n : 1),
          *f = find(from, from_device ? n : 1);
    if ((to_device && !t) || (from_device && !f) ||
        (!to_device && t && t->kind == DEVICE) ||
        (!from_device && f && f->kind == DEVICE)) {
        error = CUDA_ERROR_INVALID_VALUE;
    } else {
        if (t)
            protect(t, PROT_READ | PROT_WRITE);
        if (f)
            protect(f, PROT_READ | PROT_WRITE);
        memmove((void *)to, (const void *)from, n);
        if (t)
            protect(t, PROT_NONE);
        if (f)
            protect(f, PROT_NONE);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult
cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n)
{
    return copy("cuMemcpyHtoD_v2", 1, (uintptr_t)to, 0, (uintptr_t)from, n);
}

CUresult
cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n)
{
    return copy("cuMemcpyDtoH_v2", 0, (uintptr_t)to, 1, (uintptr_t)from, n);
}

CUresult
cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    return copy("cuMemcpyDtoD_v2", 1, (uintptr_t)to, 1, (uintptr_t)from, n);
}

/* "n" times the element of "bytes" bytes at "v". */
static CUresult
set(const char *function, uintptr_t to, const void *v, size_t bytes, size_t n)
{
    CUresult error = fake_begin(function, 1);
    if (error || n == 0)
        return error;
    fake_finish(fake_device(), 0);
    pthread_mutex_lock(&lock);
    block *b = to % bytes == 0 ? find(to, n * bytes) : NULL;
    if (b) {
        protect(b, PROT_READ | PROT_WRITE);
        for (size_t i = 0; i < n; i++)
            memcpy((char *)to + i * bytes, v, bytes);
        protect(b, PROT_NONE);
    } else {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult
cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n)
{
    return set("cuMemsetD8_v2", (uintptr_t)to, &v, sizeof v, n);
}

CUresult
cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n)
{
    return set("cuMemsetD16_v2", (uintptr_t)to, &v, sizeof v, n);
}

CUresult
cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n)
{
    return set("cuMemsetD32_v2", (uintptr_t)to, &v, sizeof v, n);
}

/* ---- queries ---- */

CUresult
cuPointerGetAttribute(void *v, CUpointer_attribute attribute, CUdeviceptr a)
{
    CUresult error = fake_begin("cuPointerGetAttribute", 1);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    const block *b = find((uintptr_t)a, 1);
    unsigned value = 0;
    if (!b)
        error = CUDA_ERROR_INVALID_VALUE;
    else if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        value = b->kind == PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    else if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        value = b->kind == MANAGED;
    else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        value = (unsigned)b->device;
    else
        error = CUDA_ERROR_NOT_SUPPORTED;
    if (!error)
        memcpy(v, &value, sizeof value);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult
cuGetErrorString(CUresult error, const char **text)
{
    static const struct {
        int error;
        const char *text;
    } rows[] = {{CUDA_SUCCESS, "no error"},
                {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
                {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
                {CUDA_ERROR_NOT_INITIALIZED, "initialization error"},
                {CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"},
                {CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"},
                {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
                {CUDA_ERROR_NOT_FOUND, "named symbol not found"},
                {CUDA_ERROR_NOT_SUPPORTED, "operation not supported"}};
    *text = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].error == (int)error)
            *text = rows[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- for kernels ---- */

static void
protect_all(int access)
{
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].base)
            protect(&blocks[i], access);
}

void
fake_open_all(void)
{
    protect_all(PROT_READ | PROT_WRITE);
}

void
fake_shut_all(void)
{
    protect_all(PROT_NONE);
}
