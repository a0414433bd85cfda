/* SPDX-License-Identifier: MIT
 *
 * Steps that are index lambdas: clamped and periodic reads, windows, strides,
 * pieces chosen by conditions on indices, diagonals.
 */
#include <string.h>

#include "lib/build/random.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"
#include "tests/differential/differential.h"

/* A lambda under construction over one operand. */
typedef struct map {
    ilex_context *ctx;
    ilex_array *x;
    int rank, k; /* the axis in question */
    ix_axis ax[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
} map;

/* Starts with y(i) = x(i) on x's interior; false where that is nothing. */
static bool
open_map(map *m, diff_shop *shop, diff_random *r, ilex_array *x)
{
    m->ctx = shop->ctx;
    m->x = x;
    m->rank = ix_rank(x);
    if (m->rank == 0 || diff_domain_count(shop, x->interior) < 0)
        return false;
    m->k = diff_draw(r, m->rank);
    for (int k = 0; k < m->rank; k++) {
        m->ax[k] = x->interior->ax[k];
        m->index[k] = ix_scalar_index(m->ctx, k);
    }
    return true;
}

/* The load at the present indices with that of axis k replaced. */
static ilex_array *
read_at(map *m, ilex_array *index)
{
    ilex_array *all[ILEX_MAX_RANK];
    memcpy(all, m->index, sizeof all);
    all[m->k] = index;
    return ix_scalar_load(m->ctx, (ilex_dtype)m->x->dtype, 0, m->rank, all);
}

static ilex_array *
close_map(map *m, ilex_array *body)
{
    return ix_build_lambda(m->ctx, "map", ix_domain_new(m->ctx, m->rank, m->ax),
                           body, 1, &m->x);
}

/* Grows axis k: below only where it is named. */
static void
grow(map *m, int low, int high)
{
    ix_axis *ax = &m->ax[m->k];
    ax->lo = ix_lin_offset(m->ctx, ax->lo, ax->name ? -low : 0);
    ax->hi = ix_lin_offset(m->ctx, ax->hi, high);
}

static ilex_array *
form(map *m, const ix_lin *a, int64_t offset)
{
    return ix_index_lin(m->ctx, ix_lin_offset(m->ctx, a, offset));
}

/* ---- boundaries ---- */

/* x[min(max(i + c, lo), hi - 1)] on a larger domain. */
ilex_array *
diff_build_clamp(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    const ix_axis *ax = &x[0]->interior->ax[m.k];
    ilex_array *i =
        ix_index_offset(m.ctx, m.index[m.k], diff_between(r, -2, 2));
    grow(&m, diff_draw(r, 3), diff_draw(r, 3));
    ilex_array *lo = form(&m, ax->lo, 0), *hi = form(&m, ax->hi, -1);
    i = diff_chance(r, 50)
            ? ix_index_max(m.ctx, ix_index_min(m.ctx, i, hi), lo)
            : ix_index_min(m.ctx, ix_index_max(m.ctx, i, lo), hi);
    return close_map(&m, read_at(&m, i));
}

static ilex_array *
compare(map *m, ix_op op, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(m->ctx, op, ILEX_I64, ILEX_BOOL, ops);
}

static ilex_array *
choose(map *m, ilex_array *condition, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[3] = {condition, a, b};
    return ix_scalar_op(m->ctx, IX_OP_WHERE, (ilex_dtype)a->dtype,
                        (ilex_dtype)a->dtype, ops);
}

/* where(i < lo, x[i + n], where(i >= hi, x[i - n], x[i])) */
ilex_array *
diff_build_periodic(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    const ix_axis *ax = &x[0]->interior->ax[m.k];
    const ix_lin *length = ix_axis_extent(m.ctx, ax);
    int low = diff_draw(r, 3), high = diff_draw(r, 3);
    grow(&m, low, high);
    ilex_array *i = m.index[m.k], *n = ix_index_lin(m.ctx, length);
    ilex_array *body = read_at(&m, i);
    body = choose(&m, compare(&m, IX_OP_GREATER_EQUAL, i, form(&m, ax->hi, 0)),
                  read_at(&m, ix_index_fma(m.ctx, i, -1, n)), body);
    if (ax->name)
        body = choose(&m, compare(&m, IX_OP_LESS, i, form(&m, ax->lo, 0)),
                      read_at(&m, ix_index_fma(m.ctx, i, 1, n)), body);
    return close_map(&m, body);
}

/* ---- windows ---- */

static ilex_array *
reduce_window(map *m, diff_random *r, int width, ilex_array *body)
{
    static const ix_reduction reductions[] = {
        IX_REDUCTION_SUM, IX_REDUCTION_MAX, IX_REDUCTION_PROD, IX_REDUCTION_ANY,
        IX_REDUCTION_ARGMIN};
    ix_reduction how = reductions[diff_draw(r, 5)];
    ilex_dtype acc, result;
    ix_axis range = {0, ix_lin_const(m->ctx, 0), ix_lin_const(m->ctx, width)};
    if (!ix_reduction_type(how, (ilex_dtype)body->dtype, &acc, &result))
        return NULL;
    body = ix_scalar_reduce(
        m->ctx, how, ix_reduction_info_of(how)->by_index ? result : acc,
        ix_domain_new(m->ctx, 1, &range), 0, ix_scalar_cast(m->ctx, acc, body));
    return ix_scalar_cast(m->ctx, result, body);
}

/* A reduction of x[i + s] over s in [0, w). */
ilex_array *
diff_build_window(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    int width = diff_chance(r, 20) ? 70 : diff_between(r, 1, 4);
    ilex_array *s = ix_scalar_rindex(m.ctx, 0);
    ilex_array *i = ix_index_fma(m.ctx, m.index[m.k], 1, s);
    m.ax[m.k].hi = ix_lin_offset(m.ctx, m.ax[m.k].hi, 1 - width);
    ilex_array *body = reduce_window(&m, r, width, read_at(&m, i));
    return body ? close_map(&m, body) : NULL;
}

/* The same on the whole axis: points beyond the end count as another
 * element. */
ilex_array *
diff_build_guarded(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    const ix_axis *ax = &x[0]->interior->ax[m.k];
    ilex_array *s = ix_scalar_rindex(m.ctx, 0);
    ilex_array *i = ix_index_fma(m.ctx, m.index[m.k], 1, s);
    ilex_array *inside = compare(&m, IX_OP_LESS, i, form(&m, ax->hi, 0));
    ilex_array *other = diff_chance(r, 50)
                            ? read_at(&m, m.index[m.k])
                            : ix_scalar_cast(m.ctx, (ilex_dtype)x[0]->dtype,
                                             ix_index_const(m.ctx, 1));
    ilex_array *body = choose(&m, inside, read_at(&m, i), other);
    body = reduce_window(&m, r, diff_between(r, 2, 4), body);
    return body ? close_map(&m, body) : NULL;
}

/* ---- other accesses ---- */

/* x[2i + c], x[i // c], x[i % c], x[hi - 1 - i] */
ilex_array *
diff_build_stride(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    ix_axis *ax = &m.ax[m.k];
    const ix_lin *zero = ix_lin_const(m.ctx, 0), *hi = ax->hi;
    ilex_array *i = m.index[m.k], *at = i;
    int c = diff_between(r, 2, 3), how = diff_draw(r, 4);
    if (!ix_lin_is(ax->lo, 0))
        how = 3;
    if (how == 0) {
        ax->hi = ix_lin_const(m.ctx, ix_floordiv(hi->c, c));
        for (int32_t t = 0; t < hi->n; t++)
            ax->hi = ix_lin_fma(m.ctx, ax->hi, hi->t[t].k / c,
                                ix_lin_param(m.ctx, hi->t[t].param));
        at = ix_index_fma(m.ctx, ix_index_const(m.ctx, diff_draw(r, c)), c, i);
    } else if (how == 1) {
        ax->hi = ix_lin_fma(m.ctx, zero, c, hi);
        at = ix_index_floordiv(m.ctx, i, c);
    } else if (how == 2) {
        ax->hi = ix_lin_offset(m.ctx, hi, 3);
        at = ix_index_fma(m.ctx, i, -c, ix_index_floordiv(m.ctx, i, c));
    } else {
        at = ix_index_fma(m.ctx, form(&m, ix_lin_add(m.ctx, hi, ax->lo), -1),
                          -1, i);
    }
    return close_map(&m, read_at(&m, at));
}

/* x[i, i], or x[j, i] where two axes have one extent. */
ilex_array *
diff_build_diagonal(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]) || m.rank < 2)
        return NULL;
    int j = (m.k + 1) % m.rank;
    const ix_axis *other = &x[0]->interior->ax[j];
    if (other->hi != m.ax[m.k].hi || other->lo != m.ax[m.k].lo)
        return NULL;
    ilex_array *at = m.index[diff_chance(r, 50) ? m.k : j];
    m.index[j] = m.index[m.k];
    return close_map(&m, read_at(&m, at));
}

