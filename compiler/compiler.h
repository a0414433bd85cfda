/* SPDX-License-Identifier: MIT
 *
 * The door between compiler and runtime: a module goes in, a compiled program
 * comes out: buffers, launch list, formulas in the sizes, generated source,
 * and the bytecode of the reference back end. It lives in its own arena and
 * points to nothing of the context.
 */
#ifndef ILEX_COMPILER_COMPILER_H
#define ILEX_COMPILER_COMPILER_H

#include "lib/base/arena.h"
#include "lib/base/json.h"
#include "lib/build/module.h"
#include "lib/ops/literal.h"

/* ---- what generated kernels are called with ----
 *
 * Part of the generated source: compiler/emit/emit_kernel.c prints a struct of
 * arguments for each function, exactly what it uses, and heads.def has the
 * struct below. */

/* What one part of a launch has for itself. A kernel that returns another
 * status than 0 has written what was found first. */
typedef struct ix_local {
    void *scratch;
    int64_t node, index, value; /* which test, where (C order), what */
    int64_t lo, hi, at;         /* its range; where it stands in its array */
} ix_local;

/* Iterations [begin, end) of the outermost loop. Not 0: "local" says why. */
typedef int32_t (*ix_kernel_fn)(const void *args, int64_t begin, int64_t end,
                                ix_local *local);

typedef enum ix_field_kind {
    IX_FIELD_BUFFER, /* address of a buffer's element (0, ..., 0) */
    IX_FIELD_VALUE, /* the element of a buffer of rank 0; its address is NULL */
    IX_FIELD_STRIDE,  /* of an axis, in elements */
    IX_FIELD_SIZE,    /* a size parameter */
    IX_FIELD_STATUS,  /* CUDA: where a kernel says that a check failed */
    IX_FIELD_OFFSET,  /* a number of one of the kernels that share a function:
                         what its constants differ by, or a literal */
    IX_FIELD_FUNCTION /* C: the address of a foreign function of numbers */
} ix_field_kind;

/* A member of a kernel's struct of arguments. */
typedef struct ix_field {
    ix_field_kind kind;
    int index;         /* buffer, size, offset, function */
    int axis;          /* STRIDE: as the source calls it */
    int of;            /* STRIDE: of the buffer */
    int offset;        /* bytes */
    ix_literal number; /* OFFSET */
} ix_field;

/* Pointers, strides, sizes, offsets, functions, in this order; kernels that
 * share a function have the same but for what a member is of. */
typedef struct ix_kernel_layout {
    int function; /* number of the kernel whose function is called */
    ix_field *field;
    size_t nfields, bytes;
    bool indirect;  /* CUDA: too long to go by value, a pointer goes instead */
    bool fused;     /* the kernel has fused multiply-adds */
    int64_t narrow; /* CUDA: 32 bits hold its indices up to this size */
} ix_kernel_layout;

/* The member through which a kernel tells statuses; NULL: it has none. */
static inline const ix_field *
ix_kernel_status(const ix_kernel_layout *l)
{
    for (size_t i = 0; i < l->nfields; i++)
        if (l->field[i].kind == IX_FIELD_STATUS)
            return &l->field[i];
    return NULL;
}

typedef enum ix_dialect_id {
#define IX_DIALECT(name, ...) IX_DIALECT_##name,
#include "compiler/emit/dialects.def"
    IX_NDIALECTS
} ix_dialect_id;

typedef struct ix_range {
    const ix_lin *lo, *hi; /* parameters numbered as in ix_compiled.size */
} ix_range;

/* A location in the source; file "": it has no name. */
typedef struct ix_source_location {
    const char *file;
    int line, column;
} ix_source_location;

typedef enum ix_compiled_role {
    IX_COMPILED_INPUT,
    IX_COMPILED_DATA,
    IX_COMPILED_OUTPUT,
    IX_COMPILED_TEMP
} ix_compiled_role;

