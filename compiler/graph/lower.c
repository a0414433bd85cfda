/* SPDX-License-Identifier: MIT
 *
 * Pass lower: every interior node becomes an index lambda. One function per
 * kind that nodes.def does not keep. needs, gives: a graph; breaks: the kinds
 * reshape, einsum, permute, slice, roll, csr_matmul.
 */
#include "compiler/unit.h"
#include "lib/build/compress.h"
#include "lib/build/einsum.h"
#include "lib/build/reshape.h"
#include "lib/ops/dtype.h"

/* The lambda over n's domain with this body. */
static ilex_array *
as_lambda(ilex_array *n, ilex_array *body, int count,
          ilex_array *const *operands)
{
    return ix_node_lambda(n->ctx, n->interior, n->valid, body, count, operands);
}

/* A lambda that reads operand 0 at "index". */
static ilex_array *
as_read(ilex_array *n, ilex_array *const *index)
{
    ilex_array *x = n->ops[0];
    ilex_array *body =
        ix_scalar_load(n->ctx, (ilex_dtype)x->dtype, 0, ix_rank(x), index);
    return ix_is_poison(body) ? body : as_lambda(n, body, 1, &x);
}

static ilex_array *
ix_lower_permute(ilex_array *n)
{
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < n->nattr; k++)
        index[n->attr[k]] = ix_scalar_index(n->ctx, k);
    return as_read(n, index);
}

static ilex_array *
ix_lower_slice(ilex_array *n)
{
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < n->nattr; k++)
        index[k] = ix_index_fma(n->ctx, n->ops[k + 1], n->attr[k],
                                ix_scalar_index(n->ctx, k));
    return as_read(n, index);
}

/* ---- einsum ---- */

/* What each label stands for: an index of the result, or one of the axes that
 * are summed over. */
typedef struct label_map {
    ilex_array *index[IX_EINSUM_LABELS];
    const ix_axis *range[IX_EINSUM_LABELS]; /* NULL: not met yet */
    ix_axis *summed[IX_EINSUM_LABELS];      /* NULL: an index of the result */
    ix_axis box[ILEX_MAX_RANK];
    int nbox;
} label_map;

/* The range of a summed label covers axis "ax", or is it if that was 1. */
static void
widen(ilex_context *ctx, ix_axis *range, const ix_axis *ax)
{
    if (ax->name) {
        range->lo = ix_lin_max(ctx, range->lo, ax->lo);
        range->hi = ix_lin_min(ctx, range->hi, ax->hi);
    } else if (ix_lin_is(range->hi, 1)) {
        range->hi = ax->hi;
    }
}

/* Notes that axis "ax" of an operand carries "label"; false: too many. */
static bool
map_label(ilex_context *ctx, label_map *m, int label, const ix_axis *ax)
{
    if (m->summed[label])
        widen(ctx, m->summed[label], ax);
    if (m->range[label])
        return true;
    if (m->nbox == ILEX_MAX_RANK)
        return false;
    m->index[label] = ix_scalar_rindex(ctx, m->nbox);
    m->range[label] = m->summed[label] = &m->box[m->nbox];
    m->box[m->nbox++] = (ix_axis){0, ax->lo, ax->hi};
    return true;
}

/* Result labels are indices; the others are summed over, in order of first
 * appearance, over their longest range. */
static bool
map_labels(ilex_array *n, const ix_einsum *e, label_map *m)
{
    bool ok = true;
    for (int k = 0; k < e->result.n; k++) {
        m->index[e->result.label[k]] = ix_scalar_index(n->ctx, k);
        m->range[e->result.label[k]] = &n->interior->ax[k];
    }
    for (int i = 0; i < e->count; i++)
        for (int k = 0; ok && k < e->labels[i].n; k++)
            ok = map_label(n->ctx, m, e->labels[i].label[k],
                           &e->operand[i]->interior->ax[k]);
    return ok;
}

/* Is axis "ax" with a label stretched to the label's longer range? */
static bool
stretched(const ix_axis *ax, const ix_axis *range)
{
    return !ax->name && ix_lin_is(ax->hi, 1) && !ix_lin_is(range->hi, 1);
}

/* The element of operand "i", in its own dtype. */
static ilex_array *
element(ilex_array *n, const ix_einsum *e, int i, const label_map *m)
{
    ilex_array *x = e->operand[i], *index[ILEX_MAX_RANK];
    for (int k = 0; k < ix_rank(x); k++) {
        int label = e->labels[i].label[k];
        index[k] = stretched(&x->interior->ax[k], m->range[label])
                       ? ix_index_const(n->ctx, 0)
                       : m->index[label];
    }
    return ix_is_array(x) ? ix_scalar_load(n->ctx, (ilex_dtype)x->dtype, i,
                                           ix_rank(x), index)
                          : x;
}

/* Does operand "i" vary along the innermost axis of the result? */
static bool
is_innermost(const ix_einsum *e, int i)
{
    const ix_labels *l = &e->result;
    return l->n > 0 && (ix_labels_set(&e->labels[i]) >> l->label[l->n - 1] & 1);
}

