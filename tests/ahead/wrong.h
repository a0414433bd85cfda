/* SPDX-License-Identifier: MIT
 *
 * A run with wrong arguments: numbers that both sides are given, and what can
 * be wrong with them (wrong_kinds.c).
 */
#ifndef ILEX_TESTS_AHEAD_WRONG_H
#define ILEX_TESTS_AHEAD_WRONG_H

#include "tests/ahead/ahead.h"

enum { WRONG_TEXT = 1024 };

typedef struct trial {
    const subject *s;
    int n;          /* arguments */
    diff_buffer *b; /* what they are when they are right */
    argument *a;    /* in memory of the trial; those without axes elsewhere */
    int64_t size[DIFF_PARAMS]; /* -1: not given */
    unsigned char *memory;
    size_t bytes;
    void *workspace; /* NULL: none */
    size_t workspace_bytes;
    size_t least, most; /* bytes that the sides need of it */
    size_t plenty;      /* enough where lengths are wrong, too */
    void *spare; /* so many and 64 more, at a multiple of 64, in a block */
    void *block;
    int parts;
    diff_random r;
} trial;

/* A kind of mistake: makes it, unless the program has nothing of the kind. */
typedef struct wrong_kind {
    const char *name;
    bool (*spoil)(trial *t, int64_t by);
    int64_t by;
} wrong_kind;

extern const wrong_kind wrong_kinds[];
extern const int wrong_count;

/* What one side says of a run. */
typedef struct outcome {
    bool refused; /* there is no such storage */
    int status;
    char text[WRONG_TEXT];
    int64_t counted[AHEAD_COUNTS];
    unsigned char *memory; /* behind it */
} outcome;

/* What is wrong with what both sides did, storages and the function; NULL:
 * nothing. */
const char *wrong_judge(const trial *t, outcome *storages, outcome *function,
                        const unsigned char *before);
/* Memory of zeros. */
void *wrong_allocate(size_t bytes);

#endif
