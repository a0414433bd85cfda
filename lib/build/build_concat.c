/* SPDX-License-Identifier: MIT
 *
 * Concat, a kind of node of its own, and stack, a concat of arrays with one
 * more axis.
 */
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

/* Operands of one node: as many as a list in text may have. */
enum { MOST_PARTS = 4096 };

/* Are axis "k" of both arrays equally long? */
static bool
same_length(ilex_context *ctx, const char *what, ilex_array *const *x, int i,
            int k)
{
    const ix_lin *a = x[0]->interior->ax[k].hi, *b = x[i]->interior->ax[k].hi;
    if (a == b || ix_lin_same(ctx, a, b))
        return true;
    return ix_poison_false(
        ctx, what, i, ILEX_E_SHAPE,
        "%s: axis %d of operand %d has the length %s, that of operand 0 %s; "
        "axes beside the one along which arrays are joined are equally long%s",
        what, k, i, ix_lin_show(ctx, b).s, ix_lin_show(ctx, a).s,
        a->n || b->n ? " (assume so)" : "");
}

/* Have the arrays the same axes but for the length of "axis" (-1: none)? */
static bool
check_parts(ilex_context *ctx, const char *what, int count,
            ilex_array *const *x, int axis)
{
    for (int i = 1; i < count; i++) {
        if (ix_rank(x[i]) != ix_rank(x[0]))
            return ix_poison_false(ctx, what, i, ILEX_E_RANK,
                                   "%s: operand %d is on [%s], operand 0 on "
                                   "[%s]; they have the same number of axes",
                                   what, i,
                                   ix_domain_show(ctx, x[i]->interior).s,
                                   ix_domain_show(ctx, x[0]->interior).s);
        for (int k = 0; k < ix_rank(x[0]); k++)
            if (k != axis && !same_length(ctx, what, x, i, k))
                return false;
    }
    return true;
}

/* One node for a few arrays. */
static ilex_array *
concat_node(ilex_context *ctx, int count, ilex_array *const *x, int axis)
{
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, x[0]->interior->ax, (size_t)ix_rank(x[0]) * sizeof *ax);
    for (int i = 1; i < count; i++)
        ax[axis].hi = ix_lin_add(ctx, ax[axis].hi, x[i]->interior->ax[axis].hi);
    const ix_domain *dom = ix_domain_new(ctx, ix_rank(x[0]), ax);
    const ix_given given = {.present = true, .number = {axis}};
    if (count == 1 || !dom || !ix_domain_check_numbers(ctx, "concat", dom))
        return dom && count == 1 ? x[0] : ix_poison_again(ctx);
    return ix_kind_node(IX_CONCAT, dom, dom, x, count, &given);
}

/* A tree of nodes over any number of checked arrays, which it overwrites. */
static ilex_array *
concat_tree(ilex_context *ctx, int count, ilex_array **x, int axis)
{
    while (count > MOST_PARTS) {
        int n = 0;
        for (int i = 0; i < count; i += MOST_PARTS)
            x[n++] = concat_node(
                ctx, count - i < MOST_PARTS ? count - i : MOST_PARTS, x + i,
                axis);
        count = n;
    }
    for (int i = 0; i < count; i++)
        if (ix_is_poison(x[i]))
            return x[i];
    return concat_node(ctx, count, x, axis);
}

/* The arrays in "x", none of them poison, one after another. */
static ilex_array *
concat(ilex_context *ctx, const char *what, int count, ilex_array **x,
       int64_t where)
{
    if (ix_rank(x[0]) == 0)
        return ix_poison(ctx, what, 0, ILEX_E_RANK,
                         "%s: operand 0 has no axes; stack joins values of "
                         "rank 0",
                         what);
    int axis = ix_structure_axis(ctx, what, where, ix_rank(x[0]));
    if (axis < 0 || !check_parts(ctx, what, count, x, axis) ||
        !ix_build_common(ctx, what, count, x))
        return ix_poison_again(ctx);
    return concat_tree(ctx, count, x, axis);
}

/* A copy of the operands as arrays without names; NULL after an error. */
static ilex_array **
unnamed_copy(ilex_context *ctx, const char *what, ilex_array *const *operands,
             int count)
{
    ilex_array **x = ix_mem_new(&ctx->mem, (size_t)count * sizeof *x);
    for (int i = 0; x && i < count; i++) {
        x[i] = ix_structure_unnamed(ctx, what, operands[i]);
        if (!ix_is_poison(x[i]))
            continue;
        ix_mem_free(&ctx->mem, x);
        return NULL;
    }
    return x;
}

ilex_array *
ix_build_concat(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    ilex_array **x = unnamed_copy(ctx, "concat", operands, count);
    if (!x)
        return ix_poison_again(ctx);
    ilex_array *y =
        concat(ctx, "concat", count, x, given->present ? given->number[0] : 0);
    ix_mem_free(&ctx->mem, x);
    return y;
}

/* "x" with an axis of length 1 at "place". */
static ilex_array *
with_axis(ilex_context *ctx, ilex_array *x, int64_t place)
{
    const ix_given axes = {.present = true, .n = 1, .number = {place}};
    return ix_build_expand_dims(ctx, &x, 1, &axes);
}

ilex_array *
ix_build_stack(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    int64_t where = given->present ? given->number[0] : 0;
    ilex_array **x = ix_mem_new(&ctx->mem, (size_t)count * sizeof *x);
    if (!x)
        return ix_poison_again(ctx);
    memcpy(x, operands, (size_t)count * sizeof *x);
    bool ok = ix_build_common(ctx, "stack", count, x);
    for (int i = 0; ok && i < count; i++) {
        x[i] = ix_structure_unnamed(ctx, "stack", x[i]);
        ok = !ix_is_poison(x[i]);
    }
    ok = ok && check_parts(ctx, "stack", count, x, -1) &&
         ix_structure_axis(ctx, "stack", where, ix_rank(x[0]) + 1) >= 0;
    for (int i = 0; ok && i < count; i++) {
        x[i] = with_axis(ctx, x[i], where);
        ok = !ix_is_poison(x[i]);
    }
    ilex_array *y =
        ok ? concat(ctx, "stack", count, x, where) : ix_poison_again(ctx);
    ix_mem_free(&ctx->mem, x);
    return y;
}
