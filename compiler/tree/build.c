/* SPDX-License-Identifier: MIT
 *
 * Writing statements: open blocks, what is known in them, rebuilding.
 */
#include "compiler/tree/tree.h"

/* ---- blocks ---- */

static void
push_block(ix_builder *b)
{
    b->depth++;
    ix_mem_grow(&b->mem, &b->open, &b->capacity, (size_t)b->depth + 1,
                sizeof *b->open);
    ix_open *o = &b->open[b->depth];
    *o = (ix_open){.id = ++b->next_id, .floor = b->floor};
}

void
ix_build_begin(ix_builder *b, ix_unit *u, ix_kernel *k)
{
    *b = (ix_builder){.u = u, .k = k, .depth = -1};
    b->mem = ix_arena_mem(&u->arena);
    push_block(b);
}

/* The statements of the innermost block, which is left. */
static ix_stmt *
pop_block(ix_builder *b)
{
    ix_open *o = &b->open[b->depth--];
    o->id = 0;
    b->floor = o->floor;
    return o->first;
}

ix_stmt *
ix_build_end(ix_builder *b)
{
    ix_stmt *list = pop_block(b);
    ix_map_free(&b->node, &b->mem);
    ix_map_free(&b->row, &b->mem);
    ix_mem_free(&b->mem, b->known);
    ix_mem_free(&b->mem, b->open);
    ix_mem_free(&b->mem, b->waiting);
    return list;
}

void
ix_build_put_at(ix_builder *b, int depth, ix_stmt *s)
{
    ix_open *o = &b->open[depth];
    s->next = NULL;
    s->array = s->array ? s->array : b->array;
    if (o->last)
        o->last->next = s;
    else
        o->first = s;
    o->last = s;
    bool cell = s->kind == IX_STMT_SCRATCH && s->scratch == IX_SCRATCH_CELL;
    if (cell || ix_stmt_is_value(s)) {
        ilex_array *leaf = ix_value_of(b->u, s);
        ix_build_note(b, leaf, leaf, depth);
    }
}

void
ix_build_put(ix_builder *b, ix_stmt *s)
{
    ix_build_put_at(b, b->depth, s);
}

void
ix_build_put_list(ix_builder *b, ix_stmt *list)
{
    for (ix_stmt *next; list; list = next) {
        next = list->next;
        ix_build_put(b, list);
    }
}

void
ix_build_open(ix_builder *b, ix_stmt *s)
{
    bool loop = s->kind == IX_STMT_FOR;
    push_block(b);
    if (!loop) {
        b->floor = b->depth;
        return;
    }
    size_t n = (size_t)s->number + 1;
    ix_arena_grow(&b->u->arena, &b->variable_depth, &b->variable_capacity, n,
                  sizeof *b->variable_depth);
    b->variable_depth[s->number] = b->depth;
    b->open[b->depth].loop = s->number + 1;
    b->open[b->depth].grid = s->how == IX_GRID;
    if (!ix_loop_has_iterations(s))
        b->floor = b->depth;
}

void
ix_build_else(ix_builder *b, ix_stmt *s)
{
    s->body = pop_block(b);
    push_block(b);
    b->floor = b->depth;
    b->open[b->depth].other = true;
}

void
ix_build_close(ix_builder *b, ix_stmt *s)
{
    bool other = b->open[b->depth].other;
    *(other ? &s->other : &s->body) = pop_block(b);
    ix_build_put(b, s);
}

const ilex_array *
ix_build_array(ix_builder *b, const ilex_array *x)
{
    const ilex_array *before = b->array, *made = ix_made_of(b->u, x);
    b->array = made ? made : before;
    return before;
}

ix_aside
ix_build_aside(ix_builder *b, int depth)
{
    ix_aside a = {.from = depth + 1, .to = b->depth, .floor = b->floor};
    size_t n = (size_t)(a.to - a.from + 1);
    a.open = ix_arena_new(&b->u->arena, (n + 1) * sizeof *a.open);
    memcpy(a.open, b->open + a.from, n * sizeof *a.open);
    for (int i = a.from; i <= a.to; i++)
        b->open[i].id = 0;
    b->depth = depth;
    if (b->floor > depth)
        b->floor = b->open[depth + 1].floor;
    return a;
}

