/* SPDX-License-Identifier: MIT
 *
 * Reductions along axes that a grid divides read an array of what they combine,
 * which has no more axes than it needs: inside of the last divided one they are
 * done.
 *
 *     r = sum(_r0 in I, _r1) a[_r0, _r1]*b[_r1]
 *     s[I] = sum(_r1) a[_0, _r1]*b[_r1]
 *     r = sum(_r0 in I) s[_r0]
 *
 * Where there are none behind it, of each chunk along it one result will do:
 *
 *     r = sum(_r0, _r1 in J) a[_r0, _r1]
 *     t[_, Q] = sum(_r0 of the chunk _1) a[_0, _r0]
 *     r = sum(_r0) sum(_r1 in Q) t[_r0, _r1]
 *
 * Q is an axis of the grid as well: a chunk is its who has the first element.
 * A reduction over several axes is a nest of such over one, and over one it is
 * in chunks, so no bit differs; what fixes the order, lanes and chunks, stays
 * what it was.
 */
#include "compiler/graph/sections.h"
#include "lib/base/axis.h"
#include "lib/ops/dtype.h"

#include <stdio.h>

/* A reduction, and what is found out of it. */
typedef struct summands {
    ix_unit *u;
    const ix_divided_axes *axes;
    ilex_array *n; /* the lambda */
    const ilex_array *reduce;
    int last;                    /* the last of its axes that is divided */
    bool all;                    /* there are no axes behind it */
    int32_t name[ILEX_MAX_RANK]; /* what they are called, 0: nothing */
    int divided[ILEX_MAX_RANK];  /* which divided axes those are */
    int rank;                    /* of the array; the lambda's axes are first */
    int axis[ILEX_MAX_RANK];     /* of these, which */
    int nouter;                  /* how many */
} summands;

enum { MOST_REDUCTIONS = 16 }; /* of a body */

typedef struct found {
    int n;
    ilex_array *reduce[MOST_REDUCTIONS];
} found;

/* ---- which reductions ---- */

/* What a guard lets nobody read is left where it is. */
static ix_walk_step
enter(ix_walk *w, ilex_array *n, size_t *value)
{
    found *f = w->user;
    (void)value;
    if (n->kind == IX_REDUCE && f->n < MOST_REDUCTIONS)
        f->reduce[f->n++] = n;
    return n->kind == IX_REDUCE || ix_is_guard(n) ? IX_WALK_OVER : IX_WALK_IN;
}

static bool
note_load(ix_load_visitor *v, const ilex_array *load)
{
    summands *s = v->user;
    const ilex_array *x = s->n->ops[load->attr[0] + 1];
    int64_t first = s->reduce->attr[1];
    for (int k = 0; k < load->nops; k++) {
        const ilex_array *at = ix_index_moved(load->ops[k]);
        int64_t j = at->kind == IX_RINDEX ? at->attr[0] - first : -1;
        int axis = ix_divided_axis(s->axes, x, k);
        if (j < 0 || j >= s->reduce->interior->rank || axis < 0)
            continue;
        s->name[j] = x->interior->ax[k].name;
        s->divided[j] = axis;
        s->last = s->last < (int)j ? (int)j : s->last;
    }
    return true;
}

/* Has the array an axis for each, of names that differ? */
static bool
find_axes(summands *s)
{
    const ilex_array *n = s->n, *body = s->reduce->ops[0];
    for (int k = 0; k < ix_rank(n); k++)
        if (ix_scalar_uses_index(body, k))
            s->axis[s->nouter++] = k;
    s->rank = s->nouter + s->last + 1;
    for (int k = 0; k < s->nouter; k++)
        for (int j = 0; j <= s->last; j++)
            if (s->name[j] && n->interior->ax[s->axis[k]].name == s->name[j])
                return false;
    for (int j = 0; j <= s->last; j++)
        for (int k = 0; k < j; k++)
            if (s->name[j] && s->name[k] == s->name[j])
                return false;
    return s->rank <= ILEX_MAX_RANK;
}

/* Elements of a chunk along the last axis, of which one result is as good as
 * all; 0: there is none. */
static int
chunk_of(const summands *s)
{
    const ix_reduction r = ix_reduction_of(s->reduce);
    ilex_dtype acc = (ilex_dtype)s->reduce->ops[0]->dtype;
    bool none = !s->all || (s->reduce->attr[3] & IX_REDUCE_CHAIN) ||
                ix_reduction_info_of(r)->by_index ||
                (r == IX_REDUCTION_PROD && ix_dtype_is_complex(acc)) ||
                !ix_chunk_count(s->n->ctx, &s->reduce->interior->ax[s->last],
                                (int)s->reduce->attr[4]);
    return none ? 0 : (int)s->reduce->attr[4];
}

/* Can what a reduction combines be an array? One of products is done with these
 * alone; what is one accumulator through all axes, or says where, has all. */
