/* SPDX-License-Identifier: MIT
 *
 * Cumulative sums, products, maxima, minima: scans of one result that combine
 * an element with the result before.
 */
#include "lib/build/scan.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"

/* The axis that is given, or the only one; -1 after an error. */
static int
axis_of(ilex_array *x, const char *what, const ix_given *given)
{
    if (given->present)
        return ix_structure_axis(x->ctx, what, given->number[0], ix_rank(x));
    if (ix_rank(x) == 1)
        return 0;
    ix_poison(x->ctx, what, 0, ILEX_E_AXIS,
              "%s: [%s] has %d axes; give one, for example axis=0", what,
              ix_domain_show(x->ctx, x->interior).s, ix_rank(x));
    return -1;
}

/* Sums and products of numbers that are rounded are computed in chunks, unless
 * one is known to hold all levels. */
static ix_combining
chunks_of(ilex_context *ctx, ix_reduction r, ilex_dtype dtype,
          const ix_axis *ax)
{
    const ix_lin *end = ix_lin_try_offset(ctx, ax->lo, IX_CHUNK_SCAN);
    if (ix_dtype_is_exact(dtype) ||
        (end && ix_lin_le(ctx, ax->hi, end) == IX_YES))
        return IX_COMBINE_NOT;
    return r == IX_REDUCTION_SUM    ? IX_COMBINE_SUM
           : r == IX_REDUCTION_PROD ? IX_COMBINE_PROD
                                    : IX_COMBINE_NOT;
}

/* where(k is the first level, or that of a chunk, x, y(before) op x) */
static ilex_array *
body_of(ilex_array *x, const ix_scan_spec *spec, ix_reduction r,
        ilex_dtype dtype)
{
    ilex_context *ctx = x->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    const ix_axis *ax = &x->interior->ax[spec->axis];
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, k);
    ilex_array *value = ix_scalar_cast(
        ctx, dtype,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index));
    ilex_array *ops[2] = {ix_scalar_carry(ctx, dtype, 0, 1), value};
    ilex_array *level = ix_scan_level(ctx, spec->axis, ax, spec->backward);
    if (spec->chunks)
        level = ix_index_fma(ctx, level, -IX_CHUNK_SCAN,
                             ix_index_floordiv(ctx, level, IX_CHUNK_SCAN));
    return ix_structure_where(
        ctx,
        ix_structure_compare(ctx, IX_OP_EQUAL, level, ix_index_const(ctx, 0)),
        value, ix_scalar_op(ctx, ix_reduction_op(r), dtype, dtype, ops));
}

static ilex_array *
cumulate(const char *what, ix_reduction r, ilex_array *x, const ix_given *given)
{
    ilex_context *ctx = x->ctx;
    ilex_dtype acc, result;
    x = ix_structure_bounded(ctx, what, x);
    int axis = ix_is_poison(x) ? -1 : axis_of(x, what, &given[0]);
    if (axis < 0 || !ix_domain_check_extents(ctx, what, x->interior))
        return ix_poison_again(ctx);
    if (!ix_reduction_type(r, (ilex_dtype)x->dtype, &acc, &result))
        return ix_poison(ctx, what, 0, ILEX_E_DTYPE, "%s is not defined for %s",
                         what, ilex_dtype_name((ilex_dtype)x->dtype));
    ix_scan_spec spec = {.axis = axis,
                         .backward = given[1].present && given[1].number[0]};
    spec.chunks = chunks_of(ctx, r, acc, &x->interior->ax[axis]);
    ilex_array *body = body_of(x, &spec, r, acc);
    ilex_array *tuple = ix_scalar_tuple(ctx, 1, &body);
    ilex_array *scan = ix_scan_node(ctx, &spec, x->interior, tuple, 1, &x);
    return ix_build_cast(ctx, result, ix_build_result(scan, 0));
}

#define CUMULATE(name, REDUCTION)                                              \
    ilex_array *ix_build_##name(ilex_context *ctx,                             \
                                ilex_array *const *operands, int count,        \
                                const ix_given *given)                         \
    {                                                                          \
        (void)ctx, (void)count;                                                \
        return cumulate(#name, IX_REDUCTION_##REDUCTION, operands[0], given);  \
    }
CUMULATE(cumsum, SUM)
CUMULATE(cumprod, PROD)
CUMULATE(cummax, MAX)
CUMULATE(cummin, MIN)