/* a*b as numbers, rounded. */
static ilex_array *
times(ilex_context *ctx, ilex_dtype dtype, ilex_array *a, ilex_array *b)
{
    ilex_array *ops[2] = {ix_scalar_cast(ctx, dtype, a),
                          ix_scalar_cast(ctx, dtype, b)};
    return ix_scalar_op(ctx, IX_OP_MULTIPLY, dtype, dtype, ops);
}

/* What a sum in dtype "acc" adds: a*b; where it is exact, or is to be
 * "rounded", as a number, else as the factors of a fused multiply-add, a real
 * one in the dtype of the accumulator's parts. */
static ilex_array *
summand(ilex_context *ctx, ilex_dtype acc, bool rounded, ilex_array *a,
        ilex_array *b)
{
    ilex_array *ops[2] = {a, b};
    if (rounded || ix_dtype_is_exact(acc))
        return times(ctx, acc, a, b);
    for (int i = 0; i < 2; i++) {
        bool real = !ix_dtype_is_complex((ilex_dtype)ops[i]->dtype);
        ops[i] = ix_scalar_cast(ctx, real ? ix_dtype_part(acc) : acc, ops[i]);
    }
    return ix_scalar_product(ctx, acc, ops);
}

/* The operands' elements in the order in which they are multiplied: of three
 * and more those that stay the same along the innermost axis come first, their
 * product is formed outside of its loop. */
static void
order_factors(ilex_array *n, const ix_einsum *e, const label_map *m,
              ilex_array **factor)
{
    int count = 0;
    for (int inner = 0; inner < 2; inner++)
        for (int i = 0; i < e->count; i++)
            if ((e->count > 2 && is_innermost(e, i)) == (inner == 1))
                factor[count++] = element(n, e, i, m);
}

/* The labels of the result that operand "i" runs along. */
static uint64_t
free_labels(const ix_einsum *e, int i, const label_map *m)
{
    uint64_t set = 0;
    for (int k = 0; k < e->labels[i].n; k++) {
        int label = e->labels[i].label[k];
        const ix_axis *ax = &e->operand[i]->interior->ax[k];
        if (!m->summed[label] && !stretched(ax, m->range[label]))
            set |= UINT64_C(1) << label;
    }
    return set;
}

/* Has each of two factors a label of the result that the other lacks, as in the
 * product of two matrices? */
static bool
is_chain(const ix_einsum *e, const label_map *m)
{
    if (e->count != 2)
        return false;
    uint64_t a = free_labels(e, 0, m), b = free_labels(e, 1, m);
    return (a & ~b) && (b & ~a);
}

/* The factors multiplied, the last product summed over "m"'s box. */
static ilex_array *
sum_of_products(ilex_array *n, const ix_einsum *e, const label_map *m)
{
    ilex_context *ctx = n->ctx;
    ilex_array *factor[ILEX_MAX_RANK];
    bool any = e->acc == ILEX_BOOL;
    order_factors(n, e, m, factor);
    ilex_dtype acc = ix_einsum_sum(e->count, factor, e->acc);
    ilex_array *body = factor[0], *last = factor[e->count - 1];
    for (int i = 1; i + 1 < e->count; i++)
        body = times(ctx, acc, body, factor[i]);
    if (e->count == 1)
        body = ix_scalar_cast(ctx, acc, body);
    else if (m->nbox == 0)
        body = times(ctx, acc, body, last);
    else
        body = summand(ctx, acc, e->rounded, body, last);
    if (m->nbox == 0)
        return body;
    return ix_scalar_contraction(ctx, any ? IX_REDUCTION_ANY : IX_REDUCTION_SUM,
                                 ix_domain_new(ctx, m->nbox, m->box),
                                 is_chain(e, m), body);
}

static ilex_array *
ix_lower_einsum(ilex_array *n)
{
    label_map m = {.nbox = 0};
    ix_einsum e;
    ix_einsum_read(n, &e);
    if (!map_labels(n, &e, &m))
        return ix_poison(n->ctx, "einsum", -1, ILEX_E_LIMIT,
                         "einsum: more than %d labels are summed over",
                         ILEX_MAX_RANK);
    ilex_array *body = sum_of_products(n, &e, &m);
    body = ix_scalar_cast(n->ctx, e.acc, body);
    body = ix_scalar_cast(n->ctx, (ilex_dtype)n->dtype, body);
    return ix_is_poison(body) ? body : as_lambda(n, body, n->nops, n->ops);
}

/* ---- reshape ---- */

static ilex_array *
ix_lower_reshape(ilex_array *n)
{
    ilex_array *index[ILEX_MAX_RANK];
    if (!ix_reshape_index(n->ctx, n->interior, n->ops[0]->interior,
                          n->attr[0] != 0, index))
        return ix_poison_again(n->ctx);
    return as_read(n, index);
}

/* ---- roll ---- */

