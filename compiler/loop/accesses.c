/* SPDX-License-Identifier: MIT
 *
 * Accesses of a kernel's statements to memory: stores, updates and loads, those
 * in expressions too, with the loops around them.
 */
#include "compiler/loop/distances.h"

typedef struct collecting {
    ix_accesses *a;
    const ix_stmt *list; /* what is asked for */
    bool inside;         /* in that list */
    const ix_branch *branch;
    int depth;
    const ix_stmt *const *around;
    const ix_stmt *stmt;
} collecting;

static void
add(collecting *c, ix_access access)
{
    ix_accesses *a = c->a;
    if (!c->inside)
        return;
    access.stmt = c->stmt;
    if (access.scratch)
        access.scratch = a->definition[access.scratch->number].stmt;
    access.branch = c->branch;
    access.depth = c->depth;
    access.around = c->around;
    ix_arena_grow(&a->u->arena, &a->item, &a->capacity, a->n + 1,
                  sizeof *a->item);
    a->item[a->n++] = access;
}

/* ---- in expressions ---- */

static void
add_read(collecting *c, const ilex_array *x)
{
    if (x->kind == IX_LOAD)
        add(c, (ix_access){.buffer = (int)x->attr[0],
                           .rank = x->nops,
                           .index = x->ops});
    if (x->kind == IX_VALUE && x->attr[0] >= 0) {
        const ix_stmt *s = c->a->definition[x->attr[0]].stmt;
        if (s && s->kind == IX_STMT_SCRATCH)
            add(c, (ix_access){.buffer = -1, .scratch = s});
    }
}

/* Is it in one of the first "n" expressions? */
static bool
is_before(collecting *c, const ix_stmt *s, int n, const ilex_array *x)
{
    for (int i = 0; i < n; i++) {
        const ix_reads *r = ix_reads_of(c->a->u, s->x[i]);
        for (size_t k = 0; k < r->n; k++)
            if (r->item[k] == x)
                return true;
    }
    return false;
}

/* What a statement's expressions read, each once. */
static void
add_reads(collecting *c, const ix_stmt *s)
{
    if (!c->inside)
        return;
    for (int i = 0; i < ix_operands_before(s, IX_GROUPS); i++) {
        const ix_reads *r = ix_reads_of(c->a->u, s->x[i]);
        for (size_t k = 0; k < r->n; k++)
            if (!is_before(c, s, i, r->item[k]))
                add_read(c, r->item[k]);
    }
}

/* ---- of statements ---- */

static void
add_element(collecting *c, const ix_stmt *s, bool write)
{
    bool row = s->buffer >= 0 && s->mem;
    add(c, (ix_access){.buffer = s->buffer,
                       .scratch = s->buffer < 0 ? s->mem : NULL,
                       .write = write,
                       .unknown = row,
                       .rank = row ? -1 : s->n[IX_INDICES],
                       .index = ix_operands(s, IX_INDICES)});
}

/* Scratch of which any element may be read and written. */
static void
add_whole(collecting *c, const ix_stmt *scratch)
{
    if (scratch)
        add(c,
            (ix_access){
                .buffer = -1, .scratch = scratch, .write = true, .rank = -1});
}

static void
add_own(collecting *c, const ix_stmt *s)
{
    if (s->kind == IX_STMT_STORE || s->kind == IX_STMT_UPDATE)
        add_element(c, s, true);
    else if (s->kind == IX_STMT_LOAD)
        add_element(c, s, false);
    add_whole(c, s->from);
    add_whole(c, s->to);
}

static void collect(collecting *c, const ix_stmt *list);

/* The body of a loop, and its condition, which is asked before each round. */
static void
enter_loop(collecting *c, const ix_stmt *loop)
{
    collecting out = *c;
    const ix_stmt **around =
        ix_arena_new(&c->a->u->arena, ((size_t)c->depth + 1) * sizeof *around);
    if (c->depth)
        memcpy(around, c->around, (size_t)c->depth * sizeof *around);
    around[c->depth++] = loop;
    c->around = around;
    if (loop->n[IX_for_while])
        add_reads(c, loop);
    collect(c, loop->body);
    c->depth = out.depth;
    c->around = out.around;
}

static void
enter_branches(collecting *c, const ix_stmt *s)
{
    ix_branch *in = ix_arena_new(&c->a->u->arena, 2 * sizeof *in);
    for (int i = 0; i < 2; i++) {
        in[i] = (ix_branch){ix_if_condition(s), i == 0, c->branch};
        c->branch = &in[i];
        collect(c, i == 0 ? s->body : s->other);
        c->branch = in[i].around;
    }
}

static void
collect(collecting *c, const ix_stmt *list)
{
    bool inside = c->inside;
    for (const ix_stmt *s = list; s; s = s->next) {
        c->stmt = s;
        c->inside |= s == c->list;
        add_reads(c, s);
        add_own(c, s);
        if (ix_stmt_defines(s))
            c->a->definition[s->number] = (ix_definition){s, c->depth};
        if (s->kind == IX_STMT_FOR)
            enter_loop(c, s);
        if (s->kind == IX_STMT_IF)
            enter_branches(c, s);
    }
    c->inside = inside;
}

ix_accesses
ix_accesses_in(ix_unit *u, const ix_kernel *k, const ix_stmt *list)
{
    ix_accesses a = {.u = u};
    a.definition = ix_arena_new(&u->arena, ((size_t)k->nvalues + 1) *
                                               sizeof *a.definition);
    collecting c = {.a = &a, .list = list};
    collect(&c, k->body);
    return a;
}

/* ---- places ---- */

bool
ix_access_is_in(const ix_access *x, const ix_stmt *loop)
{
    bool is = false;
    for (int i = 0; i < x->depth && !is; i++)
        is = x->around[i] == loop;
    return is;
}

bool
ix_access_is_once_a_point(const ix_access *x)
{
    int n = 0;
    bool once = !x->branch;
    for (int i = 0; i < x->depth; i++)
        once &= ix_loop_is_plain(x->around[i]);
    for (int d = 0; d < x->rank; d++) {
        const ilex_array *index = x->index[d];
        n += index->kind == IX_INDEX;
        once &= index->kind == IX_INDEX || index->kind == IX_CONST;
        for (int b = 0; b < d; b++)
            once &= index != x->index[b] || index->kind != IX_INDEX;
    }
    return once && n == x->depth;
}
