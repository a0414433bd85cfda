/* SPDX-License-Identifier: MIT
 *
 * Subscripts of whole arrays.
 */
#include "lib/build/items.h"

#include "lib/build/compress.h"
#include "lib/build/structure.h"

#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

/* ---- ends of ranges ---- */

/* Which axis is looked at, for messages. */
typedef struct place {
    ilex_context *ctx;
    const ilex_array *x;
    int axis;
    const ix_lin *length;
} place;

/* Fails because sizes leave it open whether a <= b. */
static const ix_lin *
undecided(const place *p, const char *what, const ix_lin *a, const ix_lin *b)
{
    const ix_lin *need = ix_lin_sub(p->ctx, b, a);
    return ix_fail_null(&p->ctx->error, ILEX_E_BOUNDS,
                        "subscript: %s of axis %d, of length %s: whether %s <= "
                        "%s depends on sizes%s",
                        what, p->axis, ix_lin_show(p->ctx, p->length).s,
                        ix_lin_show(p->ctx, a).s, ix_lin_show(p->ctx, b).s,
                        ix_lin_propose(p->ctx, need, false).s);
}

/* "a" from the front: what is negative counts from the end. */
static const ix_lin *
from_front(const place *p, const char *what, const ix_lin *a)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *zero = ix_lin_const(ctx, 0);
    if (ix_lin_nonneg(ctx, a) == IX_YES)
        return a;
    if (ix_lin_le(ctx, a, ix_lin_const(ctx, -1)) == IX_YES)
        return ix_lin_add(ctx, a, p->length);
    return undecided(p, what, zero, a);
}

/* The number of "a" cut to [lo, hi]. */
static const ix_lin *
cut(const place *p, const char *what, const ix_lin *a, const ix_lin *lo,
    const ix_lin *hi)
{
    const ix_lin *r = ix_lin_max(p->ctx, a, lo);
    if (!r)
        return undecided(p, what, lo, a);
    const ix_lin *s = ix_lin_min(p->ctx, r, hi);
    return s ? s : undecided(p, what, r, hi);
}

/* One end of a range; "open": what it is where none is given. */
static const ix_lin *
range_end(const place *p, const char *what, const ix_lin *a, int64_t step,
          const ix_lin *open)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *lo = ix_lin_const(ctx, step > 0 ? 0 : -1);
    const ix_lin *hi = step > 0 ? p->length : ix_lin_offset(ctx, p->length, -1);
    if (!a)
        return open;
    a = from_front(p, what, a);
    return a ? cut(p, what, a, lo, hi) : NULL;
}

/* The number of steps from lo to before hi; NULL after an error. */
static const ix_lin *
steps(const place *p, const ix_lin *lo, const ix_lin *hi, int64_t step)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *zero = ix_lin_const(ctx, 0);
    const ix_lin *span =
        step > 0 ? ix_lin_sub(ctx, hi, lo) : ix_lin_sub(ctx, lo, hi);
    if (!span)
        return NULL;
    if (ix_lin_le(ctx, span, zero) == IX_YES)
        return zero;
    if (ix_lin_nonneg(ctx, span) != IX_YES)
        return step > 0 ? undecided(p, "the range", lo, hi)
                        : undecided(p, "the range", hi, lo);
    return ix_slice_length(ctx, lo, hi, step);
}

/* ---- items ---- */

