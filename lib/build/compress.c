/* SPDX-License-Identifier: MIT
 *
 * Masks that compact: compress, nonzero.
 */
#include "lib/build/compress.h"

#include "lib/build/scan.h"
#include "lib/build/structure.h"
#include "lib/graph/counted.h"
#include "lib/shape/broadcast.h"

/* ---- masks ---- */

ilex_array *
ix_build_mask(ilex_context *ctx, const char *what, ilex_array *x)
{
    x = ix_structure_bounded(ctx, what, x);
    if (x->dtype == ILEX_BOOL || ix_is_poison(x))
        return x;
    ilex_array *ops[2] = {x, ix_structure_number(ctx, (ilex_dtype)x->dtype, 0)};
    return ix_build_op(ctx, IX_OP_NOT_EQUAL, ops);
}

/* An axis of "length" without a name. */
static const ix_domain *
line(ilex_context *ctx, const ix_lin *length)
{
    ix_axis ax = {0, ix_lin_const(ctx, 0), length};
    return length ? ix_domain_new(ctx, 1, &ax) : NULL;
}

ilex_array *
ix_flattened(ilex_array *x)
{
    ilex_context *ctx = x->ctx;
    const ix_lin *n = ix_lin_const(ctx, 1);
    if (x->kind == IX_RESHAPE && ix_rank(x->ops[0]) == 1 && x->attr[0] == 0)
        x = x->ops[0];
    if (ix_rank(x) == 1)
        return x;
    for (int k = 0; n && k < ix_rank(x); k++)
        n = ix_lin_mul(ctx, n, x->interior->ax[k].hi);
    const ix_domain *dom = line(ctx, n);
    return dom ? ix_build_reshape(ctx, x, dom, false) : ix_poison_again(ctx);
}

/* 0, 1, ... along a domain of one axis. */
static ilex_array *
numbers(ilex_context *ctx, const ix_domain *dom)
{
    return ix_build_lambda(ctx, "nonzero", dom, ix_scalar_index(ctx, 0), 0,
                           NULL);
}

/* ---- compress ---- */

/* Has the mask one axis, as long as axis "k" of x? */
static bool
check_mask(const ilex_array *x, const ilex_array *mask, int k)
{
    ilex_context *ctx = x->ctx;
    if (ix_rank(mask) == 1 &&
        ix_lin_same(ctx, mask->interior->ax[0].hi, x->interior->ax[k].hi))
        return true;
    return ix_poison_false(ctx, "compress", 1, ILEX_E_SHAPE,
                           "compress: the mask is on [%s]; along axis %d of "
                           "[%s] it has one axis of the same length",
                           ix_rank(mask) ? ix_domain_show(ctx, mask->interior).s
                                         : "",
                           k, ix_domain_show(ctx, x->interior).s);
}

/* The node, for a mask along axis "k". */
static ilex_array *
compress_along(ilex_context *ctx, ilex_array *x, ilex_array *mask, int k)
{
    ix_axis ax[ILEX_MAX_RANK];
    if (!check_mask(x, mask, k))
        return ix_poison_again(ctx);
    int32_t size = ix_counted_of(ctx, mask);
    if (size < 0)
        return ix_poison_again(ctx);
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    ax[k].hi = ix_lin_param(ctx, size);
    const ix_domain *dom = ax[k].hi ? ix_domain_new(ctx, ix_rank(x), ax) : NULL;
    ilex_array *ops[2] = {x, mask};
    ix_given axis = {.present = true, .n = 1, .number = {k}};
    return dom ? ix_kind_node(IX_COMPRESS, dom, dom, ops, 2, &axis)
               : ix_poison_again(ctx);
}

/* x and the mask as one axis each. */
static ilex_array *
compress_flat(ilex_context *ctx, ilex_array *x, ilex_array *mask)
{
    if (x->interior != mask->interior)
        return ix_poison(ctx, "compress", 1, ILEX_E_SHAPE,
                         "compress: the mask is on [%s], the operand on [%s]; "
                         "without an axis they have one shape",
                         ix_rank(mask) ? ix_domain_show(ctx, mask->interior).s
                                       : "",
                         ix_rank(x) ? ix_domain_show(ctx, x->interior).s : "");
    x = ix_flattened(x);
    mask = ix_is_poison(x) ? x : ix_flattened(mask);
    return ix_is_poison(mask) ? mask : compress_along(ctx, x, mask, 0);
}

