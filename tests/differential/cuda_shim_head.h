/* SPDX-License-Identifier: MIT
 *
 * The text in front of generated CUDA source that makes it C, and the numbers
 * of the running thread, which the code behind it finds with shim_where().
 */
#ifndef ILEX_TESTS_CUDA_SHIM_HEAD_H
#define ILEX_TESTS_CUDA_SHIM_HEAD_H

/* The same struct is in the text below. */
typedef struct cuda_shim_grid {
    struct {
        unsigned x, y, z;
    } block, block_dim, thread, grid_dim;
    int backwards;
} cuda_shim_grid;

static const char cuda_shim_head[] =
    "typedef struct { unsigned x, y, z; } shim_dim;\n"
    "typedef struct {\n"
    "    shim_dim block, block_dim, thread, grid_dim;\n"
    "    int backwards;\n"
    "} shim_grid;\n"
    "static inline unsigned\n"
    "shim_threads(const shim_grid *g)\n"
    "{\n"
    "    return g->grid_dim.x * g->grid_dim.y * g->grid_dim.z *\n"
    "           g->block_dim.x * g->block_dim.y * g->block_dim.z;\n"
    "}\n"
    "static inline unsigned\n"
    "shim_take(unsigned *number, unsigned of)\n"
    "{\n"
    "    unsigned at = *number % of;\n"
    "    *number /= of;\n"
    "    return at;\n"
    "}\n"
    "/* The thread of that number runs. */\n"
    "static inline void\n"
    "shim_enter(shim_grid *g, unsigned number)\n"
    "{\n"
    "    g->thread.x = shim_take(&number, g->block_dim.x);\n"
    "    g->thread.y = shim_take(&number, g->block_dim.y);\n"
    "    g->thread.z = shim_take(&number, g->block_dim.z);\n"
    "    g->block.x = shim_take(&number, g->grid_dim.x);\n"
    "    g->block.y = shim_take(&number, g->grid_dim.y);\n"
    "    g->block.z = number;\n"
    "}\n"
    "#define __global__ static\n"
    "#define __launch_bounds__(...)\n"
    "#define __device__\n"
    "#define __restrict__ restrict\n"
    "#define blockIdx (shim_where()->block)\n"
    "#define blockDim (shim_where()->block_dim)\n"
    "#define threadIdx (shim_where()->thread)\n"
    "#define gridDim (shim_where()->grid_dim)\n"
    "static inline unsigned long long\n"
    "atomicExch(unsigned long long *at, unsigned long long v)\n"
    "{\n"
    "    unsigned long long old = *at;\n"
    "    *at = v;\n"
    "    return old;\n"
    "}\n"
    "static inline void __threadfence(void) {}\n"
    "static inline double __longlong_as_double(long long v)\n"
    "{\n"
    "    union { long long i; double f; } u = {v};\n"
    "    return u.f;\n"
    "}\n"
    "static inline float __int_as_float(int v)\n"
    "{\n"
    "    union { int i; float f; } u = {v};\n"
    "    return u.f;\n"
    "}\n";

#endif
