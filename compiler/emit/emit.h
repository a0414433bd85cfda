/* SPDX-License-Identifier: MIT
 *
 * The emitter prints kernels of flat statements as C or CUDA, one function
 * for each kind of statement; dialects are rows of a table. It decides nothing.
 */
#ifndef ILEX_COMPILER_EMIT_H
#define ILEX_COMPILER_EMIT_H

#include "compiler/compiler.h"
#include "compiler/tree/tree.h"
#include "lib/ops/functions.h"
#include "lib/ops/literal.h"

typedef struct ix_dialect {
    const char *name;
    ix_function_dialect functions;
    const char *vector_pragma;
    bool optimised; /* by its compilers: it keeps blocks in registers, asks for
                       what will be read, writes past caches */
    ix_target_name target; /* generic: a CPU, option target says which */
    bool cuda;             /* the language */
    bool alone;            /* source that is compiled without Ilex */
} ix_dialect;
extern const ix_dialect ix_dialects[IX_NDIALECTS];

/* The target of kernels in a dialect; NULL after recording an error. */
static inline const ix_target *
ix_dialect_target(ix_unit *u, ix_dialect_id d)
{
    const ix_target *t = ix_target_of(u->ctx, ix_dialects[d].target,
                                      ix_dialects[d].alone, &u->own_target);
    if (!t || ix_dialects[d].optimised)
        return t;
    u->plain_target = *t;
    u->plain_target.vector_registers = 0;
    return &u->plain_target;
}

enum { IX_NAME = 48 };

/* Text of a value: a variable, a literal; the imaginary part beside it. */
typedef struct ix_name {
    char re[IX_NAME], im[IX_NAME];
} ix_name;

/* The same of an element, "l3[j4]", which is as long as its index. */
typedef struct ix_parts {
    const char *re, *im;
} ix_parts;

typedef struct ix_emitter {
    ix_unit *u;
    ix_mem mem; /* of the unit's arena */
    const ix_dialect *dialect;
    const ix_target
        *target; /* of the dialect, whatever kernels were made for */
    bool names;
    bool inlined;
    bool lines;
    bool headless;
    ix_function_set functions;
    bool fetches;               /* something is asked for */
    bool streams;               /* a row is written past the caches */
    bool rows;                  /* a row is of vectors */
    bool blocks;                /* a block of a contraction is a function */
    bool chains;                /* so is a row of its accumulators */
    bool hides;                 /* a value is made opaque */
    bool bounds;                /* the end of a loop is */
    bool threads[IX_GRID_DIMS]; /* a loop is over those along x, y, z */
    bool rolled;                /* a loop is not unrolled */
    bool groups;                /* threads of a group have some */
    bool narrows, widens; /* a conversion of double to float, of that to this */

    /* per kernel */
    bool points; /* a thread of a group is at a point of its own */
    const ix_kernel *kernel;
    ix_text *t;
    const char *body; /* the statements, once they are printed */
    int indent;
    int next;    /* number of the next variable that no statement has */
    bool narrow; /* CUDA: of a body's two kernels it is the one of 32 bits */
    ix_ints watched; /* lanes beside which NaNs are noted: their numbers */
    ix_source_location location; /* of the statement that is printed */
    const char *file; /* whose lines are counted; NULL: this text's own */
} ix_emitter;

/* ---- emit_text.c: names, literals, sums, operations ---- */

const char *ix_c_type(ilex_dtype dtype); /* of an element or a part */
/* What a loop's variable is called, which is the name of no type. */
ix_value_text ix_emit_variable(const ix_emitter *e, int64_t variable);

/* Starts a line, indented, with its location in front; a whole line; a line and
 * "
 * {", whose block ends with
 * "}". */
ix_text *ix_emit_line(ix_emitter *e);
void ix_emit_put(ix_emitter *e, const char *fmt, ...) IX_PRINTF(2, 3);
/* The loop that is next stays one until there are vectors. */
void ix_emit_rolled(ix_emitter *e);
void ix_emit_open(ix_emitter *e, const char *fmt, ...) IX_PRINTF(2, 3);
void ix_emit_close(ix_emitter *e);

/* A leaf: literal, variable, size, value. */
ix_name ix_emit_leaf(const ix_emitter *e, const ilex_array *x);
/* The variable that a statement defines. */
ix_name ix_emit_defined(const ix_stmt *s);
/* Element "[index]" of scratch memory; a cell if "index" is "". */
ix_parts ix_emit_scratch(const ix_emitter *e, const ix_stmt *scratch,
                         const char *index);