static ilex_array *
compress(ilex_context *ctx, ilex_array *const *operands, const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "compress", operands[0]);
    ilex_array *mask = ix_is_poison(x)
                           ? x
                           : ix_structure_unnamed(ctx, "compress", operands[1]);
    mask = ix_is_poison(mask) ? mask : ix_build_mask(ctx, "compress", mask);
    if (ix_is_poison(mask))
        return mask;
    if (ix_rank(x) == 0)
        return ix_poison(ctx, "compress", 0, ILEX_E_RANK,
                         "compress: the operand has no axes");
    if (!given->present)
        return compress_flat(ctx, x, mask);
    int axis = ix_structure_axis(ctx, "compress", given->number[0], ix_rank(x));
    return axis < 0 ? ix_poison_again(ctx) : compress_along(ctx, x, mask, axis);
}

ilex_array *
ix_build_compress(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    const ix_env *proof = ix_proof_open(ctx);
    (void)count;
    return ix_proof_close(ctx, proof, compress(ctx, operands, given));
}

/* ---- nonzero ---- */

/* The index along axis "k" of the elements with these numbers in C order. */
static ilex_array *
index_along(ilex_array *number, const ix_domain *dom, int k)
{
    ilex_context *ctx = number->ctx;
    const ix_lin *stride = ix_lin_const(ctx, 1);
    for (int i = k + 1; stride && i < dom->rank; i++)
        stride = ix_lin_mul(ctx, stride, dom->ax[i].hi);
    if (!stride)
        return ix_poison_again(ctx);
    ilex_array *ops[2] = {number, ix_index_lin(ctx, stride)};
    if (k < dom->rank - 1)
        ops[0] = ix_build_op(ctx, IX_OP_FLOOR_DIVIDE, ops);
    ops[1] = ix_index_lin(ctx, dom->ax[k].hi);
    return k > 0 ? ix_build_op(ctx, IX_OP_REMAINDER, ops) : ops[0];
}

bool
ix_mask_places(ilex_array *mask, ilex_array **index)
{
    ilex_context *ctx = mask->ctx;
    ilex_array *flat = ix_flattened(mask);
    ilex_array *all = ix_is_poison(flat) ? flat : numbers(ctx, flat->interior);
    ilex_array *number =
        ix_is_poison(all) ? all : compress_along(ctx, all, flat, 0);
    bool ok = !ix_is_poison(number);
    for (int k = 0; ok && k < ix_rank(mask); k++) {
        index[k] = ix_rank(mask) == 1 ? number
                                      : index_along(number, mask->interior, k);
        ok = !ix_is_poison(index[k]);
    }
    return ok;
}

/* The indices along the axis that is given, or the only one. */
static ilex_array *
nonzero(ilex_context *ctx, ilex_array *x, const ix_given *given)
{
    ilex_array *index[ILEX_MAX_RANK];
    ilex_array *mask = ix_structure_unnamed(ctx, "nonzero", x);
    mask = ix_is_poison(mask) ? mask : ix_build_mask(ctx, "nonzero", mask);
    if (ix_is_poison(mask))
        return mask;
    if (ix_rank(mask) == 0 || (ix_rank(mask) > 1 && !given->present))
        return ix_poison(ctx, "nonzero", 0, ILEX_E_AXIS,
                         "nonzero: [%s] has %d axes; say along which one the "
                         "indices are, for example axis=0",
                         ix_rank(mask) ? ix_domain_show(ctx, mask->interior).s
                                       : "",
                         ix_rank(mask));
    int64_t axis = given->present ? given->number[0] : 0;
    int k = ix_structure_axis(ctx, "nonzero", axis, ix_rank(mask));
    return k >= 0 && ix_mask_places(mask, index) ? index[k]
                                                 : ix_poison_again(ctx);
}

ilex_array *
ix_build_nonzero(ilex_context *ctx, ilex_array *const *operands, int count,
                 const ix_given *given)
{
    const ix_env *proof = ix_proof_open(ctx);
    (void)count;
    return ix_proof_close(ctx, proof, nonzero(ctx, operands[0], given));
}

/* ---- what it is made of ---- */

/* The sum of the elements before each one: where(_0 == 0, 0, y(_0-1) +
 * x(_0-1)), x of bool or i64. */
