/* SPDX-License-Identifier: MIT
 *
 * The golden runner: reads files of expected values, lets Ilex compute them
 * through its public functions and compares.
 *
 * Order of work: golden_read.c splits a file into rows and turns literals
 * into arrays (of golden_value.c's elements); golden_promote.c,
 * golden_scalar.c, golden_reduce.c, golden_einsum.c and golden_index.c make
 * cases of rows; golden_batch.c compiles and runs many cases as one program;
 * golden_compare.c judges the results, by golden_rule.c where NumPy leaves them
 * open; golden_backend.c is the table of what programs run on; golden_axis.c
 * does all of this by itself for operators on storages; golden_report.c counts
 * and prints; golden_jobs.c runs many files at a time, golden_files.c all of
 * them; golden_main.c is the command.
 */
#ifndef ILEX_TESTS_GOLDEN_H
#define ILEX_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stdio.h>

#include "ilex.h"

#define GOLDEN_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GOLDEN_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Reallocates; ends the program when there is no memory. */
void *golden_resize(void *block, size_t bytes);

/* ---- elements ---- */

/* One element of any dtype: `bits` of an integer or bool, extended to 64 bits
 * by its sign; `part` of a real (the second is 0) or complex number. */
typedef struct golden_value {
    uint64_t bits;
    double part[2];
} golden_value;

/* 'b' bool, 'i' signed, 'u' unsigned, 'f' real, 'c' complex. */
char golden_kind(ilex_dtype dtype);

/* The dtype called "int8", "float64", ... in the files; false if none is. */
bool golden_dtype(const char *name, ilex_dtype *dtype);
const char *golden_dtype_name(ilex_dtype dtype);

golden_value golden_load(ilex_dtype dtype, const void *element);
void golden_store(ilex_dtype dtype, golden_value value, void *element);

/* The element written as `length` characters at "text"; false if they are no
 * literal of the dtype. */
bool golden_parse(ilex_dtype dtype, const char *text, size_t length,
                  void *element);

/* The element in the notation of the files. */
typedef struct golden_text {
    char s[96];
} golden_text;
golden_text golden_show(ilex_dtype dtype, const void *element);

/* ---- files and literals ---- */

/* A file as rows of fields; row i is at line[i]. A line with another number
 * of columns than the header has no fields (its first one is NULL). */
typedef struct golden_table {
    const char *name; /* "cast.tsv" */
    int columns;
    size_t rows;
    int *line;
    char **field;
    char *text;
} golden_table;

/* Reads DIR/NAME; on failure says why in "error" (of "size" bytes). */
bool golden_table_read(golden_table *t, const char *dir, const char *name,
                       int columns, char *error, size_t size);
void golden_table_free(golden_table *t);

/* The fields of row "row". */
char **golden_row(const golden_table *t, size_t row);

/* A statement of promote.tsv, whose rows have 13 of them: the dtypes of the
 * operands (of one: "-" first) and that of the result, or "error". */
enum { GOLDEN_PROMOTIONS = 13 };
typedef struct golden_promotion {
    const char *kind, *name, *type[2], *result;
} golden_promotion;
golden_promotion golden_promotion_of(char **row, int i);

/* An array in C order, elements as in memory. */
typedef struct golden_array {
    ilex_dtype dtype;
    int rank;
    int64_t shape[ILEX_MAX_RANK];
    int64_t count;
    unsigned char *data;
} golden_array;

/* An array of the given type; its data are to be written. */
golden_array golden_array_new(ilex_dtype dtype, int rank, const int64_t *shape,
                              int64_t count);
void *golden_array_at(const golden_array *a, int64_t i);
void golden_array_free(golden_array *a);

/* "float64[2]{0x1p+0 nan}" as an array, up to the end of "length" characters;
 * NULL, or what is wrong with the literal. */
const char *golden_array_parse(golden_array *a, const char *text,
                               size_t length);

/* The array in the notation of the files, cut off with "..." to fit. */
void golden_array_show(const golden_array *a, char *text, size_t size);

/* ---- comparing ---- */

typedef enum golden_tolerance {
    GOLDEN_EXACT,
    GOLDEN_ULP2,
    GOLDEN_ULP4,
    GOLDEN_ULP16,
    GOLDEN_UNDEFINED,
    GOLDEN_TOLERANCES
} golden_tolerance;

/* The class called "name"; GOLDEN_TOLERANCES if none is. */
golden_tolerance golden_tolerance_of(const char *name);
const char *golden_tolerance_name(golden_tolerance t);

