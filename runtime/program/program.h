/* SPDX-License-Identifier: MIT
 *
 * The program object and the parts that make a run: solving sizes, checking
 * bindings, launching kernels.
 */
#ifndef ILEX_RUNTIME_PROGRAM_H
#define ILEX_RUNTIME_PROGRAM_H

#include <stdatomic.h>

#include "compiler/compiler.h"
#include "ilex/program.h"
#include "runtime/jit/jit.h"
#include "runtime/storage/storage.h"
#include "runtime/threads/pool.h"

/* ---- solve.c: sizes from shapes ---- */

/* "form" equals a length found at run time, of axis "axis" of argument
 * "argument". Weak equations are used only for sizes that the strict ones
 * leave open, and are not checked. */
typedef struct ix_equation {
    int argument, axis;
    const ix_lin *form;
    bool strict;
} ix_equation;

/* size = (sum of weight[e] * (value of e - constant of e)) / divisor; "weak"
 * if a weak equation has weight: then a size given in the call wins. */
typedef struct ix_formula {
    bool solved, weak;
    int64_t divisor;
    int64_t *weight;
} ix_formula;

typedef struct ix_solver {
    ix_equation *equation;
    size_t nequations;
    ix_formula *formula; /* per size */
} ix_solver;

/* Makes formulas for every used size; memory from the program's arena. */
void ix_solver_make(ix_solver *s, ix_compiled *c);

/* ---- backends.def ---- */

struct ilex_program;

typedef struct ix_backend {
    const char *name, *meaning;
    int dialect; /* of the source it compiles; -1: tapes */
    ix_code *(*compile)(const ix_mem *mem, const ix_jit_request *req,
                        void **entries, ix_error *err);
    char *(*command)(const ix_mem *mem, const ix_jit_request *req,
                     ix_error *err); /* or NULL */
    bool several;                    /* translation units */
} ix_backend;

/* The row that option jit asks for; auto: tcc, else cc. */
const ix_backend *ix_backend_choose(ilex_context *ctx);

struct ilex_program {
    atomic_size_t count;
    ix_mem mem;
    ix_compiled *c;
    ix_solver solver;
    const ix_backend *backend;
    ix_code *code;
    ix_kernel_fn *kernel; /* by kernel number */
    char *command;
    int threads; /* 0: as many as are worth it */
    double jit_seconds;
};

/* ---- bind.c, run.c: one run ---- */

/* Everything a run knows; lives on the stack and in one block of memory. */
typedef struct ix_run {
    const ilex_program *p;
    ilex_call *call;
    ix_error *err;
    ilex_storage **bound; /* per argument */
    int64_t *size;
    char **base;         /* per buffer */
    int64_t *stride;     /* of all axes of all buffers */
    int64_t (*cover)[2]; /* of all axes: indices that may be touched */
    int *axis;           /* of all axes: the storage's axis */
    void *workspace;     /* owned unless the caller gave it */
    int threads;
} ix_run;

/* Finds the storages by name, solves the sizes, checks everything. */
ilex_status ix_bind(ix_run *r, const ilex_binding *bindings, size_t count);

/* Runs a program whose arguments are bound: finds room for the temporaries,
 * launches, gives the room back. */
ilex_status ix_run_launch(ix_run *r);

/* Bytes of the workspace for the sizes of a run; -1 on overflow. "offset" (per
 * slot) may be NULL. */
int64_t ix_workspace_bytes(const ix_compiled *c, const int64_t *size,
                           int64_t *offset);

/* A temporary is dense in C order: its strides in elements, and the bytes from
 * element (0, ..., 0) to its first one; false on overflow. */
bool ix_temporary_layout(const ix_compiled_buffer *b, const int64_t *size,
                         int64_t *stride, int64_t *offset);

bool ix_range_eval(const ix_range *range, const int64_t *size, int64_t *lo,
                   int64_t *hi);

/* ---- reference.c ---- */

ilex_status ix_reference_run(const ix_run *r);

#endif
