/* SPDX-License-Identifier: MIT
 *
 * An interpreter of the level TREE, for tests: it runs the kernels of a unit
 * after any pass from `nest` on, whether statements hold whole expressions with
 * reductions or one operation each. It shares with the compiler the meaning of
 * operators, nothing of how statements are made or printed.
 *
 * It is strict where generated code would go on: an element of a buffer that
 * was never written is not read, nothing outside a buffer's box or a scratch's
 * extent is touched, a value is not used out of its block. Loops whose
 * iterations are said to be independent run in another order. What is poison,
 * memory of a kernel's own that nothing wrote, an element of an input that the
 * reference does not read, and all that is computed from it, may be kept, but
 * is no index, bound, condition or element of an output.
 *
 * interpret.c runs statements, evaluate.c expressions.
 */
#ifndef ILEX_TESTS_INTERPRET_H
#define ILEX_TESTS_INTERPRET_H

#include <setjmp.h>

#include "compiler/tree/tree.h"

/* Of an element. */
typedef enum tree_state {
    TREE_UNWRITTEN,
    TREE_POISON,
    TREE_KNOWN /* given, or written */
} tree_state;

/* Memory of a buffer. Elements lie in C order over [first, last), which
 * contains the box [lo, hi) that may be touched: an output in place of an input
 * uses the input's elements. */
typedef struct tree_memory {
    ilex_dtype dtype;
    int rank;
    int64_t lo[ILEX_MAX_RANK], hi[ILEX_MAX_RANK];
    int64_t first[ILEX_MAX_RANK], last[ILEX_MAX_RANK];
    ix_value *element;
    tree_state *state;
} tree_memory;

/* The element at "index", -1 if it is outside [lo, hi). */
int64_t tree_memory_at(const tree_memory *b, const int64_t *index);

/* The next index of a box in C order; false after the last. Has it none? */
bool tree_next_index(int rank, const int64_t *lo, const int64_t *hi,
                     int64_t *index);
bool tree_is_empty(int rank, const int64_t *lo, const int64_t *hi);

/* Is buffer "at" an output that takes the place of input "input"? */
bool tree_shares(const ix_unit *u, size_t at, int input);
/* Makes room in "m" for the box of another; for all elements it has to have. */
void tree_join_box(tree_memory *m, const tree_memory *other);
void tree_make_elements(tree_memory *m);
/* Of all buffers: outputs in place get the input's. */
void tree_share_memory(const ix_unit *u, tree_memory *m);
void tree_free_memory(const ix_unit *u, tree_memory *m, bool shared);

typedef struct tree_run {
    ix_unit *u;
    const int64_t *size; /* of all parameters */
    tree_memory *memory; /* of all buffers */
    uint64_t seed;       /* of the order of independent iterations */
    int64_t budget;      /* evaluations that may still be done */
    ix_kernel *own;      /* what is run of each kernel */
    /* after a failure: */
    bool exhausted; /* it was the budget */
    const ix_kernel *kernel;
    char failure[500];
} tree_run;

/* Of every other run, kernels get clones of their statements, as good as what
 * they were made of; sizes that these need may be new. */
void tree_prepare(tree_run *r);
/* Runs all kernels; false after a failure. */
bool tree_interpret(tree_run *r);

/* calls.c: makes calls up to "end", before kernel "k"; false after a failure.
 */
bool tree_make_calls(tree_run *r, const ix_kernel *k, int *made, int end);

/* ---- between interpret.c and evaluate.c ---- */

/* What a LET, ROW or SCRATCH statement defined. */
typedef struct tree_slot {
    bool defined;
    ix_scratch_kind kind; /* if "extent" is not 0 */
    ilex_dtype dtype;
    int64_t extent;   /* elements of scratch */
    ix_value value;   /* LET */
    bool poison;      /* LET */
    int64_t *row;     /* ROW: the index of its element */
    ix_value *memory; /* SCRATCH */
    bool *known;      /* SCRATCH: written */
    int64_t capacity;
} tree_slot;

typedef struct tree_machine {
    tree_run *r;
    const ix_kernel *k;  /* whose statements these are */
    const ix_kernel *of; /* that is run with them */
    const ix_stmt *stmt; /* that is being run */
    bool poison;         /* the statement's value, as far as it is computed */
    int *buffer, *size; /* of the kernel that is run, for those in statements */
    bool *writes;       /* buffers that the statements write */
    int64_t begin, end;
    tree_slot *slot;
    int64_t *variable;
    bool *has_variable;
    int loops;      /* around the statement, but those over threads */
    unsigned along; /* which dimensions of a grid these are along, a bit each */
    int64_t rindex[16 * ILEX_MAX_RANK];
    bool has_rindex[16 * ILEX_MAX_RANK];
    /* Values of nodes, by number; valid if stamped with the epoch: one for each
     * statement that is run, and for each element of a reduction. */
    ix_mem mem;
    ix_map number;
    struct tree_memo {
        ix_value value;
        bool poison;
        uint64_t stamp;
    } * memo;
    uint64_t epoch, last_epoch;
    size_t capacity;
    jmp_buf failed;
} tree_machine;

_Noreturn void tree_fail(tree_machine *m, const char *fmt, ...) IX_PRINTF(2, 3);
/* One step more; fails after too many. */
void tree_charge(tree_machine *m);
/* The value of an expression, as of now; if that may not be poison. */
ix_value tree_evaluate(tree_machine *m, const ilex_array *x);
ix_value tree_decide(tree_machine *m, const ilex_array *x);
/* op(sum, x) as of now; a product is added by fused multiply-adds. */
ix_value tree_update(tree_machine *m, ix_op op, const ilex_array *x,
                     ix_value sum);
/* An element of a buffer that is read. */
ix_value tree_load(tree_machine *m, int buffer, const int64_t *index);
/* Fails for an element outside its buffer. */
_Noreturn void tree_outside(tree_machine *m, int buffer, const int64_t *index);
void *tree_allocate(size_t n, size_t bytes);

/* Fails unless lo <= v < hi: an index that is data. */
void tree_check(tree_machine *m, int64_t v, int64_t lo, int64_t hi);

/* op(a, b) */
ix_value tree_combine(ix_op op, ilex_dtype dtype, ix_value a, ix_value b);

#endif
