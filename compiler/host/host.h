/* SPDX-License-Identifier: MIT
 *
 * Ahead of time: the function around a program's kernels, as C text: the text
 * of a run (compiler/run), what that asks for (host.inc, grid.inc), and tables.
 * Like the emitter it decides nothing.
 */
#ifndef ILEX_COMPILER_HOST_H
#define ILEX_COMPILER_HOST_H

#include "compiler/run/run.h"

/* While a file is printed. */
typedef struct ix_host {
    const ix_compiled *c;
    const ix_tables *tables;
    const ix_sources *source;
    bool grid; /* in CUDA */
    const ix_library_variant *variant;
    size_t nvariants;
    const char *prefix;
    const ix_library *library;
    const char *support; /* name of what several programs share, or NULL */
    char *upper;         /* the prefix in capitals */
    ix_arena *arena;
    const char **argument; /* C names of arguments, */
    const char **size;     /* of sizes; NULL: not used */
    const char **counted;  /* of sizes that are counted, by count */
    ix_text *t;
} ix_host;

/* ---- template.c ---- */

/* Lines of a text that is the same for all programs but for $p, the prefix, $P,
 * in capitals, $n, the program's name, $v, Ilex's version, $l, the
 * library's name, and for
 *
 *     %if WORD ... %else ... %end    where the program has WORD, maybe nested
 *     %put WORD                      what a function prints
 */
typedef struct ix_host_word {
    const char *word;
    bool (*has)(const ix_host *h); /* %if */
    void (*put)(ix_host *h);       /* %put */
} ix_host_word;
extern const ix_host_word ix_host_words[];

typedef enum ix_host_text {
    IX_HOST_HEADER,
    IX_HOST_HEAD, /* of the source: before the kernels, */
    IX_HOST_TYPES,
    IX_HOST_FUNCTIONS,
    IX_HOST_PROGRAM,
    IX_HOST_FUNCTION, /* what functions of others are given */
    IX_HOST_PYTHON,
    IX_HOST_SUPPORT,     /* the head of what several programs share */
    IX_HOST_FREESTANDING /* what others take from the C library */
} ix_host_text;
void ix_host_put_text(ix_host *h, ix_host_text text);

/* Of the types that programs share: files of different versions do not fit. */
unsigned ix_host_shared_hash(void);

/* ---- names.c ---- */

/* Is it a name that C, C++ or what generated files include gives a meaning? */
bool ix_host_is_reserved(const char *name);
/* Is a function of C libraries called so? */
bool ix_host_is_of_libraries(const char *name);
/* Is it something in functions of devices? */
bool ix_host_is_of_cuda(const char *name);
/* Names of members and parameters for arguments and sizes. */
void ix_host_make_names(ix_host *h);
/* "double", "uint8_t" of an element or its parts. */
const char *ix_host_type(ilex_dtype dtype);

/* ---- tables.c: what the program is ---- */

void ix_host_put_codes(ix_host *h);
void ix_host_put_tables(ix_host *h);
void ix_host_put_places(ix_host *h);

/* ---- interface.c: the struct of arguments and the flat function ---- */

void ix_host_put_formulas(ix_host *h);
void ix_host_put_errors(ix_host *h);
void ix_host_put_members(ix_host *h);
void ix_host_put_dense_declaration(ix_host *h);
void ix_host_put_dense(ix_host *h);
/* Does the flat function take the workspace, as nothing is allocated? */
bool ix_host_takes_workspace(const ix_host *h);
void ix_host_put_error_codes(ix_host *h);
void ix_host_put_error_text(ix_host *h);

/* ---- variants.c: sizes that are known ---- */

/* Does the variant know anything of the arguments of a kernel? */
bool ix_host_knows(const ix_host *h, size_t kernel, size_t variant);
/* What it knows, in place of what the arguments "a" say: the same numbers. */
void ix_host_put_known(ix_host *h, size_t kernel, size_t variant);
/* What a kernel's function "start" is called, of variant 0, which knows
 * nothing, or of one that is counted from 1: "ilex_call_0_fixed_1". */
void ix_host_put_variant_name(ix_host *h, const char *start, size_t kernel,
                              size_t variant);
/* The table of all of them, called "start" with "s", by variant. */
void ix_host_put_choice(ix_host *h, const char *start, size_t kernel);
/* A comment that names its sizes. */
void ix_host_put_variant_comment(ix_host *h, size_t variant);
void ix_host_put_variants(ix_host *h);
void ix_host_put_json_variants(const ix_host *h, ix_json *j);
ilex_status ix_host_check_variants(const ix_library *l, ix_error *err);

/* ---- steps.c: how kernels are launched ---- */

void ix_host_put_kernels(ix_host *h);
void ix_host_put_program(ix_host *h);
void ix_host_put_plan(ix_host *h);

/* ---- grid.c: kernels of a device ---- */

/* The function that starts a kernel with any arguments, or with those of a
 * variant, counted from 1. */
void ix_host_put_grid_start(ix_host *h, size_t kernel, size_t variant);

/* ---- functions.c: foreign functions ---- */

/* What the header declares, what tables the source has. */
void ix_host_put_functions(ix_host *h);
bool ix_host_needs_elementwise(const ix_host *h);
void ix_host_put_elementwise(ix_host *h);
void ix_host_put_calls(ix_host *h);
/* Can C have functions of these names? */
ilex_status ix_host_check_functions(const ix_library *l, ix_error *err);

/* ---- json.c ---- */

void ix_host_put_json(ix_host *h);

/* ---- fortran.c ---- */

void ix_host_put_fortran(ix_host *h);
/* Letters of a name as Fortran has it. */
size_t ix_host_fortran_length(const char *name);

static inline bool
ix_host_uses_math(const ix_host *h)
{
    return h->source->uses_math && !h->library->freestanding;
}

/* Arguments in the order of flat functions: inputs, then outputs. */
static inline bool
ix_host_is_output(const ix_host *h, size_t i)
{
    return h->c->buffer[i].role == IX_COMPILED_OUTPUT;
}

#endif
