/* SPDX-License-Identifier: MIT
 *
 * Foreign functions of numbers that random programs call, in C and in CUDA. No
 * product is added to anything, so that no compiler rounds it another way.
 */
#include "tests/differential/differential.h"

#define NUMBERS(D)                                                             \
    D(double, pick, (double a, double b), a < b ? a - b : a * 0.5)             \
    D(float, turn, (float a), a > 0 ? -a : a + 1)                              \
    D(long, blend, (long a, long b),                                           \
      (long)((unsigned long)a * 31 ^ (unsigned long)b))                        \
    D(unsigned, wide, (unsigned a, unsigned b, unsigned c), (a << 3) - (b ^ c))

#define DEFINE(type, name, parameters, value)                                  \
    static type diff_##name parameters                                         \
    {                                                                          \
        return value;                                                          \
    }
NUMBERS(DEFINE)

#define SOURCE(type, name, parameters, value)                                  \
    "" #type " diff_" #name #parameters " { return " #value "; }\n"
const char diff_foreign_source[] = NUMBERS(SOURCE);

bool
diff_foreign_register(ilex_context *ctx)
{
    static const struct {
        const char *name, *cuda;
        ilex_elementwise_function f;
    } functions[] = {
#define ROW(type, name, parameters, value)                                     \
    {"diff_" #name,                                                            \
     "__device__ " #type " diff_" #name #parameters " { return " #value "; }", \
     (ilex_elementwise_function)diff_##name},
        NUMBERS(ROW)};
    bool ok = true;
    for (size_t i = 0; i < IX_COUNT(functions); i++) {
        ilex_function_spec spec = {.size = sizeof spec,
                                   .elementwise = functions[i].f,
                                   .elementwise_cuda = functions[i].cuda};
        ok = ok &&
             ilex_function_register(ctx, functions[i].name, &spec) == ILEX_OK;
    }
    return ok;
}