typedef struct ix_compiled_buffer {
    ix_compiled_role role;
    const char *name;
    ilex_dtype dtype;
    int rank;
    bool used;
    const char **axis; /* per axis, of all points; "" unnamed */
    ix_range *interior;
    ix_range *box;   /* read or written */
    ix_range *whole; /* the interior with the halo that is declared, with that
                        which is read where it is not */
    const char *interior_text, *box_text, *whole_text;
    int first_stride; /* of its axes among those of all buffers */
    int phase;   /* how many sizes are counted before its ranges are known */
    int slot;    /* TEMP */
    bool own;    /* TEMP: each thread has one */
    int inplace; /* OUTPUT: buffer it may share, or -1 */
    void *data;  /* DATA: wrapped object, counted by the program */
} ix_compiled_buffer;

/* What a run has done before: sizes that it counted, calls that it made, ends
 * of loops that it met among these. */
typedef struct ix_moment {
    int counts, calls;
} ix_moment;

/* When a kernel that there are several versions of runs: form >= 0, or == 0,
 * or, without one, a stride is 1. */
typedef struct ix_condition {
    const char *text; /* "k <= 4096" */
    const ix_lin *form;
    bool equal;
    int buffer, axis; /* of the stride */
} ix_condition;

/* Threads of a block of a grid, at most; of a group, along x; of a block that
 * does a point together, along x and y. */
enum {
    IX_GRID_THREADS = 128,
    IX_GROUP_THREADS = 16,
    IX_BLOCK_X = 32,
    IX_BLOCK_Y = IX_GRID_THREADS / IX_BLOCK_X
};

/* Which threads of a GPU do a point of a grid together. */
typedef enum ix_team {
    IX_TEAM_NONE, /* each has its own */
    IX_TEAM_GROUP,
    IX_TEAM_BLOCK
} ix_team;

/* How many they are along x (0) or y (1); 0: they are a point's each. */
static inline int
ix_team_threads(ix_team team, int dim)
{
    static const int threads[][2] = {
        [IX_TEAM_GROUP] = {IX_GROUP_THREADS, 0},
        [IX_TEAM_BLOCK] = {IX_BLOCK_X, IX_BLOCK_Y}};
    return threads[team][dim];
}

/* Points that threads along a dimension of a grid share: those along axes, a
 * bit each; how many along the last of these an iteration has, 0: one; how many
 * of them a loop has at most, 0: all. */
typedef struct ix_share {
    int axes, each, most;
} ix_share;

typedef struct ix_compiled_kernel {
    const char *name;
    const ix_condition *condition; /* else the next one runs in its place; NULL:
                                      there is none */
    int rank;
    int axis;   /* whose range it is called for; -1: one call with (0, 1) */
    int serial; /* along which a chunk is one thread's (a scan), -1: none */
    ix_share grid[3]; /* on a GPU, along x, y, z */
    ix_team team;     /* there, of a point */
    ix_moment when;
    ix_range *box; /* hull of its loops */
    int *written;  /* buffers */
    int nwritten;
    int (*copy)[2]; /* from, to: it does nothing but these, and need not where
                       the one may be the other */
    int ncopies;
    ix_source_location *location; /* of all arrays that it computes, in order */
    size_t nlocations;
} ix_compiled_kernel;

/* A size, a product of "degree" sizes before it, or the least or largest of
 * forms in such, divided and rounded up (ix_param). */
typedef struct ix_compiled_size {
    const char *name;
    bool used; /* then factors are used as well */
    int degree, factor[IX_DEGREE];
    int phase; /* of a counted size: which it is, from 1 on; of a product: the
                  last of its factors; 0: it is given */
    bool own;  /* it belongs to a box: the run finds it */
    const ix_lin *arm[IX_ARMS];
    int narms;
    bool largest;
    int64_t divisor;
} ix_compiled_size;

