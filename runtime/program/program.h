/* SPDX-License-Identifier: MIT
 *
 * The program object and the parts that make a run: solving sizes, checking
 * bindings, launching kernels.
 */
#ifndef ILEX_RUNTIME_PROGRAM_H
#define ILEX_RUNTIME_PROGRAM_H

#include <stdatomic.h>

#include "compiler/run/run.h"
#include "ilex/function.h"
#include "ilex/program.h"
#include "ilex/query.h"
#include "lib/base/clock.h"
#include "runtime/halo/halo.h"
#include "runtime/jit/jit.h"
#include "runtime/program/workspace.h"
#include "runtime/storage/storage.h"
#include "runtime/threads/pool.h"

/* ---- engines: what carries out the steps of a run ---- */

typedef struct ix_run ix_run;

/* The functions that walk.c calls; each explains a failure in the run's error
 * record. */
typedef struct ix_engine {
    /* Before anything else: can all arguments be reached? NULL: nothing to do.
     */
    ilex_status (*begin)(ix_run *r);
    /* Brings argument "i" up to date, sets its base, and whether it goes by
     * value, from where it is bound. */
    ilex_status (*transfer)(ix_run *r, size_t i);
    /* "bytes" bytes at a multiple of 64 for temporaries, in r->workspace until
     * the run gives them back. */
    ilex_status (*allocate)(ix_run *r, size_t bytes, char **memory);
    /* Can kernels reach the caller's workspace? NULL: they can. */
    ilex_status (*check_workspace)(ix_run *r, const void *memory);
    /* Iterations [lo, hi) of the outermost loop of kernel "i"; lo < hi. */
    ilex_status (*launch)(ix_run *r, size_t i, int64_t lo, int64_t hi);
    /* Returns when everything is done. NULL: it is, after each launch. */
    ilex_status (*wait)(ix_run *r);
    /* Copies from a temporary, when that is done. */
    ilex_status (*fetch)(ix_run *r, void *to, const char *from, size_t bytes);
    /* Copies to where kernels are; NULL: that is where the host is. */
    ilex_status (*put)(ix_run *r, char *to, const void *from, size_t bytes);
} ix_engine;

/* engine_host.c: threads of this process; engine_device.c: a GPU. */
extern const ix_engine ix_engine_host, ix_engine_device;
/* Do 32 bits hold all indices of kernel "i", called for [lo, hi), and how far
 * elements are apart, as sizes and arrays are in this run? */
bool ix_launch_is_narrow(const ix_run *r, size_t i, int64_t lo, int64_t hi);

/* A program's code for devices, built when it first runs there. */
typedef struct ix_device_codes ix_device_codes;
ix_device_codes *ix_device_codes_new(const ix_mem *mem);
void ix_device_codes_free(const ix_mem *mem, ix_device_codes *codes);

/* ---- backends.def ---- */

struct ilex_program;

/* From a request to loaded code, the addresses of its functions in "entries".
 */
typedef ix_code *ix_code_fn(const ix_mem *mem, const ix_jit_request *req,
                            void **entries, ix_error *err);

typedef struct ix_backend {
    const char *name, *meaning;
    int dialect; /* of the source it compiles; -1: bytecode */
    ix_code_fn *compile;
    ix_code_fn *find; /* what was compiled before; or NULL */
    char *(*command)(const ix_mem *mem, const ix_jit_request *req,
                     ix_error *err); /* or NULL */
    bool several;                    /* translation units */
    const ix_engine *engine;
} ix_backend;

/* The row that option jit asks for; auto: tcc, else cc. */
const ix_backend *ix_backend_choose(ilex_context *ctx);

typedef struct ix_messages ix_messages;

/* ---- tier.c: a program's code from one back end ---- */

typedef struct ix_tier {
    ix_mem mem;
    const ix_backend *backend;
    ix_code *code;        /* NULL: none is needed */
    ix_kernel_fn *kernel; /* by kernel number */
    char *command;        /* of the compiler, or NULL */
    double seconds;       /* spent compiling and loading */
    double load_seconds;  /* of these, loading */
} ix_tier;

/* What the compiler is called with, from the options. */
typedef struct ix_toolchain {
    const char *cc, *cflags; /* NULL: the defaults */
    int64_t timeout_ms;
    const atomic_bool *stop; /* set: nobody needs the code; or NULL */
    ix_cache_setup cache;
} ix_toolchain;
ix_toolchain ix_toolchain_of(ilex_context *ctx);

