/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that read one array at other indices.
 */
#include "lib/build/build.h"

/* The lambda of "body", which reads "x", over "dom". */
static ilex_array *
read_as(const char *what, ilex_array *x, const ix_domain *dom,
        ilex_array *const *index)
{
    ilex_context *ctx = x->ctx;
    if (!dom)
        return ix_poison_again(ctx);
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
    return ix_build_lambda(ctx, what, dom, body, 1, &x);
}

ilex_array *
ix_build_flip(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ilex_array *x = operands[0], *index[ILEX_MAX_RANK];
    uint32_t mask;
    (void)count;
    if (!ix_given_axes(x, "flip", given, &mask))
        return ix_poison_again(ctx);
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->interior->ax[k];
        index[k] = ix_scalar_index(ctx, k);
        if (mask >> k & 1)
            index[k] = ix_index_fma(
                ctx,
                ix_index_lin(
                    ctx,
                    ix_lin_offset(ctx, ix_lin_add(ctx, ax->lo, ax->hi), -1)),
                -1, index[k]);
    }
    return read_as("flip", x, x->interior, index);
}
