/* SPDX-License-Identifier: MIT
 *
 * Square matrices in the last two axes, for each point of those in front: what
 * functions of linear algebra have in common.
 */
#include "lib/build/square.h"

#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

const ix_domain *
ix_square_shape(const ix_square *m, const ix_lin *rows, const ix_lin *columns)
{
    const ix_lin *length[ILEX_MAX_RANK + 2];
    for (int k = 0; k < m->d - 2; k++)
        length[k] = m->length[k];
    length[m->d - 2] = rows;
    length[m->d - 1] = columns;
    return ix_structure_shape(m->ctx, m->what, m->d, length);
}

ilex_array *
ix_square_floating(ilex_context *ctx, const char *what, ilex_array *x)
{
    x = ix_structure_unnamed(ctx, what, x);
    return !ix_is_poison(x) && ix_dtype_is_exact((ilex_dtype)x->dtype)
               ? ix_build_cast(ctx, ILEX_F64, x)
               : x;
}

bool
ix_square_open(ix_square *m, ilex_context *ctx, const char *what, ilex_array *a)
{
    int d = ix_rank(a);
    *m = (ix_square){.ctx = ctx, .what = what, .d = d};
    if (ix_is_poison(a))
        return false;
    const ix_axis *ax = d ? a->interior->ax : NULL;
    if (d < 2 || !ix_lin_same(ctx, ax[d - 2].hi, ax[d - 1].hi))
        return ix_poison_false(ctx, what, 0, ILEX_E_SHAPE,
                               "%s: [%s] is no array of square matrices, whose "
                               "last two axes are equally long",
                               what,
                               d ? ix_domain_show(ctx, a->interior).s : "");
    for (int k = 0; k < d - 2; k++)
        m->length[k] = ax[k].hi;
    m->rows = ax[d - 1].hi;
    return true;
}

ilex_array *
ix_square_right_side(const ix_square *m, ilex_array *b)
{
    const ix_given last = {.present = true, .n = 1, .number = {-1}};
    int d = ix_rank(b);
    if (d == 0 ||
        !ix_lin_same(m->ctx, b->interior->ax[d > 1 ? d - 2 : 0].hi, m->rows))
        return ix_poison(m->ctx, m->what, 1, ILEX_E_SHAPE,
                         "%s: matrices of %s rows with a right-hand side on "
                         "[%s]; it has one axis of this length, or matrices of "
                         "as many rows",
                         m->what, ix_lin_show(m->ctx, m->rows).s,
                         d ? ix_domain_show(m->ctx, b->interior).s : "");
    return d > 1 ? b : ix_build_expand_dims(m->ctx, &b, 1, &last);
}

bool
ix_square_join(ix_square *m, const ilex_array *b)
{
    const ix_lin *own[ILEX_MAX_RANK];
    int na = m->d - 2, nb = ix_rank(b) - 2, n = na > nb ? na : nb;
    memcpy(own, m->length, sizeof own);
    for (int k = 1; k <= n; k++) {
        const ix_lin *x = k <= na ? own[na - k] : NULL;
        const ix_lin *y = k <= nb ? b->interior->ax[nb - k].hi : NULL;
        bool one = x && y && ix_lin_is(y, 1);
        m->length[n - k] = !y || one ? x : y;
        if (!x || !y || one || ix_lin_is(x, 1) || ix_lin_same(m->ctx, x, y))
            continue;
        return ix_poison_false(m->ctx, m->what, 1, ILEX_E_SHAPE,
                               "%s: an axis in front of the matrices has "
                               "length %s, that of [%s] has %s",
                               m->what, ix_lin_show(m->ctx, x).s,
                               ix_domain_show(m->ctx, b->interior).s,
                               ix_lin_show(m->ctx, y).s);
    }
    m->d = n + 2;
    return true;
}

ilex_array *
ix_square_stretched(const ix_square *m, ilex_array *x)
{
    ilex_array *index[ILEX_MAX_RANK];
    const ix_axis *last = x->interior->ax + ix_rank(x) - 2;
    const ix_domain *dom = ix_square_shape(m, last[0].hi, last[1].hi);
    if (!dom)
        return ix_poison_again(m->ctx);
    ix_broadcast_indices(m->ctx, dom, x, index);
    return ix_structure_read(m->what, x, dom, index);
}