/* Remainders and quotients: along an axis that goes several times over, or each
 * element several times, or two axes as one. */
ilex_array *
diff_build_merged(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    const ix_lin *length = m.ax[m.k].hi, *by;
    ilex_array *i = m.index[m.k];
    int how = diff_draw(r, 3);
    by = ix_lin_const(m.ctx, diff_between(r, 1, 3));
    if (diff_chance(r, 50))
        by = ix_index_to_lin(
            m.ctx,
            ilex_size(m.ctx, diff_param_names[diff_draw(r, DIFF_PARAMS)]));
    if (how == 2 && m.k + 1 < m.rank) {
        by = m.ax[m.k + 1].hi;
        m.index[m.k + 1] = ix_index_mod_lin(m.ctx, i, by);
        for (int k = m.k + 2; k < m.rank; k++) {
            m.index[k] = ix_scalar_index(m.ctx, k - 1);
            m.ax[k - 1] = m.ax[k];
        }
    }
    m.ax[m.k].hi = ix_lin_mul(m.ctx, length, by);
    i = how == 0 ? ix_index_mod_lin(m.ctx, i, length)
                 : ix_index_floordiv_lin(m.ctx, i, by);
    ilex_array *body = read_at(&m, i);
    m.rank -= how == 2 && m.k + 1 < m.rank;
    return m.ax[m.k].hi ? close_map(&m, body) : ix_poison_again(m.ctx);
}

