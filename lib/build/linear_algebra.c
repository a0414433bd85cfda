/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that are products of two arrays: matmul, dot,
 * vdot, inner, outer, tensordot, vecdot. Each says which axes are multiplied
 * with which and is an einsum, of which it has dtype, order of sums and path.
 */
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

/* Two operands and the labels of their axes. */
typedef struct pair {
    ilex_context *ctx;
    const char *what;
    ilex_array *x[2];
    ix_labels label[2], result;
    int next;     /* label that is not used yet */
    bool rounded; /* products, before they are added */
} pair;

/* ---- operands ---- */

/* The operands on unnamed axes, literals resolved; "rounded" is the attribute,
 * or NULL. False after an error. */
static bool
read_pair(ilex_context *ctx, const char *what, ilex_array *const *operands,
          const ix_given *rounded, pair *p)
{
    *p = (pair){.ctx = ctx, .what = what, .x = {operands[0], operands[1]}};
    p->rounded = rounded && rounded->present && rounded->number[0] != 0;
    if ((ix_is_weak(p->x[0]) || ix_is_weak(p->x[1])) &&
        !ix_build_common(ctx, what, 2, p->x))
        return false;
    for (int i = 0; i < 2; i++) {
        p->x[i] = ix_structure_unnamed(ctx, what, p->x[i]);
        if (ix_is_poison(p->x[i]))
            return false;
    }
    return true;
}

static const ix_lin *
length_of(const pair *p, int i, int axis)
{
    return p->x[i]->interior->ax[axis].hi;
}

static ix_domain_text
shown(const pair *p, int i)
{
    return ix_domain_show(p->ctx, p->x[i]->interior);
}

/* The first operand of a product that conjugates it. */
static void
conjugate_first(pair *p)
{
    if (ix_dtype_is_complex((ilex_dtype)p->x[0]->dtype))
        p->x[0] = ix_build_op(p->ctx, IX_OP_CONJUGATE, &p->x[0]);
}

/* Has each operand an axis at least? */
static bool
has_axes(const pair *p)
{
    for (int i = 0; i < 2; i++)
        if (ix_rank(p->x[i]) == 0)
            return ix_poison_false(
                p->ctx, p->what, i, ILEX_E_RANK,
                "%s: operand %d has no axes; a number is multiplied with x*y",
                p->what, i);
    return true;
}

/* ---- labels ---- */

/* Axis "a" of the first operand and "b" of the second one are one label, or
 * stretch to one where "stretch" and a length is 1. False after an error. */
static bool
join_axes(pair *p, int a, int b, bool stretch)
{
    const ix_lin *m = length_of(p, 0, a), *n = length_of(p, 1, b);
    bool one = stretch && (ix_lin_is(m, 1) || ix_lin_is(n, 1));
    if (one || ix_lin_same(p->ctx, m, n)) {
        p->label[0].label[a] = p->label[1].label[b] = p->next++;
        return true;
    }
    const ix_lin *need = ix_lin_sub(p->ctx, m, n);
    bool never = need && need->n == 0;
    return ix_poison_false(
        p->ctx, p->what, 1, ILEX_E_SHAPE,
        "%s: [%s] with [%s]: axis %d of the first has length %s, axis %d of "
        "the second %s, which are %s%s%s",
        p->what, shown(p, 0).s, shown(p, 1).s, a, ix_lin_show(p->ctx, m).s, b,
        ix_lin_show(p->ctx, n).s, never ? "not equal" : "not known to be equal",
        stretch ? ", and neither is 1" : "",
        ix_lin_propose(p->ctx, need, true).s);
}

/* Gives each axis of operand "i" that has no label one of its own, which the
 * result has too. */
static void
free_axes(pair *p, int i, uint32_t taken)
{
    for (int k = 0; k < ix_rank(p->x[i]); k++)
        if (!(taken >> k & 1)) {
            p->label[i].label[k] = p->next;
            p->result.label[p->result.n++] = p->next++;
        }
}

static ilex_array *
product_of(pair *p)
{
    for (int i = 0; i < 2; i++)
        p->label[i].n = ix_rank(p->x[i]);
    return ix_build_einsum(p->ctx, &p->result, 2, p->label, p->x,
                           &(ix_einsum_request){.rounded = p->rounded});
}