/* Is it computed from others? */
static inline bool
ix_compiled_size_is_derived(const ix_compiled_size *s)
{
    return s->degree > 1 || s->narms > 0;
}

/* Is it a size that a run is given, or finds in the shapes? */
static inline bool
ix_compiled_size_is_given(const ix_compiled_size *s)
{
    return s->used && !s->phase && !s->own && !ix_compiled_size_is_derived(s);
}

/* A range of outputs of which a run computes [lo + from, lo + to), sizes that
 * it finds itself (ix_subdomain_axis). */
typedef struct ix_compiled_box {
    const char *axis;
    ix_range range;
    int from, to;
} ix_compiled_box;

/* An argument that comes from a rank, or goes to one. */
typedef struct ix_compiled_message {
    size_t argument;
    bool sends;
    const ix_lin *rank;
    int tag;
} ix_compiled_message;

/* A size that a run counts, element 0 of a buffer. */
typedef struct ix_compiled_count {
    int size, buffer;
    const ix_lin *most; /* as a form in the sizes, with this one 0 */
} ix_compiled_count;

/* A slice of a buffer, with the range along each of its axes. */
typedef struct ix_compiled_slice {
    int buffer;
    ix_range *range;
} ix_compiled_slice;

/* A call of a function of the host, or a routine of the library: the arguments,
 * then the results. */
typedef struct ix_compiled_call {
    const char *name, *declaration; /* which has the name; of a routine "" */
    int routine, axis;              /* see ix_foreign_call */
    const char *location; /* " (p.ilx:4:9)" where the program makes it, or "" */
    ix_compiled_slice *slice;
    int narguments, nresults;
    int counts; /* how many sizes are counted before */
} ix_compiled_call;

/* A loop of the program. */
typedef struct ix_compiled_loop {
    const char *name;
    int size;                   /* the number of its step */
    const ix_lin *count, *last; /* of its steps, as forms in the sizes: how
                                   many, the number of the last one */
    int (*pair)[2]; /* buffers that take turns: what the step before left,
                       what the step makes */
    int npairs;
    int until;          /* buffer, or -1 */
    int by;             /* of the program's steps are one, */
    const ix_lin *from; /* behind so many others */
} ix_compiled_loop;

/* What stands between kernels, which a moment counts: a call, or where the
 * steps of a loop begin or end. */
typedef struct ix_compiled_between {
    int kind; /* ix_step_kind */
    int what; /* call or loop */
    int counts;
} ix_compiled_between;

/* A function of the host that kernels call for elements: what it takes and
 * gives is of one dtype. */
typedef struct ix_compiled_function {
    const char *name, *declaration; /* which has the name */
    ilex_dtype dtype;
    int noperands;
    bool in_cuda; /* its text is in source of that */
} ix_compiled_function;

/* form >= 0, or divisible by modulus. */
typedef struct ix_compiled_assumption {
    const ix_lin *form;
    int64_t modulus;
    const char *text; /* "n >= 2" */
} ix_compiled_assumption;

/* A reduction without an identity (max of no elements): an error when one of
 * its ranges is empty and none of the loops and reductions around it. */
typedef struct ix_compiled_nonempty {
    const char *what, *location; /* " (p.ilx:4:9)", or "" */
    int nranges, nouter;
    ix_range *range, *outer;
} ix_compiled_nonempty;

/* One instruction of the bytecode that the reference back end evaluates. */
typedef struct ix_instr {
    uint8_t kind;           /* ix_kind of the scalar */
    uint8_t dtype, loop;    /* PRODUCT: loop: of the first factor */
    int16_t what;           /* ix_op or ix_reduction; APPLY: the function;
                               PRODUCT: dtype of the second factor */
    int32_t n;              /* operands */
    int32_t *arg;           /* instructions */
    int64_t *attr;          /* as the node's */
    ix_range *range;        /* REDUCE */
    int32_t body, body_end; /* REDUCE: instructions of the body; arg[0] is its
                               value. A guard: of condition and branches */
    int32_t branch[2];      /* a guard: where its branches start; REDUCE: where
                               the body ends and the ends of a range that is
                               computed follow, whether there is one */
    int check;              /* CHECKED: its number, -1: trusted */
    ix_value value;         /* CONST */
} ix_instr;

