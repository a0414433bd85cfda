/* SPDX-License-Identifier: MIT
 *
 * What a shared object must look like before it is handed to the dynamic
 * loader, which trusts its input: see ix_elf_check.
 */
#ifndef ILEX_RUNTIME_ELF_CHECK_H
#define ILEX_RUNTIME_ELF_CHECK_H

#include <stddef.h>

/* NULL when the "size" bytes at "image" are a whole shared object for this
 * machine that runs no code when it is loaded, needs at most libc and libm,
 * names no search path, and asks for no page that is writable and executable;
 * else what is wrong, a static string. */
const char *ix_elf_check(const void *image, size_t size);

#endif
