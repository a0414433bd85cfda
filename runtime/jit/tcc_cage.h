/* SPDX-License-Identifier: MIT
 *
 * The cage of libtcc. The archive passes through tcc_cage.sh, which renames
 * what it asks of the process to the ix_cage_* functions of tcc_cage.c: it
 * cannot exit, open files, read the environment, print, change page
 * protections or keep memory. Its variables are set back before each use.
 */
#ifndef ILEX_RUNTIME_TCC_CAGE_H
#define ILEX_RUNTIME_TCC_CAGE_H

#include "lib/base/prelude.h"

#define tcc_new ix_libtcc_new
#define tcc_set_error_func ix_libtcc_set_error_func
#define tcc_set_options ix_libtcc_set_options
#define tcc_set_output_type ix_libtcc_set_output_type
#define tcc_add_symbol ix_libtcc_add_symbol
#define tcc_compile_string ix_libtcc_compile_string
#define tcc_relocate ix_libtcc_relocate
#define tcc_get_symbol ix_libtcc_get_symbol
#pragma GCC visibility push(hidden)
#include <libtcc.h>
#pragma GCC visibility pop

/* How a visit of the cage ended. */
typedef enum ix_cage_end {
    IX_CAGE_DONE,   /* the body returned */
    IX_CAGE_MEMORY, /* an allocation failed */
    IX_CAGE_EXIT    /* libtcc wanted to end the process */
} ix_cage_end;

/* Calls "body" with "arg" while libtcc is in its first state and takes its
 * memory from "mem"; everything it allocated is freed before the return, so a
 * state needs no tcc_delete. One visit at a time in the process; others wait.
 * A body that does not return is left by longjmp: it must keep what has to be
 * released in "*arg". */
ix_cage_end ix_cage_run(const ix_mem *mem, void (*body)(void *arg), void *arg);

#endif
