/* SPDX-License-Identifier: MIT
 *
 * Loads and values in expressions. Directives ask for those of a whole kernel
 * again and again, which has few new expressions each time: what is in one is
 * remembered for as long as the unit is there.
 */
#include "compiler/tree/tree.h"

enum { READS = IX_HAS_LOAD | IX_HAS_VALUE };

typedef struct finding {
    ix_unit *u;
    ix_reads found;
    size_t capacity;
} finding;

static ix_walk_step
meet(ix_walk *w, ilex_array *x, size_t *value)
{
    finding *f = w->user;
    ix_reads *r = &f->found;
    (void)value;
    if (x->kind != IX_LOAD && x->kind != IX_VALUE)
        return IX_WALK_IN;
    ix_arena_grow(&f->u->arena, &r->item, &f->capacity, r->n + 1,
                  sizeof *r->item);
    r->item[r->n++] = x;
    return IX_WALK_IN;
}

static const ix_reads *
find(ix_unit *u, const ilex_array *x)
{
    finding f = {.u = u};
    ix_walk w = {.ctx = u->ctx,
                 .mem = &u->mem,
                 .within = READS,
                 .enter = meet,
                 .user = &f};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    ix_reads *r = ix_arena_new(&u->arena, sizeof *r);
    *r = f.found;
    ix_map_set(&u->reads, &u->mem, x, (size_t)r);
    return r;
}

const ix_reads *
ix_reads_of(ix_unit *u, const ilex_array *x)
{
    static const ix_reads none = {.n = 0};
    if (!(x->flags & READS))
        return &none;
    const size_t *known = ix_map_find(&u->reads, x);
    return known ? (const ix_reads *)*known : find(u, x);
}
