/* SPDX-License-Identifier: MIT
 *
 * What was compiled, as text for people. Nothing of it matters to a run.
 */
#ifndef ILEX_COMPILER_REPORT_H
#define ILEX_COMPILER_REPORT_H

#include "compiler/unit.h"

/* dump.c: the unit at its level */
void ix_dump_unit(const ix_unit *u, ix_text *t);
/* what an array is made of its operands, called as they are in the order */
void ix_dump_array(const ix_unit *u, const ilex_array *n, ix_text *t);

/* explain.c: what was decided and why, for users, when all passes are done */
void ix_explain(ix_unit *u, ix_text *t);

/* describe.c: what queries tell of it. */
void ix_describe(ix_unit *u, ix_compiled *c);

/* workspace.c: bytes of temporary "i", of one thread, and of the workspace;
 * false, without an error, where that is more than 64 bits or no formula. */
bool ix_put_bytes(ix_unit *u, size_t i, ix_text *t);
bool ix_put_workspace(ix_unit *u, ix_text *t);

#endif