/* The result under construction. */
typedef struct result {
    ix_axis ax[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    int rank;
    ilex_array *index[ILEX_MAX_RANK]; /* into the operand */
    ilex_array *operand[ILEX_MAX_RANK + 1];
    int noperands; /* x, arrays of indices */
} result;

/* Another axis of the result. */
static void
add_axis(result *r, ix_axis ax, ix_axis valid)
{
    r->ax[r->rank] = ax;
    r->valid[r->rank++] = valid;
}

static bool
take_index(const place *p, const ix_lin *at, result *r)
{
    ilex_context *ctx = p->ctx;
    const ix_lin *given = at;
    if (!(at = from_front(p, "the index", at)))
        return false;
    const ix_lin *last = ix_lin_offset(ctx, p->length, -1);
    if (ix_lin_le(ctx, at, last) == IX_YES &&
        ix_lin_nonneg(ctx, at) == IX_YES) {
        r->index[p->axis] = ix_index_lin(ctx, at);
        return true;
    }
    bool low = ix_lin_nonneg(ctx, at) != IX_YES;
    const ix_lin *need =
        low ? at : ix_lin_sub(ctx, last, at); /* >= 0 would do */
    return ix_fail_false(
        &ctx->error, ILEX_E_BOUNDS,
        need && need->n ? "subscript: index %s leaves axis %d, of length %s, "
                          "for some sizes%s"
                        : "subscript: index %s leaves axis %d, of length %s%s",
        ix_lin_show(ctx, given).s, p->axis, ix_lin_show(ctx, p->length).s,
        ix_lin_propose(ctx, need, false).s);
}

static bool
take_range(const place *p, const ix_item *item, result *r)
{
    ilex_context *ctx = p->ctx;
    int64_t step = item->step;
    const ix_lin *zero = ix_lin_const(ctx, 0), *none = ix_lin_const(ctx, -1);
    const ix_lin *last = ix_lin_offset(ctx, p->length, -1);
    if (step == 0 || step == INT64_MIN)
        return ix_fail_false(&ctx->error, ILEX_E_ARGUMENT,
                             "subscript: the step of axis %d is %lld; it may "
                             "be neither 0 nor -2^63 (for example x[::2])",
                             p->axis, (long long)step);
    const ix_lin *lo =
        range_end(p, "the start", item->lo, step, step > 0 ? zero : last);
    const ix_lin *hi = lo ? range_end(p, "the stop", item->hi, step,
                                      step > 0 ? p->length : none)
                          : NULL;
    const ix_lin *n = hi ? steps(p, lo, hi, step) : NULL;
    if (!n)
        return false;
    r->index[p->axis] = ix_index_fma(ctx, ix_index_lin(ctx, lo), step,
                                     ix_scalar_index(ctx, r->rank));
    add_axis(r, (ix_axis){0, zero, n}, (ix_axis){0, zero, n});
    return true;
}

/* ---- arrays of indices ---- */

/* What the arrays among the items have in common. */
typedef struct arrays {
    int count;
    int first;     /* axis of the first one, or of a single index beside it */
    bool together; /* they and the single indices are neighbours */
    const ix_domain *shape; /* of all of them, broadcast */
    int axis;               /* of the result, where that starts */
} arrays;

/* Finds the arrays and broadcasts them; false after an error. */
static bool
open_arrays(ilex_context *ctx, const ilex_array *x, const ix_item *all,
            arrays *a)
{
    ilex_array *array[ILEX_MAX_RANK];
    ix_broadcast dom;
    int last = -1, picked = 0;
    for (int k = 0; k < ix_rank(x); k++) {
        if (all[k].kind == IX_ITEM_ARRAY)
            array[a->count++] = all[k].array;
        if (all[k].kind == IX_ITEM_RANGE)
            continue;
        a->first = a->first < 0 ? k : a->first;
        last = k;
        picked++;
    }
    a->together = last - a->first + 1 == picked;
    if (a->count &&
        !ix_broadcast_domains(ctx, "subscript", a->count, array, &dom))
        return false;
    a->shape = a->count ? dom.interior : NULL;
    return true;
}

static void
add_array_axes(arrays *a, result *r)
{
    a->axis = r->rank;
    for (int k = 0; k < a->shape->rank; k++)
        add_axis(r, a->shape->ax[k], a->shape->ax[k]);
}

/* The element of an array of indices at the result's indices, as i64. */
static ilex_array *
element(ilex_context *ctx, const arrays *a, ilex_array *x, int slot)
{
    ilex_array *index[ILEX_MAX_RANK];
    int skip = a->shape->rank - ix_rank(x);
    if (!ix_is_array(x))
        return ix_scalar_cast(ctx, ILEX_I64, x);
    for (int k = 0; k < ix_rank(x); k++) {
        bool stretched = ix_lin_is(x->interior->ax[k].hi, 1);
        index[k] = stretched ? ix_index_const(ctx, 0)
                             : ix_scalar_index(ctx, a->axis + skip + k);
    }
    return ix_scalar_cast(
        ctx, ILEX_I64,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, slot, ix_rank(x), index));
}

