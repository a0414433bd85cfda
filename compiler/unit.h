/* SPDX-License-Identifier: MIT
 *
 * The unit of compilation.
 *
 * A unit goes through four levels: GRAPH (array nodes), STAGES (arrays that
 * are stored, each with the box it covers and a body that loads buffers by
 * number), TREE (kernels of statements), TARGET (the same, for a CPU or a GPU).
 * passes.def says which pass leads from
 * which level to which; verify.c what is legal at each.
 *
 * Everything here lives in the unit's arena; nodes are held by a scope of the
 * context that the compilation opens and closes.
 */
#ifndef ILEX_COMPILER_UNIT_H
#define ILEX_COMPILER_UNIT_H

#include "compiler/compiler.h"
#include "compiler/target/target.h"
#include "lib/base/arena.h"
#include "lib/build/module.h"
#include "lib/graph/repeats.h"
#include "lib/ops/literal.h"
#include "lib/shape/access.h"

typedef enum ix_level {
    IX_LEVEL_GRAPH,
    IX_LEVEL_STAGES,
    IX_LEVEL_TREE,
    IX_LEVEL_TARGET
} ix_level;

typedef enum ix_role {
    IX_ROLE_INPUT,
    IX_ROLE_DATA,
    IX_ROLE_OUTPUT,
    IX_ROLE_TEMP
} ix_role;

/* Why an array is stored or not: reasons.def. */
typedef enum ix_reason {
#define IX_REASON(NAME, stored, text) IX_REASON_##NAME,
#include "compiler/reasons.def"
} ix_reason;

/* What partition decided of an array, and what it looked at. */
typedef struct ix_decision {
    ix_reason reason;
    int64_t reads, work; /* places that read it, operations of an element */
    int buffer;          /* or -1 */
} ix_decision;

/* Axes in another order: turn.axis[k] is the one that comes to place k. */
typedef struct ix_turn {
    uint8_t axis[ILEX_MAX_RANK];
} ix_turn;

/* Memory that kernels read or write. */
typedef struct ix_buffer {
    ix_role role;
    const char *name;
    ilex_dtype dtype;
    const ix_domain *interior; /* declared; index 0 of bindings */
    const ix_domain *box;      /* what is read or written */
    const ix_domain *whole;    /* TEMP: its box before loops made it less, whose
                                  axes messages name */
    const ix_turn *turn;       /* of the program's axes, between the pass layout
                                  and ix_layout_back; NULL: none */
    ilex_array *node;          /* INPUT, DATA */
    const ilex_array *array;   /* what the program knows it as, for tags; or
                                  NULL */
    int slot;                  /* TEMP: place in the workspace */
    bool local;                /* TEMP: one kernel alone reads and writes it */
    bool forwarded;            /* TEMP: what read it has values (merge.c) */
    /* TEMP: not NULL where each part of a run of this kernel has one of its
     * own, of what an iteration of variable "within", or of parts of it, has */
    const struct ix_kernel *own;
    int within;
    int inplace; /* OUTPUT: buffer it may share, or -1 */
    bool late;   /* with inplace: written when all is read */
} ix_buffer;

static inline bool
ix_buffer_is_written(const ix_buffer *b)
{
    return b->role == IX_ROLE_OUTPUT || b->role == IX_ROLE_TEMP;
}

/* An integer that is data: what a status other than 0 speaks of. */
typedef struct ix_check {
    ix_checked_what what;
    int buffer, source; /* what it is an index of; where it is from; or -1 */
    int axis;
} ix_check;

/* The axis along which points are computed level by level, each level after
 * the one before, which it may read; -1: there is none. */
typedef struct ix_levels {
    int axis;
    bool backward;
} ix_levels;

/* A part of a buffer. */
typedef struct ix_slice {
    int buffer;
    const ix_domain *box;
} ix_slice;

/* What stands between kernels: a call of a function of the host or a routine of
 * the library, which reads the first slices and writes the others; or where the
 * steps of a loop begin or end, with what is there from step to step. */
