/* SPDX-License-Identifier: MIT
 *
 * Steps that are reductions whose guard lets ranges of an index in: adjoints of
 * clamped, periodic and strided reads, triangles, bands and pieces.
 */
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "tests/differential/differential.h"

/* A reduction under construction: along axis k of x, and perhaps another. */
typedef struct sum {
    ilex_context *ctx;
    ilex_array *x;
    int rank, k, reduced;
    ix_axis ax[ILEX_MAX_RANK], range[2];
    ilex_array *index[ILEX_MAX_RANK]; /* at which x is read */
    ilex_array *i, *r;                /* of the result, and reduced */
} sum;

static ilex_array *
form(sum *s, const ix_lin *a, int64_t offset)
{
    return ix_index_lin(s->ctx, ix_lin_offset(s->ctx, a, offset));
}

/* y(i) = sum of x(r) along axis k; of x(r, r') if another one is reduced too,
 * along which y has the length 1 then. */
static bool
open_sum(sum *s, diff_shop *shop, diff_random *r, ilex_array *x)
{
    *s = (sum){.ctx = shop->ctx, .x = x, .rank = ix_rank(x), .reduced = 1};
    if (s->rank == 0 || diff_domain_count(shop, x->interior) < 0)
        return false;
    s->k = diff_draw(r, s->rank);
    for (int k = 0; k < s->rank; k++) {
        s->ax[k] = x->interior->ax[k];
        s->index[k] = ix_scalar_index(s->ctx, k);
    }
    s->i = s->index[s->k];
    s->r = s->index[s->k] = ix_scalar_rindex(s->ctx, 0);
    s->range[0] = (ix_axis){0, s->ax[s->k].lo, s->ax[s->k].hi};
    int other = diff_draw(r, s->rank);
    if (other != s->k && diff_chance(r, 50)) {
        s->index[other] = ix_scalar_rindex(s->ctx, 1);
        s->range[1] = (ix_axis){0, s->ax[other].lo, s->ax[other].hi};
        s->ax[other].lo = ix_lin_const(s->ctx, 0);
        s->ax[other].hi = ix_lin_const(s->ctx, 1);
        s->reduced = 2;
    }
    for (int k = 0; k < s->reduced; k++) /* text has no ends that may cross */
        if (ix_lin_nonneg(s->ctx, ix_axis_extent(s->ctx, &s->range[k])) !=
            IX_YES)
            return false;
    return true;
}

static ilex_array *
compare(sum *s, ix_op op, ilex_array *a, ilex_array *b)
{
    return ix_scalar_op(s->ctx, op, ILEX_I64, ILEX_BOOL,
                        (ilex_array *[]){a, b});
}

static ilex_array *
choose(sum *s, ilex_array *condition, ilex_array *a, ilex_array *b)
{
    ilex_dtype dtype = (ilex_dtype)a->dtype;
    return ix_scalar_op(s->ctx, IX_OP_WHERE, dtype, dtype,
                        (ilex_array *[]){condition, a, b});
}

static ilex_array *
logic(sum *s, ix_op op, ilex_array *a, ilex_array *b)
{
    return ix_scalar_op(s->ctx, op, ILEX_BOOL, ILEX_BOOL,
                        (ilex_array *[]){a, b});
}

/* ---- guards ---- */

/* An index made of r: at which a read with a boundary rule would read. */
static ilex_array *
folded(sum *s, diff_random *r)
{
    const ix_axis *ax = &s->range[0];
    ilex_array *at = ix_index_offset(s->ctx, s->r, diff_between(r, -2, 2));
    ilex_array *lo = form(s, ax->lo, 0), *last = form(s, ax->hi, -1);
    ilex_array *n = ix_index_fma(s->ctx, form(s, ax->hi, 0), -1, lo);
    switch (diff_draw(r, 5)) {
    case 0:
        return ix_index_min(s->ctx, ix_index_max(s->ctx, at, lo), last);
    case 1:
        return choose(s, compare(s, IX_OP_LESS, at, lo),
                      ix_index_fma(s->ctx, at, 1, n),
                      choose(s, compare(s, IX_OP_GREATER, at, last),
                             ix_index_fma(s->ctx, at, -1, n), at));
    case 2:
        return ix_index_floordiv(s->ctx, at, diff_between(r, 2, 3));
    case 3:
        return ix_index_fma(s->ctx, at, diff_between(r, -3, 2), s->r);
    default:
        return at;
    }
}

