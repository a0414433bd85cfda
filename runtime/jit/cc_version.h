/* SPDX-License-Identifier: MIT
 *
 * What a compiler says of its version, asked once in a process.
 */
#ifndef ILEX_RUNTIME_CC_VERSION_H
#define ILEX_RUNTIME_CC_VERSION_H

#include "lib/base/prelude.h"

enum { IX_CC_VERSION = 128 };

/* Writes the first line that the compiler "path" prints for --version, "" if it
 * prints none within seconds. Any thread. */
void ix_cc_version(const char *path, char version[IX_CC_VERSION]);

#endif