typedef struct ix_foreign_call {
    const ilex_array *node; /* FOREIGN, LOOP, ... as the program made it */
    int routine; /* of lib/sort; of it the axis, or what else it is told */
    int axis;
    ix_slice *slice;
    int narguments, nresults;
    int counts; /* how many sizes are counted before */
    int loop;   /* 1 + which of the unit's; 0: a call */
    bool ends;  /* the loop */
} ix_foreign_call;

/* A loop of the program. */
typedef struct ix_unit_repeat {
    const ilex_array *node; /* LOOP */
    int around;             /* the loop around it, or -1 */
    size_t begin, end;      /* GRAPH: its body's place in the order; its own */
    int *from; /* STAGES: of each carried array the buffer that its first value
                  is copied from, or -1 */
    int (*pair)[2];    /* of each carried array the buffers that it is
                          in, as the step before left it, as this one makes it;
                          they take turns */
    int *stack, until; /* buffers, or -1 */
    int first, last;   /* which of the calls begin and end it */
} ix_unit_repeat;

/* A loop of which each step is "by" of the program's, which begin behind "from"
 * of them; others make one after the other. */
typedef struct ix_pace {
    int32_t step; /* which loop's */
    int by, most; /* at most so many, while `unroll` is at work */
    const ix_lin *from;
} ix_pace;

typedef enum ix_stage_kind {
#define IX_STAGE(KIND, ...) IX_STAGE_##KIND,
#include "compiler/stages.def"
} ix_stage_kind;

/* What is stored: a value in each of its buffers. */
typedef struct ix_stage {
    ix_stage_kind kind;
    int *buffer, count;
    const ix_domain *box; /* where it is computed */
    ilex_array *body; /* loads have buffer numbers as slots; a TUPLE of values,
                         then of what else the kind wants, or the only value */
    ix_levels levels;
    ix_moment when;
    const ix_domain *elements; /* COMPACT: the axis that the chunks are of */
    int position;            /* COMPACT: buffer, where the first element of each
                                chunk goes */
    const ilex_array *array; /* of the graph: what it stores or changes */
} ix_stage;

/* The TUPLE of an UPDATE: what goes to the element at the indices behind. */
enum { IX_UPDATE_VALUE, IX_UPDATE_INDEX };
/* That of a COMPACT: element _0, if the mask at _0 lets it through; how many
 * chunk _0 lets through. */
enum {
    IX_COMPACT_ELEMENT,
    IX_COMPACT_MASK,
    IX_COMPACT_COUNT,
    IX_COMPACT_PARTS
};

/* The values of a body, which are in a TUPLE if there is more than one thing.
 */
static inline ilex_array *const *
ix_stage_values(const ix_stage *s)
{
    return s->body->kind == IX_TUPLE ? s->body->ops : &s->body;
}

/* A list of numbers. */
typedef struct ix_ints {
    int *item;
    size_t count, capacity;
} ix_ints;

/* What a variable of a kernel runs over (tree/variables.def); which other one's
 * values it runs over, all or a part of, or which other one's reduced axis; or
 * -1. */
typedef struct ix_variable {
    uint8_t role;
    int part_of;
    ilex_array *reduction; /* whose outermost axis it, which is no part, is of;
                              or NULL */
} ix_variable;

/* |x| <= a * size + c, for the largest size; a is infinite of what is wide: 64
 * bits hold it, 32 may not. */
typedef struct ix_narrow_bound {
    double a, c;
} ix_narrow_bound;

/* Of a kernel for a GPU: which variables and values are narrow while no size is
 * above a limit. */
typedef struct ix_narrow {
    ix_narrow_bound *variable, *value;
    int64_t limit;
} ix_narrow;

/* A function: statements (compiler/tree/tree.h) over variables and values that
 * it numbers itself. Variables 0 to rank-1 of its box are the indices of what
 * it stores. */