/* What bytecode computes at each point, and the buffers that it goes to. */
typedef struct ix_bytecode_result {
    int buffer;
    int32_t value;
} ix_bytecode_result;

typedef struct ix_bytecode {
    int rank;
    ix_range *box;
    bool backward;  /* from the last point to the first */
    int32_t *index; /* of the element that is stored; NULL: that of the point */
    ix_instr *instr;
    int32_t ninstr;
    ix_bytecode_result *result;
    int nresults;
    ix_moment when;
    ix_source_location *location; /* as of a kernel */
    size_t nlocations;
} ix_bytecode;

typedef enum ix_step_kind {
#define IX_STEP(name, text, meaning) IX_STEP_##name,
#include "compiler/steps/steps.def"
    IX_NSTEPS
} ix_step_kind;

/* TEST: the entries [what, end) of "nonempty"; TRANSFER: buffers; ALLOC, FREE:
 * slots; EVALUATE: bytecode; LAUNCH: the first of the kernels whose condition
 * holds, the last if none does; CALL: calls; SIZE: counts; REPEAT, NEXT: a
 * loop, and the step that is its other end. */
typedef struct ix_step {
    ix_step_kind kind;
    int what, end;
} ix_step;

/* A stage of compiling, and how long it took. */
typedef struct ix_stage_time {
    const char *name, *meaning;
    double seconds;
} ix_stage_time;

/* What something costs, polynomials. */
typedef struct ix_cost_facts {
    const char *operations, *read, *written;
    bool most; /* there may be fewer operations */
} ix_cost_facts;

/* What queries tell of a kernel, or of bytecode; "" where it cannot be said. */
typedef struct ix_kernel_facts {
    int rank, axis; /* axis: whose range threads share, -1: none */
    int version;    /* of how many before it the conditions do not hold then */
    const char *name, *domain, *computed, *apart;
    const char *schedule; /* lines: directives and why */
    const char *points;   /* a polynomial */
    ix_cost_facts cost;
    const char **reads, **writes; /* names of buffers */
    size_t nreads, nwrites;
} ix_kernel_facts;

/* Of a temporary its box and bytes, of other buffers what is read around the
 * interior, per axis. */
typedef struct ix_buffer_facts {
    const char *domain, *bytes;
    const char **low, **high;
} ix_buffer_facts;

/* Of an array that has a name or memory. */
typedef struct ix_array_facts {
    const char *name, *why; /* why it is stored, or not */
    bool stored;
} ix_array_facts;

typedef struct ix_facts {
    ix_kernel_facts *kernel;
    size_t nkernels;
    ix_array_facts *array;
    size_t narrays;
    const char *schedule; /* lines, of all kernels */
    const char **called;  /* per buffer: its name for users */
    ix_buffer_facts *buffer;
    const char *workspace;
    ix_cost_facts cost; /* the least for any way */
} ix_facts;

/* Generated source: complete translation units. */
typedef struct ix_sources {
    const char **unit;
    size_t nunits;            /* 0: not asked for */
    ix_kernel_layout *layout; /* per kernel */
    bool uses_math;
} ix_sources;

