/* SPDX-License-Identifier: MIT
 *
 * What the kinds of form node have in common: from the attributes of a row of
 * nodes.def to a node.
 */
#include <string.h>

#include "lib/build/build.h"

static bool
is_per_axis(ix_attribute_type type)
{
    return type != IX_ATTRIBUTE_AXIS && type != IX_ATTRIBUTE_LIN;
}

static bool
is_bound(ix_attribute_type type)
{
    return type == IX_ATTRIBUTE_LIN || type == IX_ATTRIBUTE_LINS;
}

int
ix_attribute_count(ix_attribute_type type, const ilex_array *x)
{
    return is_per_axis(type) ? ix_rank(x) : 1;
}

/* Puts an attribute behind the integers and operands that are there. */
static void
store(const ilex_array *x, const ix_attribute_info *a, const ix_given *given,
      ix_node_spec *spec, int64_t *attr, ilex_array **ops)
{
    int n = ix_attribute_count(a->type, x);
    for (int k = 0; k < n && is_bound(a->type); k++)
        ops[spec->nops++] = ix_index_lin(x->ctx, given->form[k]);
    for (int k = 0; k < n && !is_bound(a->type); k++)
        attr[spec->nattr++] = given->number[k];
}

ilex_array *
ix_kind_node(ix_kind kind, const ix_domain *interior, const ix_domain *valid,
             ilex_array *const *operands, int count, const ix_given *given)
{
    const ix_kind_info *info = &ix_kind_infos[kind];
    ilex_context *ctx = operands[0]->ctx;
    int64_t attr[IX_KIND_ATTRIBUTES * ILEX_MAX_RANK];
    size_t most = (size_t)count + IX_KIND_ATTRIBUTES * ILEX_MAX_RANK;
    ilex_array **ops = ix_mem_new(&ctx->mem, most * sizeof *ops);
    if (!interior || !valid || !ops) {
        ix_mem_free(&ctx->mem, ops);
        return ix_poison_again(ctx);
    }
    memcpy(ops, operands, (size_t)count * sizeof *ops);
    ix_node_spec spec = {.kind = kind,
                         .dtype = (ilex_dtype)operands[0]->dtype,
                         .interior = interior,
                         .valid = valid,
                         .nops = count,
                         .ops = ops,
                         .attr = attr};
    for (int i = 0; i < info->nattributes; i++)
        store(operands[0], &info->attribute[i], &given[i], &spec, attr, ops);
    ilex_array *n = ix_node_scoped(ctx, &spec);
    ix_mem_free(&ctx->mem, ops);
    return n;
}

/* ---- constructors ---- */

typedef ilex_array *build_fn(ilex_context *ctx, ilex_array *const *operands,
                             int count, const ix_given *given);

static build_fn *const build_of[IX_NKINDS] = {
#define BUILD_own(function) NULL
#define BUILD_later(function) NULL
#define BUILD_node(function) ix_build_##function
#define IX_NODE(NAME, function, text, class, operands, least, most, form, ...) \
    BUILD_##form(function),
#include "lib/graph/nodes.def"
};

static ilex_array *
unsupported(ilex_context *ctx, ix_kind kind)
{
    const char *text = ix_kind_infos[kind].text;
    return ix_poison(ctx, text, -1, ILEX_E_UNSUPPORTED,
                     "%s is not supported in this version (index lambdas, "
                     "`map` in text, cover the affine cases)",
                     text);
}

/* Are there as many operands as the row says, all of them of the context? */
static bool
check_operands(ilex_context *ctx, ix_kind kind, ilex_array *const *operands,
               int count)
{
    const ix_kind_info *info = &ix_kind_infos[kind];
    if (count < info->least || count > info->most) {
        ix_poison(ctx, info->text, -1, ILEX_E_ARGUMENT,
                  "%s: %d operands; it has %s%d", info->text, count,
                  count < info->least ? "at least " : "at most ",
                  count < info->least ? info->least : info->most);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!operands || !operands[i] || operands[i]->ctx != ctx) {
            ix_poison(ctx, info->text, i, ILEX_E_CONTEXT,
                      "%s: operand %d is NULL or of another context",
                      info->text, i);
            return false;
        }
    return true;
}

ilex_array *
ix_build_kind(ilex_context *ctx, ix_kind kind, ilex_array *const *operands,
              int count, const ix_given *given)
{
    for (int i = 0; operands && i < count; i++)
        if (operands[i] && ix_is_poison(operands[i]))
            return ctx->poison;
    if (!build_of[kind])
        return unsupported(ctx, kind);
    return check_operands(ctx, kind, operands, count)
               ? build_of[kind](ctx, operands, count, given)
               : ctx->poison;
}

ix_kind
ix_kind_of_text(const char *text, size_t length)
{
    int kind = 0;
    while (kind < IX_NKINDS && (strlen(ix_kind_infos[kind].text) != length ||
                                memcmp(ix_kind_infos[kind].text, text, length)))
        kind++;
    return (ix_kind)kind;
}
