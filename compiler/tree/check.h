/* SPDX-License-Identifier: MIT
 *
 * What the files that check a kernel share.
 */
#ifndef ILEX_COMPILER_CHECK_H
#define ILEX_COMPILER_CHECK_H

#include "compiler/tree/tree.h"

/* Statements, as ix_stmt_count has them, of a generated function at most:
 * IX_FUNCTION, which is an estimate, and some room. */
enum { IX_FUNCTION_LINES = 1000 };

/* What is known about a LET, ROW or SCRATCH by its number. */
typedef struct ix_check_state {
    enum { IX_UNDEFINED, IX_IN_SCOPE, IX_OUT_OF_SCOPE } state;
    const ix_stmt *by;
    bool written; /* SCRATCH: on every path so far */
    bool keep;    /* while paths are joined */
} ix_check_state;

typedef struct ix_checker {
    ix_unit *u;
    const ix_kernel *k;
    const char *pass;
    int at; /* of the pass in the pipeline */
    bool ok;
    const ix_stmt *stmt; /* that is being checked */
    ix_mem mem;
    ix_check_state *value;
    bool *variable; /* of loops around */
    bool *writes;   /* buffers that the kernel writes */
    int *log;       /* what was written, in this order */
    size_t nlog, log_capacity;
    ix_walk walk; /* over nodes of the statement */
} ix_checker;

void ix_check_complain(ix_checker *c, const char *what);

/* check_grid.c: the loops over threads. */
void ix_check_grid(ix_checker *c);

/* check_access.c: of nests whose bounds are known boxes, no load and no store
 * leaves its buffer's box. Takes long: it proves. */
void ix_check_accesses(ix_checker *c);

#endif
