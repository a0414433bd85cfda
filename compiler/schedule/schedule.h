/* SPDX-License-Identifier: MIT
 *
 * Schedules: which loops of kernels are transformed, as text. A directive is a
 * line, whose syntax is the text of its row in loops.def; those that were
 * carried out are noted with the kernel.
 */
#ifndef ILEX_COMPILER_SCHEDULE_H
#define ILEX_COMPILER_SCHEDULE_H

#include "compiler/loop/loop.h"

/* What was done to a kernel's loops, or to kernels, with the names they had
 * then. */
typedef struct ix_schedule {
    ix_directive *item;
    size_t n, capacity;
    const char *refused; /* a directive of the policy that was not, and why; or
                            NULL */
} ix_schedule;

/* ---- directives.c ---- */

/* Reads a directive of "length" characters, for loops or for kernels, as row
 * "like" is; false with what is wrong about it, a sentence. */
bool ix_directive_parse(ix_unit *u, const char *text, size_t length,
                        ix_loop_row like, ix_directive *d, ix_text *wrong);
/* Puts it as such a text; what it means, as a sentence. */
void ix_directive_put(const ix_directive *d, ix_text *t);
void ix_directive_explain(const ix_directive *d, ix_text *t);
/* "jam i0 is refused (shape): ..." */
void ix_refusal_put(const ix_directive *d, ix_refusal r, ix_text *t);

/* ---- carry.c ---- */

/* Carries out a directive of a kernel and notes it; with a star behind the name
 * of its only loop for each that is called so. */
ix_refusal ix_schedule_carry(ix_unit *u, ix_kernel *k, const ix_directive *d);
/* The same for a policy: LOOP in the text is the loop at the cursor, which then
 * is where the transformation leaves it, LOOP2 that at the next one. A refusal
 * is noted, and false. */
bool ix_schedule_at(ix_unit *u, ix_cursor *c, const char *text);
/* The same with the names of loops in the text; "optional": only if there are
 * such loops. */
bool ix_schedule_text(ix_unit *u, ix_kernel *k, const char *text,
                      bool optional);

/* A kernel as it was before directives that may be no use: they are carried out
 * on a copy of its statements. Undone, none was. */
typedef struct ix_attempt {
    ix_stmt *body;
    size_t n, nvariables;
    int nvalues;
} ix_attempt;
ix_attempt ix_attempt_begin(ix_unit *u, ix_kernel *k);
void ix_attempt_undo(ix_kernel *k, const ix_attempt *a);

/* Adds a directive to those that were carried out. */
void ix_schedule_note(ix_unit *u, ix_schedule **of, const ix_directive *d);

/* ---- kernels.c ---- */

/* The kernel of a name of "n" characters, or NULL. */
ix_kernel *ix_kernel_called(const ix_unit *u, const char *name, size_t n);
/* Carries out a directive for the program and notes it; kernels are numbered
 * anew. */
ix_refusal ix_kernels_carry(ix_unit *u, const ix_directive *d);
/* Those that were, with a line "program:" before; nothing if there are none. */
void ix_kernels_put(ix_unit *u, ix_text *t);

/* Is option schedule a text, which is lines? That of an empty file is none. */
bool ix_schedule_has_text(const ix_unit *u);

/* ---- file.c ---- */

/* Carries out what a text says of kernels' loops, until the first directive
 * that is wrong or refused, which is an error. "head" gets the line in which
 * those of each kernel begin, 0 if it names none. Where "head" is NULL: what it
 * says of the program, whose schedule then is not NULL if it says anything. */
bool ix_schedule_read(ix_unit *u, const char *text, int *head);

/* ---- operands.c, program.c, rows.c, pipelines.c, policy.c, products.c,
 * transposes.c, functions.c, streams.c, scans.c, grid.c ---- */

/* Has operands of contractions copied; reductions cut, neighbours merged; those
 * that work on the same rows fused. */
void ix_policy_operands(ix_unit *u);
void ix_policy_program(ix_unit *u);
/* "fuse" of a kernel and the next one. */
ix_directive ix_fuse_next(ix_unit *u, const ix_kernel *a);
void ix_policy_rows(ix_unit *u);
/* What the kernel alone uses is memory of an iteration of the loop. */
void ix_policy_shrink(ix_unit *u, ix_cursor *c);
/* Threads divide the columns of a pipeline, whose stages are kernels; the last
 * of them computes all, where a text has no line, "head", of its loops. */
void ix_policy_pipelines(ix_unit *u);
void ix_policy_stages(ix_unit *u, const int *head);
/* Transforms the loops of a kernel as is best for the target. */
void ix_policy(ix_unit *u, ix_kernel *k);
/* Blocks of a contraction; false: the kernel is none. */
bool ix_policy_product(ix_unit *u, ix_kernel *k);
/* Blocks of what is transposed; false: nothing is. */
bool ix_policy_transpose(ix_unit *u, ix_kernel *k);
/* An output that the kernel's points store goes past the caches. */
void ix_policy_stream(ix_unit *u, ix_kernel *k);
/* Points of elementary functions of one another; false: there are none. */
bool ix_policy_functions(ix_unit *u, ix_kernel *k);
/* Contractions are there for one chunk, without partial results, too. */
void ix_policy_versions(ix_unit *u);
void ix_policy_scan(ix_unit *u, ix_kernel *k);
/* Before: puts the last axis inside the levels. */
void ix_policy_levels(ix_unit *u, ix_cursor c);
/* The grid of a GPU, around what has none. */
void ix_policy_grid(ix_unit *u, ix_kernel *k);

/* ---- memory.c ---- */

/* Puts large arrays of scratch memory into the workspace. */
void ix_scratch_place(ix_unit *u, ix_kernel *k);

/* ---- schedule.c ---- */

/* Directives, each a line. */
void ix_directives_put(const ix_schedule *s, ix_text *t);

/* The schedules of all kernels, which option schedule takes back; then the
 * names of their loops, as a comment. */
void ix_schedule_put(ix_unit *u, ix_text *t);

#endif
