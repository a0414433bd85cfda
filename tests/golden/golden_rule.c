/* SPDX-License-Identifier: MIT
 *
 * What Ilex promises where NumPy leaves the value to the platform. One row a
 * note of the golden files; every rule is written here a second time, from
 * its description and in plain C, not taken from the library:
 *
 * - integer division by zero gives 0; the smallest integer divided by -1
 *   wraps, and its remainder is 0;
 * - an integer to a negative power is exact for 1 and -1, else 0;
 * - a shift by a negative count or by the width or more gives 0, or -1 for a
 *   negative number shifted to the right;
 * - gcd and lcm that do not fit wrap around;
 * - floating point to integer saturates, and NaN gives 0;
 * - maximum and minimum of equal numbers give the left one, also of zeros.
 */
#include <math.h>
#include <string.h>

#include "tests/golden/golden.h"

/* The operands of a rule, integers already in the dtype of the result. */
typedef struct operands {
    const char *op;
    ilex_dtype out;
    golden_value x, y;
} operands;

/* Bits "v" cut to the dtype and extended again. */
static uint64_t
wrap(ilex_dtype dtype, uint64_t v)
{
    unsigned unused = 64 - 8 * (unsigned)ilex_dtype_bytes(dtype);
    v <<= unused;
    return golden_kind(dtype) == 'i' ? (uint64_t)((int64_t)v >> unused)
                                     : v >> unused;
}

static bool
is_negative(const operands *o, golden_value v)
{
    return golden_kind(o->out) == 'i' && (int64_t)v.bits < 0;
}

/* |v| as an unsigned number. */
static uint64_t
magnitude(const operands *o, golden_value v)
{
    return is_negative(o, v) ? 0 - v.bits : v.bits;
}

static void
divide_by_zero(const operands *o, golden_value *want)
{
    (void)o;
    want->bits = 0;
}

static void
divide_by_minus_one(const operands *o, golden_value *want)
{
    bool quotient = !strcmp(o->op, "floor_divide");
    want->bits = quotient ? wrap(o->out, 0 - o->x.bits) : 0;
}

static void
negative_power(const operands *o, golden_value *want)
{
    want->bits = 0;
    if (o->x.bits == 1)
        want->bits = 1;
    else if (is_negative(o, o->x) && o->x.bits == UINT64_MAX)
        want->bits = o->y.bits & 1 ? UINT64_MAX : 1;
}

static void
shift_too_far(const operands *o, golden_value *want)
{
    bool right = !strcmp(o->op, "right_shift");
    want->bits = right && is_negative(o, o->x) ? UINT64_MAX : 0;
}

static void
divisor_overflow(const operands *o, golden_value *want)
{
    uint64_t x = magnitude(o, o->x), y = magnitude(o, o->y);
    uint64_t a = x, b = y;
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    if (!strcmp(o->op, "gcd"))
        want->bits = wrap(o->out, a);
    else
        want->bits = a ? wrap(o->out, x / a * y) : 0;
}

static void
saturate(const operands *o, golden_value *want)
{
    bool sign = golden_kind(o->out) == 'i';
    int bits = 8 * (int)ilex_dtype_bytes(o->out) - sign;
    double x = o->x.part[0], beyond = ldexp(1, bits);
    uint64_t greatest = UINT64_MAX >> (64 - bits);
    uint64_t least = sign ? ~greatest : 0;
    if (isnan(x))
        want->bits = 0;
    else if (x >= beyond)
        want->bits = greatest;
    else if (x <= (sign ? -beyond : 0))
        want->bits = least;
    else
        want->bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static void
left_zero(const operands *o, golden_value *want)
{
    *want = o->x;
}

static const struct {
    const char *note;
    void (*rule)(const operands *o, golden_value *want);
} rules[] = {
    {"int_div_zero", divide_by_zero}, {"int_min_div_m1", divide_by_minus_one},
    {"int_neg_pow", negative_power},  {"shift_range", shift_too_far},
    {"overflow", divisor_overflow},   {"out_of_range", saturate},
    {"nan_to_int", saturate},         {"signed_zero", left_zero}};

bool
golden_rule(const char *op, const char *note, ilex_dtype out, ilex_dtype xtype,
            const void *x, ilex_dtype ytype, const void *y, void *want)
{
    operands o = {.op = op, .out = out, .x = golden_load(xtype, x)};
    golden_value v = {0, {0, 0}};
    if (y)
        o.y = golden_load(ytype, y);
    for (size_t i = 0; i < GOLDEN_COUNT(rules); i++)
        if (!strcmp(note, rules[i].note)) {
            rules[i].rule(&o, &v);
            golden_store(out, v, want);
            return true;
        }
    return false;
}

/* Operations that have other special values than NumPy, those of Annex G of C99
 * or of its spirit: tests/math/annex_g.tsv has them all. */
static const char *const own_specials[] = {
    "exp2",        /* (max, max): NumPy's angle is rounded */
    "expm1",       /* where a part is infinite, as exp; NumPy has NaN */
    "log1p",       /* (max, max) is finite; NumPy overflows */
    "power",       /* of 0: see doc/functions.md */
    "reciprocal"}; /* of 0 infinite, of (inf, inf) 0; NumPy has NaN */

bool
golden_is_special(const char *op, const char *note)
{
    bool own = false;
    for (size_t i = 0; i < GOLDEN_COUNT(own_specials); i++)
        own |= !strcmp(op, own_specials[i]);
    return !own && !strcmp(note, "cspecial");
}
