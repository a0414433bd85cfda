/* SPDX-License-Identifier: MIT
 *
 * Parts of file formats: headers, type strings, colours.
 */
#ifndef ILEX_RUNTIME_FORMATS_H
#define ILEX_RUNTIME_FORMATS_H

#include "ilex/exchange.h"
#include "lib/base/prelude.h"
#include "lib/base/text.h"

/* ---- npy_header.c ----
 *
 * The header of a .npy file.
 *
 * Layout of a file: the 6 bytes "\x93NUMPY", version (2 bytes), length of the
 * dictionary (2 bytes in version 1, else 4, little-endian), the dictionary as
 * Python text padded with blanks and ended by a newline, the elements.
 */

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

/* npy.c: a file that is read: "path" and "err" are the caller's. */
typedef struct ix_npy_source {
    const char *path;
    int fd;
    int64_t bytes;  /* of the file */
    int64_t header; /* of it before the elements */
    ix_error *err;
} ix_npy_source;

/* Opens it, reads its header, which fits its length; the caller closes "fd". */
ilex_status ix_npy_open(ix_npy_source *in, const ix_mem *mem, ix_npy_header *h);
/* "n" elements as they were in the file, in the order of this machine. */
void ix_npy_swap(const ix_npy_header *h, char *p, int64_t n);

/* ---- typestr.c ----
 *
 * Type strings, "<f8": byte order, kind, bytes.
 */

/* The dtype that "text" names, where single bytes may have any order and
 * others one of "<>="; false if there is none. "*swapped": the bytes are in
 * the other order than this machine's. */
/* Has NumPy the dtype? An error of "what" if not. */
bool ix_typestr_known(ilex_dtype dtype, const char *what, ix_error *err);

bool ix_typestr_read(const char *text, ilex_dtype *dtype, bool *swapped);

/* ---- png_map.c ----
 *
 * Colour maps: 256 palette entries, the first for NaN, the others a ramp.
 */

enum { IX_PNG_COLOURS = 256 };

/* Fills in the map called "name" (NULL: grey). */
ilex_status ix_png_map(const char *name, unsigned char rgb[IX_PNG_COLOURS][3],
                       ix_error *err);

#endif
