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
    /* runs a body in the threads of a group, by "enter" before each goes on;
     * what another one of them has */
    void (*run)(int backwards, void (*enter)(void *user, int i),
                void (*body)(void *user), void *user);
    const void *(*exchange)(const void *value, size_t bytes, int from);
} cuda_shim_grid;

static const char cuda_shim_head[] =
    "typedef struct { unsigned x, y, z; } shim_dim;\n"
    "typedef struct {\n"
    "    shim_dim block, block_dim, thread, grid_dim;\n"
    "    int backwards;\n"
    "    void (*run)(int, void (*)(void *, int), void (*)(void *), void *);\n"
    "    const void *(*exchange)(const void *, unsigned long, int);\n"
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
    "/* Of a group they run by turns, else one after the other. */\n"
    "typedef struct { shim_grid *g; unsigned first; void (*body)(void *); "
    "void *user; } shim_group;\n"
    "static void\n"
    "shim_enter_member(void *group, int i)\n"
    "{\n"
    "    shim_enter(((shim_group *)group)->g,\n"
    "               ((shim_group *)group)->first + (unsigned)i);\n"
    "}\n"
    "static void\n"
    "shim_run_member(void *group)\n"
    "{\n"
    "    ((shim_group *)group)->body(((shim_group *)group)->user);\n"
    "}\n"
    "static void\n"
    "shim_run(shim_grid *g, unsigned each, void (*body)(void *), void *user)\n"
    "{\n"
    "    const unsigned n = shim_threads(g);\n"
    "    for (unsigned i = 0; i < n; i += each) {\n"
    "        shim_group m = {g, g->backwards ? n - each - i : i, body, user};\n"
    "        if (each > 1) {\n"
    "            g->run(g->backwards, shim_enter_member, shim_run_member, "
    "&m);\n"
    "        } else {\n"
    "            shim_enter(g, m.first);\n"
    "            body(user);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "/* What a thread of the group has; it names all of these. */\n"
    "static inline const void *\n"
    "shim_exchange(shim_grid *g, unsigned threads, const void *x,\n"
    "              unsigned long bytes, int from)\n"
    "{\n"
    "    const unsigned row = g->thread.y + g->block_dim.y * g->thread.z;\n"
    "    return g->exchange(x, bytes,\n"
    "                       threads == 0xffffu << row % 2 * 16 ? from : -1);\n"
    "}\n"
    "#define __shfl_sync(threads, own, from, width) \\\n"
    "    (*(const __typeof__(own) *)shim_exchange( \\\n"
    "        shim_where(), threads, &(own), sizeof(own), from))\n"
    "#define __syncwarp(threads) \\\n"
    "    ((void)shim_exchange(shim_where(), threads, \"\", 1, 0))\n"
    "#define __shfl_down_sync(threads, own, by, width) \\\n"
    "    __shfl_sync(threads, own, (int)(shim_where()->thread.x % 16) + (by), "
    "16)\n"
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
