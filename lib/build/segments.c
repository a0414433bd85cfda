/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that combine what belongs together, made of
 * updates: segment_sum, segment_max, segment_min, bincount, histogram.
 */
#include "lib/build/structure.h"

#include <math.h>

#include "ilex/elementwise.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"
#include "lib/shape/broadcast.h"

/* One of these functions, and its result before it is made. */
typedef struct segments {
    ilex_context *ctx;
    const char *what;
    ix_reduction reduction;
    const ix_lin *length; /* how many segments there are */
} segments;

/* ---- what goes where ---- */

/* The numbers of segments: integers on unnamed axes, at least one. */
static ilex_array *
numbers(const segments *s, ilex_array *x)
{
    x = ix_structure_unnamed(s->ctx, s->what, x);
    if (ix_is_poison(x))
        return x;
    if (!ix_dtype_is_integer((ilex_dtype)x->dtype))
        return ix_poison(s->ctx, s->what, 1, ILEX_E_DTYPE,
                         "%s: numbers of segments are integers, not %s",
                         s->what, ilex_dtype_name((ilex_dtype)x->dtype));
    return ix_rank(x)
               ? x
               : ix_poison(s->ctx, s->what, 1, ILEX_E_RANK,
                           "%s: the numbers of segments have no axis", s->what);
}

/* Does "x" begin with the axes of "ids"? */
static bool
check_axes(const segments *s, const ilex_array *x, const ilex_array *ids)
{
    bool same = ix_rank(x) >= ix_rank(ids);
    for (int k = 0; same && k < ix_rank(ids); k++)
        same =
            ix_lin_same(s->ctx, x->interior->ax[k].hi, ids->interior->ax[k].hi);
    return same || ix_poison_false(
                       s->ctx, s->what, 1, ILEX_E_SHAPE,
                       "%s: numbers of segments on [%s] for elements on "
                       "[%s], which begin with the same lengths",
                       s->what, ix_domain_show(s->ctx, ids->interior).s,
                       ix_rank(x) ? ix_domain_show(s->ctx, x->interior).s : "");
}

/* What a segment is of nothing, for each, and on the axes of "x" behind those
 * of "ids". */
static ilex_array *
empty(const segments *s, const ilex_array *x, const ilex_array *ids)
{
    ilex_context *ctx = s->ctx;
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    const ix_lin *length[ILEX_MAX_RANK + 1] = {s->length};
    int rank = 1;
    for (int k = ix_rank(ids); k < ix_rank(x); k++)
        length[rank++] = x->interior->ax[k].hi;
    const ix_domain *dom = ix_structure_shape(ctx, s->what, rank, length);
    ilex_array *v =
        s->reduction == IX_REDUCTION_SUM
            ? ix_structure_number(ctx, dtype, 0)
            : ix_scalar_const(ctx, dtype,
                              ix_reduction_identity(s->reduction, dtype));
    return ix_node_lambda(ctx, dom, dom, v, 0, NULL);
}

/* The read of "to" at the segments of the elements of "x". */
static ilex_array *
place(const segments *s, ilex_array *to, const ilex_array *x, ilex_array *ids)
{
    ilex_context *ctx = s->ctx;
    ilex_array *index[ILEX_MAX_RANK], *operands[2] = {to, ids};
    for (int k = 0; k < ix_rank(x); k++)
        index[k] = ix_scalar_index(ctx, k);
    ilex_array *at = ix_scalar_cast(
        ctx, ILEX_I64,
        ix_scalar_load(ctx, (ilex_dtype)ids->dtype, 1, ix_rank(ids), index));
    ilex_array **first = index + ix_rank(ids) - 1;
    *first =
        ix_scalar_checked(ctx, at, 0, ix_lin_const(ctx, 0), s->length, false);
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)to->dtype, 0, ix_rank(to), first);
    return ix_build_lambda(ctx, s->what, x->interior, body, 2, operands);
}

/* Elements of "x" combined by the numbers of their segments, in C order; those
 * of f16 and bf16 in f32. */
static ilex_array *
combined(const segments *s, ilex_array *x, ilex_array *ids)
{
    ix_build_fn *const by[] = {[IX_REDUCTION_SUM] = ix_build_add_at,
                               [IX_REDUCTION_MAX] = ix_build_max_at,
                               [IX_REDUCTION_MIN] = ix_build_min_at};
    if (!check_axes(s, x, ids))
        return ix_poison_again(s->ctx);
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    x = ix_build_cast(s->ctx, ix_dtype_loop(dtype), x);
    ilex_array *ops[3] = {empty(s, x, ids), NULL, x};
    if (ix_is_poison(ops[0]))
        return ops[0];
    ops[1] = place(s, ops[0], x, ids);
    return ix_is_poison(ops[1])
               ? ops[1]
               : ix_build_cast(s->ctx, dtype,
                               by[s->reduction](s->ctx, ops, 3, NULL));
}

