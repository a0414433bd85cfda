/* SPDX-License-Identifier: MIT
 *
 * What the command line asks for.
 */
#ifndef ILEX_TESTS_TREE_OPTIONS_H
#define ILEX_TESTS_TREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tree_options {
    uint64_t seed;
    int64_t number, first, count; /* number: of the only program, or -1 */
    uint64_t transforms;          /* of each program */
    const char *jit;              /* or NULL */
    bool cuda;                    /* it is CUDA */
} tree_options;

/* False: it is not understood. */
bool tree_read_options(tree_options *o, int argc, char **argv);

#endif
