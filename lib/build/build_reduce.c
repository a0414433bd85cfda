/* SPDX-License-Identifier: MIT
 *
 * Reductions and einsum.
 */
#include "lib/build/build.h"
#include "lib/ops/dtype.h"
#include "lib/shape/broadcast.h"

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
        ix_poison(ctx, name, 0, ILEX_E_EMPTY,
                  "%s: axis %s, which is reduced, has no bounds; give the "
                  "operand a range along it first, for example "
                  "ilex_restrict(x, \"%s:0:n\"), in text `let t : %s[%s:0:n] "
                  "= ...`",
                  name, axis, axis, ilex_dtype_name((ilex_dtype)x->dtype),
                  axis);
        return false;
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
            ilex_dtype acc, ilex_dtype result)
{
    bool mean = r == IX_REDUCTION_MEAN;
    value = ix_scalar_cast(ctx, acc, value);
    if (p->nbox == 0) /* over no axes: the element, at position 0 */
        return ix_reduction_info_of(r)->by_index
                   ? ix_index_const(ctx, 0)
                   : ix_scalar_cast(ctx, result, value);
    const ix_domain *box = ix_domain_new(ctx, p->nbox, p->box);
    ilex_array *body = ix_scalar_reduce(ctx, mean ? IX_REDUCTION_SUM : r,
                                        mean ? acc : result, box, 0, value);
    if (mean) {
        ilex_array *ops[2] = {body, count_of(ctx, p, acc)};
        body = ix_scalar_op(ctx, IX_OP_TRUE_DIVIDE, acc, acc, ops);
    }
    return ix_scalar_cast(ctx, result, body);
}

ilex_array *
ix_build_reduce(ilex_context *ctx, ix_reduction r, ilex_array *x, uint32_t mask,
                bool keep)
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
    if (!check_bounded(ctx, name, x, mask))
        return ctx->poison;
    plan p;
    make_plan(ctx, x, mask, keep, &p);
    if (!ix_reduction_info_of(r)->empty && provably_empty(ctx, &p))
        return ix_poison(ctx, name, 0, ILEX_E_EMPTY_REDUCTION,
                         "%s: an axis of [%s] that is reduced has length 0, "
                         "and %s of nothing has no value",
                         name, ix_domain_show(ctx, x->interior).s, name);
    int slots = 0;
    ilex_array *body =
        reduce_body(ctx, r, element(ctx, x, &p, &slots), &p, acc, result);
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

/* ---- einsum ---- */

enum { MAX_LABELS = 64 };

/* The range of every label over the operands. */
typedef struct label_axes {
    bool used[MAX_LABELS];
    ix_axis interior[MAX_LABELS], valid[MAX_LABELS];
} label_axes;

/* Joins one operand's axis into its label's range. */
static bool
join_label(ilex_context *ctx, label_axes *all, int label, const ix_axis *in,
           const ix_axis *valid)
{
    ix_axis *have = &all->interior[label];
    if (!all->used[label]) {
        all->used[label] = true;
        *have = *in;
        all->valid[label] = *valid;
        return true;
    }
    if (have->name != in->name) {
        ix_fail(&ctx->error, ILEX_E_EINSUM,
                "einsum: one label stands for axis %s and axis %s",
                ix_symbol_text(ctx, have->name), ix_symbol_text(ctx, in->name));
        return false;
    }
    if (in->name) {
        ix_axis *v = &all->valid[label];
        have->lo = ix_meet_bounds(ctx, "einsum", in->name, have->lo, in->lo, 0);
        have->hi = ix_meet_bounds(ctx, "einsum", in->name, have->hi, in->hi, 1);
        v->lo = ix_meet_bounds(ctx, "einsum", in->name, v->lo, valid->lo, 0);
        v->hi = ix_meet_bounds(ctx, "einsum", in->name, v->hi, valid->hi, 1);
        return have->lo && have->hi && v->lo && v->hi;
    }
    if (ix_lin_is(have->hi, 1))
        *have = all->valid[label] = *in;
    if (ix_lin_is(in->hi, 1) || ix_lin_same(ctx, have->hi, in->hi))
        return true;
    ix_fail(&ctx->error, ILEX_E_EINSUM,
            "einsum: one label stands for the lengths %s and %s, which are not "
            "known to be equal",
            ix_lin_show(ctx, have->hi).s, ix_lin_show(ctx, in->hi).s);
    return false;
}

/* A label repeated inside one operand (a diagonal) needs equal lengths. */
static bool
check_diagonals(ilex_context *ctx, const ilex_array *x, const ix_labels *l)
{
    for (int k = 0; k < l->n; k++)
        for (int j = 0; j < k; j++)
            if (l->label[j] == l->label[k] &&
                !ix_lin_same(ctx, x->interior->ax[j].hi,
                             x->interior->ax[k].hi)) {
                ix_fail(&ctx->error, ILEX_E_EINSUM,
                        "einsum: axes %d and %d of one operand carry the same "
                        "label and have lengths %s and %s",
                        j, k, ix_lin_show(ctx, x->interior->ax[j].hi).s,
                        ix_lin_show(ctx, x->interior->ax[k].hi).s);
                return false;
            }
    return true;
}

