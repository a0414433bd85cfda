/* SPDX-License-Identifier: MIT
 *
 * Reductions.
 */
#include "lib/build/build.h"
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

/* How the axes of x map: kept ones to indices, reduced ones to _r. */
typedef struct plan {
    ix_axis kept[ILEX_MAX_RANK], valid[ILEX_MAX_RANK], box[ILEX_MAX_RANK];
    int nkept, nbox;
    ilex_array *index[ILEX_MAX_RANK];
} plan;

static void
make_plan(ilex_context *ctx, ilex_array *x, uint32_t mask, bool keep, plan *p)
{
    p->nkept = p->nbox = 0;
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->interior->ax[k];
        if (mask >> k & 1) {
            p->index[k] = ix_scalar_rindex(ctx, p->nbox);
            p->box[p->nbox++] = (ix_axis){0, ax->lo, ax->hi};
            if (!keep)
                continue;
            p->kept[p->nkept] = p->valid[p->nkept] =
                (ix_axis){0, ix_lin_const(ctx, 0), ix_lin_const(ctx, 1)};
        } else {
            p->index[k] = ix_scalar_index(ctx, p->nkept);
            p->kept[p->nkept] = *ax;
            p->valid[p->nkept] = x->valid->ax[k];
        }
        p->nkept++;
    }
}

/* The length of an axis; an intersection whose ends may cross has none. */
static ilex_array *
length_of(ilex_context *ctx, const ix_axis *ax)
{
    const ix_lin *length = ix_axis_extent(ctx, ax);
    ilex_array *x = ix_index_lin(ctx, length);
    return length && ix_lin_nonneg(ctx, length) == IX_YES
               ? x
               : ix_index_max(ctx, x, ix_index_const(ctx, 0));
}

/* The number of reduced elements as "dtype". */
static ilex_array *
count_of(ilex_context *ctx, const plan *p, ilex_dtype dtype)
{
    ilex_array *product = ix_scalar_cast(ctx, dtype, ix_index_const(ctx, 1));
    for (int k = 0; k < p->nbox; k++) {
        ilex_array *factor =
            ix_scalar_cast(ctx, dtype, length_of(ctx, &p->box[k]));
        ilex_array *ops[2] = {product, factor};
        product = k == 0 ? factor
                         : ix_scalar_op(ctx, IX_OP_MULTIPLY, dtype, dtype, ops);
        if (dtype == ILEX_I64) /* as text that says it is read */
            product = ix_index_normal(ctx, product);
    }
    return product;
}

/* Over a range that is empty for all sizes, max and min have no value unless
 * the result is empty too. */
static bool
provably_empty(ilex_context *ctx, const plan *p)
{
    bool empty = false;
    for (int k = 0; k < p->nbox; k++)
        empty |= ix_lin_le(ctx, p->box[k].hi, p->box[k].lo) == IX_YES;
    for (int k = 0; k < p->nkept; k++)
        if (ix_lin_le(ctx, p->kept[k].hi, p->kept[k].lo) == IX_YES)
            return false;
    return empty;
}

/* Reports a reduced axis that x does not bound: index(I) is known everywhere.
 */
static bool
check_bounded(ilex_context *ctx, const char *name, const ilex_array *x,
              uint32_t mask)
{
    for (int k = 0; k < ix_rank(x); k++) {
        const ix_axis *ax = &x->interior->ax[k];
        const char *axis = ix_symbol_text(ctx, ax->name);
        if (!(mask >> k & 1) || (!ix_lin_is(ax->lo, -IX_UNBOUNDED) &&
                                 !ix_lin_is(ax->hi, IX_UNBOUNDED)))
            continue;
        return ix_poison_false(
            ctx, name, 0, ILEX_E_EMPTY,
            "%s: axis %s, which is reduced, has no bounds; give the operand a "
            "range along it first, for example ilex_restrict(x, \"%s:0:n\"), "
            "in text `let t : %s[%s:0:n] = ...`",
            name, axis, axis, ilex_dtype_name((ilex_dtype)x->dtype), axis);
    }
    return true;
}

/* The scalar that reads x at the plan's indices. */
static ilex_array *
element(ilex_context *ctx, ilex_array *x, const plan *p, int *slots)
{
    if (!ix_is_array(x))
        return x;
    *slots = 1;
    return ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), p->index);
}

