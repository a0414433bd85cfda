/* SPDX-License-Identifier: MIT
 *
 * Kinds of nodes that this version does not have: constructors that say so.
 */
#include "lib/build/later.h"

#include <string.h>

#include "ilex/expr.h"
#include "lib/graph/node.h"

static ilex_array *
unsupported(ilex_context *ctx, const char *kind, int count,
            ilex_array *const *operands)
{
    if (!ctx)
        return NULL;
    for (int i = 0; operands && i < count; i++)
        if (operands[i] && ix_is_poison(operands[i]))
            return ctx->poison;
    return ix_poison(ctx, kind, -1, ILEX_E_UNSUPPORTED,
                     "%s is not supported in this version (index lambdas, "
                     "`map` in text, cover the affine cases)",
                     kind);
}

#define ILEX_LATER(function, text, meaning)                                    \
    ilex_array *ilex_##function(ilex_context *ctx, int count,                  \
                                ilex_array *const *operands)                   \
    {                                                                          \
        return unsupported(ctx, text, count, operands);                        \
    }
#include "ilex/later.def"

bool
ix_is_later(const char *text, size_t length)
{
    static const char *const names[] = {
#define ILEX_LATER(function, text, meaning) text,
#include "ilex/later.def"
    };
    for (size_t i = 0; i < IX_COUNT(names); i++)
        if (strlen(names[i]) == length && !memcmp(names[i], text, length))
            return true;
    return false;
}