/* What r is compared with. */
static ilex_array *
place(sum *s, diff_random *r)
{
    int c = diff_between(r, -2, 3);
    switch (diff_draw(r, 5)) {
    case 0:
        return form(s, s->range[0].lo, c);
    case 1:
        return form(s, s->range[0].hi, -c);
    case 2:
        if (s->reduced > 1)
            return ix_index_offset(s->ctx, ix_scalar_rindex(s->ctx, 1), c);
        return ix_index_fma(s->ctx, form(s, s->range[0].hi, c), -1, s->i);
    default:
        return ix_index_offset(s->ctx, s->i, c);
    }
}

static ilex_array *
guard(sum *s, diff_random *r, int depth)
{
    static const ix_op tests[] = {IX_OP_LESS,    IX_OP_LESS_EQUAL,
                                  IX_OP_GREATER, IX_OP_GREATER_EQUAL,
                                  IX_OP_EQUAL,   IX_OP_NOT_EQUAL};
    int how = diff_draw(r, 10);
    if (depth > 0 && how < 4) {
        ilex_array *a = guard(s, r, depth - 1);
        return logic(s, how < 2 ? IX_OP_LOGICAL_AND : IX_OP_LOGICAL_OR, a,
                     guard(s, r, depth - 1));
    }
    if (depth > 0 && how == 4) {
        ilex_array *a = guard(s, r, depth - 1);
        return ix_scalar_op(s->ctx, IX_OP_LOGICAL_NOT, ILEX_BOOL, ILEX_BOOL,
                            &a);
    }
    ix_op op = diff_chance(r, 50) ? IX_OP_EQUAL : tests[diff_draw(r, 6)];
    ilex_array *a = folded(s, r);
    return compare(s, op, a, place(s, r));
}

/* ---- the reduction ---- */

/* What elements count as that the guard keeps out: mostly what may be left
 * out. */
static ilex_array *
nothing(sum *s, diff_random *r, ix_reduction how, ilex_dtype acc)
{
    ix_value v;
    if (!ix_reduction_empty(how, acc, &v) || diff_chance(r, 10))
        v = ix_reduction_identity(how, acc);
    if (diff_chance(r, 10))
        return ix_scalar_cast(s->ctx, acc, ix_index_const(s->ctx, 1));
    return ix_scalar_const(s->ctx, acc, v);
}

/* A reduction over r of where(guard, x[r], nothing), or of two such. */
ilex_array *
diff_build_solved(diff_shop *shop, diff_random *r, ilex_array *const *x)
{
    static const ix_reduction reductions[] = {
        IX_REDUCTION_SUM, IX_REDUCTION_SUM, IX_REDUCTION_SUM,
        IX_REDUCTION_MAX, IX_REDUCTION_MIN, IX_REDUCTION_PROD,
        IX_REDUCTION_ANY, IX_REDUCTION_ALL};
    sum s;
    ilex_dtype acc, result;
    if (!open_sum(&s, shop, r, x[0]))
        return NULL;
    ix_reduction how = reductions[diff_draw(r, 8)];
    for (int k = 0; k < s.reduced && !ix_reduction_info_of(how)->empty; k++) {
        int64_t lo, hi;
        diff_axis_range(shop, &s.range[k], &lo, &hi);
        if (hi <= lo || diff_is_counted(shop, &s.range[k]))
            return NULL; /* there may be nothing, which has no value */
    }
    if (!ix_reduction_type(how, (ilex_dtype)x[0]->dtype, &acc, &result))
        return NULL;
    ilex_array *body = ix_scalar_cast(
        s.ctx, acc,
        ix_scalar_load(s.ctx, (ilex_dtype)x[0]->dtype, 0, s.rank, s.index));
    ilex_array *none = nothing(&s, r, how, acc);
    for (int i = diff_chance(r, 15); i >= 0; i--)
        body =
            choose(&s, guard(&s, r, 2), body, diff_chance(r, 90) ? none : body);
    const ix_domain *box = ix_domain_new(s.ctx, s.reduced, s.range);
    if (!diff_is_quick(shop, ix_domain_new(s.ctx, s.rank, s.ax), box))
        return NULL;
    body = ix_scalar_reduce(s.ctx, how, acc, box, 0, body);
    body = ix_scalar_cast(s.ctx, result, body);
    return ix_build_lambda(s.ctx, "solved", ix_domain_new(s.ctx, s.rank, s.ax),
                           body, 1, &s.x);
}
