/* SPDX-License-Identifier: MIT
 *
 * The stand-in for CUDA's runtime that cuda_runtime.h beside it declares. With
 * SHIM_SHARED the device reaches the memory of the host.
 */
#include "cuda_runtime.h"

#include "../../differential/fibres.h"

#include <sys/mman.h>
#include <vector>

#if !defined(SHIM_SHARED)
#define SHIM_SHARED 0
#endif

enum { ARENA = 1 << 26, GAP = 4096, GROUP = 16 };

/* What a stream has to do: a grid, or a copy. */
struct work {
    cudaStream_t stream;
    std::function<void()> carry_out;
};

struct shim_grid shim_running;
struct shim_state shim_state;
static std::vector<work> queue;
static char *arena;
static size_t used;
static const char *failing;
static int failing_in;
static cudaError_t failing_with;

/* ---- errors ---- */

void
shim_fail(const char *function, int nth, cudaError_t error)
{
    failing = function;
    failing_in = nth;
    failing_with = error;
}

/* What the call of "function" was asked to fail with. */
static cudaError_t
asked(const char *function)
{
    if (!failing || strcmp(failing, function) != 0 || --failing_in != 0)
        return cudaSuccess;
    failing = NULL;
    return failing_with;
}

const char *
cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
                                              : "an error of the stand-in";
}

const char *
cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
           : error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress"
                                              : "cudaErrorInvalidValue";
}

/* ---- memory, which is shut but for kernels and copies ---- */

static void
protect(int how)
{
    if (arena)
        mprotect(arena, ARENA, how);
}

static bool
is_ours(const void *memory, size_t bytes)
{
    const char *p = (const char *)memory;
    return arena && p >= arena && p + bytes <= arena + used;
}

cudaError_t
cudaMalloc(void **memory, size_t bytes)
{
    cudaError_t e = asked("cudaMalloc");
    if (!arena)
        arena = (char *)mmap(NULL, ARENA, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t room = (bytes + GAP + 255) / 256 * 256;
    if (e == cudaSuccess && used + room > ARENA)
        e = cudaErrorMemoryAllocation;
    if (e != cudaSuccess)
        return e;
    *memory = arena + used;
    used += room;
    protect(PROT_READ | PROT_WRITE);
    memset(*memory, 0xff, room); /* not-a-number */
    protect(PROT_NONE);
    shim_state.blocks++;
    return cudaSuccess;
}

cudaError_t
cudaFree(void *memory)
{
    if (!memory)
        return cudaSuccess;
    bool good = is_ours(memory, 1);
    shim_state.early += shim_state.pending > 0;
    if (--shim_state.blocks == 0 && shim_state.pending == 0)
        used = 0; /* from the beginning again */
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *to, const void *memory)
{
    memset(to, 0, sizeof *to);
    to->type =
        is_ours(memory, 1) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    return asked("cudaPointerGetAttributes");
}

cudaError_t
cudaGetDevice(int *device)
{
    *device = 0;
    return asked("cudaGetDevice");
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int device)
{
    (void)what;
    (void)device;
    *value = SHIM_SHARED;
    return cudaSuccess;
}

/* ---- streams ---- */

static void
enqueue(cudaStream_t stream, std::function<void()> carry_out)
{
    queue.push_back(work{stream, carry_out});
    shim_state.pending++;
}

static unsigned
take(unsigned *number, unsigned of)
{
    unsigned at = *number % of;
    *number /= of;
    return at;
}

/* The thread of that number runs. */
static void
enter(unsigned t)
{
    const dim3 &block = shim_running.block_dim, &grid = shim_running.grid_dim;
    shim_running.thread.x = take(&t, block.x);
    shim_running.thread.y = take(&t, block.y);
    shim_running.thread.z = take(&t, block.z);
    shim_running.block.x = take(&t, grid.x);
    shim_running.block.y = take(&t, grid.y);
    shim_running.block.z = t;
}

/* Those of a group run by turns. */
struct member {
    unsigned first;
    const std::function<void()> *thread;
};

static void
enter_member(void *group, int i)
{
    enter(static_cast<member *>(group)->first + (unsigned)i);
}

static void
run_member(void *group)
{
    (*static_cast<member *>(group)->thread)();
}

/* Every other grid runs from its last thread to its first. */
static void
carry_out(dim3 grid, dim3 block, const std::function<void()> &thread)
{
    static int count;
    unsigned n = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    bool backwards = count++ % 2;
    shim_running.grid_dim = grid;
    shim_running.block_dim = block;
    bool team = block.x == 32 && block.y * block.z == 4;
    unsigned each = block.x == GROUP ? GROUP : team ? FIBRES : 1;
    for (unsigned i = 0; i < n; i += each) {
        member m = {backwards ? n - each - i : i, &thread};
        if (each > 1) {
            fibres_run((int)each, backwards, enter_member, run_member, &m);
        } else {
            enter(m.first);
            thread();
        }
    }
}

const void *
shim_exchange(unsigned threads, const void *x, size_t bytes, int from)
{
    const dim3 &t = shim_running.thread;
    unsigned row = t.y + shim_running.block_dim.y * t.z;
    bool ours = !threads || threads == 0xffffu << row % 2 * GROUP;
    return fibres_exchange(x, bytes, ours ? from : -1);
}

cudaError_t
shim_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
            std::function<void()> thread)
{
    cudaError_t e = asked("cudaLaunchKernel");
    if (e == cudaSuccess &&
        (!grid.x || !grid.y || !grid.z || grid.y > 65535 || grid.z > 65535 ||
         !block.x || !block.y || !block.z || block.z > 64 ||
         block.x * block.y * block.z > 1024 || shared))
        e = cudaErrorInvalidConfiguration;
    if (e == cudaSuccess)
        enqueue(stream, [=]() { carry_out(grid, block, thread); });
    return e;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    std::vector<work> others;
    protect(PROT_READ | PROT_WRITE);
    for (const work &w : queue) {
        if (w.stream == stream)
            w.carry_out();
        else
            others.push_back(w);
    }
    protect(PROT_NONE);
    queue = others;
    shim_state.pending = (int)queue.size();
    return asked("cudaStreamSynchronize");
}

/* What goes to the device is taken at once, what comes back comes when somebody
 * waits for it: nothing may rely on more. */
cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t e = asked("cudaMemcpyAsync");
    bool up = kind == cudaMemcpyHostToDevice;
    if (e == cudaSuccess && !SHIM_SHARED &&
        (is_ours(to, bytes) != up || is_ours(from, bytes) == up))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return e;
    const char *bytes_from = (const char *)from;
    std::vector<char> taken(up ? bytes_from : NULL,
                            up ? bytes_from + bytes : NULL);
    enqueue(stream, [=]() { memcpy(to, up ? taken.data() : from, bytes); });
    return cudaSuccess;
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t e = cudaMemcpyAsync(to, from, bytes, kind, NULL);
    return e != cudaSuccess ? e : cudaStreamSynchronize(NULL);
}

/* For callers in C that know of no stream: waits for the default one. */
extern "C" int shim_finish(void);

extern "C" int
shim_finish(void)
{
    return (int)cudaStreamSynchronize(NULL);
}
