/* SPDX-License-Identifier: MIT
 *
 * Calls of foreign functions of numbers, for the reference back end: C has no
 * call of a function whose type is known in a run alone, so there is one for
 * each type that there may be.
 */
#include "lib/graph/function.h"
#include "lib/graph/scalar.h"

/* Types of parameters, and arguments: "m" is the member of ix_value. */
#define TYPES_1(t) t
#define TYPES_2(t) TYPES_1(t), t
#define TYPES_3(t) TYPES_2(t), t
#define TYPES_4(t) TYPES_3(t), t
#define TYPES_5(t) TYPES_4(t), t
#define TYPES_6(t) TYPES_5(t), t
#define TYPES_7(t) TYPES_6(t), t
#define TYPES_8(t) TYPES_7(t), t
#define VALUES_1(t, m) (t) x[0].m
#define VALUES_2(t, m) VALUES_1(t, m), (t)x[1].m
#define VALUES_3(t, m) VALUES_2(t, m), (t)x[2].m
#define VALUES_4(t, m) VALUES_3(t, m), (t)x[3].m
#define VALUES_5(t, m) VALUES_4(t, m), (t)x[4].m
#define VALUES_6(t, m) VALUES_5(t, m), (t)x[5].m
#define VALUES_7(t, m) VALUES_6(t, m), (t)x[6].m
#define VALUES_8(t, m) VALUES_7(t, m), (t)x[7].m
_Static_assert(IX_APPLY_OPERANDS == 8, "there is a case for each number");

#define CASE(n, t, m)                                                          \
    case n:                                                                    \
        r.m = ((t(*)(TYPES_##n(t)))f)(VALUES_##n(t, m));                       \
        break;

#define APPLY(t, m)                                                            \
    static ix_value apply_##t(ilex_elementwise_function f, int n,              \
                              const ix_value *x)                               \
    {                                                                          \
        ix_value r = {.i = 0};                                                 \
        switch (n) {                                                           \
            CASE(1, t, m)                                                      \
            CASE(2, t, m)                                                      \
            CASE(3, t, m)                                                      \
            CASE(4, t, m)                                                      \
            CASE(5, t, m)                                                      \
            CASE(6, t, m)                                                      \
            CASE(7, t, m)                                                      \
            CASE(8, t, m)                                                      \
        default:                                                               \
            break;                                                             \
        }                                                                      \
        return r;                                                              \
    }

APPLY(int32_t, i)
APPLY(int64_t, i)
APPLY(uint32_t, u)
APPLY(uint64_t, u)
APPLY(float, f)
APPLY(double, f)

ix_value
ix_function_apply(ilex_elementwise_function f, ilex_dtype dtype, int n,
                  const ix_value *arg)
{
    switch (dtype) {
    case ILEX_I32:
        return apply_int32_t(f, n, arg);
    case ILEX_I64:
        return apply_int64_t(f, n, arg);
    case ILEX_U32:
        return apply_uint32_t(f, n, arg);
    case ILEX_U64:
        return apply_uint64_t(f, n, arg);
    case ILEX_F32:
        return apply_float(f, n, arg);
    default: /* f64: text declares no other */
        return apply_double(f, n, arg);
    }
}
