/* SPDX-License-Identifier: MIT
 *
 * triangular_solve: a loop of the program over rows, of any number. Where a has
 * no element behind the diagonal step i finds row i, else the i-th one from the
 * end, of which those before are known then:
 *
 *     d = (x[i] - sum(j is known: a[i, j]*x[j])) / a[i, i]
 *     next x[j] = where(j == i, d, x[j])
 */
#include "ilex/elementwise.h"
#include "lib/build/loop.h"
#include "lib/build/square.h"
#include "lib/graph/counted.h"

typedef struct solving {
    ix_square in;
    bool lower, unit;
    ilex_array *a, *b; /* for all points of the axes in front */
    ilex_array *row;   /* the index of the step's row */
} solving;

/* x at these indices of the last two axes, with so many elements. */
static ilex_array *
part(const solving *s, ilex_array *x, ilex_array *row, ilex_array *column,
     const ix_lin *rows, const ix_lin *columns)
{
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < s->in.d - 2; k++)
        index[k] = ix_scalar_index(s->in.ctx, k);
    index[s->in.d - 2] = row;
    index[s->in.d - 1] = column;
    return ix_structure_read(s->in.what, x,
                             ix_square_shape(&s->in, rows, columns), index);
}

/* Is a row "op" that of the step? A column. */
static ilex_array *
rows(const solving *s, ix_op op)
{
    ilex_context *ctx = s->in.ctx;
    const ix_lin *length[2] = {s->in.rows, ix_lin_const(ctx, 1)};
    const ix_domain *dom = ix_structure_shape(ctx, s->in.what, 2, length);
    ilex_array *body =
        ix_structure_compare(ctx, op, ix_scalar_index(ctx, 0), s->row);
    return dom ? ix_node_lambda(ctx, dom, dom, body, 0, NULL)
               : ix_poison_again(ctx);
}

static ilex_array *
next_of(const solving *s, ilex_array *x)
{
    ilex_context *ctx = s->in.ctx;
    const int d = s->in.d;
    const ix_lin *one = ix_lin_const(ctx, 1), *n = s->in.rows,
                 *columns = x->interior->ax[d - 1].hi;
    ilex_array *zero = ix_structure_number(ctx, (ilex_dtype)x->dtype, 0);
    ilex_array *row =
        part(s, s->a, s->row, ix_scalar_index(ctx, d - 2), n, one);
    ilex_array *known =
        ilex_where(rows(s, s->lower ? IX_OP_LESS : IX_OP_GREATER),
                   ilex_multiply(row, x), zero);
    ilex_array *y =
        part(s, x, s->row, ix_scalar_index(ctx, d - 1), one, columns);
    if (ix_is_poison(known))
        return known;
    y = ilex_subtract(y, ix_build_reduce(ctx, IX_REDUCTION_SUM, known,
                                         (uint32_t)1 << (d - 2), true));
    if (!s->unit)
        y = ilex_true_divide(y, part(s, s->a, s->row, s->row, one, one));
    return ilex_where(rows(s, IX_OP_EQUAL), y, x);
}

static const ix_domain *
steps_of(const solving *s)
{
    ilex_context *ctx = s->in.ctx;
    const ix_axis ax = {
        .name = ix_symbol_of(ctx, IX_STEP_NAME, sizeof IX_STEP_NAME - 1),
        .lo = ix_lin_const(ctx, 0),
        .hi = s->in.rows};
    return ax.name >= 0 ? ix_domain_new(ctx, 1, &ax) : NULL;
}

static ilex_array *
solution(solving *s)
{
    ilex_context *ctx = s->in.ctx;
    const ix_domain *steps = steps_of(s);
    int32_t step = steps ? ix_build_step(ctx, steps) : -1;
    if (step < 0)
        return ix_poison_again(ctx);
    s->row = ix_scalar_size(ctx, step);
    if (!s->lower) {
        ilex_array *last =
            ix_index_lin(ctx, ix_lin_offset(ctx, s->in.rows, -1));
        s->row = ix_index_fma(ctx, last, -1, s->row);
    }
    ilex_array *x = ix_build_carried(ctx, ix_symbol_of(ctx, "x", 1),
                                     (ilex_dtype)s->b->dtype, s->b->interior);
    ilex_array *next = ix_is_poison(x) ? x : next_of(s, x);
    ix_loop_spec spec = {.step = step,
                         .ncarries = 1,
                         .carried = &x,
                         .first = &s->b,
                         .next = &next};
    if (!ix_is_poison(next))
        return ix_build_result(ix_build_loop(ctx, &spec), 0);
    ix_step_end(ctx, step);
    return next;
}

ilex_array *
ix_build_triangular_solve(ilex_context *ctx, ilex_array *const *operands,
                          int count, const ix_given *given)
{
    static const char what[] = "triangular_solve";
    ilex_array *x[2] = {operands[0], operands[1]};
    const ix_given last = {.present = true, .n = 1, .number = {-1}};
    solving s = {.lower = given[0].present && given[0].number[0],
                 .unit = given[1].present && given[1].number[0]};
    (void)count;
    if (!ix_build_common(ctx, what, 2, x))
        return ix_poison_again(ctx);
    ilex_array *a = ix_square_floating(ctx, what, x[0]);
    ilex_array *b = ix_square_floating(ctx, what, x[1]);
    if (ix_is_poison(b) || !ix_square_open(&s.in, ctx, what, a))
        return ix_poison_again(ctx);
    bool vector = ix_rank(b) == 1;
    b = ix_square_right_side(&s.in, b);
    if (ix_is_poison(b) || !ix_square_join(&s.in, b))
        return ix_poison_again(ctx);
    s.a = ix_square_stretched(&s.in, a);
    s.b = ix_square_stretched(&s.in, b);
    if (ix_is_poison(s.a) || ix_is_poison(s.b))
        return ix_poison_again(ctx);
    ilex_array *y = ix_lin_is(s.in.rows, 0) ? s.b : solution(&s);
    return vector && !ix_is_poison(y) ? ix_build_squeeze(ctx, &y, 1, &last) : y;
}
