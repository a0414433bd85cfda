/* SPDX-License-Identifier: MIT
 *
 * Pass reduce: reductions become loops, guards branches in kernels that have
 * some, and pieces of a scan get common loops. needs: nests, which are noted
 * here; gives: no reduction in any expression; breaks: nothing. The order in
 * which elements are combined is that of the node, see ix_scalar_reduce(), or
 * any where that changes no bit.
 */
#include "compiler/lower/reduce.h"

#include "compiler/lower/guard.h"
#include "compiler/lower/ranges.h"
#include "compiler/lower/recurrence.h"
#include "lib/ops/dtype.h"

enum { MOST_UNROLLED = 4 };

/* ---- one axis ---- */

/* Fewer elements than lanes: the upper lanes would stay empty. */
static int
useful_lanes(int lanes, int64_t extent)
{
    while (extent >= 0 && lanes > 1 && lanes / 2 >= extent)
        lanes /= 2;
    return lanes;
}

/* An end of a range that is computed, as a leaf. */
static ilex_array *
computed_end(ix_builder *b, ilex_array *x)
{
    x = ix_reduce_expand(b, x);
    return x->nops ? ix_value_of(b->u, ix_build_let(b, 'e', x)) : x;
}

static ix_reduce_axis
axis_of(ix_builder *b, ilex_array *n, int k, ilex_array **index)
{
    ilex_context *ctx = b->u->ctx;
    const ix_axis *ax = &n->interior->ax[k];
    const ix_lin *extent = ix_lin_try_fma(ctx, ax->hi, -1, ax->lo);
    ix_reduction r = ix_reduction_of(n);
    ix_reduce_axis x = {.b = b,
                        .n = n,
                        .k = k,
                        .variable = -1,
                        .op = ix_reduction_op(r),
                        .acc = (ilex_dtype)n->ops[0]->dtype,
                        .lo = ix_index_lin(ctx, ax->lo),
                        .hi = ix_index_lin(ctx, ax->hi),
                        .extent = -1,
                        .lanes = 1,
                        .body = n->ops[0],
                        .index = index};
    x.first_wins = ix_dtype_is_complex(x.acc) && r == IX_REDUCTION_PROD;
    if (ix_is_ranged(n)) {
        x.lo = computed_end(b, n->ops[1]);
        x.hi = computed_end(b, n->ops[2]);
    } else if (extent && extent->n == 0) {
        x.extent = extent->c > 0 ? extent->c : 0;
    }
    if (k + 1 == n->interior->rank)
        x.lanes = useful_lanes((int)ix_lanes_of(n), x.extent);
    return x;
}

ilex_array *
ix_reduce_identity(const ix_reduce_axis *x)
{
    ix_value v = ix_reduction_identity(ix_reduction_of(x->n), x->acc);
    return ix_scalar_const(x->b->u->ctx, x->acc, v);
}

/* The value over nothing. */
static ilex_array *
empty_value(const ix_reduce_axis *x)
{
    ix_value v;
    if (!ix_reduction_empty(ix_reduction_of(x->n), x->acc, &v))
        return ix_reduce_identity(x);
    return ix_scalar_const(x->b->u->ctx, x->acc, v);
}

/* Is an axis inside axis "x" known to be empty? */
static bool
empty_inside(const ix_reduce_axis *x)
{
    const ix_domain *box = x->n->interior;
    for (int k = x->k + 1; k < box->rank; k++) {
        const ix_lin *extent =
            ix_lin_try_fma(x->b->u->ctx, box->ax[k].hi, -1, box->ax[k].lo);
        if (extent && extent->n == 0 && extent->c <= 0)
            return true;
    }
    return false;
}

/* "first", or, where an axis has no elements, the value over nothing. */
static ilex_array *
or_empty(const ix_reduce_axis *x, const ix_axis *ax, ilex_array *first)
{
    ilex_context *ctx = x->b->u->ctx;
    ilex_array *empty = empty_value(x);
    if (first == empty ||
        ix_lin_le(ctx, ix_lin_offset(ctx, ax->lo, 1), ax->hi) == IX_YES)
        return first;
    ilex_array *ends[2] = {ix_index_lin(ctx, ax->lo),
                           ix_index_lin(ctx, ax->hi)};
    ilex_array *ops[3] = {
        ix_scalar_op(ctx, IX_OP_LESS, ILEX_I64, ILEX_BOOL, ends), first, empty};
    return ix_scalar_op(ctx, IX_OP_WHERE, x->acc, x->acc, ops);
}

ilex_array *
ix_reduce_first(const ix_reduce_axis *x)
{
    const ix_domain *box = x->n->interior;
    ilex_array *first = ix_reduce_identity(x);
    if (x->ranges)
        return x->ranges->first;
    if (x->empty)
        first = or_empty(x, &box->ax[x->k], first);
    for (int k = x->k + 1; ix_is_chain(x->n) && k < box->rank; k++)
        first = or_empty(x, &box->ax[k], first);
    return first;
}

/* ---- elements ---- */