/* x[i] combined with the value of an index, as a number. */
ilex_array *
diff_build_position(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const ix_op ops[] = {IX_OP_ADD, IX_OP_MULTIPLY, IX_OP_MAXIMUM};
    map m;
    if (!open_map(&m, shop, r, x[0]) || x[0]->dtype == ILEX_BOOL)
        return NULL;
    ilex_dtype dtype = (ilex_dtype)x[0]->dtype;
    ilex_array *index = m.index[diff_draw(r, m.rank)];
    ilex_array *args[2] = {
        ix_scalar_load(m.ctx, dtype, 0, m.rank, m.index),
        ix_scalar_cast(m.ctx, dtype,
                       ix_index_offset(m.ctx, index, diff_between(r, -3, 3)))};
    return close_map(&m,
                     ix_structure_op(m.ctx, ops[diff_draw(r, 3)], dtype, args));
}

/* ---- pieces ---- */

/* A random condition on the indices of a map. */
static ilex_array *
condition(map *m, diff_random *r, int depth)
{
    static const ix_op tests[] = {IX_OP_LESS,    IX_OP_LESS_EQUAL,
                                  IX_OP_GREATER, IX_OP_GREATER_EQUAL,
                                  IX_OP_EQUAL,   IX_OP_NOT_EQUAL};
    if (depth > 0 && diff_chance(r, 40)) {
        ilex_array *ops[2] = {condition(m, r, depth - 1),
                              condition(m, r, depth - 1)};
        return ix_scalar_op(
            m->ctx, diff_chance(r, 50) ? IX_OP_LOGICAL_AND : IX_OP_LOGICAL_OR,
            ILEX_BOOL, ILEX_BOOL, ops);
    }
    int k = diff_draw(r, m->rank), j = diff_draw(r, m->rank);
    ilex_array *a = m->index[k];
    if (k != j && diff_chance(r, 50))
        a = ix_index_fma(m->ctx, a, diff_chance(r, 50) ? 1 : -1, m->index[j]);
    if (diff_chance(r, 20))
        a = ix_index_fma(m->ctx, a, -2, ix_index_floordiv(m->ctx, a, 2));
    const ix_axis *ax = &m->ax[k];
    ilex_array *b = diff_chance(r, 50)
                        ? ix_index_const(m->ctx, diff_between(r, -1, 3))
                        : form(m, ax->hi, diff_between(r, -3, 0));
    return compare(m, tests[diff_draw(r, 6)], a, b);
}

