/* SPDX-License-Identifier: MIT
 *
 * Arrays that are read at indices that are data, as the neighbours of a cell
 * are: y[e] = sum(j) x[t[e, j]]. Ranks need not have all of x: which elements a
 * rank reads is an array, t[e, j] here, of which it has its part before it
 * reads them, so that those are sent that somebody reads.
 */
#include "compiler/graph/sections.h"
#include "lib/graph/counted.h"

typedef struct collector {
    ix_load_visitor loads;
    ix_places *p;
    const ilex_array *n;
    size_t at;
    bool *never;      /* by operand: it is read otherwise as well */
    ix_listing *slot; /* of operands */
} collector;

static bool
uses_rindex(const ilex_array *x, int64_t r)
{
    bool uses = x->kind == IX_RINDEX && x->attr[0] == r;
    for (int i = 0; !uses && i < x->nops; i++)
        uses = uses_rindex(x->ops[i], r);
    return uses;
}

/* ---- the array of places ---- */

/* Its axes, while they are found, and what indices become. */
typedef struct shape {
    int rank;
    ix_axis ax[ILEX_MAX_RANK];
    ilex_array *index[ILEX_MAX_RANK];
    ilex_array *rindex[ILEX_MAX_RANK];
    int64_t from; /* the first of these */
    int nrindex;
} shape;

static bool
add_axis(ilex_context *ctx, shape *s, const ix_axis *ax, int32_t name,
         ilex_array **became)
{
    if (s->rank == ILEX_MAX_RANK)
        return false;
    *became = ix_scalar_index(ctx, s->rank);
    s->ax[s->rank] = *ax;
    s->ax[s->rank++].name = name;
    return true;
}

/* The axes of the lambda that are in "e". */
static bool
add_indices(const collector *c, const ilex_array *e, shape *s)
{
    const ilex_array *n = c->n;
    bool ok = true;
    for (int k = 0; ok && k < ix_rank(n); k++) {
        const ix_axis *ax = &c->p->u->need[c->at]->ax[k];
        s->index[k] = ix_scalar_index(n->ctx, k);
        if (ix_scalar_uses_index(e, k))
            ok = add_axis(n->ctx, s, ax, ax->name, &s->index[k]);
    }
    return ok;
}

/* Those of the reductions around it. */
static bool
add_reductions(const collector *c, const ilex_array *e, shape *s)
{
    const ix_frame *f = &c->loads.frame;
    bool ok = true;
    s->from = f->nreduce ? f->reduce[0]->attr[1] : 0;
    for (int i = 0; ok && i < f->nreduce; i++)
        for (int j = 0; ok && j < f->reduce[i]->interior->rank; j++) {
            int64_t r = f->reduce[i]->attr[1] + j, at = r - s->from;
            ok = at == s->nrindex && at < ILEX_MAX_RANK;
            if (!ok)
                break;
            s->rindex[s->nrindex++] = ix_scalar_rindex(c->n->ctx, (int)r);
            if (uses_rindex(e, r))
                ok = !ix_is_ranged(f->reduce[i]) &&
                     add_axis(c->n->ctx, s, &f->reduce[i]->interior->ax[j], 0,
                              &s->rindex[at]);
        }
    return ok;
}

/* Adds to a listing the places that a checked index is; false if they are no
 * array. */
static bool
add_places(const collector *c, const ilex_array *checked, ix_listing *l)
{
    ilex_context *ctx = c->n->ctx;
    ilex_array *e = checked->ops[0];
    shape s = {.rank = 0};
    if (c->loads.frame.nguard > 0 || (e->flags & IX_HAS_CHECK) ||
        l->n == IX_LISTED_LOADS || !add_indices(c, e, &s) ||
        !add_reductions(c, e, &s))
        return false;
    const ix_domain *dom = ix_domain_new(ctx, s.rank, s.ax);
    ix_substitution sub = {.ctx = ctx,
                           .mem = &c->p->u->mem,
                           .index = s.index,
                           .nindex = ix_rank(c->n),
                           .rindex = s.rindex,
                           .nrindex = s.nrindex,
                           .from = s.from};
    e = ix_substitute(&sub, e);
    ix_substitution_free(&sub);
    if (!dom || ix_is_poison(e) || (ctx->any_counted && ix_has_step(ctx, dom)))
        return false;
    l->dom[l->n] = dom;
    l->body[l->n++] = e;
    return true;
}

/* ---- which operands ---- */

