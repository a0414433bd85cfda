/* SPDX-License-Identifier: MIT
 *
 * The header of a .npy file.
 *
 * Layout of a file: the 6 bytes "\x93NUMPY", version (2 bytes), length of the
 * dictionary (2 bytes in version 1, else 4, little-endian), the dictionary as
 * Python text padded with blanks and ended by a newline, the elements.
 */
#ifndef ILEX_RUNTIME_NPY_H
#define ILEX_RUNTIME_NPY_H

#include "lib/base/text.h"

enum { IX_NPY_MOST = 65536 }; /* longest dictionary that is read, in bytes */

typedef struct ix_npy_header {
    ilex_dtype dtype;
    bool swapped; /* bytes are in the other order than this machine's */
    bool fortran;
    int rank;
    int64_t shape[ILEX_MAX_RANK];
} ix_npy_header;

/* Reads the dictionary text[0 .. length); "path" is for messages. */
ilex_status ix_npy_parse(const char *text, size_t length, const char *path,
                         ix_npy_header *h, ix_error *err);

/* Writes magic, version 1, length and dictionary, a multiple of 64 bytes. */
void ix_npy_print(ix_text *t, const ix_npy_header *h);

#endif
