/* SPDX-License-Identifier: MIT
 *
 * The emitter: nests to source text. One emitter, dialects as rows of a
 * table. Values are single-assignment: one operation a statement, placed at
 * the outermost loop level where its operands are known.
 */
#ifndef ILEX_COMPILER_EMIT_H
#define ILEX_COMPILER_EMIT_H

#include "compiler/compiler.h"
#include "compiler/unit.h"
#include "lib/ops/functions.h"

typedef struct ix_dialect {
    const char *name;
    ix_function_dialect functions;
    const char *exact_prefix; /* of libm's exact functions */
    const char *vector_pragma;
    bool cuda;
} ix_dialect;
extern const ix_dialect ix_dialects[IX_NDIALECTS];

enum { IX_BLOCKS = 50, IX_NAME = 48, IX_STRIP = 64 };
#define IX_STRIP_TEXT "64"

/* An open block of statements. */
typedef struct ix_block {
    ix_text text;
    int id;
    int indent; /* levels of indentation */
} ix_block;

/* Text of a value (a variable or a literal), and where it is known. */
typedef struct ix_name {
    char re[IX_NAME], im[IX_NAME];
    int depth, id; /* block that defines it; depth 0, id 0: everywhere */
} ix_name;

/* A pointer to a row of a buffer, hoisted to the loop it depends on. */
typedef struct ix_row {
    int buffer;
    char *offset; /* text of the hoisted part */
    ix_name name;
} ix_row;

/* Parameters of the kernel's body that are strides of innermost axes. */
typedef struct ix_inner_stride {
    int buffer, axis;
} ix_inner_stride;

typedef struct ix_emitter {
    ix_unit *u;
    ix_arena *arena;
    ix_mem mem; /* of the arena */
    const ix_dialect *dialect;
    bool names;
    ix_function_set functions;

    /* per kernel */
    const ix_kernel *kernel;
    ix_kernel_layout *layout; /* of its arguments */
    size_t field_capacity;
    ix_block block[IX_BLOCKS];
    int depth;        /* innermost open block */
    int floor;        /* loads stay at this depth or deeper (guards) */
    bool strip;       /* reductions have an accumulator per point of a strip */
    int strip_axis;   /* of the innermost loop */
    int next_block;   /* id */
    int next;         /* number of the next variable */
    const char *note; /* comment for the next statement, or NULL */
    int index_depth[ILEX_MAX_RANK]; /* depth of the loop over _k */
    int rindex_depth[4 * ILEX_MAX_RANK];
    char rindex_name[4 * ILEX_MAX_RANK][16];
    ix_map value; /* node -> position in "name" */
    ix_name *name;
    size_t nnames, name_capacity;
    ix_row *row;
    size_t nrows, row_capacity;
    ix_inner_stride *inner;
    size_t ninner, inner_capacity;
    bool *uses_buffer; /* pointers to declare */
    bool *uses_stride; /* by first_stride + axis */
    bool *uses_size;
    int *first_stride; /* per buffer */
} ix_emitter;

/* ---- emit_block.c: blocks and statements ---- */

void ix_emit_open(ix_emitter *e);
/* As above for statements that get no braces: what they define is forgotten at
 * the end, though the variables stay visible. */
void ix_emit_open_flat(ix_emitter *e);
/* Closes the innermost block: its text goes into its parent, between braces
 * after "header" (which may be NULL: no braces). */
void ix_emit_close(ix_emitter *e, const char *header);
/* Starts a line in the block at "depth", indented. */
ix_text *ix_emit_line(ix_emitter *e, int depth);
/* A whole line at "depth". */
void ix_emit_put(ix_emitter *e, int depth, const char *fmt, ...)
    IX_PRINTF(3, 4);
bool ix_emit_known(const ix_emitter *e, const ix_name *v);
const char *ix_c_type(ilex_dtype dtype); /* of an element or a part */

/* ---- emit_index.c: literals and indices ---- */

/* Text of an index expression; "*depth" where it is known. */
void ix_emit_index(ix_emitter *e, ilex_array *x, ix_text *t, int *depth);
/* A literal of a dtype's part. */
void ix_emit_literal(ix_emitter *e, ilex_dtype part, ix_value v, bool imaginary,
                     char *text);

/* ---- emit_value.c: scalars ---- */

/* Makes the value of a scalar known in the innermost block; its text. */
ix_name ix_emit_value(ix_emitter *e, ilex_array *n);
/* Notes the value of a node that was computed otherwise. */
void ix_emit_define(ix_emitter *e, ilex_array *n, ix_name v);
/* op(a, b) of dtype "loop" in a new variable of the innermost block. */
ix_name ix_emit_combined(ix_emitter *e, ix_op op, ilex_dtype loop,
                         const ix_name *a, const ix_name *b);
/* The same into variables that exist already. */
void ix_emit_combine(ix_emitter *e, ix_op op, ilex_dtype loop, const ix_name *a,
                     const ix_name *b, const ix_name *into);
/* The depth below which all free indices of "n" are known. */
int ix_emit_depth_of(ix_emitter *e, const ilex_array *n);

/* ---- emit_load.c ---- */

ix_name ix_emit_load(ix_emitter *e, ilex_array *n);
void ix_emit_store(ix_emitter *e, int buffer, int rank, const ix_name *v);

/* ---- emit_reduce.c ---- */

ix_name ix_emit_reduce(ix_emitter *e, ilex_array *n);
/* With an accumulator per point of a strip; the result is "t[v]". */
ix_name ix_emit_strip_reduce(ix_emitter *e, ilex_array *n);

/* ---- emit_strip.c ---- */

/* The innermost loop of a nest in strips, if a reduction gains by it. */
bool ix_emit_strips(ix_emitter *e, const ix_nest *nest, const char *lo,
                    const char *hi);
void ix_emit_strip_index(ix_emitter *e);
void ix_emit_strip_close(ix_emitter *e);

/* ---- emit_nest.c ---- */

/* Values of all stores, then the stores. */
void ix_emit_stores(ix_emitter *e, const ix_nest *nest);
void ix_emit_nest(ix_emitter *e, const ix_nest *nest);

/* ---- emit_kernel.c ---- */

/* Text of one kernel appended to "t": the struct of its arguments, described
 * in "layout", and its functions. */
bool ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_kernel_layout *layout,
                    ix_text *t);

/* ---- emit_file.c ---- */

typedef struct ix_emit_request {
    ix_dialect_id dialect;
    bool names;   /* comments with the user's names */
    bool several; /* large kernels get units of their own */
} ix_emit_request;

/* Translation units in the arena; false when memory ran out. */
bool ix_emit_units(ix_unit *u, ix_arena *arena, const ix_emit_request *request,
                   ix_sources *source);

#endif