void
ix_build_back(ix_builder *b, const ix_aside *a)
{
    size_t n = (size_t)(a->to - a->from + 1);
    memcpy(b->open + a->from, a->open, n * sizeof *a->open);
    b->depth = a->to;
    b->floor = a->floor;
}

/* ---- what is known where ---- */

static size_t
note(ix_builder *b, ix_known k)
{
    ix_mem_grow(&b->mem, &b->known, &b->known_capacity, b->nknown + 1,
                sizeof *b->known);
    k.id = b->open[k.depth].id;
    b->known[b->nknown] = k;
    return b->nknown++;
}

/* What is noted at "at", NULL if its block is closed. */
static const ix_known *
still_known(const ix_builder *b, const size_t *at)
{
    const ix_known *k = at ? &b->known[*at] : NULL;
    return k && k->depth <= b->depth && b->open[k->depth].id == k->id ? k
                                                                      : NULL;
}

void
ix_build_note(ix_builder *b, const ilex_array *n, ilex_array *leaf, int depth)
{
    ix_map_set(&b->node, &b->mem, n,
               note(b, (ix_known){.leaf = leaf, .depth = depth}));
}

const ix_known *
ix_build_known(const ix_builder *b, const ilex_array *n)
{
    return still_known(b, ix_map_find(&b->node, n));
}

void
ix_build_note_row(ix_builder *b, const ilex_array *n, ix_stmt *row, int depth)
{
    ix_map_set(&b->row, &b->mem, n,
               note(b, (ix_known){.row = row, .depth = depth}));
}

ix_stmt *
ix_build_known_row(const ix_builder *b, const ilex_array *n)
{
    const ix_known *k = still_known(b, ix_map_find(&b->row, n));
    return k ? k->row : NULL;
}

/* A query for the deepest block that an expression needs. */
typedef struct depth_query {
    ix_builder *b;
    int depth;
} depth_query;

static ix_walk_step
note_depth(ix_walk *w, ilex_array *x, size_t *value)
{
    depth_query *q = w->user;
    int at = 0;
    (void)value;
    if (x->kind == IX_INDEX) {
        at = q->b->variable_depth[x->attr[0]];
    } else if (x->kind == IX_VALUE) {
        const ix_known *k = ix_build_known(q->b, x);
        at = k ? k->depth : 0;
    }
    q->depth = at > q->depth ? at : q->depth;
    return IX_WALK_IN;
}

int
ix_build_depth(ix_builder *b, const ilex_array *x)
{
    depth_query q = {.b = b};
    ix_walk w = {
        .ctx = b->u->ctx, .mem = &b->mem, .enter = note_depth, .user = &q};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    return q.depth;
}

/* ---- scratch memory and values ---- */

ix_stmt *
ix_build_define(ix_builder *b, int depth, ix_stmt *s, char prefix,
                ilex_dtype dtype)
{
    s->prefix = prefix;
    s->number = b->k->nvalues++;
    s->dtype = dtype;
    ix_build_put_at(b, depth, s);
    return s;
}

ix_stmt *
ix_build_scratch(ix_builder *b, char prefix, ilex_dtype dtype, int64_t extent)
{
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_SCRATCH, NULL);
    s->scratch = IX_SCRATCH_ARRAY;
    s->extent = extent;
    return ix_build_define(b, b->depth, s, prefix, dtype);
}

ix_stmt *
ix_build_cell(ix_builder *b, char prefix, ilex_dtype dtype, ilex_array *first)
{
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_SCRATCH,
                             IX_OPERANDS({first != NULL, &first}));
    return ix_build_define(b, b->depth, s, prefix, dtype);
}

ix_stmt *
ix_build_let(ix_builder *b, char prefix, ilex_array *value)
{
    ix_stmt *s = ix_stmt_new(b->u, IX_STMT_LET, IX_OPERANDS({1, &value}));
    return ix_build_define(b, b->depth, s, prefix, (ilex_dtype)value->dtype);
}

