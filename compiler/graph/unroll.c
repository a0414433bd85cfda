/* SPDX-License-Identifier: MIT
 *
 * Pass unroll: a loop of the program over a stencil makes several steps at a
 * time, so that the policy for pipelines (schedule/pipelines.c) finds them as
 * stages, which run one behind the other over rows that stay in the cache:
 *
 *     loop t[0:n] u = a         loop t[0:n//8] u = a
 *         next u = f(u)             next u = f(f(f(f(f(f(f(f(u))))))))
 *                               loop t[0:n - n//8*8] u = what that left
 *                                   next u = f(u)
 *
 * The second loop, of fewer steps, is unrolled again, by fewer at a time.
 * Each value in between is stored. So is the last one: what is carried is a
 * copy, a nest over its axes however many pieces f has, which is the pipeline's
 * last kernel.
 */
#include "compiler/unit.h"
#include "lib/build/loop.h"
#include "lib/graph/counted.h"

/* Steps at a time of fields of rank 2, of others; arrays that are read around
 * their points in all of them, and arrays, so that they are one function; so
 * many times fewer are made at a time of those that are left. */
enum { FLAT = 14, DEEP = 4, STAGES = 32, ARRAYS = 200, AGAIN = 4 };

typedef struct unrolling {
    ix_unit *u;
    const ix_unit_repeat *l;
    ix_pace pace;        /* of the loop */
    const ix_lin *count; /* of its steps */
    int by;              /* so many become one */
    int rank;
    int around;        /* arrays that are read around */
    bool *is_around;   /* by place in the body */
    ilex_array **copy; /* in the step that is made, by place */
    ilex_array **now;  /* what is carried */
} unrolling;

/* ---- is it a stencil? ---- */

/* The place in the body, or -1. */
static ptrdiff_t
place_of(const unrolling *x, const ilex_array *n)
{
    size_t at = ix_is_array(n) ? ix_unit_position(x->u, n) : SIZE_MAX;
    return at != SIZE_MAX && at >= x->l->begin && at < x->l->end
               ? (ptrdiff_t)(at - x->l->begin)
               : -1;
}

typedef struct reading {
    ix_load_visitor loads;
    unrolling *x;
    const ilex_array *lambda;
} reading;

/* What the loop makes is read at the point, or around it. */
static bool
note_load(ix_load_visitor *v, const ilex_array *load)
{
    reading *r = (reading *)v;
    ptrdiff_t of = place_of(r->x, r->lambda->ops[1 + load->attr[0]]);
    bool fits = true, moved = false;
    for (int d = 0; of >= 0 && d < load->nops && fits; d++) {
        int axis;
        int64_t by;
        fits = ix_index_is_shift(load->ops[d], &axis, &by) && axis == d;
        moved |= fits && by != 0;
    }
    if (fits && moved && !r->x->is_around[of]) {
        r->x->is_around[of] = true;
        r->x->around++;
    }
    return fits;
}

static bool
is_simple(unrolling *x, const ilex_array *n)
{
    enum { OTHER = IX_HAS_REDUCE | IX_HAS_CHECK | IX_HAS_APPLY | IX_MAY_FAIL };
    const ix_param *step = &x->u->ctx->param[ix_repeat_step(x->l->node)];
    if (n->kind == IX_CARRIED)
        return ix_rank(n) == x->rank;
    if (n->kind != IX_LAMBDA || ix_rank(n) != x->rank ||
        (n->ops[0]->flags & OTHER) || ix_env_has(n->env, step->bound))
        return false;
    reading r = {
        .loads = {.ctx = x->u->ctx, .mem = &x->u->mem, .fn = note_load},
        .x = x,
        .lambda = n};
    bool all = ix_visit_loads(&r.loads, n->ops[0]);
    ix_visit_end(&r.loads);
    return all;
}

static bool
is_stencil(unrolling *x)
{
    const ilex_array *n = x->l->node;
    if (ix_repeat_until(n) || ix_repeat_stacks(n) || ix_repeat_carries(n) == 0)
        return false;
    const ilex_array *field = ix_repeat_carried(n, 0);
    int64_t bytes =
        ix_box_bytes(x->u, field->interior, (ilex_dtype)field->dtype);
    x->rank = ix_rank(field);
    bool large = bytes < 0 || bytes > x->u->target->l2_bytes / 4;
    bool all = x->rank > 1 && large;
    for (size_t i = x->l->begin; i < x->l->end && all; i++)
        all = is_simple(x, x->u->order[i]);
    return all && x->around > 0;
}

