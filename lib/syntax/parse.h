/* SPDX-License-Identifier: MIT
 *
 * From syntax trees to arrays: what the pieces of lib/syntax/parse*.c share.
 * Errors leave through the reader's arena, so functions return results only.
 */
#ifndef ILEX_LIB_PARSE_H
#define ILEX_LIB_PARSE_H

#include "lib/build/box.h"
#include "lib/build/module.h"
#include "lib/build/outside.h"
#include "lib/syntax/syntax.h"

/* What a name stands for; each kind of thing has a name space of its own. */
typedef enum ix_name_kind {
    IX_NAME_ARRAY,
    IX_NAME_SIZE,
    IX_NAME_DOMAIN,
    IX_NAME_FUNCTION
} ix_name_kind;

typedef struct ix_name {
    const char *text;
    size_t length;
    ix_name_kind kind;
    const ix_lin *size;
    ilex_array *array;
    int32_t target;        /* of a connectivity: the axis, else 0 */
    const ix_syntax *skip; /* of one: the number that is no neighbour */
    const ix_domain *domain;
    const ix_statement *function;
    int32_t line;
    bool spoilt; /* the statement that defines it has failed */
} ix_name;

/* A reduction index in scope, innermost last. */
typedef struct ix_rindex {
    ix_word name;
    int number;
} ix_rindex;

/* An axis of a map or a bracket scan. */
typedef struct ix_index_axis {
    int32_t variable; /* its index, a symbol; 0: _<k> alone */
    int32_t name;     /* given on purpose, or settled; 0: none */
    bool inherits;    /* is called as the axes that are read at the index */
    bool own;         /* the index itself is called as one of these */
    int nread;        /* how many names they have, up to two */
    int32_t read[2];
} ix_index_axis;

typedef struct ix_indices {
    const ix_domain *box; /* the ranges, with the names that are known */
    ix_index_axis at[ILEX_MAX_RANK];
} ix_indices;

/* A value that a let in the body of a map names. */
typedef struct ix_body_let {
    const struct ix_body_let *outer;
    ix_word name;
    ilex_array *value;
    int nrindex; /* how many reductions are around it */
} ix_body_let;

/* The index lambda whose body is being read. */
typedef struct ix_lambda_env {
    const ix_domain *dom, *box; /* of the map; where it may be read */
    ix_indices *indices;        /* NULL: none are called by names */
    bool hidden; /* the body of a function: numbers alone stand for them */
    bool fixed;  /* reads(...): operands are given and spelled _in0, ... */
    int noperands;
    ilex_array **operand; /* in the reader's arena */
    size_t capacity;
    int nrindex;
    ix_rindex rindex[ILEX_MAX_RANK];
    const ix_body_let *local; /* the innermost */
} ix_lambda_env;

/* A call of a function whose body is being read. */
typedef struct ix_call ix_call;
struct ix_call {
    const ix_statement *function;
    const ix_word *at; /* of the call */
    bool checking;     /* where it is defined, with any arguments */
    ilex_array **result;
    size_t nresults;
    ix_call *outer;
    ix_table names;        /* of what is around it */
    ix_lambda_env *lambda; /* around it */
};

/* A loop whose body is being read: names that it defines are known up to its
 * end. */
typedef struct ix_loop_scope ix_loop_scope;
struct ix_loop_scope {
    const ix_statement *s;
    ix_loop_scope *outer;
    const ix_lin *lo; /* of the first step */
    int32_t step;
    int ncarries, nstacks;
    bool counts;               /* how many steps there were is carried, too */
    int64_t *every;            /* of the stacks: so many steps are apart */
    const ix_statement **name; /* of what is carried, then of the stacks */
    ilex_array **carried, **first, **next, **stack; /* next: NULL until known */
    ilex_array *until;
    ix_name **inner; /* names that are known inside alone */
    size_t ninner, inner_capacity;
};

