/* SPDX-License-Identifier: MIT
 *
 * Functions of functions.def that are made of sort and searchsorted: what is
 * different among elements, what is among others, medians, quantiles.
 */
#include "ilex/elementwise.h"
#include "lib/build/compress.h"
#include "lib/build/items.h"
#include "lib/build/structure.h"
#include "lib/ops/dtype.h"

/* Where "x" would be put into "sorted". */
static ilex_array *
search(ilex_context *ctx, ilex_array *sorted, ilex_array *x, const char *side)
{
    ilex_array *ops[2] = {sorted, x};
    const ix_given given = {
        .present = true, .word = side, .length = strlen(side)};
    return ix_is_poison(sorted) ? sorted
           : ix_is_poison(x)    ? x
                                : ix_build_searchsorted(ctx, ops, 2, &given);
}

/* All elements of "x" in order. */
static ilex_array *
sorted_flat(ilex_context *ctx, const char *what, ilex_array *x)
{
    const ix_given last = {.present = false};
    x = ix_structure_unnamed(ctx, what, x);
    x = ix_is_poison(x) ? x : ix_flattened(x);
    return ix_is_poison(x) ? x : ix_build_sort(ctx, &x, 1, &last);
}

/* ---- among others ---- */

/* Behind some that are equal? That is no NaN. */
ilex_array *
ix_build_isin(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ilex_array *ops[2] = {operands[0], operands[1]};
    (void)given;
    if (!ix_build_common(ctx, "isin", count, ops))
        return ix_poison_again(ctx);
    ilex_array *sorted = sorted_flat(ctx, "isin", ops[1]);
    ilex_array *some = ilex_greater(search(ctx, sorted, ops[0], "right"),
                                    search(ctx, sorted, ops[0], "left"));
    return ilex_logical_and(some, ilex_equal(ops[0], ops[0]));
}

ilex_array *
ix_build_digitize(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    bool right = given[0].present && given[0].number[0];
    (void)count;
    return search(ctx, operands[1], operands[0], right ? "left" : "right");
}

/* ---- elements that are different ---- */

/* Where elements in order are others than those before. */
static ilex_array *
first_of_equals(ilex_array *sorted)
{
    ilex_context *ctx = sorted->ctx;
    ilex_dtype dtype = (ilex_dtype)sorted->dtype, loop = ix_dtype_loop(dtype);
    ilex_array *i = ix_scalar_index(ctx, 0);
    ilex_array *before = ix_index_offset(ctx, i, -1);
    ilex_array *ops[2] = {
        ix_scalar_cast(ctx, loop, ix_scalar_load(ctx, dtype, 0, 1, &i)),
        ix_scalar_cast(ctx, loop, ix_scalar_load(ctx, dtype, 0, 1, &before))};
    ilex_array *body = ix_structure_where(
        ctx, ix_structure_compare(ctx, IX_OP_EQUAL, i, ix_index_const(ctx, 0)),
        ix_structure_number(ctx, ILEX_BOOL, 1),
        ix_scalar_op(ctx, IX_OP_NOT_EQUAL, loop, ILEX_BOOL, ops));
    return ix_build_lambda(ctx, "unique", sorted->interior, body, 1, &sorted);
}

/* "x" where the mask is true. */
static ilex_array *
compressed(ilex_context *ctx, ilex_array *x, ilex_array *mask)
{
    ilex_array *ops[2] = {x, mask};
    const ix_given axis = {.present = true, .n = 1};
    return ix_is_poison(x)      ? x
           : ix_is_poison(mask) ? mask
                                : ix_build_compress(ctx, ops, 2, &axis);
}

ilex_array *
ix_build_unique_values(ilex_context *ctx, ilex_array *const *operands,
                       int count, const ix_given *given)
{
    ilex_array *x = sorted_flat(ctx, "unique_values", operands[0]);
    (void)count, (void)given;
    return ix_is_poison(x) ? x : compressed(ctx, x, first_of_equals(x));
}

/* Where each of them begins among the elements in order. */
static ilex_array *
places(ilex_context *ctx, ilex_array *sorted)
{
    ilex_array *mask = ix_is_poison(sorted) ? sorted : first_of_equals(sorted);
    ilex_array *place;
    return ix_is_poison(mask)             ? mask
           : ix_mask_places(mask, &place) ? place
                                          : ix_poison_again(ctx);
}