/* The sum over n pairs of axes; the result has the other axes of the first
 * operand, then those of the second one. */
static ilex_array *
contract(pair *p, int n, const int *a, const int *b)
{
    uint32_t taken[2] = {0, 0};
    int rank = ix_rank(p->x[0]) + ix_rank(p->x[1]) - 2 * n;
    if (rank > ILEX_MAX_RANK)
        return ix_poison(p->ctx, p->what, -1, ILEX_E_RANK,
                         "%s: [%s] with [%s] has %d axes; at most %d are "
                         "supported",
                         p->what, shown(p, 0).s, shown(p, 1).s, rank,
                         ILEX_MAX_RANK);
    for (int k = 0; k < n; k++) {
        if (!join_axes(p, a[k], b[k], false))
            return ix_poison_again(p->ctx);
        taken[0] |= (uint32_t)1 << a[k];
        taken[1] |= (uint32_t)1 << b[k];
    }
    for (int i = 0; i < 2; i++)
        free_axes(p, i, taken[i]);
    return product_of(p);
}

/* ---- matmul and vecdot ---- */

/* Joins the first "na" and "nb" axes, numbers of which are in the lists, from
 * the last one on; the result begins with them. */
static bool
join_batches(pair *p, int na, const int *a, int nb, const int *b)
{
    int n = na > nb ? na : nb;
    p->result.n = n;
    for (int k = 1; k <= n; k++) {
        p->result.label[n - k] = p->next;
        if (k <= na && k <= nb) {
            if (!join_axes(p, a[na - k], b[nb - k], true))
                return false;
        } else if (k <= na) {
            p->label[0].label[a[na - k]] = p->next++;
        } else {
            p->label[1].label[b[nb - k]] = p->next++;
        }
    }
    return true;
}

/* All axes in order. */
static const int in_order[ILEX_MAX_RANK] = {0, 1, 2,  3,  4,  5,  6,  7,
                                            8, 9, 10, 11, 12, 13, 14, 15};

ilex_array *
ix_build_matmul(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    pair p;
    (void)count;
    if (!read_pair(ctx, "matmul", operands, &given[0], &p) || !has_axes(&p))
        return ix_poison_again(ctx);
    int da = ix_rank(p.x[0]), db = ix_rank(p.x[1]);
    bool rows = da > 1, columns = db > 1;
    if (!join_axes(&p, da - 1, columns ? db - 2 : 0, false) ||
        !join_batches(&p, rows ? da - 2 : 0, in_order, columns ? db - 2 : 0,
                      in_order))
        return ix_poison_again(ctx);
    if (rows) {
        p.label[0].label[da - 2] = p.next;
        p.result.label[p.result.n++] = p.next++;
    }
    if (columns) {
        p.label[1].label[db - 1] = p.next;
        p.result.label[p.result.n++] = p.next++;
    }
    return product_of(&p);
}

ilex_array *
ix_build_vecdot(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    int at[2], rest[2][ILEX_MAX_RANK], n[2] = {0, 0};
    pair p;
    (void)count;
    if (!read_pair(ctx, "vecdot", operands, &given[1], &p) || !has_axes(&p))
        return ix_poison_again(ctx);
    if (given->present && given->n != 1)
        return ix_poison(ctx, "vecdot", -1, ILEX_E_RANK,
                         "vecdot: axis lists %d axes; it is one", given->n);
    conjugate_first(&p);
    for (int i = 0; i < 2; i++) {
        at[i] = ix_structure_axis(ctx, "vecdot",
                                  given->present ? given->number[0] : -1,
                                  ix_rank(p.x[i]));
        if (at[i] < 0)
            return ix_poison_again(ctx);
        for (int k = 0; k < ix_rank(p.x[i]); k++)
            if (k != at[i])
                rest[i][n[i]++] = k;
    }
    if (!join_axes(&p, at[0], at[1], false) ||
        !join_batches(&p, n[0], rest[0], n[1], rest[1]))
        return ix_poison_again(ctx);
    return product_of(&p);
}

/* ---- dot, inner ---- */

/* The sum over the last axis of the first operand and axis "back" of the
 * second one, counted from its end; a product if one has no axes. */
