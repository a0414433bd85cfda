/* SPDX-License-Identifier: MIT
 *
 * Writing and building programs that are compiled ahead of time.
 */
#ifndef ILEX_RUNTIME_LIBRARY_H
#define ILEX_RUNTIME_LIBRARY_H

#include "compiler/compiler.h"
#include "ilex/library.h"
#include "lib/base/arena.h"
#include "lib/base/text.h"
#include "lib/graph/context.h"

/* What is asked for, with all that was not said. */
typedef struct ix_library_job {
    ilex_context *ctx;
    ix_arena *arena;
    const char *directory;
    const char **prefix; /* of each program */
    size_t count;
    const char *name; /* of the library */
    ilex_library_kind kind;
    const char *targets; /* NULL: one, the compiler's */
    int fortran, cuda, lines;
    const char *sizes; /* groups of sizes that are known; NULL: none */
    bool *concerned;   /* by each group: one program at least */
} ix_library_job;

/* variants.c: the groups of sizes that concern a program go into "l"; "last":
 * it is the last program, and all must have concerned one by now. */
ilex_status ix_library_variants(ix_library_job *j, ix_library *l, bool last);

/* build.c: compiles and links the files that were written. */
ilex_status ix_library_build(ix_library_job *j);

/* Is it a list of targets? */
ilex_status ix_library_check_targets(const ix_library_job *j);

#endif