/* y(i) = x(i + 1) - x(i), but n - x(i) for the last one. */
static ilex_array *
differences(ilex_array *x, const ix_lin *n)
{
    ilex_context *ctx = x->ctx;
    const ix_axis *ax = &x->interior->ax[0];
    ilex_array *i = ix_scalar_index(ctx, 0), *next = ix_index_offset(ctx, i, 1);
    ilex_array *last = ix_index_lin(ctx, ix_lin_offset(ctx, ax->hi, -1));
    ilex_array *ops[2] = {
        ix_structure_where(ctx, ix_structure_compare(ctx, IX_OP_EQUAL, i, last),
                           ix_index_lin(ctx, n),
                           ix_scalar_load(ctx, ILEX_I64, 0, 1, &next)),
        ix_scalar_load(ctx, ILEX_I64, 0, 1, &i)};
    return ix_build_lambda(
        ctx, "unique_counts", x->interior,
        ix_scalar_op(ctx, IX_OP_SUBTRACT, ILEX_I64, ILEX_I64, ops), 1, &x);
}

ilex_array *
ix_build_unique_counts(ilex_context *ctx, ilex_array *const *operands,
                       int count, const ix_given *given)
{
    ilex_array *x = sorted_flat(ctx, "unique_counts", operands[0]);
    ilex_array *place = places(ctx, x);
    (void)count, (void)given;
    return ix_is_poison(place) ? place
                               : differences(place, x->interior->ax[0].hi);
}

ilex_array *
ix_build_unique_indices(ilex_context *ctx, ilex_array *const *operands,
                        int count, const ix_given *given)
{
    const ix_given last = {.present = false};
    ilex_array *x = ix_structure_unnamed(ctx, "unique_indices", operands[0]);
    (void)count, (void)given;
    x = ix_is_poison(x) ? x : ix_flattened(x);
    if (ix_is_poison(x))
        return x;
    ilex_array *sorted = ix_build_sort(ctx, &x, 1, &last);
    ilex_array *index = ix_build_argsort(ctx, &x, 1, &last);
    return ix_is_poison(sorted)
               ? sorted
               : compressed(ctx, index, first_of_equals(sorted));
}

ilex_array *
ix_build_unique_inverse(ilex_context *ctx, ilex_array *const *operands,
                        int count, const ix_given *given)
{
    ilex_array *x = ix_structure_unnamed(ctx, "unique_inverse", operands[0]);
    return ix_is_poison(x)
               ? x
               : search(ctx, ix_build_unique_values(ctx, &x, count, given), x,
                        "left");
}

/* ---- medians, quantiles ---- */

/* Rows in order along an axis, or of all elements; where they are empty there
 * is no result. */
typedef struct rows {
    ilex_array *sorted;
    int axis;
    const ix_lin *n;
} rows;

static bool
open_rows(ilex_context *ctx, const char *what, ilex_array *x,
          const ix_given *axis, rows *r)
{
    x = ix_structure_unnamed(ctx, what, x);
    if (!ix_is_poison(x) && !axis->present)
        x = ix_flattened(x);
    if (ix_is_poison(x))
        return false;
    if (ix_dtype_is_complex((ilex_dtype)x->dtype))
        return ix_poison_false(ctx, what, 0, ILEX_E_DTYPE,
                               "%s is not defined for %s", what,
                               ilex_dtype_name((ilex_dtype)x->dtype));
    if (!ix_dtype_is_real((ilex_dtype)x->dtype))
        x = ix_build_cast(ctx, ILEX_F64, x);
    r->axis = axis->present
                  ? ix_structure_axis(ctx, what, axis->number[0], ix_rank(x))
                  : 0;
    if (r->axis < 0)
        return false;
    const ix_given along = {.present = true, .n = 1, .number = {r->axis}};
    r->sorted = ix_build_sort(ctx, &x, 1, &along);
    r->n = x->interior->ax[r->axis].hi;
    const ix_lin *less = ix_lin_offset(ctx, r->n, -1);
    if (less && ix_lin_nonneg(ctx, less) != IX_YES)
        return ix_poison_false(ctx, what, 0, ILEX_E_EMPTY_REDUCTION,
                               "%s: an axis of length %s may be empty%s", what,
                               ix_lin_show(ctx, r->n).s,
                               ix_lin_propose(ctx, less, false).s);
    return less && !ix_is_poison(r->sorted);
}