typedef struct ix_stmt ix_stmt;
enum { IX_GRID_DIMS = 3 };
typedef struct ix_kernel {
    int number;
    ix_stmt *body;
    ix_stmt *nests;       /* what it computes, as nests of stores */
    const ix_domain *box; /* hull of what it stores */
    int axis;             /* of the box: over whose range it is called, in any
                             parts; -1: it is called once */
    ix_levels levels;     /* of the nests */
    bool ordered;         /* iterations read what earlier ones wrote */
    ix_moment when;
    bool stage;        /* the last one of a pipeline computes it */
    const char *apart; /* why it is none with the one before, or NULL */
    const ix_condition *condition; /* it runs where that holds, else the next
                                      one does in its place; NULL: always */
    int version; /* of how many before it the conditions do not hold then */
    const ix_env *facts; /* what is known where it runs; NULL: what the program
                            assumes */
    bool directed;       /* statements are more than `guard` and `reduce` make
                            of the nests */
    ix_variable *variable;
    size_t nvariables, variable_capacity;
    int nvalues;
    struct ix_schedule *schedule;    /* of its loops, or NULL */
    struct ix_kernel_layout *layout; /* of its arguments */
    int grid_loops;              /* over threads, of the nest with the most */
    ix_share grid[IX_GRID_DIMS]; /* x, y, z: of the axes of the box */
    ix_team team;                /* of a point of it */
    int *unit_stride; /* buffers whose last stride a variant takes for 1 */
    size_t nunit_strides, unit_stride_capacity;
    ix_narrow *narrow; /* on a GPU; or NULL */
    /* After `share`: whose function it calls, with other arguments (NULL: its
     * own, else it has no statements); its buffers and sizes, the offsets of
     * its constants, then its literals, in the order of that kernel's. */
    struct ix_kernel *like, *alike; /* alike: the next one that calls it */
    ix_ints buffers, sizes;
    ix_literal *offset;
    int noffsets;
    bool starts_unit; /* where there are several translation units */
    struct ix_kernel *next;
} ix_kernel;

/* What kernels for each target start from, made by `buffers`. */
typedef struct ix_naive_tree {
    ix_kernel *first;  /* of the unit's list, */
    ix_kernel *kernel; /* of which these are copies, by number */
    ix_buffer *buffer;
    size_t nbuffers;
    int nslots;
} ix_naive_tree;

/* Which element of which array a scalar is, for comments in the source. */
typedef struct ix_origin {
    const ilex_array *array;
    ilex_array **index;
    const char *text; /* "lap[I+1]" */
} ix_origin;

/* How many passes there are. */
enum {
    IX_NPASSES = 0
#define IX_PASS(name, before, after, meaning) +1
#include "compiler/passes.def"
};

