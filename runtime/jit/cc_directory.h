/* SPDX-License-Identifier: MIT
 *
 * The private directory of a compiler: below ILEX_TMPDIR, TMPDIR or /tmp,
 * whichever is the first that is an absolute path. Who is ended leaves it
 * behind; the next process that makes one there removes it.
 */
#ifndef ILEX_RUNTIME_CC_DIRECTORY_H
#define ILEX_RUNTIME_CC_DIRECTORY_H

#include "lib/base/prelude.h"

typedef struct ix_cc_directory {
    char path[256]; /* "": there is none */
    int fd;         /* open, locked while somebody needs it */
} ix_cc_directory;

/* False and "err" on failure; to be removed in any case. */
bool ix_cc_directory_make(ix_cc_directory *d, ix_error *err);
/* With every file in it, the compiler's too. */
void ix_cc_directory_remove(ix_cc_directory *d);

#endif
