/* SPDX-License-Identifier: MIT
 *
 * Random programs, run by every back end over guarded storages, compared bit
 * for bit.
 *
 * A recipe is a program as data: steps that name their operands and carry a
 * seed, so that it can be built in any context, printed by its number and
 * shrunk. diff_random.c draws numbers; diff_recipe.c makes recipes of the
 * steps of kinds.def; diff_leaves.c, diff_nodes.c, diff_calls.c, diff_maps.c
 * and others build steps; diff_buffers.c makes storages with guards and
 * poison; diff_run.c runs many recipes as one program on each back end and
 * diff_once.c compares what came out; cuda_shim.c lets the C compiler build
 * CUDA source; diff_shrink.c makes a failing recipe small;
 * diff_range.c and differential_main.c go through the numbers in processes of
 * their own, so that a crash is one more failure.
 */
#ifndef ILEX_TESTS_DIFFERENTIAL_H
#define ILEX_TESTS_DIFFERENTIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ilex.h"
#include "lib/build/build.h"

/* ---- diff_random.c ---- */

typedef struct diff_random {
    uint64_t state;
} diff_random;

/* A generator for three numbers; equal numbers, equal sequence. */
diff_random diff_random_of(uint64_t a, uint64_t b, uint64_t c);
uint64_t diff_bits(diff_random *r);
/* 0 ... n-1 */
int diff_draw(diff_random *r, int n);
/* low ... high */
int diff_between(diff_random *r, int low, int high);
bool diff_chance(diff_random *r, int percent);
/* Writes one random element; "style" 0: small numbers, 1: any, 2: special. */
void diff_element(diff_random *r, ilex_dtype dtype, int style, void *element);
/* Puts bindings into an order that depends on the seed. */
void diff_shuffle(ilex_binding *b, size_t n, int seed);

/* ---- sizes: shared by the recipes of a group ---- */

enum { DIFF_PARAMS = 3, DIFF_GROUP = 120 };

/* Values of the parameters n, m, k, all of them assumed to be >= least. */
typedef struct diff_sizes {
    int64_t least;
    int64_t value[DIFF_PARAMS];
} diff_sizes;

diff_sizes diff_sizes_of(uint64_t seed, uint64_t group);
/* Whoever cannot say what a loop of the program gives, or tell two of one form
 * apart, draws programs without. */
extern bool diff_draws_loops;

extern const char *const diff_param_names[DIFF_PARAMS];

/* ---- recipes ---- */

typedef enum diff_kind {
#define DIFF_KIND(name, operands, unnamed, named) DIFF_##name,
#include "tests/differential/kinds.def"
    DIFF_KINDS
} diff_kind;

enum { DIFF_STEPS = 24, DIFF_OUTPUTS = 3, DIFF_OPERANDS = 3 };

typedef struct diff_step {
    diff_kind kind;
    int arg[DIFF_OPERANDS]; /* earlier steps */
    uint64_t seed;
} diff_step;

typedef struct diff_output {
    int step;
    int inplace; /* step of an input, or -1 */
} diff_output;

/* Of a seed: all of its programs have named axes and regions. */
#define DIFF_REGIONS ((uint64_t)1 << 63)

typedef struct diff_recipe {
    uint64_t seed, number; /* where it comes from */
    diff_sizes sizes;
    int nsteps, noutputs;
    diff_step step[DIFF_STEPS];
    diff_output output[DIFF_OUTPUTS];
} diff_recipe;

/* A range of an axis: lo ... k*param + c; param -1: constant. */
typedef struct diff_extent {
    int64_t lo;
    int param;
    int64_t k, c;
} diff_extent;

/* What the steps of one recipe have in common. */
enum { DIFF_POOL = 4 };
typedef struct diff_pool {
    bool named;
    bool regions; /* steps of diff_regions.c are drawn */
    bool large;   /* the last extent exceeds a chunk of a reduction */
    diff_extent extent[DIFF_POOL];
} diff_pool;

/* Where a recipe is built: "slot" tells apart recipes of one program. */
typedef struct diff_shop {
    ilex_context *ctx;
    const diff_recipe *recipe;
    diff_pool pool;
    int slot, step;
    ilex_array *array[DIFF_STEPS];
} diff_shop;

