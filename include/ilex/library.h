/* SPDX-License-Identifier: MIT
 *
 * Programs compiled ahead of time: files that need no Ilex.
 */
#ifndef ILEX_LIBRARY_H
#define ILEX_LIBRARY_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means default. Set `size` to sizeof(ilex_library_spec). */
typedef struct ilex_library_spec {
    size_t size;
    const char *directory; /* it exists (".") */
    const char *prefix;    /* of all names that the files define, and of the
                              files (the name of the program) */
} ilex_library_spec;

/* Writes PREFIX.h, PREFIX.c and PREFIX.json into the directory: a function
 * `int PREFIX(const PREFIX_args *)` that does what ilex_run does with the
 * program, bit for bit, and what belongs to it (doc/ahead_of_time.md). They
 * need a C99 compiler, of C++ too, and where the first line of PREFIX.c says so
 * -lm. Each file appears complete or not at all. The same calls in a new
 * context give the same bytes.
 *
 * Errors: ILEX_E_ARGUMENT, ILEX_E_NAME for a prefix that C does not take,
 * ILEX_E_UNSUPPORTED for programs that count lengths or wrap storages,
 * ILEX_E_FILE, and those of compiling. `spec` may be NULL. Context thread. */
ILEX_API ilex_status ilex_emit_library(ilex_module *module,
                                       const ilex_library_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
