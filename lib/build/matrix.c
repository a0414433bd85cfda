/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def about diagonals: diagonal, trace, tril, triu, eye.
 */
#include "lib/build/structure.h"

static bool
has_two_axes(ilex_context *ctx, const char *what, const ilex_array *x)
{
    if (ix_rank(x) >= 2)
        return true;
    return ix_poison_false(
        ctx, what, 0, ILEX_E_RANK, "%s: [%s] has less than two axes", what,
        ix_rank(x) ? ix_domain_show(ctx, x->interior).s : "");
}

/* ---- diagonal and trace ---- */

/* Two different axes; by default the first and the second one. */
static bool
two_axes(ilex_context *ctx, const char *what, const ilex_array *x,
         const ix_given *given, int *axis)
{
    if (!has_two_axes(ctx, what, x))
        return false;
    for (int i = 0; i < 2; i++) {
        axis[i] = ix_structure_axis(
            ctx, what, given[i].present ? given[i].number[0] : i, ix_rank(x));
        if (axis[i] < 0)
            return false;
    }
    if (axis[0] != axis[1])
        return true;
    return ix_poison_false(ctx, what, 0, ILEX_E_DUPLICATE,
                           "%s: axis1 and axis2 are both axis %d of [%s]", what,
                           axis[0], ix_domain_show(ctx, x->interior).s);
}

/* min(a, b), at least 0 if it is a number; NULL with an error. */
static const ix_lin *
shorter(ilex_context *ctx, const char *what, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *m = ix_lin_min(ctx, a, b);
    if (m && m->n == 0 && m->c < 0)
        return ix_lin_const(ctx, 0);
    if (!m)
        ix_poison(ctx, what, 0, ILEX_E_UNDECIDED,
                  "%s: which of the lengths %s and %s is the smaller one is "
                  "not known; assume %s <= %s, or the other way round",
                  what, ix_lin_show(ctx, a).s, ix_lin_show(ctx, b).s,
                  ix_lin_show(ctx, a).s, ix_lin_show(ctx, b).s);
    return m;
}

/* x(..., i - min(k, 0), i + max(k, 0)), i last. */
static ilex_array *
diagonal(ilex_context *ctx, const char *what, ilex_array *x,
         const ix_given *given)
{
    int axis[2], n = 0;
    int64_t k = given[0].present ? given[0].number[0] : 0;
    const ix_lin *length[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
    if (ix_is_poison(x) || !two_axes(ctx, what, x, given + 1, axis))
        return ix_poison_again(ctx);
    if (k > IX_UNBOUNDED || k < -IX_UNBOUNDED)
        return ix_poison(ctx, what, 0, ILEX_E_OVERFLOW,
                         "%s: the offset %lld is too large", what,
                         (long long)k);
    for (int i = 0; i < ix_rank(x); i++)
        if (i != axis[0] && i != axis[1]) {
            length[n] = x->interior->ax[i].hi;
            index[i] = ix_scalar_index(ctx, n++);
        }
    const int64_t from[2] = {k < 0 ? -k : 0, k > 0 ? k : 0};
    const ix_lin *rest[2];
    for (int i = 0; i < 2; i++) {
        rest[i] = ix_lin_offset(ctx, x->interior->ax[axis[i]].hi, -from[i]);
        index[axis[i]] = ix_index_offset(ctx, ix_scalar_index(ctx, n), from[i]);
    }
    length[n] =
        rest[0] && rest[1] ? shorter(ctx, what, rest[0], rest[1]) : NULL;
    if (!length[n])
        return ix_poison_again(ctx);
    return ix_structure_read(
        what, x, ix_structure_shape(ctx, what, n + 1, length), index);
}

ilex_array *
ix_build_diagonal(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    (void)count;
    return diagonal(ctx, "diagonal",
                    ix_structure_unnamed(ctx, "diagonal", operands[0]), given);
}

ilex_array *
ix_build_trace(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    (void)count;
    ilex_array *y = diagonal(
        ctx, "trace", ix_structure_unnamed(ctx, "trace", operands[0]), given);
    if (ix_is_poison(y))
        return y;
    return ix_build_reduce(ctx, IX_REDUCTION_SUM, y,
                           (uint32_t)1 << (ix_rank(y) - 1), false);
}

/* ---- triangles ---- */

/* j - i of the last two of "d" indices. */
static ilex_array *
offset_of(ilex_context *ctx, int d)
{
    return ix_index_fma(ctx, ix_scalar_index(ctx, d - 1), -1,
                        ix_scalar_index(ctx, d - 2));
}

/* x where j - i op k, else 0. */
static ilex_array *
triangle(ilex_context *ctx, const char *what, ilex_array *x,
         const ix_given *given, ix_op op)
{
    ilex_array *index[ILEX_MAX_RANK];
    x = ix_structure_unnamed(ctx, what, x);
    int d = ix_rank(x);
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    if (ix_is_poison(x) || !has_two_axes(ctx, what, x))
        return ix_poison_again(ctx);
    for (int k = 0; k < d; k++)
        index[k] = ix_scalar_index(ctx, k);
    ilex_array *inside = ix_structure_compare(
        ctx, op, offset_of(ctx, d),
        ix_index_const(ctx, given->present ? given->number[0] : 0));
    ilex_array *body =
        ix_structure_where(ctx, inside, ix_scalar_load(ctx, dtype, 0, d, index),
                           ix_structure_number(ctx, dtype, 0));
    return ix_build_lambda(ctx, what, x->interior, body, 1, &x);
}

ilex_array *
ix_build_tril(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    (void)count;
    return triangle(ctx, "tril", operands[0], given, IX_OP_LESS_EQUAL);
}

ilex_array *
ix_build_triu(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    (void)count;
    return triangle(ctx, "triu", operands[0], given, IX_OP_GREATER_EQUAL);
}

ilex_array *
ix_build_eye(ilex_context *ctx, ilex_array *const *operands, int count,
             const ix_given *given)
{
    ilex_dtype dtype =
        given[2].present ? (ilex_dtype)given[2].number[0] : ILEX_F64;
    const ix_lin *length[2] = {given->form[0],
                               given->form[given->n > 1 ? 1 : 0]};
    (void)operands;
    (void)count;
    if (given->n < 1 || given->n > 2)
        return ix_poison(ctx, "eye", -1, ILEX_E_RANK,
                         "eye: %d lengths; a matrix has two, and one is that "
                         "of both, for example eye(n)",
                         given->n);
    const ix_domain *dom = ix_structure_shape(ctx, "eye", 2, length);
    ilex_array *on = ix_structure_compare(
        ctx, IX_OP_EQUAL, offset_of(ctx, 2),
        ix_index_const(ctx, given[1].present ? given[1].number[0] : 0));
    if (!dom || (unsigned)dtype >= ILEX_NDTYPES)
        return dom ? ix_build_cast(ctx, dtype, on) : ix_poison_again(ctx);
    ilex_array *body =
        ix_structure_where(ctx, on, ix_structure_number(ctx, dtype, 1),
                           ix_structure_number(ctx, dtype, 0));
    return ix_build_lambda(ctx, "eye", dom, body, 0, NULL);
}