/* Of a kernel for a GPU: may 32 bits not hold a sum? */
bool ix_emit_is_wide(const ix_emitter *e, const ilex_array *x);
/* A sum of leaves, or a leaf; one that fits an index. */
void ix_emit_sum(const ix_emitter *e, const ilex_array *x, ix_text *t);
void ix_emit_index(const ix_emitter *e, const ilex_array *x, ix_text *t);
/* "i64"; of what is narrow in a kernel for a GPU "index_t". */
const char *ix_emit_loop_type(const ix_emitter *e, const ix_stmt *loop);
const char *ix_emit_let_type(const ix_emitter *e, const ix_stmt *let);

/* A template whose result CUDA's compiler does not see through, where that
 * would go wrong (heads.def); "op" is -1 for a conversion. */
ix_code_template ix_emit_hidden(ix_emitter *e, ix_code_template code, int op,
                                ilex_dtype loop, ilex_dtype result);
/* "v = <template>;" for each part of the value of a template, which "const
 * <type> v" defines unless "type" is NULL. */
void ix_emit_template(ix_emitter *e, ix_code_template code,
                      const ix_code_names *names, const char *type,
                      const char *note);
/* "f64 (*f0)(f64, f64)": what leads to foreign function "i"; "how": "const " or
 * "". In CUDA it is "ilex_f0", which calls it. */
void ix_emit_function_pointer(const ix_emitter *e, int i, const char *how,
                              ix_text *t);
/* "const f64 t5 = f0(t3, t4);" */
void ix_emit_apply(ix_emitter *e, const ix_stmt *s);
/* CUDA: functions that are called, as the host gave their text, else declared,
 * but for source that stands alone, whose head declares them. */
void ix_emit_device_functions(const ix_emitter *e, ix_text *t);
/* into = op(a, b) */
void ix_emit_combine(ix_emitter *e, ix_op op, ilex_dtype loop, ix_parts a,
                     ix_parts b, ix_parts into);

/* ---- emit_lines.c: what line of the source is next ---- */

void ix_emit_place(ix_emitter *e);
/* From here on lines are those of the text itself. */
void ix_emit_own_lines(ix_emitter *e);

/* ---- emit_element.c: row pointers, loads, stores ---- */

void ix_emit_row(ix_emitter *e, const ix_stmt *s);
void ix_emit_fetch(ix_emitter *e, const ix_stmt *s);
/* An element of scratch memory. */
ix_parts ix_emit_scratch_element(const ix_emitter *e, const ix_stmt *s);
/* Of an element of a buffer, how far it is from the row or the first one. */
void ix_emit_offset(const ix_emitter *e, const ix_stmt *s, ix_text *t);
/* The text of one part of an element; part -1: not complex. */
void ix_emit_element(const ix_emitter *e, const ix_stmt *s, int part,
                     ix_text *t);

/* ---- emit_lanes.c: accumulators ---- */

/* Finds the lanes of a kernel beside which NaNs are noted; is it one of them?
 */
void ix_emit_watch(ix_emitter *e, ix_stmt *body);
bool ix_emit_is_watched(const ix_emitter *e, const ix_stmt *scratch);
void ix_emit_update(ix_emitter *e, const ix_stmt *s);
void ix_emit_fold(ix_emitter *e, const ix_stmt *s);

/* ---- emit_vectors.c: a loop by vectors; false: it is none ---- */

bool ix_emit_rows(ix_emitter *e, const ix_stmt *loop);
/* Does a loop count from 0 to one bound? */
bool ix_emit_counts(const ix_stmt *loop);
/* Is it a product of what two statements define, in either order? */
bool ix_emit_multiplies(const ilex_array *x, const ix_stmt *a,
                        const ix_stmt *b);

/* ---- emit_chains.c: a loop by a function of libilex; false: it is none ----
 */

bool ix_emit_chain(ix_emitter *e, const ix_stmt *loop);
/* The axis of an element's buffer along which, alone, a loop goes, whose
 * pointer, in the loop, "row" may be; or -1. */
int ix_emit_axis(const ix_stmt *load, const ix_stmt *row, const ix_stmt *loop);

/* ---- emit_stmt.c ---- */

void ix_emit_stmts(ix_emitter *e, const ix_stmt *list);
void ix_emit_loop(ix_emitter *e, const ix_stmt *s);

/* ---- emit_kernel.c ---- */

/* Appends one kernel: the struct of its arguments, functions. */
bool ix_emit_kernel(ix_emitter *e, const ix_kernel *k, ix_text *t);

/* ---- emit_file.c ---- */

typedef struct ix_emit_request {
    ix_dialect_id dialect;
    bool names;    /* comments with the user's names */
    bool several;  /* large kernels get units of their own */
    bool inlined;  /* kernels go into what calls them, with what that knows */
    bool lines;    /* directives that name lines of the source */
    bool headless; /* without ix_emit_common() */
} ix_emit_request;

/* Translation units in the arena; false when memory ran out. */
bool ix_emit_units(ix_unit *u, ix_arena *arena, const ix_emit_request *request,
                   ix_sources *source);

#endif
