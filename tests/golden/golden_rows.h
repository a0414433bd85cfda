/* SPDX-License-Identifier: MIT
 *
 * Files whose rows are arrays in, one array or an error out: what a row means
 * is up to the file, how it is run and judged is the same.
 */
#ifndef ILEX_TESTS_GOLDEN_ROWS_H
#define ILEX_TESTS_GOLDEN_ROWS_H

#include "tests/golden/golden.h"

typedef struct golden_row_layout {
    /* Fills in all of a case but the result; or says what is wrong. */
    const char *(*make_case)(char **row, golden_case *c);
    /* Why the row is not run, or NULL; NULL itself: all are run. */
    const char *(*skip)(char **row);
    int what[3];              /* columns that failures show */
    int status, result, note; /* columns */
    int tolerance;            /* column, -1: all are exact */
} golden_row_layout;

/* The arrays of a list separated by ';' as operands; or what is wrong. */
const char *golden_rows_operands(golden_case *c, const char *text);

/* Runs every row of "t" as a case of its own and judges it. */
void golden_rows_run(const golden_table *t, golden_report *r,
                     const golden_row_layout *l);

#endif
