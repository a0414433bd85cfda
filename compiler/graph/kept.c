/* SPDX-License-Identifier: MIT
 *
 * Axes that reductions keep, of one element (pass lower). An array that has
 * them reads one that has not, and so do its readers:
 *
 *     b[n, 1] = max(x[_0, _r0])         a[n] = max(x[_0, _r0])
 *     y[n, m] = x[_0, _1] - b[_0, 0]    y[n, m] = x[_0, _1] - a[_0]
 *
 * So the reduction is there once where it is asked for without the axes, too,
 * and has loops of its reader for its own. What is a read alone stays, as
 * updates go where such a one says.
 */
#include "compiler/unit.h"

static bool
is_one(const ix_axis *ax)
{
    return ix_lin_is(ax->lo, 0) && ix_lin_is(ax->hi, 1);
}

/* Is it such an array, which reads operand 1? */
static bool
is_kept(const ilex_array *n)
{
    if (n->kind != IX_LAMBDA || n->nops != 2 || n->ops[0]->kind != IX_LOAD ||
        n->ops[1]->kind != IX_LAMBDA || ix_rank(n) <= ix_rank(n->ops[1]))
        return false;
    uint32_t axes = 0;
    for (int k = 0; k < n->ops[0]->nops; k++)
        if (n->ops[0]->ops[k]->kind != IX_INDEX)
            return false;
        else
            axes |= (uint32_t)1 << n->ops[0]->ops[k]->attr[0];
    for (int k = 0; k < ix_rank(n); k++)
        if (!(axes >> k & 1) && !is_one(&n->interior->ax[k]))
            return false;
    return true;
}

static bool
reads_kept(const ilex_array *n)
{
    bool reads = false;
    for (int i = 1; i < n->nops && !reads; i++)
        reads = is_kept(n->ops[i]);
    return reads;
}

/* ---- what reads one ---- */

static ilex_array *
read_without(void *user, ilex_array *load, ilex_array *const *index)
{
    const ilex_array *n = user, *x = n->ops[load->attr[0] + 1];
    ilex_array *at[ILEX_MAX_RANK];
    if (!is_kept(x))
        return NULL;
    for (int k = 0; k < x->ops[0]->nops; k++)
        at[k] = index[x->ops[0]->ops[k]->attr[0]];
    return ix_scalar_load(n->ctx, (ilex_dtype)x->dtype, (int)load->attr[0],
                          x->ops[0]->nops, at);
}

/* It reads what has no kept axes, which is called as what has them was. */
static ilex_array *
past_kept(ix_unit *u, ilex_array *n)
{
    ilex_array **ops =
        ix_arena_new(&u->arena, (size_t)n->nops * sizeof(ilex_array *));
    ix_substitution s = {
        .ctx = n->ctx, .mem = &u->mem, .load = read_without, .user = n};
    ops[0] = ix_substitute(&s, n->ops[0]);
    ix_substitution_free(&s);
    for (int i = 1; i < n->nops; i++) {
        ops[i] = is_kept(n->ops[i]) ? n->ops[i]->ops[1] : n->ops[i];
        const size_t *label = ix_map_find(&u->label, n->ops[i]);
        if (label && !ix_map_find(&u->label, ops[i]))
            ix_map_set(&u->label, &u->mem, ops[i], *label);
    }
    return ix_is_poison(ops[0]) ? ops[0] : ix_with_operands(n, ops);
}

/* ---- what has them ---- */

/* Its axes of more than one element, numbered by "at", and what indices become:
 * returns how many there are. */
static int
other_axes(const ilex_array *n, ix_axis *interior, ix_axis *valid,
           ilex_array **at, ilex_array **index)
{
    int rank = 0;
    for (int k = 0; k < ix_rank(n); k++) {
        index[k] = ix_index_const(n->ctx, 0);
        if (is_one(&n->interior->ax[k]) && is_one(&n->valid->ax[k]))
            continue;
        index[k] = ix_scalar_index(n->ctx, rank);
        at[rank] = ix_scalar_index(n->ctx, k);
        interior[rank] = n->interior->ax[k];
        valid[rank++] = n->valid->ax[k];
    }
    return rank;
}

ilex_array *
ix_without_kept(ix_unit *u, ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *index[ILEX_MAX_RANK], *at[ILEX_MAX_RANK], *x;
    ix_axis interior[ILEX_MAX_RANK], valid[ILEX_MAX_RANK];
    bool reads = reads_kept(n) && n->ops[0]->kind != IX_LOAD &&
                 !(n->ops[0]->flags & IX_HAS_CHECK);
    if (reads)
        n = past_kept(u, n);
    if (ix_is_poison(n) || !(reads || n->ops[0]->flags & IX_HAS_REDUCE))
        return n;
    int rank = other_axes(n, interior, valid, at, index);
    if (rank == ix_rank(n))
        return n;
    ix_substitution s = {
        .ctx = ctx, .mem = &u->mem, .index = index, .nindex = ix_rank(n)};
    x = ix_node_lambda(ctx, ix_domain_new(ctx, rank, interior),
                       ix_domain_new(ctx, rank, valid),
                       ix_substitute(&s, n->ops[0]), n->nops - 1, n->ops + 1);
    ix_substitution_free(&s);
    if (ix_is_poison(x))
        return x;
    x = ix_with_env(x, n->env);
    return ix_node_lambda(
        ctx, n->interior, n->valid,
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, rank, at), 1, &x);
}