typedef struct ix_compiled {
    ix_arena arena;
    const char *name;
    size_t nnodes;
    bool fortran; /* loops and temporaries are in its order */
    bool turns; /* they may be in any order, and some array has several axes */
    ix_compiled_size *size;
    size_t nsizes;
    ix_compiled_count *count; /* in order */
    size_t ncounts;
    ix_compiled_message *message;
    size_t nmessages;
    ix_compiled_box *box;
    size_t nboxes;
    ix_compiled_assumption *assumption;
    size_t nassumptions;
    ix_compiled_buffer *buffer;  /* inputs and data first, then outputs */
    size_t nbuffers, narguments; /* arguments: all but temporaries */
    int nstrides, nslots;
    ix_compiled_kernel *kernel;
    size_t nkernels;
    ix_compiled_call *call;   /* in order */
    size_t ncalls, nroutines; /* of these, of the library */
    ix_compiled_loop *loop;
    size_t nloops;
    ix_compiled_between *between; /* in order */
    size_t nbetween;
    ix_compiled_function *function; /* that kernels or bytecode call */
    size_t nfunctions;
    ix_compiled_nonempty *nonempty;
    size_t nnonempty;
    ix_bytecode *bytecode; /* of each stage; reference only */
    size_t nbytecodes;
    ix_step *step;                  /* what a run does */
    const struct ix_tables *tables; /* of what a run does: compiler/run */
    size_t nsteps;
    ix_sources source[IX_NDIALECTS];
    ix_map copied;  /* while it is made: forms of the context, their copies */
    double seconds; /* spent compiling */
    ix_stage_time *stage; /* from text to source */
    size_t nstages;
    ix_facts *facts; /* for queries, or NULL */
} ix_compiled;

/* Appends what option target names for kernels of this process, or for source
 * that stands alone, so that it says the same on every machine. */
void ix_target_put_option(const ilex_context *ctx, bool alone, ix_text *t);

/* compiler/graph/sections.c: section number "section" of a program for grids
 * that divide these axes, "I,J", and how many there are. An array that ranks
 * send each other behind a section is an output of it, IX_SENT and a name, and
 * an input of that name of later ones. The steps of a loop are sections again
 * and again: what it carries is called IX_SENT_NOW where they read it and
 * IX_SENT_NEXT where they write it. Of an array that is read at indices that
 * are data there is a copy, IX_SENT_LIST, and places, IX_SENT_PLACES. A module
 * of the same context, whose loops are gone; NULL after an error, or if there
 * are not so many. */
enum { IX_SECTIONS = 64, IX_SECTION_LOOPS = 64 };
typedef struct ix_section_loop {
    int begin, end; /* its sections */
    int around;     /* the loop around it, or -1 */
    int carries;
    bool until;
    char name[72]; /* what its steps are called */
} ix_section_loop;
typedef struct ix_section_list {
    size_t count;    /* more than IX_SECTIONS are not told apart */
    uint64_t places; /* those that have places of lists alone: bits */
    int nloops;
    ix_section_loop loop[IX_SECTION_LOOPS]; /* inner ones first */
} ix_section_list;
ilex_module *ix_module_section(ilex_module *from, const char *axes,
                               size_t section, ix_section_list *list);

struct ix_unit;
typedef struct ix_compile_request {
    bool reference; /* bytecode, no kernels */
    bool dialect[IX_NDIALECTS];
    bool several[IX_NDIALECTS]; /* translation units, for compilers that are
                                   slow on long ones */
    bool names;                 /* variables carry the user's names as suffix */
    bool facts;                 /* what queries tell of it */
    bool inlined;               /* kernels are taken in by those that call them
                                   (ix_library_variant) */
    bool headless;    /* source begins without what is the same in all of it
                         (ix_emit_common) */
    bool fortran;     /* arrays lie in its order, as with option order */
    bool lines;       /* lines of kernels name those of the source */
    const char *stop; /* pass after which `text` is made, or NULL */
    ix_text *text;
    /* called after each pass that succeeded, for tests; or NULL */
    void (*after)(void *user, struct ix_unit *u, const char *pass);
    void *user;
} ix_compile_request;

/* Compiles a module; NULL after recording an error, or when `stop` ended it.
 * Owned by the caller: ix_compiled_free(). */
ix_compiled *ix_compile(ilex_module *module, const ix_compile_request *request);
void ix_compiled_free(ix_compiled *c);

