/* SPDX-License-Identifier: MIT
 *
 * Updates of a box (pass lower): where the read that says which elements
 * change takes each point of a part of the array once, x[1:n-1, 3], the array
 * is computed as any other one is, at all points at once:
 *
 *     y = update(x[1:n-1, 3], v)
 *     y[_0, _1] = where(_0 >= 1 && _0 < n-1 && _1 == 3, v[_0-1], x[_0, _1])
 */
#include "compiler/unit.h"
#include "lib/build/structure.h"
#include "lib/shape/broadcast.h"

typedef struct box {
    ilex_array *inside;               /* on the array's indices; NULL: all */
    ilex_array *index[ILEX_MAX_RANK]; /* of the value */
    uint32_t axes;                    /* of the read that were met */
} box;

static void
require(ilex_context *ctx, box *b, ix_op op, ilex_array *x, const ix_lin *bound)
{
    ilex_array *both[2] = {
        b->inside, ix_structure_compare(ctx, op, x, ix_index_lin(ctx, bound))};
    b->inside = b->inside ? ix_scalar_op(ctx, IX_OP_LOGICAL_AND, ILEX_BOOL,
                                         ILEX_BOOL, both)
                          : both[1];
}

/* The axis whose index "at" is, plus "*rest"; -1: it is something else. */
static int
axis_of(ilex_context *ctx, ilex_array *at, const ix_lin **rest)
{
    ix_index_form f;
    int axis = -1;
    ix_index_form_of(at, &f);
    for (int i = 0; i < f.n; i++)
        if (f.t[i].atom->kind == IX_INDEX) {
            if (axis >= 0 || f.t[i].k != 1)
                return -1;
            axis = (int)f.t[i].atom->attr[0];
        }
    if (axis < 0)
        return -1;
    *rest = ix_index_to_lin(
        ctx, ix_index_fma(ctx, at, -1, ix_scalar_index(ctx, axis)));
    return *rest ? axis : -1;
}

/* Axis "k" of the array is read at "at": one index, or those of an axis. */
static bool
note_axis(const ilex_array *n, box *b, int k, ilex_array *at)
{
    ilex_context *ctx = n->ctx;
    const ix_axis *ax = &n->interior->ax[k];
    ilex_array *here = ix_scalar_index(ctx, k);
    if (!ix_index_is_affine(at))
        return false;
    if (!(at->flags & IX_HAS_INDEX)) {
        const ix_lin *one = ix_index_to_lin(ctx, at);
        if (one)
            require(ctx, b, IX_OP_EQUAL, here, one);
        return one != NULL;
    }
    const ix_lin *rest;
    int axis = axis_of(ctx, at, &rest);
    if (axis < 0 || (b->axes >> axis & 1))
        return false;
    const ix_axis *taken = &n->ops[1]->interior->ax[axis];
    const ix_lin *lo = ix_lin_add(ctx, taken->lo, rest),
                 *hi = ix_lin_add(ctx, taken->hi, rest);
    if (!ix_lin_same(ctx, lo, ax->lo))
        require(ctx, b, IX_OP_GREATER_EQUAL, here, lo);
    if (!ix_lin_same(ctx, hi, ax->hi))
        require(ctx, b, IX_OP_LESS, here, hi);
    b->index[axis] = ix_index_fma(ctx, here, -1, ix_index_lin(ctx, rest));
    b->axes |= (uint32_t)1 << axis;
    return true;
}

/* An update of a box as a lambda; NULL: it is none. */
ilex_array *
ix_update_of_box(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    const ilex_array *read = n->ops[1], *load = read->ops[0];
    ilex_array *own[ILEX_MAX_RANK], *operand[2] = {n->ops[0], n->ops[2]};
    ilex_dtype dtype = (ilex_dtype)n->dtype;
    box b = {.inside = NULL};
    for (int k = 0; k < load->nops; k++) {
        own[k] = ix_scalar_index(ctx, k);
        if (!note_axis(n, &b, k, load->ops[k]))
            return NULL;
    }
    if (b.axes != ((uint32_t)1 << ix_rank(read)) - 1)
        return NULL;
    ilex_array *x = ix_scalar_load(ctx, dtype, 0, load->nops, own);
    ilex_array *v = operand[1];
    if (ix_is_array(v))
        v = ix_scalar_load(ctx, dtype, 1, ix_rank(read), b.index);
    if (n->nattr)
        v = ix_structure_op(ctx, ix_op_of(n), dtype, (ilex_array *[]){x, v});
    if (b.inside)
        v = ix_structure_where(ctx, b.inside, v, x);
    return ix_is_poison(v)
               ? v
               : ix_node_lambda(ctx, n->interior, n->valid, v,
                                ix_is_array(n->ops[2]) ? 2 : 1, operand);
}
