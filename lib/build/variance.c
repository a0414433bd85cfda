/* SPDX-License-Identifier: MIT
 *
 * Variance and standard deviation, made of other nodes: the mean, then the mean
 * of the squared distances from it; counting; the words of text that reduce.
 */
#include <string.h>

#include "lib/build/skipped.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"

bool
ix_reducer_find(const char *text, size_t length, ix_reducer *r)
{
    *r = (ix_reducer){.reduction = IX_REDUCTION_MEAN};
    if (length == 3 && !memcmp(text, "var", 3)) {
        r->name = "var";
        r->variance = true;
    } else if (length == 3 && !memcmp(text, "std", 3)) {
        r->name = "std";
        r->variance = r->root = true;
    } else if (ix_reduction_find(text, length, &r->reduction)) {
        r->name = ix_reduction_info_of(r->reduction)->name;
    }
    return r->name != NULL;
}

/* |x|^2, real. */
static ilex_array *
squared(ilex_context *ctx, ilex_array *x)
{
    if (!ix_dtype_is_complex((ilex_dtype)x->dtype))
        return ix_build_op(ctx, IX_OP_SQUARE, &x);
    ilex_array *re = ix_build_op(ctx, IX_OP_REAL, &x);
    ilex_array *im = ix_build_op(ctx, IX_OP_IMAG, &x);
    ilex_array *parts[2] = {ix_build_op(ctx, IX_OP_SQUARE, &re),
                            ix_build_op(ctx, IX_OP_SQUARE, &im)};
    return ix_build_op(ctx, IX_OP_ADD, parts);
}

ilex_array *
ix_build_count_nonzero(ilex_context *ctx, ilex_array *const *operands,
                       int count, const ix_given *given)
{
    uint32_t mask;
    ilex_array *x = ix_structure_array(ctx, "count_nonzero", operands[0]);
    (void)count;
    if (ix_is_poison(x) || !ix_given_axes(x, "count_nonzero", given, &mask))
        return ix_poison_again(ctx);
    return ix_build_reduce(ctx, IX_REDUCTION_SUM,
                           ix_build_cast(ctx, ILEX_BOOL, x), mask, false);
}

/* The number of elements less "ddof", at least 0, as "dtype". */
static ilex_array *
divisor(ilex_array *x, const ix_reduce_request *request, ilex_dtype dtype)
{
    ilex_context *ctx = x->ctx;
    ilex_array *n = ix_reduced_count(x, request);
    n = ix_build_op(ctx, IX_OP_SUBTRACT,
                    (ilex_array *[]){n, ilex_i64(ctx, request->ddof)});
    n = ix_build_op(ctx, IX_OP_MAXIMUM, (ilex_array *[]){n, ilex_i64(ctx, 0)});
    return ix_build_cast(ctx, dtype, n);
}

static ilex_array *
variance(ilex_context *ctx, const char *name, ilex_array *x,
         const ix_reduce_request *request)
{
    ix_reduce_request inner = *request;
    char kind = ix_dtype_kind((ilex_dtype)x->dtype);
    if (request->initial)
        return ix_poison(ctx, name, 0, ILEX_E_UNSUPPORTED,
                         "%s: has no initial value", name);
    x = ix_structure_array(ctx, name, x);
    x = ix_build_cast(ctx,
                      kind == 'f' || kind == 'c'
                          ? ix_dtype_loop((ilex_dtype)x->dtype)
                          : ILEX_F64,
                      x);
    if (ix_is_poison(x))
        return x;
    bool named = ix_rank(x) && ix_domain_named(x->interior);
    if (named && request->keep)
        return ix_poison(ctx, name, 0, ILEX_E_UNSUPPORTED,
                         "%s: keeping reduced axes is for unnamed axes; named "
                         "ones broadcast by name",
                         name);
    inner.keep = !named;
    ilex_array *mean = ix_build_reduce_with(ctx, IX_REDUCTION_MEAN, x, &inner);
    if (ix_is_poison(mean))
        return mean;
    ilex_array *distance =
        ix_build_op(ctx, IX_OP_SUBTRACT, (ilex_array *[]){x, mean});
    if (ix_is_poison(distance))
        return distance;
    inner.keep = request->keep;
    ilex_array *sum = ix_build_reduce_with(ctx, IX_REDUCTION_SUM,
                                           squared(ctx, distance), &inner);
    if (ix_is_poison(sum))
        return sum;
    ilex_array *n = divisor(x, request, (ilex_dtype)sum->dtype);
    return ix_build_op(ctx, IX_OP_TRUE_DIVIDE, (ilex_array *[]){sum, n});
}

/* The reduction of a field with skips: over those that it has. */
static ilex_array *
reduce_rest(ilex_context *ctx, const ix_reducer *r, const ix_skips *skips,
            ilex_array *x, const ix_reduce_request *request)
{
    ix_reduce_request rest = *request;
    rest.where = ix_skips_mask(skips, r->name, x, rest.mask, rest.where);
    return ix_is_poison(rest.where) ? rest.where
                                    : ix_build_reducer(ctx, r, x, &rest);
}

ilex_array *
ix_build_reducer(ilex_context *ctx, const ix_reducer *r, ilex_array *x,
                 const ix_reduce_request *request)
{
    ix_skips skips = {.n = 0};
    if (ix_is_poison(x))
        return x;
    if (ix_skips_take(&skips, 1, &x))
        return reduce_rest(ctx, r, &skips, x, request);
    if (!r->variance)
        return ix_build_reduce_with(ctx, r->reduction, x, request);
    const ix_env *proof = ix_proof_open(ctx);
    ilex_array *y =
        ix_proof_close(ctx, proof, variance(ctx, r->name, x, request));
    if (r->root && !ix_is_poison(y))
        y = ix_build_op(ctx, IX_OP_SQRT, &y);
    bool half = ix_dtype_is_half((ilex_dtype)x->dtype);
    return half ? ix_build_cast(ctx, (ilex_dtype)x->dtype, y) : y;
}
