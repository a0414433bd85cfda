/* SPDX-License-Identifier: MIT
 *
 * Steps that combine what belongs together: segments, counts, histograms.
 */
#include "ilex/elementwise.h"
#include "lib/build/build.h"
#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

/* Elements of y as integers of 0 to before n, in one of several dtypes. */
static ilex_array *
random_numbers(ilex_context *ctx, diff_random *r, ilex_array *y, int64_t n)
{
    static const ilex_dtype dtypes[] = {ILEX_I64, ILEX_I32, ILEX_U8};
    ilex_array *of = ilex_remainder(ilex_cast(y, ILEX_I64), ilex_i64(ctx, n));
    return ilex_cast(of, dtypes[diff_draw(r, 3)]);
}

/* The sums, largest or smallest of segments of x. */
static ilex_array *
random_segments(ilex_context *ctx, diff_random *r, ilex_array *x,
                ilex_array *ids, int64_t n)
{
    static const int functions[] = {IX_SIGNATURE_segment_sum,
                                    IX_SIGNATURE_segment_max,
                                    IX_SIGNATURE_segment_min};
    ilex_array *operands[2] = {x, ids};
    ix_given given = {.present = true, .form = {ix_lin_const(ctx, n)}};
    return ix_build_call(ctx, &ix_signatures[functions[diff_draw(r, 3)]],
                         operands, 2, &given);
}

/* How many of x, or of ids, there are, often with weights. */
static ilex_array *
random_counts(ilex_context *ctx, diff_random *r, ilex_array *x, ilex_array *ids,
              int64_t n)
{
    bool bins = diff_chance(r, 50);
    ix_given weights = {.present = diff_chance(r, 50), .value = x};
    ix_given given[4] = {{.present = true, .form = {ix_lin_const(ctx, n)}}};
    given[bins ? 3 : 1] = weights;
    given[1].value = bins ? ilex_lit_int(ctx, -1) : given[1].value;
    given[2].value = ilex_lit_int(ctx, 1 + diff_draw(r, 9));
    int which = bins ? IX_SIGNATURE_histogram : IX_SIGNATURE_bincount;
    return ix_build_call(ctx, &ix_signatures[which], bins ? &x : &ids, 1,
                         given);
}

ilex_array *
diff_build_segment(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_array *y = x[1]->interior == x[0]->interior ? x[1] : x[0];
    int64_t n = 1 + diff_draw(r, 6);
    if (ix_rank(x[0]) == 0 || ix_domain_named(x[0]->interior) ||
        diff_domain_count(shop, x[0]->interior) < 0 ||
        ix_dtype_is_complex((ilex_dtype)y->dtype))
        return NULL;
    ilex_array *ids = random_numbers(shop->ctx, r, y, n);
    bool counts =
        !ix_dtype_is_complex((ilex_dtype)x[0]->dtype) && diff_chance(r, 50);
    return counts ? random_counts(shop->ctx, r, x[0], ids, n)
                  : random_segments(shop->ctx, r, x[0], ids, n);
}
