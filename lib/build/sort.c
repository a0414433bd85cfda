/* SPDX-License-Identifier: MIT
 *
 * Arrays in order: the constructors of sort, argsort, searchsorted, top_k. The
 * nodes are calls of the library's routines (lib/sort).
 */
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"

/* "x", with an axis to sort along, which is "*axis"; poison after an error. */
static ilex_array *
rows_of(ilex_context *ctx, const char *what, ilex_array *x,
        const ix_given *given, ix_given *axis)
{
    x = ix_structure_unnamed(ctx, what, x);
    if (ix_is_poison(x))
        return x;
    if (ix_rank(x) == 0)
        return ix_poison(ctx, what, 0, ILEX_E_RANK,
                         "%s: the operand has no axes", what);
    int k = ix_structure_axis(ctx, what, given->present ? given->number[0] : -1,
                              ix_rank(x));
    *axis = (ix_given){.present = true, .n = 1, .number = {k}};
    return k < 0 || !ix_domain_check_extents(ctx, what, x->interior)
               ? ix_poison_again(ctx)
               : x;
}

/* The node with another dtype than its first operand. */
static ilex_array *
as_indices(ilex_array *n)
{
    ix_node_spec spec = {.kind = (ix_kind)n->kind,
                         .dtype = ILEX_I64,
                         .interior = n->interior,
                         .valid = n->valid,
                         .nops = n->nops,
                         .nattr = n->nattr,
                         .ops = n->ops,
                         .attr = n->attr};
    return ix_is_poison(n) ? n : ix_node_scoped(n->ctx, &spec);
}

/* A node of rows: SORT or ARGSORT. */
static ilex_array *
of_rows(ilex_context *ctx, ix_kind kind, const char *what, ilex_array *operand,
        const ix_given *given)
{
    ix_given axis;
    ilex_array *x = rows_of(ctx, what, operand, given, &axis);
    return ix_is_poison(x)
               ? x
               : ix_kind_node(kind, x->interior, x->interior, &x, 1, &axis);
}

ilex_array *
ix_build_sort(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    (void)count;
    return of_rows(ctx, IX_SORT, "sort", operands[0], given);
}

ilex_array *
ix_build_argsort(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    (void)count;
    return as_indices(of_rows(ctx, IX_ARGSORT, "argsort", operands[0], given));
}

/* ---- searchsorted ---- */

/* 0 left, 1 right; -1 after an error. */
static int
side_of(ilex_context *ctx, const ix_given *given)
{
    static const char *const sides[] = {"left", "right"};
    for (int i = 0; given->word && i < 2; i++)
        if (given->length == strlen(sides[i]) &&
            !memcmp(given->word, sides[i], given->length))
            return i;
    if (!given->word)
        return 0;
    ix_poison(ctx, "searchsorted", 0, ILEX_E_ARGUMENT,
              "searchsorted: there is no side '%.*s'; it is left or right",
              given->length < 40 ? (int)given->length : 40, given->word);
    return -1;
}

ilex_array *
ix_build_searchsorted(ilex_context *ctx, ilex_array *const *operands, int count,
                      const ix_given *given)
{
    static const char what[] = "searchsorted";
    ilex_array *ops[2] = {operands[0], operands[1]};
    int side = side_of(ctx, given);
    if (side < 0 || !ix_build_common(ctx, what, count, ops))
        return ix_poison_again(ctx);
    for (int i = 0; i < count; i++) {
        ops[i] = ix_structure_unnamed(ctx, what, ops[i]);
        if (ix_is_poison(ops[i]) ||
            !ix_domain_check_extents(ctx, what, ops[i]->interior))
            return ix_poison_again(ctx);
    }
    if (ix_rank(ops[0]) != 1)
        return ix_poison(ctx, what, 0, ILEX_E_RANK,
                         "searchsorted: the first operand has %d axes; it is "
                         "in order along one",
                         ix_rank(ops[0]));
    const ix_domain *dom = ops[1]->interior;
    ix_given number = {.present = true, .n = 1, .number = {side}};
    return as_indices(ix_kind_node(IX_SEARCHSORTED, dom, dom, ops, 2, &number));
}

/* ---- top_k ---- */

/* Is k known to be between 0 and the length of the axis? */
static bool
check_count(ilex_context *ctx, const ix_axis *ax, const ix_lin *k)
{
    const ix_lin *rest = ix_lin_sub(ctx, ax->hi, k);
    const ix_lin *less = rest && ix_lin_nonneg(ctx, rest) == IX_YES ? k : rest;
    if (rest && ix_lin_nonneg(ctx, less) == IX_YES)
        return true;
    return ix_poison_false(
        ctx, "top_k", 0, ILEX_E_BOUNDS, "top_k: k is %s, which is %s 0 to %s%s",
        ix_lin_show(ctx, k).s, less && less->n == 0 ? "not" : "not known to be",
        ix_lin_show(ctx, ax->hi).s, ix_lin_propose(ctx, less, false).s);
}

static ilex_array *
arg_top_k(ilex_context *ctx, ilex_array *x, const ix_given *given)
{
    ix_given all[2] = {given[0]};
    ix_axis ax[ILEX_MAX_RANK];
    x = rows_of(ctx, "top_k", x, &given[1], &all[1]);
    if (ix_is_poison(x))
        return x;
    int k = (int)all[1].number[0];
    if (ix_dtype_is_complex((ilex_dtype)x->dtype))
        return ix_poison(ctx, "top_k", 0, ILEX_E_DTYPE,
                         "top_k is not defined for %s",
                         ilex_dtype_name((ilex_dtype)x->dtype));
    if (!check_count(ctx, &x->interior->ax[k], given[0].form[0]))
        return ix_poison_again(ctx);
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    ax[k].hi = given[0].form[0];
    const ix_domain *dom = ix_domain_new(ctx, ix_rank(x), ax);
    return as_indices(ix_kind_node(IX_ARG_TOP_K, dom, dom, &x, 1, all));
}

ilex_array *
ix_build_arg_top_k(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    const ix_env *proof = ix_proof_open(ctx);
    (void)count;
    return ix_proof_close(ctx, proof, arg_top_k(ctx, operands[0], given));
}

ilex_array *
ix_build_top_k(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    ilex_array *index = ix_build_arg_top_k(ctx, operands, count, given);
    if (ix_is_poison(index))
        return index;
    ilex_array *ops[2] = {operands[0], index};
    ix_given axis = {.present = true, .n = 1, .number = {index->attr[0]}};
    return ix_build_take_along_axis(ctx, ops, 2, &axis);
}
