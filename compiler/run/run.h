/* SPDX-License-Identifier: MIT
 *
 * What a run does, over plain tables of a program: sizes from shapes, checks of
 * arguments, places of temporaries, steps. The text is C that needs nothing of
 * Ilex: runtime/program compiles it (checks.c, walk.c), sources of programs
 * that are compiled ahead of time quote it (compiler/host), so that a message,
 * a check, a rule is there once.
 */
#ifndef ILEX_COMPILER_RUN_H
#define ILEX_COMPILER_RUN_H

#include "compiler/compiler.h"
#include "ilex/function.h"
#include "lib/base/overlap.h"
#include "lib/base/prelude.h"
#include "lib/graph/scalar.h"

#include "compiler/run/tables.inc"

#include "compiler/run/forms.inc"

#include "compiler/run/grid.inc"

#define IX_SHARED

/* Makes c->tables of what was compiled. */
struct ix_unit;
void ix_make_tables(struct ix_unit *u, ix_compiled *c);

/* Lays a run out in memory, which may be NULL; how many words it takes. */
size_t ix_lay_out(ix_state *s, const ix_tables *t, int64_t *memory);

#endif
