/* SPDX-License-Identifier: MIT
 *
 * Constructors of arrays with interned domains, under the public functions
 * (which take text) and the parser. All return poison on error.
 */
#ifndef ILEX_LIB_BUILD_H
#define ILEX_LIB_BUILD_H

#include "ilex/expr.h"
#include "lib/graph/scalar.h"

/* A halo that is as wide as what is read. */
#define IX_HALO_AUTO INT64_MIN

ilex_array *ix_build_input(ilex_context *ctx, const char *name, size_t length,
                           ilex_dtype dtype, const ix_domain *interior,
                           const int64_t *halo /* 2 per axis or NULL */);
/* What stands for an argument of a function, whose bounds calls find: as an
 * input, but a bound may be a min or max. */
ilex_array *ix_build_parameter(ilex_context *ctx, const char *name,
                               size_t length, ilex_dtype dtype,
                               const ix_domain *interior, const int64_t *halo);

/* All axes named and different, none with its staggered partner; or all unnamed
 * and starting at 0. False after an error of "what". */
bool ix_build_check_names(ilex_context *ctx, const char *what,
                          const ix_domain *dom);

/* Element-wise op with broadcasting, literals resolved, operands converted. */
ilex_array *ix_build_op(ilex_context *ctx, ix_op op, ilex_array *const *args);
/* The scalar that reads operand "x" at the index of an element of "dom". "slot"
 * is used and advanced when it takes a load. */
ilex_array *ix_operand_at(ilex_context *ctx, const ix_domain *dom,
                          ilex_array *x, int *slot);
ilex_array *ix_build_cast(ilex_context *ctx, ilex_dtype dtype, ilex_array *x);
/* A foreign function of numbers for each element, with broadcasting. Operands
 * have its dtype, none is a literal. */
ilex_array *ix_build_apply(ilex_context *ctx, const ix_apply *f,
                           ilex_array *const *args);

/* The dtype that operands have in common, in whatever order they come: real and
 * complex ones are promoted first, so that i16, u16 and f32 are f32, although
 * i16 and u16 alone are i32. Literals count only where all are. */
ilex_dtype ix_common_dtype(int count, ilex_array *const *args);

/* Gives weak literals among the operands the dtype of what they meet, from
 * operand "first" on; false after an error. */
bool ix_resolve_literals(ilex_context *ctx, const char *operation, int first,
                         int count, ilex_array **args);

/* Converts the operands to the dtype they have in common, literals resolved;
 * false after an error. */
bool ix_build_common(ilex_context *ctx, const char *operation, int count,
                     ilex_array **args);

/* Can "dtype" hold a literal, within its kind? */
bool ix_literal_fits(const ilex_array *x, ilex_dtype dtype);

/* What another program or part of one makes, an input under a name of ours, of
 * which nothing is proved. NULL domains give poison. */
ilex_array *ix_build_received(ilex_context *ctx, const char *name,
                              ilex_dtype dtype, const ix_domain *interior,
                              const ix_domain *valid);
/* The array on a domain where it is known; behind "first" axes, which are no
 * axes of it. */
ilex_array *ix_build_copied(ilex_array *x, const ix_domain *dom, int first);
/* y(i) = i along one named axis, everywhere. */
ilex_array *ix_build_index(ilex_context *ctx, int32_t axis);

/* y(i) = x(i + offset[k]) for each of x's axes, nominally on x's domain: what
 * is known moves. */
ilex_array *ix_build_shift(ilex_context *ctx, ilex_array *x,
                           const int64_t *offset);

/* The same by halves of a cell along axis "k"; by an odd number of them to the
 * staggered axis, whose index k lies at k + 1/2, or back. */
ilex_array *ix_build_shift_halves(ilex_context *ctx, ilex_array *x, int k,
                                  int64_t halves);

/* By how much, and to which axis (0: its own; -1: there is no memory), what
 * lies on an axis moves that moves up by halves of a cell. */
int64_t ix_stagger(ilex_context *ctx, const ix_axis *ax, int64_t halves,
                   int32_t *name);

/* x on "dom"; "what" names the result in messages ("v"). Axes that x lacks are
 * broadcast; x itself when nothing changes. */
ilex_array *ix_build_restrict(ilex_context *ctx, const char *what,
                              ilex_array *x, const ix_domain *dom);

/* "interior" grown by a halo, 2 widths per axis; NULL after an error of "name".
 */