/* Sizes and assumptions of a context that recipes are built in. */
bool diff_context_prepare(ilex_context *ctx, const diff_sizes *sizes);

/* Registers the functions of numbers that programs call (diff_foreign.c); these
 * in C. */
bool diff_foreign_register(ilex_context *ctx);
extern const char diff_foreign_source[];

/* Builds all steps; false if one is poison (the error is in the context). */
bool diff_recipe_build(diff_shop *shop, ilex_context *ctx,
                       const diff_recipe *recipe, int slot);
/* Builds step "i"; NULL if it does not apply to its operands. */
ilex_array *diff_step_build(diff_shop *shop, int i);
/* x where it is both defined and known, what an output of it is; NULL where
 * that is nothing. */
ilex_array *diff_known(const diff_shop *shop, ilex_array *x);
/* Adds the outputs to a module under the names that bindings use. */
ilex_status diff_recipe_outputs(const diff_shop *shop, ilex_module *module);

/* Whether the recipe lets an output take the place of this input; programs
 * may decline. */
bool diff_is_inplace(const diff_recipe *recipe, const char *name);

/* Errors that mean "not with these operands". */
bool diff_is_refusal(ilex_status rc);

/* The recipe with this number; false if Ilex refuses to compile it. */
bool diff_recipe_make(diff_recipe *recipe, uint64_t seed, uint64_t number);
/* The same without a compiler: a graph that was built, whatever its domains. */
bool diff_recipe_draft(diff_recipe *recipe, uint64_t seed, uint64_t number);
/* Removes the steps that no output needs. */
void diff_recipe_compact(diff_recipe *recipe);
/* The program as text (or, where there is none, its steps). */
void diff_recipe_print(const diff_recipe *recipe, FILE *to);

/* ---- steps ---- */

#define DIFF_KIND(name, operands, unnamed, named)                              \
    ilex_array *diff_build_##name(diff_shop *shop, diff_random *r,             \
                                  ilex_array *const *x);
#include "tests/differential/kinds.def"

int diff_operands(diff_kind kind);
void diff_extent_text(const diff_extent *e, bool named, const char *axis,
                      char *text, size_t size);
/* [lo, hi) of an axis for the recipe's sizes; false if it is unbounded. */
bool diff_axis_range(const diff_shop *shop, const ix_axis *ax, int64_t *lo,
                     int64_t *hi);
/* Does the length depend on what a run counts? */
bool diff_is_counted(const diff_shop *shop, const ix_axis *ax);
/* Elements of a domain, at most; -1 if it is unbounded. */
int64_t diff_domain_count(const diff_shop *shop, const ix_domain *dom);

/* The update, or one that combines, of operands as an update has them. */
ilex_array *diff_random_update(ilex_context *ctx, diff_random *r,
                               ilex_array *const *operands);

/* Do reductions over "box" at each point of "dom" take a second at most? Long
 * axes are there for their chunks, not to be squared. */
bool diff_is_quick(const diff_shop *shop, const ix_domain *dom,
                   const ix_domain *box);

/* ---- storages ---- */

/* One argument of a run. */
typedef struct diff_buffer {
    int slot; /* of the recipe that it belongs to */
    bool output;
    int shares; /* argument whose memory it uses, or -1 */
    ilex_dtype dtype;
    int rank;
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK]; /* interior */
    int64_t box[ILEX_MAX_RANK][2];                /* read or written */
    int64_t first[ILEX_MAX_RANK];  /* program index of the storage's index 0 */
    int64_t stride[ILEX_MAX_RANK]; /* by the program's axes */
    unsigned char *block;          /* the memory with its guards */
    unsigned char *before;         /* a copy of it from before the run */
    int pages; /* that nothing may touch: 1: before it, 2: behind it */
    size_t bytes;
    unsigned char *origin; /* element of the storage's index 0, ..., 0 */
    ilex_storage *storage;
} diff_buffer;

/* Memory between two pages that nothing may touch, which it ends at, "high", or
 * begins at. */
