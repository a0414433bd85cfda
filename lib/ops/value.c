/* SPDX-License-Identifier: MIT
 *
 * Scalar values without arithmetic: loading, storing, comparing, and the
 * constants with which reductions start or that stand for an empty range.
 */
#include <float.h>
#include <math.h>

#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

/* The part of type "part" at "p" as a value. */
static ix_value
load_part(ilex_dtype part, const void *p)
{
    ix_value v = {.u = 0};
    switch (part) {
#define LOAD(DTYPE, type, member, expression)                                  \
    case ILEX_##DTYPE: {                                                       \
        type raw;                                                              \
        memcpy(&raw, p, sizeof raw);                                           \
        v.member = expression;                                                 \
        break;                                                                 \
    }
        LOAD(BOOL, uint8_t, u, raw != 0)
        LOAD(I8, int8_t, i, raw)
        LOAD(I16, int16_t, i, raw)
        LOAD(I32, int32_t, i, raw)
        LOAD(I64, int64_t, i, raw)
        LOAD(U8, uint8_t, u, raw)
        LOAD(U16, uint16_t, u, raw)
        LOAD(U32, uint32_t, u, raw)
        LOAD(U64, uint64_t, u, raw)
        LOAD(F32, float, f, (double)raw)
        LOAD(F64, double, f, raw)
        LOAD(F16, uint16_t, f, ix_half_number(part, raw))
        LOAD(BF16, uint16_t, f, ix_half_number(part, raw))
#undef LOAD
    default:
        break;
    }
    return v;
}

/* Writes the number of "v" as a part of type "part" to "p". */
static void
store_part(ilex_dtype part, void *p, ix_value v)
{
    float single = part == ILEX_F32 ? (float)v.f : 0;
    uint8_t truth = v.u != 0;
    if (ix_dtype_is_half(part)) {
        uint16_t half = ix_half_bits(part, v.f);
        memcpy(p, &half, sizeof half);
        return;
    }
    const void *raw = part == ILEX_F32    ? (const void *)&single
                      : part == ILEX_BOOL ? (const void *)&truth
                                          : (const void *)&v.u;
    if (ix_dtype_is_integer(part) && ilex_dtype_bytes(part) < sizeof v.u) {
        uint32_t low = (uint32_t)v.u;
        uint16_t half = (uint16_t)v.u;
        uint8_t byte = (uint8_t)v.u;
        size_t n = ilex_dtype_bytes(part);
        memcpy(p,
               n == 4   ? (const void *)&low
               : n == 2 ? (const void *)&half
                        : (const void *)&byte,
               n);
        return;
    }
    memcpy(p, raw, ilex_dtype_bytes(part));
}

ix_value
ix_value_load(ilex_dtype dtype, const void *p)
{
    ilex_dtype part = ix_dtype_part(dtype);
    ix_value v = load_part(part, p);
    if (ix_dtype_is_complex(dtype)) {
        const char *second = (const char *)p + ilex_dtype_bytes(part);
        v.im = load_part(part, second).f;
    }
    return v;
}

void
ix_value_store(ilex_dtype dtype, void *p, ix_value v)
{
    ilex_dtype part = ix_dtype_part(dtype);
    store_part(part, p, v);
    if (ix_dtype_is_complex(dtype)) {
        ix_value second = {.f = v.im};
        store_part(part, (char *)p + ilex_dtype_bytes(part), second);
    }
}

/* Whether two doubles have the same bits or both are NaN. */
static bool
same_double(double a, double b)
{
    uint64_t p, q;
    memcpy(&p, &a, sizeof p);
    memcpy(&q, &b, sizeof q);
    return p == q || (isnan(a) && isnan(b));
}

bool
ix_value_same(ilex_dtype dtype, ix_value a, ix_value b)
{
    char kind = ix_dtype_kind(dtype);
    if (kind == 'c')
        return same_double(a.f, b.f) && same_double(a.im, b.im);
    return kind == 'f' ? same_double(a.f, b.f) : a.u == b.u;
}

/* The number "n" (small, or infinite for floats) in "dtype". */
static ix_value
number(ilex_dtype dtype, double n)
{
    ix_value v = {.f = n}, r;
    ix_cast_eval(ILEX_F64, dtype, &v, &r);
    return r;
}

typedef enum constant {
    C_ZERO,
    C_ONE,
    C_LOWEST,
    C_HIGHEST,
    C_NAN,
    C_ERROR
} constant;

/* The constant that changes nothing, in "dtype": zero is -0.0 for floats; the
 * limits are those of the dtype, infinite for floats, in both parts. */
static ix_value
neutral(constant c, ilex_dtype dtype)
{
    bool floating = ix_dtype_kind(dtype) == 'f' || ix_dtype_is_complex(dtype);
    double n = c == C_LOWEST ? -INFINITY : c == C_HIGHEST ? INFINITY : -0.0;
    ix_value v = number(dtype, c == C_ONE ? 1 : n);
    if (dtype == ILEX_BOOL)
        v.u = c == C_ONE || c == C_HIGHEST;
    if (floating && c != C_ONE)
        v.im = ix_dtype_is_complex(dtype) ? n : 0;
    return v;
}

ix_value
ix_reduction_identity(ix_reduction r, ilex_dtype acc)
{
    static const constant first_of[IX_NREDUCTIONS] = {
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc) C_##first,
#include "ilex/reductions.def"
    };
    return neutral(first_of[r], acc);
}

bool
ix_reduction_empty(ix_reduction r, ilex_dtype result, ix_value *value)
{
    static const constant empty_of[IX_NREDUCTIONS] = {
#define ILEX_REDUCTION(ENUM, name, op, rule, first, empty, doc) C_##empty,
#include "ilex/reductions.def"
    };
    constant c = empty_of[r];
    if (c == C_ERROR)
        return false;
    *value = number(result, c == C_ONE ? 1 : c == C_NAN ? (double)NAN : 0);
    if (c == C_NAN && ix_dtype_is_complex(result))
        value->im = (double)NAN;
    return true;
}
