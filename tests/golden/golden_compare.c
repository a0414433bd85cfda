/* SPDX-License-Identifier: MIT
 *
 * Tolerance classes: whether a value that was computed will do for the one
 * expected. Integers and bool are always compared exactly.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/golden/golden.h"

static const struct {
    const char *name;
    double ulps;
} classes[] = {[GOLDEN_EXACT] = {"exact", 0},
               [GOLDEN_ULP2] = {"ulp2", 2},
               [GOLDEN_ULP4] = {"ulp4", 4},
               [GOLDEN_ULP16] = {"ulp16", 16},
               [GOLDEN_UNDEFINED] = {"undefined", 0}};

golden_tolerance
golden_tolerance_of(const char *name)
{
    int t = 0;
    while (t < GOLDEN_TOLERANCES && strcmp(name, classes[t].name))
        t++;
    return (golden_tolerance)t;
}

const char *
golden_tolerance_name(golden_tolerance t)
{
    return classes[t].name;
}

/* The distance from |x| to the next larger number of the type; from the
 * largest number to the next smaller one. */
static double
unit(double x, bool single)
{
    x = fabs(x);
    if (single) {
        float f = (float)x, next = nextafterf(f, INFINITY);
        return isinf(next) ? (double)f - (double)nextafterf(f, 0)
                           : (double)next - (double)f;
    }
    double next = nextafter(x, INFINITY);
    return isinf(next) ? x - nextafter(x, 0) : next - x;
}

/* The larger magnitude among the finite parts. */
static double
magnitude(const double part[2])
{
    double re = isfinite(part[0]) ? fabs(part[0]) : 0;
    double im = isfinite(part[1]) ? fabs(part[1]) : 0;
    return re > im ? re : im;
}

/* One part; "slack" is what it may differ by, if both are finite. */
static bool
same_part(double got, double want, double slack, bool signs)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return got == want;
    if (slack == 0)
        return got == want && (!signs || !signbit(got) == !signbit(want));
    return fabs(got - want) <= slack;
}

bool
golden_same(ilex_dtype dtype, const void *got, const void *want,
            golden_tolerance tolerance, bool signs)
{
    char kind = golden_kind(dtype);
    golden_value g = golden_load(dtype, got), w = golden_load(dtype, want);
    if (kind != 'f' && kind != 'c')
        return g.bits == w.bits;
    bool single = dtype == ILEX_F32 || dtype == ILEX_C64;
    double slack = classes[tolerance].ulps;
    slack = slack > 0 ? slack * unit(magnitude(w.part), single) : 0;
    return same_part(g.part[0], w.part[0], slack, signs) &&
           same_part(g.part[1], w.part[1], slack, signs);
}

int64_t
golden_array_differs(const golden_array *got, const golden_array *want,
                     golden_tolerance tolerance)
{
    for (int64_t i = 0; i < want->count; i++)
        if (!golden_same(want->dtype, golden_array_at(got, i),
                         golden_array_at(want, i), tolerance, false))
            return i;
    return -1;
}