/* How many steps at a time; 0: one. */
static int
steps_of(const unrolling *x)
{
    int most = STAGES / x->around, steps = x->pace.most;
    int arrays = (int)(x->l->end - x->l->begin);
    int64_t n = x->count->n == 0 ? x->count->c : INT64_MAX;
    if (steps == 0 && !ix_unit_has_pace(x->u, x->l->node))
        steps = x->rank == 2 ? FLAT : DEEP;
    most = most * arrays > ARRAYS ? ARRAYS / arrays : most;
    steps = steps < most ? steps : most;
    steps = steps < n ? steps : (int)n;
    for (int by = steps; n < INT64_MAX && by > 1 && 2 * by >= steps; by--)
        if (n % by == 0)
            return by;
    return steps > 1 ? steps : 0;
}

/* ---- steps ---- */

/* Array "n" of the body in the step that is made. */
static ilex_array *
copied(unrolling *x, ilex_array *n)
{
    ix_unit *u = x->u;
    ilex_array **ops = ix_mem_new(&u->mem, (size_t)n->nops * sizeof *ops);
    for (int i = 0; i < n->nops; i++) {
        ptrdiff_t at = place_of(x, n->ops[i]);
        ops[i] = at < 0 ? n->ops[i] : x->copy[at];
    }
    ilex_array *r = ix_with_env(ix_with_operands(n, ops), n->env);
    ix_mem_free(&u->mem, ops);
    if (!ix_is_poison(r))
        ix_map_set(&u->program, &u->mem, r, (size_t)ix_unit_program(u, n));
    return r;
}

/* One more step; false after an error. */
static bool
add_step(unrolling *x)
{
    const ilex_array *n = x->l->node;
    const int carries = ix_repeat_carries(n);
    bool ok = true;
    for (int k = 0; k < carries; k++) {
        ptrdiff_t at = place_of(x, ix_repeat_carried(n, k));
        if (at >= 0)
            x->copy[at] = x->now[k];
    }
    for (size_t i = x->l->begin; i < x->l->end && ok; i++) {
        ilex_array *of = x->u->order[i];
        if (of->kind != IX_CARRIED)
            x->copy[i - x->l->begin] = copied(x, of);
        ok = !ix_is_poison(x->copy[i - x->l->begin]);
    }
    for (int k = 0; k < carries && ok; k++) {
        ptrdiff_t at = place_of(x, ix_repeat_next(n, k));
        x->now[k] = at < 0 ? ix_repeat_next(n, k) : x->copy[at];
        if (x->now[k]->kind == IX_LAMBDA)
            ix_map_set(&x->u->left, &x->u->mem, x->now[k], 1);
    }
    return ok;
}

/* "n" read at each point. */
static ilex_array *
copy_of(ilex_array *n)
{
    ilex_context *ctx = n->ctx;
    ilex_array *index[ILEX_MAX_RANK];
    for (int d = 0; d < ix_rank(n); d++)
        index[d] = ix_scalar_index(ctx, d);
    ilex_array *body =
        ix_scalar_load(ctx, (ilex_dtype)n->dtype, 0, ix_rank(n), index);
    return ix_with_env(
        ix_node_lambda(ctx, n->interior, n->interior, body, 1, &n), n->env);
}

/* ---- loops ---- */

/* A loop of "count" steps; the arrays are carries, what they are first, what is
 * next. */
static ilex_array *
loop_of(unrolling *x, const ix_pace *pace, const ix_lin *count,
        ilex_array *const *carried, ilex_array *const *first,
        ilex_array *const *next)
{
    ix_unit *u = x->u;
    ilex_context *ctx = u->ctx;
    const ix_param *step = &ctx->param[ix_repeat_step(x->l->node)];
    ix_axis ax = step->steps->ax[0];
    ax.lo = ix_lin_const(ctx, 0);
    ax.hi = count;
    const ix_domain *steps = count ? ix_domain_new(ctx, 1, &ax) : NULL;
    ix_loop_spec spec = {.step = steps ? ix_step_size(ctx, steps) : -1,
                         .ncarries = ix_repeat_carries(x->l->node),
                         .carried = carried,
                         .first = first,
                         .next = next};
    if (spec.step < 0)
        return ix_poison_again(ctx);
    ix_arena_grow(&u->arena, &u->pace, &u->pace_capacity, u->npaces + 1,
                  sizeof *u->pace);
    u->pace[u->npaces] = *pace;
    u->pace[u->npaces++].step = spec.step;
    return ix_build_loop(ctx, &spec);
}