typedef struct ix_parser {
    ix_reader reader;
    ilex_context *ctx;
    ilex_module *module; /* NULL: a single expression or domain */
    bool new_sizes;      /* sizes come to exist by being named */
    ix_mem mem;          /* of the reader's arena */
    ix_table names, functions;
    ix_call *call;         /* NULL: outside of functions */
    ix_loop_scope *loop;   /* NULL: outside of loops */
    ix_map depths;         /* of scalar results: how deep their body is */
    ix_lambda_env *lambda; /* NULL: field expressions */
    ix_error_place outer;  /* the caller's location */
    ix_location place;     /* where it makes arrays */
    int32_t file;          /* of the text */
    ix_location made;      /* what tag @loc says of the statement; line 0 */
    bool failed;           /* has a statement? */
    size_t scope;
    const ix_env *proof;           /* of the constructor around the session */
    const ix_assumption **assumed; /* by an `assume` that is being read */
    size_t nassumed, assumed_capacity;
    ix_error before; /* errors of earlier calls and, then, statements */
} ix_parser;

/* ---- a session: init, try, then end or fail ---- */

typedef struct ix_parser_text {
    const char *text;
    size_t length;
    const char *file; /* NULL: an argument of a function */
} ix_parser_text;

typedef void (*ix_parser_work)(ix_parser *p, void *user);

void ix_parser_init(ix_parser *p, ilex_context *ctx);

/* Does "work" on a text in a scope of its own; false when it failed. */
bool ix_parser_try(ix_parser *p, const ix_parser_text *text,
                   ix_parser_work work, void *user);

/* Closes the session: frees everything but "result", which moves to the
 * caller's scope and is returned. */
ilex_array *ix_parser_end(ix_parser *p, ilex_array *result);

/* As above after a failure: makes the error a diagnostic, returns poison. */
ilex_array *ix_parser_fail(ix_parser *p);

/* The error of a statement, if it is not one of a statement before, becomes a
 * diagnostic beside theirs; false where reading on makes no sense. */
bool ix_parser_go_on(ix_reader *r);

/* ---- names ---- */

/* What "word" names; NULL if nothing. Leaves, without another error, if the
 * statement that defines it has failed. */
ix_name *ix_parser_find(ix_parser *p, const ix_word *word, ix_name_kind kind);
ix_name *ix_parser_find_text(ix_parser *p, const char *text, ix_name_kind kind);

/* A new name for a thing of the kind; fails if there is one already. */
ix_name *ix_parser_declare(ix_parser *p, const ix_word *word,
                           ix_name_kind kind);

/* The array that "word" names; fails if there is none. */
ilex_array *ix_parser_named(ix_parser *p, const ix_word *word);

/* Lets "word" name an array; fails if it names one already. */
ix_name *ix_parser_define(ix_parser *p, const ix_word *word, ilex_array *array);

/* Notes that the statement that defines a name has failed. */
void ix_parser_spoil(ix_parser *p, const ix_word *word, ix_name_kind kind);

/* Adds a name that is not there yet. */
ix_name *ix_parser_add(ix_parser *p, const char *text, size_t length,
                       ix_name_kind kind);

/* The innermost loop that carries an array called "word", its "k"-th; NULL:
 * none does. */
const ix_loop_scope *ix_parser_carrier(const ix_parser *p, const ix_word *word,
                                       int *k);

/* The body of the innermost loop ends: names that it defines go. */
void ix_parse_close_loop(ix_parser *p);

/* Checks a name that the program gives to a thing called "what". */
void ix_parser_check_name(ix_parser *p, const char *what, const ix_word *word);

/* The parameter called "word", made if it is new to the context. */
int32_t ix_parser_param(ix_parser *p, const ix_word *word);

/* The size that "word" names; fails if there is none. */
const ix_lin *ix_parser_size(ix_parser *p, const ix_word *word);

/* Fails if "word" names a kind of node that this version does not have. */
void ix_parser_later(ix_parser *p, const ix_word *word);
/* Fails because "word" names nothing of the kind "what". */
_Noreturn void ix_parser_unknown(ix_parser *p, const ix_word *word,
                                 const char *what);

/* "word" as a string of the reader's arena. */
const char *ix_parser_string(ix_parser *p, const ix_word *word);

