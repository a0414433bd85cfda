/* SPDX-License-Identifier: MIT
 *
 * The context: one family of arrays with everything they share. It interns
 * symbols, linear forms, domains and nodes, holds size parameters and
 * assumptions, options, scopes, the log and the first error.
 */
#ifndef ILEX_LIB_CONTEXT_H
#define ILEX_LIB_CONTEXT_H

#include <stdatomic.h>

#include "lib/base/errors.h"
#include "lib/base/table.h"

typedef enum ix_option {
#define IX_OPTION(name, value, choices, meaning) IX_OPTION_##name,
#include "lib/graph/options.def"
    IX_NOPTIONS
} ix_option;

typedef struct ix_option_row {
    const char *name, *value, *choices, *meaning;
} ix_option_row;
extern const ix_option_row ix_option_rows[IX_NOPTIONS];

/* An interned string: axis names, parameter names, input names. */
typedef struct ix_symbol {
    uint64_t hash;
    int32_t id;
    char text[];
} ix_symbol;

struct ix_lin;
struct ix_domain;
struct ix_affine; /* isl's side, lib/shape/affine.c */

struct ix_env; /* a set of assumptions, lib/graph/env.h; NULL: none */

/* A size parameter, or what is computed from some, a product or the least or
 * largest of forms, which has a parameter of its own so that forms stay linear.
 */
enum { IX_DEGREE = 4 }; /* sizes in a product */
enum { IX_ARMS = 8 };   /* forms in a min or max */
typedef struct ix_param {
    int32_t symbol;
    int32_t key;                       /* symbol: what it is known by where a
                                          name is not enough */
    int32_t floor;                     /* its least value in the ranges that a
                                          question is about: ix_frame_enter */
    int32_t degree, factor[IX_DEGREE]; /* ascending; of a size, itself */
    struct ilex_array *mask; /* its value is the number of true elements of
                                this array, found out by the run; or NULL */
    const struct ix_domain *steps; /* its value is the number of the step, from
                                      0 on, that a loop is at, which runs over
                                      this range; or NULL */
    struct ilex_array *loop;       /* of a step: a loop that has it, or NULL */
    int nloops;                    /* how many there are in the context */
    bool varies; /* it was the number of a step: another one in other runs */
    const struct ix_lin *from; /* of a step: text of C calls this plus the value
                                  by the name, until the loop closes; or NULL */
    const struct ix_lin *arm[IX_ARMS]; /* its value is the least of these, the
                                          largest if "largest", divided by
                                          "divisor", rounded up */
    int narms;                         /* 0: it is not computed from forms */
    bool largest;
    int64_t divisor;
    const struct ix_assumption
        *bound; /* of a counted size: it is no more than there are; of a step:
                   it is one of those that a loop makes */
    const struct ix_env *rests; /* that, and what the mask rests on */
} ix_param;

/* A place in the source: a word of "length" bytes; line 0: none. */
typedef struct ix_location {
    int32_t file; /* symbol */
    int line, column, length;
} ix_location;

/* Where the next error is; line 0: not known. */
typedef struct ix_error_place {
    const char *file; /* NULL: none; a symbol of the context */
    int line, column;
} ix_error_place;

/* An open scope: where its records start, what was assumed and could be named
 * around it. */
typedef struct ix_scope {
    size_t start;
    const struct ix_env *in_force;
    size_t first_counted, ncounted;
} ix_scope;

/* What is left of a context that has ended, while users hold objects of it. */
typedef struct ix_remains {
    ix_mem mem;
    size_t count; /* these objects, and the context until it has ended */
} ix_remains;

/* Three-valued answer of a proof. */
typedef enum ix_tri { IX_NO, IX_YES, IX_UNKNOWN } ix_tri;

struct ilex_context {
    ix_mem mem;       /* of what dies with the context: records failures, so
                         that nobody else has to */
    ix_mem host;      /* the user's allocator: of what outlives the context */
    ix_error error;   /* the first */
    ix_errors errors; /* those after it */
    ix_error_place location;
    ix_location place; /* where arrays are made from now on */
    /* what the indices of the lambda that is made are called, symbols; NULL: as
     * its axes */
    const int32_t *called;
    void (*log)(void *user, ilex_level level, const char *text);
    void *log_user;
    char *option[IX_NOPTIONS];   /* NULL: default */
    int64_t number[IX_NOPTIONS]; /* what the text says, if it is one */