/* The loop that makes "by" steps at a time. */
static ilex_array *
outer_loop(unrolling *x, const ix_lin *count)
{
    ilex_context *ctx = x->u->ctx;
    ilex_array *n = (ilex_array *)x->l->node;
    const int carries = ix_repeat_carries(n);
    ilex_array **carried =
        ix_arena_new(&x->u->arena, (size_t)carries * sizeof *carried);
    bool ok = true;
    for (int k = 0; k < carries && ok; k++) {
        const ilex_array *c = ix_repeat_carried(n, k);
        carried[k] = ix_build_carried(ctx, (int32_t)c->attr[1],
                                      (ilex_dtype)c->dtype, c->interior);
        x->now[k] = carried[k];
        ok = !ix_is_poison(carried[k]);
    }
    for (int s = 0; s < x->by && ok; s++)
        ok = add_step(x);
    for (int k = 0; k < carries && ok; k++) {
        if (x->now[k]->kind == IX_LAMBDA)
            x->now[k] = copy_of(x->now[k]);
        ok = !ix_is_poison(x->now[k]);
    }
    ix_pace pace = {.by = x->by, .from = x->pace.from};
    return ok ? loop_of(x, &pace, count, carried, n->ops + 1 + carries, x->now)
              : ix_poison_again(ctx);
}

/* The loop that makes the steps that are left, from "from" on. */
static ilex_array *
rest_loop(unrolling *x, ilex_array *outer, const ix_lin *from,
          const ix_lin *count)
{
    ilex_array *n = (ilex_array *)x->l->node;
    const int carries = ix_repeat_carries(n);
    bool ok = from && !ix_is_poison(outer);
    for (int k = 0; k < carries && ok; k++) {
        x->now[k] = ix_build_result(outer, k);
        ok = !ix_is_poison(x->now[k]);
    }
    ix_pace pace = {.by = 1, .most = x->by / AGAIN};
    pace.from = ok ? ix_lin_try_fma(n->ctx, x->pace.from, 1, from) : NULL;
    ok = pace.from != NULL;
    return ok ? loop_of(x, &pace, count, n->ops + 1, x->now,
                        n->ops + 1 + 2 * carries)
              : ix_poison_again(n->ctx);
}

/* ---- the pass ---- */

/* The loop is replaced when its turn comes. */
static ilex_array *
replace(ix_unit *u, void *user, ilex_array *n)
{
    unrolling *x = user;
    ilex_context *ctx = u->ctx;
    const ix_lin *zero = ix_lin_const(ctx, 0), *times, *from, *rest;
    if (n != x->l->node)
        return n;
    times = ix_lin_try_offset(ctx, x->count, 1 - x->by);
    times = ix_lin_quotient(ctx, times, x->by);
    from = times ? ix_lin_try_fma(ctx, zero, x->by, times) : NULL;
    rest = from ? ix_lin_try_fma(ctx, x->count, -1, from) : NULL;
    ilex_array *outer = rest ? outer_loop(x, times) : ix_poison_again(ctx);
    return rest == zero ? outer : rest_loop(x, outer, from, rest);
}

/* Unrolls one of the unit's loops that is not yet; false: there is none. */
static bool
unroll_one(ix_unit *u, bool *ok)
{
    for (int i = 0; i < u->repeats.n; i++) {
        const ix_unit_repeat l = u->repeat[i];
        size_t n = l.end - l.begin + 1;
        size_t carries = (size_t)ix_repeat_carries(l.node);
        unrolling x = {.u = u, .l = &l, .pace = ix_unit_pace(u, l.node)};
        x.count = u->ctx->param[ix_repeat_step(l.node)].steps->ax[0].hi;
        x.is_around = ix_arena_new(&u->arena, n * sizeof *x.is_around);
        x.copy = ix_arena_new(&u->arena, n * sizeof(ilex_array *));
        x.now = ix_arena_new(&u->arena, carries * sizeof(ilex_array *));
        if (x.pace.by == 1 && is_stencil(&x))
            x.by = steps_of(&x);
        if (x.by > 0) {
            *ok = ix_unit_rewrite(u, replace, &x);
            return *ok;
        }
    }
    return false;
}

/* needs: a graph of lambdas; gives: the same values; breaks: nothing. */
bool
ix_pass_unroll(ix_unit *u)
{
    bool ok = true;
    if (u->reference || u->target->grid)
        return true;
    ix_unit_order(u);
    while (unroll_one(u, &ok))
        ;
    return ok;
}