const ix_domain *ix_build_grow(ilex_context *ctx, const char *name,
                               const ix_domain *interior, const int64_t *halo);

/* x on "dom", which may be read in a halo (2 widths per axis) around it. */
ilex_array *ix_build_with_halo(ilex_context *ctx, const char *what,
                               ilex_array *x, const ix_domain *dom,
                               const int64_t *halo);

/* Is x, a field, known wherever it is nominally defined, along "axes" (bit k:
 * axis k)? A shift moves where it is known; what goes over a whole axis asks.
 * An error says where it is not. */
enum { IX_EVERY_AXIS = (1 << ILEX_MAX_RANK) - 1 };
bool ix_field_known(ilex_context *ctx, const char *what, const ilex_array *x,
                    uint32_t axes);

/* x where it is both nominally defined and known: what an output without a
 * domain is; x itself if it is known wherever it is defined. */
ilex_array *ix_field_known_part(ilex_context *ctx, const char *what,
                                ilex_array *x);

/* The scalar x(index...): x's own body if it reads nothing and rests on
 * nothing, else a load, for which "*slots" becomes 1. */
ilex_array *ix_read_scalar(ilex_context *ctx, ilex_array *x,
                           ilex_array *const *index, int *slots);

/* Lambda over "dom": body reads operands by slots; every access is proved.
 * Its dtype is the body's. */
ilex_array *ix_build_lambda(ilex_context *ctx, const char *what,
                            const ix_domain *dom, ilex_array *body,
                            int noperands, ilex_array *const *operands);

/* The same over "interior", readable on "valid" around it, where accesses are
 * proved. The domains need not have a length >= 0 for all sizes: it is how text
 * says what an intersection of fields is. */
ilex_array *ix_build_wide_lambda(ilex_context *ctx, const char *what,
                                 const ix_domain *interior,
                                 const ix_domain *valid, ilex_array *body,
                                 int noperands, ilex_array *const *operands);

/* Reduction over the axes flagged in "mask" (bit k: axis k). */
ilex_array *ix_build_reduce(ilex_context *ctx, ix_reduction reduction,
                            ilex_array *x, uint32_t mask, bool keep);

/* The same with more to say: elements where a mask is false are left out, and
 * "initial" is combined with the result (either may be NULL). */
typedef struct ix_reduce_request {
    uint32_t mask;
    bool keep;
    ilex_array *where, *initial;
    int64_t ddof; /* of a variance */
} ix_reduce_request;
ilex_array *ix_build_reduce_with(ilex_context *ctx, ix_reduction reduction,
                                 ilex_array *x,
                                 const ix_reduce_request *request);

/* "initial" combined with "y", the reduction; y where it changes nothing. */
ilex_array *ix_build_initial(ilex_context *ctx, ix_reduction reduction,
                             ilex_array *initial, ilex_array *y);

/* The number of elements of "x", or of those where the mask holds, that are
 * reduced, i64. */
ilex_array *ix_reduced_count(ilex_array *x, const ix_reduce_request *request);

/* What a word of text reduces by: a reduction, or a variance ("root": its
 * square root). */
typedef struct ix_reducer {
    const char *name;
    ix_reduction reduction;
    bool variance, root;
} ix_reducer;
bool ix_reducer_find(const char *text, size_t length, ix_reducer *r);
ilex_array *ix_build_reducer(ilex_context *ctx, const ix_reducer *r,
                             ilex_array *x, const ix_reduce_request *request);

/* Labels: small integers, one array for the result and one per operand; among
 * them perhaps IX_LABEL_DOTS, `...`, for the axes that have no label. */
enum { IX_LABEL_DOTS = -1 };
typedef struct ix_labels {
    int n;
    int label[ILEX_MAX_RANK + 1]; /* `...` may stand for no axis */
} ix_labels;

/* The order in which the operands of an einsum are multiplied, in postfix: the
 * number of an operand, or IX_MULTIPLY for the product of the last two. No
 * steps: one product of them all. */
enum { IX_MULTIPLY = -1, IX_PATH_STEPS = 2 * ILEX_MAX_RANK - 1 };
typedef struct ix_einsum_path {
    int n;
    int step[IX_PATH_STEPS];
} ix_einsum_path;

/* What more an einsum may say, each NULL for the default. "dtype" of the
 * result: the operands' promoted one. "acc", that of products and sums:
 * ix_einsum_acc(). "path": the best one; else each operand once, in order.
 * "rounded": products are rounded before they are added. */