static bool
join_operand(ilex_context *ctx, label_axes *all, int number,
             const ilex_array *x, const ix_labels *l)
{
    if (l->n != ix_rank(x)) {
        ix_fail(&ctx->error, ILEX_E_EINSUM,
                "einsum: operand %d has %d axes and %d labels", number,
                ix_rank(x), l->n);
        return false;
    }
    for (int k = 0; k < l->n; k++)
        if (!join_label(ctx, all, l->label[k], &x->interior->ax[k],
                        &x->valid->ax[k]))
            return false;
    return check_diagonals(ctx, x, l);
}

/* The result's domains; a label may occur once and must be known. */
static bool
result_domains(ilex_context *ctx, const label_axes *all, const ix_labels *l,
               const ix_domain **interior, const ix_domain **valid)
{
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    for (int k = 0; k < l->n; k++) {
        for (int j = 0; j < k; j++)
            if (l->label[j] == l->label[k]) {
                ix_fail(&ctx->error, ILEX_E_EINSUM,
                        "einsum: axes %d and %d of the result carry the same "
                        "label",
                        j, k);
                return false;
            }
        if (!all->used[l->label[k]]) {
            ix_fail(&ctx->error, ILEX_E_EINSUM,
                    "einsum: axis %d of the result carries a label that no "
                    "operand has",
                    k);
            return false;
        }
        in[k] = all->interior[l->label[k]];
        va[k] = all->valid[l->label[k]];
    }
    *interior = ix_domain_new(ctx, l->n, in);
    *valid = ix_domain_new(ctx, l->n, va);
    return *interior && *valid;
}

/* The label with canonical number "t": i, j, k, ... z, a, ... h, A, ... Z. */
static int
canonical_label(int t)
{
    int i = 26 + 'i' - 'a';
    return t < 18 ? i + t : t < 26 ? 26 + t - 18 : t < 52 ? t - 26 : t;
}

/* Labels by first appearance in the operands, so that "ij,jk->ik" and
 * "ab,bc->ac" are one node; returns how many there are. */
static int
canonical_labels(int count, const ix_labels *labels, int *number)
{
    int next = 0;
    memset(number, -1, MAX_LABELS * sizeof *number);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < labels[i].n; k++)
            if (number[labels[i].label[k]] < 0)
                number[labels[i].label[k]] = canonical_label(next++);
    return next;
}

static int
put_labels(int64_t *attr, int at, const ix_labels *l, const int *number)
{
    for (int k = 0; k < l->n; k++)
        attr[at++] = number[l->label[k]];
    return at;
}

ilex_array *
ix_build_einsum(ilex_context *ctx, const ix_labels *result, int count,
                const ix_labels *labels, ilex_array *const *operands,
                const ilex_dtype *acc)
{
    label_axes all;
    memset(&all, 0, sizeof all);
    if (count < 1 || count > ILEX_MAX_RANK)
        return ix_poison(ctx, "einsum", -1, ILEX_E_EINSUM,
                         "einsum: %d operands; 1 to %d are possible", count,
                         ILEX_MAX_RANK);
    int64_t attr[2 + ILEX_MAX_RANK * (ILEX_MAX_RANK + 1)];
    int nattr = 2 + result->n, number[MAX_LABELS];
    int summed = canonical_labels(count, labels, number) - result->n;
    ilex_dtype dtype = ILEX_BOOL;
    for (int i = 0; i < count; i++) {
        if (ix_is_poison(operands[i]))
            return ctx->poison;
        if (!join_operand(ctx, &all, i, operands[i], &labels[i]))
            return ix_poison_again(ctx);
        dtype = ilex_dtype_promote(dtype, (ilex_dtype)operands[i]->dtype);
        nattr = put_labels(attr, nattr, &labels[i], number);
    }
    put_labels(attr, 2, result, number);
    attr[0] = acc ? (int64_t)*acc : (int64_t)dtype;
    attr[1] = result->n;
    ix_node_spec spec = {.kind = IX_EINSUM,
                         .dtype = dtype,
                         .nops = count,
                         .ops = operands,
                         .nattr = nattr,
                         .attr = attr};
    if (!result_domains(ctx, &all, result, &spec.interior, &spec.valid))
        return ix_poison_again(ctx);
    if (summed > ILEX_MAX_RANK)
        return ix_poison(ctx, "einsum", -1, ILEX_E_LIMIT,
                         "einsum: %d labels are summed over; at most %d can "
                         "be, so contract some operands first",
                         summed, ILEX_MAX_RANK);
    return ix_node_scoped(ctx, &spec);
}
