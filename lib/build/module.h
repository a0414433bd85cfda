/* SPDX-License-Identifier: MIT
 *
 * A module: a named program with its inputs and outputs in order; what text
 * parses to, what is printed, what is compiled.
 */
#ifndef ILEX_LIB_MODULE_H
#define ILEX_LIB_MODULE_H

#include "lib/build/build.h"

typedef struct ix_output {
    int32_t name;    /* symbol */
    int32_t inplace; /* symbol of an input, 0: none */
    ilex_array *array;
    const ix_domain *declared; /* NULL: the array's */
} ix_output;

/* A range of outputs of which runs may compute a part, [lo + from, lo + to):
 * "from" and "to" are sizes. */
typedef struct ix_subdomain_axis {
    ix_axis range;
    int32_t from, to;
} ix_subdomain_axis;

/* An input that comes from a rank where a run has a group, or an output, or an
 * input, that goes to one. */
typedef struct ix_module_message {
    int32_t name; /* symbol */
    bool sends;
    const ix_lin *rank; /* affine in sizes */
    int tag;
} ix_module_message;
enum { IX_MESSAGE_TAGS = 16000 }; /* what MPI has room for beside our own */

/* What a `let` of the source calls an array: for generated source only. */
typedef struct ix_label {
    int32_t name; /* symbol */
    ilex_array *array;
} ix_label;

struct ilex_module {
    ilex_context *ctx;         /* NULL: it has ended */
    ilex_module *next, **link; /* of the context's list */
    ix_remains *remains;       /* after the end of the context */
    char name[72];
    /* What every run verifies: what is assumed in its text, or where outputs
     * were added, and what its inputs and outputs rest on; in this order. */
    const ix_assumption **assumption;
    size_t nassumptions, assumption_capacity;
    const ix_env *env; /* the same as a set */
    ix_output *output;
    size_t noutputs, output_capacity;
    ilex_array **input; /* declared, in order; may be unused */
    size_t ninputs, input_capacity;
    int32_t *declared; /* sizes of its text, which may be unused */
    size_t ndeclared, declared_capacity;
    ix_label *label;
    size_t nlabels, label_capacity;
    ix_module_message *message;
    size_t nmessages, message_capacity;
    double parse_seconds;         /* 0: it was not parsed */
    char *text;                   /* that it was parsed from, or NULL */
    size_t ntext;                 /* so many outputs are in it */
    ix_subdomain_axis *subdomain; /* ix_module_subdomain */
    size_t nsubdomains, subdomain_capacity;
};

/* The domain that an output is declared on. */
static inline const ix_domain *
ix_output_domain(const ix_output *out)
{
    return out->declared ? out->declared : out->array->interior;
}

/* Names that expressions give a meaning of their own: true, false, nan, inf. */
bool ix_is_constant_name(const char *text, size_t length);

/* The input called so, or NULL. */
ilex_array *ix_module_input(const ilex_module *m, int32_t name);

/* Adds an input (kept by the module); two inputs of one name must be one. */
ilex_status ix_module_add_input(ilex_module *m, ilex_array *input);

/* Adds a precondition; ILEX_E_ASSUME if it contradicts the others. */
ilex_status ix_module_assume(ilex_module *m, const ix_assumption *a);

/* Declares a size, which runs may name even where nothing is of that size. */
ilex_status ix_module_declare(ilex_module *m, int32_t size);

/* lib/build/messages.c: adds a message. "rank" NULL after an error. */
ilex_status ix_module_add_message(ilex_module *m, int32_t name, bool sends,
                                  const ix_lin *rank, int64_t tag);
/* Is it called so what can be received, or sent? */
bool ix_module_has_argument(const ilex_module *m, int32_t name, bool sends);
/* Is what is said of messages true of the inputs and outputs that there are? */
ilex_status ix_module_check_messages(ilex_module *m);
/* From now on messages are arguments like others. */
void ix_module_drop_messages(ilex_module *m);

/* Lets generated source call "array" by a name; kept by the module. */
ilex_status ix_module_label(ilex_module *m, int32_t name, ilex_array *array);

/* As ilex_module_output, for a name that is valid or reserved. */
ilex_status ix_module_add_output(ilex_module *m, const char *name,
                                 ilex_array *value, const char *inplace);

/* lib/build/module_hash.c: which sizes a program has, per parameter of the
 * context: those that its arrays mention as they were built, that preconditions
 * of its text are about or tie to these, and what all of them are computed
 * from. A size that its text declares and nothing is about is none of them.
 * "size" is room for all, zeroed; false after an error. */
bool ix_module_sizes(ilex_module *m, bool *size);

/* What a program reaches that no text says: functions of the host, and wrapped
 * data, by the numbers that they have in its hash. */
typedef struct ix_held {
    bool foreign;
    size_t n;
    ilex_array **data;
} ix_held;

/* What a compiled program depends on, as text: the hash, its inputs, its sizes
 * in the order in which queries list them, and those that its text declares
 * besides; which of the wrapped data are the same. False after an error.
 * "held->data" is the caller's, to be freed, also then. */
bool ix_module_key(ilex_module *m, ix_text *t, ix_held *held);

/* lib/build/counts.c: nodes, operations and bytes, a line each; false after an
 * error. */
bool ix_module_print_counts(ilex_module *m, ix_text *t);
/* The same as polynomials alone, the first of which may be an upper bound,
 * "*most"; false, without an error, if they leave 64 bits or memory ran out. */
bool ix_module_cost(ilex_module *m, bool *most, ix_text *operations,
                    ix_text *read, ix_text *written);

/* Bodies inside loops of these lengths; "box" is that of their indices. */
enum { IX_COUNTED_LOOPS = 64 };
typedef struct ix_counted_loops {
    const ix_domain *box;
    bool in_order; /* loop "k" is that of index "k" */
    int nloops;
    const ix_lin *length[IX_COUNTED_LOOPS];
    ilex_array **body;
    size_t nbodies;
} ix_counted_loops;
/* Appends their operations as one polynomial, which sets "*most" if it is an
 * upper bound; false as above. */
bool ix_print_operations(ilex_context *ctx, size_t n,
                         const ix_counted_loops *loops, bool *most, ix_text *t);
/* Appends each[0] times the points of box[0] and so on as one polynomial; false
 * if it leaves 64 bits or there is no memory. */
bool ix_print_elements(ilex_context *ctx, size_t n, const ix_domain *const *box,
                       const int64_t *each, ix_text *t);

/* Takes away the outputs of whose numbers "without" has bits. */
void ix_module_drop_outputs(ilex_module *m, uint64_t without);

/* lib/build/subdomain.c: the same program, whose outputs with named axes are
 * computed on a part of each range that a run chooses. NULL after an error. */
ilex_module *ix_module_subdomain(ilex_module *m);

/* Collects the inputs that the outputs reach and that are not listed yet, in
 * order of first use; reports two different inputs with one name. */
ilex_status ix_module_collect(ilex_module *m);

#endif