/* v, from the end where it is negative. */
static ilex_array *
from_either_end(ilex_context *ctx, ilex_array *v, const ix_lin *length)
{
    ilex_array *sum[2] = {v, ix_index_lin(ctx, length)};
    return ix_structure_where(
        ctx, ix_structure_compare(ctx, IX_OP_LESS, v, ix_index_const(ctx, 0)),
        ix_scalar_op(ctx, IX_OP_ADD, ILEX_I64, ILEX_I64, sum), v);
}

static bool
take_array(const place *p, const ix_item *item, const arrays *a, result *r)
{
    ilex_context *ctx = p->ctx;
    ilex_array *x = item->array;
    ilex_dtype dtype = (ilex_dtype)x->dtype;
    if (!ix_dtype_is_integer(dtype))
        return ix_fail_false(
            &ctx->error, ILEX_E_DTYPE,
            "subscript: an array of indices is of integers, not %s",
            ilex_dtype_name(dtype));
    ilex_array *v = element(ctx, a, x, r->noperands);
    if (ix_is_array(x))
        r->operand[r->noperands++] = x;
    if (ix_dtype_kind(dtype) == 'i' && !item->counted)
        v = from_either_end(ctx, v, p->length);
    r->index[p->axis] =
        ix_scalar_checked(ctx, v, p->axis, ix_lin_const(ctx, 0), p->length,
                          item->trusted || item->counted);
    return true;
}

/* ---- the subscript ---- */

/* Is the item a mask, and not an index? */
static bool
is_mask(const ix_item *item)
{
    return item->kind == IX_ITEM_ARRAY && item->array->dtype == ILEX_BOOL;
}

/* How many axes of x an item takes by itself. */
static int
axes_of(const ix_item *item)
{
    return item->kind == IX_ITEM_ELLIPSIS ? 0
           : is_mask(item)                ? ix_rank(item->array)
                                          : 1;
}

/* How many axes the ellipsis stands for; -1 after an error. */
static int
hidden_axes(const ilex_array *x, int n, const ix_item *item)
{
    int taken = 0, dots = 0;
    for (int i = 0; i < n; i++) {
        dots += item[i].kind == IX_ITEM_ELLIPSIS;
        taken += axes_of(&item[i]);
    }
    if (dots <= 1 && taken <= ix_rank(x))
        return ix_rank(x) - taken;
    ix_fail(&x->ctx->error, dots > 1 ? ILEX_E_ARGUMENT : ILEX_E_RANK,
            dots > 1 ? "subscript: '...' stands twice; which axes belong to "
                       "which is not known"
                     : "subscript: %d indices for [%s], which has %d axes",
            taken, ix_rank(x) ? ix_domain_show(x->ctx, x->interior).s : "",
            ix_rank(x));
    return -1;
}

/* The lambda that reads x at the indices of the result. */
static ilex_array *
finish(ilex_context *ctx, ilex_array *x, result *r)
{
    const ix_domain *dom = ix_domain_new(ctx, r->rank, r->ax);
    const ix_domain *valid = ix_domain_new(ctx, r->rank, r->valid);
    if (!dom || !valid)
        return ix_poison_again(ctx);
    bool same =
        r->rank == ix_rank(x) && dom == x->interior && valid == x->valid;
    for (int k = 0; same && k < r->rank; k++)
        same = r->index[k]->kind == IX_INDEX;
    if (same)
        return x;
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), r->index);
    return dom == valid ? ix_build_lambda(ctx, "subscript", dom, body,
                                          r->noperands, r->operand)
                        : ix_build_wide_lambda(ctx, "subscript", dom, valid,
                                               body, r->noperands, r->operand);
}

