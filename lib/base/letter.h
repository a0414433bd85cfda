/* SPDX-License-Identifier: MIT
 *
 * Letters of names, in UTF-8: those of ASCII, '_', digits but first, and what
 * C11 allows in identifiers beyond ASCII (annex D), so that names are names of
 * C as they are; without what nobody sees.
 */
#ifndef ILEX_BASE_LETTER_H
#define ILEX_BASE_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at "s", of at most "n" bytes; 0: there is none, or it
 * is not well formed. */
size_t ix_utf8(const char *s, size_t n, uint32_t *code);

/* May text show it: no control character, none that turns the direction of
 * what stands behind it? */
bool ix_is_shown(uint32_t code);

/* Bytes of the name that "s" begins with. */
size_t ix_name_length(const char *s, size_t n);

/* Characters of a text; bytes of its first "most" ones. */
size_t ix_letters(const char *s, size_t n);
size_t ix_letters_cut(const char *s, size_t n, size_t most);

/* May the byte be part of a name? */
static inline bool
ix_is_name_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

#endif
