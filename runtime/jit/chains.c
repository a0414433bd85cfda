/* SPDX-License-Identifier: MIT
 *
 * Rows of accumulators take in products, by vectors of the processor that there
 * is. Each is a chain, so several vectors of them hide how long an fma takes.
 */
#include "runtime/jit/chains.h"

#include <math.h>

#define ARGUMENTS(type)                                                        \
    type *c, int64_t m, const type *b, int64_t s, int64_t u, const type *a,    \
        int64_t t, int64_t n

/* Points from j on, one by one. */
#define SINGLE(type, j, one)                                                   \
    for (; j < m; j++) {                                                       \
        type x = c[j];                                                         \
        for (int64_t r = 0; r < n; r++)                                        \
            x = one(a[r * t], b[r * s + j * u], x);                            \
        c[j] = x;                                                              \
    }

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#define ALL 65535
#else
#define ALL -1
#endif
#define fma_512_double(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, 255, 4)
#define fma_512_float(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, ALL, 4)
#define fma_256_double __builtin_ia32_vfmaddpd256
#define fma_256_float __builtin_ia32_vfmaddps256

/* As many vectors of "v" at a time. */
#define SEVERAL(type, bits, vectors)                                           \
    for (; u == 1 && m - j >= vectors * wide; j += vectors * wide) {           \
        v x[vectors];                                                          \
        _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) x[i] =       \
            *(const v *)&c[j + i * wide];                                      \
        for (int64_t r = 0; r < n; r++) {                                      \
            const v f = a[r * t] - (v){0};                                     \
            const type *const y = &b[r * s + j];                               \
            _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) x[i] =   \
                fma_##bits##_##type(f, *(const v *)&y[i * wide], x[i]);        \
        }                                                                      \
        _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) *            \
            (v *)&c[j + i * wide] = x[i];                                      \
    }

#define CHAIN(type, bits, processor, one)                                      \
    static __attribute__((target(processor))) void chain_##type##_##bits(      \
        ARGUMENTS(type))                                                       \
    {                                                                          \
        typedef type v __attribute__((vector_size(bits / 8), may_alias,        \
                                      aligned(sizeof(type))));                 \
        const int64_t wide = bits / 8 / (int64_t)sizeof(type);                 \
        int64_t j = 0;                                                         \
        SEVERAL(type, bits, 8)                                                 \
        SEVERAL(type, bits, 4)                                                 \
        SEVERAL(type, bits, 1)                                                 \
        SINGLE(type, j, one)                                                   \
    }
CHAIN(double, 512, "avx512f", __builtin_fma)
CHAIN(float, 512, "avx512f", __builtin_fmaf)
CHAIN(double, 256, "avx2,fma", __builtin_fma)
CHAIN(float, 256, "avx2,fma", __builtin_fmaf)

#define BY_VECTORS(type)                                                       \
    if (__builtin_cpu_supports("avx512f")) {                                   \
        chain_##type##_512(c, m, b, s, u, a, t, n);                            \
        return;                                                                \
    }                                                                          \
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {     \
        chain_##type##_256(c, m, b, s, u, a, t, n);                            \
        return;                                                                \
    }
#else
#define BY_VECTORS(type)
#endif

void
ix_chain_f64(ARGUMENTS(double))
{
    int64_t j = 0;
    BY_VECTORS(double)
    SINGLE(double, j, fma)
}

void
ix_chain_f32(ARGUMENTS(float))
{
    int64_t j = 0;
    BY_VECTORS(float)
    SINGLE(float, j, fmaf)
}