/* Constructors called from now on report errors at "word". */
void ix_parser_at(ix_parser *p, const ix_word *word);

/* "x" unless it is NULL or poison, which ends the session. */
ilex_array *ix_parser_array(ix_parser *p, ilex_array *x);

/* Notes how deep the body of "x" is, made from "args", and fails beyond the
 * limit, because the printer and proofs recurse on bodies; returns "x". */
ilex_array *ix_parser_depth(ix_parser *p, const ix_word *where, int n,
                            ilex_array *const *args, ilex_array *x);

/* ---- lib/syntax/parse_affine.c ---- */

const ix_lin *ix_parse_lin(ix_parser *p, const ix_syntax *x);
/* Has it the form of a bound, sums of products of names and integers? */
bool ix_parse_is_form(const ix_syntax *x);
/* "a" and one more operand of the chain. */
const ix_lin *ix_parse_lin_link(ix_parser *p, const ix_lin *a,
                                const ix_link *link);
/* An integer literal, perhaps negative. */
int64_t ix_parse_int(ix_parser *p, const ix_syntax *x);
/* The unsigned value of digits; fails beyond 64 bits. */
uint64_t ix_parse_digits(ix_parser *p, const ix_word *word);
/* Assumes what a condition says in the scope of the text; fails at "where" if
 * no sizes satisfy it together with what is in force. */
void ix_parse_assume(ix_parser *p, const ix_word *where, const ix_syntax *x);
/* Symbol of an axis: "I", "I+1/2". */
int32_t ix_parse_axis(ix_parser *p, const ix_syntax *x);
/* The axis of "dom" (NULL: of a number) or "a" that "x" names; fails where
 * there is none. */
int ix_parse_axis_in(ix_parser *p, const ix_domain *dom, const ix_syntax *x);
int ix_parse_axis_of(ix_parser *p, const ilex_array *a, const ix_syntax *x);
/* Is a range of nothing but expressions, none of them missing? */
bool ix_parse_is_plain(const ix_colons *r);
const ix_domain *ix_parse_domain(ix_parser *p, const ix_colons_list *ranges);
/* That of a type: its ranges, or the one that is named behind "on". */
const ix_domain *ix_parse_type_domain(ix_parser *p, const ix_type *type);
/* Halo widths, 2 per axis of "dom". */
void ix_parse_halo(ix_parser *p, const ix_domain *dom,
                   const ix_colons_list *ranges, int64_t *halo);
ilex_dtype ix_parse_dtype(ix_parser *p, const ix_word *word);

/* ---- lib/syntax/parse_expr.c, lib/syntax/parse_field.c,
 * lib/syntax/parse_subscript.c, lib/syntax/parse_lambda.c,
 * lib/syntax/parse_reduce.c ---- */

/* Twice the number behind "I+1", "I-3/2", "I"; false for anything else. */
bool ix_parse_halves(ix_parser *p, const ix_syntax *x, int64_t *halves);
/* Fails for a new axis, None, in the place of the update "call", which reads an
 * array that has it. */
void ix_parse_refuse_new_axes(ix_parser *p, const ix_syntax *call);
/* "a", a field, on the ranges that are given: I=1:n. */
ilex_array *ix_parse_ranges_of(ix_parser *p, const ix_colons_list *ranges,
                               ilex_array *a);

/* A field expression, or a scalar one inside p->lambda. */
ilex_array *ix_parse_expr(ix_parser *p, const ix_syntax *x);

/* A literal as a constant of "dtype", which it must fit. */
ilex_array *ix_parse_constant(ix_parser *p, ilex_dtype dtype,
                              const ix_syntax *x);

/* next(u) */
ilex_array *ix_parse_next_value(ix_parser *p, const ix_syntax *x);

/* In field expressions: a name (NULL: of nothing), a subscript, a reduction. */
ilex_array *ix_parse_field_name(ix_parser *p, const ix_word *word);
/* "a" with the subscript "x" behind it; what stands before it. */
ilex_array *ix_parse_subscript(ix_parser *p, const ix_syntax *x, ilex_array *a);
ilex_array *ix_parse_subscripted(ix_parser *p, const ix_syntax *x);
/* An expression as a string of the reader's arena. */
const char *ix_parse_shown(ix_parser *p, const ix_syntax *x);
ilex_array *ix_parse_field_reduce(ix_parser *p, const ix_syntax *x,
                                  const ix_reducer *r);