typedef struct ix_unit {
    ilex_context *ctx;
    ix_arena arena;
    ix_mem mem; /* the arena's: freed with it when that runs out in between */
    ilex_module *module;
    ix_level level;
    ilex_array **root; /* GRAPH: value of each output, then what is counted */
    size_t nroots, noutputs;
    int32_t *counted;   /* the sizes that are, in order */
    int count_buffer;   /* STAGES: where the first is counted, the others behind
                           it */
    ix_moment now;      /* while stages are made */
    ilex_array **order; /* GRAPH: arrays, operands first */
    size_t norder;
    ix_repeats repeats;     /* GRAPH: in which loop each is */
    ix_unit_repeat *repeat; /* inner ones first; repeats.n of them */
    ix_pace *pace;          /* GRAPH: of loops that `unroll` made */
    size_t npaces, pace_capacity;
    ix_map left;            /* GRAPH: arrays that one of several steps at a time
                               leaves to the next one */
    const ix_domain **need; /* GRAPH, after extents: box of order[i] */
    bool *stored;           /* GRAPH: of order[i], what a directive says; or
                               NULL */
    ix_decision *decision;  /* STAGES: of order[i] */
    ix_map label;           /* symbol of an array that the source names */
    ix_map origin;          /* ix_origin of a scalar that was such an array */
    ix_map reads;           /* ix_reads of a scalar (tree.h) */
    ix_map made;            /* array that a scalar was an element of, if the
                               source has a location for it */

    ix_buffer *buffer;
    size_t nbuffers, buffer_capacity;
    ix_stage *stage; /* in the order of execution */
    size_t nstages, stage_capacity;
    int64_t largest; /* that a size may be: ix_largest_size */
    ix_check *check; /* made by `hoist` and for bytecode */
    size_t nchecks, check_capacity;
    ix_kernel *kernels;
    int nkernels, nslots;
    struct ix_schedule *schedule; /* of the kernels, or NULL */
    ix_naive_tree tree;
    ix_foreign_call **call; /* in order; stages, kernels stand between */
    size_t ncalls, call_capacity;
    const ilex_array **function; /* APPLY: one call of each function of numbers,
                                    where it is numbered */
    size_t nfunctions, function_capacity;
    ilex_array **data; /* leaves that wrap storages, each other elements */
    size_t ndata, data_capacity;
    ix_map program;      /* of an array that was rewritten: the program's */
    ix_map intermediate; /* of an array that a rewrite made on the way: the
                            same */
    bool reference;      /* no simplification, no fusion, nests alone */
    bool naive;          /* loops are not transformed for speed */
    const ix_target *target;
    ix_target own_target;   /* it, if it is no row */
    ix_target plain_target; /* it without registers, as TinyCC has */
    bool asks_registers;    /* kernels depend on how many there are */
    bool can_turn;          /* axes may be in another order */
    int divided;            /* the loop of a nest that threads divide: the n-th
                               one where it is in nothing but loops, else 0 */
    const char *layout;     /* how arguments lie, as option order says it */
    bool changed;           /* set by a pass that changed something */
    const char **called; /* buffers, for users; how many: those there were when
                            names.c was asked */
    size_t ncalled;
    double seconds[IX_NPASSES]; /* that each pass took */
} ix_unit;

/* Is some axis of some argument turned, where that suits? */
static inline bool
ix_unit_turns(const ix_unit *u)
{
    return strcmp(u->layout, "C") != 0 && strcmp(u->layout, "auto") != 0;
}

/* The program's axis that axis "k" of a buffer is. */
static inline int
ix_buffer_axis(const ix_buffer *b, int k)
{
    return b->turn ? b->turn->axis[k] : k;
}

/* On a GPU a scalar that lies on the host comes by value: a pointer to it would
 * lead nowhere. */
static inline bool
ix_buffer_by_value(const ix_unit *u, const ix_buffer *b)
{
    return u->target->grid && b->box->rank == 0 && !ix_buffer_is_written(b);
}

/* Arrays that the roots reach, operands before users, and what is counted
 * before all that mentions the size; sets order. */
void ix_unit_order(ix_unit *u);

/* largest.c: the largest size for which all indices have 64 bits. */
int64_t ix_largest_size(ix_unit *u);
/* compiler/graph/repeats.c: with what is in a loop directly before it. */
void ix_unit_gather(ix_unit *u);
/* Where "n" is in the order; SIZE_MAX: it is not. Of the units of a context one
 * asks at a time: the number is kept in the node. */
static inline size_t
ix_unit_position(const ix_unit *u, const ilex_array *n)
{
    return n->position < u->norder && u->order[n->position] == n ? n->position
                                                                 : SIZE_MAX;
}

/* The innermost loop that the array at position "i" is made in the steps of;
 * -1: none. */
static inline int
ix_unit_inside(const ix_unit *u, size_t i)
{
    return u->repeats.inside ? u->repeats.inside[i] : -1;
}
/* The loop that carries an array in a buffer, as the step before left it (turn
 * 0) or as this one makes it (1), its "*k"-th one; NULL: none. */
const ix_unit_repeat *ix_unit_carrier(const ix_unit *u, int buffer, int turn,
                                      int *k);
/* The innermost loop that runs when so many calls are made; -1: none. */
int ix_unit_repeat_at(const ix_unit *u, int calls);
/* How loop "node" goes on; did `unroll` say so? */
ix_pace ix_unit_pace(const ix_unit *u, const ilex_array *node);
bool ix_unit_has_pace(const ix_unit *u, const ilex_array *node);
/* The element of stack "k", on "all" of it, that a step writes, if it does: of
 * every so many steps there is one. NULL after an error. */