/* Compiles the program's source for a back end. NULL after an error. */
ix_tier *ix_tier_new(const ix_mem *mem, const ilex_program *p,
                     const ix_backend *backend, const ix_toolchain *tools,
                     ix_error *err);
/* The same with code that was compiled before, by whichever process; NULL
 * without an error if there is none. */
ix_tier *ix_tier_find(const ix_mem *mem, const ilex_program *p,
                      const ix_backend *backend, const ix_toolchain *tools,
                      ix_error *err);
void ix_tier_free(ix_tier *tier);

/* ---- promote.c: from the quick compiler's code to the good one's ---- */

/* NULL for a program that stays what it is. */
typedef struct ix_promotion ix_promotion;

/* For jit=auto: "backend" compiles once the program has run long enough. NULL
 * without memory. */
ix_promotion *ix_promotion_new(ilex_program *p, const ix_backend *backend,
                               ilex_context *ctx);
/* Ends what is under way; then its code, which no run may be in. */
void ix_promotion_free(ix_promotion *m);

/* Does it count seconds of runs? NULL: no. More of them; "took" may stand for
 * several runs. */
bool ix_promotion_counts(const ix_promotion *m);
/* Is the good code there? */
bool ix_promotion_is_done(const ix_promotion *m);
void ix_promotion_ran(ix_promotion *m, double took);

/* Says in the log what failed in the background for programs of the context. */
void ix_promotion_tell(ilex_context *ctx);

/* ---- layouts.c: a program for arrays that lie otherwise ---- */

/* NULL for a program that is what it is. */
typedef struct ix_layouts ix_layouts;
ix_layouts *ix_layouts_new(ilex_module *module, const ilex_program *p);
void ix_layouts_free(ix_layouts *l);

/* The program for the storages of a run whose strides are known, which belongs
 * to that one: what there is, or is made now. */
const ilex_program *ix_layouts_find(ix_run *r);
const ilex_program *ix_layouts_make(const ix_run *r);

/* What ranks run, which belongs to "p": section "section" of the program for
 * grids that divide "axes", which are names with commas; of "" the program in
 * one. NULL after an error. Any thread. */
typedef struct ix_parts ix_parts;
ix_parts *ix_layouts_parts(const ilex_program *p, const char *axes,
                           size_t section, ix_error *err);
/* The program of it for parts of outputs, option box=2, without those of whose
 * numbers "without" has bits. NULL after an error. Any thread. */
const ilex_program *ix_parts_program(ix_parts *x, uint64_t without,
                                     ix_error *err);
/* When there is one: what it means, 16 bytes; how many sections there are. */
const uint8_t *ix_parts_hash(const ix_parts *x);
const ix_section_list *ix_parts_sections(const ix_parts *x);

/* Bytes of arguments below which a run is of the program as it is; tests change
 * it. */
extern int64_t ix_layouts_bytes;

/* ---- meter.c: how long runs take ---- */

typedef struct ix_meter ix_meter;
ix_meter *ix_meter_new(const ix_mem *mem); /* NULL without memory */

/* Around the steps of a run: what to give back, 0: this one is not timed. */
double ix_meter_begin(const ilex_program *p);
void ix_meter_end(const ix_run *r, double begin);

/* The threads that a run whose storages are bound is worth. */
int ix_meter_threads(const ix_run *r);

/* ---- profile.c: how long kernels run ---- */

typedef struct ix_kernel_clock {
    _Atomic uint64_t calls, nanoseconds;
} ix_kernel_clock;
typedef struct ix_profile {
    atomic_bool on;
    size_t kernels;
    ix_kernel_clock kernel[];
} ix_profile;
ix_profile *ix_profile_new(const ix_mem *mem, size_t kernels);

struct ilex_program {
    atomic_size_t count;
    ix_mem mem;
    ix_compiled *c;
    const ix_backend *backend; /* that it was compiled for */
    ix_tier *first;
    _Atomic(const ix_tier *)
        tier;                /* what launches use; "first" to begin with */
    ix_promotion *promotion; /* or NULL */
    ix_layouts *layouts;     /* or NULL */
    ix_messages *messages;   /* NULL: it has none */
    bool is_variant;         /* of another one's */
    ix_meter *meter;         /* or NULL: it measures nothing */
    ix_profile *profile;
    ilex_function_spec *function; /* by call: what it calls */
    /* by function of numbers: what kernels call */
    ilex_elementwise_function *elementwise;
    int threads;           /* 0: as many as are worth it */
    size_t most_arguments; /* bytes of a kernel's */
    ix_workspaces *workspaces;
    ix_device_codes *device_codes; /* NULL: it runs on the host */
    bool kept;    /* for those who compile it again: nobody else may hold it */
    size_t *data; /* by argument: its number among wrapped data, which come with
                     a run (compute.c), SIZE_MAX: it is none; or NULL */
};