typedef struct ix_einsum_request {
    const ilex_dtype *dtype, *acc;
    const ix_einsum_path *path;
    bool rounded;
} ix_einsum_request;

/* Axes of the result take name and range from the operands. Labels are at most
 * ILEX_MAX_RANK beside one `...`. */
ilex_array *ix_build_einsum(ilex_context *ctx, const ix_labels *result,
                            int count, const ix_labels *labels,
                            ilex_array *const *operands,
                            const ix_einsum_request *request);

ilex_array *ix_build_reshape(ilex_context *ctx, ilex_array *x,
                             const ix_domain *dom, bool fortran);

/* Number of indices start, start+step, ... before stop, which is not before
 * start; NULL after an error. */
const ix_lin *ix_slice_length(ilex_context *ctx, const ix_lin *start,
                              const ix_lin *stop, int64_t step);

/* ---- functions of whole arrays ----
 *
 * The kinds of form node (nodes.def) and what is made of other nodes
 * (functions.def): in text name(operands; attributes).
 */

/* The value of an attribute: what its type in the table says. */
typedef struct ix_given {
    bool present;
    int n; /* SET, PLACES, PAIRS, SHAPE: how many there are */
    int64_t number[2 * ILEX_MAX_RANK]; /* PAIRS: the axes of one, then of the
                                          other operand */
    const ix_lin *form[ILEX_MAX_RANK]; /* NULL: not given */
    ilex_array *value;
    const char *word;
    size_t length; /* of "word" */
} ix_given;

/* "given" has the attributes in the order of the row; operands are arrays,
 * none of them poison, as many as the row allows. */
typedef ilex_array *ix_build_fn(ilex_context *ctx, ilex_array *const *operands,
                                int count, const ix_given *given);
#define BUILDER_own(function)
#define BUILDER_later(function)
#define BUILDER_node(function) ix_build_fn ix_build_##function;
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, ...)                                                     \
    BUILDER_##form(function)
#include "lib/graph/nodes.def"
#define IX_FUNCTION(function, ...) ix_build_fn ix_build_##function;
#include "lib/build/functions.def"

/* A row of either table. */
typedef struct ix_signature {
    const char *text, *meaning;
    int least, most;
    ix_build_fn *build; /* NULL: this version does not have it */
    int nattributes;
    ix_attribute_info attribute[IX_KIND_ATTRIBUTES];
} ix_signature;

enum {
#define SIGNATURE_own(function)
#define SIGNATURE_later(function) IX_SIGNATURE_##function,
#define SIGNATURE_node(function) IX_SIGNATURE_##function,
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, ...)                                                     \
    SIGNATURE_##form(function)
#include "lib/graph/nodes.def"
#define IX_FUNCTION(function, ...) IX_SIGNATURE_##function,
#include "lib/build/functions.def"
    IX_NSIGNATURES
};
extern const ix_signature ix_signatures[IX_NSIGNATURES];

/* The function called "text" in programs; NULL if there is none. */
const ix_signature *ix_signature_find(const char *text, size_t length);

/* Is it update, or one that combines, such as add_at? */
bool ix_is_update(const ix_signature *signature);

/* lib/build/calls.c: calls the row's function after the checks that all have
 * in common; an error if this version does not have it. */
ilex_array *ix_build_call(ilex_context *ctx, const ix_signature *signature,
                          ilex_array *const *operands, int count,
                          const ix_given *given);

/* The same for a kind of form node. */
ilex_array *ix_build_kind(ilex_context *ctx, ix_kind kind,
                          ilex_array *const *operands, int count,
                          const ix_given *given);

/* The node that a constructor makes: the attributes as the row stores them,
 * each of which is present. */
ilex_array *ix_kind_node(ix_kind kind, const ix_domain *interior,
                         const ix_domain *valid, ilex_array *const *operands,
                         int count, const ix_given *given);

/* Is there one value for each axis of the first operand? */
bool ix_attribute_per_axis(ix_attribute_type type);

/* How many integers or bounds an attribute has for this first operand. */
int ix_attribute_count(ix_attribute_type type, const ilex_array *x);

/* A set of axes of "x" as a mask (bit k: axis k), all of them if it is not
 * given; false after an error. */
bool ix_given_axes(const ilex_array *x, const char *operation,
                   const ix_given *given, uint32_t *mask);

/* The axis of "x" that "text" names: a name, or a number from either end; -1
 * with an error. */
int ix_axis_of(ilex_array *x, const char *operation, const char *text,
               size_t length);

#endif