/* The element of each row at an index. */
static ilex_array *
element(const rows *r, ilex_array *at)
{
    ilex_context *ctx = r->sorted->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    ix_axis ax[ILEX_MAX_RANK];
    int n = 0;
    for (int k = 0; k < ix_rank(r->sorted); k++) {
        index[k] = k == r->axis ? at : ix_scalar_index(ctx, n);
        if (k != r->axis)
            ax[n++] = r->sorted->interior->ax[k];
    }
    return ix_structure_read("median", r->sorted, ix_domain_new(ctx, n, ax),
                             index);
}

static ilex_array *
last_of(const rows *r)
{
    ilex_context *ctx = r->sorted->ctx;
    return element(r, ix_index_lin(ctx, ix_lin_offset(ctx, r->n, -1)));
}

/* "y", but the last element of a row where that is NaN. */
static ilex_array *
unless_nan(ilex_array *last, ilex_array *y)
{
    return ilex_where(ilex_isnan(last), last, y);
}

/* The element in the middle, or half the sum of the two that are there. */
ilex_array *
ix_build_median(ilex_context *ctx, ilex_array *const *operands, int count,
                const ix_given *given)
{
    rows r;
    (void)count;
    if (!open_rows(ctx, "median", operands[0], &given[0], &r))
        return ix_poison_again(ctx);
    ilex_dtype dtype = (ilex_dtype)r.sorted->dtype;
    ilex_array *n = ix_index_lin(ctx, r.n);
    ilex_array *high = ix_index_floordiv(ctx, n, 2);
    ilex_array *low = ix_index_floordiv(ctx, ix_index_offset(ctx, n, -1), 2);
    ilex_array *a = element(&r, low), *b = element(&r, high);
    ilex_array *half =
        ilex_true_divide(ilex_add(a, b), ix_structure_number(ctx, dtype, 2));
    ilex_array *one = ix_structure_compare(ctx, IX_OP_EQUAL, low, high);
    return unless_nan(last_of(&r), ilex_where(one, a, half));
}

/* The elements of rows at the indices of "at", whose axes come first. */
static ilex_array *
elements(const rows *r, ilex_array *at)
{
    ilex_context *ctx = r->sorted->ctx;
    ix_item item[ILEX_MAX_RANK];
    ix_given from = {.n = 1, .number = {r->axis}}, to = {.n = 1};
    ilex_array *front =
        ix_build_moveaxis(ctx, &r->sorted, 1, (ix_given[]){from, to});
    if (ix_is_poison(front))
        return front;
    for (int k = 0; k < ix_rank(front); k++)
        item[k] = (ix_item){
            .kind = k ? IX_ITEM_RANGE : IX_ITEM_ARRAY, .step = 1, .array = at};
    return ix_build_items(ctx, front, ix_rank(front), item);
}

/* "x" on axes in front of "rank" others. */
static ilex_array *
in_front(ilex_context *ctx, ilex_array *x, int rank)
{
    ix_given axes = {.present = true, .n = rank};
    for (int k = 0; k < rank; k++)
        axes.number[k] = ix_rank(x) + k;
    return rank && ix_rank(x) ? ix_build_expand_dims(ctx, &x, 1, &axes) : x;
}

/* Between a and b by a part t, from the nearer one, as NumPy does. */
static ilex_array *
between(ilex_context *ctx, ilex_array *a, ilex_array *b, ilex_array *t)
{
    ilex_dtype dtype = (ilex_dtype)t->dtype;
    ilex_array *one = ix_structure_number(ctx, dtype, 1);
    ilex_array *half =
        ilex_true_divide(one, ix_structure_number(ctx, dtype, 2));
    ilex_array *d = ilex_subtract(b, a);
    ilex_array *up = ilex_add(a, ilex_multiply(d, t));
    ilex_array *down =
        ilex_subtract(b, ilex_multiply(d, ilex_subtract(one, t)));
    return ilex_where(ilex_greater_equal(t, half), down, up);
}

