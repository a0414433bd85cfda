/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that factor small matrices: solve, inv, det,
 * cholesky. Each step of an elimination is a few whole arrays over all matrices
 * of a batch, so there are about 3*n nodes, whatever the number of matrices.
 */
#include "lib/build/square.h"

#include "ilex/elementwise.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

enum { MOST = 8 };

/* Matrices that are eliminated. */
typedef struct matrices {
    ix_square in;
    ilex_context *ctx;
    int n;                 /* rows */
    ilex_array *row[MOST]; /* k: that of the k-th pivot, from column k on */
    ilex_array *at[MOST];  /* k: where it was, counted from row k */
} matrices;

/* ---- parts ---- */

static const ix_lin *
number(const matrices *m, int n)
{
    return ix_lin_const(m->ctx, n);
}

/* "rows" rows of x from row "i" on, "columns" columns from column "j" on. */
static ilex_array *
part(const matrices *m, ilex_array *x, int i, int rows, int j,
     const ix_lin *columns)
{
    ilex_array *index[ILEX_MAX_RANK];
    int d = m->in.d;
    if (ix_is_poison(x))
        return x;
    for (int k = 0; k < d; k++)
        index[k] = ix_scalar_index(m->ctx, k);
    index[d - 2] = ix_index_offset(m->ctx, index[d - 2], i);
    index[d - 1] = ix_index_offset(m->ctx, index[d - 1], j);
    return ix_structure_read(m->in.what, x,
                             ix_square_shape(&m->in, number(m, rows), columns),
                             index);
}

static ilex_array *
column(const matrices *m, ilex_array *x, int i, int rows, int j)
{
    return part(m, x, i, rows, j, number(m, 1));
}

static ilex_array *
element(const matrices *m, ilex_array *x, int i, int j)
{
    return column(m, x, i, 1, j);
}

/* Arrays one after another along the last axis but "back". */
static ilex_array *
joined(const matrices *m, int count, ilex_array *const *x, int back)
{
    const ix_given axis = {.present = true, .number = {m->in.d - 1 - back}};
    for (int i = 0; i < count; i++)
        if (ix_is_poison(x[i]))
            return x[i];
    return ix_build_concat(m->ctx, x, count, &axis);
}

/* ---- operands ---- */

/* Those of a known number of rows; false after an error. */
static bool
open(matrices *m, ilex_context *ctx, const char *what, ilex_array *a)
{
    *m = (matrices){.ctx = ctx};
    if (!ix_square_open(&m->in, ctx, what, a))
        return false;
    for (m->n = MOST; m->n > 0; m->n--)
        if (ix_lin_same(ctx, m->in.rows, number(m, m->n)))
            return true;
    return ix_poison_false(ctx, what, 0, ILEX_E_UNSUPPORTED,
                           "%s: matrices of [%s] are not known to have 1 to %d "
                           "rows; for larger ones call a function of the host, "
                           "declared with extern, for example one of LAPACK",
                           what, ix_domain_show(ctx, a->interior).s, MOST);
}

/* ---- elimination ---- */

/* What pivots are compared by: |x|, complex ones as LAPACK does. */
static ilex_array *
magnitude(ilex_array *x)
{
    return ix_dtype_is_complex((ilex_dtype)x->dtype)
               ? ilex_add(ilex_absolute(ilex_real(x)),
                          ilex_absolute(ilex_imag(x)))
               : ilex_absolute(x);
}

/* 1, 2, ..., rows in a column. */
static ilex_array *
row_numbers(const matrices *m, int rows)
{
    const ix_lin *length[2] = {number(m, rows), number(m, 1)};
    const ix_domain *dom = ix_structure_shape(m->ctx, m->in.what, 2, length);
    ilex_array *body = ix_index_offset(m->ctx, ix_scalar_index(m->ctx, 0), 1);
    return ix_node_lambda(m->ctx, dom, dom, body, 0, NULL);
}

