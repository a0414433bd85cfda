/* SPDX-License-Identifier: MIT
 *
 * Random programs of a library that was compiled ahead of time, as ahead_main.c
 * makes and runs them with right arguments, wrong.c with wrong ones.
 */
#ifndef ILEX_TESTS_AHEAD_H
#define ILEX_TESTS_AHEAD_H

#include "tests/differential/differential.h"

enum { AHEAD_COUNTS = 16 };

/* An argument as the functions of the library get it, in the program's order
 * of axes; their C is in "glue" of ahead_main.c. */
typedef struct argument {
    void *data;
    int64_t shape[ILEX_MAX_RANK], stride[ILEX_MAX_RANK], origin[ILEX_MAX_RANK];
    int64_t halo[ILEX_MAX_RANK][2];
} argument;

typedef struct call {
    const argument *argument;
    const int64_t *size; /* n, m, k */
    int parts;
    void (*parallel_for)(void *user, void (*body)(void *arg, int64_t i),
                         void *arg, int64_t n);
    void *workspace;
    size_t workspace_bytes;
    char *error;
    size_t error_bytes;
    int64_t *counted;
} call;

/* A program: of the library, and as the reference runs it. */
typedef struct subject {
    diff_recipe recipe;
    ilex_context *ctx;
    ilex_program *p;
    ilex_program *simplified; /* the same by TinyCC: the reference runs what was
                                 written, which may read more */
    ilex_size_binding sizes[DIFF_PARAMS];
    bool has_size[DIFF_PARAMS]; /* else no result depends on it */
    ilex_size_binding
        counted[DIFF_PARAMS + AHEAD_COUNTS]; /* sizes, then these */
    bool has_text;                           /* it is one of texts.def */
    char name[16];
    char fixed[80]; /* sizes that it has code of its own for, or "" */
    int (*run)(const call *c);
    size_t (*room)(const call *c); /* bytes of workspace */
} subject;

void ahead_fail(const subject *s, const char *what, const char *more);
/* Makes the arguments of a run; "b": one for each. False if there is no memory
 * for them. */
bool ahead_buffers(const subject *s, diff_buffer *b, int variant);
/* The storage of argument "i" as its function wants it. */
void ahead_describe(argument *a, const ilex_program *p, size_t i,
                    const diff_buffer *b);
/* Runs parts in another order than they are counted in. */
void ahead_backwards(void *user, void (*body)(void *arg, int64_t i), void *arg,
                     int64_t n);

/* Runs a program with every kind of wrong arguments, by both sides. */
void wrong_try(const subject *s);
/* Prints what came of each kind; "all": each has to have come up. */
void wrong_report(bool all);

#endif
