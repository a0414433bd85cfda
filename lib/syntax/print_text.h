/* SPDX-License-Identifier: MIT
 *
 * What the printer's files share: the graph in printing order with a form and
 * a name for every array, and the writer of scalar expressions.
 */
#ifndef ILEX_LIB_PRINT_TEXT_H
#define ILEX_LIB_PRINT_TEXT_H

#include "lib/graph/order.h"
#include "lib/graph/repeats.h"
#include "lib/syntax/print.h"

/* How an array is written. */
typedef enum ix_written_as {
    IX_AS_INPUT, /* by a name it has; no statement of its own */
    IX_AS_LET,   /* let t = expr; the expression may be inlined */
    IX_AS_TYPED, /* let t : type = expr */
    IX_AS_MAP,   /* map t[...] = body */
    IX_AS_NODE   /* einsum, reshape, scan, node */
} ix_written_as;

typedef struct ix_item {
    ilex_array *node;
    uint32_t uses;  /* by operands of others and outputs */
    int32_t temp;   /* t<temp>; -1: none */
    int32_t symbol; /* of an input, 0: none */
    int32_t label;  /* symbol of the source's name, if wanted; 0: none */
    uint8_t as;     /* ix_written_as */
    uint8_t depth;  /* of inlined expressions below it */
    bool named;     /* a statement of its own */
} ix_item;

typedef struct ix_printer {
    ilex_context *ctx;
    ilex_module *module;
    ix_text *t;
    ix_order order;
    ix_repeats repeats; /* loops, whose bodies stand together in the order */
    ix_item *item;      /* of each array, in that order */
    size_t n;
    int32_t next_temp;
    bool labels;      /* arrays have the names that the source gave them */
    bool given_temps; /* some input or output is called t0, t1, ... */
    bool *param;      /* which sizes occur */
    size_t nparams;
    int32_t *counted; /* the sizes that are counted, in order */
    int32_t ncounted, next_counted;
    ilex_status status;
} ix_printer;

/* How names are written inside an expression. */
typedef enum ix_write_mode {
    IX_WRITE_FIELD, /* field expression; operands by name or inlined */
    IX_WRITE_TRIAL, /* field expression; operands _in0, _in1, ... */
    IX_WRITE_MAP,   /* body of a map; operands by name */
    IX_WRITE_SLOTS, /* body of a map; operands _in0, _in1, ... */
    IX_WRITE_DUMP   /* as _SLOTS, indices _0, _1, ... */
} ix_write_mode;

/* Operations and operands in the text of one body. */
enum { IX_WRITE_BUDGET = 1 << 16 };

/* Writer of one scalar expression. */
typedef struct ix_writer {
    ilex_context *ctx;
    ix_printer *printer; /* NULL in dumps */
    ix_write_mode mode;
    ilex_array *lambda; /* whose body it is; NULL: a scalar by itself */
    int result;         /* of a scan: which body */
    const int *operand; /* in dumps: numbers of the operands; NULL: slots */
    ix_text *t;
    int budget, depth;
    bool failed; /* not expressible in this mode, or too large */
    bool bare;   /* a constant by itself needs no dtype */
    bool tight;  /* inside brackets, where sums have no blanks */
} ix_writer;

/* Writes "n"; in parentheses if it binds weaker than "precedence". */
void ix_write_scalar(ix_writer *w, const ilex_array *n, int precedence);

/* Writes the field expression of a lambda or scalar: operators, shifts,
 * reductions. "w->failed" when there is none. */
void ix_write_field(ix_writer *w, const ilex_array *n, int precedence);

/* The operand array of a load; NULL in dumps. */
ilex_array *ix_write_operand_of(const ix_writer *w, const ilex_array *load);

/* A load in a field expression: the operand, perhaps shifted. */
void ix_write_field_load(ix_writer *w, const ilex_array *n, int precedence);

/* Would a literal that meets "strong" become this constant? */
bool ix_write_literal_becomes(const ilex_array *n, ilex_dtype strong);

/* Writes a constant: a bare literal, or with its dtype. */
void ix_write_const(ix_text *t, const ilex_array *n, bool bare);

/* The initial value of reduction "n", the identity, if it has one. */
void ix_write_initial(ix_writer *w, const ilex_array *n);

/* The item of an array. */
ix_item *ix_print_item(ix_printer *p, const ilex_array *n);

/* Gives an array the next temporary name that no input or output has, if it has
 * none; a tuple as many in a row as it has results. */
void ix_print_give_name(ix_printer *p, ix_item *item);

/* Writes the name of an array that has one; of result "k" of a scan. */
void ix_print_result_name(const ix_item *item, int64_t k, ix_text *t);
void ix_print_name(ix_printer *p, const ix_item *item, ix_text *t);

/* Does an input, temporary or output carry the name of symbol "symbol"? */
bool ix_print_is_array_name(ix_printer *p, const char *text);

/* ---- lib/syntax/print_loop.c ---- */

/* Puts the order as loops want it. */
bool ix_print_gather(ix_printer *p);
/* Lets texts that are tried out name the steps of the loops that array "i" is
 * in, until "ncounted" is the number of sizes that can be named again. */
void ix_print_steps(ix_printer *p, size_t i, size_t *ncounted);
void ix_print_steps_end(ix_printer *p, size_t i, size_t ncounted);
/* The heads of loops whose bodies begin with array "i"; what a loop ends with;
 * the blanks before a line of array "i". */
void ix_print_loop_heads(ix_printer *p, size_t i);
void ix_print_loop_end(ix_printer *p, const ix_item *item);
void ix_print_indent(ix_printer *p, size_t i);
/* The loop that carries what a CARRIED stands for; "k": which. */
const ix_item *ix_print_carrier(ix_printer *p, const ilex_array *n, int *k);

/* Writes the body of a map, or body "result" of a scan. */
void ix_print_body(ix_printer *p, ix_write_mode mode, const ix_item *item,
                   int result, bool bare);

/* Does reading the body by names give the same slots: all used, in order of
 * first use, no array twice? */
bool ix_print_by_name(ix_printer *p, const ilex_array *n);

/* "dtype[domain]" */
void ix_print_type(ix_printer *p, const ilex_array *n);

/* What stands in the brackets of a map or scan: an index is called as its axis,
 * which is said, because alone it would be called as what is read at it. */
void ix_print_indices(ix_printer *p, const ix_domain *dom);

/* Sizes, assumptions and inputs. */
void ix_print_heading(ix_printer *p);
/* The assumptions that come behind counted size number "counted", the last one
 * that they mention; -1: those that mention none. */
void ix_print_assumptions(ix_printer *p, int32_t counted);

/* The statement of an einsum, reshape, permute or slice. */
void ix_print_node(ix_printer *p, const ix_item *item);

/* ---- lib/syntax/print_graph.c ---- */

/* Lists what the outputs reach, chooses forms and marks sizes; false when it
 * failed. */
bool ix_print_collect(ix_printer *p);

#endif