static bool
note_load(ix_load_visitor *v, const ilex_array *load)
{
    collector *c = v->user;
    const ix_places *p = c->p;
    int slot = (int)load->attr[0] + 1;
    const ilex_array *x = c->n->ops[slot];
    size_t k = ix_unit_position(p->u, x);
    ix_listing *l = &c->slot[slot];
    for (int a = 0; a < load->nops && !c->never[slot]; a++) {
        int axis = ix_divided_axis(&p->axes, x, a);
        const ilex_array *index = load->ops[a];
        if (axis < 0 || !(p->divided[k] >> axis & 1) ||
            (index->kind == IX_INDEX && ix_places_near(p, c->n, axis, index)))
            continue;
        bool fits = index->kind == IX_CHECKED && (l->n == 0 || l->axis == a);
        l->axis = a;
        c->never[slot] = !fits || !add_places(c, index, l);
    }
    return true;
}

bool
ix_places_list(ix_places *p, size_t i)
{
    ix_unit *u = p->u;
    const ilex_array *n = u->order[i];
    size_t nops = (size_t)n->nops;
    if (n->kind != IX_LAMBDA || !(n->ops[0]->flags & IX_HAS_CHECK))
        return true;
    collector c = {.loads = {.ctx = u->ctx, .mem = &u->mem, .fn = note_load},
                   .p = p,
                   .n = n,
                   .at = i};
    c.loads.user = &c;
    c.loads.frame.box = n->interior;
    c.never = ix_arena_new(&u->arena, nops * sizeof *c.never);
    c.slot = ix_arena_new(&u->arena, nops * sizeof *c.slot);
    bool ok = ix_visit_loads(&c.loads, n->ops[0]);
    ix_visit_end(&c.loads);
    for (int slot = 1; ok && slot < n->nops; slot++) {
        ix_listing *l = &c.slot[slot];
        if (l->n == 0 || c.never[slot])
            continue;
        l->reader = i;
        l->slot = slot;
        l->of = ix_unit_position(u, n->ops[slot]);
        ix_arena_grow(&u->arena, &p->listing, &p->listing_capacity,
                      p->nlistings + 1, sizeof *p->listing);
        p->listing[p->nlistings++] = *l;
    }
    return ok;
}

ix_listing *
ix_places_listing(const ix_places *p, size_t reader, int slot)
{
    for (size_t i = p->nlistings; i-- > 0;)
        if (p->listing[i].reader == reader && p->listing[i].slot == slot)
            return &p->listing[i];
    return NULL;
}

static int
latest_load(const ix_places *p, const ilex_array *n, const ilex_array *e)
{
    int last = 0;
    if (e->kind == IX_LOAD) {
        size_t k = ix_unit_position(p->u, n->ops[e->attr[0] + 1]);
        last = ix_places_within(p, k, ix_unit_inside(p->u, k));
    }
    for (int i = 0; i < e->nops; i++) {
        int s = latest_load(p, n, e->ops[i]);
        last = last < s ? s : last;
    }
    return last;
}

void
ix_places_know(const ix_places *p, ix_listing *l)
{
    const ix_unit *u = p->u;
    int last = 0;
    for (int i = 0; i < l->n; i++) {
        int s = latest_load(p, p->u->order[l->reader], l->body[i]);
        last = last < s ? s : last;
    }
    for (int k = 0; k < u->repeats.n; k++) { /* a step's number may be in it */
        int32_t step = ix_repeat_step(u->repeat[k].node);
        if (ix_env_has(u->order[l->reader]->env, u->ctx->param[step].bound) &&
            last < p->begin[k])
            last = p->begin[k];
    }
    l->known = last;
}

/* Is what loop "loop" carries as number "k" read elsewhere than at its place,
 * in its steps or behind them? */
static bool
is_moved(const ix_places *p, int loop, int k)
{
    const ix_unit *u = p->u;
    bool moved = false;
    int j;
    for (size_t i = 0; i < u->norder; i++)
        if (p->moved[i] && ix_places_loop(p, u->order[i], &j) == loop)
            moved |= j == k;
    return moved;
}

const ix_listing *
ix_places_direct(const ix_places *p, const ilex_array *n)
{
    const ix_unit *u = p->u;
    const ix_listing *found = NULL;
    int k, loop = ix_places_loop(p, n, &k);
    bool carried = loop >= 0 && k < ix_repeat_carries(u->repeat[loop].node);
    size_t of = SIZE_MAX;
    if (carried)
        of = ix_unit_position(u, ix_repeat_carried(u->repeat[loop].node, k));
    for (size_t i = 0; of != SIZE_MAX && i < p->nlistings; i++) {
        const ix_listing *l = &p->listing[i];
        if (l->of == of && found && found->axis != l->axis)
            return NULL;
        found = l->of == of ? l : found;
    }
    return found && !is_moved(p, loop, k) ? found : NULL;
}

bool
ix_places_is_direct(const ix_places *p, const ix_listing *l)
{
    const ilex_array *n = p->u->order[l->of];
    return n->kind == IX_CARRIED && ix_places_direct(p, n);
}
