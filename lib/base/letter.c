/* SPDX-License-Identifier: MIT */
#include "lib/base/letter.h"

#include "lib/base/prelude.h"

size_t
ix_utf8(const char *s, size_t n, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = n ? (unsigned char)s[0] : 0;
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | ((unsigned char)s[i] & 0x3fu);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *code = c;
    return length;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool
is_in(const range *r, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n; i++)
        if (code >= r[i].first && code <= r[i].last)
            return true;
    return false;
}

bool
ix_is_shown(uint32_t code)
{
    static const range hidden[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},    {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};
    return !is_in(hidden, IX_COUNT(hidden), code);
}

/* ISO/IEC 9899:2011, D.1 and D.2, beyond ASCII. */
static bool
is_letter(uint32_t code, bool first)
{
    static const range letters[] = {
        {0xa8, 0xa8},       {0xaa, 0xaa},       {0xaf, 0xaf},
        {0xb2, 0xb5},       {0xb7, 0xba},       {0xbc, 0xbe},
        {0xc0, 0xd6},       {0xd8, 0xf6},       {0xf8, 0x167f},
        {0x1681, 0x180d},   {0x180f, 0x1fff},   {0x203f, 0x2040},
        {0x2054, 0x2054},   {0x2070, 0x218f},   {0x2460, 0x24ff},
        {0x2776, 0x2793},   {0x2c00, 0x2dff},   {0x2e80, 0x2fff},
        {0x3004, 0x3007},   {0x3021, 0x302f},   {0x3031, 0x303f},
        {0x3040, 0xd7ff},   {0xf900, 0xfd3d},   {0xfd40, 0xfdcf},
        {0xfdf0, 0xfe44},   {0xfe47, 0xfffd},   {0x10000, 0x1fffd},
        {0x20000, 0x2fffd}, {0x30000, 0x3fffd}, {0x40000, 0x4fffd}};
    static const range marks[] = {
        {0x300, 0x36f}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};
    return is_in(letters, IX_COUNT(letters), code) && ix_is_shown(code) &&
           !(first && is_in(marks, IX_COUNT(marks), code));
}

size_t
ix_name_length(const char *s, size_t n)
{
    size_t at = 0, length;
    uint32_t code;
    if (n > 0 && s[0] >= '0' && s[0] <= '9')
        return 0;
    while ((length = ix_utf8(s + at, n - at, &code)) > 0 &&
           (code < 0x80 ? ix_is_name_byte(s[at]) : is_letter(code, at == 0)))
        at += length;
    return at;
}

size_t
ix_letters(const char *s, size_t n)
{
    size_t letters = 0;
    for (size_t i = 0; i < n; i++)
        letters += ((unsigned char)s[i] & 0xc0) != 0x80;
    return letters;
}

size_t
ix_letters_cut(const char *s, size_t n, size_t most)
{
    size_t at = 0;
    for (size_t letters = 0; at < n; at++)
        if (((unsigned char)s[at] & 0xc0) != 0x80 && letters++ == most)
            break;
    return at;
}
