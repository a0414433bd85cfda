/* SPDX-License-Identifier: MIT
 *
 * Random numbers (splitmix64), sizes and elements.
 */
#include <math.h>
#include <string.h>

#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

const char *const diff_param_names[DIFF_PARAMS] = {"n", "m", "k"};

diff_random
diff_random_of(uint64_t a, uint64_t b, uint64_t c)
{
    diff_random r = {a * 0x9e3779b97f4a7c15u + 1};
    r.state ^= diff_bits(&r) + b * 0xbf58476d1ce4e5b9u;
    r.state ^= diff_bits(&r) + c * 0x94d049bb133111ebu;
    diff_bits(&r);
    return r;
}

uint64_t
diff_bits(diff_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int
diff_draw(diff_random *r, int n)
{
    return (int)((diff_bits(r) >> 33) % (uint64_t)n);
}

int
diff_between(diff_random *r, int low, int high)
{
    return low + diff_draw(r, high - low + 1);
}

bool
diff_chance(diff_random *r, int percent)
{
    return diff_draw(r, 100) < percent;
}

/* Half of the groups assume that sizes are at least 4, so that halos and
 * windows fit; the others meet 0 and 1. */
diff_sizes
diff_sizes_of(uint64_t seed, uint64_t group)
{
    diff_random r = diff_random_of(seed, group, 77);
    diff_sizes s = {.least = diff_chance(&r, 60) ? 4 : diff_draw(&r, 2)};
    for (int i = 0; i < DIFF_PARAMS; i++)
        s.value[i] = s.least + diff_draw(&r, 6);
    return s;
}

/* ---- elements ---- */

static double
random_real(diff_random *r, int style, bool single)
{
    static const double special[] = {
        0.0,          -0.0,          INFINITY,
        -INFINITY,    NAN,           1.0,
        -1.0,         0.5,           -0.5,
        1e-310,       5e-324,        1e300,
        3e38,         -3e38,         1e-40,
        2147483648.0, -2147483649.0, 9223372036854775808.0,
        -9.3e18,      255.5,         -128.5,
        0.1,          1e10,          2.5,
        -1.5};
    if (style == 2 && diff_chance(r, 40)) {
        double v = special[diff_draw(r, (int)IX_COUNT(special))];
        return single ? (double)(float)v : v;
    }
    double v = (double)diff_between(r, -16, 16) * 0.25;
    if (style == 0)
        return v;
    uint64_t bits = diff_bits(r) >> 12 | (uint64_t)0x3ff << 52;
    memcpy(&v, &bits, sizeof v);
    v = ldexp(diff_chance(r, 50) ? -v : v, diff_between(r, -6, 8));
    return single ? (double)(float)v : v;
}

static ix_value
random_integer(diff_random *r, ilex_dtype dtype, int style)
{
    ix_value v = {.i = diff_between(r, -9, 9)}, w;
    if (style == 1 || (style == 2 && diff_chance(r, 40)))
        v.i = (int64_t)diff_bits(r);
    if (style == 2 && diff_chance(r, 30))
        v.i = (int64_t)((uint64_t)1 << (8 * ilex_dtype_bytes(dtype) - 1));
    else if (style == 2 && diff_chance(r, 20))
        v.i = (int64_t)(((uint64_t)1 << (8 * ilex_dtype_bytes(dtype) - 1)) - 1);
    ix_cast_eval(ILEX_I64, dtype, &v, &w);
    return w;
}

void
diff_element(diff_random *r, ilex_dtype dtype, int style, void *element)
{
    ix_value v = {.i = 0};
    bool single = dtype == ILEX_F32 || dtype == ILEX_C64;
    if (dtype == ILEX_BOOL) {
        *(unsigned char *)element =
            (unsigned char)(style == 2 ? diff_draw(r, 3) * 85
                                       : diff_draw(r, 2));
        return;
    }
    if (ix_dtype_is_integer(dtype)) {
        v = random_integer(r, dtype, style);
    } else {
        v.f = random_real(r, style, single);
        if (ix_dtype_is_complex(dtype))
            v.im = random_real(r, style, single);
    }
    ix_value_store(dtype, element, v);
}

void
diff_shuffle(ilex_binding *b, size_t n, int seed)
{
    diff_random r = diff_random_of((uint64_t)seed, n, 9);
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)diff_draw(&r, (int)i);
        ilex_binding last = b[i - 1];
        b[i - 1] = b[k];
        b[k] = last;
    }
}
