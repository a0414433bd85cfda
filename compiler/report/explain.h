/* SPDX-License-Identifier: MIT
 *
 * What was decided of a program and why, as sentences for users: the parts of
 * `ilexc explain` that a page shows, too. All passes are done.
 */
#ifndef ILEX_COMPILER_EXPLAIN_H
#define ILEX_COMPILER_EXPLAIN_H

#include "compiler/report/facts.h"
#include "compiler/schedule/schedule.h"

/* What all kernels read and write; all zero before the first. */
typedef struct ix_totals {
    ix_traffic read, written;
    ix_usage usage; /* of the last one */
} ix_totals;

/* What a user calls array "i" of the order: its name, or the line that makes
 * it. */
void ix_explain_name(const ix_unit *u, size_t i, ix_text *t);

/* Has it a name or memory, or is it a part of an expression? */
bool ix_explain_is_shown(const ix_unit *u, size_t i);

/* Is it stored? Appends why. */
bool ix_explain_decision(const ix_unit *u, size_t i, ix_text *t);

/* A line of both. */
void ix_explain_array(const ix_unit *u, size_t i, ix_text *t);

/* Lines about a kernel; "before" is the one before it or NULL. */
void ix_explain_kernel(ix_unit *u, const ix_kernel *k, const ix_kernel *before,
                       ix_totals *all, ix_text *t);

/* Lines about what a schedule did to a kernel's loops, or to kernels; NULL:
 * none. */
void ix_explain_schedule(ix_unit *u, const ix_schedule *s, const char *indent,
                         ix_text *t);

/* explain_messages.c: from and to which ranks an argument is sent; the parts of
 * a program with messages. */
void ix_explain_message(const ix_unit *u, const char *name, ix_text *t);
void ix_explain_parts(const ix_unit *u, ix_text *t);

#endif