/* The program of a module, whose wrapped data come with its runs if "open",
 * which is filled in, is not NULL; its list is the caller's. Where the program
 * cannot be kept they are part of it. */
ilex_program *ix_program_compile(ilex_module *module, ix_held *open);
/* Adds output number "i", which has no name of the user's. */
ilex_status ix_program_output(ilex_module *m, size_t i, ilex_array *x,
                              const char *inplace);
/* open.c: from now on wrapped data are arguments; false: no memory. */
bool ix_program_open(ilex_program *p, const ix_held *held);

/* The code that launches use now. */
static inline const ix_tier *
ix_program_tier(const ilex_program *p)
{
    return atomic_load_explicit(&p->tier, memory_order_acquire);
}

/* Around the launch of kernel "i": what to give back, 0: nobody asked; its end
 * waits for the kernel. */
static inline double
ix_profile_begin(const ilex_program *p)
{
    bool on = atomic_load_explicit(&p->profile->on, memory_order_relaxed);
    return on ? ix_clock() : 0;
}
ilex_status ix_profile_end(ix_run *r, size_t i, double start);

/* ---- bind.c, run.c: one run ---- */

enum {
    IX_CELL = 16,     /* bytes of an element of any dtype */
    IX_PARTS_EACH = 4 /* of a launch, for each of Ilex's own threads */
};

/* Everything a run knows; lives on the stack and in one block of memory. */
struct ix_run {
    ix_state s; /* what the text of a run works with; it begins here */
    const ilex_program *p;
    ilex_call *call;
    ix_error *err;
    const ilex_binding *bindings;
    size_t nbindings;
    bool partial; /* outputs may be missing: only sizes are asked for */
    const ilex_storage **bound; /* per argument; NULL: a number */
    char (*cell)[IX_CELL];      /* per argument: the element that is a number */
    unsigned char *seen;        /* per argument: it has a binding */
    const char **value; /* per buffer: an element that goes by value, or NULL;
                           the array may be NULL */
    int *axis;          /* of all axes: the storage's axis */
    uint64_t order;     /* of what axes: layouts.c; 0: of C */
    int divided;        /* the place of the loop that threads divide */
    char *arguments;    /* room for those of a kernel */
    int64_t *status;    /* where kernels of CUDA say that a check failed:
                           IX_STATUS_WORDS numbers; NULL: they cannot */
    ix_workspace *workspace; /* checked out, or NULL */
    ilex_grid *grid;         /* that the run is over, or NULL */
    int threads;
    int device; /* engine_device.c */
    const struct ix_driver *driver;
    bool busy; /* something was launched since the last wait */
};

/* For messages: a list of names, cut where it gets too long. */
typedef struct ix_name_list {
    char s[200];
    size_t length;
} ix_name_list;
void ix_name_list_add(ix_name_list *l, const char *name, const char *more);

/* bind_names.c: finds the storage or the number of each argument. Binds
 * argument "i" to a number. */
ilex_status ix_bind_names(ix_run *r);
ilex_status ix_bind_number(ix_run *r, size_t i, const ilex_binding *x);

/* arguments.c: the argument called "name", or that binding number "place" is
 * for, which may have no name; narguments if there is none. */
size_t ix_find_argument(const ix_compiled *c, const char *name);
size_t ix_binding_argument(const ix_compiled *c, const ilex_binding *x,
                           size_t place);
/* Is it one that comes from a rank or goes to one? */
bool ix_is_message(const ix_compiled *c, size_t argument);

/* bind_sizes.c: can size "name" be given? */
ilex_status ix_check_size(ix_run *r, const char *name);
/* Records that the program has no size of that name (may be NULL). */
ilex_status ix_fail_no_size(const ix_run *r, const char *name);
/* The sizes that the call and the bindings give. */
ilex_status ix_bind_given(ix_run *r);