const ix_domain *ix_repeat_element(ilex_context *ctx, const ilex_array *loop,
                                   int k, const ix_domain *all);
/* What is known in the steps of loop "i", of its number and those of the loops
 * around it, beside "env". */
const ix_env *ix_unit_repeat_facts(const ix_unit *u, int i, const ix_env *env);

/* Rebuilds the graph bottom-up: "fn" gets "user" and each array with its
 * operands already replaced, and returns what replaces it. */
typedef ilex_array *(*ix_rewrite_fn)(ix_unit *u, void *user, ilex_array *n);
bool ix_unit_rewrite(ix_unit *u, ix_rewrite_fn fn, void *user);

int ix_unit_buffer(ix_unit *u, ix_buffer b);
/* Bytes of an array on a box; -1: they are not known. */
int64_t ix_box_bytes(const ix_unit *u, const ix_domain *box, ilex_dtype dtype);
/* A new temporary on a box. */
int ix_unit_temporary(ix_unit *u, const ix_domain *box, ilex_dtype dtype);
/* Element [_0, _1, ...] of a buffer. */
ilex_array *ix_unit_load(ix_unit *u, int buffer);

/* Adds a stage, whose buffers it copies, or a call, of this moment. */
void ix_unit_stage(ix_unit *u, ix_stage stage);
/* Adds one that stores a value at all points of a box, or, as a kind that the
 * caller notes, at some. */
ix_stage *ix_unit_store(ix_unit *u, int buffer, const ix_domain *box,
                        ilex_array *value, const ilex_array *array);
void ix_unit_call(ix_unit *u, ix_foreign_call *call);
/* The name of what is called (compiler/stages/calls.c). */
const char *ix_call_name(const ix_unit *u, const ix_foreign_call *call);

/* The number of the check of index "checked" of a load of "buffer". */
int ix_unit_check(ix_unit *u, int buffer, const ilex_array *checked);

/* The number of the foreign function that "apply" calls. */
int ix_unit_function(ix_unit *u, const ilex_array *apply);

/* A kernel over "box", without statements. */
ix_kernel *ix_unit_kernel(ix_unit *u, const ix_domain *box, ix_moment when);

/* Is there an axis whose levels its nests meet one after the other? */
static inline bool
ix_kernel_has_levels(const ix_kernel *k)
{
    return k->levels.axis >= 0;
}

/* compiler/lower/buffers.c: gives temporaries places in the workspace, by the
 * kernels and calls that use them. */
void ix_buffers_place(ix_unit *u);
/* By buffer, the first and the last one that uses it, -1 if none does: kernel
 * "k" is k->number + k->when.calls. */
void ix_buffers_used(ix_unit *u, const int **first, const int **last);

/* Gives a unit, which has a context, memory of its own. */
void ix_unit_begin(ix_unit *u);
/* Numbers the kernels in their order. */
void ix_unit_number(ix_unit *u);

/* Calls "fn" for each kernel, until one fails, while what is known of sizes
 * where that runs is what proofs may use; not for the reference back end.
 * ix_kernel_known: until ctx->facts is what it returns again. */
bool ix_kernels_each(ix_unit *u, bool (*fn)(ix_unit *u, ix_kernel *k));
const ix_env *ix_kernel_known(ix_unit *u, const ix_kernel *k);

/* The array of the program that "n" was made of: what is noted of it. */
const ilex_array *ix_unit_program(const ix_unit *u, const ilex_array *n);

/* The array of the program that "n", or what it is a part of, was made of:
 * where the source makes it. */
const ilex_array *ix_unit_source(const ix_unit *u, const ilex_array *n);

/* compiler/graph/kept.c: a lambda without axes that a reduction kept, itself if
 * it has none: as it has them it reads one that has not. */