/* The body at the indices of all axes. */
static ilex_array *
body_at(ix_reduce_axis *x)
{
    ix_substitution s = {.ctx = x->b->u->ctx,
                         .mem = &x->b->u->mem,
                         .rindex = x->index,
                         .nrindex = x->n->interior->rank,
                         .from = x->n->attr[1],
                         .became = ix_origin_keep,
                         .user = x->b->u};
    ilex_array *body = ix_substitute(&s, x->body);
    ix_substitution_free(&s);
    return ix_reduce_expand(x->b, body);
}

ilex_array *
ix_reduce_element(ix_reduce_axis *x, ilex_array *index)
{
    x->index[x->k] = index;
    return x->k + 1 < x->n->interior->rank
               ? ix_reduce_axes(x->b, x->n, x->k + 1, x->index)
               : body_at(x);
}

/* ---- accumulators ---- */

ix_stmt *
ix_reduce_accumulator(ix_reduce_axis *x, char prefix, ilex_array *first)
{
    return ix_build_cell(x->b, prefix, x->acc, first);
}

void
ix_reduce_update(ix_reduce_axis *x, ix_stmt *into, ilex_array *value)
{
    ix_element at = ix_element_scratch(into, NULL);
    ix_build_put(x->b, ix_stmt_update(x->b->u, x->op, at, value));
}

/* The first element replaces an accumulator that has no identity. */
static void
combine(ix_reduce_axis *x, ix_element at, ilex_array *v, ilex_array *index,
        ilex_array *first)
{
    ix_builder *b = x->b;
    ix_stmt *update = ix_stmt_update(b->u, x->op, at, v);
    if (!x->first_wins) {
        ix_build_put(b, update);
        return;
    }
    ilex_array *ops[2] = {index, first};
    ilex_array *is_first =
        ix_scalar_op(b->u->ctx, IX_OP_EQUAL, ILEX_I64, ILEX_BOOL, ops);
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_IF, IX_OPERANDS({1, &is_first}));
    ix_build_open(b, s);
    ix_build_put(b, ix_stmt_store(b->u, at, v));
    ix_build_else(b, s);
    ix_build_put(b, update);
    ix_build_close(b, s);
}

void
ix_reduce_accumulate(ix_reduce_axis *x, ix_stmt *into, ilex_array *index,
                     ilex_array *first)
{
    if (ix_is_chain(x->n) && x->k + 1 < x->n->interior->rank) {
        x->index[x->k] = index;
        ix_reduce_axis inner = axis_of(x->b, x->n, x->k + 1, x->index);
        ix_reduce_chunk(&inner, inner.lo, inner.hi, into);
        return;
    }
    ilex_array *v = ix_reduce_element(x, index);
    combine(x, ix_element_scratch(into, NULL), v, index, first);
}

/* ---- the axes ---- */

/* sum + v, where "sum" is NULL for nothing yet; factors of real numbers as a
 * fused multiply-add, which of nothing is the product. */
static ilex_array *
plus(const ix_reduce_axis *x, ilex_array *sum, ilex_array *v)
{
    ilex_context *ctx = x->b->u->ctx;
    if (v->kind == IX_PRODUCT) {
        ilex_array *ops[3] = {v->ops[0], v->ops[1], sum};
        return ix_scalar_op(ctx, sum ? IX_OP_FMA : IX_OP_MULTIPLY, x->acc,
                            x->acc, ops);
    }
    ilex_array *ops[2] = {sum, v};
    return sum ? ix_scalar_op(ctx, x->op, x->acc, x->acc, ops) : v;
}

/* The elements of a chain's axis and of those inside, without loops: sum = sum
 * + element; "sum" is NULL before the first one. */
static ilex_array *
unrolled_chain(ix_reduce_axis *x, ilex_array *sum)
{
    ilex_context *ctx = x->b->u->ctx;
    for (int64_t j = 0; j < x->extent; j++) {
        x->index[x->k] = ix_index_offset(ctx, x->lo, j);
        if (x->k + 1 < x->n->interior->rank) {
            ix_reduce_axis inner = axis_of(x->b, x->n, x->k + 1, x->index);
            sum = unrolled_chain(&inner, sum);
            continue;
        }
        sum = plus(x, sum, body_at(x));
    }
    return sum;
}

/* A few elements without loops: lanes folded as a tree, or one after another.
 */
static ilex_array *
unrolled(ix_reduce_axis *x)
{
    ilex_context *ctx = x->b->u->ctx;
    ilex_array *v[MOST_UNROLLED];
    if (ix_is_chain(x->n))
        return unrolled_chain(x, NULL);
    for (int64_t j = 0; j < x->extent; j++)
        v[j] = ix_reduce_element(x, ix_index_offset(ctx, x->lo, j));
    for (int64_t j = 0; j < x->extent; j++)
        v[j] = plus(x, j > 0 && x->lanes == 1 ? v[j - 1] : NULL, v[j]);
    if (x->lanes == 1)
        return v[x->extent - 1];
    for (int64_t h = x->lanes / 2; h > 0; h /= 2)
        for (int64_t j = 0; j < h && j + h < x->extent; j++)
            v[j] = ix_scalar_op(ctx, x->op, x->acc, x->acc,
                                (ilex_array *[]){v[j], v[j + h]});
    return v[0];
}

