/* SPDX-License-Identifier: MIT
 *
 * What tests over the stand-in of shim/ share: memory of the device, what is
 * wrong. Each program that includes it has its own.
 */
#ifndef ILEX_TESTS_GRID_TEST_H
#define ILEX_TESTS_GRID_TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"

static int bad, tried;
static char text[400];
static cudaStream_t const stream = (cudaStream_t)(void *)text;

static inline void
say(const char *what, const char *why)
{
    bad++;
    printf("%s: %s; %s\n", what, why, text);
}

/* ---- memory of the device ---- */

static inline void *
up(const void *data, size_t bytes)
{
    void *p = NULL;
    if (cudaMalloc(&p, bytes) != cudaSuccess ||
        cudaMemcpy(p, data, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        abort();
    return p;
}

/* Memory for what a run needs. */
static inline void *
room_for(size_t bytes)
{
    void *p = NULL;
    if (cudaMalloc(&p, bytes) != cudaSuccess)
        abort();
    return p;
}

static inline double *
up_doubles(const double *data, size_t n)
{
    return (double *)up(data, n * sizeof *data);
}

static inline void
down(void *to, const void *from, size_t bytes)
{
    if (cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        abort();
}

/* Nothing is pending or too early, and so many blocks are alive. */
static inline void
check_rest(const char *what, int blocks)
{
    tried++;
    if (shim_state.pending || shim_state.early || shim_state.blocks != blocks)
        say(what, "launches or memory are left behind");
    shim_state.early = 0;
}

#endif
