/* SPDX-License-Identifier: MIT
 *
 * Element types as others write them: type strings of NumPy and formats of
 * Python buffers. Both are a byte order followed by what fixes kind and size.
 */
#include "runtime/files/formats.h"

#include "lib/ops/dtype.h"

static bool
big_endian(void)
{
    uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 0;
}

bool
ix_typestr_read(const char *text, ilex_dtype *dtype, bool *swapped)
{
    char canonical[8] = "|";
    size_t n = strlen(text);
    if (n < 2 || n >= sizeof canonical)
        return false;
    strcpy(canonical + 1, text + 1);
    bool single = ix_dtype_find_numpy(canonical, n, dtype);
    canonical[0] = '<';
    if (!strchr(single ? "|<>=" : "<>=", *text) ||
        (!single && !ix_dtype_find_numpy(canonical, n, dtype)))
        return false;
    *swapped = !single && *text != '=' && (*text == '>') != big_endian();
    return true;
}

ilex_status
ilex_typestr_read(const char *text, ilex_dtype *dtype, int *swapped)
{
    bool other;
    if (!text || !dtype)
        return ILEX_E_ARGUMENT;
    if (!ix_typestr_read(text, dtype, &other))
        return ILEX_E_UNSUPPORTED;
    if (swapped)
        *swapped = other;
    return ILEX_OK;
}

void
ilex_typestr_write(ilex_dtype dtype, char text[8])
{
    text[0] = 0;
    if (ilex_dtype_bytes(dtype) == 0 || dtype == ILEX_BF16)
        return;
    strcpy(text, ix_dtype_numpy(dtype));
    if (text[0] == '<' && big_endian())
        text[0] = '>';
}

bool
ix_typestr_known(ilex_dtype dtype, const char *what, ix_error *err)
{
    if (dtype != ILEX_BF16)
        return true;
    return ix_fail_false(err, ILEX_E_UNSUPPORTED,
                         "%s: bf16 is no type of NumPy; convert the elements "
                         "to f32, or hand them over by DLPack",
                         what);
}

/* ---- formats of buffers ---- */

/* Bytes as this machine's C has them, and as they are after '<', '>', '='
 * and '!'; 0: not allowed there. */
static const struct {
    char code, kind;
    unsigned char native, standard;
} formats[] = {
    {'?', 'b', sizeof(bool), 1},
    {'b', 'i', 1, 1},
    {'B', 'u', 1, 1},
    {'h', 'i', sizeof(short), 2},
    {'H', 'u', sizeof(short), 2},
    {'i', 'i', sizeof(int), 4},
    {'I', 'u', sizeof(int), 4},
    {'l', 'i', sizeof(long), 4},
    {'L', 'u', sizeof(long), 4},
    {'q', 'i', sizeof(long long), 8},
    {'Q', 'u', sizeof(long long), 8},
    {'n', 'i', sizeof(ptrdiff_t), 0},
    {'N', 'u', sizeof(size_t), 0},
    {'e', 'f', 2, 2},
    {'f', 'f', sizeof(float), 4},
    {'d', 'f', sizeof(double), 8},
};

/* The dtype of one "code", the part of a complex number if "complex". */
static bool
find_format(char code, bool complex, bool native, ilex_dtype *dtype)
{
    for (size_t i = 0; i < IX_COUNT(formats); i++) {
        if (formats[i].code != code)
            continue;
        size_t bytes = native ? formats[i].native : formats[i].standard;
        if (complex)
            return formats[i].kind == 'f' && ix_dtype_of('c', 2 * bytes, dtype);
        return ix_dtype_of(formats[i].kind, bytes, dtype);
    }
    return false;
}

ilex_status
ilex_format_read(const char *text, ilex_dtype *dtype, int *swapped)
{
    const char *p = text ? text : "B";
    char order = '@';
    if (!dtype)
        return ILEX_E_ARGUMENT;
    if (*p && strchr("@=<>!", *p))
        order = *p++;
    bool complex = *p == 'Z';
    p += complex;
    if (!*p || p[1] || !find_format(*p, complex, order == '@', dtype))
        return ILEX_E_UNSUPPORTED;
    bool big = order == '>' || order == '!';
    if (swapped)
        *swapped = ilex_dtype_bytes(*dtype) > 1 && order != '@' &&
                   order != '=' && big != big_endian();
    return ILEX_OK;
}