/* Has a mask the lengths of the axes of x from "axis" on? */
static bool
fits(const ilex_array *x, const ilex_array *mask, int axis)
{
    ilex_context *ctx = x->ctx;
    bool same = ix_rank(mask) > 0;
    for (int k = 0; same && k < ix_rank(mask); k++)
        same = ix_lin_same(ctx, mask->interior->ax[k].hi,
                           x->interior->ax[axis + k].hi);
    if (!same)
        ix_fail(&ctx->error, ILEX_E_SHAPE,
                "subscript: a mask on [%s] for axis %d of [%s]; it has the "
                "lengths of the axes it stands for",
                ix_rank(mask) ? ix_domain_show(ctx, mask->interior).s : "",
                axis, ix_domain_show(ctx, x->interior).s);
    return same;
}

/* The items that a mask at "axis" stands for; how many, -1 after an error. */
static int
expand_mask(ilex_array *x, ilex_array *mask, int axis, ix_item *to)
{
    ilex_array *index[ILEX_MAX_RANK];
    mask = ix_structure_unnamed(x->ctx, "subscript", mask);
    if (ix_is_poison(mask) || !fits(x, mask, axis) ||
        !ix_mask_places(mask, index))
        return -1;
    for (int k = 0; k < ix_rank(mask); k++)
        to[k] = (ix_item){
            .kind = IX_ITEM_ARRAY, .array = index[k], .counted = true};
    return ix_rank(mask);
}

/* One item for each axis of x, in order: ellipsis and masks written out. */
static bool
expand(ilex_array *x, int n, const ix_item *item, ix_item *all)
{
    static const ix_item whole = {.kind = IX_ITEM_RANGE, .step = 1};
    int hidden = hidden_axes(x, n, item), axis = 0;
    bool dots = false;
    for (int i = 0; hidden >= 0 && i <= n; i++) {
        bool here = i < n && item[i].kind == IX_ITEM_ELLIPSIS;
        int count = here || (i == n && !dots) ? hidden : i < n;
        dots |= here;
        if (i < n && is_mask(&item[i])) {
            int axes = expand_mask(x, item[i].array, axis, all + axis);
            if (axes < 0)
                return false;
            axis += axes;
            continue;
        }
        while (count-- > 0)
            all[axis++] = i == n || here ? whole : item[i];
    }
    return hidden >= 0;
}

/* Is the subscript one mask of all axes? */
static bool
is_whole_mask(const ilex_array *x, int n, const ix_item *item)
{
    bool one = n == 1 || (n == 2 && item[1].kind == IX_ITEM_ELLIPSIS);
    return one && is_mask(item) && ix_rank(item->array) == ix_rank(x) &&
           ix_rank(x) > 0 && item->array->interior == x->interior;
}

/* Does an ellipsis stand between what picks elements? As NumPy has it, it keeps
 * these apart even where it stands for no axis. */
static bool
is_split(int n, const ix_item *item)
{
    bool picks = false, split = false, dots = false;
    for (int i = 0; i < n; i++) {
        bool here = item[i].kind == IX_ITEM_ARRAY || item[i].kind == IX_ITEM_AT;
        dots |= picks && item[i].kind == IX_ITEM_ELLIPSIS;
        split |= here && dots;
        picks |= here;
    }
    return split;
}

