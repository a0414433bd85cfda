/* SPDX-License-Identifier: MIT
 *
 * From a unit to a compiled program that points to nothing of the context.
 */
#ifndef ILEX_COMPILER_FINISH_H
#define ILEX_COMPILER_FINISH_H

#include "compiler/compiler.h"
#include "compiler/unit.h"

/* Fills "c", whose arena jumps when memory runs out. */
bool ix_finish(ix_unit *u, ix_compiled *c, const ix_compile_request *request);

/* bytecode.c: the stages' bodies as bytecode. */
void ix_make_bytecode(ix_unit *u, ix_compiled *c);

/* copies.c: what a kernel copies, if it does nothing else. */
void ix_finish_copies(const ix_unit *u, const ix_kernel *k, ix_compiled *c,
                      ix_compiled_kernel *to);

/* nonempty.c: the reductions that need an element. */
void ix_finish_nonempty(ix_unit *u, ix_compiled *c);

/* steps.c: what a run does with all that. */
void ix_make_steps(ix_compiled *c);

/* copy.c: all buffers; the names of a buffer's axes, for messages. */
void ix_finish_buffers(ix_unit *u, ix_compiled *c);
void ix_finish_axes(const ix_unit *u, ix_compiled *c, const ix_buffer *b,
                    ix_compiled_buffer *to);

/* forms.c: something uses a size, and thereby what it is computed from. */
void ix_finish_size(ix_compiled *c, int64_t param);
/* A copy of a linear form in the compiled program's arena. */
const ix_lin *ix_finish_lin(ix_compiled *c, const ix_lin *a);
ix_range ix_finish_range(ix_compiled *c, const ix_axis *ax);
/* Copies of locations, sorted. */
void ix_finish_locations(ix_compiled *c, ix_source_locations *from,
                         ix_source_location **to, size_t *count);

#endif
