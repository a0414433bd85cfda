/* SPDX-License-Identifier: MIT
 *
 * The eager operators and reductions under their own names, one function for
 * each row of ops.def and reductions.def.
 */
#include "ilex/eager.h"

#define PARAMETERS_1 ilex_storage *x
#define PARAMETERS_2 PARAMETERS_1, ilex_storage *y
#define PARAMETERS_3 PARAMETERS_2, ilex_storage *z
#define OPERANDS_1 x
#define OPERANDS_2 x, y
#define OPERANDS_3 x, y, z

#define ILEX_OP(ENUM, name, arity, ...)                                        \
    ilex_storage *ilex_storage_##name(ilex_context *ctx, PARAMETERS_##arity)   \
    {                                                                          \
        ilex_storage *const operands[] = {OPERANDS_##arity};                   \
        return ilex_eager(ctx, #name, arity, operands, NULL);                  \
    }
#include "ilex/ops.def"

#define ILEX_REDUCTION(ENUM, name, ...)                                        \
    ilex_storage *ilex_storage_##name(ilex_context *ctx, ilex_storage *x,      \
                                      const char *axes)                        \
    {                                                                          \
        return ilex_eager_reduce(ctx, #name, x, axes, NULL);                   \
    }
#include "ilex/reductions.def"