/* "index", but one that no element has where q is not in [0, 1]. */
static ilex_array *
index_of(ilex_context *ctx, ilex_array *q, ilex_array *index, ilex_array *none)
{
    ilex_dtype dtype = (ilex_dtype)q->dtype;
    ilex_array *inside = ilex_logical_and(
        ilex_greater_equal(q, ix_structure_number(ctx, dtype, 0)),
        ilex_greater_equal(ix_structure_number(ctx, dtype, 1), q));
    return ilex_where(inside, index, none);
}

/* Quantiles of rows: element q*(n - 1), or what is between two. */
static ilex_array *
quantiles(ilex_context *ctx, const rows *r, ilex_array *q)
{
    ilex_dtype dtype = (ilex_dtype)q->dtype;
    const ix_lin *most = ix_lin_offset(ctx, r->n, -1);
    ilex_array *end = ix_index_lin(ctx, most);
    ilex_array *place = ilex_multiply(q, ilex_cast(end, dtype));
    ilex_array *floor = ilex_floor(place), *t = ilex_subtract(place, floor);
    if (ix_is_poison(t))
        return t;
    ilex_array *low =
        index_of(ctx, q, ilex_cast(floor, ILEX_I64), ix_index_lin(ctx, r->n));
    ilex_array *high =
        ilex_minimum(end, ilex_add(low, ix_structure_number(ctx, ILEX_I64, 1)));
    ilex_array *a = elements(r, low), *b = elements(r, high);
    if (ix_is_poison(a) || ix_is_poison(b))
        return ix_poison_again(ctx);
    t = in_front(ctx, t, ix_rank(r->sorted) - 1);
    return ix_is_poison(t) ? t : unless_nan(last_of(r), between(ctx, a, b, t));
}

/* Is q, if it is a number that is known, one of 0 to "parts"? */
static bool
check_part(ilex_context *ctx, const char *what, ilex_array *q, int64_t parts)
{
    ilex_array *x = ix_is_array(q) ? q : ilex_cast(q, ILEX_F64);
    double v = x->kind == IX_CONST ? ix_const_value(x).f : 0;
    return (v >= 0 && v <= (double)parts) ||
           ix_poison_false(ctx, what, 1, ILEX_E_ARGUMENT,
                           "%s: q is %g; it is 0 to %lld", what, v,
                           (long long)parts);
}

/* "parts" of q are 1. */
static ilex_array *
quantile(ilex_context *ctx, const char *what, ilex_array *const *operands,
         const ix_given *axis, int64_t parts)
{
    ilex_array *ops[2] = {ix_structure_array(ctx, what, operands[0]),
                          operands[1]};
    rows r;
    if (!ix_is_poison(ops[0]) && !ix_dtype_is_real((ilex_dtype)ops[0]->dtype) &&
        !ix_dtype_is_complex((ilex_dtype)ops[0]->dtype))
        ops[0] = ix_build_cast(ctx, ILEX_F64, ops[0]);
    if (ix_is_poison(ops[0]) ||
        (ix_is_weak(ops[1]) && !ix_build_common(ctx, what, 2, ops)) ||
        !open_rows(ctx, what, ops[0], axis, &r) || ix_is_poison(ops[1]) ||
        !check_part(ctx, what, ops[1], parts))
        return ix_poison_again(ctx);
    if (!ix_dtype_is_real((ilex_dtype)ops[1]->dtype))
        ops[1] = ix_build_cast(ctx, (ilex_dtype)r.sorted->dtype, ops[1]);
    ilex_array *q = ix_structure_unnamed(ctx, what, ops[1]);
    if (!ix_is_poison(q) && parts != 1)
        q = ilex_true_divide(
            q, ix_structure_number(ctx, (ilex_dtype)q->dtype, parts));
    return ix_is_poison(q) ? q : quantiles(ctx, &r, q);
}

ilex_array *
ix_build_quantile(ilex_context *ctx, ilex_array *const *operands, int count,
                  const ix_given *given)
{
    (void)count;
    return quantile(ctx, "quantile", operands, &given[0], 1);
}

ilex_array *
ix_build_percentile(ilex_context *ctx, ilex_array *const *operands, int count,
                    const ix_given *given)
{
    (void)count;
    return quantile(ctx, "percentile", operands, &given[0], 100);
}