/* bind_box.c: the part of the outputs that the call asks for. */
ilex_status ix_bind_box(ix_run *r);
/* The sizes of all of them, without a call; of the part with these indices of
 * each axis of a grid. False on overflow. */
bool ix_box_whole(const ix_compiled *c, int64_t *size);
bool ix_box_ranges(const ix_compiled *c, const ilex_grid *grid,
                   const ix_index_box *part, int64_t *size);

/* Finds the storages by name and how they lie; then solves the sizes, checks
 * everything. Both. */
ilex_status ix_bind_arguments(ix_run *r);
ilex_status ix_bind_values(ix_run *r);
static inline ilex_status
ix_bind(ix_run *r)
{
    ilex_status rc = ix_bind_arguments(r);
    return rc ? rc : ix_bind_values(r);
}
/* Argument "i" is now "s", which differs from what was bound in its address. */
void ix_bind_move(ix_run *r, size_t i, const ilex_storage *s);

/* run.c: the block of memory that a run works with; NULL: no memory. The same,
 * into "*block", and everything bound, for the program that is for such arrays,
 * which is the run's then; of that is the block. Threads for a run whose
 * storages are bound. */
void *ix_run_block(ix_run *r);
ilex_status ix_run_bind(ix_run *r, void **block);
/* Binds and carries out. */
ilex_status ix_run_here(ix_run *r);
/* Gives a call, or NULL, the message of its run, which ended with "rc"; that.
 */
ilex_status ix_tell_call(ilex_call *call, ilex_status rc, const char *text);
int ix_run_threads(const ix_run *r);

/* ---- other.c: a run of another program ---- */

/* What it is given beside the sizes and the bindings of this run: arrays by
 * name, the numbers of steps by loop; NULL: none. */
typedef struct ix_other {
    const ilex_binding *binding;
    size_t n;
    const int64_t *step;
} ix_other;

/* The sizes that "p" wants, as those of the run are: its own storages may not
 * say them. NULL: no memory. */
ilex_size_binding *ix_other_sizes(const ix_run *r, const ilex_program *p,
                                  const int64_t *step, size_t *count);
/* A run of "p". The arrays of "*to" are to be given back, in both cases. */
ilex_status ix_other_begin(const ix_run *r, const ilex_program *p,
                           const ix_other *more, ix_run *to, ilex_call *call);
void ix_other_end(const ix_run *other);

/* evaluate.c: a storage for an argument of a run whose sizes are solved: on its
 * domain, with room for the most that may be counted. */
ilex_storage *ix_make_argument(ilex_context *ctx, const ix_run *r,
                               const ix_compiled_buffer *b);

/* ---- divided.c, ranks.c: runs over storages on a grid ---- */

/* The grid of the bindings, as a run's "grid"; NULL: none has one. */
ilex_grid *ix_ranks_grid(const ilex_binding *bindings, size_t count);

/* What axis "k" of a storage on a grid is for the sizes of a run: that of the
 * whole; once these are known, what this rank has. */
void ix_ranks_place(const ilex_storage *s, int k, int64_t *cover,
                    int64_t *inside);
void ix_ranks_localize(ix_run *r);

/* Are storages of one grid, and divided as their arguments are? Of a run in
 * sections no output may be an input, unless it has its place: one section
 * would write what another one reads. */
ilex_status ix_ranks_check(const ix_run *r);
ilex_status ix_ranks_check_places(const ix_run *r);

/* A run over ranks. */
ilex_status ix_ranks_run(ix_run *r);

/* overlap.c: the points of a rank's part that need no halo which is on its way,
 * and the boxes of the others, by axis of the grid. */
typedef struct ix_overlap {
    int n;
    ix_index_box box[2 * ILEX_MAX_RANK + 1];
} ix_overlap;
/* Is it worth it to compute them first, while the halos come, and can that be?
 * What waiting takes of a run that does not. */
bool ix_overlap_find(ix_run *r, const ix_halo *stale, size_t n, ix_overlap *o);
void ix_overlap_note(ilex_group *g, double waited, double took);
/* The sizes of the run become those for box "i"; false on overflow. */
bool ix_overlap_take(ix_run *r, const ix_overlap *o, int i);

/* reads.c: a program for parts, as "without" gives it, and what it means; the
 * one of all outputs, the sizes of a run, room for as many; what the program
 * means with these sizes, which begin() fills in. */