/* Whether element "got" will do for "want"; "signs": -0 differs from 0. */
bool golden_same(ilex_dtype dtype, const void *got, const void *want,
                 golden_tolerance tolerance, bool signs);

/* Index of the first element of "got" that does not do; -1 if all do. */
int64_t golden_array_differs(const golden_array *got, const golden_array *want,
                             golden_tolerance tolerance);

/* What Ilex promises where NumPy leaves a value of class `undefined` to the
 * platform: stores "want" and returns true if it promises something for
 * operation "op" ("cast" for conversions) and the row's "note". "y" is NULL
 * for one operand. */
bool golden_rule(const char *op, const char *note, ilex_dtype out,
                 ilex_dtype xtype, const void *x, ilex_dtype ytype,
                 const void *y, void *want);

/* Whether a row of a complex operation holds a special value that Ilex has from
 * NumPy, although that leaves it to the platform. */
bool golden_is_special(const char *op, const char *note);

/* ---- counting and printing ---- */

enum { GOLDEN_REASONS = 32 };

typedef struct golden_report {
    const char *file; /* "cast.tsv" */
    const char *jit;  /* "tcc"; NULL for a file that runs nothing */
    size_t rows, passed, failed, skipped;
    struct {
        char text[48];
        size_t count;
    } reason[GOLDEN_REASONS];
} golden_report;

/* One row passed, is skipped, has failed: of the failures the first ten are
 * printed at once. */
void golden_pass(golden_report *r);
void golden_skip(golden_report *r, const char *reason);
void golden_fail(golden_report *r, int line, const char *fmt, ...)
    GOLDEN_PRINTF(3, 4);
void golden_report_print(const golden_report *r);

/* ---- back ends ---- */

/* What a program of cases runs on. */
typedef struct golden_backend {
    const char *name;
    bool library; /* "name" is a value of the library's option "jit" */
    bool slow;    /* to be started first */
    /* The values as one program with these outputs; NULL after an error, which
     * the context holds: ILEX_E_UNSUPPORTED if there is no such back end. */
    void *(*compile)(ilex_context *ctx, size_t count, ilex_array *const *values,
                     const char *const *names);
    ilex_status (*run)(const void *program, const ilex_binding *bindings,
                       size_t count, ilex_call *call);
    void (*release)(void *program);
} golden_backend;

/* NULL if there is none of that name. */
const golden_backend *golden_backend_find(const char *name);

/* ---- running ---- */

enum { GOLDEN_OPERANDS = 8 };

/* One kernel: operands in, an array out. */
typedef struct golden_case golden_case;
struct golden_case {
    /* The array to compute from the placeholders x[0] ... */
    ilex_array *(*build)(const golden_case *c, ilex_context *ctx,
                         ilex_array **x);
    const void *what; /* for build(): what to do */
    const char *text[2];
    int flag;
    int operands;
    golden_array in[GOLDEN_OPERANDS];
    golden_array want;  /* no data: takes what comes */
    golden_array got;   /* the result: type and shape of `want` */
    golden_array room;  /* where a run counts lengths: what it is bound to */
    ilex_status status; /* ILEX_OK, or why there is no result, */
    char error[400];    /* in words */
};

/* Runs the cases on a back end, many to a program. */
void golden_batch_run(const char *jit, golden_case *cases, size_t count);
void golden_case_free(golden_case *c);

/* Whether the back end can be used; if not, "why" says why not. */
bool golden_backend_there(const char *jit, char *why, size_t size);

/* ---- operators and reductions by their names ---- */

typedef struct golden_operator {
    const char *name;
    int arity;
    ilex_array *(*f1)(ilex_array *);
    ilex_array *(*f2)(ilex_array *, ilex_array *);
    ilex_array *(*f3)(ilex_array *, ilex_array *, ilex_array *);
} golden_operator;

/* NULL if there is no operator of that name. */
const golden_operator *golden_operator_find(const char *name);
ilex_array *golden_operator_apply(const golden_operator *o, ilex_array **x);

typedef ilex_array *golden_reducer(ilex_array *x, const char *axes, int keep);
golden_reducer *golden_reducer_find(const char *name);

/* ---- files: each judges every row of "t" ---- */

void golden_promote(const golden_table *t, golden_report *r);
void golden_scalar_unary(const golden_table *t, golden_report *r);
void golden_scalar_binary(const golden_table *t, golden_report *r);
void golden_cast(const golden_table *t, golden_report *r);
void golden_reduce(const golden_table *t, golden_report *r);
void golden_einsum(const golden_table *t, golden_report *r);
void golden_index(const golden_table *t, golden_report *r);
void golden_axis(const golden_table *t, golden_report *r);

#endif
