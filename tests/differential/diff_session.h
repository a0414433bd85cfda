/* SPDX-License-Identifier: MIT
 *
 * Recipes while they are run, as one program: what diff_run.c and diff_once.c
 * share.
 */
#ifndef ILEX_TESTS_DIFF_SESSION_H
#define ILEX_TESTS_DIFF_SESSION_H

#include "tests/differential/differential.h"

/* What the reference computed for one output. */
typedef struct diff_wanted {
    unsigned char *bytes;
    size_t n;
} diff_wanted;

typedef struct diff_session {
    const diff_recipe *recipes;
    int count;
    const diff_options *o;
    diff_verdict *verdicts;
    diff_totals *totals;
    ilex_context *ctx;
    ilex_module *module;
    diff_shop *shops;
    ilex_size_binding sizes[DIFF_PARAMS];
    size_t narguments;
    diff_wanted *want; /* by argument; NULL before the reference ran */
    int variant;
    bool refused;   /* by the compiler, all alone */
    bool broken;    /* the program as a whole failed: look at fewer recipes */
    bool on_device; /* runs go to a GPU */
    bool parts;     /* programs are compiled to be run on parts */
    int round;      /* of runs with other sizes; 0: those of the recipes */
    const diff_part *part; /* of the outputs, NULL: all of them */
    ilex_status *status;   /* all that is wanted of a run; NULL: its results */
} diff_session;

/* Says of recipe "slot" that it failed, if it is the first thing that did. */
void diff_fail(diff_session *s, int slot, const char *where, const char *what);

/* Something failed that may be any recipe's fault. */
void diff_fail_all(diff_session *s, const char *where, ilex_status rc,
                   const char *text);

/* One run over fresh storages; "where" names it in verdicts. */
void diff_run_once(diff_session *s, const ilex_program *p, const char *where,
                   int threads);

#endif
