/* SPDX-License-Identifier: MIT
 *
 * A failing program as one file, to be sent to somebody: `ilexc replay FILE`
 * compiles and runs it there and says what happens.
 */
#ifndef ILEX_REPRO_H
#define ILEX_REPRO_H

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ILEX_REPRO_DATA = 1 /* the elements of the storages too, else what replay
                           puts there is made up */
};

/* Writes to "path": the text of the program, the options of its context that
 * are not the default, the first error of the context, or of a call that has
 * one, the version, and of the bindings ("count" may be 0) the numbers, sizes
 * and dtypes, shapes, strides, halos and origins of the storages; those that
 * are one storage stay one. "call" may be NULL; of it threads, sizes and box
 * are written. The file appears complete or not at all.
 *
 * The context may be in error, and keeps its errors. ILEX_E_ARGUMENT, errors of
 * ilex_module_print (programs that wrap storages: ILEX_E_UNSUPPORTED),
 * ILEX_E_FILE, ILEX_E_MEMORY are added to them. Context thread. */
ILEX_API ilex_status ilex_repro(ilex_module *module,
                                const ilex_binding *bindings, size_t count,
                                const ilex_call *call, const char *path,
                                unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
