/* SPDX-License-Identifier: MIT
 *
 * Making of an ix_code (see jit.h): either own pages that are filled and then
 * sealed, or a shared object that is loaded from memory. No page is ever
 * writable and executable.
 */
#ifndef ILEX_RUNTIME_CODE_H
#define ILEX_RUNTIME_CODE_H

#include <stddef.h>

#include "runtime/jit/jit.h"

/* Empty code with a count of one; NULL and "err" without memory. */
ix_code *ix_code_new(const ix_mem *mem, ix_error *err);

/* Gives "code" readable and writable pages for "bytes"; once per code. Returns
 * their address, NULL and "err" on failure. */
void *ix_code_pages(ix_code *code, size_t bytes, ix_error *err);

/* Makes the pages readable and executable; false and "err" when the system
 * refuses. */
bool ix_code_seal(ix_code *code, ix_error *err);

/* Loads the shared object of "size" bytes at "image" after ix_elf_check; once
 * per code. False and "err" on failure. */
bool ix_code_load(ix_code *code, const void *image, size_t size, ix_error *err);

/* A new code from the shared object with the functions of the request in
 * "entries"; NULL and "err" on failure. */
ix_code *ix_code_of_object(const ix_mem *mem, const ix_jit_request *req,
                           const void *image, size_t size, void **entries,
                           ix_error *err);

/* Address of a function of a loaded shared object, NULL if there is none. */
void *ix_code_symbol(ix_code *code, const char *name);

/* ---- elf_check.c ----
 *
 * What a shared object must look like before it is handed to the dynamic
 * loader, which trusts its input: see ix_elf_check.
 */

/* NULL when the "size" bytes at "image" are a whole shared object for this
 * machine that runs no code when it is loaded, needs at most libc and libm,
 * names no search path, and asks for no page that is writable and executable;
 * else what is wrong, a static string. */
const char *ix_elf_check(const void *image, size_t size);

#endif
