/* SPDX-License-Identifier: MIT
 *
 * What a compiler says of itself, asked once in a process.
 */
#ifndef ILEX_RUNTIME_CC_VERSION_H
#define ILEX_RUNTIME_CC_VERSION_H

#include "lib/base/text.h"

enum { IX_CC_VERSION = 128 };

/* Writes the first line that the compiler "path" prints for --version, "" if it
 * prints none within seconds. Any thread. */
void ix_cc_version(const char *path, char version[IX_CC_VERSION]);

/* Appends the version, and on a second line which file does the work, as it is
 * now: "path" may be a script or ccache, which stay as they are while what they
 * start is exchanged. The line is missing where the compiler does not say. */
void ix_cc_put_maker(const char *path, ix_text *t);

/* Is the second line of what ix_cc_put_maker wrote still true? False and "why".
 * Starts nothing. */
bool ix_cc_is_maker(const char *made, size_t length, const ix_mem *mem,
                    ix_error *why);

#endif