static ilex_array *
reduce_body(ilex_context *ctx, ix_reduction r, ilex_array *value, const plan *p,
            ilex_dtype acc, ilex_dtype result, bool total)
{
    bool mean = r == IX_REDUCTION_MEAN;
    ilex_dtype own = ix_reduction_info_of(r)->by_index ? result : acc;
    value = ix_scalar_cast(ctx, acc, value);
    if (p->nbox == 0) /* over no axes: the element, at position 0 */
        return ix_reduction_info_of(r)->by_index
                   ? ix_index_const(ctx, 0)
                   : ix_scalar_cast(ctx, result, value);
    const ix_domain *box = ix_domain_new(ctx, p->nbox, p->box);
    ilex_array *body = total
                           ? ix_scalar_reduce_total(ctx, r, own, box, 0, value)
                           : ix_scalar_reduce(ctx, mean ? IX_REDUCTION_SUM : r,
                                              own, box, 0, value);
    if (mean) {
        ilex_array *ops[2] = {body, count_of(ctx, p, acc)};
        body = ix_scalar_op(ctx, IX_OP_TRUE_DIVIDE, acc, acc, ops);
    }
    return ix_scalar_cast(ctx, result, body);
}

/* The reduction of an operand that may be reduced; "total": there is an initial
 * value, so that it may be over nothing. */
static ilex_array *
reduced(ilex_context *ctx, ix_reduction r, ilex_array *x, uint32_t mask,
        bool keep, bool total)
{
    const char *name = ix_reduction_info_of(r)->name;
    if (ix_is_poison(x))
        return x;
    if (ix_is_weak(x))
        x = ix_scalar_cast(ctx, (ilex_dtype)x->dtype, x);
    ilex_dtype acc, result;
    if (!ix_reduction_type(r, (ilex_dtype)x->dtype, &acc, &result))
        return ix_poison(ctx, name, 0, ILEX_E_DTYPE, "%s: not defined for %s",
                         name, ilex_dtype_name((ilex_dtype)x->dtype));
    if (keep && ix_rank(x) && ix_domain_named(x->interior))
        return ix_poison(ctx, name, 0, ILEX_E_UNSUPPORTED,
                         "%s: keeping reduced axes is for unnamed axes; named "
                         "ones broadcast by name",
                         name);
    if (!check_bounded(ctx, name, x, mask) ||
        !ix_field_known(ctx, name, x, mask))
        return ix_poison_again(ctx);
    plan p;
    make_plan(ctx, x, mask, keep, &p);
    if (!ix_reduction_info_of(r)->empty && !total && provably_empty(ctx, &p))
        return ix_poison(ctx, name, 0, ILEX_E_EMPTY_REDUCTION,
                         "%s: an axis of [%s] that is reduced has length 0, "
                         "and %s of nothing has no value",
                         name, ix_domain_show(ctx, x->interior).s, name);
    int slots = 0;
    ilex_array *body = reduce_body(ctx, r, element(ctx, x, &p, &slots), &p, acc,
                                   result, total);
    const ix_domain *interior = ix_domain_new(ctx, p.nkept, p.kept);
    const ix_domain *valid = ix_domain_new(ctx, p.nkept, p.valid);
    if (!interior || !valid || ix_is_poison(body))
        return ix_poison_again(ctx);
    ilex_array *ops[2] = {body, x};
    ix_node_spec spec = {.kind = IX_LAMBDA,
                         .dtype = result,
                         .interior = interior,
                         .valid = valid,
                         .nops = 1 + slots,
                         .ops = ops};
    return ix_node_scoped(ctx, &spec);
}

static ilex_array *
proved(ilex_context *ctx, ix_reduction r, ilex_array *x,
       const ix_reduce_request *request)
{
    const ix_env *proof = ix_proof_open(ctx);
    bool total = request->initial && !ix_reduction_info_of(r)->by_index &&
                 r != IX_REDUCTION_MEAN;
    return ix_proof_close(
        ctx, proof, reduced(ctx, r, x, request->mask, request->keep, total));
}

ilex_array *
ix_build_reduce(ilex_context *ctx, ix_reduction r, ilex_array *x, uint32_t mask,
                bool keep)
{
    return proved(ctx, r, x, &(ix_reduce_request){.mask = mask, .keep = keep});
}

/* ---- where, initial ---- */

/* What stands for the elements that a mask leaves out: the result of nothing,
 * or what combining does not change if there is none. */
static ilex_array *
neutral(ilex_context *ctx, ix_reduction r, ilex_dtype acc)
{
    ix_value v;
    if (!ix_reduction_empty(r, acc, &v))
        v = ix_reduction_identity(r, acc);
    return ix_scalar_const(ctx, acc, v);
}

