/* SPDX-License-Identifier: MIT
 *
 * The elementary functions as whatever compiler makes of their text: prints
 * "name hash hash", of the results on f64 and on f32 for the first "count"
 * arguments of functions.def, then those on c128 and c64 for all operands of
 * complex.def.
 *
 *     hash [count]
 *
 * Fails where those for a million, and of complex ones, are not in the table.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/ops/functions.h"

#include "lib/ops/eval_types.h"
#include "tests/math/complex.h"

/* the order of includes counts */
/* clang-format off */
#define D f64
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_exp.inc"
#include "lib/ops/elementary_log.inc"
#include "lib/ops/elementary_power.inc"
#include "lib/ops/elementary_trig.inc"
#include "lib/ops/elementary_arc.inc"
#include "lib/ops/elementary_gamma.inc"
#undef D
#define D f32
#include "lib/ops/functions_real.inc"
#include "lib/ops/elementary_f32.inc"
#undef D
#define D c128
#include "lib/ops/functions_complex.inc"
#include "lib/ops/functions_root.inc"
#include "lib/ops/functions_c128.inc"
#include "lib/ops/functions_power.inc"
#undef D
#define D c64
#include "lib/ops/functions_complex.inc"
#include "lib/ops/functions_c64.inc"
#undef D
/* clang-format on */

enum { BLOCK = 1000 };

static double x[BLOCK], y[BLOCK], z[BLOCK];
static float xf[BLOCK], yf[BLOCK], zf[BLOCK];

#define MATH_1(ENUM, name, ...)                                                \
    static void name##_on_f64(void)                                            \
    {                                                                          \
        for (int i = 0; i < BLOCK; i++)                                        \
            z[i] = name##_f64(x[i]);                                           \
    }                                                                          \
    static void name##_on_f32(void)                                            \
    {                                                                          \
        for (int i = 0; i < BLOCK; i++)                                        \
            zf[i] = name##_f32(xf[i]);                                         \
    }
#define MATH_2(ENUM, name, ...)                                                \
    static void name##_on_f64(void)                                            \
    {                                                                          \
        for (int i = 0; i < BLOCK; i++)                                        \
            z[i] = name##_f64(x[i], y[i]);                                     \
    }                                                                          \
    static void name##_on_f32(void)                                            \
    {                                                                          \
        for (int i = 0; i < BLOCK; i++)                                        \
            zf[i] = name##_f32(xf[i], yf[i]);                                  \
    }
#include "tests/math/functions.def"

typedef struct range {
    double low, high, low2, high2;
    int arity;
} range;

static uint64_t
hash_of(void (*loop)(void), range f, int single, long count)
{
    math_random r = math_start();
    uint64_t hash = 0;
    for (; count > 0; count -= BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            x[i] = math_argument(&r, f.low, f.high, single);
            xf[i] = (float)x[i];
            x[i] = single ? (double)xf[i] : x[i];
            y[i] = f.arity > 1 ? math_second(&r, x[i], f.low2, f.high2, single)
                               : 0;
            yf[i] = (float)y[i];
        }
        loop();
        for (int i = 0; i < BLOCK; i++)
            hash = math_hash(hash, single ? (double)zf[i] : z[i]);
    }
    return hash;
}

static int
differs(const char *name, void (*on_f64)(void), void (*on_f32)(void), range f,
        const uint64_t *want, long count)
{
    uint64_t hash[2] = {hash_of(on_f64, f, 0, count),
                        hash_of(on_f32, f, 1, count)};
    printf("%s 0x%llx 0x%llx\n", name, (unsigned long long)hash[0],
           (unsigned long long)hash[1]);
    return count == 1000000 && (hash[0] != want[0] || hash[1] != want[1]);
}

/* ---- complex ones ---- */

typedef void on_pair(const double *x, const double *y, double *z);

#define COMPLEX_CALL_1(name, x, y, z) name(x[0], x[1], &z[0], &z[1])
#define COMPLEX_CALL_2(name, x, y, z) name(x[0], x[1], y[0], y[1], &z[0], &z[1])
#define COMPLEX(ENUM, name, arity, re, im, on_c128, on_c64)                    \
    static void name##_on_c128(const double *x, const double *y, double *z)    \
    {                                                                          \
        (void)y;                                                               \
        COMPLEX_CALL_##arity(name##_c128, x, y, z);                            \
    }                                                                          \
    static void name##_on_c64(const double *v, const double *w, double *z)     \
    {                                                                          \
        float p[2] = {(float)v[0], (float)v[1]}, r[2];                         \
        float q[2] = {(float)w[0], (float)w[1]};                               \
        (void)q;                                                               \
        COMPLEX_CALL_##arity(name##_c64, p, q, r);                             \
        z[0] = (double)r[0];                                                   \
        z[1] = (double)r[1];                                                   \
    }
#include "tests/math/complex.def"

static uint64_t
hash_of_pairs(on_pair *call, int arity, double re, double im, int single)
{
    math_random r = math_start();
    uint64_t hash = 0;
    for (int i = 0; i < COMPLEX_OPERANDS; i++) {
        double v[2], w[2] = {0, 0}, result[2];
        math_complex(&r, re, im, single, v);
        if (arity > 1)
            math_complex(&r, re, im, single, w);
        call(v, w, result);
        hash = math_hash(math_hash(hash, result[0]), result[1]);
    }
    return hash;
}

static int
pairs_differ(const char *name, int arity, double re, double im,
             on_pair *const *calls, const uint64_t *want)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++)
        hash[k] = hash_of_pairs(calls[k], arity, re, im, k);
    printf("complex %s 0x%llx 0x%llx\n", name, (unsigned long long)hash[0],
           (unsigned long long)hash[1]);
    return hash[0] != want[0] || hash[1] != want[1];
}

int
main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000000;
    int wrong = 0;
#define MATH_1(ENUM, name, libm, mpfr, low, high, ulp, ulp32, hash64, hash32)  \
    wrong += differs(#name, name##_on_f64, name##_on_f32,                      \
                     (range){low, high, 0, 0, 1},                              \
                     (uint64_t[]){hash64, hash32}, count);
#define MATH_2(ENUM, name, libm, mpfr, low, high, low2, high2, ulp, ulp32,     \
               hash64, hash32)                                                 \
    wrong += differs(#name, name##_on_f64, name##_on_f32,                      \
                     (range){low, high, low2, high2, 2},                       \
                     (uint64_t[]){hash64, hash32}, count);
#include "tests/math/functions.def"
#define COMPLEX(ENUM, name, arity, re, im, on_c128, on_c64)                    \
    wrong += pairs_differ(#name, arity, re, im,                                \
                          (on_pair *[]){name##_on_c128, name##_on_c64},        \
                          (uint64_t[]){on_c128, on_c64});
#include "tests/math/complex.def"
    return wrong != 0;
}