    ix_table symbols, lins, domains, nodes;
    ix_table assumptions, envs, known; /* "known": lib/shape/proof.c */
    ix_symbol **symbol;
    size_t nsymbols, symbol_capacity;
    ix_param *param;
    size_t nparams, param_capacity;
    /* see lib/graph/env.h */
    const struct ix_env *in_force, *facts, *proof;
    /* see lib/graph/counted.h */
    const struct ix_env *bounds;
    bool any_counted;
    int32_t *counted; /* a stack of parameters; from "first_counted" on they
                         can be named */
    size_t first_counted, ncounted, counted_capacity;
    /* Do the facts leave any size, if "known" does? lib/shape/affine.c */
    ix_tri (*possible)(ilex_context *ctx, const struct ix_env *known);
    struct ix_affine *affine; /* made on first use */
    ix_table *proven;         /* lib/shape/proven.c; NULL: nothing is kept */
    size_t leaked; /* contexts of isl that were lost with all in them */

    ilex_array *poison;
    ilex_array **scoped; /* arrays recorded by scopes, oldest first */
    size_t nscoped, scoped_capacity;
    ix_scope *scope; /* those that are open */
    size_t nscopes, scope_capacity;
    _Atomic(ilex_array *) later; /* dropped by other threads */
    ix_remains *remains;         /* what will be left */
    struct ilex_module *modules; /* all, a list */
    void (*modules_end)(ilex_context *ctx);
    ix_table annotations;           /* lib/graph/annotation.c */
    struct ix_user_data *orphans;   /* whose node has died */
    int64_t serial;                 /* of data leaves */
    struct ix_registered *function; /* lib/graph/function.c */
    size_t nfunctions, function_capacity;
    void **temporary; /* storages of scopes, oldest first; the runtime's */
    size_t ntemporaries, temporary_capacity;
    void (*temporaries_free)(ilex_context *ctx);
};

/* Called when the last context has ended; set by the runtime, or NULL. */
extern _Atomic(void (*)(void)) ix_context_last;

ix_error *ix_context_error(ilex_context *ctx);

/* The user's allocator, for objects that outlive the context; the default one
 * when "ctx" is NULL. Failures of ctx->mem are recorded as errors, of this one
 * not. */
const ix_mem *ix_context_mem(ilex_context *ctx);

/* Records an error with the context's current location, beside those before;
 * returns poison. */
ilex_array *ix_poison(ilex_context *ctx, const char *operation, int operand,
                      ilex_status code, const char *fmt, ...) IX_PRINTF(5, 6);
/* The same for functions that return whether they could. */
#define ix_poison_false(...) ((void)ix_poison(__VA_ARGS__), false)

/* Reports that operand "x" is NULL, or that it belongs to another context;
 * "fmt" names it. */
ilex_array *ix_poison_stranger(ilex_context *ctx, const char *operation,
                               int operand, const ilex_array *x,
                               const char *fmt, ...) IX_PRINTF(5, 6);

/* Poison for an error that is recorded already, or for a poison operand whose
 * error was cleared. */
ilex_array *ix_poison_again(ilex_context *ctx);

/* Symbol of a string, -1 when there is no memory; its text. Symbol 0 is "". */
int32_t ix_symbol_of(ilex_context *ctx, const char *text, size_t length);
const char *ix_symbol_text(const ilex_context *ctx, int32_t symbol);

/* Is "text" an identifier that users may define? Explains in the error. */
bool ix_name_check(ix_error *err, const char *what, const char *text,
                   size_t length);

/* Defaults, and ILEX_<NAME> of every option; a bad value is an error of the
 * context. */
void ix_options_read(ilex_context *ctx);
/* Value of an option. */
const char *ix_option_text(const ilex_context *ctx, ix_option option);
int64_t ix_option_int(const ilex_context *ctx, ix_option option);
/* The context compiles another program than its options are for: directives of
 * a schedule are about that one's loops. */
void ix_options_elsewhere(ilex_context *ctx);
/* Appends those that are not as they are by default, to tell programs apart. */
struct ix_text;
void ix_options_key(const ilex_context *ctx, struct ix_text *t);

void ix_log(ilex_context *ctx, ilex_level level, const char *fmt, ...)
    IX_PRINTF(3, 4);

/* lib/graph/keep.c: with one count, NULL without memory; frees an object that
 * was held beyond the end, or NULL, and gives its count back. Any thread. */
ix_remains *ix_remains_new(const ix_mem *mem);
void ix_remains_let_go(ix_remains *r, void *husk);

/* lib/graph/scope.c */
bool ix_scope_record_array(ilex_context *ctx, ilex_array *n);
void ix_scope_free(ilex_context *ctx);

#endif