/* x where the mask holds, "other" elsewhere. */
static ilex_array *
masked(ilex_context *ctx, const char *name, ilex_array *mask, ilex_array *x,
       ilex_array *other)
{
    ilex_array *y =
        ix_build_op(ctx, IX_OP_WHERE, (ilex_array *[]){mask, x, other});
    if (ix_is_poison(y) || (ix_is_array(x) && y->interior == x->interior))
        return y;
    return ix_poison(ctx, name, 0, ILEX_E_SHAPE,
                     "%s: the mask is on [%s], the operand on [%s]; the mask "
                     "has the operand's axes, or fewer",
                     name, ix_domain_show(ctx, mask->interior).s,
                     ix_domain_show(ctx, x->interior).s);
}

/* The number of elements where the mask holds. */
static ilex_array *
masked_count(ilex_context *ctx, ilex_array *x, const ix_reduce_request *request)
{
    ilex_array *one =
        ix_build_restrict(ctx, "mean", ilex_i64(ctx, 1), x->interior);
    ilex_array *ones =
        masked(ctx, "mean", request->where, one, ilex_i64(ctx, 0));
    return ix_build_reduce(ctx, IX_REDUCTION_SUM, ones, request->mask,
                           request->keep);
}

ilex_array *
ix_reduced_count(ilex_array *x, const ix_reduce_request *request)
{
    plan p;
    if (request->where)
        return masked_count(x->ctx, x, request);
    make_plan(x->ctx, x, request->mask, request->keep, &p);
    return count_of(x->ctx, &p, ILEX_I64);
}

static ilex_array *
reduce_masked(ilex_context *ctx, ix_reduction r, ilex_array *x,
              const ix_reduce_request *request)
{
    const char *name = ix_reduction_info_of(r)->name;
    ilex_dtype acc, result;
    if (!ix_reduction_type(r, (ilex_dtype)x->dtype, &acc, &result))
        return proved(ctx, r, x, request);
    if (ix_reduction_info_of(r)->by_index)
        return ix_poison(ctx, name, 0, ILEX_E_UNSUPPORTED,
                         "%s: a position among the elements of a mask is not "
                         "supported; give those outside of it another value "
                         "with where(m, x, v)",
                         name);
    if (request->where->dtype != ILEX_BOOL)
        return ix_poison(
            ctx, name, 0, ILEX_E_DTYPE,
            "%s: the mask is %s; it has to be bool, for example x > 0", name,
            ilex_dtype_name((ilex_dtype)request->where->dtype));
    bool mean = r == IX_REDUCTION_MEAN;
    r = mean ? IX_REDUCTION_SUM : r;
    x = ix_build_cast(ctx, acc, x);
    ilex_array *y = masked(ctx, name, request->where, x, neutral(ctx, r, acc));
    y = proved(ctx, r, y, request);
    if (mean) {
        ilex_array *count =
            ix_build_cast(ctx, acc, masked_count(ctx, x, request));
        y = ix_build_op(ctx, IX_OP_TRUE_DIVIDE, (ilex_array *[]){y, count});
    }
    return ix_build_cast(ctx, result, y);
}

ilex_array *
ix_build_reduce_with(ilex_context *ctx, ix_reduction r, ilex_array *x,
                     const ix_reduce_request *request)
{
    const ix_reduction_info *info = ix_reduction_info_of(r);
    if (ix_is_poison(x))
        return x;
    ilex_array *y = request->where && ix_is_array(x)
                        ? reduce_masked(ctx, r, x, request)
                        : proved(ctx, r, x, request);
    if (!request->initial || ix_is_poison(y))
        return y;
    if (info->by_index || r == IX_REDUCTION_MEAN)
        return ix_poison(ctx, info->name, 0, ILEX_E_UNSUPPORTED,
                         "%s: has no initial value", info->name);
    return ix_build_initial(ctx, r, request->initial, y);
}

/* Is it the constant that changes nothing, of a reduction that needs one? */
static bool
is_identity(ilex_context *ctx, ix_reduction r, ilex_dtype dtype, ilex_array *v)
{
    if (v->kind != IX_CONST || ix_reduction_info_of(r)->empty ||
        (ix_is_weak(v) ? !ix_literal_fits(v, dtype) : v->dtype != dtype))
        return false;
    return ix_value_same(dtype, ix_const_value(ix_scalar_cast(ctx, dtype, v)),
                         ix_reduction_identity(r, dtype));
}

ilex_array *
ix_build_initial(ilex_context *ctx, ix_reduction r, ilex_array *initial,
                 ilex_array *y)
{
    return is_identity(ctx, r, (ilex_dtype)y->dtype, initial)
               ? y
               : ix_build_op(ctx, ix_reduction_op(r),
                             (ilex_array *[]){initial, y});
}
