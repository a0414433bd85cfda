/* SPDX-License-Identifier: MIT
 *
 * Text sink: a growing string. Numbers are written without the locale:
 * integers in decimal, reals from their bits.
 */
#ifndef ILEX_LIB_TEXT_H
#define ILEX_LIB_TEXT_H

#include <stdarg.h>

#include "lib/base/prelude.h"

typedef struct ix_text {
    ix_mem mem;
    char *data; /* NUL-terminated once something was written */
    size_t length, capacity;
    bool failed; /* no memory: what is written from then on is dropped */
} ix_text;

void ix_text_init(ix_text *t, const ix_mem *mem);
void ix_text_free(ix_text *t);

/* The string; "" when nothing was written, NULL when memory ran out. */
const char *ix_text_string(const ix_text *t);

void ix_text_put(ix_text *t, const char *s);
void ix_text_put_n(ix_text *t, const char *s, size_t n);
void ix_text_char(ix_text *t, char c);
void ix_text_int(ix_text *t, int64_t v);
void ix_text_uint(ix_text *t, uint64_t v);

/* As printf; not for reals (their format depends on the locale). */
void ix_text_format(ix_text *t, const char *fmt, ...) IX_PRINTF(2, 3);
void ix_text_vformat(ix_text *t, const char *fmt, va_list args) IX_PRINTF(2, 0);

/* Shortest decimal that reads back as the same double (or float): "0.1",
 * "4.0", "1e-300", "nan", "inf", "-inf". */
void ix_text_real(ix_text *t, double v, bool single);

/* Reads a decimal or hexadecimal real without the locale; returns the number
 * of characters used, 0 if there is none. Correctly rounded. */
size_t ix_text_scan_real(const char *s, double *v);

#endif