ilex_array *
ix_build_bound(ix_builder *b, bool lower, ilex_array *value)
{
    ix_stmt *s = ix_build_let(b, lower ? 'L' : 'H', value);
    s->bound = true;
    return ix_value_of(b->u, s);
}

ilex_array *
ix_build_read(ix_builder *b, ix_stmt *scratch, ilex_array *index)
{
    ix_stmt *s = ix_stmt_at(b->u, IX_STMT_LOAD,
                            ix_element_scratch(scratch, index), NULL);
    ix_build_define(b, b->depth, s, 't', scratch->dtype);
    return ix_value_of(b->u, s);
}

/* ---- replacing parts of expressions ---- */

typedef struct pick_search {
    ix_builder *b;
    ix_pick (*pick)(const ix_builder *b, const ilex_array *x);
    ilex_array **found;
    size_t count, capacity;
} pick_search;

static ix_walk_step
note_pick(ix_walk *w, ilex_array *x, size_t *value)
{
    pick_search *s = w->user;
    ix_pick what = s->pick(s->b, x);
    (void)value;
    if (what == IX_PICK_IT) {
        ix_arena_grow(&s->b->u->arena, &s->found, &s->capacity, s->count + 1,
                      sizeof *s->found);
        s->found[s->count++] = x;
    }
    return what == IX_PICK_INSIDE ? IX_WALK_IN : IX_WALK_OVER;
}

ilex_array *
ix_build_replace(ix_builder *b, ilex_array *x,
                 ix_pick (*pick)(const ix_builder *b, const ilex_array *x),
                 ilex_array *(*expand)(ix_builder *b, ilex_array *x))
{
    ilex_context *ctx = b->u->ctx;
    pick_search s = {.b = b, .pick = pick};
    ix_walk w = {.ctx = ctx, .mem = &b->mem, .enter = note_pick, .user = &s};
    ix_walk_body(&w, x, NULL);
    ix_walk_free(&w);
    if (s.count == 0)
        return x;
    ix_substitution r = {
        .ctx = ctx, .mem = &b->u->mem, .became = ix_made_keep, .user = b->u};
    for (size_t i = 0; i < s.count; i++)
        ix_substitution_set(&r, s.found[i], expand(b, s.found[i]));
    x = ix_substitute(&r, x);
    ix_substitution_free(&r);
    return x;
}

/* ---- rebuilding ---- */

static void rebuild_list(ix_builder *b, ix_stmt *list, ix_rebuild_fn fn);

static void
rebuild_block(ix_builder *b, const ix_stmt *s, ix_stmt *t, ix_rebuild_fn fn)
{
    ix_build_open(b, t);
    rebuild_list(b, s->body, fn);
    if (s->other) {
        ix_build_else(b, t);
        rebuild_list(b, s->other, fn);
    }
    ix_build_close(b, t);
}

static void
rebuild_list(ix_builder *b, ix_stmt *list, ix_rebuild_fn fn)
{
    ix_stmt *stores = NULL, **tail = &stores;
    for (ix_stmt *s = list; s && b->u->ctx->error.code == ILEX_OK;
         s = s->next) {
        b->array = s->array;
        ix_stmt *t = fn(b, s);
        if (t && ix_stmt_is_output(t)) {
            *tail = t;
            tail = &t->next;
        } else if (t && (t->kind == IX_STMT_FOR || t->kind == IX_STMT_IF)) {
            rebuild_block(b, s, t, fn);
        } else if (t) {
            ix_build_put(b, t);
        }
        if (s->next && ix_stmt_is_output(s->next))
            continue;
        *tail = NULL;
        ix_build_put_list(b, stores);
        stores = NULL;
        tail = &stores;
    }
}

bool
ix_rebuild(ix_unit *u, ix_kernel *k, ix_rebuild_fn fn)
{
    ix_builder b;
    ix_build_begin(&b, u, k);
    rebuild_list(&b, k->body, fn);
    k->body = ix_build_end(&b);
    return u->ctx->error.code == ILEX_OK;
}
