/* SPDX-License-Identifier: MIT
 *
 * Who compiles for what: the parts of a key that say which machine code comes
 * out of a source.
 */
#ifndef ILEX_RUNTIME_CACHE_IDENTITY_H
#define ILEX_RUNTIME_CACHE_IDENTITY_H

#include "lib/base/text.h"

/* Appends the architecture, the system, and what this processor can do: what
 * -march=native stands for. */
void ix_cache_put_machine(ix_text *t);

/* Appends which file the compiler "path" is: where links lead, size, inode and
 * time of change. False and "why" if there is no such file. */
bool ix_cache_put_compiler(const char *path, ix_text *t, ix_error *why);

#endif