static bool
suits(summands *s)
{
    ilex_array *body = s->reduce->ops[0];
    ix_load_visitor v = {
        .ctx = s->u->ctx, .mem = &s->u->mem, .fn = note_load, .user = s};
    if (ix_is_ranged(s->reduce) || body->kind == IX_PRODUCT)
        return false;
    v.frame.box = s->n->interior;
    s->last = -1;
    bool ok = ix_visit_loads(&v, body);
    ix_visit_end(&v);
    if (!ok || s->last < 0)
        return false;
    if ((s->reduce->attr[3] & IX_REDUCE_CHAIN) ||
        ix_reduction_info_of(ix_reduction_of(s->reduce))->by_index)
        s->last = s->reduce->interior->rank - 1;
    s->all = s->last == s->reduce->interior->rank - 1;
    return find_axes(s) &&
           (!s->all || body->kind != IX_LOAD || chunk_of(s) > 0);
}

/* ---- what they become ---- */

/* A reduction like it over its indices from "first" on, which go over a box;
 * from 0 on it gives what that one does. */
static ilex_array *
like(const summands *s, int first, int rank, const ix_axis *box, int64_t lanes,
     int64_t chunk, int nops, ilex_array *const *ops)
{
    const ilex_array *n = s->reduce;
    int64_t attr[6];
    memcpy(attr, n->attr, sizeof attr);
    attr[1] += first;
    attr[2] = lanes;
    attr[4] = chunk;
    ix_node_spec spec = {.kind = IX_REDUCE,
                         .dtype =
                             (ilex_dtype)(first ? ops[0]->dtype : n->dtype),
                         .interior = ix_domain_new(n->ctx, rank, box),
                         .nops = nops,
                         .ops = ops,
                         .nattr = 6,
                         .attr = attr};
    return spec.interior ? ix_node_scoped(n->ctx, &spec)
                         : ix_poison_again(n->ctx);
}

/* The same over axes [from, to) of its own box. */
static ilex_array *
part_of(const summands *s, int from, int to, ilex_array *body)
{
    const ilex_array *n = s->reduce;
    bool inner = to == n->interior->rank;
    return from == to ? body
                      : like(s, from, to - from, n->interior->ax + from,
                             inner ? n->attr[2] : 1,
                             inner ? n->attr[4] : n->attr[5], 1, &body);
}

/* The body of the array, over its axes. */
static ilex_array *
summand(const summands *s)
{
    ilex_context *ctx = s->n->ctx;
    int rank = s->reduce->interior->rank;
    ilex_array *body = s->reduce->ops[0];
    ilex_array *index[ILEX_MAX_RANK], *rindex[ILEX_MAX_RANK];
    if (s->last + 1 < rank)
        body = part_of(s, s->last + 1, rank, body);
    for (int k = 0; k < ix_rank(s->n); k++)
        index[k] = ix_scalar_index(ctx, k);
    for (int k = 0; k < s->nouter; k++)
        index[s->axis[k]] = ix_scalar_index(ctx, k);
    for (int j = 0; j <= s->last; j++)
        rindex[j] = ix_scalar_index(ctx, s->nouter + j);
    ix_substitution sub = {.ctx = ctx,
                           .mem = &s->u->mem,
                           .index = index,
                           .nindex = ix_rank(s->n),
                           .rindex = rindex,
                           .nrindex = s->last + 1,
                           .from = s->reduce->attr[1]};
    body = ix_substitute(&sub, body);
    ix_substitution_free(&sub);
    return body;
}

/* The domains of the array, whose last axis is "ax". */
static void
domains(const summands *s, const ix_axis *ax, const ix_domain **interior,
        const ix_domain **valid)
{
    const ilex_array *n = s->n;
    ix_axis in[ILEX_MAX_RANK], va[ILEX_MAX_RANK];
    for (int k = 0; k < s->nouter; k++) {
        in[k] = n->interior->ax[s->axis[k]];
        va[k] = n->valid->ax[s->axis[k]];
    }
    for (int j = 0; j < s->last; j++) {
        ix_axis *at = &in[s->nouter + j];
        *at = s->reduce->interior->ax[j];
        at->name = s->name[j];
        va[s->nouter + j] = *at;
    }
    in[s->rank - 1] = va[s->rank - 1] = *ax;
    *interior = ix_domain_new(n->ctx, s->rank, in);
    *valid = ix_domain_new(n->ctx, s->rank, va);
}

/* The array. */
static ilex_array *
array_of(const summands *s)
{
    const ilex_array *n = s->n;
    const ix_domain *interior, *valid;
    ix_axis ax = s->reduce->interior->ax[s->last];
    ax.name = s->name[s->last];
    domains(s, &ax, &interior, &valid);
    ilex_array *x = ix_node_lambda(n->ctx, interior, valid, summand(s),
                                   n->nops - 1, n->ops + 1);
    return ix_is_poison(x) ? x : ix_with_env(x, n->env);
}

