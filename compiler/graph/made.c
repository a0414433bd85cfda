/* SPDX-License-Identifier: MIT
 *
 * The outputs of the sections of a program for ranks: what is sent, what loops
 * carry and give, places that are read, the program's own; their names, and the
 * numbers of sections, of which none is without.
 */
#include "compiler/graph/made.h"

#include "lib/base/axis.h"
#include "lib/build/tuple.h"
#include "lib/graph/counted.h"

#include <stdio.h>

/* ---- names and domains ---- */

/* Of what loop "l" carries. */
static void
write_now(const ix_places *p, int l, int k, char *name)
{
    const ilex_array *n = ix_repeat_carried(p->u->repeat[l].node, k);
    const ix_listing *list = ix_places_direct(p, n);
    if (list)
        snprintf(name, IX_MADE_NAME, IX_SENT_NOW_LIST, list->of, list->axis, l,
                 k);
    else
        snprintf(name, IX_MADE_NAME, IX_SENT_NOW, l, k);
}

void
ix_made_name(const ix_places *p, size_t i, char *name)
{
    int k, loop = ix_places_loop(p, p->u->order[i], &k);
    int carries = loop < 0 ? 0 : ix_repeat_carries(p->u->repeat[loop].node);
    if (loop < 0)
        snprintf(name, IX_MADE_NAME, IX_SENT "%zu", i);
    else if (k < carries)
        write_now(p, loop, k, name);
    else
        snprintf(name, IX_MADE_NAME, IX_SENT_STACK, loop, k - carries);
}

/* A domain of what is sent: its axes have names, as those of a storage do. NULL
 * after an error. */
static const ix_domain *
named(ilex_context *ctx, const ix_domain *dom)
{
    ix_axis ax[ILEX_MAX_RANK];
    char name[32];
    for (int k = 0; k < dom->rank; k++) {
        ax[k] = dom->ax[k];
        if (ax[k].name)
            continue;
        int n = snprintf(name, sizeof name, IX_SENT "_%d", k);
        ax[k].name = ix_symbol_of(ctx, name, (size_t)n);
        if (ax[k].name < 0)
            return NULL;
    }
    return ix_domain_new(ctx, dom->rank, ax);
}

const ix_domain *
ix_made_domain(const ix_places *p, size_t i)
{
    ilex_context *ctx = p->u->ctx;
    const ilex_array *n = p->u->order[i];
    const ix_domain *dom = n->kind == IX_CARRIED ? n->interior : p->u->need[i];
    if (ctx->any_counted && ix_has_step(ctx, dom)) {
        ix_fail(&ctx->error, ILEX_E_UNSUPPORTED,
                "an array on [%s], whose length changes from step to step of a "
                "loop, is read along an axis that is divided over ranks, which "
                "is not supported",
                ix_domain_show(ctx, dom).s);
        return NULL;
    }
    return named(ctx, dom);
}

/* ---- outputs of sections ---- */

/* Outputs are computed in the first section that can, but for those that may
 * take the place of an input, which other sections read. */
static bool
each_output(const ix_places *p, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = true;
    for (size_t i = 0; ok && i < u->noutputs; i++) {
        ix_made x = {.kind = IX_MADE_OUTPUT,
                     .of = ix_unit_position(u, u->root[i]),
                     .out = &u->module->output[i]};
        x.section = x.out->inplace ? p->last : ix_places_within(p, x.of, -1);
        ok = fn(user, &x);
    }
    return ok;
}

/* What is sent, but for what loops carry and give. */
static bool
each_sent(const ix_places *p, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = true;
    int k;
    for (size_t i = 0; ok && i < u->norder; i++) {
        ix_made x = {.section = p->section[i], .of = i};
        if (!p->sent[i] || !u->need[i] ||
            ix_places_loop(p, u->order[i], &k) >= 0)
            continue;
        ix_made_name(p, i, x.name);
        x.dom = ix_made_domain(p, i);
        ok = x.dom && fn(user, &x);
    }
    return ok;
}

/* What loop "l" carries: first, and next. */
static bool
each_carried(const ix_places *p, int l, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    const ilex_array *loop = u->repeat[l].node;
    bool ok = true;
    for (int k = 0; ok && k < ix_repeat_carries(loop); k++)
        for (int next = 0; ok && next < 2; next++) {
            const ilex_array *n =
                next ? ix_repeat_next(loop, k) : ix_repeat_first(loop, k);
            ix_made x = {.of = ix_unit_position(u, n)};
            x.dom = named(u->ctx, ix_repeat_carried(loop, k)->interior);
            x.section =
                ix_places_within(p, x.of, next ? l : u->repeat[l].around);
            if (next)
                snprintf(x.name, IX_MADE_NAME, IX_SENT_NEXT, l, k);
            else
                write_now(p, l, k, x.name);
            ok = x.dom && fn(user, &x);
        }
    return ok;
}