/* Is it one chunk at most, or none, for all sizes? */
static bool
is_one_chunk(const ix_reduce_axis *x)
{
    ilex_context *ctx = x->b->u->ctx;
    const ix_axis *ax = &x->n->interior->ax[x->k];
    int chunk = ix_chunk_of(x->n, x->k);
    if (x->extent >= 0 || x->ranges || ix_is_ranged(x->n))
        return x->extent >= 0 && x->extent <= chunk;
    const ix_lin *rest = ix_lin_try_fma(ctx, ax->lo, -1, ax->hi);
    rest = rest ? ix_lin_try_offset(ctx, rest, chunk) : NULL;
    return rest && ix_lin_nonneg_fast(ctx, rest);
}

/* The accumulator that holds the whole axis. */
static ix_stmt *
loops(ix_reduce_axis *x)
{
    bool never;
    if (x->extent == 0 || (ix_is_chain(x->n) && empty_inside(x)))
        return ix_reduce_accumulator(x, 'a', empty_value(x));
    if (ix_reduce_bound(x, &never) && never)
        return ix_reduce_accumulator(x, 'a', empty_value(x));
    /* threads may share chunks of a single axis that no loop is around */
    bool single = x->b->depth == 0 && x->n->interior->rank == 1;
    bool one = ix_dtype_is_exact(x->acc) && !single;
    if (!one && !is_one_chunk(x))
        return ix_reduce_chunks(x, empty_value(x));
    x->empty = !one && x->extent < 0;
    ix_stmt *a = ix_reduce_accumulator(x, 'a', ix_reduce_first(x));
    ix_reduce_chunk(x, x->lo, x->hi, a);
    return a;
}

ilex_array *
ix_reduce_axes(ix_builder *b, ilex_array *n, int k, ilex_array **index)
{
    ix_reduce_axis x = axis_of(b, n, k, index);
    if (x.extent == 0 || (ix_is_chain(n) && empty_inside(&x)))
        return empty_value(&x);
    if (x.extent > 0 && x.extent <= MOST_UNROLLED && ix_unrolls(b->u, n, k))
        return unrolled(&x);
    return ix_value_of(b->u, loops(&x));
}

/* ---- expressions ---- */

static ix_pick
pick_reduction(const ix_builder *b, const ilex_array *x)
{
    (void)b;
    if (!(x->flags & IX_HAS_REDUCE))
        return IX_PICK_NOTHING;
    return x->kind == IX_REDUCE ? IX_PICK_IT : IX_PICK_INSIDE;
}

/* The value of a reduction, computed in the block where its free indices are
 * known: deeper blocks, open as they are, step aside meanwhile. */
static ilex_array *
reduce_value(ix_builder *b, ilex_array *n)
{
    const ix_known *known = ix_build_known(b, n);
    ilex_array *index[ILEX_MAX_RANK] = {NULL}, *v;
    if (known)
        return known->leaf;
    int depth = ix_reduce_depth(b, n);
    ix_aside aside = ix_build_aside(b, depth);
    const ilex_array *around = ix_build_array(b, n);
    if (n->interior->rank == 0)
        v = ix_reduce_expand(b, n->ops[0]);
    else if (ix_reduction_info_of(ix_reduction_of(n))->by_index)
        v = ix_reduce_position(b, n);
    else
        v = ix_reduce_axes(b, n, 0, index);
    b->array = around;
    ix_build_note(b, n, v, depth);
    ix_build_back(b, &aside);
    return v;
}

ilex_array *
ix_reduce_expand(ix_builder *b, ilex_array *x)
{
    b->expand = ix_reduce_expand;
    x = ix_guard_expand(b, x);
    return ix_build_replace(b, x, pick_reduction, reduce_value);
}

static ix_stmt *
reduce_stmt(ix_builder *b, ix_stmt *s)
{
    ix_stmt *t = ix_stmt_copy(b->u, s);
    for (int i = 0; i < ix_operands_before(t, IX_GROUPS); i++)
        if (t->x[i]->flags & (IX_HAS_REDUCE | IX_HAS_GUARD))
            t->x[i] = ix_reduce_expand(b, t->x[i]);
    return t;
}

bool
ix_reduce_kernel(ix_unit *u, ix_kernel *k)
{
    k->body = ix_kernel_has_levels(k) ? ix_recurrence_nests(u, k) : k->nests;
    return (!ix_kernel_has(k, IX_HAS_REDUCE) ||
            ix_rebuild(u, k, reduce_stmt)) &&
           ix_reduce_extremum(u, k);
}

bool
ix_pass_reduce(ix_unit *u)
{
    for (ix_kernel *k = u->kernels; k; k = k->next)
        k->nests = k->body; /* passes from here on copy what they change */
    return ix_kernels_each(u, ix_reduce_kernel);
}
