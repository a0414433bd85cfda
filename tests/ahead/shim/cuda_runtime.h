/* SPDX-License-Identifier: MIT
 *
 * What source in CUDA that is compiled ahead of time asks of <cuda_runtime.h>,
 * for compilers of C++: types and functions as they are in CUDA, a grid whose
 * threads run one after another. clang can read source with it as CUDA. As with
 * a device, nobody but kernels and copies reaches its memory, and kernels run
 * when somebody waits for their stream.
 */
#ifndef ILEX_TESTS_SHIM_CUDA_RUNTIME_H
#define ILEX_TESTS_SHIM_CUDA_RUNTIME_H

#include <functional>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <tuple>
#include <type_traits>

/* ---- as in CUDA ---- */

#if defined(__CUDA__) /* clang reads the language itself */
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...)
#else
#define __host__
#define __global__
#define __device__
#define __shared__ static /* blocks run one after the other */
#define __launch_bounds__(...)
#endif

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorIllegalAddress = 700
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeDevice = 2
};

enum cudaDeviceAttr { cudaDevAttrPageableMemoryAccess = 88 };

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
};

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what,
                                   int device);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *to,
                                     const void *memory);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

/* ---- the stand-in ---- */

struct shim_grid {
    dim3 block, block_dim, thread, grid_dim;
};
extern __device__ struct shim_grid shim_running;
#define blockIdx (shim_running.block)
#define blockDim (shim_running.block_dim)
#define threadIdx (shim_running.thread)
#define gridDim (shim_running.grid_dim)

/* Runs "thread" for every thread of a grid when the stream is waited for. */
cudaError_t shim_launch(dim3 grid, dim3 block, size_t shared,
                        cudaStream_t stream, std::function<void()> thread);

/* Lets call number "nth" of "function" fail with "error". */
void shim_fail(const char *function, int nth, cudaError_t error);

/* Blocks of memory that are alive, launches that nobody has waited for, and
 * blocks that were given back while there were some. */
struct shim_state {
    int blocks, pending, early;
};
extern struct shim_state shim_state;

template <class... P>
cudaError_t
cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **args,
                 size_t shared, cudaStream_t stream)
{
    std::tuple<typename std::remove_const<P>::type...> kept;
    int i = 0;
    std::apply([&](auto &...to) { (memcpy(&to, args[i++], sizeof to), ...); },
               kept);
    return shim_launch(grid, block, shared, stream,
                       [kernel, kept]() { std::apply(kernel, kept); });
}

#if defined(__CUDA__) /* as CUDA's own headers have them for devices */
__device__ double fabs(double x);
__device__ double sqrt(double x);
__device__ double fma(double x, double y, double z);
__device__ float fmaf(float x, float y, float z);
#endif

/* What thread "from" of a group of 16 has: "threads" are all of these, or of a
 * block where they are 0. */
__device__ const void *shim_exchange(unsigned threads, const void *x,
                                     size_t bytes, int from);

template <class T>
static inline __device__ T
__shfl_sync(unsigned threads, T x, int from, int)
{
    return *(const T *)shim_exchange(threads, &x, sizeof x, from);
}

static inline __device__ void
__syncwarp(unsigned threads)
{
    (void)shim_exchange(threads, "", 1, 0);
}

#if !defined(__CUDA__) /* clang has its own */
static inline __device__ void
__syncthreads(void)
{
    (void)shim_exchange(0, "", 1, 0);
}
#endif

template <class T>
static inline __device__ T
__shfl_down_sync(unsigned threads, T x, int by, int width)
{
    return __shfl_sync(threads, x, (int)(threadIdx.x % 16) + by, width);
}

static inline __device__ unsigned long long
atomicExch(unsigned long long *at, unsigned long long v)
{
    unsigned long long old = *at;
    *at = v;
    return old;
}

static inline __device__ void
__threadfence(void)
{
}

static inline __device__ double
__longlong_as_double(long long v)
{
    double x;
    __builtin_memcpy(&x, &v, sizeof x);
    return x;
}

static inline __device__ float
__int_as_float(int v)
{
    float x;
    __builtin_memcpy(&x, &v, sizeof x);
    return x;
}

#endif
