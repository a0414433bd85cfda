/* SPDX-License-Identifier: MIT
 *
 * The level TREE: a kernel is a list of statements.
 *
 * Values and memory are apart. Expressions are scalar nodes, pure and
 * hash-consed: they name loop variables (INDEX k is variable k of the kernel,
 * tied to no axis), sizes, loads of buffers and VALUE leaves. What a kernel
 * writes and reads again is scratch memory; its elements are read by LOAD
 * statements, which stay where they are. A cell, scratch of rank 0, is read as
 * a VALUE once nothing writes it any more, and in the condition of a loop.
 *
 * The pass `nest` makes statements with whole expressions; `hoist` turns these
 * into LETs of one operation each. Both forms print, verify and run.
 */
#ifndef ILEX_COMPILER_TREE_H
#define ILEX_COMPILER_TREE_H

#include "compiler/unit.h"
#include "lib/ops/dtype.h"

typedef enum ix_stmt_kind {
#define IX_STMT(KIND, kind, lines, text, meaning)                              \
    IX_STMT_##KIND, IX_ROW_##kind = IX_STMT_##KIND,
#include "compiler/tree/stmts.def"
    IX_NSTMTS
} ix_stmt_kind;

/* Groups of operands, numbered from 0 for each kind: IX_for_lo, IX_for_hi, ...
 * The last one, for all kinds, are the indices of the statement's element. */
enum {
#define IX_STMT(KIND, kind, lines, text, meaning) IX_before_##kind = -1,
#define IX_GROUP(kind, group, least, most, flat) IX_##kind##_##group,
#include "compiler/tree/stmts.def"
    IX_INDICES = 5,
    IX_GROUPS,
    IX_MOST_BOUNDS = 8 /* operands of a group */
};

/* What operands are after `hoist`, see stmts.def. */
typedef enum ix_flat {
    IX_FLAT_LEAF,
    IX_FLAT_FACTORS,
    IX_FLAT_OPERATION,
    IX_FLAT_SUM,
    IX_FLAT_FIXED
} ix_flat;

/* What a row of stmts.def says. */
typedef struct ix_stmt_row {
    const char *name, *text;
    int lines;
    uint8_t least[IX_GROUPS], most[IX_GROUPS]; /* operands of a group */
    ix_flat flat[IX_GROUPS];
} ix_stmt_row;
extern const ix_stmt_row ix_stmt_rows[IX_NSTMTS];

/* How a loop runs. */
typedef enum ix_how {
    IX_SERIAL,
    IX_VECTOR, /* no iteration waits for another: for vector units */
    IX_STREAM, /* copies lines of scratch memory, past the caches where they
                  begin at lines of these */
    IX_GRID,   /* over the threads of a GPU, along x, y or z of its grid */
    IX_GROUP,  /* over lanes, which are those of a group's threads, or over
                  points, which these share */
    IX_BLOCK   /* over points that threads of a block share, along x, along y,
                  or all of them */
} ix_how;
enum { IX_BLOCK_ALL = 2 };

/* Bytes of a line of the caches. */
enum { IX_LINE_BYTES = 64 };

typedef enum ix_scratch_kind {
    IX_SCRATCH_CELL, /* rank 0 */
    IX_SCRATCH_ARRAY /* rank 1, of constant extent */
} ix_scratch_kind;
/* Slots for the results of 2^63 elements in chunks of 256. */
enum { IX_STACK_DEPTH = 56 };

/* An element of a buffer, of which "mem" is the ROW from which it counts, or
 * NULL; without a buffer (-1), of scratch memory "mem". */
typedef struct ix_element {
    ix_stmt *mem;
    int buffer, rank;
    ilex_array *index[ILEX_MAX_RANK];
} ix_element;