static ilex_array *
ix_lower_roll(ilex_array *n)
{
    ilex_array *body = ix_roll_body(n->ops[0], (int)n->attr[0],
                                    ix_index_to_lin(n->ctx, n->ops[1]));
    return ix_is_poison(body) ? body : as_lambda(n, body, 1, n->ops);
}

/* ---- csr_matmul ---- */

/* x(index) of operand "i", a list of integers. */
static ilex_array *
listed(ilex_array *n, int i, ilex_array *index)
{
    ilex_array *x =
        ix_scalar_load(n->ctx, (ilex_dtype)n->ops[i]->dtype, i, 1, &index);
    return ix_scalar_cast(n->ctx, ILEX_I64, x);
}

/* Where row "at" begins: from the end of the row before, NULL if that is not
 * known, to "last", the number of elements; the first row at 0. */
static ilex_array *
row_end(ilex_array *n, ilex_array *at, ilex_array *before, const ix_lin *last)
{
    ilex_context *ctx = n->ctx;
    ilex_array *zero = ix_index_const(ctx, 0), *one = ix_index_const(ctx, 1),
               *end = ix_index_offset(ctx, ix_index_lin(ctx, last), 1);
    ilex_array *first = ix_scalar_op(ctx, IX_OP_EQUAL, ILEX_I64, ILEX_BOOL,
                                     (ilex_array *[]){at, zero});
    ilex_array *limit = ix_scalar_op(ctx, IX_OP_WHERE, ILEX_I64, ILEX_I64,
                                     (ilex_array *[]){first, one, end});
    const ix_checked c = {.what = IX_CHECKED_ROW,
                          .value = listed(n, 2, at),
                          .lo = before ? before : zero,
                          .hi = before ? end : limit,
                          .at = at};
    return ix_scalar_checked_as(ctx, &c);
}

/* x(k)*w(y(k), ...), where y(k) is a column. */
static ilex_array *
csr_product(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *k = ix_scalar_rindex(ctx, 0), *index[ILEX_MAX_RANK];
    ilex_dtype acc = ix_dtype_loop((ilex_dtype)n->dtype);
    const ix_checked c = {.what = IX_CHECKED_COLUMN,
                          .value = listed(n, 1, k),
                          .lo = ix_index_const(ctx, 0),
                          .hi = n->ops[4],
                          .at = k};
    for (int j = 1; j < ix_rank(n); j++)
        index[j] = ix_scalar_index(ctx, j);
    index[0] = ix_scalar_checked_as(ctx, &c);
    ilex_array *ops[2] = {
        ix_scalar_load(ctx, (ilex_dtype)n->ops[0]->dtype, 0, 1, &k),
        ix_scalar_load(ctx, (ilex_dtype)n->ops[3]->dtype, 3, ix_rank(n),
                       index)};
    return summand(ctx, ix_einsum_sum(2, ops, acc), false, ops[0], ops[1]);
}

/* The sum of the products from where a row begins to where the next one does.
 */
static ilex_array *
ix_lower_csr_matmul(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *i = ix_scalar_index(ctx, 0), *ops[3];
    const ix_axis *elements = n->ops[0]->interior->ax;
    ops[0] = csr_product(n);
    ops[1] = row_end(n, i, NULL, elements->hi);
    ops[2] = row_end(n, ix_index_offset(ctx, i, 1), ops[1], elements->hi);
    ilex_array *body = ix_scalar_reduce_ranged(
        ctx, n->dtype == ILEX_BOOL ? IX_REDUCTION_ANY : IX_REDUCTION_SUM,
        (ilex_dtype)ops[0]->dtype, ix_domain_new(ctx, 1, elements), 0, ops);
    body = ix_scalar_cast(ctx, (ilex_dtype)n->dtype, body);
    return ix_is_poison(body) ? body : as_lambda(n, body, 4, n->ops);
}

/* ---- the pass ---- */

static ilex_array *
ix_lower_compress(ilex_array *n)
{
    return ix_compress_expanded(n);
}

static ilex_array *
ix_lower_keep(ilex_array *n)
{
    return n;
}

static ilex_array *(*const lower_of[IX_NKINDS])(ilex_array *) = {
#define IX_NODE(NAME, function, text, class, operands, least, most, names,     \
                form, lower, ...)                                              \
    ix_lower_##lower,
#include "lib/graph/nodes.def"
};

/* What has a form for kernels alone: compressed along its only axis an array is
 * made of chunks, changed in a box it is a lambda. The reference back end makes
 * an update of both. */
static ilex_array *
lower(ix_unit *u, void *user, ilex_array *n)
{
    ilex_array *own = NULL;
    (void)user;
    if (n->kind == IX_COMPRESS && ix_rank(n) == 1 && !u->reference)
        own = ix_compress_chunked(n);
    if (n->kind == IX_UPDATE && !u->reference)
        own = ix_update_of_box(n);
    n = own ? own : lower_of[n->kind](n);
    return n->kind == IX_LAMBDA && !u->reference ? ix_without_kept(u, n) : n;
}

bool
ix_pass_lower(ix_unit *u)
{
    return ix_unit_rewrite(u, lower, NULL);
}