/* where(condition on indices, x(i), y(i)), y mostly of the same domain. */
ilex_array *
diff_build_pieces(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    if (x[0]->interior == x[1]->interior && x[0]->dtype == x[1]->dtype) {
        ilex_array *ops[2] = {
            ix_scalar_load(m.ctx, (ilex_dtype)x[0]->dtype, 0, m.rank, m.index),
            ix_scalar_load(m.ctx, (ilex_dtype)x[1]->dtype, 1, m.rank, m.index)};
        return ix_build_lambda(m.ctx, "pieces", x[0]->interior,
                               choose(&m, condition(&m, r, 2), ops[0], ops[1]),
                               2, x);
    }
    ilex_array *which = ix_build_lambda(m.ctx, "which", x[0]->interior,
                                        condition(&m, r, 2), 0, NULL);
    ilex_array *args[3] = {which, x[0], x[1]};
    return ix_build_op(m.ctx, IX_OP_WHERE, args);
}

/* ---- indices that are data ---- */

/* An operation of two values of i64. */
static ilex_array *
integers(map *m, ix_op op, ilex_dtype result, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    return ix_scalar_op(m->ctx, op, ILEX_I64, result, ops);
}

/* ---- random ---- */

/* An index, an element, or a number as a word of random. */
static ilex_array *
random_word(map *m, diff_random *r, ilex_dtype dtype)
{
    int k = diff_draw(r, m->rank);
    if (diff_chance(r, 20))
        return ix_index_const(m->ctx, diff_draw(r, 9));
    if (diff_chance(r, 60))
        return ix_index_fma(m->ctx, m->index[k], -1, form(m, m->ax[k].lo, 0));
    ilex_array *v = ix_scalar_load(m->ctx, dtype, 0, m->rank, m->index);
    return integers(m, IX_OP_REMAINDER, ILEX_I64,
                    ix_scalar_cast(m->ctx, ILEX_I64, v),
                    ix_index_const(m->ctx, (int64_t)1 << diff_draw(r, 33)));
}

/* random(key, …) of indices and elements. */
ilex_array *
diff_build_random(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]) ||
        ix_dtype_is_complex((ilex_dtype)x[0]->dtype))
        return NULL;
    ilex_array *key = ix_scalar_const(
        m.ctx, ILEX_U64, (ix_value){.u = (uint64_t)diff_draw(r, 1 << 30)});
    ilex_array *word[IX_RANDOM_WORDS];
    int count = 1 + diff_draw(r, IX_RANDOM_WORDS);
    for (int i = 0; i < count; i++)
        word[i] = random_word(&m, r, (ilex_dtype)x[0]->dtype);
    ilex_array *body =
        ix_random_scalar(m.ctx, diff_chance(r, 40),
                         ix_domain_new(m.ctx, m.rank, m.ax), key, count, word);
    return ix_is_poison(body) ? body : close_map(&m, body);
}

/* x at lo + v mod length along an axis, or where v itself is inside, x there
 * and else a number: v is an element of y, or of x itself. */