struct ix_stmt {
    ix_stmt_kind kind : 8;
    ix_how how : 8;              /* FOR */
    ix_op op : 8;                /* UPDATE, FOLD */
    ix_scratch_kind scratch : 8; /* SCRATCH */
    ilex_dtype dtype : 8;        /* LET, LOAD, SCRATCH */
    bool parallel : 1;           /* FOR: iterations are independent */
    bool down : 1;               /* FOR: from the last iteration to the first */
    bool optional : 1; /* FOR: there may be none: loads inside stay inside */
    bool rest : 1;   /* FOR, optional: others of a split loop have some then */
    bool idle : 1;   /* FOR: in an iteration all loops inside may have none */
    bool bound : 1;  /* LET: the largest or smallest of bounds */
    bool place : 1;  /* LET: where in the order of points a loop of a grid is */
    bool rows : 1;   /* ASIDE: in all rows, else it is more than any */
    bool spread : 1; /* SCRATCH: element j is of thread j % 16 of a group */
    bool shared : 1; /* SCRATCH: threads of a block have one */
    uint8_t dim;     /* FOR over threads: 0 along x, 1 along y, 2 along z; over
                        lanes: how many a thread has, 0 over points; BLOCK: 0
                        along x, 1 along y, IX_BLOCK_ALL */
    char prefix;
    uint8_t n[IX_GROUPS]; /* operands of each group */
    int number; /* FOR: variable; LET, LOAD, SCRATCH, ROW: with "prefix" its
                   name; CHECK: of the unit's checks */
    int buffer; /* of the element */
    union {
        int64_t step;   /* FOR */
        int64_t extent; /* SCRATCH: of an array */
    };
    ix_stmt *next;
    ix_stmt *body, *other; /* FOR, IF; IF: what else */
    ix_stmt *mem;          /* of the element */
    ix_stmt *from, *to;    /* FOLD: scratch */
    const char *note;      /* LET: which element of which array it is; SCRATCH:
                              what is where; or NULL */
    const ilex_array *array; /* of the graph: what it computes is a part of
                                it; NULL: none is known */
    ilex_array *x[];         /* operands, a group after the other */
};

/* How many operands there are before those of a group; those; the first of
 * them, or NULL. */
static inline int
ix_operands_before(const ix_stmt *s, int group)
{
    int n = 0;
    for (int g = 0; g < group; g++)
        n += s->n[g];
    return n;
}

static inline ilex_array *const *
ix_operands(const ix_stmt *s, int group)
{
    return s->x + ix_operands_before(s, group);
}

static inline ilex_array *
ix_first_operand(const ix_stmt *s, int group)
{
    return s->n[group] ? *ix_operands(s, group) : NULL;
}

