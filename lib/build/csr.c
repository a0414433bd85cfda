/* SPDX-License-Identifier: MIT
 *
 * Sparse matrices in compressed rows: the constructor of csr_matmul. What it
 * computes is said by ix_lower_csr_matmul.
 */
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

static const char what[] = "csr_matmul";

enum { VALUES, COLUMNS, ROWS, FACTOR };

/* "n" axes, integers if so wanted; reports what differs. */
static bool
check_list(ilex_context *ctx, const char *name, int i, const ilex_array *x,
           bool integers)
{
    const char *dtype = ilex_dtype_name((ilex_dtype)x->dtype);
    if (ix_rank(x) != 1)
        return ix_poison_false(
            ctx, what, i, ILEX_E_RANK,
            "csr_matmul: %s has %d axes; it has one, for example "
            "csr_matmul(val, col, row, x) with val : f64[z], col : i32[z], row "
            ": i64[n+1], x : f64[m]",
            name, ix_rank(x));
    if (!integers || ix_dtype_is_integer((ilex_dtype)x->dtype))
        return true;
    return ix_poison_false(ctx, what, i, ILEX_E_DTYPE,
                           "csr_matmul: %s is %s; it holds integers", name,
                           dtype);
}

static const ix_lin *
length_of(const ilex_array *x)
{
    return x->interior->ax[0].hi;
}

/* Has the matrix the form of one: as many columns as values, a row of ends
 * that has a first one? */
static bool
check_matrix(ilex_context *ctx, ilex_array *const *x)
{
    if (!check_list(ctx, "val", VALUES, x[VALUES], false) ||
        !check_list(ctx, "col", COLUMNS, x[COLUMNS], true) ||
        !check_list(ctx, "row", ROWS, x[ROWS], true))
        return false;
    const ix_lin *a = length_of(x[VALUES]), *b = length_of(x[COLUMNS]);
    const ix_lin *rows = ix_lin_offset(ctx, length_of(x[ROWS]), -1);
    if (!ix_lin_same(ctx, a, b)) {
        const ix_lin *need = ix_lin_sub(ctx, a, b);
        return ix_poison_false(
            ctx, what, COLUMNS, ILEX_E_SHAPE,
            "csr_matmul: val has length %s, col has %s; they are %s equal%s",
            ix_lin_show(ctx, a).s, ix_lin_show(ctx, b).s,
            need && need->n == 0 ? "not" : "not known to be",
            ix_lin_propose(ctx, need, true).s);
    }
    return ix_structure_nonneg(ctx, what, "row's length less 1", rows);
}

/* How many columns the matrix has, which are rows of "x"; NULL after an error.
 */
static const ix_lin *
columns_of(ilex_context *ctx, const ilex_array *x, const ix_given *given)
{
    if (ix_rank(x) == 0) {
        ix_poison(ctx, what, FACTOR, ILEX_E_RANK,
                  "csr_matmul: x has no axes; it has one element, or one row, "
                  "for each column of the matrix");
        return NULL;
    }
    if (!given->form[0])
        return length_of(x);
    if (!ix_structure_nonneg(ctx, what, "columns", given->form[0]))
        return NULL;
    if (!ix_lin_same(ctx, length_of(x), given->form[0])) {
        const ix_lin *rest = ix_lin_sub(ctx, length_of(x), given->form[0]);
        ix_poison(ctx, what, FACTOR, ILEX_E_SHAPE,
                  "csr_matmul: columns=%s, and x has length %s, which is %s "
                  "the same%s",
                  ix_lin_show(ctx, given->form[0]).s,
                  ix_lin_show(ctx, length_of(x)).s,
                  rest && rest->n == 0 ? "not" : "not known to be",
                  ix_lin_propose(ctx, rest, true).s);
        return NULL;
    }
    return given->form[0];
}

/* The rows of the matrix, then the axes of "x" but the first. */
static const ix_domain *
domain_of(ilex_context *ctx, const ilex_array *row, const ilex_array *x)
{
    ix_axis ax[ILEX_MAX_RANK];
    memcpy(ax, x->interior->ax, (size_t)ix_rank(x) * sizeof *ax);
    ax[0].hi = ix_lin_offset(ctx, length_of(row), -1);
    return ix_domain_new(ctx, ix_rank(x), ax);
}

ilex_array *
ix_build_csr_matmul(ilex_context *ctx, ilex_array *const *operands, int count,
                    const ix_given *given)
{
    ilex_array *ops[5];
    for (int i = 0; i < count; i++) {
        ops[i] = ix_structure_unnamed(ctx, what, operands[i]);
        if (ix_is_poison(ops[i]))
            return ops[i];
    }
    if (!check_matrix(ctx, ops))
        return ix_poison_again(ctx);
    const ix_lin *columns = columns_of(ctx, ops[FACTOR], given);
    const ix_domain *dom =
        columns ? domain_of(ctx, ops[ROWS], ops[FACTOR]) : NULL;
    if (!dom)
        return ix_poison_again(ctx);
    ops[count] = ix_index_lin(ctx, columns);
    ix_node_spec spec = {.kind = IX_CSR_MATMUL,
                         .dtype =
                             ilex_dtype_promote((ilex_dtype)ops[VALUES]->dtype,
                                                (ilex_dtype)ops[FACTOR]->dtype),
                         .interior = dom,
                         .valid = dom,
                         .nops = count + 1,
                         .ops = ops};
    return ix_node_scoped(ctx, &spec);
}