ilex_array *
diff_build_gather(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]))
        return NULL;
    bool other = x[1]->interior == x[0]->interior;
    ilex_array *operand[2] = {x[0], x[other]};
    ilex_dtype dtype = (ilex_dtype)x[0]->dtype;
    const ix_axis *ax = &x[0]->valid->ax[m.k];
    if (ix_dtype_is_complex((ilex_dtype)operand[1]->dtype) ||
        ix_lin_is(ax->hi, IX_UNBOUNDED))
        return NULL;
    ilex_array *v =
        ix_scalar_cast(m.ctx, ILEX_I64,
                       ix_scalar_load(m.ctx, (ilex_dtype)operand[1]->dtype,
                                      other, m.rank, m.index));
    ilex_array *lo = form(&m, ax->lo, 0), *hi = form(&m, ax->hi, 0);
    if (diff_chance(r, 50)) {
        ilex_array *at =
            ix_scalar_checked(m.ctx, v, m.k, ax->lo, ax->hi, false);
        ilex_array *ends[2] = {
            integers(&m, IX_OP_GREATER_EQUAL, ILEX_BOOL, v, lo),
            integers(&m, IX_OP_LESS, ILEX_BOOL, v, hi)};
        ilex_array *inside =
            ix_scalar_op(m.ctx, IX_OP_LOGICAL_AND, ILEX_BOOL, ILEX_BOOL, ends);
        ilex_array *none = ix_scalar_cast(m.ctx, dtype, ilex_i64(m.ctx, 1));
        return ix_build_lambda(
            m.ctx, "gather", ix_domain_new(m.ctx, m.rank, m.ax),
            choose(&m, inside, read_at(&m, at), none), 1 + other, operand);
    }
    int64_t first, end;
    if (!diff_axis_range(shop, ax, &first, &end) || end <= first)
        return NULL; /* no index is inside */
    ilex_array *length = ix_index_max(m.ctx, ix_index_fma(m.ctx, hi, -1, lo),
                                      ix_index_const(m.ctx, 1));
    ilex_array *at = integers(&m, IX_OP_REMAINDER, ILEX_I64, v, length);
    at = integers(&m, IX_OP_ADD, ILEX_I64, at, lo);
    at = ix_scalar_checked(m.ctx, at, m.k, ax->lo, ax->hi, false);
    return ix_build_lambda(m.ctx, "gather", ix_domain_new(m.ctx, m.rank, m.ax),
                           read_at(&m, at), 1 + other, operand);
}

/* May the index of axis k be the end of a range of x's elements, unchecked? */
static bool
index_is_inside(const map *m, const diff_shop *shop, const ix_axis *ax)
{
    int64_t lo, hi, least, most;
    return diff_axis_range(shop, ax, &lo, &hi) &&
           diff_axis_range(shop, &m->ax[m->k], &least, &most) && most - 1 <= hi;
}

/* The sum or an extremum of x along an axis up to an end that is data or the
 * index itself. */
ilex_array *
diff_build_ranged(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    map m;
    if (!open_map(&m, shop, r, x[0]) ||
        ix_dtype_is_complex((ilex_dtype)x[0]->dtype))
        return NULL;
    const ix_axis ax = x[0]->valid->ax[m.k];
    if (ix_lin_is(ax.hi, IX_UNBOUNDED))
        return NULL;
    ilex_dtype dtype = (ilex_dtype)x[0]->dtype, acc, result;
    ix_reduction how = diff_chance(r, 50)   ? IX_REDUCTION_SUM
                       : diff_chance(r, 50) ? IX_REDUCTION_MAX
                                            : IX_REDUCTION_MIN;
    ix_reduction_type(how, dtype, &acc, &result);
    ilex_array *lo = form(&m, ax.lo, 0), *hi = m.index[m.k];
    if (diff_chance(r, 60) || !index_is_inside(&m, shop, &ax)) {
        ilex_array *v = ix_scalar_cast(
            m.ctx, ILEX_I64, ix_scalar_load(m.ctx, dtype, 0, m.rank, m.index));
        ilex_array *length =
            ix_index_max(m.ctx, ix_index_fma(m.ctx, form(&m, ax.hi, 1), -1, lo),
                         ix_index_const(m.ctx, 1));
        hi = integers(&m, IX_OP_REMAINDER, ILEX_I64, v, length);
        hi = integers(&m, IX_OP_ADD, ILEX_I64, hi, lo);
        hi = ix_scalar_checked_as(m.ctx,
                                  &(ix_checked){.what = IX_CHECKED_END,
                                                .value = hi,
                                                .lo = lo,
                                                .hi = form(&m, ax.hi, 1)});
    }
    ilex_array *ops[3] = {
        ix_scalar_cast(m.ctx, acc, read_at(&m, ix_scalar_rindex(m.ctx, 0))), lo,
        hi};
    const ix_domain *box = ix_domain_new(m.ctx, 1, &(ix_axis){0, ax.lo, ax.hi});
    if (!diff_is_quick(shop, m.x->interior, box))
        return NULL;
    ilex_array *body = ix_scalar_reduce_ranged(m.ctx, how, acc, box, 0, ops);
    return close_map(&m, ix_scalar_cast(m.ctx, result, body));
}

