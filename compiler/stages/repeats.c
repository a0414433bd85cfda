/* SPDX-License-Identifier: MIT
 *
 * Loops of the program. What is carried has two buffers, which take turns: each
 * step reads the one and writes the other. The stages of a body stand between
 * where its steps begin and where they end, which are among the calls, so that
 * nothing is moved over these.
 */
#include "compiler/stages/partition.h"
#include "lib/graph/counted.h"

/* ---- decisions ---- */

/* What goes into a buffer of the loop: a value that nothing else reads is
 * computed there. */
static void
note_stored(ix_partition *p, const ilex_array *n)
{
    ix_partition_info *x = ix_partition_of(p, n);
    x->reads++;
    x->segments += x->segments < 2;
    x->loaded |= n->kind != IX_LAMBDA;
}

bool
ix_decide_loop(ix_partition *p, size_t i)
{
    const ilex_array *n = p->u->order[i];
    p->of[i].stored = true;
    for (int k = 1 + ix_repeat_carries(n); k < n->nops; k++)
        note_stored(p, n->ops[k]);
    for (int k = 0; k < ix_repeat_carries(n); k++) {
        const ilex_array *next = ix_repeat_next(n, k);
        size_t at = ix_unit_position(p->u, next);
        bool own = ix_repeats_within(&p->u->repeats, ix_unit_inside(p->u, at),
                                     p->of[i].loop);
        if (own && p->u->need[at] == next->interior && next->nops > 0)
            p->of[at].into = IX_INTO_LOOP;
    }
    return true;
}

/* ---- buffers ---- */

static int
buffer_like(ix_partition *p, const ilex_array *n)
{
    int buffer = ix_unit_temporary(p->u, n->interior, (ilex_dtype)n->dtype);
    p->u->buffer[buffer].array = ix_unit_program(p->u, n);
    return buffer;
}

/* The buffer of stack "k" of loop "l", which has a reader; -1: none. */
static int
stack_buffer(ix_partition *p, const ix_unit_repeat *l, int k)
{
    size_t *result = p->of[l->end].result;
    int at = ix_repeat_carries(l->node) + k;
    return result && result[at] ? ix_partition_buffer(p, result[at] - 1) : -1;
}

static void
make_buffers(ix_partition *p, ix_unit_repeat *l)
{
    const ilex_array *n = l->node;
    ix_unit *u = p->u;
    int carries = ix_repeat_carries(n), stacks = ix_repeat_stacks(n);
    const size_t *result = p->of[l->end].result;
    l->from = ix_arena_new(&u->arena, (size_t)carries * sizeof *l->from);
    l->pair = ix_arena_new(&u->arena, (size_t)carries * sizeof *l->pair);
    l->stack = ix_arena_new(&u->arena, ((size_t)stacks + 1) * sizeof *l->stack);
    for (int k = 0; k < carries; k++) {
        l->pair[k][0] = buffer_like(p, ix_repeat_carried(n, k));
        l->pair[k][1] = buffer_like(p, ix_repeat_carried(n, k));
        ix_partition_info *next = ix_partition_of(p, ix_repeat_next(n, k));
        if (next->into == IX_INTO_LOOP)
            next->into = 1 + l->pair[k][1];
        size_t at = ix_unit_position(u, ix_repeat_carried(n, k));
        if (at != SIZE_MAX)
            p->of[at].buffer = l->pair[k][0];
        if (result && result[k]) {
            p->of[result[k] - 1].stored = true;
            p->of[result[k] - 1].buffer = l->pair[k][0];
        }
    }
    for (int k = 0; k < stacks; k++)
        l->stack[k] = stack_buffer(p, l, k);
    if (ix_repeat_until(n))
        l->until = buffer_like(p, ix_repeat_until(n));
}

void
ix_partition_repeat_buffers(ix_partition *p)
{
    for (int i = 0; i < p->u->repeats.n; i++)
        if (p->u->need[p->u->repeat[i].end])
            make_buffers(p, &p->u->repeat[i]);
}

/* ---- where steps begin and end ---- */

static ix_slice
whole(const ix_unit *u, int buffer)
{
    return (ix_slice){buffer, u->buffer[buffer].box};
}