ilex_array *
ix_build_gather(ilex_context *ctx, ilex_array *x, int n, const ix_item *item)
{
    ix_item all[ILEX_MAX_RANK];
    arrays a = {.first = -1};
    result r = {.rank = 0, .operand = {x}, .noperands = 1};
    bool ok = expand(x, n, item, all) && open_arrays(ctx, x, all, &a);
    a.together = a.together && !is_split(n, item);
    if (ok && a.count && !a.together)
        add_array_axes(&a, &r);
    for (int k = 0; ok && k < ix_rank(x); k++) {
        place p = {ctx, x, k, ix_axis_extent(ctx, &x->interior->ax[k])};
        if (a.count && a.together && k == a.first)
            add_array_axes(&a, &r);
        ok = p.length &&
             (all[k].kind == IX_ITEM_AT      ? take_index(&p, all[k].lo, &r)
              : all[k].kind == IX_ITEM_RANGE ? take_range(&p, &all[k], &r)
                                             : take_array(&p, &all[k], &a, &r));
    }
    return ok ? finish(ctx, x, &r) : ix_poison_again(ctx);
}

/* The elements of x where a mask of its shape is true. */
static ilex_array *
compressed(ilex_context *ctx, ilex_array *x, ilex_array *mask)
{
    ix_given all_axes = {.present = false};
    ilex_array *ops[2] = {x, mask};
    return ix_build_compress(ctx, ops, 2, &all_axes);
}

/* x with the new axes of a subscript, whose items take all of them in "own". */
static ilex_array *
with_new_axes(ilex_context *ctx, ilex_array *x, int n, const ix_item *item,
              ix_item *own)
{
    ix_given places = {.present = true};
    int taken = 0, at = 0, hidden;
    for (int i = 0; i < n; i++) {
        bool added = item[i].kind == IX_ITEM_NEW;
        own[i] = added ? (ix_item){.kind = IX_ITEM_RANGE, .step = 1} : item[i];
        taken += added ? 0 : axes_of(&item[i]);
    }
    hidden = ix_rank(x) - taken;
    for (int i = 0; i < n; i++) {
        if (item[i].kind == IX_ITEM_NEW && places.n < ILEX_MAX_RANK)
            places.number[places.n++] = at;
        at += item[i].kind == IX_ITEM_ELLIPSIS ? hidden : axes_of(&item[i]);
    }
    if (places.n == 0 || ix_rank(x) + places.n > ILEX_MAX_RANK || hidden < 0)
        return x; /* too many: the subscript says so */
    return ix_build_expand_dims(ctx, &x, 1, &places);
}

ilex_array *
ix_build_items(ilex_context *ctx, ilex_array *x, int n, const ix_item *item)
{
    ix_item own[IX_MOST_ITEMS];
    if (n > IX_MOST_ITEMS)
        return ix_poison(ctx, "subscript", 0, ILEX_E_RANK,
                         "subscript: %d items; there may be %d", n,
                         IX_MOST_ITEMS);
    x = with_new_axes(ctx, x, n, item, own);
    if (ix_is_poison(x))
        return x;
    const ix_env *proof = ix_proof_open(ctx);
    return ix_proof_close(ctx, proof,
                          is_whole_mask(x, n, own)
                              ? compressed(ctx, x, own->array)
                              : ix_build_gather(ctx, x, n, own));
}

/* ---- named axes ---- */

ilex_array *
ix_build_select(ilex_context *ctx, ilex_array *x, int n, const ix_item *item)
{
    result r = {.rank = 0, .operand = {x}, .noperands = 1};
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_item *it = NULL;
        for (int i = 0; i < n; i++)
            it = item[i].axis == k ? &item[i] : it;
        ix_axis ax = x->interior->ax[k], valid = x->valid->ax[k];
        if (it && it->kind == IX_ITEM_AT) {
            r.index[k] = ix_index_lin(ctx, it->lo);
            continue;
        }
        ax.lo = it && it->lo ? it->lo : ax.lo;
        ax.hi = it && it->hi ? it->hi : ax.hi;
        r.index[k] = ix_scalar_index(ctx, r.rank);
        add_axis(&r, ax, it ? ax : valid);
    }
    return finish(ctx, x, &r);
}