typedef struct ix_reading {
    ix_parts *parts;
    const ilex_program *(*without)(ix_parts *x, uint64_t outputs,
                                   ix_error *err);
    const uint8_t *hash;
    const ix_compiled *c;
    ilex_grid *grid;
    const int64_t *size;
    int64_t *work;
    uint64_t meaning[2];
} ix_reading;
void ix_reading_begin(ix_reading *x);
/* The outputs that have no points with these sizes along an axis of the grid:
 * as bits, and one behind the first 64; is it all? */
typedef struct ix_empty {
    uint64_t outputs;
    const ix_compiled_buffer *beyond; /* NULL: none */
    bool all;
} ix_empty;
ix_empty ix_reading_empty(const ix_compiled *c, const ilex_grid *grid,
                          const int64_t *size);
/* The size that is called "name", of those that are given; -1: there is none.
 */
int64_t ix_reading_size(const ix_compiled *c, const int64_t *size,
                        const char *name);
/* How far around their parts ranks read argument "i", per axis of the program,
 * which goes over "whole". */
ilex_status ix_reading_widths(const ix_reading *x, size_t i,
                              const ix_index_box *whole, ix_index_box *width,
                              ix_error *err);
/* The same of argument "i" where it is on its own domain. */
ilex_status ix_reading_halo(const ix_reading *x, size_t i, ix_index_box *width,
                            ix_error *err);
/* Is that more than a part, along some axis? */
bool ix_reading_is_far(const ix_reading *x, size_t i,
                       const ix_index_box *width);
/* sections.c: a program in sections, or in one, with the values of sizes for
 * each; the arrays that are sent, bound by their names. */
typedef struct ix_sections {
    size_t n;
    ilex_grid *grid; /* of what is sent and of runs: ix_grid_open */
    const ilex_program *program[IX_SECTIONS];
    ix_reading reads[IX_SECTIONS];
    int64_t *size[IX_SECTIONS];
    ilex_binding *sent;
    size_t nsent;
    struct ix_sections_kept *kept; /* sections.c */
    const ix_section_list *list;   /* NULL: in one */
    int64_t step[IX_SECTION_LOOPS];
} ix_sections;
/* The names of the axes that a grid divides, with commas, into "text". */
enum { IX_AXES_TEXT = ILEX_MAX_RANK * IX_GRID_NAME };
void ix_sections_axes(const ilex_grid *grid, char *text);
/* Adds the axes of chunks that arguments have to the grid of sections. */
bool ix_sections_chunks(ilex_grid *open, const ix_compiled *c);
/* Finds or makes storages for what is sent, which the grid of a run keeps. */
ilex_status ix_sections_begin(ix_sections *s, ilex_grid *grid, ix_error *err);
/* How wide the halo of argument "name" is to be for all sections. */
ilex_status ix_sections_halo(const ix_sections *s, const char *name,
                             ix_index_box *width, ix_error *err);
/* Is section "k" one of places that need not be found again? "part" is a run of
 * it. Before it runs, what it reads of lists comes from the others. */
bool ix_sections_same(const ix_sections *s, size_t k, const ix_run *part);
ilex_status ix_sections_lists(const ix_sections *s, size_t k, ix_error *err);
/* Section "k" has run: what it sends is new. */
void ix_sections_written(const ix_sections *s, size_t k);
/* How many steps loop "l" has; after one of them: what it made is what the next
 * one finds, and is it the last? */
int64_t ix_sections_steps(const ix_sections *s, int l);
bool ix_sections_turn(ix_sections *s, int l);
void ix_sections_end(ix_sections *s, const ix_mem *mem);
/* ranks.c: fills in an empty one for what "p" runs as over ranks of the grid,
 * in one, or in sections; "s" is to be ended also after an error. */
ilex_status ix_ranks_open(ix_sections *s, const ilex_program *p,
                          ilex_grid *grid, bool in_one,
                          const ilex_size_binding *sizes, size_t count,
                          ix_error *err);

/* Values by size, the least and behind them the most that those are which are
 * counted; NULL when there is no memory or one is missing. */
int64_t *ix_program_sizes(const ilex_program *p, const ilex_size_binding *sizes,
                          size_t count);

/* eval.c: an expression on storages; "exact": a program for their lengths
 * alone. */
typedef struct ix_eval {
    const char *text;
    bool exact;
} ix_eval;
ilex_storage *ix_evaluate(ilex_context *ctx, const ix_eval *what,
                          const ilex_binding *bindings, size_t count);

