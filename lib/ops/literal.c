/* SPDX-License-Identifier: MIT */
#include "lib/ops/literal.h"

#include <stdio.h>

#include "lib/ops/dtype.h"

/* Infinity and NaN of double and of float: what stands before the sign, what
 * stands behind it. */
static const struct {
    const char *cast[2], *inf[2], *nan[2];
} outside[] = {
    [IX_LITERAL_C] = {{"", "(f32)"},
                      {"1e999", "1e999"},
                      {"(1e999 - 1e999)", "(1e999 - 1e999)"}},
    [IX_LITERAL_C_HEADER] = {{"", ""},
                             {"(f64)INFINITY", "INFINITY"},
                             {"(f64)NAN", "NAN"}},
    [IX_LITERAL_CUDA] = {{"", ""},
                         {"__longlong_as_double(0x7ff0000000000000)",
                          "__int_as_float(0x7f800000)"},
                         {"__longlong_as_double(0x7ff8000000000000)",
                          "__int_as_float(0x7fc00000)"}},
};

static void
real_literal(ix_literal_spelling spelling, bool single, double v, ix_text *t)
{
    if (v - v != 0) {
        const char *const *s =
            v != v ? outside[spelling].nan : outside[spelling].inf;
        ix_text_format(t, "(%s%s%s)", outside[spelling].cast[single],
                       v < 0 ? "-" : "", s[single]);
        return;
    }
    bool sign = v < 0 || (v == 0 && 1 / v < 0);
    ix_text_put(t, sign ? "(" : "");
    if (v == 0)
        ix_text_put(t, sign ? "-0.0" : "0.0");
    else
        ix_text_real(t, v, single);
    ix_text_put(t, single ? "f" : "");
    ix_text_put(t, sign ? ")" : "");
}

static void
integer_literal(ilex_dtype dtype, ix_value v, ix_text *t)
{
    if (ix_dtype_kind(dtype) == 'u' || dtype == ILEX_BOOL) {
        ix_text_uint(t, v.u);
        ix_text_put(t, dtype == ILEX_U64 ? "UL" : dtype == ILEX_U32 ? "U" : "");
    } else if (v.i == INT64_MIN) {
        ix_text_put(t, "(-9223372036854775807L - 1)");
    } else {
        const char *wide = dtype == ILEX_I64 ? "L" : "";
        ix_text_format(t, v.i < 0 ? "(%lld%s)" : "%lld%s", (long long)v.i,
                       wide);
    }
}

void
ix_literal_write(ilex_dtype dtype, ix_value v, bool imaginary,
                 ix_literal_spelling spelling, char *text, size_t size)
{
    ilex_dtype part = ix_dtype_part(dtype);
    ix_text t;
    ix_text_init(&t, &ix_mem_default);
    if (ix_dtype_is_half(part))
        ix_text_uint(&t, ix_half_bits(part, v.f));
    else if (ix_dtype_is_real(part))
        real_literal(spelling, part == ILEX_F32, imaginary ? v.im : v.f, &t);
    else
        integer_literal(part, v, &t);
    const char *s = ix_text_string(&t);
    snprintf(text, size, "%s", s ? s : "");
    ix_text_free(&t);
}

bool
ix_literal_plain(ilex_dtype dtype, ix_value v, ix_text *t)
{
    switch (ix_dtype_kind(dtype)) {
    case 'b':
        ix_text_put(t, v.i ? "true" : "false");
        return true;
    case 'i':
        ix_text_int(t, v.i);
        return true;
    case 'u':
        ix_text_uint(t, v.u);
        return true;
    default:
        return false;
    }
}

void
ix_literal_put(const ix_literal *x, ix_text *t)
{
    char text[64];
    if (ix_literal_plain(x->dtype, x->value, t))
        return;
    ix_literal_write(x->dtype, x->value, false, IX_LITERAL_C, text,
                     sizeof text);
    ix_text_put(t, text);
}