/* Row "at" of the rows of x. */
static ilex_array *
row_at(const matrices *m, ilex_array *x, int rows, ilex_array *at,
       const ix_lin *columns)
{
    ilex_array *row = part(m, x, rows - 1, 1, 0, columns);
    for (int i = rows - 2; i >= 0; i--)
        row = ilex_where(ilex_equal(at, ilex_i64(m->ctx, i)),
                         part(m, x, i, 1, 0, columns), row);
    return row;
}

/* Eliminates step "k" of x, which has n - k rows; what is left, from the next
 * row and column on. */
static ilex_array *
step(matrices *m, int k, ilex_array *x)
{
    ilex_context *ctx = m->ctx;
    int rows = m->n - k, d = m->in.d;
    if (ix_is_poison(x))
        return x;
    const ix_lin *columns = x->interior->ax[d - 1].hi;
    const ix_lin *fewer = ix_lin_offset(ctx, columns, -1);
    ilex_array *at = ix_build_reduce(ctx, IX_REDUCTION_ARGMAX,
                                     magnitude(column(m, x, 0, rows, 0)),
                                     (uint32_t)1 << (d - 2), true);
    ilex_array *pivot = row_at(m, x, rows, at, columns);
    ilex_array *rest = ilex_where(ilex_equal(at, row_numbers(m, rows - 1)),
                                  part(m, x, 0, 1, 0, columns),
                                  part(m, x, 1, rows - 1, 0, columns));
    ilex_array *first = element(m, pivot, 0, 0);
    ilex_array *zero = ix_structure_number(ctx, (ilex_dtype)x->dtype, 0);
    /* a column of zeros is eliminated, and the determinant 0 */
    ilex_array *factor =
        ilex_where(ilex_equal(first, zero), zero,
                   ilex_true_divide(column(m, rest, 0, rows - 1, 0), first));
    m->at[k] = at;
    m->row[k] = pivot;
    return ilex_subtract(part(m, rest, 0, rows - 1, 1, fewer),
                         ilex_multiply(factor, part(m, pivot, 0, 1, 1, fewer)));
}

/* Finds the rows of pivots of x, the matrices and what stands to their right.
 */
static void
eliminate(matrices *m, ilex_array *x)
{
    for (int k = 0; k < m->n - 1; k++)
        x = step(m, k, x);
    m->row[m->n - 1] = x;
}

/* ---- solve and inv ---- */

/* The matrices x with a*x = b, from the last row upwards. */
static ilex_array *
solution(matrices *m, ilex_array *a, ilex_array *b)
{
    ilex_array *x[MOST];
    const ix_lin *columns = b->interior->ax[ix_rank(b) - 1].hi;
    if (!ix_square_join(&m->in, b))
        return ix_poison_again(m->ctx);
    x[0] = ix_square_stretched(&m->in, a);
    x[1] = ix_square_stretched(&m->in, b);
    eliminate(m, joined(m, 2, x, 0));
    for (int k = m->n - 1; k >= 0; k--) {
        x[k] = part(m, m->row[k], 0, 1, m->n - k, columns);
        for (int j = k + 1; j < m->n; j++)
            x[k] = ilex_subtract(
                x[k], ilex_multiply(element(m, m->row[k], 0, j - k), x[j]));
        x[k] = ilex_true_divide(x[k], element(m, m->row[k], 0, 0));
    }
    return joined(m, m->n, x, 1);
}

ilex_array *
ix_build_solve(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    ilex_array *x[2] = {operands[0], operands[1]};
    const ix_given last = {.present = true, .n = 1, .number = {-1}};
    matrices m;
    (void)count, (void)given;
    if (!ix_build_common(ctx, "solve", 2, x))
        return ix_poison_again(ctx);
    ilex_array *a = ix_square_floating(ctx, "solve", x[0]);
    ilex_array *b = ix_square_floating(ctx, "solve", x[1]);
    if (ix_is_poison(b) || !open(&m, ctx, "solve", a))
        return ix_poison_again(ctx);
    bool vector = ix_rank(b) == 1;
    b = ix_square_right_side(&m.in, b);
    ilex_array *y = ix_is_poison(b) ? b : solution(&m, a, b);
    return vector && !ix_is_poison(y) ? ix_build_squeeze(ctx, &y, 1, &last) : y;
}

