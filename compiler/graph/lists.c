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
    int known;        /* when what places read is */
} collector;

/* Notes which indices of reductions are met, from the first one on. */
typedef struct rindices {
    int64_t from;
    uint32_t met; /* bits */
} rindices;

static ix_walk_step
enter(ix_walk *w, ilex_array *n, size_t *value)
{
    rindices *r = w->user;
    (void)value;
    int64_t at = n->kind == IX_RINDEX ? n->attr[0] - r->from : -1;
    if (at >= 0 && at < ILEX_MAX_RANK)
        r->met |= UINT32_C(1) << at;
    return IX_WALK_IN;
}

static uint32_t
find_rindices(const collector *c, ilex_array *e, int64_t from)
{
    rindices r = {.from = from};
    ix_walk w = {
        .ctx = c->n->ctx, .mem = &c->p->u->mem, .enter = enter, .user = &r};
    ix_walk_body(&w, e, NULL);
    ix_walk_free(&w);
    return r.met;
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
add_reductions(const collector *c, ilex_array *e, shape *s)
{
    const ix_frame *f = &c->loads.frame;
    bool ok = true;
    s->from = f->nreduce ? f->reduce[0]->attr[1] : 0;
    uint32_t met = f->nreduce ? find_rindices(c, e, s->from) : 0;
    for (int i = 0; ok && i < f->nreduce; i++)
        for (int j = 0; ok && j < f->reduce[i]->interior->rank; j++) {
            int64_t r = f->reduce[i]->attr[1] + j, at = r - s->from;
            ok = at == s->nrindex && at < ILEX_MAX_RANK;
            if (!ok)
                break;
            s->rindex[s->nrindex++] = ix_scalar_rindex(c->n->ctx, (int)r);
            if (met >> at & 1)
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

static bool
know_load(ix_load_visitor *v, const ilex_array *load)
{
    collector *c = v->user;
    const ix_places *p = c->p;
    size_t k = ix_unit_position(p->u, c->n->ops[load->attr[0] + 1]);
    int s = ix_places_within(p, k, ix_unit_inside(p->u, k));
    c->known = c->known < s ? s : c->known;
    return true;
}

bool
ix_places_know(ix_places *p, ix_listing *l)
{
    const ix_unit *u = p->u;
    collector c = {.loads = {.ctx = u->ctx, .mem = &u->mem, .fn = know_load},
                   .p = p,
                   .n = u->order[l->reader]};
    bool ok = true;
    c.loads.user = &c;
    for (int i = 0; ok && i < l->n; i++) {
        c.loads.frame.box = l->dom[i];
        ok = ix_visit_loads(&c.loads, l->body[i]);
    }
    ix_visit_end(&c.loads);
    for (int k = 0; k < u->repeats.n; k++) { /* a step's number may be in it */
        int32_t step = ix_repeat_step(u->repeat[k].node);
        if (ix_env_has(u->order[l->reader]->env, u->ctx->param[step].bound) &&
            c.known < p->begin[k])
            c.known = p->begin[k];
    }
    l->known = c.known;
    return ok;
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
