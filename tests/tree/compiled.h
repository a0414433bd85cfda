/* SPDX-License-Identifier: MIT
 *
 * Programs compiled with a random schedule.
 */
#ifndef ILEX_TESTS_COMPILED_H
#define ILEX_TESTS_COMPILED_H

#include "compiler/schedule/schedule.h"
#include "tests/differential/differential.h"

/* A program, and arguments with the results of the reference. */
typedef struct tree_compiled {
    ilex_context *ctx;
    ilex_module *module;
    const char *jit, *schedule;
    diff_buffer *argument;
    size_t n;
    const ilex_call *call;
} tree_compiled;

/* Compiles and runs it; false with what is wrong if a bit differs. */
bool tree_run_compiled(const tree_compiled *x, char *what, size_t size);

/* What was done to the program so far, lines "    program: fuse k0 k1". */
void tree_put_policy(ix_unit *u, char *trail, size_t size);

/* Lines "    k0: split i0 4 min" as a schedule, by kernels. */
void tree_put_schedule(const char *trail, char *to, size_t size);

#endif