/* The axis of chunks along the last one. */
static bool
chunk_axis(const summands *s, int chunk, ix_axis *ax)
{
    ilex_context *ctx = s->n->ctx;
    char text[64];
    int n = snprintf(text, sizeof text, IX_SENT_CHUNKS "%d_%d", chunk,
                     s->divided[s->last]);
    *ax = (ix_axis){
        .lo = ix_lin_const(ctx, 0),
        .hi = ix_chunk_count(ctx, &s->reduce->interior->ax[s->last], chunk),
        .name = ix_symbol_of(ctx, text, (size_t)n)};
    return ax->name >= 0 && ax->hi;
}

/* What a chunk of array "x" gives, at _(rank-1). */
static ilex_array *
chunk_result(const summands *s, const ilex_array *x, int chunk)
{
    ilex_context *ctx = x->ctx;
    const ix_axis *ax = &s->reduce->interior->ax[s->last];
    ilex_array *index[ILEX_MAX_RANK], *ops[3];
    for (int k = 0; k < s->rank; k++)
        index[k] = ix_scalar_index(ctx, k);
    ops[1] =
        ix_index_fma(ctx, ix_index_lin(ctx, ax->lo), chunk, index[s->rank - 1]);
    ops[2] = ix_index_min(ctx, ix_index_offset(ctx, ops[1], chunk),
                          ix_index_lin(ctx, ax->hi));
    index[s->rank - 1] = ix_scalar_rindex(ctx, (int)s->reduce->attr[1] + 1);
    ops[0] = ix_scalar_load(ctx, (ilex_dtype)x->dtype, 0, s->rank, index);
    return like(s, 1, 1, ax, s->reduce->attr[2], chunk, 3, ops);
}

/* The array of what chunks of array "x" give. */
static ilex_array *
results_of(const summands *s, ilex_array *x, int chunk)
{
    const ix_domain *interior, *valid;
    ix_axis ax;
    if (!chunk_axis(s, chunk, &ax))
        return ix_poison_again(x->ctx);
    domains(s, &ax, &interior, &valid);
    ilex_array *t = ix_node_lambda(x->ctx, interior, valid,
                                   chunk_result(s, x, chunk), 1, &x);
    return ix_is_poison(t) ? t : ix_with_env(t, x->env);
}

/* The reduction, of operand "slot", which is "x": results of chunks, if "chunk"
 * is not 0. */
static ilex_array *
reading(const summands *s, const ilex_array *x, int slot, int chunk)
{
    ilex_context *ctx = x->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    for (int k = 0; k < s->nouter; k++)
        index[k] = ix_scalar_index(ctx, s->axis[k]);
    for (int j = 0; j <= s->last; j++)
        index[s->nouter + j] =
            ix_scalar_rindex(ctx, (int)s->reduce->attr[1] + j);
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)x->dtype, slot, s->rank, index);
    return chunk ? part_of(s, 0, s->last,
                           like(s, s->last, 1, &x->interior->ax[s->rank - 1], 1,
                                1, 1, &body))
                 : part_of(s, 0, s->last + 1, body);
}

static ilex_array *
rewrite(ix_unit *u, void *user, ilex_array *n)
{
    found f = {.n = 0};
    ix_walk w = {.ctx = n->ctx,
                 .mem = &u->mem,
                 .within = IX_HAS_REDUCE,
                 .enter = enter,
                 .user = &f};
    if (n->kind != IX_LAMBDA || !(n->ops[0]->flags & IX_HAS_REDUCE))
        return n;
    bool ok = ix_walk_body(&w, n->ops[0], NULL);
    ix_walk_free(&w);
    ix_substitution sub = {.ctx = n->ctx, .mem = &u->mem};
    ilex_array **ops = ix_arena_new(
        &u->arena, ((size_t)n->nops + MOST_REDUCTIONS) * sizeof(ilex_array *));
    memcpy(ops, n->ops, (size_t)n->nops * sizeof *ops);
    int nops = n->nops;
    for (int i = 0; ok && i < f.n && nops < IX_LAMBDA_OPERANDS; i++) {
        summands s = {.u = u, .axes = user, .n = n, .reduce = f.reduce[i]};
        if (!suits(&s))
            continue;
        int chunk = chunk_of(&s);
        ops[nops] = array_of(&s);
        if (chunk && !ix_is_poison(ops[nops]))
            ops[nops] = results_of(&s, ops[nops], chunk);
        ok = !ix_is_poison(ops[nops]);
        if (ok)
            ix_substitution_set(&sub, f.reduce[i],
                                reading(&s, ops[nops], nops - 1, chunk));
        nops++;
    }
    if (ok && nops > n->nops)
        n = ix_node_lambda(n->ctx, n->interior, n->valid,
                           ix_substitute(&sub, n->ops[0]), nops - 1, ops + 1);
    ix_substitution_free(&sub);
    return ok ? n : ix_poison_again(n->ctx);
}

bool
ix_unit_summands(ix_unit *u, const ix_divided_axes *d)
{
    return ix_unit_rewrite(u, rewrite, (void *)(uintptr_t)d);
}
