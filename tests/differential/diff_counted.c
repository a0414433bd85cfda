/* SPDX-License-Identifier: MIT
 *
 * Steps of random programs with lengths that a run counts: masks of a whole
 * array, of an axis, of the first axes, as the place of an update, and maps
 * that mention such a length.
 */
#include "lib/build/compress.h"
#include "lib/build/items.h"
#include "lib/build/structure.h"
#include "lib/graph/counted.h"
#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

/* y is not 0, or y < a small number; true nowhere or everywhere now and then.
 */
static ilex_array *
random_mask(ilex_context *ctx, diff_random *r, ilex_array *y)
{
    ilex_dtype dtype = (ilex_dtype)y->dtype;
    bool ordered = !ix_dtype_is_complex(dtype) && dtype != ILEX_BOOL;
    if (!ordered || diff_chance(r, 30))
        return ix_build_mask(ctx, "mask", y);
    return ilex_less(
        y, ilex_lit_int(ctx, diff_chance(r, 15) ? 120 : diff_draw(r, 3)));
}

/* A mask along axis "k" of x: whether its elements at 0 on the other axes, or
 * the numbers of its points, are small. */
static ilex_array *
axis_mask(diff_shop *shop, diff_random *r, ilex_array *x, int k)
{
    ilex_context *ctx = shop->ctx;
    ix_axis ax = x->interior->ax[k];
    const ix_domain *dom = ix_domain_new(ctx, 1, &ax);
    ilex_array *index = ix_scalar_index(ctx, 0);
    int64_t period = 1 + diff_draw(r, 3);
    ilex_array *rest = ix_index_fma(ctx, index, -period,
                                    ix_index_floordiv(ctx, index, period));
    ilex_array *body = ix_structure_compare(
        ctx, IX_OP_EQUAL, rest, ix_index_const(ctx, diff_draw(r, 2)));
    return ix_build_lambda(ctx, "mask", dom, body, 0, NULL);
}

/* x[..., mask, ...] */
static ilex_array *
masked(diff_shop *shop, diff_random *r, ilex_array *x, ilex_array *mask)
{
    ix_item item[ILEX_MAX_RANK];
    int d = ix_rank(x), k = diff_draw(r, d), n = 0;
    if (diff_chance(r, 50)) {
        item[0] = (ix_item){.kind = IX_ITEM_ARRAY, .array = mask};
        return ix_build_items(shop->ctx, x, 1, item);
    }
    for (int i = 0; i < d; i++)
        item[n++] = (ix_item){.kind = IX_ITEM_RANGE, .step = 1};
    item[k] =
        (ix_item){.kind = IX_ITEM_ARRAY, .array = axis_mask(shop, r, x, k)};
    return ix_build_items(shop->ctx, x, n, item);
}

/* i + c over [c] */
static ilex_array *
counted_map(diff_shop *shop, ilex_array *mask)
{
    ilex_context *ctx = shop->ctx;
    int32_t size = ix_counted_of(ctx, mask);
    const ix_lin *c = size < 0 ? NULL : ix_lin_param(ctx, size);
    ix_axis ax = {0, ix_lin_const(ctx, 0), c};
    ilex_array *ops[2] = {ix_scalar_index(ctx, 0), ix_index_lin(ctx, c)};
    return ix_build_lambda(
        ctx, "counted", ix_domain_new(ctx, 1, &ax),
        ix_scalar_op(ctx, IX_OP_MULTIPLY, ILEX_I64, ILEX_I64, ops), 0, NULL);
}

ilex_array *
diff_build_compress(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_array *y = x[1]->interior == x[0]->interior ? x[1] : x[0];
    ilex_context *ctx = shop->ctx;
    if (ix_rank(x[0]) == 0 || ix_domain_named(x[0]->interior) ||
        x[0]->interior != x[0]->valid ||
        diff_domain_count(shop, x[0]->interior) < 0)
        return NULL;
    ilex_array *mask = random_mask(ctx, r, y);
    if (ix_is_poison(mask))
        return mask;
    int form = diff_draw(r, 10);
    if (form == 0)
        return counted_map(shop, mask);
    if (form < 3) {
        ix_given axis = {
            .present = true, .n = 1, .number = {diff_draw(r, ix_rank(x[0]))}};
        ilex_array *ops[2] = {x[0],
                              axis_mask(shop, r, x[0], (int)axis.number[0])};
        return ix_build_compress(ctx, ops, 2, &axis);
    }
    ilex_array *read = masked(shop, r, x[0], mask);
    if (form < 7 || ix_is_poison(read))
        return read;
    ilex_array *value =
        diff_chance(r, 50) ? read : ilex_lit_int(ctx, diff_draw(r, 2));
    ilex_array *operands[3] = {x[0], read, value};
    return diff_random_update(ctx, r, operands);
}