/* Is a result of the loop read? */
static bool
is_read(const ix_places *p, const ilex_array *loop, int k)
{
    const ix_unit *u = p->u;
    for (size_t i = 0; i < u->norder; i++)
        if (u->need[i] && u->order[i]->kind == IX_RESULT &&
            u->order[i]->ops[0] == loop && u->order[i]->attr[0] == k)
            return true;
    return false;
}

/* Stack "k" of loop "l": zeros, of which a step writes an element. */
static bool
each_stacked(const ix_places *p, int l, int k, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    ilex_context *ctx = u->ctx;
    const ilex_array *loop = u->repeat[l].node;
    int result = ix_repeat_carries(loop) + k;
    ix_made x = {.kind = IX_MADE_ZEROS};
    if (!is_read(p, loop, result))
        return true;
    snprintf(x.name, IX_MADE_NAME, IX_SENT_STACK, l, k);
    x.of = ix_unit_position(u, ix_repeat_stacked(loop, k));
    x.dom = named(ctx, ix_tuple_domain(loop, result));
    x.section = u->repeat[l].around < 0 ? 0 : p->begin[u->repeat[l].around];
    if (!x.dom || !fn(user, &x))
        return false;
    x.kind = IX_MADE_ELEMENT;
    x.dom = ix_repeat_element(ctx, loop, k, x.dom);
    x.section = ix_places_within(p, x.of, l);
    return x.dom && fn(user, &x);
}

static bool
each_of_loop(const ix_places *p, int l, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    const ilex_array *loop = u->repeat[l].node, *until = ix_repeat_until(loop);
    const ix_domain *number = ix_domain_new(u->ctx, 0, NULL);
    ix_made count = {.kind = IX_MADE_COUNT, .loop = l, .dom = number};
    ix_made last = {.dom = number};
    snprintf(count.name, IX_MADE_NAME, IX_SENT_COUNT, l);
    snprintf(last.name, IX_MADE_NAME, IX_SENT_UNTIL, l);
    bool ok = number && fn(user, &count) && each_carried(p, l, fn, user);
    for (int k = 0; ok && k < ix_repeat_stacks(loop); k++)
        ok = each_stacked(p, l, k, fn, user);
    if (ok && until) {
        last.of = ix_unit_position(u, until);
        last.section = ix_places_within(p, last.of, l);
        ok = fn(user, &last);
    }
    return ok;
}

/* Is it the first with its array and axis? */
static bool
is_first(const ix_places *p, const ix_listing *l)
{
    const ix_listing *x = p->listing;
    while (x->of != l->of || x->axis != l->axis)
        x++;
    return x == l;
}

/* Arrays that are read at indices that are data, and which these are. */
static bool
each_listed(const ix_places *p, ix_made_fn *fn, void *user)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->nlistings; i++) {
        const ix_listing *l = &p->listing[i];
        ix_made x = {.of = l->of, .dom = ix_made_domain(p, l->of)};
        x.section = ix_places_within(p, l->of, ix_unit_inside(p->u, l->of));
        snprintf(x.name, IX_MADE_NAME, IX_SENT_LIST, l->of, l->axis);
        bool copy = is_first(p, l) && !ix_places_is_direct(p, l);
        ok = x.dom && (!copy || fn(user, &x));
        x.kind = IX_MADE_PLACES;
        x.list = l;
        for (x.number = 0; ok && x.number < l->n; x.number++) {
            x.dom = named(p->u->ctx, l->dom[x.number]);
            x.section = l->known;
            snprintf(x.name, IX_MADE_NAME, IX_SENT_PLACES, l->of, l->axis,
                     (int)i * IX_LISTED_LOADS + x.number);
            ok = x.dom && fn(user, &x);
        }
    }
    return ok;
}

bool
ix_each_made(const ix_places *p, ix_made_fn *fn, void *user)
{
    const ix_unit *u = p->u;
    bool ok = each_sent(p, fn, user) && each_listed(p, fn, user);
    for (int l = 0; ok && l < u->repeats.n; l++)
        ok = !u->need[u->repeat[l].end] || each_of_loop(p, l, fn, user);
    return ok && each_output(p, fn, user);
}

/* ---- numbers of sections ---- */

static bool
use_turn(void *user, const ix_made *x)
{
    int *is_used = user;
    is_used[ix_made_turn(x)] = 1;
    return true;
}

int *
ix_made_numbers(const ix_places *p)
{
    int n = 2 * (p->last + 1), count = 0;
    int *number = ix_arena_new(&p->u->arena, ((size_t)n + 1) * sizeof *number);
    if (!ix_each_made(p, use_turn, number))
        return NULL;
    for (int t = 0; t <= n; t++) {
        int used = t < n ? number[t] : 0;
        number[t] = count;
        count += used;
    }
    return number;
}