/* What stands behind ";" in a subscript: nothing, "unchecked", or what is read
 * outside, a mode or a value (then "value" is its expression). */
typedef enum ix_behind {
    IX_BEHIND_NOTHING,
    IX_BEHIND_UNCHECKED,
    IX_BEHIND_OUTSIDE
} ix_behind;
ix_behind ix_parse_behind(ix_parser *p, const ix_syntax *x, ix_outside *mode,
                          const ix_syntax **value);

/* The number in "_r12" for prefix "_r"; -1 if "word" is not of that form. */
int ix_parse_numbered(const ix_word *word, const char *prefix);
/* Inside p->lambda: a name (NULL: of nothing), a subscript, a let, a
 * reduction. */
ilex_array *ix_parse_lambda_name(ix_parser *p, const ix_word *word);
ilex_array *ix_parse_lambda_index(ix_parser *p, const ix_syntax *x);
ilex_array *ix_parse_local(ix_parser *p, const ix_syntax *x);
ilex_array *ix_parse_lambda_reduce(ix_parser *p, const ix_syntax *x,
                                   ix_reduction r);
/* In which dtype the reduction "x" combines values like "value", and that of
 * its result; fails where it is not defined. */
void ix_parse_reduction_type(ix_parser *p, const ix_syntax *x, ix_reduction r,
                             const ilex_array *value, ilex_dtype *acc,
                             ilex_dtype *result);
/* lib/syntax/parse_ranged.c: has the reduction a range whose ends are data or
 * depend on indices? That reduction. */
bool ix_parse_is_ranged(ix_parser *p, const ix_syntax *x);
ilex_array *ix_parse_ranged(ix_parser *p, const ix_syntax *x, ix_reduction r);
/* Does an expression speak of arrays or, in a map, of indices, not of sizes
 * alone? */
bool ix_parse_is_computed(ix_parser *p, const ix_syntax *x);

/* A literal as the declared "dtype", unchanged if that is of another kind. */
ilex_array *ix_parse_declared(ix_parser *p, const ix_word *where, ilex_array *x,
                              ilex_dtype dtype);

/* The index lambda with this body; its axes get their names. "what" in
 * messages, "dtype" of a literal (NULL: its own). */
ilex_array *ix_parse_body(ix_parser *p, const char *what, ix_indices *in,
                          const ilex_dtype *dtype, const ix_syntax *x);
/* Reads a body for what it reads at indices. */
void ix_parse_reads(ix_parser *p, ix_indices *in, const ix_syntax *x);

/* ---- lib/syntax/parse_indices.c ---- */

/* What stands in the brackets of a map or scan, or behind "on". */
void ix_parse_indices(ix_parser *p, const ix_type *type, ix_indices *in);
/* Which index, or the index of which axis, is called "name"; -1: none. */
int ix_indices_find(const ilex_context *ctx, const ix_indices *in,
                    const char *name);
/* Are the indices of "a" those of "b", and the names that "a" gives? */
bool ix_indices_same(const ilex_context *ctx, const ix_indices *a,
                     const ix_indices *b);
/* Notes that "x" is read at "index". */
void ix_indices_read(ix_indices *in, const ilex_array *x,
                     ilex_array *const *index);
/* All reads are noted: the axes get their names; fails at "where" if these are
 * not decided. */
void ix_indices_settle(ix_parser *p, const ix_word *where, ix_indices *in);
/* Messages call axes as their indices, until ctx->called is NULL; "called" is
 * room for them. */
void ix_indices_call(ilex_context *ctx, const ix_indices *in, int32_t *called);
/* The lambda over the indices, when their axes have names; on "valid", NULL:
 * the ranges themselves. Messages name the indices. */
ilex_array *ix_indices_lambda(ix_parser *p, const ix_indices *in,
                              const ix_domain *valid, const char *what,
                              ilex_array *body, const ix_lambda_env *env);
