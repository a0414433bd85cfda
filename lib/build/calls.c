/* SPDX-License-Identifier: MIT
 *
 * What the functions of whole arrays have in common: the table of their
 * signatures, and how a call is checked.
 */
#include <limits.h>
#include <string.h>

#include "lib/build/build.h"
#include "lib/graph/attributes.h"

/* ---- the table ---- */

#define MANY INT_MAX
const ix_signature ix_signatures[IX_NSIGNATURES] = {
#define BUILD_later(function) NULL
#define BUILD_node(function) ix_build_##function
#define ROW_own(function, text, least, most, form, meaning, attributes)
#define ROW_later ROW_node
#define ROW_node(function, text, least, most, form, meaning, attributes)       \
    {text,                                                                     \
     meaning,                                                                  \
     least,                                                                    \
     most,                                                                     \
     BUILD_##form(function),                                                   \
     IX_ATTRIBUTES_##attributes},
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, lower, meaning, attributes)                              \
    ROW_##form(function, text, least, most, form, meaning, attributes)
#include "lib/graph/nodes.def"
#define IX_FUNCTION(function, text, least, most, names, meaning, attributes)   \
    ROW_node(function, text, least, most, node, meaning, attributes)
#include "lib/build/functions.def"
};

const ix_signature *
ix_signature_find(const char *text, size_t length)
{
    for (int i = 0; i < IX_NSIGNATURES; i++)
        if (strlen(ix_signatures[i].text) == length &&
            !memcmp(ix_signatures[i].text, text, length))
            return &ix_signatures[i];
    return NULL;
}

bool
ix_is_update(const ix_signature *s)
{
#define IX_COMBINES(function, OPERATOR) || s->build == ix_build_##function
    return s->build == ix_build_update
#include "lib/graph/updates.def"
        ;
}

/* ---- calls ---- */

static ilex_array *
unsupported(ilex_context *ctx, const char *text)
{
    return ix_poison(ctx, text, -1, ILEX_E_UNSUPPORTED,
                     "%s is not supported in this version (index lambdas, "
                     "`map` in text, cover the affine cases)",
                     text);
}

/* Are there as many operands as the row says, all of them of the context? */
static bool
check_operands(ilex_context *ctx, const ix_signature *s,
               ilex_array *const *operands, int count)
{
    if (count < s->least || count > s->most)
        return ix_poison_false(ctx, s->text, -1, ILEX_E_ARGUMENT,
                               "%s: %d operands; it has %s%d", s->text, count,
                               count < s->least ? "at least " : "at most ",
                               count < s->least ? s->least : s->most);
    for (int i = 0; i < count; i++)
        if (!operands || !operands[i] || operands[i]->ctx != ctx) {
            ix_poison_stranger(ctx, s->text, i, operands ? operands[i] : NULL,
                               "operand %d", i);
            return false;
        }
    return true;
}

/* Does it take its operands point by point, or their domains alone? (Or asks
 * for itself, as a reduction over some axes.) */
static bool
is_pointwise(const ix_signature *s)
{
    return s->build == ix_build_count_nonzero || s->build == ix_build_permute ||
           s->build == ix_build_transpose || s->build == ix_build_moveaxis ||
           s->build == ix_build_remap || s->build == ix_build_full_like ||
           s->build == ix_build_zeros_like || s->build == ix_build_ones_like;
}

/* Are the operands known wherever they are defined, if that matters? */
static bool
check_known(ilex_context *ctx, const ix_signature *s,
            ilex_array *const *operands, int count)
{
    for (int i = 0; i < count && !is_pointwise(s); i++)
        if (!ix_field_known(ctx, s->text, operands[i], IX_EVERY_AXIS))
            return false;
    return true;
}

ilex_array *
ix_build_call(ilex_context *ctx, const ix_signature *s,
              ilex_array *const *operands, int count, const ix_given *given)
{
    for (int i = 0; operands && i < count; i++)
        if (operands[i] && ix_is_poison(operands[i]))
            return ctx->poison;
    if (!s->build)
        return unsupported(ctx, s->text);
    if (!check_operands(ctx, s, operands, count))
        return ctx->poison;
    const ix_env *proof = ix_proof_open(ctx);
    bool ok = check_known(ctx, s, operands, count);
    ilex_array *y = ok ? s->build(ctx, operands, count, given) : NULL;
    /* even if it takes but the domain; what the read of an update rests on
     * does not matter where it became something else */
    for (int i = 0; ok && i < count; i++)
        ok = (i == 1 && ix_is_update(s)) || ix_proof_use(ctx, operands[i]->env);
    return ix_proof_close(ctx, proof, ok ? y : ix_poison_again(ctx));
}

ilex_array *
ix_build_kind(ilex_context *ctx, ix_kind kind, ilex_array *const *operands,
              int count, const ix_given *given)
{
    const char *text = ix_kind_infos[kind].text;
    return ix_build_call(ctx, ix_signature_find(text, strlen(text)), operands,
                         count, given);
}
