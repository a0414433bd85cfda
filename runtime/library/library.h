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

/* A file that is to be written. */
typedef struct ix_library_printed ix_library_printed;

/* What is asked for, with all that was not said. */
typedef struct ix_library_job {
    ilex_context *ctx;
    ix_arena *arena;
    const char *directory;
    const char *const *names; /* of the programs; NULL: their own */
    const char **prefix;      /* of each program */
    size_t count;
    const char *name;    /* of the library */
    const char *support; /* of what several programs share; NULL: nothing */
    ilex_library_kind kind;
    const char *targets; /* NULL: one, that of option target */
    int fortran, cuda, lines, python, freestanding;
    bool routines; /* a program that was compiled calls some of the library */
    bool loops;    /* one has loops */
    const char *sizes; /* groups of sizes that are known; NULL: none */
    bool *concerned;   /* by each group: one program at least */
    ix_library_printed *printed; /* files, the last one first */
} ix_library_job;

/* variants.c: the groups of sizes that concern a program go into "l"; "last":
 * it is the last program, and all must have concerned one by now. */
ilex_status ix_library_variants(ix_library_job *j, ix_library *l, bool last);

/* ---- targets.c ---- */

typedef struct ix_processor {
    const char *name, *flags, *condition;
} ix_processor;
enum {
#define IX_PROCESSOR(name, flags, condition) IX_PROCESSOR_##name,
#include "compiler/target/processors.def"
    IX_NPROCESSORS
};
extern const ix_processor ix_processors[IX_NPROCESSORS];

/* Is it a list of targets? */
ilex_status ix_library_check_targets(const ix_library_job *j);

/* Is the target of that row among the job's? */
bool ix_library_has_target(const ix_library_job *j, int row);

/* The compiler's flags for the target of a library that has one. */
const char *ix_library_flags(const ix_library_job *j);

/* Appends the file of the function "prefix" that calls the best one. */
void ix_library_put_choice(const ix_library_job *j, const char *prefix,
                           ix_text *t);

/* ---- build.c ---- */

/* Does the compiler know the targets that the job names? */
ilex_status ix_library_check_compiler(ix_library_job *j);

/* Compiles and links the files that were written. */
ilex_status ix_library_build(ix_library_job *j);

#endif
