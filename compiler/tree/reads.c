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

typedef struct loading {
    ix_unit *u;
    int buffer;
} loading;

static bool
loads_others(void *user, ix_stmt *s)
{
    const loading *l = user;
    bool loads = s->kind == IX_STMT_LOAD && s->buffer == l->buffer;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS) && !loads; i++) {
        const ix_reads *r = ix_reads_of(l->u, s->x[i]);
        for (size_t k = 0; k < r->n; k++)
            loads |=
                r->item[k]->kind == IX_LOAD && r->item[k]->attr[0] == l->buffer;
    }
    return !loads;
}

bool
ix_stmts_load(ix_unit *u, ix_stmt *list, int buffer)
{
    loading l = {u, buffer};
    return !ix_stmt_each(list, loads_others, &l);
}