/* The ranges with the names of the indices, for messages. */
const ix_domain *ix_indices_called(ix_parser *p, const ix_indices *in);

/* The value of a statement as its type, if it has one, says. */
ilex_array *ix_parse_typed_value(ix_parser *p, const ix_statement *s);

/* lib/syntax/parse_program.c: the meaning of one statement. */
void ix_parse_statement(ix_parser *p, const ix_statement *s);

/* ---- lib/syntax/parse_tag.c ---- */

/* The symbol of a tag of "x", an array, in canonical form. */
int32_t ix_parse_tag(ix_parser *p, const ix_tag *tag, const ilex_array *x);
/* The place that a tag loc("f.py", 12, 3) of the statement names; line 0 if it
 * has none. */
ix_location ix_parse_place(ix_parser *p, const ix_statement *s);
/* Notes the tags of a statement of what it makes; those of a number are
 * forgotten. */
void ix_parse_tags(ix_parser *p, const ix_statement *s, ilex_array *x);

/* ---- lib/syntax/parse_function.c ---- */

/* The statements `function` and `return`. */
void ix_parse_function(ix_parser *p, const ix_statement *s);
void ix_parse_return(ix_parser *p, const ix_statement *s);
/* What a function is called by; NULL if there is none. */
ix_name *ix_parser_function(ix_parser *p, const ix_word *word);
/* The results of a call of a function of the program; how many. */
size_t ix_parse_user_call(ix_parser *p, const ix_syntax *x,
                          ilex_array ***result);
/* The same for a function of one result. */
ilex_array *ix_parse_user_value(ix_parser *p, const ix_syntax *x);
/* Checks the name of a new function. */
void ix_parse_new_function(ix_parser *p, const ix_word *name);
size_t ix_parse_count_parameters(const ix_statement *function);
/* Begins and ends the name space of a call. */
ix_call *ix_parse_open_call(ix_parser *p, const ix_statement *function,
                            const ix_word *at);
void ix_parse_close_call(ix_parser *p);
/* The sizes of a type are any sizes; fails where one is not known. */
void ix_parse_declare_sizes(ix_parser *p, const ix_type *type);
void ix_parse_check_sizes(ix_parser *p, const ix_type *type);
/* What a parameter of the call is: "x" as its type says. */
ilex_array *ix_parse_argument(ix_parser *p, const ix_statement *param,
                              ilex_array *x);
/* The results of a function for arguments, as many as it has parameters; how
 * many. */
size_t ix_parse_apply(ix_parser *p, const ix_statement *function,
                      const ix_word *at, ilex_array *const *args,
                      ilex_array ***result);

/* lib/syntax/parse_extern.c: the statement `extern`; the results of a call in
 * p->call, whose sizes are known. */
void ix_parse_extern(ix_parser *p, const ix_statement *s);
/* The symbol of what stands behind `extern`, laid out as `fmt` does. */
int32_t ix_parse_declaration(ix_parser *p, const ix_statement *s);
/* Before a text is read: declares a function that was declared before, so that
 * it is right. */
void ix_parse_known_extern(ix_parser *p, const char *declaration);
void ix_parse_extern_call(ix_parser *p, ilex_array *const *args);
/* The same of a function of numbers, for each element; in a map, for one. */
void ix_parse_elementwise_call(ix_parser *p, ilex_array *const *args);

/* Is it a function that stands in no table? */
bool ix_parse_is_builtin(const ix_word *word);

/* lib/syntax/parse_scan.c: the whole statement `scan`; defines its results. */
void ix_parse_scan(ix_parser *p, const ix_statement *s);

/* lib/syntax/parse_loop.c: a loop's body begins, with what is carried first
 * and, if that is data, how many steps there are at most; its statements, with
 * their values; it ends, and has results. */
typedef struct ix_loop_result {
    const ix_word *name;
    ilex_array *array;
} ix_loop_result;
void ix_parse_open_loop(ix_parser *p, const ix_statement *s,
                        ilex_array *const *first, ilex_array *count);