/* What is there from step to step, all of which is written. */
static void
put_boundary(ix_partition *p, int i, bool ends)
{
    ix_unit *u = p->u;
    ix_unit_repeat *l = &u->repeat[i];
    int carries = ix_repeat_carries(l->node),
        stacks = ix_repeat_stacks(l->node);
    ix_foreign_call *c = ix_arena_new(&u->arena, sizeof *c);
    *c = (ix_foreign_call){.node = l->node, .loop = i + 1, .ends = ends};
    c->slice = ix_arena_new(&u->arena, (size_t)(2 * carries + stacks + 1) *
                                           sizeof *c->slice);
    for (int k = 0; k < carries; k++)
        for (int turn = 0; turn < 2; turn++)
            c->slice[c->nresults++] = whole(u, l->pair[k][turn]);
    for (int k = 0; k < stacks; k++)
        if (l->stack[k] >= 0)
            c->slice[c->nresults++] = whole(u, l->stack[k]);
    if (l->until >= 0)
        c->slice[c->nresults++] = whole(u, l->until);
    *(ends ? &l->last : &l->first) = (int)u->ncalls;
    ix_unit_call(u, c);
}

/* Stores array "n" in a buffer of the loop, unless it is there. */
static bool
put(ix_partition *p, int buffer, const ilex_array *n)
{
    const ix_partition_info *x = ix_partition_of(p, n);
    if (x->stored && x->buffer == buffer)
        return true;
    ilex_array *body = ix_partition_read(p, n);
    if (ix_is_poison(body))
        return false;
    ix_unit_store(p->u, buffer, n->interior, body, n);
    return true;
}

/* What no step makes is 0. */
static void
put_zeros(ix_partition *p, const ix_unit_repeat *l, int k)
{
    const ilex_array *n = ix_repeat_stacked(l->node, k);
    const ix_domain *all = p->u->buffer[l->stack[k]].box;
    ix_value zero = {.i = 0};
    ix_unit_store(p->u, l->stack[k], all,
                  ix_scalar_const(p->u->ctx, (ilex_dtype)n->dtype, zero), n);
}

static bool
begin_loop(ix_partition *p, int i)
{
    const ix_unit_repeat *l = &p->u->repeat[i];
    bool ok = true;
    for (int k = 0; ok && k < ix_repeat_carries(l->node); k++) {
        const ilex_array *first = ix_repeat_first(l->node, k);
        const ix_partition_info *x = ix_partition_of(p, first);
        l->from[k] = x->stored ? x->buffer : -1;
        ok = put(p, l->pair[k][0], first);
    }
    for (int k = 0; ok && k < ix_repeat_stacks(l->node); k++)
        if (l->until >= 0 && l->stack[k] >= 0)
            put_zeros(p, l, k);
    put_boundary(p, i, false);
    return ok;
}

/* Those around others begin first, and come behind them in the list. */
bool
ix_partition_begin_repeats(ix_partition *p, size_t i)
{
    bool ok = true;
    for (int k = p->u->repeats.n; ok && k-- > 0;)
        if (p->u->repeat[k].begin == i && p->u->need[p->u->repeat[k].end])
            ok = begin_loop(p, k);
    return ok;
}

/* ---- stacks ---- */

/* The element of a value at all indices but the first, that of the step. */
static ilex_array *
at_step(ix_partition *p, const ilex_array *n)
{
    ilex_context *ctx = p->u->ctx;
    ilex_array *index[ILEX_MAX_RANK], *r;
    for (int k = 0; k < ix_rank(n); k++)
        index[k] = ix_scalar_index(ctx, k + 1);
    ix_substitution s = {.ctx = ctx,
                         .index = index,
                         .nindex = ix_rank(n),
                         .became = ix_made_keep};
    s.user = p->u;
    r = ix_substitute(&s, ix_partition_read(p, n));
    ix_substitution_free(&s);
    return r;
}

static bool
put_stacked(ix_partition *p, const ix_unit_repeat *l, int k)
{
    ix_unit *u = p->u;
    ilex_context *ctx = u->ctx;
    const ilex_array *n = ix_repeat_stacked(l->node, k);
    const ix_domain *all = u->buffer[l->stack[k]].box;
    if (all->ax[0].hi->n == 0 && all->ax[0].hi->c < 1) /* there is no step */
        return true;
    const ix_domain *box = ix_repeat_element(ctx, l->node, k, all);
    ilex_array *body = at_step(p, n);
    if (!box || ix_is_poison(body))
        return false;
    ix_unit_store(u, l->stack[k], box, body, n);
    return true;
}

bool
ix_store_loop(ix_partition *p, size_t i)
{
    const ix_unit_repeat *l = &p->u->repeat[p->of[i].loop];
    bool ok = true;
    for (int k = 0; ok && k < ix_repeat_carries(l->node); k++)
        ok = put(p, l->pair[k][1], ix_repeat_next(l->node, k));
    for (int k = 0; ok && k < ix_repeat_stacks(l->node); k++)
        ok = l->stack[k] < 0 || put_stacked(p, l, k);
    if (ok && l->until >= 0)
        ok = put(p, l->until, ix_repeat_until(l->node));
    put_boundary(p, p->of[i].loop, true);
    return ok;
}