/* ---- take, take_along_axis ---- */

/* x as one axis, in C order. */
static ilex_array *
flattened(ilex_array *x)
{
    ix_axis ax = {0, ix_lin_const(x->ctx, 1), NULL};
    const ix_lin *count = ax.lo;
    for (int k = 0; count && k < ix_rank(x); k++) {
        const ix_lin *hi = x->interior->ax[k].hi;
        count = hi->n == 0      ? ix_lin_scale(x->ctx, count, hi->c)
                : count->n == 0 ? ix_lin_scale(x->ctx, hi, count->c)
                                : NULL;
    }
    if (!count)
        return ix_poison(x->ctx, "take", 0, ILEX_E_UNSUPPORTED,
                         "take: without an axis the operand is taken as one, "
                         "and the product of lengths in [%s] is not linear; "
                         "say which axis: take(x, i; axis=0)",
                         ix_domain_show(x->ctx, x->interior).s);
    ax = (ix_axis){0, ix_lin_const(x->ctx, 0), count};
    return ix_build_reshape(x->ctx, x, ix_domain_new(x->ctx, 1, &ax), false);
}

ilex_array *
ix_build_take(ilex_context *ctx, ilex_array *const *operands, int count,
              const ix_given *given)
{
    ix_item item[ILEX_MAX_RANK];
    ilex_array *x = ix_structure_unnamed(ctx, "take", operands[0]);
    (void)count;
    if (!ix_is_poison(x) && !given[0].present && ix_rank(x) != 1)
        x = flattened(x);
    if (ix_is_poison(x))
        return x;
    int d = ix_rank(x);
    int axis = given[0].present
                   ? ix_structure_axis(ctx, "take", given[0].number[0], d)
                   : 0;
    if (axis < 0)
        return ix_poison_again(ctx);
    for (int k = 0; k < d; k++)
        item[k] = (ix_item){.kind = k == axis ? IX_ITEM_ARRAY : IX_ITEM_RANGE,
                            .step = 1,
                            .array = operands[1]};
    return ix_build_items(ctx, x, d, item);
}

ilex_array *
ix_build_take_along_axis(ilex_context *ctx, ilex_array *const *operands,
                         int count, const ix_given *given)
{
    ilex_array *x = operands[0], *y = operands[1];
    int d = ix_rank(x);
    int axis = ix_structure_axis(ctx, "take_along_axis", given[0].number[0], d);
    (void)count;
    if (axis < 0)
        return ix_poison_again(ctx);
    place p = {ctx, x, axis, ix_axis_extent(ctx, &x->interior->ax[axis])};
    result r = {.rank = 0, .operand = {x}, .noperands = 1};
    arrays a = {.shape = ix_rank(y) ? y->interior : NULL};
    bool same = ix_rank(y) == d;
    for (int k = 0; same && k < d; k++) {
        const ix_axis *in = &x->interior->ax[k], *at = &y->interior->ax[k];
        same = in->name == at->name &&
               (k == axis || (in->lo == at->lo && in->hi == at->hi));
        add_axis(&r, *at, *at);
        r.index[k] = ix_scalar_index(ctx, k);
    }
    if (!same)
        return ix_poison(ctx, "take_along_axis", 1, ILEX_E_SHAPE,
                         "take_along_axis: the indices are on [%s], the "
                         "operand on [%s]; they differ along axis %d alone",
                         ix_rank(y) ? ix_domain_show(ctx, y->interior).s : "",
                         d ? ix_domain_show(ctx, x->interior).s : "", axis);
    ix_item item = {.kind = IX_ITEM_ARRAY, .array = y};
    return p.length && take_array(&p, &item, &a, &r) ? finish(ctx, x, &r)
                                                     : ix_poison_again(ctx);
}
