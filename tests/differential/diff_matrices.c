/* SPDX-License-Identifier: MIT
 *
 * Steps that factor small matrices, one for each element of an array, some of
 * them singular.
 */
#include "ilex/elementwise.h"
#include "lib/build/structure.h"
#include "tests/differential/differential.h"

/* Small numbers on [n, m], often 0. */
static ilex_array *
numbers(ilex_context *ctx, diff_random *r, int n, int m)
{
    const ix_lin *length[2] = {ix_lin_const(ctx, n), ix_lin_const(ctx, m)};
    const ix_domain *dom = ix_structure_shape(ctx, "numbers", 2, length);
    ilex_array *at = ix_index_fma(ctx, ix_scalar_index(ctx, 1),
                                  1 + diff_draw(r, 4), ix_scalar_index(ctx, 0));
    at = ix_index_fma(ctx, at, -5, ix_index_floordiv(ctx, at, 5));
    return ix_build_lambda(ctx, "numbers", dom,
                           ix_index_offset(ctx, at, -diff_draw(r, 4)), 0, NULL);
}

bool diff_draws_loops = false;

ilex_array *
diff_build_matrices(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const int functions[] = {IX_SIGNATURE_det, IX_SIGNATURE_inv,
                                    IX_SIGNATURE_cholesky, IX_SIGNATURE_solve,
                                    IX_SIGNATURE_triangular_solve};
    ilex_context *ctx = shop->ctx;
    int n = 1 + diff_draw(r, diff_chance(r, 10) ? 8 : 4), k = diff_draw(r, 5);
    k = k == 4 && !diff_draws_loops ? 3 : k;
    ilex_array *y = x[0];
    const ix_given back = {.present = true, .n = 2, .number = {-1, -2}};
    int64_t count = ix_rank(y) ? diff_domain_count(shop, y->interior) : 1;
    if (ix_rank(y) > 3 || (ix_rank(y) && ix_domain_named(y->interior)) ||
        count < 0 || count * n * n > 2000)
        return NULL;
    if (ix_rank(y))
        y = ix_build_expand_dims(ctx, &y, 1, &back);
    if (ix_is_poison(y))
        return y;
    ilex_array *ops[2] = {ilex_add(ilex_multiply(y, numbers(ctx, r, n, n)),
                                   numbers(ctx, r, n, n)),
                          numbers(ctx, r, n, 1 + diff_draw(r, 2))};
    for (int i = 0; i < 2; i++)
        if (ix_is_poison(ops[i]))
            return ops[i];
    const ix_given given[2] = {
        {.present = diff_chance(r, 50), .number = {diff_draw(r, 2)}},
        {.present = diff_chance(r, 50), .number = {diff_draw(r, 2)}}};
    return ix_build_call(ctx, &ix_signatures[functions[k]], ops, k < 3 ? 1 : 2,
                         k == 4 ? given : NULL);
}
