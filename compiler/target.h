/* SPDX-License-Identifier: MIT
 *
 * The machine that kernels are for, as passes see it: a row of targets.def.
 */
#ifndef ILEX_COMPILER_TARGET_H
#define ILEX_COMPILER_TARGET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ix_target {
    bool grid; /* a kernel runs on a grid of threads, apart from the host: a
                  thread for each point, data of its own memory */
    int function_cost;     /* what a call of the C library costs beside an
                              operation of the same cost: no vector unit runs it */
    size_t argument_bytes; /* that a kernel is passed by value; 0: any number */
    int vector_bytes;      /* that stand side by side in levels of a scan */
} ix_target;

typedef enum ix_target_name {
#define IX_TARGET(name, ...) IX_TARGET_##name,
#include "compiler/targets.def"
    IX_NTARGETS
} ix_target_name;

extern const ix_target ix_targets[IX_NTARGETS];

#endif