/* Where it says how many steps a run makes, or NULL. */
const ix_syntax *ix_parse_loop_count(const ix_statement *s);
void ix_parse_next(ix_parser *p, const ix_statement *s, ilex_array *x);
void ix_parse_until(ix_parser *p, const ix_statement *s, ilex_array *x);
void ix_parse_stack(ix_parser *p, const ix_statement *s, ilex_array *x);
size_t ix_parse_end_loop(ix_parser *p, const ix_statement *s,
                         ix_loop_result **result);

/* The whole statement `map`; `const`. */
ilex_array *ix_parse_map(ix_parser *p, const ix_statement *s);
ilex_array *ix_parse_const(ix_parser *p, const ix_statement *s);

/* ---- lib/syntax/parse_node.c, lib/syntax/parse_call.c ---- */

ilex_array *ix_parse_einsum(ix_parser *p, const ix_statement *s);
/* einsum("ij,jk->ik", a, b) */
ilex_array *ix_parse_einsum_call(ix_parser *p, const ix_syntax *x);
ilex_array *ix_parse_reshape(ix_parser *p, const ix_statement *s);
ilex_array *ix_parse_node(ix_parser *p, const ix_statement *s);

/* Fails inside of a map, for a function of whole arrays that "word" calls. */
void ix_parse_outside_map(ix_parser *p, const ix_word *word);
/* A call of a function of whole arrays. */
ilex_array *ix_parse_call(ix_parser *p, const ix_syntax *x,
                          const ix_signature *signature);
/* lib/syntax/parse_regions.c: restrict(u, domain), concat_where(I < n, a, b) */
ilex_array *ix_parse_region(ix_parser *p, const ix_syntax *x);
/* Axes of two operands: how many, 2; one of each, [1, 0]; lists of them,
 * [[0, 1], [1, 0]]. */
void ix_parse_pairs(ix_parser *p, const ix_attribute *a, ix_given *given);
/* The function with an example of its attributes: "roll(x; axis=0, by=1)";
 * written to a text, or as a string of the parser's arena. */
void ix_signature_write(const ix_signature *s, ix_text *t);
const char *ix_signature_example(ix_parser *p, const ix_signature *signature);

/* ---- whole texts ---- */

/* A program of "length" bytes; see ilex_module_parse. */
ilex_module *ix_module_parse(ilex_context *ctx, const char *text, size_t length,
                             const char *file);

/* Does "work" on a text of the C API in a session of its own; false after an
 * error. */
bool ix_parse_text(ilex_context *ctx, const char *text, ix_parser_work work,
                   void *user);

/* An expression over named arrays; names are not checked, so that printers
 * can try a text out. It may call the foreign functions of the body of "calls",
 * NULL: those that are registered with a declaration. Errors are recorded. */
ilex_array *ix_parse_text_expr(ilex_context *ctx, const char *text,
                               size_t length, size_t count,
                               const char *const *names,
                               ilex_array *const *operands,
                               const ilex_array *calls);

/* An index lambda over named arrays; names are not checked. "domain" is what
 * stands in the brackets of a map. */
ilex_array *ix_parse_text_map(ilex_context *ctx, const char *domain,
                              const char *body, size_t count,
                              const char *const *names,
                              ilex_array *const *operands);

/* A domain, e.g. "I:ni, J:nj"; NULL after an error. "halo" (2 per axis, may be
 * NULL) takes the widths; "*has_halo" says whether there were any. */
const ix_domain *ix_parse_text_domain(ilex_context *ctx, const char *text,
                                      int64_t *halo, bool *has_halo);
const ix_lin *ix_parse_text_lin(ilex_context *ctx, const char *text);
/* Axes of two operands, "2", "1, 0" or "[0, 1], [1, 0]"; false after an error.
 */
bool ix_parse_text_pairs(ilex_context *ctx, const char *text, ix_given *given);
/* Bounds with commas between, "n, 3"; false after an error. */
bool ix_parse_text_shape(ilex_context *ctx, const char *text, ix_given *given);
ilex_status ix_parse_text_assume(ilex_context *ctx, const char *text);

#endif