ilex_array *ix_without_kept(ix_unit *u, ilex_array *n);

/* compiler/graph/boxes.c: an update of a part of an array, each point of which
 * the read takes once, as a lambda; NULL: it is none. */
ilex_array *ix_update_of_box(ilex_array *n);

/* Calls "fn" for every load of a body with the frame around it, for one body
 * after the other until ix_visit_end gives back the memory. */
typedef struct ix_load_visitor {
    ilex_context *ctx;
    const ix_mem *mem; /* the unit's where "fn" takes memory of its arena, which
                          jumps; NULL: the context's */
    ix_frame frame;    /* box set by the caller */
    bool (*fn)(struct ix_load_visitor *v, const ilex_array *load);
    void *user;
    ix_walk walk; /* its own */
} ix_load_visitor;
bool ix_visit_loads(ix_load_visitor *v, const ilex_array *body);
void ix_visit_end(ix_load_visitor *v);

/* compiler/graph/origin.c: the body of "array" read at "index", one for each
 * axis; notes which elements of arrays its scalars are. NULL when an index
 * would be too large. */
ilex_array *ix_origin_inline(ix_unit *u, const ilex_array *array,
                             ilex_array *body, ilex_array *const *index);
/* "lap[I+1]", NULL for a scalar that was no array */
const char *ix_origin_text(const ix_unit *u, const ilex_array *scalar);
/* ix_substitution.became for a unit as user: what scalars become stands for the
 * same elements */
void ix_origin_keep(void *unit, const ilex_array *from, ilex_array *to);
/* The array that a scalar was an element of before arrays were fused, of
 * several the innermost; NULL if the source has no place for it. */
const ilex_array *ix_made_of(const ix_unit *u, const ilex_array *scalar);
/* What a scalar becomes is an element of the same array. */
void ix_made_keep(void *unit, const ilex_array *from, ilex_array *to);

/* compiler/graph/locations.c: where the source makes an array (its first place
 * in a file that has a name); line 0: that is not known */
ix_source_location ix_source_location_of(const ix_unit *u,
                                         const ilex_array *array);
bool ix_source_same_line(const ix_source_location *a,
                         const ix_source_location *b);
/* Places of all that is computed where "value" is stored as an element of
 * "array", which may be NULL. */
typedef struct ix_source_locations {
    ix_source_location *item;
    size_t n, capacity;
    ix_map seen; /* arrays that were looked at */
} ix_source_locations;
void ix_source_locations_add(ix_unit *u, ix_source_locations *p,
                             const ilex_array *array, const ilex_array *value);
/* By file, line and column, each once. */
void ix_source_locations_sort(ix_source_locations *p);
/* Those of arrays that may be what a check is about, by what they read. */
void ix_source_locations_check(ix_unit *u, ix_source_locations *p,
                               const ix_check *c);
/* " (p.ilx:4:9 or p.ilx:5:9)"; none is nothing. */
void ix_source_locations_print(const ix_source_locations *p, ix_text *t);

/* compiler/tree/measure.c: about how many statements bodies, which share nodes,
 * become */
int ix_measure(ix_unit *u, int nbodies, ilex_array *const *body);

/* Statements of a generated function, of each when a body is cut, of a kernel
 * that gets a translation unit of its own, and of a unit that kernels share. */
enum {
    IX_FUNCTION = 900,
    IX_FUNCTION_PART = 250,
    IX_LARGE_KERNEL = 500,
    IX_UNIT = 2000
};

/* passes: true on success, false after recording an error */
#define IX_PASS(name, before, after, meaning) bool ix_pass_##name(ix_unit *u);
#include "compiler/passes.def"

/* compiler/pipeline.c: brings the kernels to the level TARGET for another
 * target than they are for */
bool ix_unit_target(ix_unit *u, const ix_target *target);

/* Gives the boxes of arguments the axes of the program again after all passes
 * (stages/layout.c). */
void ix_layout_back(ix_unit *u);

/* compiler/verify.c */
bool ix_verify_unit(ix_unit *u, const char *pass);

#endif