/* ---- segments ---- */

static ilex_array *
segmented(ilex_context *ctx, const char *what, ix_reduction reduction,
          ilex_array *const *operands, const ix_given *given)
{
    segments s = {ctx, what, reduction, given->form[0]};
    ilex_array *x = ix_structure_unnamed(ctx, what, operands[0]);
    ilex_array *ids = numbers(&s, operands[1]);
    if (ix_is_poison(x) || ix_is_poison(ids) ||
        !ix_structure_nonneg(ctx, what, "segments", s.length))
        return ix_poison_again(ctx);
    return combined(&s, x, ids);
}

ilex_array *
ix_build_segment_sum(ilex_context *ctx, ilex_array *const *operands, int count,
                     const ix_given *given)
{
    (void)count;
    return segmented(ctx, "segment_sum", IX_REDUCTION_SUM, operands, given);
}

ilex_array *
ix_build_segment_max(ilex_context *ctx, ilex_array *const *operands, int count,
                     const ix_given *given)
{
    (void)count;
    return segmented(ctx, "segment_max", IX_REDUCTION_MAX, operands, given);
}

ilex_array *
ix_build_segment_min(ilex_context *ctx, ilex_array *const *operands, int count,
                     const ix_given *given)
{
    (void)count;
    return segmented(ctx, "segment_min", IX_REDUCTION_MIN, operands, given);
}

/* ---- counts ---- */

/* What each element of "x" counts: 1, i64, or its weight, floating. */
static ilex_array *
weights(const segments *s, const ilex_array *x, const ix_given *given)
{
    ilex_context *ctx = s->ctx;
    ilex_array *w = given->present ? given->value : ilex_i64(ctx, 1);
    if (!w || w->ctx != ctx)
        return ix_poison_stranger(ctx, s->what, -1, w, "the array of weights");
    w = ix_structure_unnamed(ctx, s->what, w);
    if (given->present && !ix_is_poison(w) &&
        ix_dtype_is_exact((ilex_dtype)w->dtype))
        w = ix_build_cast(ctx, ILEX_F64, w);
    if (ix_is_poison(w) || (ix_rank(w) && w->interior != x->interior))
        return ix_is_poison(w)
                   ? w
                   : ix_poison(ctx, s->what, -1, ILEX_E_SHAPE,
                               "%s: the weights, on [%s], are not those of "
                               "elements on [%s]",
                               s->what, ix_domain_show(ctx, w->interior).s,
                               ix_domain_show(ctx, x->interior).s);
    return ix_build_restrict(ctx, s->what, w, x->interior);
}

ilex_array *
ix_build_bincount(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    segments s = {ctx, "bincount", IX_REDUCTION_SUM, given->form[0]};
    ilex_array *ids = numbers(&s, operands[0]);
    (void)count;
    if (ix_is_poison(ids) ||
        !ix_structure_nonneg(ctx, s.what, "length", s.length))
        return ix_poison_again(ctx);
    ilex_array *w = weights(&s, ids, &given[1]);
    return ix_is_poison(w) ? w : combined(&s, w, ids);
}

/* ---- histograms ---- */

/* The bins of a histogram, i64 and real values of rank 0. */
typedef struct bins {
    ilex_array *count, *start, *stop;
    ilex_array *low, *step; /* start and a bin's length for edges */
} bins;

/* The edge below bin "i", as NumPy's linspace has it. */
static ilex_array *
edge(const bins *b, ilex_array *i)
{
    ilex_array *x =
        ilex_multiply(ilex_cast(i, (ilex_dtype)b->step->dtype), b->step);
    return ilex_cast(ilex_add(x, b->low), (ilex_dtype)b->start->dtype);
}

/* Edges between two literals are computed in f64 and rounded once. False after
 * an error. */