/* ix_for_lo(loop), its first lower bound; ix_let_value(s); and so on. */
#define IX_GROUP(kind, group, least, most, flat)                               \
    static inline ilex_array *ix_##kind##_##group(const ix_stmt *s)            \
    {                                                                          \
        return ix_first_operand(s, IX_##kind##_##group);                       \
    }
#include "compiler/tree/stmts.def"

static inline void
ix_set_operand(ix_stmt *s, int group, ilex_array *x)
{
    s->x[ix_operands_before(s, group)] = x;
}

/* Values that every kernel has: the range it is called for. Offsets of a shared
 * function are numbered from IX_VALUE_OFFSET downwards. */
enum { IX_VALUE_BEGIN = -1, IX_VALUE_END = -2, IX_VALUE_OFFSET = -3 };

/* ---- statements ---- */

/* Operands of a statement that is made. */
typedef struct ix_group {
    int n;
    ilex_array *const *x;
} ix_group;
#define IX_OPERANDS(...) ((const ix_group[IX_GROUPS]){__VA_ARGS__})

/* A statement with operands in the groups of its row; NULL: it has none. */
ix_stmt *ix_stmt_new(ix_unit *u, ix_stmt_kind kind, const ix_group *group);
/* The same statement, without what stands in it; with other operands. */
ix_stmt *ix_stmt_copy(ix_unit *u, const ix_stmt *s);
ix_stmt *ix_stmt_with(ix_unit *u, const ix_stmt *s, const ix_group *group);
/* The statement with another group of operands. */
ix_stmt *ix_stmt_with_group(ix_unit *u, const ix_stmt *s, int group, int n,
                            ilex_array *const *x);
/* Has a loop an iteration, or if not another loop over the same statements? */
static inline bool
ix_loop_has_iterations(const ix_stmt *loop)
{
    return !loop->optional || loop->rest;
}

/* A loop over [lo, hi) by 1. It is optional unless the bounds show that there
 * is an iteration. */
ix_stmt *ix_stmt_for(ix_unit *u, int variable, ilex_array *lo, ilex_array *hi);
/* The loop with one more bound in front of a group, or with that one alone. */
ix_stmt *ix_stmt_bound_by(ix_unit *u, const ix_stmt *loop, int group,
                          ilex_array *bound, bool alone);
/* Have two loops the same range; over one variable? */
bool ix_stmt_same_range(const ix_stmt *a, const ix_stmt *b);
bool ix_stmt_same_bounds(const ix_stmt *a, const ix_stmt *b);
/* A statement about an element; "value" is NULL if it has none. */
ix_stmt *ix_stmt_at(ix_unit *u, ix_stmt_kind kind, ix_element at,
                    ilex_array *value);
ix_stmt *ix_stmt_store(ix_unit *u, ix_element at, ilex_array *value);
ix_stmt *ix_stmt_update(ix_unit *u, ix_op op, ix_element at, ilex_array *value);
ix_element ix_element_of(int buffer, int rank, ilex_array *const *index);
/* Element [index] of scratch memory; a cell if "index" is NULL. */
ix_element ix_element_scratch(ix_stmt *scratch, ilex_array *index);
ix_element ix_stmt_element(const ix_stmt *s);

/* Copies of the statements of a list and inside, with indices replaced. */
ix_stmt *ix_stmt_substitute(ix_unit *u, ix_substitution *s,
                            const ix_stmt *list);
/* Where a list ends. */
ix_stmt **ix_stmt_end(ix_stmt **list);
/* The list with what "fn" makes of each statement, or leaves as it is. */
ix_stmt *ix_stmt_rewrite(ix_stmt *list, ix_stmt *(*fn)(void *user, ix_stmt *s),
                         void *user);
/* Copies that define values, scratch memory and variables of their own; "k" is
 * NULL: by the same names, for what is to stand in place of the list. */
ix_stmt *ix_stmt_clone(ix_unit *u, ix_kernel *k, const ix_stmt *list);
/* Copies of all statements of another kernel, whose axes are those of "k", with
 * names that it has not. */
ix_stmt *ix_kernel_adopt(ix_unit *u, ix_kernel *k, const ix_kernel *from);

/* What a loop's variable runs over, and by what letter it is called. */
typedef enum ix_variable_role {
#define IX_VARIABLE(ROLE, letter, base, suffix, text) IX_VARIABLE_##ROLE,
#include "compiler/tree/variables.def"
    IX_NVARIABLES
} ix_variable_role;
char ix_variable_letter(const ix_kernel *k, int64_t variable);
extern const char ix_variable_bases[];
extern const char *const ix_variable_suffixes[]; /* by role */
bool ix_is_variable_letter(char letter);
/* What a variable is a part of, in the end: an axis of the box or another one
 * that is no part. */
int ix_variable_root(const ix_kernel *k, int variable);
/* How many variables are axes of what the kernel stores; they are the first. */
int ix_kernel_axes(const ix_kernel *k);
/* A new loop variable of the kernel. */
int ix_kernel_variable(ix_unit *u, ix_kernel *k, ix_variable_role role);
/* One that runs over a part of what another one runs over. */
int ix_kernel_part(ix_unit *u, ix_kernel *k, ix_variable_role role,
                   int variable);
/* Have loops over these variables one name, as copies have? */
bool ix_variable_is_same(const ix_kernel *k, int a, int b);
/* Is the variable "of", or one of its name, or a part of it, or of a part? */
bool ix_is_part_of(const ix_kernel *k, int variable, int of);
/* The leaf for what LET or SCRATCH statement "s" defines; "prefix" and
 * "number" are its name. */
ilex_array *ix_value_leaf(ix_unit *u, char prefix, int number,
                          ilex_dtype dtype);
ilex_array *ix_value_of(ix_unit *u, const ix_stmt *s);
/* The leaf for the begin or the end of the kernel's range. */
ilex_array *ix_range_value(ix_unit *u, bool end);
/* The leaf for offset "i" of a shared function. */
ilex_array *ix_offset_value(ix_unit *u, int i, ilex_dtype dtype);

/* ---- nests: chains of FORs with nothing beside them (nests.c) ---- */

/* What a loop of a nest is around: another one, or the first store. Loops with
 * a condition have a cell for it beside them. */
ix_stmt *ix_nest_inside(const ix_stmt *loop);
/* The innermost stores. */
ix_stmt *ix_nest_body(ix_stmt *nest);
/* Loops like those of a nest around other statements. */
ix_stmt *ix_nest_like(ix_unit *u, const ix_stmt *nest, ix_stmt *body);
/* The locations of what the kernel computes. */
void ix_kernel_locations(ix_unit *u, const ix_kernel *k,
                         ix_source_locations *p);
/* The values of stores, of several a TUPLE; and stores of other ones to the
 * same elements. */
ilex_array *ix_nest_values(ix_unit *u, const ix_stmt *store);
ix_stmt *ix_nest_stores(ix_unit *u, const ix_stmt *like, ilex_array *values);
/* Its loops and stores compute "array". */
void ix_nest_note(ix_stmt *nest, const ilex_array *array);
/* Is the buffer stored by a list of nests? */
bool ix_nests_store(ix_stmt *nests, int64_t buffer);
/* Has it a loop for each axis, whose bounds are known from sizes, and no
 * reduction? */
bool ix_nest_is_rectangular(ix_stmt *nest, int rank);
/* The kernel is to store a value in each of "n" buffers on its whole box, in
 * the order of its levels. */
void ix_kernel_store(ix_unit *u, ix_kernel *k, int n, const int *buffer,
                     ilex_array *const *value);

/* ---- walks ---- */

/* Calls "fn" for every statement, outer ones first; stops where it is false. */
typedef bool (*ix_stmt_fn)(void *user, ix_stmt *s);
bool ix_stmt_each(ix_stmt *list, ix_stmt_fn fn, void *user);
/* The same for one statement and what stands in it. */
bool ix_stmt_each_in(ix_stmt *s, ix_stmt_fn fn, void *user);
/* nests.c: is there no loop in a loop; does a list check an index, or ask for
 * what will be read of a buffer, or where its lines begin? */
bool ix_stmt_is_innermost(const ix_stmt *loop);
/* Is it a loop, or is one inside? Branches may be nested deeper than cursors
 * should be on the stack. */
bool ix_stmt_has_loop(ix_stmt *s);
bool ix_stmts_check(ix_stmt *list);
bool ix_stmts_fetch(ix_stmt *list, int buffer);
/* The list with the bodies of branches whose conditions are constants. */
ix_stmt *ix_stmts_decided(ix_stmt *list);

/* Is the statement about an element of a buffer, or of scratch memory? */
static inline bool
ix_stmt_has_element(const ix_stmt *s)
{
    return s->buffer >= 0 || s->mem;
}

/* Is it a store to a buffer? Neighbouring ones happen at once. */
static inline bool
ix_stmt_is_output(const ix_stmt *s)
{
    return s->kind == IX_STMT_STORE && s->buffer >= 0;
}

/* Is it about an element of an array that threads of a block share? */
static inline bool
ix_stmt_is_shared(const ix_stmt *s)
{
    return s->buffer < 0 && s->mem && s->mem->shared;
}

/* Is a statement's element in each iteration of a loop the next one along the
 * last axis? Is all that a loop does a copy of such elements from scratch
 * memory to a buffer? */
bool ix_stmt_moves_along(const ix_stmt *s, const ix_stmt *loop);
bool ix_stmt_copies_row(const ix_stmt *loop);

/* Do threads of a group take its iterations, each every 16th, or those of a
 * block? */
static inline bool
ix_loop_is_points(const ix_stmt *s)
{
    return s->how == IX_BLOCK || (s->how == IX_GROUP && s->dim == 0);
}

/* Does it define what others have for a value; or are about? */
static inline bool
ix_stmt_is_value(const ix_stmt *s)
{
    return s->kind == IX_STMT_LET || s->kind == IX_STMT_LOAD ||
           s->kind == IX_STMT_ASIDE;
}
static inline bool
ix_stmt_defines(const ix_stmt *s)
{
    return ix_stmt_is_value(s) || s->kind == IX_STMT_ROW ||
           s->kind == IX_STMT_SCRATCH;
}

/* Calls "fn" for every expression of a statement, not of its body. */
typedef bool (*ix_expr_fn)(void *user, ilex_array *x);
bool ix_stmt_exprs(const ix_stmt *s, ix_expr_fn fn, void *user);
/* An ix_stmt_fn that goes through them with an ix_walk. */
bool ix_stmt_walk(void *walk, ix_stmt *s);

/* Has an operand of the statement one of these flags? */
bool ix_stmt_has(const ix_stmt *s, unsigned flags);

/* Calls "fn" for every load of a buffer in every expression of a list. */
typedef bool (*ix_load_fn)(void *user, const ilex_array *load);
bool ix_stmt_loads(ix_unit *u, ix_stmt *list, ix_load_fn fn, void *user);

/* An ix_load_fn for a unit: nothing writes what is loaded. */
bool ix_load_is_constant(void *unit, const ilex_array *load);

bool ix_body_loads(ix_unit *u, ilex_array *body, ix_load_fn fn, void *user);

/* reads.c: the loads in an expression and the values that statements compute,
 * each once, what is read before its indices. */
typedef struct ix_reads {
    ilex_array **item;
    size_t n;
} ix_reads;
const ix_reads *ix_reads_of(ix_unit *u, const ilex_array *x);
/* Do statements of a list load from a buffer? */
bool ix_stmts_load(ix_unit *u, ix_stmt *list, int buffer);

/* Has an expression of the kernel one of these flags? */
bool ix_kernel_has(const ix_kernel *k, unsigned flags);

/* How many statements a list has, as text. */
int ix_stmt_count(const ix_stmt *list);

/* ---- rebuilding: a pass reads statements and writes new ones ---- */

/* An open block: the statements that are being written. */
typedef struct ix_open {
    ix_stmt *first, *last;
    int loop;          /* of a loop's body: its variable + 1 */
    bool grid;         /* whose points are threads, */
    ilex_array *place; /* and where it is in the order of these */
    int id;            /* of the block, 0: closed */
    int floor;         /* of the block around */
    bool other;        /* the other body of an IF */
} ix_open;

/* What stands for a node, and the block in which it is known. */
typedef struct ix_known {
    ilex_array *leaf;
    ix_stmt *row; /* or the row pointer that stands for it */
    int depth, id;
} ix_known;

/* What pass hoist is to find for an expression: its value; for a sum those of
 * its atoms; for a value that is a statement's, those of the operands; a value
 * that is an index of a buffer. */
typedef enum ix_hoisting {
    IX_HOIST_VALUE,
    IX_HOIST_SUM,
    IX_HOIST_FLAT,
    IX_HOIST_CHECKED
} ix_hoisting;

/* An expression that waits in pass hoist for the values of its operands. */
typedef struct ix_waiting {
    ilex_array *x, *form; /* whose operands they are: a sum that wraps is
                             operations */
    ix_hoisting as;
    int buffer, next;         /* of CHECKED; the operand that is next */
    const ilex_array *around; /* whose statements come after it */
} ix_waiting;

typedef struct ix_builder ix_builder;
struct ix_builder {
    ix_unit *u;
    ix_kernel *k;
    ix_mem mem; /* of the unit's arena */
    ix_open *open;
    size_t capacity;
    int depth; /* innermost open block */
    int floor; /* loads stay in this block or deeper: that of a branch, of a
                  loop that may have no iteration */
    int next_id;
    const ilex_array *array; /* of statements that are put without one */
    /* what becomes of expressions in branches that are written: the guards in
     * them, in pass reduce the reductions too */
    ilex_array *(*expand)(struct ix_builder *b, ilex_array *x);
    int *variable_depth; /* depth of the block in which a variable varies */
    size_t variable_capacity;
    ix_map node, row; /* node -> position in "known" */
    ix_known *known;
    size_t nknown, known_capacity;
    ix_waiting *waiting; /* pass hoist's stack */
    size_t nwaiting, waiting_capacity;
};

void ix_build_begin(ix_builder *b, ix_unit *u, ix_kernel *k);
/* The statements written; ends the building. */
ix_stmt *ix_build_end(ix_builder *b);

/* Appends to the innermost block, or to the one at "depth". */
void ix_build_put(ix_builder *b, ix_stmt *s);
void ix_build_put_at(ix_builder *b, int depth, ix_stmt *s);
void ix_build_put_list(ix_builder *b, ix_stmt *list);

/* Statements from now on compute "x": they are of the array that it was an
 * element of, if that is known. Returns what b->array was. */
const ilex_array *ix_build_array(ix_builder *b, const ilex_array *x);

/* Opens the body of FOR or IF "s"; closing appends s to the block around. With
 * ix_build_else what follows is the other body of an IF. */
void ix_build_open(ix_builder *b, ix_stmt *s);
void ix_build_else(ix_builder *b, ix_stmt *s);
void ix_build_close(ix_builder *b, ix_stmt *s);

/* The depth of the block in which all variables and values of "x" are known. */
int ix_build_depth(ix_builder *b, const ilex_array *x);

/* What stands for a node, NULL if nothing does or its block is closed. */
const ix_known *ix_build_known(const ix_builder *b, const ilex_array *n);
/* Notes that "leaf", known in the block at "depth", stands for "n". */
void ix_build_note(ix_builder *b, const ilex_array *n, ilex_array *leaf,
                   int depth);
/* The same for the row pointers to elements; "n" is a load of the element. */
ix_stmt *ix_build_known_row(const ix_builder *b, const ilex_array *n);
void ix_build_note_row(ix_builder *b, const ilex_array *n, ix_stmt *row,
                       int depth);

/* Blocks deeper than "depth" step aside, so that statements can be written
 * there; "aside" is what to put back. */
typedef struct ix_aside {
    ix_open *open;
    int from, to, floor;
} ix_aside;
ix_aside ix_build_aside(ix_builder *b, int depth);
void ix_build_back(ix_builder *b, const ix_aside *aside);

/* Puts a statement that defines something, with a name, into a block. */
ix_stmt *ix_build_define(ix_builder *b, int depth, ix_stmt *s, char prefix,
                         ilex_dtype dtype);
/* Statements that define something, in the innermost block. */
ix_stmt *ix_build_cell(ix_builder *b, char prefix, ilex_dtype dtype,
                       ilex_array *first);
ix_stmt *ix_build_scratch(ix_builder *b, char prefix, ilex_dtype dtype,
                          int64_t extent);
ix_stmt *ix_build_let(ix_builder *b, char prefix, ilex_array *value);
/* A bound, of which constants beside others may differ between kernels that
 * share a function; its value. */
ilex_array *ix_build_bound(ix_builder *b, bool lower, ilex_array *value);
/* The value of a scratch element, read here. */
ilex_array *ix_build_read(ix_builder *b, ix_stmt *scratch, ilex_array *index);

/* What of an expression is to be replaced: it, something inside, nothing. */
typedef enum ix_pick { IX_PICK_IT, IX_PICK_INSIDE, IX_PICK_NOTHING } ix_pick;
/* The expression with the outermost nodes that "pick" names replaced by what
 * "expand", which may write statements, makes of them. */
ilex_array *
ix_build_replace(ix_builder *b, ilex_array *x,
                 ix_pick (*pick)(const ix_builder *b, const ilex_array *x),
                 ilex_array *(*expand)(ix_builder *b, ilex_array *x));

/* Rebuilds the kernel's statements: "leaf" gets each statement without a body
 * and each loop or branch before it is opened, and appends what replaces it;
 * it returns the statement to open or to append, NULL if it did everything.
 * Neighbouring stores to buffers are appended after the values of all of them:
 * an output may have the memory of an input. */
typedef ix_stmt *(*ix_rebuild_fn)(ix_builder *b, ix_stmt *s);
bool ix_rebuild(ix_unit *u, ix_kernel *k, ix_rebuild_fn fn);

/* ---- what others ask ---- */

/* measure.c: about how many statements bodies become (ix_measure is in unit.h)
 */
int ix_measure_nest(ix_unit *u, ix_stmt *nest);
int ix_measure_kernel(ix_unit *u, const ix_kernel *k);
/* Does a sum have factors that may lead out of 64 bits? Only values have, never
 * elements: it becomes operations, which wrap. */
bool ix_is_wide(const ix_index_form *f);
/* Is it a guard (ix_is_guard) on indices alone? One that compares what
 * statements computed was none when there were no statements. */
bool ix_is_guard_still(const ilex_array *x);
/* finish/narrow.c: do 32 bits hold a sum, and its parts, in a kernel for a GPU?
 */
bool ix_is_narrow(const ix_kernel *k, const ilex_array *x);
bool ix_is_negation(const ilex_array *x);
/* Are axes "k" and on of a reduction so short that they need no loops? */
bool ix_unrolls(ix_unit *u, const ilex_array *n, int k);

/* dump.c: a kernel's statements, the body of a stage; one a line; its loops
 * alone, as sentences for users */
void ix_dump_kernel(const ix_unit *u, const ix_kernel *k, ix_text *t);
void ix_dump_loops(const ix_unit *u, const ix_kernel *k, ix_text *t);
void ix_dump_body(const ix_unit *u, const ilex_array *body, ix_text *t);

/* names.c: what directives call a kernel: "k0", or "k0:else", which has the
 * next number and runs where the condition of k0 does not hold; then what there
 * is to say of versions: ", when k <= 9" or ", k0:else" */
void ix_kernel_name_put(const ix_kernel *k, ix_text *t);
void ix_kernel_version_put(const ix_kernel *k, ix_text *t);
/* what a user calls a buffer, which lives as long as the unit; the
 * buffer called so or "b3", -1: none, or several */
const char *ix_buffer_called(ix_unit *u, int i);
int ix_buffer_find(ix_unit *u, const char *name);

/* "t3", "lo5", "begin"; a sum of atoms, terms with a positive factor
 * first: "n1 - s3" */
typedef struct ix_value_text {
    char s[24];
} ix_value_text;
ix_value_text ix_value_name(char prefix, int64_t number);
/* What a statement is about, for messages: "b0", "t3", "i1", "". */
ix_value_text ix_stmt_subject(const ix_stmt *s);
typedef struct ix_sum_writer {
    const char *times; /* between factor and atom */
    void (*atom)(const void *user, const ilex_array *x, ix_text *t);
    const void *user;
} ix_sum_writer;
void ix_sum_put(const ix_sum_writer *w, const ilex_array *x, ix_text *t);

/* check.c: what is legal at this level; "schedule: jam i0" says more of a pass
 */
bool ix_check_kernel(ix_unit *u, ix_kernel *k, const char *pass);
bool ix_check_kernels(ix_unit *u, const char *pass);

#endif