void *diff_pages_new(size_t bytes, bool high);
void diff_pages_free(void *block, size_t bytes, bool high);

/* Makes the storage of argument "i" of the program: contents depend on
 * "content", layout and poison also on "variant". "written": some output
 * shares its memory; "shared": the input whose memory it shares, or NULL. */
bool diff_buffer_make(diff_buffer *b, ilex_context *ctx, const ilex_program *p,
                      size_t i, const ilex_size_binding *sizes, size_t nsizes,
                      uint64_t content, int variant, bool written,
                      diff_buffer *shared);
void diff_buffer_free(diff_buffer *b);
/* After a run: an output's domain, by the sizes it counted as well. */
void diff_buffer_shrink(diff_buffer *b, const ilex_program *p, size_t i,
                        const ilex_size_binding *sizes, size_t count);
/* Copies what a run may change; to be called before it. */
void diff_buffer_arm(diff_buffer *b);
/* Whether only the domain of the output "mine" (NULL: nothing) changed. */
bool diff_buffer_intact(const diff_buffer *b, const diff_buffer *mine);
/* What else changed in the memory of argument "i" of "n", or NULL: outside of
 * the domain of the output that has it. */
const char *diff_buffer_changed(const diff_buffer *b, size_t n, size_t i);
/* Elements of the interior in C order with all NaN alike, owned by the
 * caller. */
unsigned char *diff_buffer_take(const diff_buffer *b, size_t *bytes);

/* "element 3 of 5 of c0_y1 : f64 is 0x..., reference 0x...", of elements that
 * differ somewhere. */
void diff_buffer_difference(const diff_buffer *b, const char *name,
                            const unsigned char *got, const unsigned char *want,
                            size_t bytes, char *what, size_t size);

/* What the program counts, *n, with the sizes behind; owned by the caller. */
ilex_size_binding *diff_counted(const ilex_program *p,
                                const ilex_size_binding *sizes, size_t *n);

/* Points of one axis: what a run of a part computes of the outputs. */
typedef struct diff_part {
    const char *axis;
    int64_t lo, hi;
} diff_part;

/* Makes the interior the part of it; false if it has no such axis ("axis":
 * names of all). */
bool diff_buffer_cut(diff_buffer *b, const char *const *axis,
                     const diff_part *part);
/* Bytes of the interior's elements. */
size_t diff_buffer_bytes(const diff_buffer *b);
/* The elements of a part from those of the whole, both as diff_buffer_take
 * gives them; owned by the caller. */
unsigned char *diff_buffer_pick(const diff_buffer *whole,
                                const unsigned char *bytes,
                                const diff_buffer *part);

/* ---- running ---- */

typedef struct diff_verdict {
    bool failed;
    char text[1000];
} diff_verdict;

typedef struct diff_options {
    bool tcc, cc, cuda, nvrtc;
    const char *cflags; /* for cc, or NULL */
    const char *shim; /* for cc where it compiles the shim; NULL: TinyCC does */
    bool device;      /* jit=nvrtc on a GPU */
} diff_options;

/* What was done, for the summary. */
typedef struct diff_totals {
    int64_t programs, outputs, kernels, elements, refused, ptx;
    double seconds[4]; /* reference, tcc, cc, cuda: compiling */
} diff_totals;

/* Builds the recipes as one program, runs it everywhere, compares. */
void diff_run(const diff_recipe *recipes, int count, const diff_options *o,
              diff_verdict *verdicts, diff_totals *totals);

/* Numbers first ... first+count-1 in a process of its own. */
void diff_range_run(uint64_t seed, uint64_t first, int count,
                    const diff_options *o, diff_verdict *verdicts,
                    diff_totals *totals);
/* One recipe in a process of its own. */
bool diff_fails(const diff_recipe *recipe, const diff_options *o,
                diff_verdict *verdict);
/* Memory that child processes share. */
void *diff_shared_memory(size_t bytes);

/* Makes a failing recipe smaller; "verdict" is what the small one does. */
void diff_shrink(diff_recipe *recipe, const diff_options *o,
                 diff_verdict *verdict);

#endif
