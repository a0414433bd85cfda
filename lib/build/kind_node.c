/* SPDX-License-Identifier: MIT
 *
 * Attributes of kinds of form node: how many numbers they are, which axes they
 * name, and the way from them to a node.
 */
#include <string.h>

#include "lib/build/build.h"
#include "lib/graph/attributes.h"

bool
ix_attribute_per_axis(ix_attribute_type type)
{
    return type == IX_ATTRIBUTE_AXES || type == IX_ATTRIBUTE_INTS ||
           type == IX_ATTRIBUTE_LINS;
}

static bool
is_bound(ix_attribute_type type)
{
    return type == IX_ATTRIBUTE_LIN || type == IX_ATTRIBUTE_LINS;
}

int
ix_attribute_count(ix_attribute_type type, const ilex_array *x)
{
    return ix_attribute_per_axis(type) ? ix_rank(x) : 1;
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

bool
ix_given_axes(const ilex_array *x, const char *operation, const ix_given *given,
              uint32_t *mask)
{
    int d = ix_rank(x);
    *mask = given->present ? 0 : ((uint32_t)1 << d) - 1;
    for (int i = 0; i < given->n; i++) {
        int64_t k = given->number[i] + (given->number[i] < 0 ? d : 0);
        bool there = k >= 0 && k < d;
        if (there && !(*mask >> k & 1)) {
            *mask |= (uint32_t)1 << k;
            continue;
        }
        return ix_poison_false(x->ctx, operation, 0,
                               there ? ILEX_E_DUPLICATE : ILEX_E_AXIS,
                               there ? "%s: axis %lld of [%s] is listed twice"
                                     : "%s: there is no axis %lld in [%s]",
                               operation, (long long)given->number[i],
                               d ? ix_domain_show(x->ctx, x->interior).s : "");
    }
    return true;
}