ilex_array *
ix_build_inv(ilex_context *ctx, ilex_array *const *operands, int count,
             const ix_given *given)
{
    ilex_array *a = ix_square_floating(ctx, "inv", operands[0]);
    matrices m;
    (void)count, (void)given;
    if (!open(&m, ctx, "inv", a))
        return ix_poison_again(ctx);
    const ix_given eye[3] = {
        {.present = true, .n = 1, .form = {number(&m, m.n)}},
        {.present = false},
        {.present = true, .number = {a->dtype}}};
    ilex_array *b = ix_build_eye(ctx, NULL, 0, eye);
    return ix_is_poison(b) ? b : solution(&m, a, b);
}

/* ---- det ---- */

ilex_array *
ix_build_det(ilex_context *ctx, ilex_array *const *operands, int count,
             const ix_given *given)
{
    ilex_array *a = ix_square_floating(ctx, "det", operands[0]);
    const ix_given last = {.present = true, .n = 2, .number = {-2, -1}};
    matrices m;
    (void)count, (void)given;
    if (!open(&m, ctx, "det", a))
        return ix_poison_again(ctx);
    eliminate(&m, a);
    ilex_array *d = element(&m, m.row[0], 0, 0), *zero = ilex_i64(ctx, 0);
    for (int k = 0; k < m.n - 1; k++) {
        d = ilex_where(ilex_equal(m.at[k], zero), d, ilex_negative(d));
        d = ilex_multiply(d, element(&m, m.row[k + 1], 0, 0));
    }
    return ix_is_poison(d) ? d : ix_build_squeeze(ctx, &d, 1, &last);
}

/* ---- cholesky ---- */

/* A column with its rows as columns, conjugated. */
static ilex_array *
adjoint(const matrices *m, ilex_array *x, int rows)
{
    ilex_array *index[ILEX_MAX_RANK];
    int d = m->in.d;
    if (ix_is_poison(x))
        return x;
    for (int k = 0; k < d; k++)
        index[k] = ix_scalar_index(m->ctx, k < d - 2 ? k : 2 * d - 3 - k);
    x = ix_structure_read(
        m->in.what, x, ix_square_shape(&m->in, number(m, 1), number(m, rows)),
        index);
    return ix_dtype_is_complex((ilex_dtype)x->dtype) ? ilex_conjugate(x) : x;
}

/* Column "k" of the factor: zeros, the root of x's first element, the others of
 * its first column divided by that; x becomes what is left. */
static ilex_array *
factor_column(const matrices *m, int k, ilex_array **x)
{
    int below = m->n - k - 1, count = 0;
    ilex_dtype dtype = (ilex_dtype)(*x)->dtype;
    ilex_array *piece[3], *first = element(m, *x, 0, 0);
    const ix_domain *dom = ix_square_shape(&m->in, number(m, k), number(m, 1));
    if (k > 0)
        piece[count++] = ix_node_lambda(
            m->ctx, dom, dom, ix_structure_number(m->ctx, dtype, 0), 0, NULL);
    if (ix_dtype_is_complex(dtype))
        first = ilex_real(first);
    first = piece[count++] = ilex_cast(ilex_sqrt(first), dtype);
    if (below > 0) {
        ilex_array *rest = ilex_true_divide(column(m, *x, 1, below, 0), first);
        piece[count++] = rest;
        *x = ilex_subtract(part(m, *x, 1, below, 1, number(m, below)),
                           ilex_multiply(rest, adjoint(m, rest, below)));
    }
    return joined(m, count, piece, 1);
}

ilex_array *
ix_build_cholesky(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    ilex_array *x = ix_square_floating(ctx, "cholesky", operands[0]),
               *factor[MOST];
    matrices m;
    (void)count, (void)given;
    if (!open(&m, ctx, "cholesky", x))
        return ix_poison_again(ctx);
    for (int k = 0; k < m.n; k++)
        factor[k] = ix_is_poison(x) ? x : factor_column(&m, k, &x);
    return joined(&m, m.n, factor, 0);
}