static bool
set_edges(const segments *s, bins *b, ilex_dtype dtype, ilex_array *const *end)
{
    b->start = ix_structure_value(s->ctx, s->what, dtype, end[0]);
    b->stop = ix_structure_value(s->ctx, s->what, dtype, end[1]);
    if (ix_is_poison(b->start) || ix_is_poison(b->stop))
        return false;
    bool literals = ix_is_weak(end[0]) && ix_is_weak(end[1]);
    ilex_dtype wide = literals ? ILEX_F64 : dtype;
    b->low = ix_structure_value(s->ctx, s->what, wide, end[0]);
    ilex_array *high = ix_structure_value(s->ctx, s->what, wide, end[1]);
    b->step = ilex_true_divide(ilex_subtract(high, b->low),
                               ilex_cast(b->count, wide));
    return !ix_is_poison(b->step);
}

/* Of literals: is the range one? False after an error. */
static bool
check_bins(const segments *s, ilex_array *const *end)
{
    ilex_context *ctx = s->ctx;
    if (s->length->n == 0 && s->length->c < 1)
        return ix_poison_false(ctx, s->what, -1, ILEX_E_ARGUMENT,
                               "histogram: there is no bin; bins=%lld is to be "
                               "1 at least",
                               (long long)s->length->c);
    ilex_array *x[2];
    for (int i = 0; i < 2; i++) {
        x[i] = ilex_cast(end[i], ILEX_F64);
        if (!ix_is_weak(end[i]) || x[i]->kind != IX_CONST)
            return true;
    }
    double low = ix_const_value(x[0]).f, high = ix_const_value(x[1]).f;
    return (low < high && high - low < INFINITY) ||
           ix_poison_false(ctx, s->what, -1, ILEX_E_ARGUMENT,
                           "histogram: bins from %g to %g are none; start is "
                           "less than stop, and both are finite",
                           low, high);
}

/* The bin of each element of "x", which lies between start and stop: what the
 * quotient says may be one off. */
static ilex_array *
bin_of(ilex_context *ctx, const bins *b, ilex_array *x)
{
    ilex_array *one = ilex_i64(ctx, 1), *last = ilex_subtract(b->count, one);
    ilex_array *q = ilex_true_divide(ilex_subtract(x, b->start),
                                     ilex_subtract(b->stop, b->start));
    q = ilex_multiply(q, ilex_cast(b->count, (ilex_dtype)q->dtype));
    ilex_array *i = ilex_minimum(ilex_cast(q, ILEX_I64), last);
    i = ilex_subtract(i, ilex_cast(ilex_less(x, edge(b, i)), ILEX_I64));
    ilex_array *above = ilex_logical_and(
        ilex_greater_equal(x, edge(b, ilex_add(i, one))), ilex_less(i, last));
    return ilex_add(i, ilex_cast(above, ILEX_I64));
}

/* x as one real floating axis, f32 at least; poison after an error. */
static ilex_array *
points(const segments *s, ilex_array *x)
{
    x = ix_structure_unnamed(s->ctx, s->what, x);
    char kind = ix_dtype_kind((ilex_dtype)x->dtype);
    if (ix_is_poison(x) || (kind != 'c' && ix_rank(x) > 0))
        return ix_build_cast(
            s->ctx,
            kind == 'f' ? ix_dtype_loop((ilex_dtype)x->dtype) : ILEX_F64, x);
    return ix_poison(s->ctx, s->what, 0, ILEX_E_ARGUMENT,
                     "%s: the operand is an array of real numbers", s->what);
}

ilex_array *
ix_build_histogram(ilex_context *ctx, ilex_array *const *operands, int count,
                   const ix_given *given)
{
    segments s = {ctx, "histogram", IX_REDUCTION_SUM, given->form[0]};
    ilex_array *x = points(&s, operands[0]);
    (void)count;
    if (ix_is_poison(x) || !ix_structure_nonneg(ctx, s.what, "bins", s.length))
        return ix_poison_again(ctx);
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    ilex_array *w = weights(&s, x, &given[3]);
    bins b = {.count = ix_index_lin(ctx, s.length)};
    ilex_array *const end[] = {given[1].value, given[2].value};
    if (!set_edges(&s, &b, dtype, end) || !check_bins(&s, end))
        return ix_poison_again(ctx);
    ilex_array *inside = ilex_logical_and(ilex_greater_equal(x, b.start),
                                          ilex_less_equal(x, b.stop));
    /* an element outside counts 0 for the first bin */
    ilex_array *ids = bin_of(ctx, &b, ilex_where(inside, x, b.start));
    ilex_array *zero = ilex_cast(ilex_lit_int(ctx, 0), (ilex_dtype)w->dtype);
    w = ilex_where(inside, w, zero);
    return ix_is_poison(ids) || ix_is_poison(w) ? ix_poison_again(ctx)
                                                : combined(&s, w, ids);
}