static ilex_array *
dot(ilex_context *ctx, const char *what, ilex_array *const *operands, int back,
    const ix_given *rounded)
{
    pair p;
    if (!read_pair(ctx, what, operands, rounded, &p))
        return ix_poison_again(ctx);
    int da = ix_rank(p.x[0]), db = ix_rank(p.x[1]);
    if (da == 0 || db == 0)
        return ix_build_op(ctx, IX_OP_MULTIPLY, p.x);
    return contract(&p, 1, (int[]){da - 1}, (int[]){db < back ? 0 : db - back});
}

ilex_array *
ix_build_dot(ilex_context *ctx, ilex_array *const *operands, int count,
             const ix_given *given)
{
    (void)count;
    return dot(ctx, "dot", operands, 2, given);
}

ilex_array *
ix_build_inner(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    (void)count;
    return dot(ctx, "inner", operands, 1, given);
}

/* ---- vdot, outer: of arrays as one axis ---- */

/* Makes one axis of every operand. */
static bool
flatten(pair *p)
{
    for (int i = 0; i < 2; i++) {
        p->x[i] = ix_structure_flat(p->x[i]);
        if (ix_is_poison(p->x[i]))
            return false;
    }
    return true;
}

ilex_array *
ix_build_vdot(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    pair p;
    (void)count;
    if (!read_pair(ctx, "vdot", operands, given, &p))
        return ix_poison_again(ctx);
    conjugate_first(&p);
    bool same = ix_rank(p.x[0]) == ix_rank(p.x[1]);
    for (int k = 0; same && k < ix_rank(p.x[0]); k++)
        same = ix_lin_same(ctx, length_of(&p, 0, k), length_of(&p, 1, k));
    if (same)
        return contract(&p, ix_rank(p.x[0]), in_order, in_order);
    return flatten(&p) ? contract(&p, 1, in_order, in_order)
                       : ix_poison_again(ctx);
}

ilex_array *
ix_build_outer(ilex_context *ctx, ilex_array *const *operands, int count,
               const ix_given *given)
{
    pair p;
    (void)count;
    (void)given;
    if (!read_pair(ctx, "outer", operands, NULL, &p) || !flatten(&p))
        return ix_poison_again(ctx);
    return contract(&p, 0, NULL, NULL);
}

/* ---- tensordot ---- */

/* The last axes of the first operand with the first ones of the second, as
 * many as are given. */
static bool
count_axes(const pair *p, int64_t n, int *a, int *b)
{
    int da = ix_rank(p->x[0]), db = ix_rank(p->x[1]);
    if (n < 0 || n > da || n > db)
        return ix_poison_false(p->ctx, p->what, -1, ILEX_E_AXIS,
                               "%s: axes=%lld: [%s] and [%s] have %d and %d "
                               "axes; the number of axes is 0 to %d",
                               p->what, (long long)n, shown(p, 0).s,
                               shown(p, 1).s, da, db, da < db ? da : db);
    for (int k = 0; k < n; k++) {
        a[k] = da - (int)n + k;
        b[k] = k;
    }
    return true;
}

/* The axes of operand "i" that a list names, each once. */
static bool
list_axes(const pair *p, int i, int n, const int64_t *list, int *axis)
{
    for (int k = 0; k < n; k++) {
        axis[k] = ix_structure_axis(p->ctx, p->what, list[k], ix_rank(p->x[i]));
        if (axis[k] < 0)
            return false;
        for (int j = 0; j < k; j++)
            if (axis[j] == axis[k])
                return ix_poison_false(
                    p->ctx, p->what, i, ILEX_E_DUPLICATE,
                    "%s: axis %d of operand %d is listed twice", p->what,
                    axis[k], i);
    }
    return true;
}

ilex_array *
ix_build_tensordot(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    int a[ILEX_MAX_RANK], b[ILEX_MAX_RANK], listed = given->n / 2;
    int64_t n = given->present ? given->number[0] : 2;
    bool counted = !given->present || given->n == 1;
    pair p;
    (void)count;
    if (!read_pair(ctx, "tensordot", operands, &given[1], &p))
        return ix_poison_again(ctx);
    bool fine = counted
                    ? count_axes(&p, n, a, b)
                    : list_axes(&p, 0, listed, given->number, a) &&
                          list_axes(&p, 1, listed, given->number + listed, b);
    return fine ? contract(&p, counted ? (int)n : listed, a, b)
                : ix_poison_again(ctx);
}