static ilex_array *
sum_before(ilex_array *x)
{
    ilex_context *ctx = x->ctx;
    ilex_array *i = ix_scalar_index(ctx, 0), *zero = ix_index_const(ctx, 0);
    ilex_array *before = ix_index_offset(ctx, i, -1);
    ilex_array *ops[2] = {
        ix_scalar_carry(ctx, ILEX_I64, 0, 1),
        ix_scalar_cast(
            ctx, ILEX_I64,
            ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, 1, &before))};
    ilex_array *body = ix_structure_where(
        ctx, ix_structure_compare(ctx, IX_OP_EQUAL, i, zero), zero,
        ix_scalar_op(ctx, IX_OP_ADD, ILEX_I64, ILEX_I64, ops));
    ix_scan_spec spec = {.axis = 0};
    ilex_array *tuple = ix_scalar_tuple(ctx, 1, &body);
    return ix_build_result(ix_scan_node(ctx, &spec, x->interior, tuple, 1, &x),
                           0);
}

/* x's domain with another length along "axis". */
static const ix_domain *
resized(const ilex_array *x, int axis, const ix_lin *length)
{
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    ax[axis].hi = length;
    return length ? ix_domain_new(x->ctx, ix_rank(x), ax) : NULL;
}

/* y(i) = x(i), where the index along "axis" is "place", if there is one. */
static ilex_array *
read_at(ilex_array *x, const ix_domain *dom, int axis, ilex_array *place)
{
    ilex_context *ctx = x->ctx;
    ilex_array *index[ILEX_MAX_RANK], *ops[2] = {x, place};
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, k);
    if (place) {
        const ix_axis *ax = &x->interior->ax[axis];
        ilex_array *at = ix_scalar_load(ctx, ILEX_I64, 1, 1, &index[axis]);
        index[axis] = ix_scalar_checked(ctx, at, axis, ax->lo, ax->hi, true);
    }
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
    return ix_node_lambda(ctx, dom, dom, body, place ? 2 : 1, ops);
}

ilex_array *
ix_compress_expanded(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *x = n->ops[0];
    int axis = (int)n->attr[0];
    ilex_array *place = sum_before(n->ops[1]);
    /* one more: there goes what is false behind the last true one */
    const ix_domain *dom =
        resized(x, axis, ix_lin_offset(ctx, n->interior->ax[axis].hi, 1));
    ilex_array *zero = ix_structure_number(ctx, (ilex_dtype)x->dtype, 0);
    ilex_array *start = ix_node_lambda(ctx, dom, dom, zero, 0, NULL);
    if (ix_is_poison(start) || ix_is_poison(place))
        return ix_poison_again(ctx);
    ilex_array *ops[3] = {start, read_at(start, x->interior, axis, place), x};
    if (ix_is_poison(ops[1]))
        return ops[1];
    ilex_array *y = ix_kind_node(IX_UPDATE, dom, dom, ops, 3, NULL);
    return ix_is_poison(y) ? y : read_at(y, n->interior, 0, NULL);
}

/* ---- in chunks ---- */

ilex_array *
ix_mask_chunk_counts(ilex_array *mask)
{
    ilex_context *ctx = mask->ctx;
    const ix_axis *ax = mask->interior->ax;
    const ix_lin *chunks =
        ix_rank(mask) == 1 ? ix_chunk_count(ctx, ax, IX_CHUNK) : NULL;
    const ix_domain *dom = chunks ? line(ctx, chunks) : NULL;
    if (!dom)
        return NULL;
    ilex_array *j = ix_scalar_rindex(ctx, 0);
    ilex_array *ops[3] = {ix_scalar_cast(
        ctx, ILEX_I64, ix_scalar_load(ctx, ILEX_BOOL, 0, 1, &j))};
    ix_chunk_range(ctx, ax, IX_CHUNK, &ops[1], &ops[2]);
    ilex_array *body = ix_scalar_reduce_ranged(ctx, IX_REDUCTION_SUM, ILEX_I64,
                                               mask->interior, 0, ops);
    return ix_is_poison(body) ? body
                              : ix_node_lambda(ctx, dom, dom, body, 1, &mask);
}

ilex_array *
ix_compress_chunked(ilex_array *n)
{
    ilex_array *count = ix_mask_chunk_counts(n->ops[1]);
    if (!count || ix_is_poison(count))
        return count;
    ilex_array *ops[4] = {n->ops[0], n->ops[1], count, sum_before(count)};
    return ix_is_poison(ops[3]) ? ops[3]
                                : ix_kind_node(IX_COMPACT, n->interior,
                                               n->interior, ops, 4, NULL);
}
