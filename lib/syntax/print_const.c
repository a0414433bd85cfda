/* SPDX-License-Identifier: MIT
 *
 * Constants as text: bare literals where the reader gives them their dtype,
 * else with it; every value reads back bit for bit.
 */
#include "lib/ops/dtype.h"
#include "lib/ops/literal.h"
#include "lib/syntax/print_text.h"

/* A real so that reading it as f64 and converting gives "v" again. */
static void
write_real(ix_text *t, double v, bool single)
{
    ix_text probe;
    ix_text_init(&probe, &t->mem);
    ix_text_real(&probe, v, single);
    const char *s = ix_text_string(&probe);
    double back = v;
    if (s && single && v - v == 0)
        ix_text_scan_real(s, &back);
    bool exact = !single || (float)back == (float)v;
    t->failed |= probe.failed;
    ix_text_free(&probe);
    if (v != v && __builtin_signbit(v))
        ix_text_char(t, '-');
    ix_text_real(t, v, single && exact);
}

static bool
is_single(const ilex_array *n)
{
    return ix_dtype_part((ilex_dtype)n->dtype) != ILEX_F64;
}

/* The value without its dtype; of a complex number the real part. */
static void
write_bare(ix_text *t, const ilex_array *n)
{
    ix_value v = ix_const_value(n);
    if (!ix_literal_plain((ilex_dtype)n->dtype, v, t))
        write_real(t, v.f, is_single(n));
}

void
ix_write_const(ix_text *t, const ilex_array *n, bool bare)
{
    ix_value v = ix_const_value(n);
    if (bare || ix_is_weak(n) || n->dtype == ILEX_BOOL) {
        write_bare(t, n);
        return;
    }
    ix_text_format(t, "%s(", ilex_dtype_name((ilex_dtype)n->dtype));
    write_bare(t, n);
    if (ix_dtype_is_complex((ilex_dtype)n->dtype)) {
        ix_text_put(t, ", ");
        write_real(t, v.im, is_single(n));
    }
    ix_text_char(t, ')');
}

bool
ix_write_literal_becomes(const ilex_array *n, ilex_dtype strong)
{
    ix_value v = ix_const_value(n);
    char kind = ix_dtype_kind((ilex_dtype)n->dtype);
    char other = ix_dtype_kind(strong);
    if (kind == 'b')
        return true;
    if (kind == 'u' && v.u > (uint64_t)INT64_MAX)
        return false;
    if (kind == 'c' && (v.im != 0 || __builtin_signbit(v.im)))
        return false;
    if (n->dtype == strong)
        return true;
    if (n->dtype == ILEX_F32 && ix_dtype_is_half(strong))
        return ix_half_number(strong, ix_half_bits(strong, v.f)) == v.f;
    return (n->dtype == ILEX_F64 && other != 'f' && other != 'c') ||
           (n->dtype == ILEX_I64 && other == 'b');
}