/* Where rows of a matrix of "elements" begin: each has a few, as long as there
 * are any, and as there are columns. */
static ilex_array *
random_rows(ilex_context *ctx, diff_random *r, const ix_lin *elements,
            ilex_array *columns)
{
    static const char *const lengths[] = {"1", "2", "4", "8"};
    ilex_array *row = ilex_range(ctx, lengths[diff_draw(r, 4)], ILEX_I64);
    row = ilex_multiply(row, ilex_i64(ctx, diff_draw(r, 4)));
    row = ilex_minimum(row, ix_index_lin(ctx, elements));
    return ilex_where(ilex_greater(columns, ilex_i64(ctx, 0)), row,
                      ilex_i64(ctx, 0));
}

/* x[0] times a sparse matrix with the elements of x[1], by which its columns
 * are drawn. */
ilex_array *
diff_build_csr(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    ilex_context *ctx = shop->ctx;
    if (ix_rank(x[0]) == 0 || !ix_is_array(x[1]))
        return NULL;
    ilex_array *val = ilex_reshape_to(x[1], "-1", NULL);
    if (ix_is_poison(val))
        return val;
    const ix_lin *length = x[0]->interior->ax[0].hi,
                 *less = ix_lin_offset(ctx, length, -diff_draw(r, 2));
    if (ix_lin_nonneg(ctx, less) == IX_YES)
        length = less;
    ilex_array *columns = ix_index_lin(ctx, length);
    ilex_array *col = ilex_remainder(ilex_cast(val, ILEX_I64),
                                     ilex_maximum(columns, ilex_i64(ctx, 1)));
    ilex_array *row = random_rows(ctx, r, val->interior->ax[0].hi, columns);
    ilex_array *operands[4] = {val, col, row, x[0]};
    const ix_given given = {.present = true, .form = {length}};
    return ix_build_kind(ctx, IX_CSR_MATMUL, operands, 4, &given);
}

/* x[0] shifted by an integer that is data, whatever is read outside; without a
 * word on that as far as it can be. */
ilex_array *
diff_build_shift_by(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const char *const modes[] = {"wrap", "edge", "reflect", "symmetric"};
    ilex_context *ctx = shop->ctx;
    map m;
    if (!open_map(&m, shop, r, x[0]) ||
        ix_dtype_is_complex((ilex_dtype)x[1]->dtype) || ix_rank(x[1]) > 0)
        return NULL;
    const char *axis = ix_symbol_text(ctx, m.ax[m.k].name);
    ilex_array *by = ilex_remainder(ilex_cast(x[1], ILEX_I32),
                                    ilex_lit_int(ctx, diff_between(r, 2, 9)));
    if (diff_chance(r, 40))
        return ilex_shift_by(x[0], axis, by, modes[diff_draw(r, 4)], NULL);
    if (diff_chance(r, 60))
        return ilex_shift_by(x[0], axis, by, NULL, ilex_lit_int(ctx, 1));
    return ilex_shift_by(x[0], axis, ilex_multiply(by, ilex_lit_int(ctx, 0)),
                         NULL, NULL);
}