/* kept.c: the program that is kept under a key, with a count for the caller;
 * NULL if there is none. Keeps one; without memory it is not kept. The one that
 * was used last, for tests. Any thread. */
ilex_program *ix_kept_program(const char *key);
void ix_keep_program(const char *key, ilex_program *p);
const ilex_program *ix_kept_last(void);

/* ---- the text of a run: checks.c, walk.c ----
 *
 * Statuses are ilex_status. */

static inline ix_run *
ix_run_of(const ix_state *s)
{
    return (ix_run *)(uintptr_t)s;
}

/* Tells the caller that so many steps are made, "before" of them some time ago;
 * ILEX_E_CANCELLED where it wants no more. */
ilex_status ix_call_progress(const ilex_call *call, int64_t before,
                             int64_t made);

int ix_fail_run(const ix_state *s, int code, const char *format, ...)
    IX_PRINTF(3, 4);

/* The least and the most that a form is for sizes in their ranges; false on
 * overflow. The values of all forms of a run, which solving finds as well. */
int ix_extreme(const ix_tables *t, const int64_t *least, const int64_t *size,
               int form, int most, int64_t *value);
void ix_evaluate_forms(ix_state *s);

/* All sizes from the shapes and those that are given. */
int ix_solve_sizes(ix_state *s);
int ix_check_given(const ix_state *s, const char *name, int64_t value);

/* Sizes that a run counts: the most into "size", 0 into "least"; then what is
 * computed from sizes. Only that. The first that leaves 64 bits, or -1. */
int ix_open_sizes(const ix_tables *t, int64_t *least, int64_t *size);
int ix_derive_sizes(const ix_tables *t, int64_t *size);

/* Everything that can be said before the program runs; now that s->phase sizes
 * are counted, and not before; of memory that two arrays share. */
int ix_check_arguments(ix_state *s);
int ix_check_phase(const ix_state *s);
int ix_check_overlap(const ix_state *s);

/* Bytes of the workspace for sizes in their ranges, -1 on overflow; where its
 * slots begin. */
int64_t ix_slots_bytes(const ix_tables *t, int64_t parts, const int64_t *least,
                       const int64_t *size, int64_t *offset);
/* Records that an integer that is data is outside of its range. */
int ix_fail_outside(const ix_state *s, const ix_local *found);
int ix_fail_status(const ix_state *s, const int64_t *status);

/* ---- walk.c, pack.c: carrying out ---- */

/* Carries out the steps of a program whose arguments are bound. What binding
 * found stays as it is, but for the sizes that are counted: where none are, the
 * same run may be carried out again. */
ilex_status ix_run_steps(ix_run *r);

/* The arguments of a kernel, "l->bytes" bytes. */
void ix_pack_arguments(const ix_run *r, const ix_kernel_layout *l, char *to);

/* Bytes of the longest, of kernels of a dialect (-1: none). */
size_t ix_most_arguments(const ix_compiled *c, int dialect);

bool ix_range_eval(const ix_range *range, const int64_t *size, int64_t *lo,
                   int64_t *hi);

/* ---- status memory of devices: engine_device.c ---- */

/* Status memory: the key of the first failure, before a launch larger than any;
 * its values; a lock, which is free. */
enum { IX_STATUS_WORDS = 6 };
#define IX_STATUS_BEFORE                                                       \
    {                                                                          \
        -1, -1, -1, -1, -1, -1                                                 \
    }

/* ---- call.c: functions of the host ---- */

/* Finds the functions that a program calls; false after an error. */
bool ix_link_functions(ilex_context *ctx, ilex_program *p);

/* routine.c: calls a routine of the library with such arrays. */
ilex_status ix_run_routine(ix_run *r, const ix_compiled_call *c);

/* Makes call "i" with the arrays that the run shows (ix_state.given). */
ilex_status ix_run_call(ix_run *r, size_t i);

/* ---- graphviz.c ---- */

/* Appends where Graphviz puts the boxes of a graph in DOT, as "plain"; nothing
 * where there is no Graphviz, or it fails. */
void ix_graphviz(const char *dot, ix_text *plain);

/* ---- reference.c ---- */

/* Evaluates bytecode "i" at every point of its box. */
ilex_status ix_reference_evaluate(ix_run *r, size_t i);

#endif