/* What a size is that is computed from the sizes there; false if it leaves 64
 * bits. */
bool ix_compiled_derive(const ix_compiled_size *s, const int64_t *size,
                        int64_t *value);

/* How many sizes have to be counted before the form, the ranges, are known. */
int ix_compiled_phase(const ix_compiled *c, const ix_lin *a);
int ix_compiled_ranges_phase(const ix_compiled *c, const ix_range *r, int n);

/* The steps as text; "ctx" is the context that it was compiled in. "dialect":
 * of the kernels whose arguments are shown, or -1. */
void ix_steps_print(const ilex_context *ctx, const ix_compiled *c, int dialect,
                    ix_text *t);

/* "2*n + m - 1" */
void ix_compiled_put_form(const ix_compiled *c, const ix_lin *f, ix_text *t);

/* Members of an object that is open: all that doc/json.md lists but "library".
 * The program has facts; "dialect": whose source it has, or -1; "locations": of
 * kernels, too. */
void ix_json_program(ix_json *j, const ix_compiled *c, int dialect,
                     bool locations);

/* ---- compiled ahead of time: compiler/host ---- */

/* Sizes for which there is code of its own, of arrays that are dense: the value
 * of each size of the program, products too; -1: any. */
typedef struct ix_library_variant {
    int64_t *size;
    bool fortran; /* in the order of Fortran, not of C */
} ix_library_variant;

/* A compiled program with facts and source of the dialect aot, for CUDA grid,
 * and the prefix of all that its files define, an identifier. */
typedef struct ix_library {
    const ix_compiled *program;
    const char *prefix;
    const char *name;    /* of the library, "libNAME.so" */
    const char *support; /* of a program whose source is `headless`: the name of
                            what it shares with others; NULL: all is its own */
    bool cuda;
    bool freestanding;                 /* files call memcpy and memset alone */
    const ix_library_variant *variant; /* the first that fits a run is taken */
    size_t nvariants;                  /* not 0: its source is `inlined` */
    bool lines;                        /* of its source name the program's */
    bool routines;       /* one of the programs calls routines of the library */
    bool loops;          /* one of them has loops */
    const char *options; /* for JSON: an object */
} ix_library;

typedef enum ix_library_file {
    IX_LIBRARY_HEADER,
    IX_LIBRARY_SOURCE,
    IX_LIBRARY_JSON,
    IX_LIBRARY_FORTRAN,
    IX_LIBRARY_PYTHON,
    IX_LIBRARY_SUPPORT_HEADER, /* with its name as prefix */
    IX_LIBRARY_SUPPORT_SOURCE
} ix_library_file;

/* Can the program be compiled ahead of time, under this prefix, and be called
 * from Fortran if that is wanted? */
ilex_status ix_library_check(const ix_library *l, bool fortran, ix_error *err);

/* Appends what source in a dialect begins with, whatever its kernels are. */
void ix_emit_common(ix_dialect_id dialect, ix_text *t);

/* Appends a file of a library that was checked. */
ilex_status ix_library_print(const ix_library *l, ix_library_file file,
                             ix_text *t, ix_error *err);

/* Appends generated source with `lines`, complete and called "name": where its
 * own lines go on after lines of the program it says so. */
void ix_finish_lines(const char *source, const char *name, ix_text *t);

/* Lines "name\tmeaning\n" of passes.def. */
const char *ix_passes_table(void);

/* An HTML page of the program, whose locations are those of "text", beside its
 * arrays, kernels and source in a dialect; false after an error. "lay_out"
 * appends what a program that lays out graphs in DOT prints as "plain", or
 * nothing: the page has no picture then. */
bool ix_page(ilex_module *m, const char *text, int dialect,
             void (*lay_out)(const char *dot, ix_text *plain), ix_text *t);

/* DOT of the module's graph. */
bool ix_dot(ilex_module *module, ix_text *t);

#endif
