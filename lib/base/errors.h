/* SPDX-License-Identifier: MIT
 *
 * Errors after the first one, which is the record of its owner (ix_error): kept
 * in order up to a limit, then counted.
 *
 * What tries something out takes a mark before and rewinds to it.
 */
#ifndef ILEX_LIB_ERRORS_H
#define ILEX_LIB_ERRORS_H

#include "lib/base/prelude.h"

enum { IX_ERRORS_KEPT = 20 }; /* with the first */

typedef struct ix_errors {
    ix_mem mem;
    ix_error *item[IX_ERRORS_KEPT - 1];
    size_t n, dropped;
} ix_errors;

typedef struct ix_error_mark {
    bool set; /* is there a first one? */
    size_t n, dropped;
} ix_error_mark;

/* An empty record whose errors after the first go to "more". */
void ix_errors_init(ix_error *first, ix_errors *more, const ix_mem *mem);
void ix_errors_free(ix_errors *more);

/* Records "e": as the first if there is none, else if it is not there yet. */
void ix_errors_add(ix_error *first, const ix_error *e);
/* The same for what a function found: what is wrong with an argument as such
 * (ILEX_E_ARGUMENT, ILEX_E_CONTEXT: NULL, say) may come of an error before, and
 * is not added to one. */
void ix_errors_find(ix_error *first, const ix_error *e);

/* The one recorded last; NULL if there is none. */
ix_error *ix_errors_last(ix_error *first);

/* How many there are, those that were only counted too; the i-th that is kept,
 * or NULL. */
size_t ix_errors_count(const ix_error *first);
const ix_error *ix_errors_get(const ix_error *first, size_t i);

void ix_errors_clear(ix_error *first);

/* Sets the first aside, so that errors from now on are the first again; and
 * puts it back, before these. */
void ix_errors_take(ix_error *first, ix_error *taken);
void ix_errors_restore(ix_error *first, const ix_error *taken);

ix_error_mark ix_errors_mark(const ix_error *first);
/* The code of the last error since the mark, ILEX_OK if there is none. */
ilex_status ix_errors_since(const ix_error *first, ix_error_mark mark);
/* Puts those since the mark, of one text, in the order of their places. */
void ix_errors_sort(ix_error *first, ix_error_mark mark);
/* Forgets what came since the mark. */
void ix_errors_rewind(ix_error *first, ix_error_mark mark);

#endif
