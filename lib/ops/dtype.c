/* SPDX-License-Identifier: MIT
 *
 * Element types: names, sizes and promotion, all read from dtypes.def.
 *
 * Promotion has no table of pairs: it follows from kind and width, and the
 * golden file of all pairs checks the rule.
 */
#include "lib/ops/dtype.h"

typedef struct dtype_row {
    const char *name, *numpy;
    char kind;
    unsigned char bytes;
    ilex_dtype part;
} dtype_row;

static const dtype_row rows[ILEX_NDTYPES] = {
#define ILEX_DTYPE(name, text, numpy, kind, bytes, ctype, part)                \
    {text, numpy, kind, bytes, ILEX_##part},
#include "ilex/dtypes.def"
};

/* The row of "dtype"; a row of nothing for a value outside the enum. */
static const dtype_row *
row_of(ilex_dtype dtype)
{
    static const dtype_row none = {"?", "?", '?', 0, ILEX_BOOL};
    return (unsigned)dtype < ILEX_NDTYPES ? &rows[dtype] : &none;
}

size_t
ilex_dtype_bytes(ilex_dtype dtype)
{
    return row_of(dtype)->bytes;
}

const char *
ilex_dtype_name(ilex_dtype dtype)
{
    return row_of(dtype)->name;
}

const char *
ix_dtype_numpy(ilex_dtype dtype)
{
    return row_of(dtype)->numpy;
}

char
ix_dtype_kind(ilex_dtype dtype)
{
    return row_of(dtype)->kind;
}

ilex_dtype
ix_dtype_part(ilex_dtype dtype)
{
    return row_of(dtype)->part;
}

bool
ix_dtype_of(char kind, size_t bytes, ilex_dtype *dtype)
{
    for (unsigned k = 0; k < ILEX_NDTYPES; k++)
        if (rows[k].kind == kind && rows[k].bytes == bytes) {
            *dtype = (ilex_dtype)k;
            return true;
        }
    return false;
}

/* Whether the "length" characters at "name" are the string "text". */
static bool
same_text(const char *name, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

bool
ix_dtype_find(const char *name, size_t length, ilex_dtype *dtype)
{
    for (unsigned k = 0; k < ILEX_NDTYPES; k++)
        if (same_text(name, length, rows[k].name)) {
            *dtype = (ilex_dtype)k;
            return true;
        }
    return false;
}

bool
ix_dtype_find_numpy(const char *name, size_t length, ilex_dtype *dtype)
{
    for (unsigned k = 0; k < ILEX_NDTYPES; k++)
        if (same_text(name, length, rows[k].numpy)) {
            *dtype = (ilex_dtype)k;
            return true;
        }
    return false;
}

/* Whether every value of "dtype" is computed with in single precision. */
static bool
is_single(ilex_dtype dtype)
{
    ilex_dtype part = ix_dtype_part(dtype);
    return ix_dtype_is_real(part) ? part != ILEX_F64
                                  : ilex_dtype_bytes(dtype) <= 2;
}

ilex_dtype
ix_dtype_float(ilex_dtype dtype)
{
    char kind = ix_dtype_kind(dtype);
    if (kind == 'f' || kind == 'c')
        return dtype;
    return is_single(dtype) ? ILEX_F32 : ILEX_F64;
}

/* Promotion of f16 or bf16 with a dtype that is not complex. */
static ilex_dtype
promote_half(ilex_dtype half, ilex_dtype other)
{
    if (ix_dtype_is_integer(other))
        return ilex_dtype_bytes(other) == 1 ? half : ILEX_F32;
    return other == ILEX_F64 ? ILEX_F64 : ILEX_F32;
}

/* Promotion where "a" or "b" is real or complex. */
static ilex_dtype
promote_inexact(ilex_dtype a, ilex_dtype b)
{
    bool complex = ix_dtype_is_complex(a) || ix_dtype_is_complex(b);
    if (!complex && (ix_dtype_is_half(a) || ix_dtype_is_half(b)))
        return ix_dtype_is_half(a) ? promote_half(a, b) : promote_half(b, a);
    bool single = is_single(a) && is_single(b);
    if (complex)
        return single ? ILEX_C64 : ILEX_C128;
    return single ? ILEX_F32 : ILEX_F64;
}

/* The smallest dtype that holds a signed integer of "i" and an unsigned one
 * of "u" bytes; f64 where no integer does. */
static ilex_dtype
promote_signs(size_t i, size_t u)
{
    ilex_dtype result = ILEX_F64;
    size_t bytes = i > u ? i : 2 * u;
    return ix_dtype_of('i', bytes, &result) ? result : ILEX_F64;
}

ilex_dtype
ilex_dtype_promote(ilex_dtype a, ilex_dtype b)
{
    char ka = ix_dtype_kind(a), kb = ix_dtype_kind(b);
    size_t na = ilex_dtype_bytes(a), nb = ilex_dtype_bytes(b);
    if (a == b || kb == 'b')
        return a;
    if (ka == 'b')
        return b;
    if (ka == 'f' || ka == 'c' || kb == 'f' || kb == 'c')
        return promote_inexact(a, b);
    if (ka == kb)
        return na >= nb ? a : b;
    return ka == 'i' ? promote_signs(na, nb) : promote_signs(nb, na);
}
